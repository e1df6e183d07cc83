/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What races of one process (race.c) and of several (race_team.c) share.
 */
#ifndef LE_RACE_H
#define LE_RACE_H

#include "choose/dispatch.h"

/* What is to be known before times are compared: devices, arms, what moving arguments takes. */
le_status le__race_prepare(le__dispatch *d, le__question *q, le_call *call);
/* Nobody waits for the reference in every race. */
bool le__race_is_for(const le__slate *slate, size_t i);
/* Whether the arm's trial is put off or goes on. */
bool le__race_is_aside(le__question *q, const le__arm *arm);
/* The deadline of le_bench_limit_races has passed: what is known answers, and no choice is kept. */
bool le__race_is_late(const le__dispatch *d);
/* Runs the candidates of the slate, to the end of the race or its deadline. False: the call is
 * mistaken, as are its data for instance, or there is no memory for its outputs, which says nothing
 * of them. */
bool le__race_run(le__dispatch *d, le__question *q, le_call *call, const le__slate *slate,
                  le__policy_race *race);
/* Keeps the choice, an index into the slate; whole: among all who could be tried. */
void le__race_keep(le__dispatch *d, le__question *q, const le__slate *slate, bool whole,
                   const le__policy_race_result *r);

#endif
