/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What a trace answers: the order in which recorded samples are drawn, and the noise of modelled ones.
 * Every number hangs on the seed, the problem and the candidate only, so that two policies that run
 * different candidates meet the same machine.
 */
#ifndef LE_ENGINE_POLICY_DRAW_H
#define LE_ENGINE_POLICY_DRAW_H

#include <stdint.h>

#include "policy/trace.h"

typedef struct le__draw le__draw;

/* NULL when out of memory. The trace is not copied. */
le__draw *le__draw_new(const le__trace *trace, uint64_t seed);
void le__draw_free(le__draw *draw);

/* Seconds of the next run of a candidate on a problem, without slowness. Recorded: index 0 first, a
 * cold run, then the others in an order of the seed's, again and again. */
double le__draw_next(le__draw *draw, int problem, int candidate, bool *cold);

#endif
