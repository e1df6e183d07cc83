/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * First runs at the real size.
 */
#include "choose/first_run.h"

#include "choose/verdicts.h"
#include "core/clock.h"
#include "call/engine.h"
#include "call/tensor.h"
#include "trial/trial.h"

#include <math.h>

/* Seconds after which a run in a child hangs: generous, for what is predicted may be far off. */
static double limit(const le__first_run *f) {
    static const double trials = 5, predicted = 30;
    return fmax(trials * f->dispatch->engine->options.trial_limit_s,
                predicted * le__question_expects(f->dispatch->policy, f->question, f->arm).high);
}

static le_status judge(const le__first_run *f, const le__trial_result *r) {
    return r->status == LE_OK
               ? LE_OK
               : le_fail(r->status, "%s, in size class %d", r->reason, f->question->size_class);
}

/* The process may have been ended by something else: its user, for instance. */
static le_status try_suspect(const le__first_run *f, const le_call *call) {
    const le__candidate *c = &f->arm->candidate;
    le__trial_result r;
    if (!call || c->device->kind != LE_DEVICE_CPU ||
        !le__trial_run(c, call, limit(f), INFINITY, &r))
        return le_fail(LE_ERR_WRONG_RESULT,
                       "an earlier process ended during its first run in size class %d",
                       f->question->size_class);
    return judge(f, &r);
}

/* Outputs that a child may need memory for once more. */
static const int64_t most_bytes = INT64_C(1) << 30;

static bool is_large(const le_call *call) {
    int64_t bytes = 0;
    for (size_t i = 0; i < call->operation->n_args; i++)
        if (call->operation->args[i].type == LE_TYPE_OUT && call->args[i].given)
            bytes += le__tensor_size(&call->args[i].tensor);
    return bytes > most_bytes;
}

/* A child has no devices. */
static bool has_inputs_here(const le_call *call) {
    bool here = true;
    for (size_t i = 0; i < call->operation->n_args; i++)
        here = here && le__call_places(call, i) & 1;
    return here;
}

/* Whoever calls from elsewhere may have found it at fault after it was decided on. Mutex of the
 * operation held. */
static le_status check_standing(const le__first_run *f) {
    const le__question *q = f->question;
    const char *fault = le__proof_fault(f->arm->proof, q->kind, q->size_class);
    return fault ? le_fail(LE_ERR_UNSUPPORTED, "%s", fault) : LE_OK;
}

/* Implementations of the library have tests for their real sizes. */
static bool is_own(const le__first_run *f, const le_call *call) {
    const le__candidate *c = &f->arm->candidate;
    return call && has_inputs_here(call) && !is_large(call) && c->device->kind == LE_DEVICE_CPU &&
           !(c->implementation->flags & LE__IMPL_STAGED) &&
           !le__registry_is_builtin(call->entry, c->implementation);
}

/* The run in the child and the one that answers share the time after which runs are stopped. One
 * that waits for threads of this process (OpenMP's, for instance), which a child does not have, has
 * shown nothing. */
static le_status try_own(le__first_run *f, le_call *call) {
    static const double start_s = 0.02; /* of a process */
    static const double idle_s = 1;
    const le__candidate *c = &f->arm->candidate;
    double line = call->stop_after, most = limit(f);
    bool stops = line > 0 && line < most;
    le__trial_result r;
    if (!le__trial_run(c, call, stops ? line + start_s : most, idle_s, &r))
        return LE_OK;
    if (r.status == LE_ERR_TIMEOUT && r.idle)
        return LE_OK;
    f->watched = r.status == LE_OK;
    bool slow = stops && (r.status == LE_ERR_TIMEOUT || (r.status == LE_OK && 2 * r.run_s > line));
    if (slow) {
        double seconds = r.status == LE_OK ? r.run_s : line;
        call->stats = (le__run_stats){.seconds = seconds, .ended = le__now()};
        return le__execution_stopped(call, c);
    }
    if (stops)
        call->stop_after -= r.run_s;
    /* what is no fault, a lack of memory for instance, shows again */
    bool counts = le__verdict_is_of_code(r.status) || r.status == LE_ERR_CANCELLED;
    return counts ? judge(f, &r) : LE_OK;
}

le_status le__first_run_begin(le__first_run *f, le__dispatch *d, le__question *q, le__arm *arm,
                              le_call *call, bool again) {
    bool here = arm->candidate.implementation->flags & (LE_IMPL_REFERENCE | LE_IMPL_IN_PROCESS);
    *f = (le__first_run){.dispatch = d, .question = q, .arm = arm};
    pthread_mutex_lock(&q->op->mutex);
    le_status status = check_standing(f);
    bool may = status == LE_OK && !here && q->mode != LE_MODE_FROZEN;
    le__verdict *v = may ? le__proof_verdict(arm->proof, q->kind, q->size_class) : NULL;
    f->first = v && (again || (!v->ran && v->state == LE__UNPROVEN));
    bool suspect = f->first && (again ? v->wary : v->suspect);
    le__verdict begun = f->first ? *v : (le__verdict){0}; /* others change it once unlocked */
    pthread_mutex_unlock(&q->op->mutex);
    if (!f->first)
        return status;
    if (suspect)
        status = try_suspect(f, call);
    else if (is_own(f, call))
        status = try_own(f, call);
    pthread_mutex_lock(&q->op->mutex);
    if (status == LE_OK)
        status = check_standing(f);
    pthread_mutex_unlock(&q->op->mutex);
    if (status != LE_OK)
        return status;
    le__store_first_run(d->store, arm->proof, &begun, true);
    f->marked = true;
    return LE_OK;
}

void le__first_run_end(le__first_run *f) {
    if (!f->first || !(f->marked || f->watched)) /* one that a child has seen to its end was it */
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
