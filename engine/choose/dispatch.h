/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * From a bound call to its answer: known choice, else candidates, policy, proof, execution; the
 * next candidate when one fails.
 */
#ifndef LE_DISPATCH_H
#define LE_DISPATCH_H

#include "call/engine.h"
#include "choose/shares.h"
#include "choose/slate.h"
#include "choose/store.h"
#include "choose/transfer.h"
#include "core/conditions.h"
#include "liquid_engine/le_bench.h"

typedef struct le__dispatch {
    le_engine *engine;
    le__policy *policy;
    le__store *store;
    le__monitor *monitor;
    le__questions *questions;
    le__shares *shares;
    pthread_mutex_t mutex; /* guards states */
    le__op_state **states; /* by operation id */
    size_t n_states;
    pthread_mutex_t transfer_mutex; /* guards transfers */
    le__transfer transfers[LE__MAX_DEVICES];
} le__dispatch;

le_status le__dispatch_open(le__dispatch **out, le_engine *engine);
void le__dispatch_close(le__dispatch *d);

typedef struct le__answered { /* how a call was answered */
    le__arm *arm;
    le__why why;
    bool others;         /* were tried, compared or raced for it */
    double best_seconds; /* of the best known, where this arm was only tried; else 0 */
} le__answered;

/* Answers a bound call, or a step, into call->args[].tensor; the caller commits. */
le_status le__dispatch_answer(le__dispatch *d, le_call *call, le__answered *out);
/* The question that a bound call asks, made when new; to be released (ask.c). */
le_status le__dispatch_question(le__dispatch *d, le_call *call, le__question **out);
/* Who may answer the call, as things are now; the slate may be empty. */
le_status le__dispatch_slate(le__dispatch *d, le__question *q, le_call *call, le__slate *out);
/* What the policy thinks of them, for the caller to free; NULL without memory or entries. */
le__policy_view *le__dispatch_views(le__dispatch *d, const le__slate *slate, const le_call *call);
typedef struct le__decision {
    le__arm *arm;
    le__policy_decision of;
} le__decision;
/* The arm that is to answer, unproven perhaps. */
/* stopped: a run for this call was, the caller has waited enough for exploring. */
le_status le__dispatch_decide(le__dispatch *d, le__question *q, le_call *call, bool stopped,
                              le__decision *out);
/* Proves an arm for the call's kind if that has not been done; false when it failed (the verdict is
 * kept), or when the call has waited for trials long enough (the arm is set aside). seconds spent
 * are added to *spent. */
bool le__dispatch_prove(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                        double *spent);
/* Proves those for whose trials there was no memory, when their pause is over; whether somebody
 * was. */
bool le__dispatch_prove_rested(le__dispatch *d, le__question *q, le_call *call);
/* Verdicts of trials that went on after their time limit and have ended since. Mutex of the
 * operation held. */
void le__dispatch_settle(le__dispatch *d, le__question *q, le_call *call);
/* Runs the call by a proven arm. The first run in a size class, a larger one, and others as far as
 * that is no burden, are compared with the answer of a trusted candidate (confirm.c). On LE_OK the
 * answer is in the call's tensors. */
le_status le__dispatch_run_arm(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                               bool thorough, double *spent);
/* The caller's own mistakes, and what no other candidate would do better. */
bool le__is_callers(le_status status);
/* What a run by the arm has said of the call: that it is a mistake is believed where the reference
 * says so, too, or cannot be asked (by steps), and of the library's own implementations and of who
 * was asked for by name. Else the arm is at fault: LE_ERR_WRONG_RESULT. */
le_status le__dispatch_heed(le__dispatch *d, le_call *call, const le__arm *arm, le_status status);
/* Keeps the verdict of a failure: another candidate is to answer instead. */
void le__dispatch_failed(le__dispatch *d, le__question *q, le__arm *arm, le_status status);
bool le__has_opencl(const le__operation_entry *e); /* an implementation for it */
/* Finds the devices that the question may use, and its arms (ask.c). */
le_status le__dispatch_prepare(le__dispatch *d, le__question *q, le_call *call);
/* Whether, beside a stored choice, an implementation is there that has never run on the problem and
 * may be faster (race.c). */
bool le__dispatch_has_newcomers(le__dispatch *d, le__question *q, le_call *call);
/* A race over all candidates of the question, beside a stored choice over newcomers (race.c);
 * whether any of them ran. */
bool le__dispatch_race(le__dispatch *d, le__question *q, le_call *call);

/* The same over all candidates, by several processes; without a race only trials of those that
 * would be asked first, a member each another one (race_team.c). */
le_status le__dispatch_together(le__dispatch *d, le__question *q, le_call *call,
                                const le_bench_team *team, bool race);

/* le_bench_hand_out, le_bench_hand_in (news.c). */
le_status le__dispatch_hand_out(le__dispatch *d, le_bench_news what, char **text, size_t *size);
le_status le__dispatch_hand_in(le__dispatch *d, le_bench_news what, const char *text, size_t size);

/* For le_last_run. */
void le__last_run_set(const le_call *call, const le__answered *answered);

#endif
