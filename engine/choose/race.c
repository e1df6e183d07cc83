/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Mode measure: a race between all candidates before the call is answered. The race is the
 * policy's; here are the runs.
 */
#include "choose/dispatch.h"

#include "core/clock.h"
#include "engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct field {
    le__policy_allowed *allowed;
    le__arm **arms;
    size_t n;
    bool whole; /* no trial was put off or goes on */
} field;

/* Somebody set a limit and it is reached: what is known answers, and no choice is kept. */
static bool is_late(const le__dispatch *d) {
    double until = d->engine->race_until;
    return until > 0 && le__now() > until;
}

static bool is_aside(le__question *q, const le__arm *arm) {
    pthread_mutex_lock(&q->op->mutex);
    bool aside = le__question_is_aside(q, arm);
    pthread_mutex_unlock(&q->op->mutex);
    return aside;
}

static bool nobody_aside(le__question *q) {
    pthread_mutex_lock(&q->op->mutex);
    bool nobody = q->n_aside == 0;
    pthread_mutex_unlock(&q->op->mutex);
    return nobody;
}

/* Everyone who may take part and is proven, or proves to be. */
static le_status line_up(le__dispatch *d, le__question *q, le_call *call, field *f) {
    le__op_state *s = q->op;
    pthread_mutex_lock(&s->mutex);
    f->allowed = calloc(s->n_arms + 1, sizeof *f->allowed);
    f->arms = calloc(s->n_arms + 1, sizeof *f->arms);
    size_t n = f->allowed && f->arms ? le__dispatch_allowed(q, call, f->allowed, f->arms) : 0;
    pthread_mutex_unlock(&s->mutex);
    f->whole = true;
    for (size_t i = 0; i < n && !(f->n && is_late(d)); i++) {
        double spent = 0;
        bool reference = f->arms[i]->candidate.implementation->flags & LE_IMPL_REFERENCE;
        if (reference && n > 1) /* nobody waits for the reference in every race */
            continue;
        if (!le__dispatch_prove(d, q, call, f->arms[i], &spent)) {
            f->whole = f->whole && !is_aside(q, f->arms[i]);
            continue;
        }
        f->allowed[f->n] = f->allowed[i];
        f->arms[f->n++] = f->arms[i];
    }
    return f->n ? LE_OK
                : le_fail(LE_ERR_NO_CANDIDATE, "%s: nothing to measure", call->operation->name);
}

/* Tunables and schedules change a time by less than this: when one variant of an implementation is
 * that much slower than the best so far, its other variants need no run. */
static const double hopeless_factor = 4;

typedef struct progress {
    double best;
    double *first; /* seconds by arm of the field; 0: not run */
} progress;

static bool is_hopeless(const field *f, const progress *p, size_t i) {
    if (p->first[i] > 0 || p->best <= 0)
        return false;
    const le__candidate *c = &f->arms[i]->candidate;
    double fastest = INFINITY;
    for (size_t k = 0; k < f->n; k++) {
        const le__candidate *other = &f->arms[k]->candidate;
        if (p->first[k] > 0 && other->implementation == c->implementation &&
            other->device == c->device)
            fastest = fmin(fastest, p->first[k] * other->threads / c->threads);
    }
    return isfinite(fastest) && fastest > hopeless_factor * p->best;
}

static void run_race(le__dispatch *d, le__question *q, le_call *call, field *f,
                     le__policy_race *race) {
    size_t i;
    bool cold;
    progress p = {.first = calloc(f->n + 1, sizeof *p.first)};
    while (p.first && !le_call_cancelled(call) && !is_late(d) &&
           le__policy_race_next(race, &i, &cold)) {
        double spent = 0;
        if (is_hopeless(f, &p, i)) {
            le__policy_race_drop(race, i);
            continue;
        }
        le_status status = le__dispatch_run_arm(d, q, call, f->arms[i], true, &spent);
        if (status != LE_OK) {
            le__policy_race_drop(race, i);
            le__dispatch_failed(d, q, f->arms[i], status);
            continue;
        }
        double seconds = call->stats.seconds;
        p.first[i] = p.first[i] > 0 ? fmin(p.first[i], seconds) : seconds;
        p.best = p.best > 0 ? fmin(p.best, seconds) : seconds;
        le__conditions conditions = le__monitor_read(d->monitor, call->stats.ended);
        le__policy_race_observe(race, i, seconds, seconds + call->stats.setup_seconds + spent,
                                le__conditions_weight(&conditions), le__now());
        le__observation o = {
            .stats = &call->stats, .cold = cold, .bench = true, .conditions = conditions};
        le__store_sample(d->store, q->db, f->arms[i]->db, &o);
    }
    free(p.first);
}

/* A winner among those who could be tried in time is good for later processes; in this one the race
 * is run again, with all. */
static void keep_winner(le__dispatch *d, le__question *q, const field *f,
                        const le__policy_race_result *r) {
    char evidence[160];
    const le__arm *arm = f->arms[r->index];
    snprintf(evidence, sizeof evidence,
             "{\"by\":\"race\",\"seconds\":%.9g,\"expected_regret\":%.3g,\"runs\":%u}", r->seconds,
             r->expected_regret, r->runs);
    pthread_mutex_lock(&q->op->mutex);
    if (f->whole || q->stored >= 0)
        q->stored = (int)arm->index;
    pthread_mutex_unlock(&q->op->mutex);
    le__store_keep_choice(d->store, q->db, arm->db, q->constraint, evidence);
}

typedef struct newcomers {
    le__policy_allowed *allowed;
    le__arm **arms;
    le__policy_view *views;
    size_t n;
} newcomers;

/* By what is known of its variants: none has run here, and the best of them may beat the choice. */
static bool is_new(const newcomers *c, size_t i, double to_beat) {
    const le__candidate *own = &c->arms[i]->candidate;
    double low = INFINITY;
    for (size_t k = 0; k < c->n; k++) {
        const le__candidate *other = &c->arms[k]->candidate;
        if (other->implementation != own->implementation || other->device != own->device)
            continue;
        if (c->views[k].samples > 0)
            return false;
        low = fmin(low, c->views[k].low);
    }
    return low < to_beat;
}

bool le__dispatch_has_newcomers(le__dispatch *d, le__question *q, le_call *call) {
    bool found = false;
    newcomers c = {0};
    if (le__dispatch_prepare(d, q, call) != LE_OK)
        return false;
    pthread_mutex_lock(&q->op->mutex);
    c.allowed = calloc(q->op->n_arms + 1, sizeof *c.allowed);
    c.arms = calloc(q->op->n_arms + 1, sizeof *c.arms);
    c.views = calloc(q->op->n_arms + 1, sizeof *c.views);
    if (c.allowed && c.arms && c.views)
        c.n = le__dispatch_allowed(q, call, c.allowed, c.arms);
    pthread_mutex_unlock(&q->op->mutex);
    le__policy_question question = {.family = q->op->family,
                                    .problem = q->policy,
                                    .allowed = c.allowed,
                                    .n_allowed = c.n,
                                    .now = le__now()};
    if (c.n)
        le__policy_explain(d->policy, &question, c.views);
    double to_beat = INFINITY;
    for (size_t i = 0; i < c.n; i++)
        if ((int)c.arms[i]->index == q->stored && c.views[i].high > 0)
            to_beat = c.views[i].high;
    for (size_t i = 0; i < c.n && !found; i++)
        found = !(c.arms[i]->candidate.implementation->flags & LE_IMPL_REFERENCE) &&
                is_new(&c, i, to_beat);
    free(c.allowed);
    free(c.arms);
    free(c.views);
    return found;
}

static le_status measure(le__dispatch *d, le__question *q, le_call *call) {
    field f = {0};
    double start = le__now();
    bool beside = q->stored >= 0;
    if (beside && !le__dispatch_has_newcomers(d, q, call)) {
        q->measured = nobody_aside(q);
        return LE_OK;
    }
    le_status status = le__dispatch_prepare(d, q, call);
    if (status == LE_OK)
        status = line_up(d, q, call, &f);
    le__policy_question question = {.family = q->op->family,
                                    .problem = q->policy,
                                    .allowed = f.allowed,
                                    .n_allowed = f.n,
                                    .objective = call->want.objective,
                                    .keep_known = beside,
                                    .now = start};
    le__policy_race *race = status == LE_OK ? le__policy_race_new(d->policy, &question) : NULL;
    le__policy_race_result r = {0};
    if (race) {
        run_race(d, q, call, &f, race);
        bool whole = !is_late(d);
        bool news = le__policy_race_end(&race, le__now(), &r) && (r.runs > 0 || !beside);
        if (news && r.storable && whole)
            keep_winner(d, q, &f, &r);
        q->measured = whole && f.whole && nobody_aside(q);
    }
    le__store_account(d->store, call->operation->name, 0, le__now() - start, 0);
    free(f.allowed);
    free(f.arms);
    return status;
}

le_status le__dispatch_race(le__dispatch *d, le__question *q, le_call *call) {
    le_status status = LE_OK;
    pthread_mutex_lock(&q->race);
    if (!q->measured)
        status = measure(d, q, call);
    pthread_mutex_unlock(&q->race);
    return status;
}
