/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A slate: who may answer a call now, as the policy wants to be asked about them.
 */
#ifndef LE_SLATE_H
#define LE_SLATE_H

#include "choose/question.h"

typedef struct le__slate { /* in canonical order */
    const le__question *question;
    le__arm **arms;
    le__policy_allowed *allowed;
    size_t n;
} le__slate;

/* Why an arm may not answer the call; NULL: it may. Mutex of the operation held. */
const char *le__arm_objection(const le__question *q, const le_call *call, const le__arm *arm);

/* Whether it is what the chain of the call asks for by name. */
bool le__arm_is_liked(const le__constraint *want, const le__arm *arm);

/* Seconds that a run of the arm takes at least, by its trial; 0: unknown. Mutex of the operation
 * held. */
double le__arm_takes_at_least(const le__question *q, const le__arm *arm);
/* The same for schedules of the same code with the same threads. */
uint64_t le__arm_kin(const le__arm *arm);
/* Whether a run of the call by the arm goes on to its end. */
bool le__arm_cannot_be_stopped(const le_call *call, const le__arm *arm);

/* Fills the slate, which may be empty; without memory it is an error. Of a call that trials have
 * delayed for long those stay that need none, if there are any; of a reproducible one a single
 * implementation. Mutex of the operation held. */
le_status le__slate_make(const le__question *q, const le_call *call, le__slate *out);
void le__slate_free(le__slate *s);
/* The first n entries that `keep` says true for stay. */
typedef bool (*le__slate_test)(const le__slate *s, size_t i, const void *context);
void le__slate_keep(le__slate *s, le__slate_test keep, const void *context);
/* What the policy is asked. */
le__policy_question le__slate_question(const le__slate *s, const le_call *call, bool may_explore);

/* How careful a call has become that waited for trials: 0 not at all; 1: proven arms, plain C and
 * the reference may answer; 2: the first and the last of these. */
int le__caution(const le_call *call);
bool le__is_safe(const le__question *q, const le__arm *arm, int caution);

/* What the policy thinks that one arm takes for the question. */
le__policy_view le__question_expects(le__policy *policy, const le__question *q, const le__arm *arm);

#endif
