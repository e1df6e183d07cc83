/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The candidates of a chain's steps: what they would take on each device, and which one runs now.
 *
 * A step's time is not that of a single call of its operation: its values may be on the device
 * already. So the policy keeps steps in families of their own ("operation/step"), whose times are
 * without transfers; for the CPU, where nothing moves, samples of single calls count as long as a
 * step has none.
 */
#include "chain/chain.h"

#include "core/clock.h"
#include "choose/dispatch.h"
#include "engine.h"
#include "proof/trial_server.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ballot { /* the candidates of one step, and what the policy thinks of them */
    le__question *question;
    int family, problem;
    le__policy_allowed *allowed;
    le__arm **arms;
    le__policy_view *views;
    size_t n;
} ballot;

static void free_ballot(ballot *b) {
    free(b->allowed);
    free(b->arms);
    free(b->views);
}

bool le__device_wanted(const le__device *d, const le__chain_want *want) {
    if (want->only)
        return (d == want->only || d == want->also) && le__device_matches(d, want->device);
    return le__device_matches(d, want->device);
}

void le__step_prepare(le__chain_step *s, const le__chain_want *want) {
    le__constraint *w = &s->call.want;
    s->call.step = true;
    s->call.beside = want->beside;
    s->call.cancelled = want->cancelled;
    w->keep_on_device = true;
    w->mode = want->mode;
    w->reproducible = w->reproducible || want->reproducible;
}

/* Forcing a run type or an implementation holds for the steps that have it. */
static bool forced_away(const le__candidate *c, const le__chain_want *want) {
    return (want->run_type && strcmp(want->run_type, c->implementation->run_type) != 0) ||
           (want->implementation && strcmp(want->implementation, c->implementation->name) != 0);
}

static void keep_forced(ballot *b, const le__chain_want *want) {
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++)
        n += !forced_away(&b->arms[i]->candidate, want);
    if (n == 0 || n == b->n)
        return;
    n = 0;
    for (size_t i = 0; i < b->n; i++)
        if (!forced_away(&b->arms[i]->candidate, want)) {
            b->arms[n] = b->arms[i];
            b->allowed[n++] = b->allowed[i];
        }
    b->n = n;
}

static void keep_wanted(ballot *b, const le__chain_want *want) {
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++)
        if (le__device_wanted(b->arms[i]->candidate.device, want)) {
            b->arms[n] = b->arms[i];
            b->allowed[n++] = b->allowed[i];
        }
    b->n = n;
}

/* Family, problem and candidates of steps in the policy; idempotent there. */
static void enter_policy(le__policy *policy, ballot *b, const le_call *call) {
    le__policy_features f = {.work = b->question->work.operations,
                             .bytes = b->question->work.bytes};
    b->family = le__step_family(policy, call->operation->name);
    b->problem = le__policy_add_problem(
        policy, b->family, XXH64(b->question->problem, strlen(b->question->problem), 0), &f);
    for (size_t i = 0; i < b->n; i++) {
        le__policy_candidate prior = le__arm_prior(&b->arms[i]->candidate);
        b->allowed[i].candidate =
            le__policy_add_candidate(policy, b->family, b->arms[i]->candidate.id, &prior);
    }
}

/* Single calls on the CPU tell about steps that have not run yet. */
static void use_single_calls(le__policy *policy, ballot *b) {
    le__policy_allowed *single = calloc(b->n + 1, sizeof *single);
    le__policy_view *views = calloc(b->n + 1, sizeof *views);
    for (size_t i = 0; single && i < b->n; i++)
        single[i] = (le__policy_allowed){.candidate = b->arms[i]->policy};
    le__policy_question q = {.family = b->question->op->family,
                             .problem = b->question->policy,
                             .allowed = single,
                             .n_allowed = b->n,
                             .now = le__now()};
    if (single && views && b->n)
        le__policy_explain(policy, &q, views);
    for (size_t i = 0; single && views && i < b->n; i++)
        if (b->views[i].samples <= 0 && views[i].samples > 0 &&
            b->arms[i]->candidate.device->kind == LE_DEVICE_CPU)
            b->views[i].seconds = views[i].seconds;
    free(single);
    free(views);
}

static le_status make_ballot(le_chain *c, int step, const le__chain_want *want, ballot *b) {
    le__dispatch *d = c->engine->dispatch;
    le_call *call = &c->steps[step]->call;
    *b = (ballot){0};
    le__step_prepare(c->steps[step], want);
    call->waited = c->waited;
    le_status status = le__dispatch_question(d, call, &b->question);
    if (status == LE_OK)
        status = le__dispatch_prepare(d, b->question, call);
    if (status != LE_OK)
        return status;
    pthread_mutex_lock(&b->question->op->mutex);
    size_t most = b->question->n_arms + 1;
    b->allowed = calloc(most, sizeof *b->allowed);
    b->arms = calloc(most, sizeof *b->arms);
    b->views = calloc(most, sizeof *b->views);
    if (b->allowed && b->arms && b->views)
        b->n = le__dispatch_allowed(b->question, call, b->allowed, b->arms);
    else
        status = le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", c->name);
    keep_wanted(b, want);
    keep_forced(b, want);
    b->n = le__dispatch_keep_safe(b->question, call, b->allowed, b->arms, b->n);
    pthread_mutex_unlock(&b->question->op->mutex);
    if (status != LE_OK)
        return status;
    if (call->want.reproducible)
        b->n = le__dispatch_same_bits(b->allowed, b->arms, b->n);
    enter_policy(d->policy, b, call);
    return LE_OK;
}

static le__policy_question question_of(const ballot *b, const le_call *call, bool may_explore) {
    return (le__policy_question){.family = b->family,
                                 .problem = b->problem,
                                 .allowed = b->allowed,
                                 .n_allowed = b->n,
                                 .objective = call->want.objective,
                                 .may_explore = may_explore,
                                 .now = le__now()};
}

/* --- what a step would take --- */

le_status le__step_survey(le_chain *c, int step, const le__chain_want *want, le__survey *out) {
    ballot b;
    le_call *call = &c->steps[step]->call;
    *out = (le__survey){0};
    le_status status = make_ballot(c, step, want, &b);
    out->question = b.question;
    if (status == LE_OK && b.n) {
        le__policy_question q = question_of(&b, call, false);
        le__policy_explain(c->engine->dispatch->policy, &q, b.views);
        use_single_calls(c->engine->dispatch->policy, &b);
    }
    for (size_t i = 0; status == LE_OK && i < b.n; i++) {
        int d = b.arms[i]->candidate.device->index;
        double seconds = b.views[i].seconds;
        if (out->on[d].possible && !(seconds < out->on[d].seconds))
            continue;
        out->on[d].possible = true;
        out->on[d].seconds = seconds > 0 ? seconds : 1e-6;
        out->on[d].memory = (int64_t)b.allowed[i].memory_bytes;
    }
    free_ballot(&b);
    return status;
}

/* --- which one runs now --- */

static void keep_device(ballot *b, const le__device *device) {
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++)
        n += b->arms[i]->candidate.device == device;
    if (n == 0)
        return;
    n = 0;
    for (size_t i = 0; i < b->n; i++)
        if (b->arms[i]->candidate.device == device) {
            b->arms[n] = b->arms[i];
            b->allowed[n++] = b->allowed[i];
        }
    b->n = n;
}

static void take(le__step_choice *choice, const ballot *b, const le__policy_decision *of) {
    choice->question = b->question;
    choice->arm = b->arms[of->index];
    choice->candidate = choice->arm->candidate;
    choice->family = b->family;
    choice->problem = b->problem;
    choice->policy = of->candidate;
    choice->why = of->why;
    choice->best_seconds = of->best_seconds;
    choice->cold = b->views[of->index].last_seen < 0;
}

static bool same_but_device(const char *a, const char *b) {
    size_t n = strcspn(a, "@");
    return n == strcspn(b, "@") && !strncmp(a, b, n) &&
           !strcmp(a + strcspn(a, "["), b + strcspn(b, "["));
}

/* The candidate of a stored plan that is replayed. */
static bool take_frozen(const ballot *b, const char *text, le__policy_decision *of) {
    for (size_t i = 0; *text && i < b->n; i++)
        if (same_but_device(b->arms[i]->candidate.text, text)) {
            *of = (le__policy_decision){
                .index = i, .candidate = b->allowed[i].candidate, .why = LE__WHY_EXPLOIT};
            return true;
        }
    return false;
}

/* All steps of a run share the time for which trials may delay it. */
static bool prove(le_chain *c, int step, le__question *q, le__arm *arm, double *spent) {
    le_call *call = &c->steps[step]->call;
    call->waited = c->waited;
    bool proven = le__dispatch_prove(c->engine->dispatch, q, call, arm, spent);
    c->waited = call->waited;
    return proven;
}

/* One candidate, proven; LE_ERR_WRONG_RESULT when its proof failed and another one may be tried. */
static le_status decide_once(le_chain *c, int step, const le__chain_want *want) {
    le__dispatch *d = c->engine->dispatch;
    le__step_choice *choice = &c->choices[step];
    le_call *call = &c->steps[step]->call;
    ballot b;
    le__policy_decision of;
    le_status status = make_ballot(c, step, want, &b);
    if (status == LE_OK && !b.n)
        status = le_fail(LE_ERR_NO_CANDIDATE, "%s: no candidate is left for this step",
                         call->operation->name);
    if (status == LE_OK) {
        keep_device(&b, choice->plan.device);
        le__policy_question q = question_of(
            &b, call, b.question->mode == LE_MODE_LEARN && !want->only_look && !want->beside);
        le__policy_explain(d->policy, &q, b.views);
        if (!take_frozen(&b, choice->plan.frozen, &of) &&
            le__policy_decide(d->policy, &q, &of) != 0)
            status =
                le_fail(LE_ERR_INTERNAL, "%s: the policy decided nothing", call->operation->name);
    }
    if (status == LE_OK) {
        take(choice, &b, &of);
        if (!want->only_look && !prove(c, step, b.question, choice->arm, &choice->spent)) {
            if (of.why == LE__WHY_EXPLORE || of.why == LE__WHY_PROBE)
                le__policy_cancel(d->policy, b.family);
            status = LE_ERR_WRONG_RESULT;
        }
    }
    free_ballot(&b);
    return status;
}

/* What is on trial is the chain: its steps run in plain C where they can, since each other
 * implementation has a trial of its own. */
static double trust(const le__candidate *c) {
    return le__arm_prior(c).speed + (strcmp(c->implementation->run_type, "c") == 0 ? 1e9 : 0);
}

/* In the child of a trial there is neither time nor memory for learning: the descriptors' own
 * speeds. */
static le_status decide_simply(le_chain *c, int step, const le__chain_want *want) {
    le__chain_step *s = c->steps[step];
    le__candidate *list;
    size_t n;
    const char *why = "no device is left";
    double best = 0;
    le_status status = le__candidates_make(c->engine, s->entry, &list, &n);
    if (status != LE_OK)
        return status;
    le__step_prepare(s, want);
    for (size_t i = 0; i < n; i++) {
        double speed = trust(&list[i]);
        if (!le__device_wanted(list[i].device, want) ||
            list[i].implementation->flags & LE_IMPL_LOSSY || speed <= best ||
            !le__candidate_applies(&list[i], &s->call, &why))
            continue;
        best = speed;
        c->choices[step].candidate = list[i];
        c->choices[step].plan.device = list[i].device;
    }
    free(list);
    return best > 0 ? LE_OK
                    : le_fail(LE_ERR_NO_CANDIDATE, "%s: no candidate is left: %s",
                              s->entry->operation->name, why);
}

le_status le__step_decide(le_chain *c, int step, const le__chain_want *want) {
    enum { MOST = 256 };
    le_status status = LE_ERR_WRONG_RESULT;
    c->choices[step].arm = NULL;
    c->choices[step].spent = 0;
    if (le__trial_is_child())
        return decide_simply(c, step, want);
    for (int i = 0; i < MOST && status == LE_ERR_WRONG_RESULT; i++)
        status = decide_once(c, step, want);
    return status;
}

le_status le__step_foresee(le_chain *c, int step, const le__chain_want *want) {
    c->choices[step].arm = NULL;
    return decide_once(c, step, want);
}

/* A run of a step for the database; stats without transfers. */
static void store_run(le_chain *c, int step, le__question *q, const le__arm *arm,
                      const le__run_stats *stats, const le__conditions *conditions, bool cold) {
    le__store *store = c->engine->dispatch->store;
    const char *operation = c->steps[step]->entry->operation->name;
    if (q->mode == LE_MODE_FROZEN)
        return;
    if (!atomic_load(&q->step_db)) {
        char text[sizeof q->problem + sizeof LE__STEP_SUFFIX];
        snprintf(text, sizeof text, "%s%s", q->problem, LE__STEP_SUFFIX);
        atomic_store(&q->step_db, le__store_problem(store, operation, text, &q->work));
    }
    le__observation o = {.stats = stats, .cold = cold, .conditions = *conditions};
    le__store_sample(store, atomic_load(&q->step_db), arm->db, &o);
}

/* --- racing, when the mode says to measure before answering --- */

static bool nothing_known(const ballot *b) {
    for (size_t i = 0; i < b->n; i++)
        if (b->views[i].samples > 0)
            return false;
    return b->n > 1;
}

static void race_one(le_chain *c, int step, const ballot *b, le__policy_race *race, size_t index,
                     le_status (*execute)(void *context, int step), void *context) {
    le__dispatch *d = c->engine->dispatch;
    le__step_choice *choice = &c->choices[step];
    const le__run_stats *stats = &c->steps[step]->call.stats;
    double spent = 0;
    choice->candidate = b->arms[index]->candidate;
    if (!prove(c, step, b->question, b->arms[index], &spent)) {
        le__policy_race_drop(race, index);
        return;
    }
    le_status status = execute(context, step);
    if (status != LE_OK) {
        le__dispatch_failed(d, b->question, b->arms[index], status);
        le__policy_race_drop(race, index);
        return;
    }
    le__conditions conditions = le__monitor_read(d->monitor, stats->ended);
    store_run(c, step, b->question, b->arms[index], stats, &conditions,
              b->views[index].last_seen < 0);
    le__policy_race_observe(race, index, stats->seconds,
                            stats->seconds + stats->setup_seconds + spent,
                            le__conditions_weight(&conditions), le__now());
}

le_status le__step_race(le_chain *c, int step, const le__chain_want *want,
                        le_status (*execute)(void *context, int step), void *context) {
    ballot b;
    le__dispatch *d = c->engine->dispatch;
    le_status status = make_ballot(c, step, want, &b);
    if (status == LE_OK && b.n) {
        keep_device(&b, c->choices[step].plan.device);
        le__policy_question q = question_of(&b, &c->steps[step]->call, false);
        le__policy_explain(d->policy, &q, b.views);
        le__policy_race *race = nothing_known(&b) ? le__policy_race_new(d->policy, &q) : NULL;
        size_t index;
        bool cold;
        while (race && le__policy_race_next(race, &index, &cold))
            race_one(c, step, &b, race, index, execute, context);
        if (race)
            le__policy_race_end(&race, le__now(), NULL);
    }
    free_ballot(&b);
    return status;
}

void le__step_observe(le_chain *c, int step, const le__chain_want *want) {
    const le__step_choice *choice = &c->choices[step];
    const le__run_stats *stats = &c->steps[step]->call.stats;
    le__dispatch *d = c->engine->dispatch;
    if (!choice->arm || want->beside)
        return;
    double moved = stats->bytes_to_device
                       ? le__transfer_seconds(c->engine, choice->candidate.device, true,
                                              stats->bytes_to_device, want->mode != LE_MODE_FROZEN)
                       : 0;
    double seconds = fmax(stats->seconds - moved, stats->seconds / 10);
    le__conditions conditions = le__monitor_read(d->monitor, stats->ended);
    le__policy_sample sample = {.family = choice->family,
                                .problem = choice->problem,
                                .candidate = choice->policy,
                                .why = choice->why,
                                .cold = choice->cold,
                                .n = 1,
                                .mean_log = log(fmax(seconds, 1e-9)),
                                .weight = le__conditions_weight(&conditions),
                                .seconds = stats->seconds + stats->setup_seconds + choice->spent,
                                .now = le__now()};
    le__policy_observe(d->policy, &sample);
    le__run_stats own = *stats;
    own.seconds = seconds;
    store_run(c, step, choice->question, choice->arm, &own, &conditions, choice->cold);
}

bool le__step_failed(le_chain *c, int step, le_status status) {
    const le__step_choice *choice = &c->choices[step];
    le__dispatch *d = c->engine->dispatch;
    if (!choice->arm)
        return false;
    if (choice->why == LE__WHY_EXPLORE || choice->why == LE__WHY_PROBE)
        le__policy_cancel(d->policy, choice->family);
    if (status == LE_ERR_DATA || status == LE_ERR_ARGUMENT || status == LE_ERR_SHAPE ||
        status == LE_ERR_DTYPE || status == LE_ERR_CANCELLED || status == LE_ERR_UNKNOWN ||
        status == LE_ERR_IO)
        return false;
    return le__dispatch_failed(d, choice->question, choice->arm, status);
}
