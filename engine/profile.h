/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Recording events for a profile. Nothing is done, and next to nothing paid, while none is under
 * way.
 */
#ifndef LE_PROFILE_H
#define LE_PROFILE_H

#include "choose/candidate.h"

typedef struct le__profile_span {
    double start;
    int loops; /* of the run around it */
} le__profile_span;

/* Around one run of a candidate; runs may contain others (steps of chains). */
le__profile_span le__profile_begin(void);
void le__profile_end(const le_call *call, const le__candidate *candidate, le__profile_span span);
/* Runs around what this thread does; for a thread that does a part of another one's run. */
int le__profile_depth(void);
void le__profile_set_depth(int depth);
/* A parallel loop that began at `start` (le__now). Only while call->engine->profile is set. */
void le__profile_loop(const le_call *call, double start);
/* Ends and frees a profile that nobody stopped. */
void le__profile_close(le_engine *engine);

#endif
