/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What is told of runs (observe.c).
 */
#ifndef LE_OBSERVE_H
#define LE_OBSERVE_H

#include "choose/dispatch.h"

typedef struct le__attempt {
    bool ready;   /* the arm is proven, and no trial of it showed that it is too slow */
    bool shaken;  /* it came right after one of another arm that was stopped */
    double spent; /* seconds beside that run */
} le__attempt;

/* Whether the call has waited for a trial, after which caches hold other things. */
bool le__attempt_waited(const le__attempt *a);
/* Of one run, to the policy and the database. Nothing of a run beside others. */
void le__observe_run(le__dispatch *d, le__question *q, const le__decision *of, const le_call *call,
                     const le__attempt *a);
/* Of the runs by the known choice since the last time. */
void le__observe_known(le__dispatch *d, le__question *q);
/* What the decision was becomes the known choice, and in learn the stored one. */
void le__observe_choice(le__dispatch *d, le__question *q, const le_call *call,
                        const le__decision *c);

#endif
