/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Where the trial of a candidate runs: in a child of this process, by the server of trials, or
 * here.
 */
#include "trial/trial.h"

#include "call/engine.h"
#include "call/guard.h"
#include "core/clock.h"
#include "core/os.h"
#include "core/sanitizer.h"
#include "core/tick.h"
#include "call/tensor.h"
#include "trial/child.h"
#include "trial/rehearse.h"
#include "trial/surroundings.h"
#include "numbers.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct trial {
    le_engine *engine;
    le__operation_entry *entry;
    const le__candidate *candidate;
    const le_call *like;
    le__trial_sample
        *sample; /* made here, since the reference cannot be run in a child; NULL: not */
} trial;

typedef struct shared {
    le__trial_result result;
    _Atomic int begun, done;
} shared;

static void begin_child(le_engine *engine, shared *s) {
    le__ticker_set(NULL);
    le__trial_limit_memory();
    le__trial_mark_child();
    /* ThreadSanitizer cannot start threads in the child of a process with threads. */
    int threads = LE__TSAN ? 1 : le__pool_max_threads(engine->pool);
    if (engine->in_child(engine, threads) != LE_OK)
        _exit(0);
    s->begun = 1;
    le__trial_watch_walls(&s->result, &s->done);
}

static void try_sample(void *context, le__trial_result *r) {
    const trial *t = context;
    if (t->sample)
        le__trial_sample_try(t->sample, true, r);
    else
        le__trial_here(t->engine, t->entry, t->candidate, t->like, r);
}

typedef struct patience {
    double start, limit_s, rest_s;
    double idle_s;  /* without use of the processor */
    double begin_s; /* for which it may begin before the limit runs */
} patience;

/* A child that rests for longer than it may is ended: false, and nothing is said. */
static bool wait_for_child(pid_t pid, shared *s, const patience *p, le__trial_result *r) {
    double pause = 5e-5, starved = 0, start = p->start;
    int state = 0;
    bool killed = false, cancelled = false, rested = false;
    le__trial_watch watch = {0};
    while (!le__trial_child_ended(pid, &state)) {
        starved = fmax(starved, le__os_starved(pid));
        le__trial_look(&watch, pid);
        double now = le__now();
        if (!s->begun && now - p->start < p->begin_s)
            start = now;
        bool late =
            now - start > p->limit_s + starved || le__trial_idle(&watch, p->idle_s + starved);
        cancelled = cancelled || !le__ticker_look(le__ticker_here(), NAN);
        rested = rested || (!killed && le__trial_idle(&watch, p->rest_s + starved));
        if (!killed && (late || cancelled || rested)) {
            r->idle = le__trial_idle(&watch, fmin(p->limit_s / 2, p->idle_s));
            kill(pid, SIGKILL);
            killed = true;
        }
        struct timespec nap = {0, (long)(pause * 1e9)};
        nanosleep(&nap, NULL);
        pause = pause < 1e-3 ? pause * 1.5 : 1e-3;
    }
    if (s->done) {
        *r = s->result; /* even when it was killed a moment later */
    } else if (cancelled) {
        r->status = LE_ERR_CANCELLED;
        snprintf(r->reason, sizeof r->reason, "cancelled by the caller's tick");
    } else if (rested) {
        return false;
    } else if (killed) {
        r->status = LE_ERR_TIMEOUT;
        le__number_print(r->reason, sizeof r->reason, "did not end within %g s", p->limit_s);
    } else {
        r->status = LE_ERR_CRASH;
        le__trial_child_tell_end(state, r->reason, sizeof r->reason);
    }
    r->starved = starved;
    return true;
}

typedef struct attempt {
    void (*run)(void *context, le__trial_result *r);
    void *context;
} attempt;

typedef struct child {
    le_engine *engine;
    shared *shared;
    attempt attempt;
} child;

static void live(void *context) {
    const child *c = context;
    begin_child(c->engine, c->shared);
    c->attempt.run(c->attempt.context, &c->shared->result);
    c->shared->done = 1;
}

/* Runs it in a child for so long; false: there can be none. */
static bool in_one_child(le_engine *engine, shared *s, const patience *p, attempt a,
                         le__trial_result *r, bool *ended) {
    child c = {engine, s, a};
    memset(s, 0, sizeof *s);
    le__trial_rest(engine);
    pid_t pid = le__options_fork(&engine->options);
    if (pid == 0)
        le__trial_child(live, &c);
    *ended = pid > 0 && wait_for_child(pid, s, p, r);
    return pid > 0;
}

/* The same. The allocators of sanitizers are not made ready for forks: a child may wait for ever
 * for a lock that another thread held. Another child then has its turn. */
static bool in_child(le_engine *engine, patience p, attempt a, le__trial_result *r, bool *begun) {
    static const double rest_s = 0.5;
    int more = LE__SANITIZED ? 3 : 0;
    p.start = le__now();
    shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool there = s != MAP_FAILED, ended = false;
    for (; there && !ended; more--) {
        p.rest_s = more > 0 ? rest_s : INFINITY;
        there = in_one_child(engine, s, &p, a, r, &ended);
    }
    if (s == MAP_FAILED)
        return false;
    *begun = s->begun;
    munmap(s, sizeof *s);
    return there;
}

static bool is_in_process(const trial *t) {
    return t->candidate->implementation->flags & LE_IMPL_IN_PROCESS;
}

static bool has_reference_in_process(const trial *t) {
    le__candidate reference;
    return le__reference_candidate(t->engine, t->entry, &reference) &&
           reference.implementation->flags & LE_IMPL_IN_PROCESS;
}

static const le__trial_result no_child = {.status = LE_ERR_MEMORY,
                                          .reason = "no child process could begin"};

/* What is killed before it had the time limit to itself has shown nothing, nor has a child that
 * could not begin. Without any nothing is tried: what was never run would run here. */
static void try_in_child(trial *t, double wait_s, le__trial_result *r) {
    double limit_s = fmin(wait_s, t->engine->options.trial_limit_s);
    bool begun;
    r->pending = limit_s <= 0;
    if (r->pending)
        return;
    if (has_reference_in_process(t)) {
        t->sample = le__trial_sample_make(t->engine, t->entry, t->candidate, t->like, r);
        if (!t->sample)
            return;
    }
    patience p = {.limit_s = limit_s, .idle_s = INFINITY};
    bool ran = in_child(t->engine, p, (attempt){try_sample, t}, r, &begun);
    le__trial_sample_free(t->sample);
    if (!ran) {
        *r = no_child;
        return;
    }
    bool cut_short = r->status == LE_ERR_TIMEOUT && limit_s < t->engine->options.trial_limit_s;
    r->pending = !begun || cut_short;
}

/* Whether children of this process may try something. */
static bool may_fork(const le_engine *e) {
    return e->trials == LE__TRIALS_DEFAULT || e->trials == LE__TRIALS_FORK;
}

typedef struct whole {
    const le__candidate *candidate;
    le_call call;
    le__surroundings before;
    uint64_t inputs[LE_MAX_ARGS]; /* hashes */
} whole;

static bool is_input(const le_call *call, size_t i) {
    return call->operation->args[i].type == LE_TYPE_IN && call->args[i].given;
}

/* What lies between its elements is not the call's. */
static uint64_t hash_input(const le_call *call, size_t i) {
    enum { BLOCK = 4096 };
    double room[2 * BLOCK]; /* of the largest elements, complex ones */
    const le_tensor *t = &call->args[i].tensor;
    const int64_t count = le_tensor_count(t);
    uint64_t hash = 0;
    for (int64_t at = 0, n; at < count; at += n) {
        n = le__tensor_is_contiguous(t) ? count : BLOCK < count - at ? BLOCK : count - at;
        hash = XXH64(le_tensor_elements(t, at, n, room), (size_t)n * le_dtype_size(t->dtype), hash);
    }
    return hash;
}

/* Where they are on the host, which only those that have a storage may have to be told. */
static le_status hash_inputs(whole *w) {
    le_status status = LE_OK;
    for (size_t i = 0; status == LE_OK && i < w->call.operation->n_args; i++) {
        if (!is_input(&w->call, i))
            continue;
        status = le__call_fetch(&w->call, &w->call.args[i].tensor);
        w->inputs[i] = status == LE_OK ? hash_input(&w->call, i) : 0;
    }
    return status;
}

static le_status check_inputs(const whole *w) {
    for (size_t i = 0; i < w->call.operation->n_args; i++)
        if (is_input(&w->call, i) && hash_input(&w->call, i) != w->inputs[i])
            return le_fail(LE_ERR_WRONG_RESULT, "wrote to the input '%s'",
                           w->call.operation->args[i].name);
    return LE_OK;
}

static void run_whole(void *context, le__trial_result *r) {
    whole *w = context;
    r->status = hash_inputs(w);
    le__surroundings_take(&w->before);
    double waited = le__os_waited();
    if (r->status == LE_OK)
        r->status = le__execute(&w->call, w->candidate, LE__OUTPUTS_WALLED);
    if (!le__os_mostly_waited(waited, w->call.stats.seconds))
        r->run_s = w->call.stats.seconds;
    if (r->status == LE_OK)
        r->status = le__guard_check(&w->call);
    if (r->status == LE_OK)
        r->status = check_inputs(w);
    if (r->status == LE_OK)
        r->status = le__surroundings_check(&w->before, w->call.engine->pool, true);
    snprintf(r->reason, sizeof r->reason, "%s", r->status == LE_OK ? "" : le_error_message());
}

bool le__trial_run(const le__candidate *c, const le_call *call, double limit_s, double idle_s,
                   le__trial_result *out) {
    *out = no_child;
    if (!may_fork(call->engine))
        return false;
    whole *w = malloc(sizeof *w);
    bool begun = false;
    if (!w)
        return true;
    w->candidate = c;
    w->call = *call;
    w->call.lean = true;
    w->call.stop_after = 0; /* the child has its own limit: being stopped would be its answer */
    patience p = {
        .limit_s = limit_s, .idle_s = idle_s, .begin_s = call->engine->options.trial_limit_s};
    bool ran = in_child(call->engine, p, (attempt){run_whole, w}, out, &begun);
    free(w);
    if (!ran || !begun)
        *out = no_child;
    return true;
}

static le__trial_server *helper_for(const le_engine *e, const le__operation_entry *entry,
                                    const le__candidate *c) {
    bool may = e->trials == LE__TRIALS_DEFAULT || e->trials == LE__TRIALS_SPAWN;
    return may && le__registry_is_builtin(entry, c->implementation) ? le__trial_helper_open()
                                                                    : NULL;
}

/* In another process; false: there is none for it. */
static bool try_elsewhere(trial *t, double wait_s, le__trial_result *r) {
    le_engine *e = t->engine;
    bool cpu = t->candidate->device->kind == LE_DEVICE_CPU;
    if (t->candidate->implementation->flags & LE_IMPL_REFERENCE || e->trials == LE__TRIALS_NONE ||
        is_in_process(t) || (!cpu && has_reference_in_process(t)))
        return false;
    le__trial_server *helper = t->like ? helper_for(e, t->entry, t->candidate) : NULL;
    if (helper && le__trial_server_try(helper, t->entry, t->candidate, t->like, NULL, wait_s, r))
        return true;
    if (!cpu)
        return le__trial_server_try(e->trial_server, t->entry, t->candidate, t->like, NULL, wait_s,
                                    r);
    if (!may_fork(e))
        return false;
    try_in_child(t, wait_s, r);
    return true;
}

/* Who can rehearse it; NULL: nobody, or there is no need to. */
static le__trial_server *stage_for(const trial *t) {
    const le_engine *e = t->engine;
    if (!t->like || !le__can_be_rehearsed(t->candidate) || e->trials == LE__TRIALS_NONE)
        return NULL;
    bool may = e->trials == LE__TRIALS_DEFAULT || e->trials == LE__TRIALS_SPAWN;
    le__trial_server *helper = may ? le__trial_helper_open() : NULL;
    return helper ? helper : e->trial_server;
}

/* In this process; a kernel only after it has been launched in another one. */
static void try_here(trial *t, le__trial_result *r) {
    t->sample = le__trial_sample_make(t->engine, t->entry, t->candidate, t->like, r);
    if (!t->sample)
        return;
    le__trial_server *stage = stage_for(t);
    if (!stage ||
        le__rehearse(stage, t->entry, t->candidate, t->like, le__trial_sample_case(t->sample), r))
        le__trial_sample_try(t->sample, false, r);
    le__trial_sample_free(t->sample);
}

le__late le__trial_look_late(const le_engine *engine, const le__operation_entry *entry,
                             const le__candidate *candidate, const le_call *like,
                             le__trial_result *out) {
    le__late late =
        le__trial_server_look(helper_for(engine, entry, candidate), candidate, like, out);
    return late == LE__LATE_UNKNOWN
               ? le__trial_server_look(engine->trial_server, candidate, like, out)
               : late;
}

bool le__trial_needs_fork(const le_engine *e) {
    if (!may_fork(e))
        return false;
    if (e->trials == LE__TRIALS_FORK || !le__trial_helper_open())
        return true;
    for (size_t i = 0; i < e->registry.n; i++)
        for (size_t k = 0; k < e->registry.entries[i]->n_implementations; k++) {
            const le_implementation *impl = e->registry.entries[i]->implementations[k];
            if (impl->device != LE_DEVICE_CPU && !(impl->flags & LE_IMPL_IN_PROCESS) &&
                !le__registry_is_builtin(e->registry.entries[i], impl))
                return true;
        }
    return false;
}

void le__trial(le_engine *engine, le__operation_entry *entry, const le__candidate *candidate,
               const le_call *like, double wait_s, le__trial_result *out) {
    trial t = {engine, entry, candidate, like, NULL};
    double start = le__now();
    *out = (le__trial_result){.status = LE_OK};
    if (!entry->operation->make_case)
        return;
    bool tried = try_elsewhere(&t, wait_s, out);
    if (!tried)
        try_here(&t, out);
    out->pending = out->pending || out->status == LE_ERR_CANCELLED;
    out->seconds = le__now() - start;
    le__log_write(&engine->log, LE_LOG_DEBUG,
                  "%s: trial of %s: %.3f s, %.3f s of them without a core", entry->operation->name,
                  candidate->text, out->seconds, out->starved);
}
