/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Random traces of the kinds that the policy must be good at, as JSON text (malloc'ed; NULL when out
 * of memory). The same seed gives the same trace.
 */
#ifndef LE_TESTS_REPLAY_GENERATE_H
#define LE_TESTS_REPLAY_GENERATE_H

#include <stdbool.h>
#include <stdint.h>

/* 12 configurations of a GPU kernel, 32 runs of each recorded: clocks that step, long warm-ups, cold
 * runs that are faster, plain noise. near: all within 15 % of the best. */
char *generate_pool(uint64_t seed, bool near);
/* 3 to 20 configurations with quiet, heavy-tailed, correlated or late noise; cold runs that take up to
 * three times the best more; times up to 80 times apart. */
char *generate_other(uint64_t seed, bool near);
/* GPU 1.0, threads 1.5, single 8.0, 5 % noise; the GPU `factor` slower in calls 150 to 249 of 400. */
char *generate_delay(uint64_t seed, double factor);
/* 240 sizes over seven decades, called 1 to 5 times each; 8 candidates with cost laws. */
char *generate_sizes(uint64_t seed);

#endif
