/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Trials of candidates.
 */
#include "proof/trial.h"

#include "call/case.h"
#include "core/clock.h"
#include "core/sanitizer.h"
#include "choose/dispatch.h"
#include "engine.h"
#include "opencl/opencl.h"
#include "proof/trial_server.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 4, MORE_RUNS = 20, LEAK_RUNS = 8 };

bool le__reference_candidate(le_engine *engine, const le__operation_entry *entry,
                             le__candidate *out) {
    for (size_t i = 0; i < entry->n_implementations; i++) {
        const le_implementation *impl = entry->implementations[i];
        if (!(impl->flags & LE_IMPL_REFERENCE) || impl->device != LE_DEVICE_CPU)
            continue;
        *out = (le__candidate){.implementation = impl,
                               .device = &engine->devices[0],
                               .threads = le__pool_max_threads(engine->pool),
                               .schedule = LE__SCHEDULE_DYNAMIC};
        for (size_t k = 0; k < impl->n_tunables; k++)
            out->params[k] = impl->tunables[k].default_value;
        snprintf(out->text, sizeof out->text, "%s@cpu", impl->name);
        return true;
    }
    return false;
}

/* --- the trial itself, wherever it runs --- */

typedef struct trial {
    le_engine *engine;
    le__operation_entry *entry;
    const le__candidate *candidate;
    le_case sample;
    le_call reference, call;
} trial;

/* The reference answers in double precision where the operation allows it. */
static le_status run_reference(trial *t) {
    le__candidate reference;
    if (!le__reference_candidate(t->engine, t->entry, &reference))
        return le_fail(LE_ERR_UNSUPPORTED, "%s has no reference", t->entry->operation->name);
    le_arg args[LE_MAX_ARGS];
    le_tensor outputs[LE_MAX_ARGS];
    memcpy(args, t->sample.args, sizeof args);
    for (size_t i = 0; i < t->sample.n; i++)
        if (args[i].kind == LE_KIND_OUT) {
            outputs[i] = (le_tensor){.dtype = t->sample.tensors[i].dtype};
            for (size_t k = 0; k < t->entry->operation->n_args; k++)
                if (!strcmp(t->entry->operation->args[k].name, args[i].name) &&
                    t->entry->operation->args[k].dtypes & LE_DTYPE_BIT(LE_F64))
                    outputs[i].dtype = LE_F64;
            args[i].value.out = &outputs[i];
        }
    le_status status = le__call_bind(&t->reference, t->engine, t->entry, args, t->sample.n);
    if (status == LE_OK)
        status = le__execute(&t->reference, &reference, LE__OUTPUTS_FRESH);
    return status;
}

static le_status compare(trial *t, le__trial_result *r) {
    const le_operation *op = t->entry->operation;
    le_status status = LE_OK;
    for (size_t i = 0; status == LE_OK && i < op->n_args; i++) {
        if (op->args[i].type != LE_TYPE_OUT || !t->call.args[i].given)
            continue;
        status = le_tensor_to_host(&t->call.args[i].tensor);
        if (status == LE_OK)
            le__error_add(&r->error, op->norm, &t->call.args[i].tensor,
                          &t->reference.args[i].tensor);
    }
    return status == LE_OK ? le__guard_check(&t->call) : status;
}

static le_status judge(const trial *t, const le__trial_result *r) {
    const le_operation *op = t->entry->operation;
    bool lossy = t->candidate->implementation->flags & LE_IMPL_LOSSY;
    if (lossy ? r->error.max_abs < 1e30 : le__error_allows(&r->error, op->atol, op->rtol))
        return LE_OK;
    return le_fail(LE_ERR_WRONG_RESULT, "error %.3g exceeds the tolerance %.3g of the operation",
                   r->error.max_abs, op->atol);
}

typedef struct usage {
    size_t bytes;   /* of the host's memory */
    size_t objects; /* of the OpenCL context */
} usage;

static usage in_use(const trial *t) {
    struct mallinfo2 m = mallinfo2();
    return (usage){m.uordblks + m.hblkhd, le__cl_objects(t->candidate->device->cl)};
}

/* Bytes a run that are held against a candidate. OpenCL drivers keep something of each run for
 * themselves, PoCL up to 3 KiB of the first ones. */
static size_t least_leak(const trial *t) {
    return t->candidate->device->kind == LE_DEVICE_CPU ? 1 : 4096;
}

static le_status run_once(trial *t, le__trial_result *r, int number) {
    t->call.poison = number % 2 ? 0x00 : 0xff; /* what is left unwritten differs between runs */
    le_status status = le__execute(&t->call, t->candidate, LE__OUTPUTS_GUARDED);
    if (status == LE_OK)
        status = compare(t, r);
    return status == LE_OK ? judge(t, r) : status;
}

/* Memory in use that grows in run after run is a leak. The allocator's own caches grow at first:
 * they get runs to fill before anybody is accused. Other threads may free a little meanwhile, once.
 */
static le_status look_for_leak(trial *t, le__trial_result *r) {
    usage start = {0}, before = {0};
    int bytes = 0, objects = 0; /* runs after which there were more */
    for (int i = 0; i < MORE_RUNS; i++) {
        le_status status = run_once(t, r, i);
        usage use = in_use(t);
        if (status != LE_OK)
            return status;
        if (i == MORE_RUNS - LEAK_RUNS - 1) {
            start = use;
        } else if (i >= MORE_RUNS - LEAK_RUNS) {
            bytes += use.bytes >= before.bytes + least_leak(t);
            objects += use.objects > before.objects;
        }
        before = use;
    }
    if (bytes >= LEAK_RUNS - 1 && before.bytes > start.bytes)
        return le_fail(LE_ERR_WRONG_RESULT, "leaks %zu bytes a run",
                       (before.bytes - start.bytes) / LEAK_RUNS);
    if (objects >= LEAK_RUNS - 1 && before.objects > start.objects)
        return le_fail(LE_ERR_WRONG_RESULT,
                       "leaks buffers or other objects of OpenCL: %zu in %d runs",
                       before.objects - start.objects, LEAK_RUNS);
    return LE_OK;
}

static le_status run_candidate(trial *t, le__trial_result *r, bool alone) {
    usage use[RUNS] = {0};
    le_status status = le__call_bind(&t->call, t->engine, t->entry, t->sample.args, t->sample.n);
    const char *why = "";
    if (status == LE_OK && !le__candidate_applies(t->candidate, &t->call, &why)) {
        le__call_unbind(&t->call);
        return le_fail(LE_ERR_UNSUPPORTED, "the sample call is not for it: %s", why);
    }
    for (int i = 0; status == LE_OK && i < RUNS; i++) {
        status = run_once(t, r, i);
        use[i] = alone ? in_use(t) : (usage){0};
    }
    const usage *first = &use[RUNS - 3], *last = &use[RUNS - 1];
    if (status == LE_OK && alone &&
        (last->bytes >= first->bytes + 2 * least_leak(t) || last->objects > first->objects))
        status = look_for_leak(t, r);
    le__call_unbind(&t->call);
    return status;
}

static le_status try_candidate(trial *t, const le_call *like, le__trial_result *r, bool alone) {
    le_case_request request = {
        .kind = LE_CASE_TRIAL, .seed = t->engine->options.seed, .like = like};
    r->tested = false;
    le_status status = le__case_make(&t->sample, t->entry->operation, &request);
    if (status != LE_OK)
        return status;
    status = run_reference(t);
    if (status == LE_OK) {
        r->tested = true;
        status = run_candidate(t, r, alone);
        le__call_unbind(&t->reference);
    }
    le__case_free(&t->sample);
    return status;
}

static void try_here(trial *t, const le_call *like, le__trial_result *r, bool alone) {
    r->status = try_candidate(t, like, r, alone);
    snprintf(r->reason, sizeof r->reason, "%s", r->status == LE_OK ? "" : le_error_message());
}

/* --- in a child process --- */

typedef struct shared {
    le__trial_result result;
    _Atomic int begun, done;
} shared;

/* Sanitizers reserve terabytes of address space: no limit there. */
static void limit_memory(void) {
    static const int64_t room = INT64_C(16) << 30; /* beyond what the process has */
    char text[64];
    int fd = LE__SANITIZED ? -1 : open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    long pages = strtol(text, NULL, 10);
    if (pages <= 0)
        return;
    rlim_t most = (rlim_t)(pages * sysconf(_SC_PAGESIZE) + room);
    struct rlimit as = {most, most};
    setrlimit(RLIMIT_AS, &as);
}

void le__trial_limit_child(void) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM};
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
    signal(SIGINT, SIG_IGN); /* a terminal's interrupt is for the caller; it is no crash */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* Only this thread exists here: locks held by others stay held, so everything the trial uses is
 * new. */
static void child_main(trial *t, const le_call *like, shared *s) {
    le__trial_limit_child();
    limit_memory();
    le__trial_mark_child();
    /* ThreadSanitizer cannot start threads in the child of a process with threads. */
    int threads = LE__TSAN ? 1 : le__pool_max_threads(t->engine->pool);
    if (le__pool_open(&t->engine->pool, threads) == LE_OK) {
        s->begun = 1;
        try_here(t, like, &s->result, true);
        s->done = 1;
    }
    _exit(0);
}

void le__trial_rest(le_engine *engine) {
    if (!LE__SANITIZED)
        return;
    le__store_rest(engine->dispatch->store);
    le__sanitizer_rest();
}

static double starved_thread(const char *folder, const char *thread) {
    char path[128], text[96];
    snprintf(path, sizeof path, "%s/%.16s/schedstat", folder, thread);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *delay = strchr(text, ' '); /* "running waiting slices", in nanoseconds */
    return delay ? 1e-9 * strtod(delay, NULL) : 0;
}

double le__trial_starved(pid_t pid) {
    char folder[64];
    double most = 0; /* drivers compile in threads of their own */
    snprintf(folder, sizeof folder, "/proc/%d/task", (int)pid);
    DIR *threads = opendir(folder);
    for (struct dirent *t; threads && (t = readdir(threads)) != NULL;)
        if (t->d_name[0] != '.')
            most = fmax(most, starved_thread(folder, t->d_name));
    if (threads)
        closedir(threads);
    return most;
}

static void wait_for_child(pid_t pid, shared *s, double limit_s, le__trial_result *r) {
    double start = le__now(), pause = 5e-5, starved = 0;
    int state = 0;
    bool killed = false;
    for (;;) {
        pid_t got = waitpid(pid, &state, WNOHANG);
        if (got == pid || (got < 0 && errno != EINTR))
            break;
        starved = fmax(starved, le__trial_starved(pid));
        if (!killed && le__now() - start > limit_s + starved) {
            kill(pid, SIGKILL);
            killed = true;
        }
        struct timespec nap = {0, (long)(pause * 1e9)};
        nanosleep(&nap, NULL);
        pause = pause < 1e-3 ? pause * 1.5 : 1e-3;
    }
    if (s->done) {
        *r = s->result;
    } else if (killed) {
        r->status = LE_ERR_TIMEOUT;
        snprintf(r->reason, sizeof r->reason, "did not end within %g s", limit_s);
    } else {
        r->status = LE_ERR_CRASH;
        if (WIFSIGNALED(state))
            snprintf(r->reason, sizeof r->reason, "crashed with signal %d (%s)", WTERMSIG(state),
                     strsignal(WTERMSIG(state)));
        else
            snprintf(r->reason, sizeof r->reason, "ended the process");
    }
    r->starved = starved;
}

/* What is killed before it had the time limit to itself has shown nothing, nor has a child that could
 * not begin. */
static bool try_in_child(trial *t, const le_call *like, double wait_s, le__trial_result *r) {
    double limit_s = fmin(wait_s, t->engine->options.trial_limit_s);
    r->pending = limit_s <= 0;
    if (r->pending)
        return true;
    shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED)
        return false;
    le__trial_rest(t->engine);
    pid_t pid = fork();
    if (pid == 0)
        child_main(t, like, s);
    if (pid > 0)
        wait_for_child(pid, s, limit_s, r);
    bool cut_short = r->status == LE_ERR_TIMEOUT && limit_s < t->engine->options.trial_limit_s;
    r->pending = pid > 0 && (!s->begun || cut_short);
    munmap(s, sizeof *s);
    return pid > 0;
}

void le__trial_here(le_engine *engine, le__operation_entry *entry, const le__candidate *candidate,
                    const le_call *like, le__trial_result *out) {
    trial *t = calloc(1, sizeof *t);
    *out = (le__trial_result){.status = LE_ERR_MEMORY, .reason = "out of memory"};
    if (!t)
        return;
    t->engine = engine;
    t->entry = entry;
    t->candidate = candidate;
    try_here(t, like, out, true);
    free(t);
}

void le__trial(le_engine *engine, le__operation_entry *entry, const le__candidate *candidate,
               const le_call *like, double wait_s, le__trial_result *out) {
    trial *t = calloc(1, sizeof *t);
    double start = le__now();
    *out = (le__trial_result){
        .status = LE_ERR_MEMORY, .reason = "out of memory", .pending = true};
    if (!t)
        return;
    out->pending = false;
    t->engine = engine;
    t->entry = entry;
    t->candidate = candidate;
    if (!entry->operation->make_case) {
        *out = (le__trial_result){.status = LE_OK};
        free(t);
        return;
    }
    bool tried =
        candidate->device->kind == LE_DEVICE_CPU
            ? !(candidate->implementation->flags & LE_IMPL_REFERENCE) &&
                  try_in_child(t, like, wait_s, out)
            : le__trial_server_try(engine->trial_server, entry, candidate, like, wait_s, out);
    if (!tried)
        try_here(t, like, out, false);
    out->seconds = le__now() - start;
    le__log_write(&engine->log, LE_LOG_DEBUG,
                  "%s: trial of %s: %.3f s, %.3f s of them without a core", entry->operation->name,
                  candidate->text, out->seconds, out->starved);
    free(t);
}
