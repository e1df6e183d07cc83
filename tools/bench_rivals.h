/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The choice and its rivals, timed in interleaved rounds.
 */
#ifndef LE_BENCH_RIVALS_H
#define LE_BENCH_RIVALS_H

#include "bench_target.h"

typedef struct bench_rival {
    size_t index; /* of the candidate */
    const char *text;
    double *seconds; /* one a round */
    double median;
} bench_rival;

/* Times the engine's choice, which comes first, and all that are close to it, in so many rounds; no
 * further one begins after that moment, and *rounds are those that were run. The list is for
 * bench_rivals_free, at any rate. false after a message, or when interrupted. */
bool bench_rivals_run(bench_target *t, int *rounds, double until, bool quiet, bench_rival **list,
                      size_t *n);
void bench_rivals_free(bench_rival *list, size_t n);
/* Share by which list[which], 0 for the choice, is above the best. The best is picked by half of
 * the rounds and compared in the other half, and the other way round: who is picked for a low
 * median among many alike would seem better than he is. So it may be a little below 0. */
double bench_rivals_above(const bench_rival *list, size_t n, int rounds, size_t which);
/* The candidate that is the best by all rounds. */
size_t bench_rivals_best(const bench_rival *list, size_t n, int rounds);
/* Seconds of the fastest candidate by a few runs of each. */
double bench_rivals_fastest(bench_target *t);

#endif
