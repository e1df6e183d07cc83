/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Nothing unproven answers: trials before the first use, and the comparison of the first answer in
 * a new size class with that of a candidate that is trusted already.
 */
#include "choose/dispatch.h"

#include "call/case.h"
#include "call/dtype.h"
#include "call/engine.h"
#include "call/guard.h"
#include "choose/first_run.h"
#include "core/clock.h"
#include "core/tick.h"
#include "trial/trial_server.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --------------------------------------------------------------------------- verdicts -------- */

static bool breaks_things(le_status status) {
    return status == LE_ERR_CRASH || status == LE_ERR_TIMEOUT;
}

static bool of_the_code(le_status status) { /* and not of this machine's state just now */
    return breaks_things(status) || status == LE_ERR_WRONG_RESULT || status == LE_ERR_BUILD;
}

/* What le__guard_check says. */
static bool is_stray(le_status status, const char *reason) {
    return status == LE_ERR_WRONG_RESULT && strstr(reason, "wrote ");
}

/* Mutex of the operation held. */
static void keep_verdict(le__dispatch *d, le__question *q, le__proof *p, int size_class,
                         le__state state, const le__error_profile *error, const char *reason,
                         bool store) {
    le__verdict *v = le__proof_verdict(p, q->kind, size_class);
    bool pardon = v && v->state == LE__QUARANTINED && state == LE__PROVEN;
    if (!v || pardon) /* a run under way when another one broke things proves nothing */
        return;
    v->state = state;
    if (error)
        v->error = *error;
    snprintf(v->reason, sizeof v->reason, "%.159s", reason);
    le__verdict_read_time(v);
    if (state == LE__QUARANTINED) {
        p->quarantined = true;
        snprintf(p->reason, sizeof p->reason, "quarantined: %.140s", reason);
    }
    if (store && q->mode != LE_MODE_FROZEN)
        le__store_verdict(d->store, p, v);
}

/* What crashes, hangs or writes elsewhere with one set of tunables is not tried with another: each
 * trial would delay somebody for the whole time limit again. Mutex of the operation held. */
static void quarantine(le__dispatch *d, le__question *q, le__proof *p, int size_class,
                       const le__error_profile *error, const char *reason) {
    keep_verdict(d, q, p, size_class, LE__QUARANTINED, error, reason, true);
    for (le__proof *other = q->op->proofs; other; other = other->next)
        if (other != p && other->implementation == p->implementation && other->device == p->device)
            keep_verdict(d, q, other, size_class, LE__QUARANTINED, NULL, reason, true);
}

static void log_failure(const le__dispatch *d, const le__question *q, const le__proof *p,
                        const char *reason) {
    le__log_write(&d->engine->log, LE_LOG_WARNING, "%s: %s on %s is left out: %s",
                  q->op->entry->operation->name, p->implementation->name, p->device->id, reason);
}

/* Tunables seldom change what memory is needed: all variants are left out then, not one after the
 * other. Mutex of the operation held. */
static void leave_out(le__question *q, le__proof *p, bool memory, const char *reason) {
    snprintf(p->failure, sizeof p->failure, "%s", reason);
    for (size_t i = 0; i < q->n_arms; i++) {
        const le__proof *other = q->op->arms[i]->proof;
        bool sibling = other->implementation == p->implementation && other->device == p->device;
        if (memory ? sibling : other == p)
            q->left_out[i] = p->failure;
    }
}

bool le__dispatch_failed(le__dispatch *d, le__question *q, le__arm *arm, le_status status) {
    char reason[160];
    snprintf(reason, sizeof reason, "%.150s", le_error_message());
    if (status == LE_ERR_DEVICE_LOST)
        atomic_store(&arm->candidate.device->lost, true);
    log_failure(d, q, arm->proof, reason);
    pthread_mutex_lock(&q->op->mutex);
    if (breaks_things(status) || is_stray(status, reason))
        quarantine(d, q, arm->proof, q->size_class, NULL, reason);
    else if (of_the_code(status))
        keep_verdict(d, q, arm->proof, q->size_class, LE__FAILED, NULL, reason, true);
    else if (arm->index < q->n_arms) /* memory and the like: not for this problem, not for ever */
        leave_out(q, arm->proof, status == LE_ERR_MEMORY || status == LE_ERR_DEVICE_MEMORY, reason);
    pthread_mutex_unlock(&q->op->mutex);
    return true;
}

/* ----------------------------------------------------------------------------- trials -------- */

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
        le__verdict_time_text(took, sizeof took, r->run_s, r->work);
        keep_verdict(d, q, p, LE__CLASS_TRIAL, LE__PROVEN, &r->error, took, r->tested);
        return true;
    }
    if (!r->tested &&
        !of_the_code(r->status)) { /* no sample, no reference: nothing to hold against it */
        le__log_write(&d->engine->log, LE_LOG_DEBUG, "%s: no trial of %s: %s", op->name,
                      p->implementation->name, r->reason);
        keep_verdict(d, q, p, LE__CLASS_TRIAL, LE__PROVEN, NULL, "", false);
        return true;
    }
    log_failure(d, q, p, r->reason);
    if (breaks_things(r->status) || is_stray(r->status, r->reason))
        quarantine(d, q, p, LE__CLASS_TRIAL, &r->error, r->reason);
    else
        keep_verdict(d, q, p, LE__CLASS_TRIAL, LE__FAILED, &r->error, r->reason,
                     of_the_code(r->status));
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
        else
            judge_trial(d, q, p, &r);
        pthread_mutex_unlock(&q->op->mutex);
        if (r.pending)
            return false;
    }
    pthread_mutex_lock(&q->op->mutex);
    const char *objection =
        le__proof_objection(p, q->kind, q->size_class, call->want.atol, call->want.rtol);
    pthread_mutex_unlock(&q->op->mutex);
    return !objection;
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

/* ---------------------------------------------------- the first answer in a size class -------- */

typedef struct answer { /* to the same inputs, or to those of the sample, in outputs of its own */
    le_tensor outputs[LE_MAX_ARGS];
    le_arg args[LE_MAX_ARGS];
    le_call call;
} answer;

typedef struct comparison {
    const le__candidate *arm, *by; /* who is judged, the trusted candidate */
    le__proof *proof;              /* the latter's; NULL for the reference */
    le_call *call;                 /* with the answer that is judged */
    bool thorough;                 /* the reference may take as long as it likes */
    bool sampled;                  /* sample and first hold what is compared instead of the whole */
    le_case sample;
    int64_t first; /* LE_PART_APART: the sample is answered by both */
    answer trusted, own;
    le__error_profile error;
    char counts[160]; /* in which numbers of rows differ */
} comparison;

static size_t make_args(const comparison *c, answer *a, bool may_widen) {
    const le_call *call = c->call;
    const le_arg *from = c->sampled ? c->sample.args : call->user_args;
    size_t given = c->sampled ? c->sample.n : call->n_user_args, n = 0;
    for (size_t i = 0; i < given; i++)
        if (from[i].kind != LE_KIND_OUT && from[i].kind != LE_KIND_OPTION)
            a->args[n++] = from[i];
    for (size_t i = 0; i < call->operation->n_args && n < LE_MAX_ARGS; i++) {
        const le_arg_desc *desc = &call->operation->args[i];
        if (desc->type != LE_TYPE_OUT || !call->args[i].given)
            continue;
        le_dtype asked = call->args[i].tensor.dtype;
        a->outputs[i] =
            (le_tensor){.dtype = may_widen ? le__dtype_of_reference(desc, asked) : asked};
        a->args[n++] =
            (le_arg){.name = desc->name, .kind = LE_KIND_OUT, .value.out = &a->outputs[i]};
    }
    return n;
}

/* Seconds that the trusted candidate may take for the whole, by what the arm took. */
static double predicted(const comparison *c) {
    return c->call->stats.seconds * le__arm_speed(c->arm, c->call) / le__arm_speed(c->by, c->call);
}

/* A smaller case stands for a whole that takes longer. The caller is not kept waiting for the
 * reference much longer than for the answer. */
static double limit(const comparison *c) {
    double most = c->call->engine->options.trial_limit_s;
    return c->proof ? most : fmin(most, fmax(2 * c->call->stats.seconds, most / 100));
}

static bool takes_too_long(const comparison *c, const le_call *other) {
    le_work whole, work;
    if (c->proof || c->thorough)
        return false;
    c->call->operation->work(c->call, &whole);
    c->call->operation->work(other, &work);
    return predicted(c) * work.operations / whole.operations > limit(c);
}

/* To be ended with le__call_unbind when it succeeds. */
static le_status answer_by(const comparison *c, const le__candidate *who, answer *a) {
    const char *why = "";
    size_t n = make_args(c, a, who == c->by && !c->proof);
    le_status status = le__call_bind(&a->call, c->call->engine, c->call->entry, a->args, n);
    if (status != LE_OK)
        return status;
    if (who == c->arm && !le__candidate_applies(who, &a->call, &why))
        status = le_fail(LE_ERR_UNSUPPORTED, "the smaller call is not for it: %s", why);
    else if (who == c->by && takes_too_long(c, &a->call))
        status = le_fail(LE_ERR_TIMEOUT, "the reference would take too long");
    else
        status = le__execute(&a->call, who, LE__OUTPUTS_FRESH);
    if (status != LE_OK)
        le__call_unbind(&a->call);
    return status;
}

/* The sample's outputs are rows of the whole ones. */
static le_status compare_rows(comparison *c, le_call *judged) {
    const le_operation *op = c->call->operation;
    for (size_t i = 0; i < op->n_args; i++) {
        le__bound_arg *b = &judged->args[i];
        if (op->args[i].type != LE_TYPE_OUT || !b->given)
            continue;
        le_status status = le_tensor_to_host(&b->tensor);
        if (status == LE_OK)
            status = le_tensor_to_host(&c->trusted.call.args[i].tensor);
        if (status != LE_OK)
            return status;
        const le_tensor *trusted = &c->trusted.call.args[i].tensor;
        le_tensor rows = b->tensor;
        rows.shape[0] = trusted->shape[0];
        rows.data =
            (char *)rows.data + c->first * rows.strides[0] * (int64_t)le_dtype_size(rows.dtype);
        le__error_add(&c->error, op->norm, &rows, trusted);
    }
    return LE_OK;
}

static le_status compare_outputs(comparison *c, le_call *judged) {
    if (c->sampled && judged == c->call)
        return compare_rows(c, judged);
    le_status status = le__error_of_answer(&c->error, judged, &c->trusted.call);
    if (status != LE_ERR_WRONG_RESULT)
        return status;
    snprintf(c->counts, sizeof c->counts, "%.150s", le_error_message());
    return LE_OK;
}

static void take_sample(comparison *c) {
    const le_operation *op = c->call->operation;
    uint64_t random = (uint64_t)(le__now() * 1e6);
    c->sampled = false;
    if (!op->part)
        return;
    memset(&c->sample, 0, sizeof c->sample);
    c->sample.user = op->user;
    c->sampled =
        op->part(c->call, random, &c->sample, &c->first) == LE_OK && c->sample.status == LE_OK;
    bool apart = op->compare || c->call->counted; /* what their rows belong to is not known */
    if (c->sampled && ((c->first >= 0 && !apart) || (c->first < 0 && predicted(c) > limit(c))))
        return;
    le__case_free(&c->sample);
    c->sampled = false;
}

static le_status compare_sample(comparison *c) {
    if (!c->sampled || c->first >= 0)
        return compare_outputs(c, c->call);
    le_status status = answer_by(c, c->arm, &c->own);
    if (status != LE_OK)
        return status;
    status = compare_outputs(c, &c->own.call);
    le__call_unbind(&c->own.call);
    return status;
}

static le_status run_comparison(comparison *c) {
    memset(&c->error, 0, sizeof c->error);
    c->counts[0] = '\0';
    take_sample(c);
    le_status status = answer_by(c, c->by, &c->trusted);
    if (status == LE_OK) {
        status = compare_sample(c);
        le__call_unbind(&c->trusted.call);
    }
    if (c->sampled)
        le__case_free(&c->sample);
    return status;
}

/* Whether it could answer this very call, wanted or not. */
static bool can_take(const le__arm *a, const le_call *call) {
    const char *why = "";
    return le__implementation_takes(a->candidate.implementation, a->candidate.device, call, &why);
}

/* A proven arm of this size class, else of the scalar C run type, that the call's tolerance allows.
 */
static le__arm *trusted_arm(const le__question *q, const le_call *call, const le__arm *arm) {
    le__arm *best = NULL;
    int best_rank = 0;
    for (size_t i = 0; i < q->n_arms; i++) {
        le__arm *a = q->op->arms[i];
        le__verdict *trial = le__proof_find(a->proof, q->kind, LE__CLASS_TRIAL);
        le__verdict *here = le__proof_find(a->proof, q->kind, q->size_class);
        bool usable = a->proof != arm->proof && !(here && here->suspect) &&
                      a->candidate.device->kind == LE_DEVICE_CPU && trial &&
                      trial->state == LE__PROVEN &&
                      !(a->candidate.implementation->flags & (LE_IMPL_REFERENCE | LE_IMPL_LOSSY)) &&
                      !le__proof_objection(a->proof, q->kind, q->size_class, call->want.atol,
                                           call->want.rtol);
        bool made =
            a->candidate.implementation->flags & LE__IMPL_STAGED; /* of calls of their own */
        if (!usable || (q->left_out[i] && (made || a->candidate.implementation->isa)) ||
            !can_take(a, call))
            continue;
        int rank = (here && here->state == LE__PROVEN ? 1000000 : 0) +
                   (!strcmp(a->candidate.implementation->run_type, "c") ? 1000 : 0) +
                   a->candidate.threads;
        if (rank > best_rank) {
            best_rank = rank;
            best = a;
        }
    }
    return best;
}

static le__arm *c_arm(const le__question *q, const le_call *call, const le__arm *arm) {
    le__arm *best = NULL;
    for (size_t i = 0; i < q->n_arms; i++) {
        le__arm *a = q->op->arms[i];
        bool fits = a->proof != arm->proof && !strcmp(a->candidate.implementation->run_type, "c") &&
                    (!best || a->candidate.threads > best->candidate.threads);
        const char *why = q->left_out[i]; /* unwanted for the answer, it may still compare */
        if (fits && (!why || le__candidate_is_unwanted(why)) && can_take(a, call))
            best = a;
    }
    return best;
}

/* Who is asked for the second answer. The scalar C implementation is proven for it when nobody is.
 */
static le__arm *choose_trusted(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                               double *spent) {
    pthread_mutex_lock(&q->op->mutex);
    le__arm *best = trusted_arm(q, call, arm);
    le__arm *c = best ? NULL : c_arm(q, call, arm);
    pthread_mutex_unlock(&q->op->mutex);
    if (best || !c || !le__dispatch_prove(d, q, call, c, spent))
        return best;
    return c;
}

/* Of a trusted arm; 0 for the reference. */
static double error_of(le__question *q, const le__arm *trusted) {
    if (!trusted)
        return 0;
    pthread_mutex_lock(&q->op->mutex);
    const le__verdict *v = le__proof_find(trusted->proof, q->kind, LE__CLASS_TRIAL);
    double error = v ? v->error.max_abs : 0;
    pthread_mutex_unlock(&q->op->mutex);
    return error;
}

/* Judges the answer in call's tensors; on LE_ERR_WRONG_RESULT the arm is at fault. */
static le_status judge_answer(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                              comparison *c, le__arm *trusted, double *spent) {
    const le_operation *op = call->operation;
    bool lossy = arm->candidate.implementation->flags & LE_IMPL_LOSSY;
    double atol = lossy ? INFINITY : fmax(op->atol, call->want.atol) + error_of(q, trusted);
    double rtol = fmax(op->rtol, call->want.rtol) * (trusted ? 2 : 1);
    if (le__error_allows(&c->error, atol, rtol))
        return LE_OK;
    le__candidate reference;
    if (trusted && le__reference_candidate(d->engine, call->entry, &reference)) {
        double start = le__now(); /* one of the two is wrong: the reference decides */
        c->by = &reference;
        c->proof = NULL;
        c->thorough = true;
        le_status status = run_comparison(c);
        *spent += le__now() - start;
        if (status == LE_ERR_CANCELLED)
            return status;
        if (status == LE_OK && le__error_allows(&c->error, atol, rtol)) {
            le_fail(LE_ERR_WRONG_RESULT, "differs from the reference in size class %d",
                    q->size_class);
            le__dispatch_failed(d, q, trusted, LE_ERR_WRONG_RESULT);
            return LE_OK;
        }
    }
    if (c->counts[0])
        return le_fail(LE_ERR_WRONG_RESULT, "%s, in size class %d", c->counts, q->size_class);
    return le_fail(LE_ERR_WRONG_RESULT, "error %.3g exceeds the tolerance %.3g in size class %d",
                   c->error.max_abs, op->atol, q->size_class);
}

static void keep_class(le__dispatch *d, le__question *q, const le__arm *arm, const comparison *c) {
    pthread_mutex_lock(&q->op->mutex);
    le__verdict *trial = le__proof_find(arm->proof, q->kind, LE__CLASS_TRIAL);
    const le__error_profile error = c->proof && trial ? trial->error : c->error;
    keep_verdict(d, q, arm->proof, q->size_class, LE__PROVEN, &error, "", true);
    pthread_mutex_unlock(&q->op->mutex);
}

static bool class_known(le__question *q, const le__arm *arm) {
    pthread_mutex_lock(&q->op->mutex);
    const le__verdict *v = le__proof_find(arm->proof, q->kind, q->size_class);
    bool known = v && v->state == LE__PROVEN;
    pthread_mutex_unlock(&q->op->mutex);
    return known;
}

static bool is_new(le__question *q, const le__arm *arm) {
    return !(arm->candidate.implementation->flags & LE_IMPL_REFERENCE) &&
           q->mode != LE_MODE_FROZEN && !class_known(q, arm);
}

/* Into memory of its own when the answer may still be refused. Edges are only for the CPU: a device
 * would have to be sent them. */
static le_status first_run(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                           le__outputs outputs) {
    bool host = arm->candidate.device->kind == LE_DEVICE_CPU;
    le__first_run f;
    le_status status = le__first_run_begin(&f, d, q, arm, call->step ? NULL : call);
    bool edged = host && f.first && !call->step;
    if (status == LE_OK)
        status = le__execute(call, &arm->candidate, edged ? LE__OUTPUTS_EDGED : outputs);
    f.watched = (edged || !host || call->step) && status != LE_ERR_CANCELLED;
    le__first_run_end(&f);
    if (!edged || (status != LE_OK && !call->stopped))
        return status;
    le_status strays = le__guard_check(call);
    call->stopped = call->stopped && strays == LE_OK; /* what wrote elsewhere is at fault */
    return strays != LE_OK ? strays : status;
}

typedef struct second { /* who gives the answer that the first one is compared with */
    le__arm *trusted;   /* NULL: the reference */
    le__candidate reference;
} second;

static bool has_run(le__question *q, const le__arm *arm) {
    pthread_mutex_lock(&q->op->mutex);
    const le__verdict *v = le__proof_find(arm->proof, q->kind, q->size_class);
    bool ran = v && v->ran;
    pthread_mutex_unlock(&q->op->mutex);
    return ran;
}

/* Picks him. False: there is nobody, or only the reference, whose answer to the whole is worth the
 * wait in benchmarks (thorough) and once in a size class (where it is not far slower). */
static bool find_second(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                        bool thorough, second *out, double *spent) {
    out->trusted = choose_trusted(d, q, call, arm, spent);
    return out->trusted || (le__reference_candidate(d->engine, call->entry, &out->reference) &&
                            (call->operation->part || thorough || !has_run(q, arm)));
}

static le_status compare_with(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                              bool thorough, const second *by, double *spent) {
    comparison c = {.call = call,
                    .arm = &arm->candidate,
                    .by = by->trusted ? &by->trusted->candidate : &by->reference,
                    .proof = by->trusted ? by->trusted->proof : NULL,
                    .thorough = thorough};
    double start = le__now();
    le__run_stats stats = call->stats;
    le__first_run f;
    le_status status = LE_OK;
    if (by->trusted)
        status = le__first_run_begin(&f, d, q, by->trusted, NULL);
    le__ticker_part whole = le__ticker_narrow(le__ticker_here(), NAN, NAN); /* the call is done */
    if (status == LE_OK)
        status = run_comparison(&c);
    le__ticker_widen(le__ticker_here(), whole);
    if (by->trusted)
        le__first_run_end(&f);
    call->stats = stats;
    *spent += le__now() - start;
    if (status == LE_ERR_CANCELLED)
        return status;
    if (status != LE_OK)
        return LE_OK; /* no second answer: the proven candidate's own stands */
    status = judge_answer(d, q, call, arm, &c, by->trusted, spent);
    if (status != LE_OK)
        return status;
    keep_class(d, q, arm, &c);
    if (le__error_allows(&c.error, call->want.atol + (c.proof ? c.error.max_abs : 0),
                         call->want.rtol))
        return LE_OK;
    return le_fail(LE_ERR_UNSUPPORTED, "its error is above the tolerance of the call");
}

/* A step's values stay where they are: what is compared is a view of them on the host. */
typedef struct look {
    le__dispatch *dispatch;
    le__question *question;
    le__arm *arm;
    const second *by;
    double *spent;
} look;

static le_status compare_view(void *context, le_call *view) {
    const look *l = context;
    return compare_with(l->dispatch, l->question, view, l->arm, false, l->by, l->spent);
}

le_status le__dispatch_run_arm(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                               bool thorough, double *spent) {
    second by;
    bool may_stop = call->stop_after > 0 && le__can_be_stopped(&arm->candidate);
    le__outputs outputs = may_stop ? LE__OUTPUTS_APART : LE__OUTPUTS_IN_PLACE;
    thorough = thorough && !call->step;
    call->inputs_moved = le__problem_hash(call) != q->hash;
    if (!is_new(q, arm))
        return le__execute(call, &arm->candidate, outputs);
    bool compared = !call->beside && find_second(d, q, call, arm, thorough, &by, spent);
    le_status status = first_run(d, q, call, arm, compared ? LE__OUTPUTS_APART : outputs);
    if (status != LE_OK || !compared)
        return status;
    if (!call->step)
        return compare_with(d, q, call, arm, thorough, &by, spent);
    look l = {d, q, arm, &by, spent};
    return call->step->view(call, compare_view, &l);
}
