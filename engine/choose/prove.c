/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Trials before the first use: nothing unproven answers.
 */
#include "choose/dispatch.h"

#include "call/engine.h"
#include "choose/verdicts.h"
#include "trial/trial_server.h"

#include <math.h>
#include <string.h>

/* The most parallel variant of the same code: what is right with all threads is taken as right with
 * one. */
static const le__candidate *widest(const le__op_state *s, const le__proof *p) {
    const le__candidate *best = NULL;
    for (size_t i = 0; i < s->n_arms; i++)
        if (s->arms[i]->proof == p && (!best || s->arms[i]->candidate.threads > best->threads))
            best = &s->arms[i]->candidate;
    return best;
}

/* A hang without any use of the processor may be a lock's that had no owner in the child: another
 * trial decides. Mutex of the operation held. */
static bool deserves_another(le__dispatch *d, le__question *q, le__proof *p,
                             const le__trial_result *r) {
    if (r->status != LE_ERR_TIMEOUT || !r->idle || p->hung_idle)
        return false;
    p->hung_idle = true;
    le__log_write(&d->engine->log, LE_LOG_INFO,
                  "%s: the trial of %s hung without using the processor; it is tried again",
                  q->op->entry->operation->name, p->implementation->name);
    return true;
}

static bool judge_trial(le__dispatch *d, le__question *q, le__proof *p, const le__trial_result *r) {
    const le_operation *op = q->op->entry->operation;
    if (r->status == LE_OK) {
        char took[96];
        p->lack = (le__pause){0};
        le__verdict_time_text(took, sizeof took, r->run_s, r->work, false);
        le__rate_note_trial(&q->op->reference, r->reference_s, r->work);
        le__verdict_keep(d, q, p, LE__CLASS_TRIAL, LE__PROVEN, r->tested ? &r->error : NULL, took,
                         r->tested);
        return true;
    }
    if (le__is_of_memory(r->status)) { /* its own, or of whoever made its sample */
        le__verdict_log(d, q, p, r->reason);
        le__verdict_lack_in_trial(q, p, r->reason);
        return false;
    }
    if (!r->tested && !le__verdict_is_of_code(
                          r->status)) { /* no sample, no reference: nothing to hold against it */
        le__log_write(&d->engine->log, LE_LOG_DEBUG, "%s: no trial of %s: %s", op->name,
                      p->implementation->name, r->reason);
        le__verdict_keep(d, q, p, LE__CLASS_TRIAL, LE__PROVEN, NULL, "", false);
        return true;
    }
    le__verdict_log(d, q, p, r->reason);
    le__verdict_keep_failure(d, q, p, LE__CLASS_TRIAL, r->status, &r->error, r->reason);
    return false;
}

/* Share of the time limit that is left for plain C when a call has become careful. */
static const double reserve = 0.25;

static bool is_plain(const le__proof *p) {
    return !strcmp(p->implementation->run_type, "c");
}

/* Whether somebody else could answer this call at that level of caution. Mutex of the operation
 * held. */
static bool anybody_else(const le__question *q, const le_call *call, const le__proof *but,
                         int caution) {
    for (size_t i = 0; i < q->n_arms; i++) {
        const le__arm *a = q->op->arms[i];
        if (a->proof != but && le__is_safe(q, a, caution) && !le__arm_objection(q, call, a))
            return true;
    }
    return false;
}

/* Seconds that the call still waits for the trial. Mutex of the operation held. */
static double patience(const le__question *q, const le_call *call, const le__proof *p) {
    double limit_s = call->engine->options.trial_limit_s;
    /* nobody else may answer a reproducible call: the bits would change later */
    if (call->want.reproducible || !anybody_else(q, call, p, 0))
        return INFINITY;
    if (le__caution(call) == 0)
        return limit_s - call->waited;
    if (is_plain(p))
        return le__caution(call) == 1 ? reserve * limit_s : 0;
    if (anybody_else(q, call, p, 1))
        return 0;
    return p->device->kind == LE_DEVICE_CPU ? limit_s : limit_s / 20; /* trials there go on */
}

bool le__dispatch_prove(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                        double *spent) {
    le__proof *p = arm->proof;
    pthread_mutex_lock(&q->op->mutex);
    le__verdict *v = le__proof_find(p, q->kind, LE__CLASS_TRIAL);
    bool known = p->implementation->flags & LE_IMPL_REFERENCE || p->quarantined ||
                 (v && v->state != LE__UNPROVEN);
    le__candidate candidate = *widest(q->op, p);
    double wait_s = patience(q, call, p);
    pthread_mutex_unlock(&q->op->mutex);
    if (!known) {
        le__trial_result r;
        le__trial(d->engine, call->entry, &candidate, call, wait_s, &r);
        *spent += r.seconds;
        if (r.pending || r.status != LE_OK)
            call->waited += fmax(r.seconds - r.starved, 0);
        pthread_mutex_lock(&q->op->mutex);
        r.pending = r.pending || deserves_another(d, q, p, &r);
        if (r.pending)
            le__question_set_aside(q, p);
        bool passed = !r.pending && judge_trial(d, q, p, &r);
        pthread_mutex_unlock(&q->op->mutex);
        if (!passed)
            return false;
    }
    pthread_mutex_lock(&q->op->mutex);
    const char *objection =
        le__proof_objection(p, q->kind, q->size_class, call->want.atol, call->want.rtol);
    if (!objection)
        le__proof_give_leave(p, q->kind, q->size_class);
    pthread_mutex_unlock(&q->op->mutex);
    return !objection;
}

bool le__dispatch_prove_rested(le__dispatch *d, le__question *q, le_call *call) {
    double spent = 0;
    bool any = false;
    for (size_t i = 0; i < q->n_arms; i++) {
        le__arm *arm = q->op->arms[i];
        pthread_mutex_lock(&q->op->mutex);
        const le__verdict *v = le__proof_find(arm->proof, q->kind, LE__CLASS_TRIAL);
        bool again = arm->proof->lack.seconds > 0 && !(v && v->state == LE__PROVEN) &&
                     !le__arm_objection(q, call, arm);
        pthread_mutex_unlock(&q->op->mutex);
        any = (again && le__dispatch_prove(d, q, call, arm, &spent)) || any;
    }
    return any;
}

void le__dispatch_settle(le__dispatch *d, le__question *q, le_call *call) {
    for (size_t i = 0; q->n_aside > 0 && i < q->n_arms; i++) {
        le__arm *arm = q->op->arms[i];
        le__trial_result r;
        if (!le__question_is_aside(q, arm))
            continue;
        le__late late =
            le__trial_look_late(d->engine, call->entry, widest(q->op, arm->proof), call, &r);
        if (late == LE__LATE_PENDING)
            continue;
        le__question_bring_back(q, arm->proof);
        if (late == LE__LATE_THERE && !deserves_another(d, q, arm->proof, &r))
            judge_trial(d, q, arm->proof, &r);
    }
}
