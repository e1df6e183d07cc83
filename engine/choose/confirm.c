/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Whose answers are compared with those of a candidate that is trusted already, and when: the first
 * in a size class, and what is larger or of another shape than all that were compared.
 */
#include "choose/dispatch.h"

#include "call/counted.h"
#include "call/engine.h"
#include "call/guard.h"
#include "choose/compare.h"
#include "choose/first_run.h"
#include "choose/verdicts.h"
#include "core/clock.h"
#include "core/tick.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whether it could answer this very call, wanted or not. */
static bool can_take(const le__arm *a, const le_call *call) {
    const char *why = "";
    return le__implementation_takes(a->candidate.implementation, a->candidate.device, call, &why);
}

/* What is known of its answers, whatever the size: by the trial, else, where there was no sample
 * for one, by answers in the size class. Mutex of the operation held. */
static const le__verdict *told_of(const le__question *q, const le__arm *a) {
    const le__verdict *trial = le__proof_find(a->proof, q->kind, LE__CLASS_TRIAL);
    return trial && trial->untold ? le__proof_find(a->proof, q->kind, q->size_class) : trial;
}

static bool is_told(const le__question *q, const le__arm *a) {
    pthread_mutex_lock(&q->op->mutex);
    const le__verdict *v = told_of(q, a);
    bool told = v && v->state == LE__PROVEN;
    pthread_mutex_unlock(&q->op->mutex);
    return told;
}

/* A step so small that what is right before it and wrong behind it is rare; and few of them. */
static const double larger_by = 1.125;

/* Whether an answer of so much work has been compared. Mutex of the operation held. */
static bool is_vouched_for(const le__verdict *v, double work) {
    return v && v->state == LE__PROVEN && work <= larger_by * v->work;
}

/* Calls that allow more than the operation have had its answers: for others it is a measure where
 * there is no better one. */
static bool is_inexact(const le__question *q, const le__arm *a) {
    const le_operation *op = q->op->entry->operation;
    const le__verdict *here = le__proof_find(a->proof, q->kind, q->size_class);
    return here && !le__error_allows(&here->error, op->atol, op->rtol);
}

static bool may_vouch(const le__question *q, const le_call *call, size_t i) {
    const le__arm *a = q->op->arms[i];
    const le_implementation *impl = a->candidate.implementation;
    const le__verdict *told = told_of(q, a);
    const le__verdict *here = le__proof_find(a->proof, q->kind, q->size_class);
    bool made = impl->flags & LE__IMPL_STAGED; /* of calls of their own */
    return !(here && here->suspect) && a->candidate.device->kind == LE_DEVICE_CPU && told &&
           told->state == LE__PROVEN && !(impl->flags & (LE_IMPL_REFERENCE | LE_IMPL_LOSSY)) &&
           !(here && here->refused) &&
           !le__proof_objection(a->proof, q->kind, q->size_class, call->want.atol,
                                call->want.rtol) &&
           !(q->left_out[i] && (made || impl->isa)) && can_take(a, call);
}

/* of_size: its answers of the call's work have been compared. */
static int rank_of(const le__question *q, const le__arm *a, bool of_size) {
    const le__verdict *here = le__proof_find(a->proof, q->kind, q->size_class);
    bool compared = here && here->state == LE__PROVEN;
    if (is_inexact(q, a))
        return 1;
    return (of_size    ? 2000000
            : compared ? 1000000
                       : 0) +
           (!strcmp(a->candidate.implementation->run_type, "c") ? 1000 : 0) + a->candidate.threads;
}

/* A proven arm that the call's tolerance allows: one whose answers of this size have been compared,
 * else of this size class, else of the scalar C run type. */
static le__arm *trusted_arm(const le__question *q, const le_call *call, const le__arm *arm,
                            double work, bool *vouched) {
    le__arm *best = NULL;
    int best_rank = 0;
    *vouched = false;
    for (size_t i = 0; i < q->n_arms; i++) {
        le__arm *a = q->op->arms[i];
        if (a->proof == arm->proof || !may_vouch(q, call, i))
            continue;
        const le__verdict *here = le__proof_find(a->proof, q->kind, q->size_class);
        bool of_size = !is_inexact(q, a) && is_vouched_for(here, work);
        int rank = rank_of(q, a, of_size);
        if (rank > best_rank) {
            best_rank = rank;
            best = a;
            *vouched = of_size;
        }
    }
    return best;
}

static le__arm *c_arm(const le__question *q, const le_call *call, const le__arm *arm) {
    le__arm *best = NULL;
    for (size_t i = 0; i < q->n_arms; i++) {
        le__arm *a = q->op->arms[i];
        bool fits = a->proof != arm->proof && !is_inexact(q, a) &&
                    !strcmp(a->candidate.implementation->run_type, "c") &&
                    (!best || a->candidate.threads > best->candidate.threads);
        const char *why = q->left_out[i]; /* unwanted for the answer, it may still compare */
        if (fits && (!why || le__candidate_is_unwanted(why)) && can_take(a, call))
            best = a;
    }
    return best;
}

/* Of a trusted arm; 0 for the reference. Mutex of the operation held. */
static double known_error(const le__question *q, const le__arm *trusted) {
    const le__verdict *v = trusted ? told_of(q, trusted) : NULL;
    return v ? v->error.max_abs : 0;
}

static double error_of(le__question *q, const le__arm *trusted) {
    pthread_mutex_lock(&q->op->mutex);
    double error = known_error(q, trusted);
    pthread_mutex_unlock(&q->op->mutex);
    return error;
}

/* Whether two good ones may differ so much; own: the error of the trusted one. */
static bool is_of_good_ones(const le_operation *op, const le__error_profile *error, double own) {
    return le__error_allows(error, op->atol + own, 2 * op->rtol);
}

/* Of an answer that differs by so much from a right one. */
static le_status fail_wrong(const le__question *q, double atol, double max_abs,
                            const char *counts) {
    if (counts[0])
        return le_fail(LE_ERR_WRONG_RESULT, "%s, in size class %d", counts, q->size_class);
    return le_fail(LE_ERR_WRONG_RESULT, "error %.3g exceeds the tolerance %.3g in size class %d",
                   max_abs, atol, q->size_class);
}

/* Before the verdict itself. */
static void keep_refused(le__question *q, const le__arm *arm, const le__error_profile *error) {
    pthread_mutex_lock(&q->op->mutex);
    le__verdict *v = le__proof_verdict(arm->proof, q->kind, q->size_class);
    if (v && v->refused)
        le__error_merge(&v->error, error);
    else if (v)
        v->error = *error;
    if (v)
        v->refused = true;
    pthread_mutex_unlock(&q->op->mutex);
}

static le_status ask_reference(le__comparison *c, const le__candidate *reference, double *spent) {
    double start = le__now();
    c->by = reference;
    c->by_reference = c->thorough = true;
    le_status status = le__compare(c);
    *spent += le__now() - start;
    return status;
}

/* Judges the answer in call's tensors; on LE_ERR_WRONG_RESULT the arm is at fault. Where it differs
 * from a trusted one's by more than two good ones do, the reference decides: also where the call
 * allows that, for the next one may not. */
static le_status judge_answer(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                              le__comparison *c, le__arm *trusted, double *spent) {
    const le_operation *op = call->operation;
    bool lossy = arm->candidate.implementation->flags & LE_IMPL_LOSSY;
    double allowed = fmax(op->atol, call->want.atol), own = error_of(q, trusted);
    double atol = lossy ? INFINITY : allowed + own;
    double rtol = fmax(op->rtol, call->want.rtol) * (trusted ? 2 : 1);
    bool good = le__error_allows(&c->error, atol, rtol);
    bool near = good && (lossy || is_of_good_ones(op, &c->error, own));
    if (good && (near || !trusted))
        return LE_OK;
    le__candidate reference;
    if (trusted && le__reference_candidate(d->engine, call->entry, &reference)) {
        const le__comparison before = *c;
        le_status status = ask_reference(c, &reference, spent);
        if (status == LE_ERR_CANCELLED || c->refused)
            return status;
        if (status == LE_OK && le__error_allows(&c->error, atol, rtol)) {
            if (good)
                return LE_OK;
            fail_wrong(q, allowed, before.error.max_abs, /* about that of the one that is wrong */
                       before.counts[0] ? "gives other numbers of rows than the reference" : "");
            le__dispatch_failed(d, q, trusted, LE_ERR_WRONG_RESULT);
            return LE_OK;
        }
        if (status != LE_OK && good) {
            *c = before;
            return LE_OK;
        }
    }
    keep_refused(q, arm, &c->error);
    return fail_wrong(q, allowed, c->error.max_abs, c->counts);
}

/* Beside another candidate the trial tells more, as long as that one is good and both are as near
 * to each other as two good ones. Mutex of the operation held. */
static le__error_profile error_in_class(const le__question *q, const le__arm *arm,
                                        const le__comparison *c, const le__arm *trusted) {
    const le__verdict *trial = le__proof_find(arm->proof, q->kind, LE__CLASS_TRIAL);
    if (c->by_reference || !trial || trial->untold || !trusted)
        return c->error;
    le__error_profile error = trial->error;
    if (!is_of_good_ones(c->call->operation, &c->error, known_error(q, trusted)))
        le__error_merge(&error, &c->error);
    if (is_inexact(q, trusted))
        le__error_merge(&error, &le__proof_find(trusted->proof, q->kind, q->size_class)->error);
    return error;
}

/* What is compared in one class adds up: the largest work, the largest error. */
static void keep_class(le__dispatch *d, le__question *q, const le__arm *arm,
                       const le__comparison *c, const le__arm *trusted, double work) {
    pthread_mutex_lock(&q->op->mutex);
    le__verdict *v = le__proof_find(arm->proof, q->kind, q->size_class);
    bool known = v && v->state == LE__PROVEN;
    le__error_profile error = error_in_class(q, arm, c, trusted);
    if (known || (v && v->refused))
        le__error_merge(&error, &v->error);
    double largest = known ? fmax(v->work, work) : work;
    if (!known || largest > v->work || memcmp(&error, &v->error, sizeof error) != 0) {
        char text[128];
        le__verdict_time_text(text, sizeof text, fmax(c->call->stats.seconds, 1e-9), largest,
                              v && v->wary);
        le__verdict_keep(d, q, arm->proof, q->size_class, LE__PROVEN, &error, text, true);
    }
    pthread_mutex_unlock(&q->op->mutex);
}

static void keep_rate(le__question *q, const le__comparison *c, const le__arm *trusted) {
    pthread_mutex_lock(&q->op->mutex);
    le__rate_note_compared(trusted ? &trusted->proof->rate : &q->op->reference, c->seconds,
                           c->work);
    pthread_mutex_unlock(&q->op->mutex);
}

/* --- when, and by whom --- */

typedef enum due {
    NOT_DUE,
    DUE_FIRST,  /* nothing has been compared in the size class */
    DUE_LARGER, /* only smaller calls have */
    DUE_OTHER   /* this problem has not, in this process */
} due;

/* Comparing other problems may take this share of the time in which the operation answered, and so
 * many seconds, which nobody notices. */
static const double share = 0.05, free_s = 0.01;
/* In a race, where each runs more often. */
static const double few_runs = 3;
/* What the reference may take where somebody else could be asked. */
static const double brief_s = 5e-3;

typedef struct plan {
    due due;
    bool compared, again; /* again: an earlier look at this problem came to nothing */
    bool thorough;
    double work;      /* of the call */
    double spare_s;   /* what may be spent */
    bool pays;        /* it is spent of that */
    le__arm *trusted; /* NULL: the reference */
    le__candidate reference;
    bool has_reference;
} plan;

static due what_is_due(le__question *q, const le_call *call, const le__arm *arm, plan *p) {
    if (arm->candidate.implementation->flags & LE_IMPL_REFERENCE || q->mode == LE_MODE_FROZEN)
        return NOT_DUE;
    p->work = le__call_operations(call);
    pthread_mutex_lock(&q->op->mutex);
    const le__verdict *v = le__proof_find(arm->proof, q->kind, q->size_class);
    bool known = v && v->state == LE__PROVEN, larger = known && !is_vouched_for(v, p->work);
    const le__verdict *trial = le__proof_find(arm->proof, q->kind, LE__CLASS_TRIAL);
    unsigned seen = q->seen[arm->index];
    p->again = known ? seen & LE__SEEN_COMPARED
                     : v && v->ran && !(seen & LE__SEEN_REFUSED) && !(trial && trial->untold);
    pthread_mutex_unlock(&q->op->mutex);
    return !known                     ? DUE_FIRST
           : larger                   ? DUE_LARGER
           : seen & LE__SEEN_COMPARED ? NOT_DUE
                                      : DUE_OTHER;
}

static double spare(le__dispatch *d, le__question *q) {
    double answered = le__policy_answered(d->policy, q->op->family);
    pthread_mutex_lock(&q->op->mutex);
    double spent = q->op->compared_s;
    pthread_mutex_unlock(&q->op->mutex);
    return free_s + share * answered - spent;
}

static le__rate rate_of(le__question *q, const plan *p) {
    pthread_mutex_lock(&q->op->mutex);
    le__rate rate = p->trusted ? p->trusted->proof->rate : q->op->reference;
    pthread_mutex_unlock(&q->op->mutex);
    return rate;
}

/* Seconds that the second answer should take: as measured of who gives it, else, as mostly of the
 * reference, by what the arm takes and speeds claim of both, unless a trial knows better. */
static double expected(le__dispatch *d, le__question *q, const le_call *call, const le__arm *arm,
                       const plan *p) {
    le__rate rate = rate_of(q, p);
    le__policy_view own = {0};
    if (p->trusted)
        own = le__question_expects(d->policy, q, p->trusted);
    if (own.seconds > 0)
        return le__rate_seconds(&rate, p->work, own.seconds);
    const le__candidate *by = p->trusted ? &p->trusted->candidate : &p->reference;
    le__policy_view view = le__question_expects(d->policy, q, arm);
    double claimed = view.seconds * le__arm_speed(&arm->candidate, call) / le__arm_speed(by, call);
    bool guess = !(view.samples > 0) && rate.most > 0;
    return le__rate_seconds(&rate, p->work, guess ? INFINITY : claimed);
}

/* The reference where it is brief and nobody has been compared at this size; else who is trusted.
 * The scalar C implementation is proven for that when nobody is. */
static void choose_second(le__dispatch *d, le__question *q, le_call *call, le__arm *arm, plan *p,
                          double *spent) {
    bool vouched;
    p->has_reference = le__reference_candidate(d->engine, call->entry, &p->reference);
    pthread_mutex_lock(&q->op->mutex);
    le__arm *best = trusted_arm(q, call, arm, p->work, &vouched);
    le__arm *c = best ? NULL : c_arm(q, call, arm);
    pthread_mutex_unlock(&q->op->mutex);
    if (!vouched && p->has_reference && expected(d, q, call, arm, p) <= brief_s)
        return;
    p->trusted = best;
    if (c && p->due != DUE_OTHER && le__dispatch_prove(d, q, call, c, spent) && is_told(q, c))
        p->trusted = c;
}

/* The reference's answer to the whole is worth the wait in benchmarks (thorough), and once in a
 * size class (where it is not far slower). Other problems, and what came to nothing, are compared
 * when that has been earned. */
static bool is_worth_it(le__dispatch *d, le__question *q, const le_call *call, const le__arm *arm,
                        plan *p) {
    if (!p->trusted && !p->has_reference)
        return false;
    bool free = p->due != DUE_OTHER && (!p->again || p->thorough);
    if (free || (p->due == DUE_FIRST && (p->trusted || call->operation->part)))
        return true;
    double second_s = expected(d, q, call, arm, p);
    p->pays = true;
    return second_s <= p->spare_s ||
           (p->thorough &&
            second_s <= fmax(few_runs * le__question_expects(d->policy, q, arm).seconds, free_s));
}

/* What is compared has to come to the host, which nobody asked for. */
static bool stays_on_device(const le_call *call, const le__arm *arm) {
    return arm->candidate.device->kind != LE_DEVICE_CPU &&
           (call->step || call->want.keep_on_device);
}

static plan make_plan(le__dispatch *d, le__question *q, le_call *call, le__arm *arm, bool thorough,
                      double *spent) {
    plan p = {.thorough = thorough};
    p.due = what_is_due(q, call, arm, &p);
    if (p.due == DUE_OTHER && stays_on_device(call, arm))
        p.due = NOT_DUE;
    if (p.due == NOT_DUE || call->beside)
        return p;
    p.spare_s = spare(d, q);
    if (p.due == DUE_OTHER && !thorough && p.spare_s <= 0)
        return p;
    choose_second(d, q, call, arm, &p, spent);
    p.compared = is_worth_it(d, q, call, arm, &p);
    return p;
}

static void note(le__question *q, const le__arm *arm, le__seen what) {
    pthread_mutex_lock(&q->op->mutex);
    for (size_t i = 0; i < q->n_arms; i++)
        if (q->op->arms[i]->proof == arm->proof)
            q->seen[i] |= (unsigned char)what;
    pthread_mutex_unlock(&q->op->mutex);
}

static void pay(le__question *q, const plan *p, double seconds) {
    if (!p->pays)
        return;
    pthread_mutex_lock(&q->op->mutex);
    q->op->compared_s += seconds;
    pthread_mutex_unlock(&q->op->mutex);
}

/* --- doing it --- */

/* Into memory of its own when the answer may still be refused. Edges are only for the CPU: a device
 * would have to be sent them. */
static le_status run_watched(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                             const plan *p, le__outputs outputs, double *spent) {
    bool host = arm->candidate.device->kind == LE_DEVICE_CPU, single = host && !call->step;
    le__first_run f = {.first = false};
    le_status status = LE_OK;
    double start = le__now();
    if (p->due == DUE_FIRST || (p->due == DUE_LARGER && single && !p->again))
        status = le__first_run_begin(&f, d, q, arm, call->step ? NULL : call, p->due == DUE_LARGER);
    *spent += f.first ? le__now() - start : 0;
    bool edged = single && (f.first || p->due == DUE_OTHER);
    if (status != LE_OK) {
        le__first_run_end(&f);
        return status;
    }
    call->first = f.first;
    status = le__execute(call, &arm->candidate, edged ? LE__OUTPUTS_EDGED : outputs);
    call->first = false;
    if ((edged || !host || call->step) && status != LE_ERR_CANCELLED)
        f.watched = true;
    le__first_run_end(&f);
    if (!edged || (status != LE_OK && !call->stopped))
        return status;
    le_status strays = le__guard_check(call);
    call->stopped = call->stopped && strays == LE_OK; /* what wrote elsewhere is at fault */
    return strays != LE_OK ? strays : status;
}

/* It may be the first run at this size of who gives it, which nothing stops but a hang. */
static le_status begin_second(le__first_run *f, le__dispatch *d, le__question *q, le_call *call,
                              le__arm *trusted) {
    call->stop_after = 0;
    le_status status = le__first_run_begin(f, d, q, trusted, call->step ? NULL : call, false);
    if (status != LE_OK && status != LE_ERR_CANCELLED)
        le__dispatch_failed(d, q, trusted, status);
    return status;
}

static le_status second_answer(le__dispatch *d, le__question *q, le_call *call, le__arm *trusted,
                               le__comparison *c) {
    le__run_stats stats = call->stats;
    le__first_run f;
    le_status status = LE_OK;
    le__ticker_part whole = le__ticker_narrow(le__ticker_here(), NAN, NAN); /* the call is done */
    if (trusted)
        status = begin_second(&f, d, q, call, trusted);
    if (status == LE_OK)
        status = le__compare(c);
    le__ticker_widen(le__ticker_here(), whole);
    if (trusted)
        le__first_run_end(&f);
    call->stats = stats;
    return status;
}

/* Where the one that was to give it must not run at this size: there is another one. */
static bool choose_another(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                           const plan *p, plan *next, double *spent) {
    *next = *p;
    next->pays = false;
    next->trusted = NULL;
    pthread_mutex_lock(&q->op->mutex);
    bool broken = p->trusted && le__proof_fault(p->trusted->proof, q->kind, q->size_class);
    pthread_mutex_unlock(&q->op->mutex);
    if (!broken)
        return false;
    choose_second(d, q, call, arm, next, spent);
    return is_worth_it(d, q, call, arm, next);
}

/* Nobody is to blame: an operation takes what its reference takes, whoever answers. */
static bool is_refused(const le__comparison *c) {
    return c->refused && c->by_reference;
}

static le_status compare_with(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                              const plan *p, double *spent) {
    plan next;
    le__comparison c = {.call = call,
                        .arm = &arm->candidate,
                        .by = p->trusted ? &p->trusted->candidate : &p->reference,
                        .by_reference = !p->trusted,
                        .rate = rate_of(q, p),
                        .most_s = p->pays ? p->spare_s : 0,
                        .thorough = p->thorough};
    double start = le__now(), before = *spent;
    le_status status = second_answer(d, q, call, p->trusted, &c);
    *spent += le__now() - start;
    keep_rate(q, &c, p->trusted);
    le__arm *trusted = p->trusted;
    if (c.refused && trusted && p->has_reference) {
        status = ask_reference(&c, &p->reference, spent);
        trusted = NULL;
    }
    if (status == LE_OK)
        status = judge_answer(d, q, call, arm, &c, trusted, spent);
    else if (status != LE_ERR_CANCELLED && !is_refused(&c)) /* the answer stands */
        return choose_another(d, q, call, arm, p, &next, spent)
                   ? compare_with(d, q, call, arm, &next, spent)
                   : LE_OK;
    if (is_refused(&c))
        note(q, arm, LE__SEEN_REFUSED);
    pay(q, p, *spent - before);
    if (status != LE_OK)
        return status;
    keep_class(d, q, arm, &c, trusted, p->work);
    if (le__error_allows(&c.error, call->want.atol + (c.by_reference ? 0 : c.error.max_abs),
                         call->want.rtol))
        return LE_OK;
    return le_fail(LE_ERR_UNSUPPORTED, "its error is above the tolerance of the call");
}

/* A step's values stay where they are: what is compared is a view of them on the host. */
typedef struct look {
    le__dispatch *dispatch;
    le__question *question;
    le__arm *arm;
    const plan *plan;
    double *spent;
} look;

static le_status compare_view(void *context, le_call *view) {
    const look *l = context;
    return compare_with(l->dispatch, l->question, view, l->arm, l->plan, l->spent);
}

/* Its word on the call is the last one: the library's own has tests, and who is asked for by name
 * speaks for all. */
static bool has_last_word(const le_call *call, const le_implementation *impl) {
    return call->step || le__call_forces(call).implementation ||
           impl->flags & (LE_IMPL_REFERENCE | LE__IMPL_STAGED) ||
           le__registry_is_builtin(call->entry, impl);
}

/* A mistake of an arm's must not end a call that others would answer. */
le_status le__dispatch_heed(le__dispatch *d, le_call *call, const le__arm *arm, le_status status) {
    le__candidate reference;
    char text[1024]; /* as long as one can be */
    if (!(call->no_room || le__is_refusal(status)) ||
        has_last_word(call, arm->candidate.implementation) ||
        !le__reference_candidate(d->engine, call->entry, &reference))
        return status;
    if (call->no_room) { /* for rows of which the reference may know fewer */
        call->no_room = !le__counted_grew(call);
        return status;
    }
    snprintf(text, sizeof text, "%s", le_error_message());
    if (le__reference_takes(call, &reference))
        return le_fail(LE_ERR_WRONG_RESULT, "refuses a call that the reference answers: %s", text);
    if (le__ticker_over(le__ticker_here()))
        return le__ticker_fail(call->operation->name);
    return le_fail(status, "%s", text);
}

le_status le__dispatch_run_arm(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                               bool thorough, double *spent) {
    bool may_stop = call->stop_after > 0 && le__can_be_stopped(&arm->candidate);
    le__outputs outputs = may_stop ? LE__OUTPUTS_APART : LE__OUTPUTS_IN_PLACE;
    call->inputs_moved = le__problem_hash(call) != q->hash;
    plan p = make_plan(d, q, call, arm, thorough && !call->step, spent);
    if (!p.compared && p.due != DUE_FIRST)
        return le__dispatch_heed(d, call, arm, le__execute(call, &arm->candidate, outputs));
    le_status status =
        run_watched(d, q, call, arm, &p, p.compared ? LE__OUTPUTS_APART : outputs, spent);
    status = le__dispatch_heed(d, call, arm, status);
    if (status != LE_OK || !p.compared)
        return status;
    note(q, arm, LE__SEEN_COMPARED);
    if (!call->step)
        return compare_with(d, q, call, arm, &p, spent);
    look l = {d, q, arm, &p, spent};
    return call->step->view(call, compare_view, &l);
}
