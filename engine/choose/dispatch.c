/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Dispatch: the known choice without a lock, everything else step by step.
 */
#include "choose/dispatch.h"

#include "core/clock.h"
#include "core/text.h"
#include "engine.h"
#include "proof/trial.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ATTEMPTS = 256 };
static const double discover_after_s =
    2; /* answered by an operation before learning opens OpenCL */

/* ------------------------------------------------------------------------------ states ------- */

static le_status state_of(le__dispatch *d, le__operation_entry *entry, le__op_state **out) {
    le_status status = LE_OK;
    pthread_mutex_lock(&d->mutex);
    if (entry->id >= d->n_states) {
        size_t n = entry->id + 16u;
        void *states = realloc(d->states, n * sizeof *d->states);
        if (states) {
            d->states = states;
            memset(d->states + d->n_states, 0, (n - d->n_states) * sizeof *d->states);
            d->n_states = n;
        }
    }
    le__op_state *s = entry->id < d->n_states ? d->states[entry->id] : NULL;
    if (!s && entry->id < d->n_states && (s = calloc(1, sizeof *s))) {
        s->entry = entry;
        s->n_devices = -1;
        s->family = le__policy_family(
            d->policy, XXH64(entry->operation->name, strlen(entry->operation->name), 0));
        pthread_mutex_init(&s->mutex, NULL);
        d->states[entry->id] = s;
    }
    if (!s)
        status = le_fail(LE_ERR_MEMORY, "%s: out of memory", entry->operation->name);
    pthread_mutex_unlock(&d->mutex);
    *out = s;
    return status;
}

/* Arms for the devices known now, and what the database knows of them. Mutex of the state held. */
static le_status refresh(le__dispatch *d, le__op_state *s) {
    le_status status = le__op_state_update(s, d->engine, d->policy, d->store);
    if (status == LE_OK && !s->loaded) {
        le__store_load(d->store, s, d->policy);
        s->loaded = true;
    }
    return status;
}

/* --------------------------------------------------------------------------- questions ------- */

static void ask_arms(le__question *q, const le_call *call) {
    le__op_state *s = q->op;
    const char **left_out = realloc(q->left_out, (s->n_arms + 1) * sizeof *left_out);
    if (!left_out)
        return;
    q->left_out = left_out;
    uint64_t *seen = realloc(q->seen, (s->n_arms / 64 + 1) * sizeof *seen);
    if (!seen)
        return;
    for (size_t i = q->n_arms ? (q->n_arms - 1) / 64 + 1 : 0; i < s->n_arms / 64 + 1; i++)
        seen[i] = 0;
    q->seen = seen;
    for (size_t i = q->n_arms; i < s->n_arms; i++) {
        const char *why = NULL;
        left_out[i] = le__candidate_applies(&s->arms[i]->candidate, call, &why) ? NULL : why;
    }
    q->n_arms = s->n_arms;
}

static le__question *new_question(le__dispatch *d, le_call *call, le__op_state *s, uint64_t hash) {
    le__question *q = aligned_alloc(64, sizeof *q); /* stripes are cache lines */
    if (!q)
        return NULL;
    memset(q, 0, sizeof *q);
    const le_operation *op = call->operation;
    q->hash = hash;
    q->op = s;
    q->stored = -1;
    pthread_mutex_init(&q->race, NULL);
    q->mode = call->want.mode ? call->want.mode : d->engine->options.mode;
    le__problem_text(call, q->problem, sizeof q->problem);
    le__problem_kind(call, q->kind, sizeof q->kind);
    le__constraint_text(call, q->constraint, sizeof q->constraint);
    op->work(call, &q->work);
    q->size_class = le__size_class(q->work.operations);
    le__policy_features f = {.work = q->work.operations, .bytes = q->work.bytes};
    q->policy =
        le__policy_add_problem(d->policy, s->family, XXH64(q->problem, strlen(q->problem), 0), &f);
    q->db = le__store_problem(d->store, op->name, q->problem, &q->work);
    return q;
}

static le_status make_question(le__dispatch *d, le_call *call, uint64_t hash, le__question **out) {
    le__op_state *s;
    le_status status = state_of(d, call->entry, &s);
    if (status != LE_OK)
        return status;
    pthread_mutex_lock(&s->mutex);
    status = refresh(d, s);
    le__question *made = status == LE_OK ? new_question(d, call, s, hash) : NULL;
    le__arm *stored;
    if (made && le__store_choice(s, made->db, made->constraint, &stored)) {
        le__policy_set_incumbent(d->policy, s->family, made->policy, stored->policy);
        made->stored = (int)stored->index;
    }
    pthread_mutex_unlock(&s->mutex);
    if (!made)
        return status != LE_OK ? status
                               : le_fail(LE_ERR_MEMORY, "%s: out of memory", call->operation->name);
    status = le__questions_add(d->questions, made, out);
    if (status != LE_OK || *out != made)
        le__question_free(made);
    return status;
}

le_status le__dispatch_question(le__dispatch *d, le_call *call, le__question **out) {
    uint64_t hash = le__problem_hash(call);
    *out = le__questions_find(d->questions, hash);
    return *out ? LE_OK : make_question(d, call, hash, out);
}

static double threads_used(const le__candidate *c) {
    return c->device->kind == LE_DEVICE_CPU ? c->threads : 0.1;
}

static double claim(const le__arm *a) {
    return a->candidate.implementation->flags & LE_IMPL_LOSSY
               ? 0 /* whether it is allowed hangs on what has been measured */
               : le__arm_prior(&a->candidate).speed;
}

size_t le__dispatch_same_bits(le__policy_allowed *allowed, le__arm **arms, size_t n) {
    size_t best = 0, kept = 0;
    for (size_t i = 1; i < n; i++)
        if (claim(arms[i]) > claim(arms[best]))
            best = i;
    const le__proof *proof = n ? arms[best]->proof : NULL;
    for (size_t i = 0; i < n; i++)
        if (arms[i]->proof == proof) {
            allowed[kept] = allowed[i];
            arms[kept++] = arms[i];
        }
    return kept;
}

/* Schedules of the same code with the same threads. */
static uint64_t kin_of(const le__arm *a) {
    return ((uint64_t)(uintptr_t)a->proof << 13) + (uint64_t)a->candidate.threads;
}

size_t le__dispatch_allowed(const le__question *q, const le_call *call, le__policy_allowed *allowed,
                            le__arm **arms) {
    size_t n = 0;
    for (size_t i = 0; i < q->n_arms; i++) {
        le__arm *a = q->op->arms[i];
        if (q->left_out[i] || atomic_load(&a->candidate.device->lost) ||
            le__proof_objection(a->proof, q->kind, q->size_class, call->want.atol, call->want.rtol))
            continue;
        le__verdict *v = le__proof_find(a->proof, q->kind, LE__CLASS_TRIAL);
        bool proven = v && v->state == LE__PROVEN;
        const le_implementation *impl = a->candidate.implementation;
        if (!proven && impl->flags & LE_IMPL_LOSSY && q->mode != LE_MODE_MEASURE &&
            !call->want.implementation)
            continue; /* its error is unknown: only benchmarks pay for finding out */
        allowed[n] =
            (le__policy_allowed){.candidate = a->policy,
                                 .memory_bytes = impl->memory ? (double)impl->memory(call) : 0,
                                 .cpu_factor = threads_used(&a->candidate),
                                 .kin = kin_of(a)};
        arms[n++] = a;
    }
    /* a step's are narrowed by the chain first */
    return call->want.reproducible && !call->step ? le__dispatch_same_bits(allowed, arms, n) : n;
}

static bool names_nobody(const le__question *q, const char *implementation) {
    for (size_t i = 0; i < q->n_arms; i++)
        if (le__candidate_is_named(&q->op->arms[i]->candidate, implementation))
            return false;
    return true;
}

static le_status no_candidate(const le__question *q, const le_call *call) {
    char buffer[700];
    le__text text = le__text_in(buffer, sizeof buffer);
    const char *forced = le__candidate_forced(call);
    bool unknown = forced && names_nobody(q, forced);
    for (size_t i = 0; i < q->n_arms; i++) {
        const le__arm *a = q->op->arms[i];
        const char *why = q->left_out[i] ? q->left_out[i]
                                         : le__proof_objection(a->proof, q->kind, q->size_class,
                                                               call->want.atol, call->want.rtol);
        if (i && a->proof == q->op->arms[i - 1]->proof)
            continue;
        le__text_add(&text, "%s%s", text.n == 0 ? "" : unknown ? ", " : "; ",
                     a->candidate.implementation->name);
        if (!unknown)
            le__text_add(&text, ": %s", why ? why : "unproven");
    }
    if (unknown)
        return le_fail(LE_ERR_NO_CANDIDATE, "%s has no implementation '%.128s' here; it has %s",
                       call->operation->name, forced, buffer);
    return le_fail(LE_ERR_NO_CANDIDATE, "%s: no candidate is left (%s)", call->operation->name,
                   buffer);
}

/* ---------------------------------------------------------------------------- deciding ------- */

static bool has_opencl(const le__operation_entry *e) {
    for (size_t i = 0; i < e->n_implementations; i++)
        if (e->implementations[i]->device == LE_DEVICE_OPENCL)
            return true;
    return false;
}

static bool names_opencl(const char *device) {
    return device && *device && strcmp(device, "cpu") != 0 && strcmp(device, "all") != 0;
}

/* Without one of these the only OpenCL devices can be the CPU's own cores, for which native code is
 * there: not worth opening unasked. */
static bool may_have_gpu(void) {
    static const char *const nodes[] = {"/dev/nvidia0", "/dev/dri/renderD128", "/dev/kfd",
                                        "/dev/dxg", "/dev/mali0"};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        if (access(nodes[i], F_OK) == 0)
            return true;
    return false;
}

/* Opening OpenCL takes tenths of a second and tens of MiB: benchmarks do it, calls that ask for it,
 * and learning once the operation has cost a multiple of that. */
static bool wants_opencl(le__dispatch *d, const le__question *q, const le_call *call) {
    const le_engine *e = d->engine;
    if (e->discovered || !has_opencl(call->entry))
        return false;
    if (names_opencl(call->want.device) || names_opencl(e->options.devices) ||
        q->mode == LE_MODE_MEASURE)
        return true;
    if (q->mode != LE_MODE_LEARN || e->options.explore_share <= 0 || !may_have_gpu())
        return false;
    le__policy_account account = {0};
    le__policy_get_account(d->policy, q->op->family, &account);
    return account.answered + le__store_answered(d->store, q->op) > discover_after_s;
}

static void report_bulk(le__dispatch *d, le__question *q) {
    le__arm *arm = atomic_load(&q->known);
    le__bulk b = le__question_take(q);
    if (!arm || b.n <= 0)
        return;
    le__policy_sample sample = {.family = q->op->family,
                                .problem = q->policy,
                                .candidate = arm->policy,
                                .why = LE__WHY_EXPLOIT,
                                .n = (uint32_t)b.n,
                                .mean_log = b.mean_log,
                                .m2_log = b.m2_log,
                                .seconds = b.seconds,
                                .weight = 1,
                                .now = le__now()};
    le__policy_observe(d->policy, &sample);
    if (q->mode != LE_MODE_FROZEN) {
        le__store_bulk(d->store, q->db, arm->db, &b);
        le__store_account(d->store, q->op->entry->operation->name, b.seconds, 0, b.n);
    }
}

/* What the question may choose from now, and the policy's decision. */
typedef struct decision {
    le__policy_allowed *allowed;
    le__arm **arms;
    size_t n;
    le__policy_decision of;
    le__arm *arm;
} decision;

static void drop_decision(decision *c) {
    free(c->allowed);
    free(c->arms);
}

le_status le__dispatch_prepare(le__dispatch *d, le__question *q, le_call *call) {
    if (wants_opencl(d, q, call))
        le__engine_discover(d->engine);
    pthread_mutex_lock(&q->op->mutex);
    le_status status = refresh(d, q->op);
    ask_arms(q, call);
    le__dispatch_settle(d, q, call);
    pthread_mutex_unlock(&q->op->mutex);
    return status;
}

static le_status list_allowed(le__dispatch *d, le__question *q, le_call *call, decision *c) {
    le__op_state *s = q->op;
    *c = (decision){0};
    le_status status = le__dispatch_prepare(d, q, call);
    pthread_mutex_lock(&s->mutex);
    c->allowed = calloc(s->n_arms + 1, sizeof *c->allowed);
    c->arms = calloc(s->n_arms + 1, sizeof *c->arms);
    if (!c->allowed || !c->arms)
        status = le_fail(LE_ERR_MEMORY, "%s: out of memory", call->operation->name);
    if (status == LE_OK)
        c->n = le__dispatch_allowed(q, call, c->allowed, c->arms);
    c->n = le__dispatch_keep_safe(q, call, c->allowed, c->arms, c->n);
    if (status == LE_OK && !c->n)
        status = no_candidate(q, call);
    pthread_mutex_unlock(&s->mutex);
    return status;
}

static le_status decide(le__dispatch *d, le__question *q, le_call *call, decision *c) {
    le_status status = list_allowed(d, q, call, c);
    if (status == LE_ERR_NO_CANDIDATE && !d->engine->discovered && has_opencl(call->entry)) {
        drop_decision(c);
        le__engine_discover(d->engine);
        status = list_allowed(d, q, call, c);
    }
    if (status != LE_OK)
        return status;
    le__policy_question question = {.family = q->op->family,
                                    .problem = q->policy,
                                    .allowed = c->allowed,
                                    .n_allowed = c->n,
                                    .objective = call->want.objective,
                                    .may_explore = q->mode == LE_MODE_LEARN,
                                    .now = le__now()};
    if (le__policy_decide(d->policy, &question, &c->of) != 0)
        return le_fail(LE_ERR_INTERNAL, "%s: the policy decided nothing", call->operation->name);
    c->arm = c->arms[c->of.index];
    if (q->mode == LE_MODE_FROZEN && q->stored >= 0)
        for (size_t i = 0; i < c->n; i++)
            if (c->arms[i]->index == (uint32_t)q->stored)
                c->arm = c->arms[i];
    return LE_OK;
}

/* ---------------------------------------------------------------------------- observing ------ */

static bool first_time(le__question *q, const le__arm *arm) {
    uint64_t bit = UINT64_C(1) << (arm->index % 64);
    pthread_mutex_lock(&q->op->mutex);
    bool first = !(q->seen[arm->index / 64] & bit);
    q->seen[arm->index / 64] |= bit;
    pthread_mutex_unlock(&q->op->mutex);
    return first;
}

void le__dispatch_observe(le__dispatch *d, le__question *q, le__arm *arm, const le_call *call,
                          le__why why, double spent) {
    double seconds = call->stats.seconds;
    le__conditions conditions = le__monitor_read(d->monitor, call->stats.ended);
    bool cold = first_time(q, arm), explored = why == LE__WHY_EXPLORE || why == LE__WHY_PROBE;
    le__policy_sample sample = {.family = q->op->family,
                                .problem = q->policy,
                                .candidate = arm->policy,
                                .why = why,
                                .cold = cold,
                                .n = 1,
                                .mean_log = log(fmax(seconds, 1e-9)),
                                .weight = le__conditions_weight(&conditions),
                                .seconds = seconds + call->stats.setup_seconds + spent,
                                .now = le__now()};
    le__policy_observe(d->policy, &sample);
    if (q->mode == LE_MODE_FROZEN)
        return;
    le__observation o = {.stats = &call->stats, .cold = cold, .conditions = conditions};
    le__store_sample(d->store, q->db, arm->db, &o);
    double own = seconds + call->stats.setup_seconds;
    le__store_account(d->store, call->operation->name, explored ? 0 : own,
                      spent + (explored ? own : 0), 1);
}

static void keep_known(le__dispatch *d, le__question *q, const decision *c) {
    if (c->of.why != LE__WHY_EXPLOIT && c->of.why != LE__WHY_ONLY)
        return;
    le__question_keep(q, c->arm, c->of.reuse_calls, c->of.reuse_until, c->of.alarm_seconds);
    if (q->mode != LE_MODE_LEARN ||
        le__policy_incumbent(d->policy, q->op->family, q->policy) != c->arm->policy)
        return;
    pthread_mutex_lock(&q->op->mutex);
    bool changed = q->stored != (int)c->arm->index;
    q->stored = (int)c->arm->index;
    pthread_mutex_unlock(&q->op->mutex);
    if (changed)
        le__store_keep_choice(d->store, q->db, c->arm->db, q->constraint, "{\"by\":\"learn\"}");
}

/* ----------------------------------------------------------------------------- answering ----- */

/* The caller's own mistakes, and what no other candidate would do better. */
static bool is_callers(le_status status) {
    return status == LE_ERR_DATA || status == LE_ERR_ARGUMENT || status == LE_ERR_SHAPE ||
           status == LE_ERR_DTYPE || status == LE_ERR_CANCELLED || status == LE_ERR_UNKNOWN ||
           status == LE_ERR_IO;
}

static le_status answer_slowly(le__dispatch *d, le__question *q, le_call *call) {
    le_status status = LE_ERR_NO_CANDIDATE;
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        decision c;
        double spent = 0;
        report_bulk(d, q);
        status = decide(d, q, call, &c);
        if (status != LE_OK) {
            drop_decision(&c);
            return status;
        }
        bool ready = le__dispatch_prove(d, q, call, c.arm, &spent);
        if (ready)
            status = le__dispatch_run_arm(d, q, call, c.arm, false, &spent);
        if (ready && status == LE_OK) {
            le__dispatch_observe(d, q, c.arm, call, c.of.why, spent);
            keep_known(d, q, &c);
            le__last_run_set(call, c.arm, c.of.why, spent > 0);
            drop_decision(&c);
            return LE_OK;
        }
        if (c.of.why == LE__WHY_EXPLORE || c.of.why == LE__WHY_PROBE)
            le__policy_cancel(d->policy, q->op->family);
        le__arm *arm = c.arm;
        drop_decision(&c);
        if (ready && (is_callers(status) || !le__dispatch_failed(d, q, arm, status)))
            return status;
    }
    return status;
}

static le_status answer_by_known(le__question *q, le_call *call, le__arm *arm) {
    le_status status = le__execute(call, &arm->candidate, LE__OUTPUTS_IN_PLACE);
    if (status != LE_OK)
        return status;
    le__question_count(q, call->stats.seconds, call->stats.ended);
    le__last_run_set(call, arm, LE__WHY_EXPLOIT, 0);
    return LE_OK;
}

le_status le__dispatch_answer(le__dispatch *d, le_call *call) {
    le__question *q;
    le_status status = le__dispatch_question(d, call, &q);
    if (status != LE_OK)
        return status;
    le__arm *arm = le__question_known(q);
    if (arm) {
        status = answer_by_known(q, call, arm);
        if (status == LE_OK || is_callers(status) || !le__dispatch_failed(d, q, arm, status))
            return status;
        le__question_forget(q);
    }
    if (q->mode == LE_MODE_MEASURE && !q->measured)
        le__dispatch_race(d, q, call); /* whatever comes of it, the call is answered */
    return answer_slowly(d, q, call);
}

le_status le_call_run(le_engine *engine, const char *operation, const le_arg *args, size_t n_args) {
    engine = le__engine_or_default(engine);
    if (!engine)
        return LE_ERR_MEMORY;
    le__operation_entry *entry = operation ? le__registry_find(&engine->registry, operation) : NULL;
    if (!entry) {
        const char *near = operation ? le__registry_nearest(&engine->registry, operation) : NULL;
        return le_fail(LE_ERR_UNKNOWN, "there is no operation '%s'%s%s%s",
                       operation ? operation : "(null)", near ? " (did you mean '" : "",
                       near ? near : "", near ? "'?)" : "");
    }
    le_call call;
    le_status status = le__call_bind(&call, engine, entry, args, n_args);
    if (status != LE_OK)
        return status;
    status = le__dispatch_answer(engine->dispatch, &call);
    if (status == LE_OK)
        status = le__call_commit(&call);
    le__call_unbind(&call);
    return status;
}

/* ------------------------------------------------------------------------- open and close ---- */

static void flush_question(le__question *q, void *context) {
    report_bulk(context, q);
}

le_status le__dispatch_open(le__dispatch **out, le_engine *engine) {
    le__dispatch *d = calloc(1, sizeof *d);
    if (!d)
        return le_fail(LE_ERR_MEMORY, "le_open: out of memory");
    d->engine = engine;
    pthread_mutex_init(&d->mutex, NULL);
    *out = d;
    le__policy_options o = {
        .explore_share = engine->options.explore_share > 0 ? engine->options.explore_share : -1,
        .seed = engine->options.seed};
    d->policy = le__policy_new(&o);
    if (!d->policy)
        return le_fail(LE_ERR_MEMORY, "le_open: out of memory");
    le_status status = le__questions_open(&d->questions);
    if (status == LE_OK)
        status = le__monitor_open(&d->monitor);
    return status == LE_OK ? le__store_open(&d->store, engine) : status;
}

/* Which choices were wrong shows when all has been seen. */
static void store_regrets(le__dispatch *d) {
    for (size_t i = 0; d->engine->options.mode != LE_MODE_FROZEN && i < d->n_states; i++) {
        le__policy_account account = {0};
        if (!d->states[i])
            continue;
        le__policy_get_account(d->policy, d->states[i]->family, &account);
        if (account.choice_regret > 0)
            le__store_regret(d->store, d->states[i]->entry->operation->name, account.choice_regret);
    }
}

void le__dispatch_close(le__dispatch *d) {
    if (!d)
        return;
    if (d->questions && d->store) {
        le__questions_each(d->questions, flush_question, d);
        store_regrets(d);
    }
    le__store_close(d->store);
    le__monitor_close(d->monitor);
    le__questions_close(d->questions);
    for (size_t i = 0; i < d->n_states; i++)
        le__op_state_free(d->states[i]);
    free(d->states);
    le__policy_free(&d->policy);
    pthread_mutex_destroy(&d->mutex);
    free(d);
}
