/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Dispatch: the known choice without a lock, everything else step by step.
 */
#include "choose/dispatch.h"

#include "core/clock.h"
#include "core/thread_local.h"
#include "core/tick.h"
#include "call/engine.h"
#include "choose/compare.h"
#include "choose/observe.h"
#include "choose/refusal.h"
#include "choose/verdicts.h"
#include "trial/discover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ATTEMPTS = 256 }; /* of a call; waiting for a trial is none */
/* A run that was to be stopped did not hear of it: it took so many times as long, and so much
 * longer, for a short one may have been kept from the processor. */
static const double deaf_after = 2, deaf_s = 0.02;
static const double race_s = 0.1; /* of a candidate's runs in a race of short ones */

/* --- deciding --- */

le_status le__dispatch_slate(le__dispatch *d, le__question *q, le_call *call, le__slate *out) {
    le_status status = le__dispatch_prepare(d, q, call);
    *out = (le__slate){.question = q};
    pthread_mutex_lock(&q->op->mutex);
    le__question_forgive_short(q, le__now());
    if (status == LE_OK)
        status = le__slate_make(q, call, out);
    pthread_mutex_unlock(&q->op->mutex);
    return status;
}

le__policy_view *le__dispatch_views(le__dispatch *d, const le__slate *slate, const le_call *call) {
    le__policy_view *views = slate->n ? calloc(slate->n, sizeof *views) : NULL;
    le__policy_question question = le__slate_question(slate, call, false);
    if (views)
        le__policy_explain(d->policy, &question, views);
    return views;
}

/* Where there is nobody but those whose trials are under way, begun by a call that did not wait or
 * was ended, one of them is waited for. Mutex of the operation held. */
static bool bring_one_back(le__question *q, const le_call *call) {
    for (size_t i = 0; q->n_aside > 0 && i < q->n_arms; i++) {
        le__arm *arm = q->op->arms[i];
        if (!le__question_is_aside(q, arm))
            continue;
        le__question_bring_back(q, arm->proof);
        if (!le__arm_objection(q, call, arm))
            return true;
        le__question_set_aside(q, arm->proof);
    }
    return false;
}

static le_status list_slate(le__dispatch *d, le__question *q, le_call *call, le__slate *slate) {
    le_status status = le__dispatch_slate(d, q, call, slate);
    pthread_mutex_lock(&q->op->mutex);
    if (status == LE_OK && !slate->n)
        status = bring_one_back(q, call) ? le__slate_make(q, call, slate) : le__refusal(q, call);
    pthread_mutex_unlock(&q->op->mutex);
    return status;
}

static le_status make_slate(le__dispatch *d, le__question *q, le_call *call, le__slate *slate) {
    le_status status = list_slate(d, q, call, slate);
    if (status != LE_ERR_NO_CANDIDATE || call->step || d->engine->discovered ||
        !le__has_opencl(call->entry))
        return status;
    le__slate_free(slate);
    le__engine_discover(d->engine);
    return list_slate(d, q, call, slate);
}

static bool same_but_device(const char *a, const char *b) {
    size_t n = strcspn(a, "@");
    return n == strcspn(b, "@") && !strncmp(a, b, n) &&
           !strcmp(a + strcspn(a, "["), b + strcspn(b, "["));
}

/* What a stored choice or plan names goes before what the policy thinks. */
static le__arm *replayed(const le__question *q, const le_call *call, const le__slate *slate) {
    for (size_t i = 0; q->mode == LE_MODE_FROZEN && i < slate->n; i++) {
        le__arm *a = slate->arms[i];
        if (call->want.replayed ? same_but_device(a->candidate.text, call->want.replayed)
                                : (int)a->index == q->stored)
            return a;
    }
    return NULL;
}

/* What would be explored now would tell nothing before runs have settled. */
static bool runs_tell(le__question *q) {
    pthread_mutex_lock(&q->op->mutex);
    bool tell = !le__settling_goes_on(&q->op->settling);
    pthread_mutex_unlock(&q->op->mutex);
    return tell;
}

le_status le__dispatch_decide(le__dispatch *d, le__question *q, le_call *call, bool stopped,
                              le__decision *out) {
    le__slate slate;
    le_status status = make_slate(d, q, call, &slate);
    if (status != LE_OK) {
        le__slate_free(&slate);
        return status;
    }
    bool may_explore =
        q->mode == LE_MODE_LEARN && !call->only_look && !call->beside && runs_tell(q);
    le__policy_question question = le__slate_question(&slate, call, may_explore);
    question.stopped = stopped;
    if (le__policy_decide(d->policy, &question, &out->of) == 0) {
        le__arm *stored = replayed(q, call, &slate);
        out->arm = stored ? stored : slate.arms[out->of.index];
        if (stored) /* what was thought is of another */
            out->of.stop_seconds = INFINITY;
    } else {
        status = le_fail(LE_ERR_INTERNAL, "%s: the policy decided nothing", call->operation->name);
    }
    le__slate_free(&slate);
    return status;
}

/* --- answering --- */

bool le__is_callers(le_status status) {
    return le__is_refusal(status) || status == LE_ERR_CANCELLED || status == LE_ERR_UNKNOWN ||
           status == LE_ERR_IO;
}

/* What does not end when it is told to is not tried again where it would have to. */
static void note_deaf(le__question *q, le__arm *arm) {
    pthread_mutex_lock(&q->op->mutex);
    arm->deaf = true;
    pthread_mutex_unlock(&q->op->mutex);
}

/* Whether the trial that has just been made shows that a run, which cannot be stopped, would have
 * to be. */
static bool is_too_slow(le__question *q, const le_call *call, const le__decision *c) {
    pthread_mutex_lock(&q->op->mutex);
    bool slow = c->of.why == LE__WHY_EXPLORE && le__arm_cannot_be_stopped(call, c->arm) &&
                le__arm_takes_at_least(q, c->arm) > c->of.line_seconds;
    pthread_mutex_unlock(&q->op->mutex);
    return slow;
}

/* Why the arm has not become ready. */
static le_status not_ready(le__question *q, const le__arm *arm) {
    pthread_mutex_lock(&q->op->mutex);
    bool lack = le__proof_rests(arm->proof);
    pthread_mutex_unlock(&q->op->mutex);
    return lack ? LE_ERR_MEMORY : LE_ERR_NO_CANDIDATE;
}

/* By the arm that was decided on, if it is proven or proves to be. */
static le_status answer_by(le__dispatch *d, le__question *q, le_call *call, const le__decision *c,
                           le__attempt *a) {
    *a = (le__attempt){.ready = false};
    a->ready = le__dispatch_prove(d, q, call, c->arm, &a->spent);
    if (a->ready && a->spent > 0 && is_too_slow(q, call, c)) {
        a->ready = false;
        if (q->mode != LE_MODE_FROZEN && !call->step)
            le__store_account(d->store, call->operation->name, 0, a->spent, 0);
    }
    if (!a->ready)
        return not_ready(q, c->arm);
    bool stops = isfinite(c->of.stop_seconds);
    call->stop_after = stops ? c->of.stop_seconds : 0;
    le_status status = le__dispatch_run_arm(d, q, call, c->arm, false, &a->spent);
    call->stop_after = 0;
    double line = c->of.stop_seconds;
    if (stops && call->stats.seconds > fmax(deaf_after * line, line + deaf_s))
        note_deaf(q, c->arm);
    return status;
}

/* Decides, where nobody else is left also on who was short of memory in an earlier call, unless
 * somebody has been in this one. */
static le_status decide(le__dispatch *d, le__question *q, le_call *call, bool stopped, bool lack,
                        le__decision *out) {
    le_status status = le__dispatch_decide(d, q, call, stopped, out);
    if (status != LE_ERR_NO_CANDIDATE || lack)
        return status;
    pthread_mutex_lock(&q->op->mutex);
    bool again = le__question_forgive_short(q, INFINITY);
    pthread_mutex_unlock(&q->op->mutex);
    return again ? le__dispatch_decide(d, q, call, stopped, out) : status;
}

static le_status answer_slowly(le__dispatch *d, le__question *q, le_call *call, bool others,
                               le__answered *out) {
    le_status status = LE_OK;
    le__decision c = {.arm = NULL};
    le__attempt a = {.ready = false};
    bool stopped = false, lack = false;
    for (int n = 0; n < MAX_ATTEMPTS; n += a.ready || !le__attempt_waited(&a)) {
        le__observe_known(d, q);
        if (le__ticker_over(le__ticker_here()))
            return le__ticker_fail(call->operation->name);
        status = decide(d, q, call, stopped, lack, &c);
        if (status != LE_OK)
            return status;
        status = answer_by(d, q, call, &c, &a);
        a.shaken = stopped;
        others = others || a.spent > 0 || call->stopped;
        if (a.ready && (status == LE_OK || call->stopped))
            le__observe_run(d, q, &c, call, &a);
        if (a.ready && status == LE_OK) {
            le__observe_choice(d, q, call, &c);
            if (c.of.goes_on)
                le__question_forget(q);
            *out = (le__answered){c.arm, c.of.why, others, c.of.best_seconds};
            return LE_OK;
        }
        if (a.ready && call->stopped) {
            stopped = true;
            continue;
        }
        lack = lack || le__is_of_memory(status);
        if (le__why_is_trying(c.of.why))
            le__policy_cancel(d->policy, q->op->family);
        if (a.ready && (le__is_callers(status) || call->no_room))
            return status;
        if (a.ready)
            le__dispatch_failed(d, q, c.arm, status);
    }
    return a.ready ? status
                   : le_fail(LE_ERR_NO_CANDIDATE,
                             "%s: none of %d attempts gave an answer; the last: "
                             "the trial of %s did not end",
                             call->operation->name, MAX_ATTEMPTS, c.arm->candidate.text);
}

static le_status answer_by_known(le__question *q, le_call *call, le__arm *arm, le__answered *out) {
    le_status status = le__execute(call, &arm->candidate, LE__OUTPUTS_IN_PLACE);
    bool timed = !(call->granted > 0);
    call->granted = 0;
    if (status != LE_OK)
        return status;
    if (!call->beside)
        le__question_count(q, arm, &call->stats, timed);
    *out = (le__answered){arm, LE__WHY_EXPLOIT, false, 0};
    return LE_OK;
}

static le_status answer(le__dispatch *d, le__question *q, le_call *call, le__answered *out) {
    le__arm *arm = le__question_known(q, &call->granted);
    if (arm) {
        le_status status = answer_by_known(q, call, arm, out);
        status = le__dispatch_heed(d, call, arm, status);
        if (status == LE_OK || le__is_callers(status) || call->no_room)
            return status;
        le__dispatch_failed(d, q, arm, status);
        le__question_forget(q);
    }
    bool races = q->mode == LE_MODE_MEASURE && !call->beside;
    if (races && q->measured && le__dispatch_prove_rested(d, q, call))
        atomic_store(&q->measured, false);
    bool raced = races && !q->measured && le__dispatch_race(d, q, call);
    return answer_slowly(d, q, call, raced, out); /* whatever has come of a race */
}

typedef struct asked {
    const le__question *question;
    const struct asked *outer;
} asked;

static LE__THREAD_LOCAL const asked *asked_here; /* what this thread answers; NULL: nothing */

/* An implementation that asks what it is to answer would wait for itself, or be asked for ever. */
static bool is_asked_by_itself(const le__question *q, const le_call *call) {
    const asked *a = call->step ? NULL : asked_here;
    while (a && a->question != q)
        a = a->outer;
    return a;
}

le_status le__dispatch_answer(le__dispatch *d, le_call *call, le__answered *out) {
    le__question *q;
    le_status status = le__dispatch_question(d, call, &q);
    if (status != LE_OK)
        return status;
    const asked here = {q, asked_here};
    if (is_asked_by_itself(q, call)) {
        status =
            le_fail(LE_ERR_UNSUPPORTED, "%s: the same call is being answered by who makes this one",
                    call->operation->name);
    } else {
        asked_here = &here;
        status = answer(d, q, call, out);
        asked_here = here.outer;
    }
    if (status == LE_OK)
        le__shares_keep(d->shares, d->store, call, q->problem);
    le__question_release(q);
    return status;
}

/* --- open and close --- */

static void flush_question(le__question *q, void *context) {
    le__observe_known(context, q);
}

static void rest(le_engine *engine) {
    le__store_rest(engine->dispatch->store);
}

le_status le__dispatch_open(le__dispatch **out, le_engine *engine) {
    le__dispatch *d = calloc(1, sizeof *d);
    if (!d)
        return le_fail(LE_ERR_MEMORY, "le_open: out of memory");
    d->engine = engine;
    engine->rest = rest;
    pthread_mutex_init(&d->mutex, NULL);
    pthread_mutex_init(&d->transfer_mutex, NULL);
    *out = d;
    le__policy_options o = {
        .explore_share = engine->options.explore_share > 0 ? engine->options.explore_share : -1,
        .race_seconds = race_s,
        .seed = engine->options.seed};
    d->policy = le__policy_new(&o);
    if (!d->policy)
        return le_fail(LE_ERR_MEMORY, "le_open: out of memory");
    le_status status = le__questions_open(&d->questions);
    if (status == LE_OK)
        status = le__shares_open(&d->shares);
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
    le__shares_close(d->shares);
    for (size_t i = 0; i < d->n_states; i++)
        le__op_state_free(d->states[i]);
    free(d->states);
    le__policy_free(&d->policy);
    pthread_mutex_destroy(&d->mutex);
    pthread_mutex_destroy(&d->transfer_mutex);
    free(d);
}
