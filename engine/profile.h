/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Recording events for a profile. Nothing is done, and next to nothing paid, while none is under
 * way.
 */
#ifndef LE_PROFILE_H
#define LE_PROFILE_H

#include "candidate.h"

/* One run of a candidate that began at `start` (le__now). */
void le__profile_run(le_engine *engine, const le_call *call, const le__candidate *candidate,
                     double start);
/* Ends and frees a profile that nobody stopped. */
void le__profile_close(le_engine *engine);

#endif
