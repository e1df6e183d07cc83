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

/* Times the engine's choice, which comes first, and all that are close to it. The list is for
 * bench_rivals_free, at any rate. false after a message, or when interrupted. */
bool bench_rivals_run(bench_target *t, int rounds, bool quiet, bench_rival **list, size_t *n);
void bench_rivals_free(bench_rival *list, size_t n);
/* The least median. */
double bench_rivals_best(const bench_rival *list, size_t n);
/* Seconds of the fastest candidate by a few runs of each. */
double bench_rivals_fastest(bench_target *t);

#endif
