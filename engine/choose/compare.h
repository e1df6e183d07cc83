/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Another candidate's answer to a call, compared with the one that is there.
 */
#ifndef LE_COMPARE_H
#define LE_COMPARE_H

#include "call/case.h"
#include "choose/arm.h"

typedef struct le__second_answer { /* to the same inputs, or to the sample's */
    le_tensor outputs[LE_MAX_ARGS];
    le_arg args[LE_MAX_ARGS + 2];
    le_call call;
} le__second_answer;

typedef struct le__comparison {
    const le__candidate *arm, *by; /* who is judged, the trusted candidate */
    bool by_reference;
    le_call *call; /* with the answer that is judged */
    le__rate rate; /* of who is trusted */
    double most_s; /* that the reference may take, where that is more than it may anyway */
    bool thorough; /* it may take as long as it likes */
    bool sampled;  /* sample and first hold what is compared instead of the whole */
    le_case sample;
    int64_t first; /* LE_PART_APART: the sample is answered by both */
    le__second_answer trusted, own;
    le__error_profile error; /* the outcome */
    bool refused;            /* the trusted candidate says that the call is a mistake */
    double seconds;          /* that the trusted candidate's answer took; 0: there is none */
    double work;             /* operations of that */
    char counts[160];        /* in which numbers of rows differ */
} le__comparison;

/* That the call is a mistake of whoever makes it. */
bool le__is_refusal(le_status status);
/* Whether the reference answers a call that somebody has refused. */
bool le__reference_takes(le_call *call, const le__candidate *reference);

/* Only the fields up to thorough are to be set. Not LE_OK: there is no second answer. */
le_status le__compare(le__comparison *c);

#endif
