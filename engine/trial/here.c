/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The trial itself, wherever it runs, and what a process for it needs.
 */
#include "trial/trial.h"

#include "call/case.h"
#include "call/engine.h"
#include "call/guard.h"
#include "call/tensor.h"
#include "core/clock.h"
#include "core/tick.h"
#include "core/os.h"
#include "core/sanitizer.h"
#include "opencl/opencl.h"
#include "trial/surroundings.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 4, LEAK_RUNS = 20, OFTEN = 44 };
enum { FILLED = 12, ENOUGH = 20 }; /* runs after which caches of allocators hide no leak; that tell */
static const double often_s = 0.01;
static const double brief_s = 1e-3;

typedef struct le__trial_sample {
    le_engine *engine;
    le__operation_entry *entry;
    const le__candidate *candidate;
    le_case sample;
    const le_call *like;
    le_call reference, call;
    double reference_s;
    struct { /* of inputs */
        const void *copies[LE__GUARD_PLACES];
        size_t bytes;
    } walled[LE_MAX_ARGS];
    bool alone; /* in a process of its own */
    le__surroundings before;
} trial;

/* The reference answers in double precision where the operation allows it. A first run that is
 * brief tells more of its start than of itself. */
static le_status run_reference(trial *t) {
    le__candidate reference;
    if (!le__reference_candidate(t->engine, t->entry, &reference))
        return le_fail(LE_ERR_UNSUPPORTED, "%s has no reference", t->entry->operation->name);
    le_arg args[LE_MAX_ARGS];
    le_tensor outputs[LE_MAX_ARGS];
    memcpy(args, t->sample.args, sizeof args);
    le__args_for_reference(t->entry->operation, args, t->sample.n, outputs);
    le_status status = le__call_bind(&t->reference, t->engine, t->entry, args, t->sample.n);
    if (status != LE_OK)
        return status;
    for (int runs = 0; status == LE_OK && runs < 2 && t->reference_s < brief_s; runs++) {
        status = le__execute(&t->reference, &reference, LE__OUTPUTS_FRESH);
        double seconds = t->reference.stats.seconds;
        t->reference_s = runs ? fmin(t->reference_s, seconds) : seconds;
    }
    if (status != LE_OK)
        le__call_unbind(&t->reference);
    return status;
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
    size_t bytes;   /* that malloc has handed out */
    int64_t mapped; /* of address space, for CPU candidates */
    size_t objects; /* of the OpenCL context */
} usage;

static usage in_use(const trial *t) {
    usage u = {.bytes = le__os_heap_bytes(), /* where that is unknown no leak of it is seen */
               .objects = le__cl_objects(t->candidate->device->cl)};
    if (t->candidate->device->kind == LE_DEVICE_CPU)
        u.mapped = le__os_address_space();
    return u;
}

/* Bytes a run that are held against a candidate. OpenCL drivers keep something of each run for
 * themselves, PoCL up to 3 KiB of the first ones. */
static size_t least_leak(const trial *t) {
    return t->candidate->device->kind == LE_DEVICE_CPU ? 1 : 4096;
}

static void note_time(const trial *t, le__trial_result *r) {
    const le__run_stats *s = &t->call.stats;
    double seconds = fmax(s->seconds - s->transfer_seconds, 0);
    r->run_s = r->run_s > 0 ? fmin(r->run_s, seconds) : seconds;
    r->work = le__call_operations(&t->call);
    r->reference_s = t->reference_s;
}

static void make_copies(trial *t) {
    for (size_t i = 0; i < t->entry->operation->n_args; i++) {
        le_tensor *in = &t->call.args[i].tensor;
        bool plain = t->entry->operation->args[i].type == LE_TYPE_IN && t->call.args[i].given &&
                     le_tensor_is_contiguous(in) && le_tensor_to_host(in) == LE_OK;
        if (!plain || !le__tensor_bytes(in, &t->walled[i].bytes) || !t->walled[i].bytes)
            continue;
        for (int k = 0; k < LE__GUARD_PLACES; k++)
            t->walled[i].copies[k] = le__guard_copy(in->data, t->walled[i].bytes,
                                                    le_dtype_size(in->dtype), (le__guard_place)k);
    }
}

static void use_copies(trial *t, int number) {
    const int which = number % LE__GUARD_PLACES;
    for (size_t i = 0; i < t->entry->operation->n_args; i++)
        if (t->walled[i].copies[which])
            le__guard_use_copy(&t->call, (int)i, t->walled[i].copies[which], t->walled[i].bytes);
}

static le_status run_once(trial *t, le__trial_result *r, int number) {
    bool walled = t->alone && t->candidate->device->kind == LE_DEVICE_CPU;
    t->call.poison = number % 2 ? 0x00 : 0xff; /* what is left unwritten differs between runs */
    t->call.lean = t->call.tight = number % 2;
    if (t->alone)
        le__pool_gather(t->engine->pool, (number + 1) & 2); /* in runs with either poison */
    use_copies(t, number);
    le_status status =
        le__execute(&t->call, t->candidate, walled ? LE__OUTPUTS_WALLED : LE__OUTPUTS_GUARDED);
    if (status == LE_ERR_MEMORY && t->call.no_room && /* for more rows than there are, perhaps */
        le__compare_counts(&t->call, &t->reference) != LE_OK)
        return LE_ERR_WRONG_RESULT;
    if (status == LE_OK)
        note_time(t, r);
    if (status == LE_OK)
        status = le__error_of_guarded(&r->error, &t->call, &t->reference);
    return status == LE_OK ? judge(t, r) : status;
}

/* Memory in use that grows in run after run is a leak. The allocator's own caches grow, too: glibc
 * keeps up to seven freed chunks of each size for each thread and counts them as used, so that
 * seven runs may grow at any time. Other threads may free a little meanwhile, once. */
static le_status look_for_leak(trial *t, le__trial_result *r) {
    enum { INNOCENT = 2 }; /* runs after which there was no more than before */
    usage start = in_use(t), before = start;
    int bytes = 0, mapped = 0, objects = 0;
    for (int i = 0; i < LEAK_RUNS && (bytes < INNOCENT || mapped < INNOCENT || objects < INNOCENT);
         i++) {
        le_status status = run_once(t, r, i);
        usage use = in_use(t);
        if (status != LE_OK)
            return status;
        bytes += use.bytes < before.bytes + least_leak(t);
        mapped += use.mapped <= before.mapped;
        objects += use.objects <= before.objects;
        before = use;
    }
    if (bytes < INNOCENT && before.bytes > start.bytes)
        return le_fail(LE_ERR_WRONG_RESULT, "leaks %zu bytes a run",
                       (before.bytes - start.bytes) / LEAK_RUNS);
    if (mapped < INNOCENT && before.mapped > start.mapped)
        return le_fail(LE_ERR_WRONG_RESULT, "leaks %lld bytes of address space a run",
                       (long long)(before.mapped - start.mapped) / LEAK_RUNS);
    if (objects < INNOCENT && before.objects > start.objects)
        return le_fail(LE_ERR_WRONG_RESULT,
                       "leaks buffers or other objects of OpenCL: %zu in %d runs",
                       before.objects - start.objects, LEAK_RUNS);
    return LE_OK;
}

static bool goes_on(const le__trial_result *r, int runs, double start) {
    return le__now() - start < often_s || (runs < ENOUGH && r->run_s * ENOUGH < often_s);
}

/* What is wrong one time in ten is found here with 99 %, and what loses less than the allocator's
 * caches had at first. Implementations of the library have tests for that. */
static le_status run_often(trial *t, le__trial_result *r) {
    le_status status = LE_OK;
    double start = le__now();
    usage filled = {0};
    int i = RUNS;
    if (le__registry_is_builtin(t->entry, t->candidate->implementation))
        return LE_OK;
    for (; status == LE_OK && i < OFTEN && goes_on(r, i, start); i++) {
        if (i == FILLED && t->alone)
            filled = in_use(t);
        status = run_once(t, r, i);
    }
    if (status != LE_OK || !t->alone || i < ENOUGH)
        return status;
    return in_use(t).bytes < filled.bytes + (size_t)(i - FILLED) * least_leak(t)
               ? LE_OK
               : look_for_leak(t, r);
}

/* What is told to end at once must leave all that the next run needs: locks, and what it keeps. */
static le_status end_early(trial *t, le__trial_result *r) {
    static const double at_once = 1e-9;
    if (!t->alone || !le__can_be_stopped(t->candidate) ||
        le__registry_is_builtin(t->entry, t->candidate->implementation))
        return LE_OK;
    t->call.stop_after = at_once;
    le_status status = le__execute(&t->call, t->candidate, LE__OUTPUTS_WALLED);
    t->call.stop_after = 0;
    if (status == LE_OK || t->call.stopped)
        status = le__guard_check(&t->call);
    return status == LE_OK ? run_once(t, r, OFTEN) : status;
}

static le_status run_candidate(trial *t, le__trial_result *r) {
    usage use[RUNS] = {0};
    le_status status = le__call_bind(&t->call, t->engine, t->entry, t->sample.args, t->sample.n);
    const char *why = "";
    if (status == LE_OK && !le__candidate_can(t->candidate, &t->call, &why)) {
        le__call_unbind(&t->call);
        return le_fail(LE_ERR_UNSUPPORTED, "the sample call is not for it: %s", why);
    }
    if (t->alone && t->candidate->device->kind == LE_DEVICE_CPU)
        make_copies(t);
    if (t->alone)
        le__surroundings_take(&t->before);
    for (int i = 0; status == LE_OK && i < RUNS; i++) {
        status = run_once(t, r, i);
        use[i] = t->alone ? in_use(t) : (usage){0};
    }
    const usage *first = &use[RUNS - 3], *last = &use[RUNS - 1];
    if (status == LE_OK && t->alone &&
        (last->bytes >= first->bytes + 2 * least_leak(t) || last->mapped > first->mapped ||
         last->objects > first->objects))
        status = look_for_leak(t, r);
    if (status == LE_OK)
        status = run_often(t, r);
    if (status == LE_OK)
        status = end_early(t, r);
    if (t->alone)
        le__pool_gather(t->engine->pool, false);
    if (status == LE_OK && t->alone)
        status = le__surroundings_check(&t->before, t->engine->pool,
                                        t->candidate->device->kind == LE_DEVICE_CPU);
    le__call_unbind(&t->call);
    return status;
}

static le_status make_sample(trial *t) {
    le_case_request request = {
        .kind = LE_CASE_TRIAL, .seed = t->engine->options.seed, .like = t->like};
    le_status status = le__case_make(&t->sample, t->entry->operation, &request);
    if (status != LE_OK)
        return status;
    status = run_reference(t);
    if (status != LE_OK)
        le__case_free(&t->sample);
    return status;
}

/* --- processes for trials --- */

void le__trial_limit_memory(void) {
    le__os_limit_memory(INT64_C(16) << 30);
}

/* --- touching a wall --- */

static le__trial_result *verdict_of_walls;
static _Atomic int *verdict_there;

static void add_text(char *to, size_t size, const char *text) {
    size_t n = strlen(to), m = strlen(text);
    memcpy(to + n, text, m < size - n - 1 ? m : size - n - 1);
}

/* A fault elsewhere ends the process as it would have without the handler. Of several threads at a
 * wall one speaks. */
static void on_fault(int number, siginfo_t *info, void *context) {
    static atomic_flag spoken = ATOMIC_FLAG_INIT;
    const char *name, *what = le__guard_fault_at(info->si_addr, &name);
    le__trial_result *r = verdict_of_walls;
    (void)context;
    if (!what) {
        signal(number, SIG_DFL);
        raise(number); /* delivered on return; some are sent, and would not come again */
        return;
    }
    while (atomic_flag_test_and_set(&spoken))
        pause();
    r->status = LE_ERR_CRASH;
    r->tested = true;
    memset(r->reason, 0, sizeof r->reason);
    add_text(r->reason, sizeof r->reason, what);
    add_text(r->reason, sizeof r->reason, " '");
    add_text(r->reason, sizeof r->reason, name);
    add_text(r->reason, sizeof r->reason, "'");
    *verdict_there = 1;
    _exit(0);
}

void le__trial_watch_walls(le__trial_result *result, _Atomic int *there) {
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    verdict_of_walls = result;
    verdict_there = there;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}

/* --- watching --- */

void le__trial_rest(le_engine *engine) {
    if (!LE__SANITIZED)
        return;
    engine->rest(engine);
    le__sanitizer_rest();
}

static double processor_seconds(pid_t pid) {
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return -1;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void le__trial_look(le__trial_watch *w, pid_t pid) {
    static const double least = 1e-3; /* threads that wait with a timeout use a little, too */
    double used = processor_seconds(pid);
    if (w->since > 0 && used >= 0 && used < w->last_s + least)
        return;
    w->last_s = used;
    w->since = le__now();
}

bool le__trial_idle(const le__trial_watch *w, double seconds) {
    return w->since > 0 && le__now() - w->since >= seconds;
}

/* What runs here has no tick: where it was cancelled, something has interrupted this program, and
 * ends the call, too. */
static void say(le__trial_result *r, le_status status, le__ticker *of_call) {
    if (status == LE_ERR_CANCELLED)
        le__ticker_finish(of_call);
    r->status = status;
    snprintf(r->reason, sizeof r->reason, "%s", status == LE_OK ? "" : le_error_message());
}

le__trial_sample *le__trial_sample_make(le_engine *engine, le__operation_entry *entry,
                                        const le__candidate *candidate, const le_call *like,
                                        le__trial_result *out) {
    trial *t = calloc(1, sizeof *t);
    *out = (le__trial_result){.status = LE_ERR_MEMORY, .reason = "out of memory", .pending = !t};
    if (!t)
        return NULL;
    t->engine = engine;
    t->entry = entry;
    t->candidate = candidate;
    t->like = like;
    le__ticker *ticker = le__ticker_set(NULL); /* nobody ends a trial: it would be a verdict */
    le_status status = make_sample(t);
    le__ticker_set(ticker);
    if (status == LE_OK)
        return t;
    say(out, status, ticker);
    free(t);
    return NULL;
}

void le__trial_sample_try(le__trial_sample *t, bool alone, le__trial_result *out) {
    t->alone = alone;
    *out = (le__trial_result){.tested = true};
    le__ticker *ticker = le__ticker_set(NULL);
    say(out, run_candidate(t, out), ticker);
    le__ticker_set(ticker);
}

const le_case *le__trial_sample_case(const le__trial_sample *t) {
    return &t->sample;
}

void le__trial_sample_free(le__trial_sample *t) {
    if (!t)
        return;
    le__call_unbind(&t->reference);
    le__case_free(&t->sample);
    free(t);
}

void le__trial_here(le_engine *engine, le__operation_entry *entry, const le__candidate *candidate,
                    const le_call *like, le__trial_result *out) {
    le__trial_sample *t = le__trial_sample_make(engine, entry, candidate, like, out);
    if (t)
        le__trial_sample_try(t, true, out);
    le__trial_sample_free(t);
}
