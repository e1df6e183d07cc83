/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * From a bound call to its answer: known choice, else candidates, policy, proof, execution; the
 * next candidate when one fails.
 */
#ifndef LE_DISPATCH_H
#define LE_DISPATCH_H

#include "core/conditions.h"
#include "choose/question.h"
#include "choose/store.h"

typedef struct le__dispatch {
    le_engine *engine;
    le__policy *policy;
    le__store *store;
    le__monitor *monitor;
    le__questions *questions;
    pthread_mutex_t mutex; /* guards states */
    le__op_state **states; /* by operation id */
    size_t n_states;
} le__dispatch;

le_status le__dispatch_open(le__dispatch **out, le_engine *engine);
void le__dispatch_close(le__dispatch *d);

/* Answers a bound call into call->args[].tensor; the caller commits. */
le_status le__dispatch_answer(le__dispatch *d, le_call *call);
/* The question that a bound call asks, made when new. */
le_status le__dispatch_question(le__dispatch *d, le_call *call, le__question **out);
/* Arms that may answer now, in canonical order; *allowed and *arms hold up to op->n_arms. Mutex of
 * the operation held. */
size_t le__dispatch_allowed(const le__question *q, const le_call *call, le__policy_allowed *allowed,
                            le__arm **arms);
/* For reproducible calls: keeps the arms of one implementation, that of the highest claimed speed,
 * so that nothing measured changes the bits. Returns how many. */
size_t le__dispatch_same_bits(le__policy_allowed *allowed, le__arm **arms, size_t n);
/* Of a call that trials have delayed for long already: keeps the arms that need none, if there are
 * any. Returns how many. Mutex of the operation held. */
size_t le__dispatch_keep_safe(const le__question *q, const le_call *call,
                              le__policy_allowed *allowed, le__arm **arms, size_t n);
/* Proves an arm for the call's kind if that has not been done; false when it failed (the verdict is
 * kept), or when the call has waited for trials long enough (the arm is set aside). seconds spent
 * are added to *spent. */
bool le__dispatch_prove(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                        double *spent);
/* Verdicts of trials that went on after their time limit and have ended since. Mutex of the
 * operation held. */
void le__dispatch_settle(le__dispatch *d, le__question *q, le_call *call);
/* Runs the call by a proven arm. The first run in a new size class is compared with the answer of a
 * trusted candidate. On LE_OK the answer is in the call's tensors. */
le_status le__dispatch_run_arm(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                               bool thorough, double *spent);
/* The comparison alone, for a call that the arm has answered on the host: whether it is due, and
 * its judgement. */
bool le__dispatch_is_new(le__question *q, const le__arm *arm);
le_status le__dispatch_compare(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                               double *spent);
/* Keeps the verdict of a failure; returns whether another candidate may answer instead. */
bool le__dispatch_failed(le__dispatch *d, le__question *q, le__arm *arm, le_status status);
/* Tells the policy, and the database, of one run. */
void le__dispatch_observe(le__dispatch *d, le__question *q, le__arm *arm, const le_call *call,
                          le__why why, double spent);
/* Finds the devices that the question may use, and its arms. */
le_status le__dispatch_prepare(le__dispatch *d, le__question *q, le_call *call);
/* Whether, beside a stored choice, an implementation is there that has never run on the problem and
 * may be faster (race.c). */
bool le__dispatch_has_newcomers(le__dispatch *d, le__question *q, le_call *call);
/* A race over all candidates of the question, beside a stored choice over newcomers (race.c). */
le_status le__dispatch_race(le__dispatch *d, le__question *q, le_call *call);

/* For le_last_run. */
void le__last_run_set(const le_call *call, const le__arm *arm, le__why why, int64_t measurements);

#endif
