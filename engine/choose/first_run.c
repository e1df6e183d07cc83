/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * First runs at the real size.
 */
#include "choose/first_run.h"

#include "core/clock.h"
#include "call/engine.h"
#include "trial/trial.h"

#include <math.h>

/* Seconds after which a run in a child hangs: generous, for what is predicted may be far off. */
static double limit(le__dispatch *d, le__question *q, const le__arm *arm) {
    static const double trials = 5, predicted = 10;
    return fmax(trials * d->engine->options.trial_limit_s,
                predicted * le__question_expects(d->policy, q, arm).high);
}

/* The process may have been ended by something else: its user, for instance. */
static le_status try_in_child(const le__first_run *f, const le_call *call) {
    const le__candidate *c = &f->arm->candidate;
    le__trial_result r;
    if (!call || c->device->kind != LE_DEVICE_CPU ||
        !le__trial_run(c, call, limit(f->dispatch, f->question, f->arm), &r))
        return le_fail(LE_ERR_WRONG_RESULT,
                       "an earlier process ended during its first run in size class %d",
                       f->question->size_class);
    return r.status == LE_OK
               ? LE_OK
               : le_fail(r.status, "%s, in size class %d", r.reason, f->question->size_class);
}

le_status le__first_run_begin(le__first_run *f, le__dispatch *d, le__question *q, le__arm *arm,
                              const le_call *call, bool again) {
    bool here = arm->candidate.implementation->flags & (LE_IMPL_REFERENCE | LE_IMPL_IN_PROCESS);
    *f = (le__first_run){.dispatch = d, .question = q, .arm = arm};
    if (here || q->mode == LE_MODE_FROZEN)
        return LE_OK;
    pthread_mutex_lock(&q->op->mutex);
    le__verdict *v = le__proof_verdict(arm->proof, q->kind, q->size_class);
    f->first = v && (again || (!v->ran && v->state == LE__UNPROVEN));
    bool suspect = f->first && (again ? v->wary : v->suspect);
    le__verdict begun = f->first ? *v : (le__verdict){0}; /* others change it once unlocked */
    pthread_mutex_unlock(&q->op->mutex);
    le_status status = suspect ? try_in_child(f, call) : LE_OK;
    if (status != LE_OK || !f->first)
        return status;
    le__store_first_run(d->store, arm->proof, &begun, true);
    f->marked = true;
    return LE_OK;
}

void le__first_run_end(le__first_run *f) {
    if (!f->marked)
        return;
    pthread_mutex_lock(&f->question->op->mutex);
    le__verdict *v = le__proof_verdict(f->arm->proof, f->question->kind, f->question->size_class);
    if (v) {
        v->ran = v->ran || f->watched;
        v->suspect = false;
        if (v->state == LE__UNPROVEN)
            le__store_first_run(f->dispatch->store, f->arm->proof, v, false);
        else
            le__store_verdict(f->dispatch->store, f->arm->proof, v);
    }
    pthread_mutex_unlock(&f->question->op->mutex);
}
