/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Steps of a chain as calls: what the chain asks of them, what they would take on each device, and
 * their answers. What is learnt of an operation serves its steps and its single calls.
 */
#include "chain/chain.h"

#include "call/engine.h"
#include "choose/refusal.h"
#include "core/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOWHERE = 1 << 30 }; /* no device has this number */

/* 0: any. */
static uint32_t places_wanted(const le_chain *c) {
    uint32_t places = 0;
    bool all = true;
    for (int i = 0; i < c->engine->n_devices; i++) {
        bool wanted = le__device_wanted(&c->engine->devices[i], &c->want);
        places |= (uint32_t)wanted << i;
        all = all && wanted;
    }
    if (all && !c->want.places)
        return 0;
    return places ? places : NOWHERE;
}

static void pass_on(le_chain *c, int step) {
    le_call *call = &c->steps[step]->call;
    le__constraint *w = &call->want;
    call->step = &le__step_placing;
    call->beside = c->beside;
    call->only_look = c->only_look;
    call->waited = c->waited;
    w->keep_on_device = true;
    w->mode = c->want.mode;
    w->reproducible = c->steps[step]->reproducible || c->want.reproducible;
    w->liked_run_type = c->want.run_type;
    w->liked_implementation = c->want.implementation;
    w->replayed = NULL;
}

void le__step_prepare(le_chain *c, int step) {
    pass_on(c, step);
    c->steps[step]->call.want.places = places_wanted(c);
}

le_status le__step_survey(le_chain *c, int step, le__survey *out) {
    le__dispatch *d = c->engine->dispatch;
    le_call *call = &c->steps[step]->call;
    le__slate slate = {0};
    *out = (le__survey){0};
    le__step_prepare(c, step);
    le__question *q;
    le_status status = le__dispatch_question(d, call, &q);
    if (status != LE_OK)
        return status;
    out->question = q->hash;
    status = le__dispatch_slate(d, q, call, &slate);
    le__policy_view *views = status == LE_OK ? le__dispatch_views(d, &slate, call) : NULL;
    for (size_t i = 0; views && i < slate.n; i++) {
        int k = slate.arms[i]->candidate.device->index;
        double seconds = views[i].seconds;
        if (out->on[k].possible && !(seconds < out->on[k].seconds))
            continue;
        out->on[k].possible = true;
        out->on[k].guessed = !(seconds > 0);
        out->on[k].seconds = seconds > 0 ? seconds : 1e-6;
        out->on[k].memory = (int64_t)slate.allowed[i].memory_bytes;
    }
    free(views);
    le__slate_free(&slate);
    le__question_release(q);
    return status;
}

/* That another device is asked for is said only when there is no other reason. */
le_status le__step_find_liked(le_chain *c, int step, bool *found, char why[256]) {
    le_call *call = &c->steps[step]->call;
    le__question *q;
    le__step_prepare(c, step);
    le__dispatch *d = c->engine->dispatch;
    le_status status = le__dispatch_question(d, call, &q);
    if (status != LE_OK)
        return status;
    le__slate slate = {0};
    status = le__dispatch_slate(d, q, call, &slate); /* which looks at those that are new */
    le__slate_free(&slate);
    pthread_mutex_lock(&q->op->mutex);
    for (size_t i = 0; status == LE_OK && i < q->n_arms && !*found; i++) {
        const le__arm *a = q->op->arms[i];
        const char *objection =
            le__arm_is_liked(&call->want, a) ? le__arm_objection(q, call, a) : "";
        *found = !objection;
        if (objection && *objection && (!*why || !le__candidate_is_unwanted(objection)))
            snprintf(why, 256, "%s: %s", a->candidate.implementation->name, objection);
    }
    if (status == LE_OK && !*found && !*why) {
        le__text text = le__text_in(why, 256);
        le__refusal_without_device(&text, q, call);
    }
    pthread_mutex_unlock(&q->op->mutex);
    le__question_release(q);
    return status;
}

le_status le__step_refusal(le_chain *c, int step) {
    le_call *call = &c->steps[step]->call;
    le__question *q;
    le__step_prepare(c, step);
    le_status status = le__dispatch_question(c->engine->dispatch, call, &q);
    if (status != LE_OK)
        return status;
    pthread_mutex_lock(&q->op->mutex);
    status = le__refusal(q, call);
    pthread_mutex_unlock(&q->op->mutex);
    le__question_release(q);
    return le_fail(status, "chain '%.64s', step %d: %s", c->name, step + 1, le_error_message());
}

/* --- which one runs now --- */

static void go_where_planned(le_chain *c, int step) {
    const le__planned *plan = &c->choices[step].plan;
    le__constraint *w = &c->steps[step]->call.want;
    pass_on(c, step);
    w->places = UINT32_C(1) << plan->device->index;
    w->replayed = plan->frozen[0] ? plan->frozen : NULL;
}

le_status le__step_foresee(le_chain *c, int step) {
    le__dispatch *d = c->engine->dispatch;
    le_call *call = &c->steps[step]->call;
    le__question *q;
    le__decision decision;
    go_where_planned(c, step);
    le_status status = le__dispatch_question(d, call, &q);
    if (status == LE_OK) {
        status = le__dispatch_decide(d, q, call, false, &decision);
        le__question_release(q);
    }
    c->choices[step].arm = status == LE_OK ? decision.arm : NULL;
    return status;
}

/* What is on trial is the chain: its steps run in plain C where they can, since each other
 * implementation has a trial of its own. */
static double trust(const le__candidate *c) {
    return le__arm_prior(c).speed + (strcmp(c->implementation->run_type, "c") == 0 ? 1e9 : 0);
}

le_status le__step_decide_simply(le_chain *c, int step) {
    le__chain_step *s = c->steps[step];
    le__step_choice *choice = &c->choices[step];
    le__candidate *list;
    size_t n;
    const char *why = "no device is left";
    double best = 0;
    le_status status = le__candidates_make(c->engine, s->entry, &list, &n);
    if (status != LE_OK)
        return status;
    le__step_prepare(c, step);
    for (size_t i = 0; i < n; i++) {
        double speed = trust(&list[i]);
        if (list[i].implementation->flags & LE_IMPL_LOSSY || speed <= best ||
            !le__candidate_applies(&list[i], &s->call, &why))
            continue;
        best = speed;
        list[0] = list[i]; /* which has been looked at */
    }
    free(choice->own);
    choice->own = list;
    choice->plan.device = n ? list[0].device : NULL;
    return best > 0 ? LE_OK
                    : le_fail(LE_ERR_NO_CANDIDATE, "%s: no candidate is left: %s",
                              s->entry->operation->name, why);
}

/* Seconds that a run lost because its candidate was only tried. */
static double lost(const le__answered *a, const le__run_stats *stats) {
    return le__why_is_trying(a->why) && a->best_seconds > 0
               ? fmax(stats->seconds - a->best_seconds, 0)
               : 0;
}

static le_status answer(le_chain *c, int step, le__answered *out) {
    le__dispatch *d = c->engine->dispatch;
    le_call *call = &c->steps[step]->call;
    go_where_planned(c, step);
    le_status status = le__dispatch_answer(d, call, out);
    if (status != LE_ERR_NO_CANDIDATE)
        return status;
    call->want.places = places_wanted(c);
    return le__dispatch_answer(d, call, out);
}

le_status le__step_answer(le_chain *c, int step, double *now) {
    le__step_choice *choice = &c->choices[step];
    le_call *call = &c->steps[step]->call;
    const le__run_stats *stats = &call->stats;
    le__answered answered = {0};
    double start = *now;
    le_status status = choice->own ? le__execute(call, choice->own, LE__OUTPUTS_IN_PLACE)
                                   : answer(c, step, &answered);
    *now = le__now();
    if (choice->own) {
        c->aside += stats->setup_seconds;
        return status;
    }
    c->waited = call->waited;
    choice->arm = status == LE_OK ? answered.arm : NULL;
    choice->why = status == LE_OK ? answered.why : LE__WHY_ONLY;
    if (status == LE_OK)
        c->aside += fmax(*now - start - stats->seconds, 0) + lost(&answered, stats);
    return status;
}
