/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Statistics of run times: mergeable moments and quantiles, summaries, intervals and a
 * bounded reservoir. Pure functions on the caller's memory: no allocation except where
 * said, no global state; different threads may use different objects at the same time.
 */
#ifndef LE_STATS_H
#define LE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- moments: count, mean and sum of squared deviations; {0} is empty */

typedef struct le_moments {
    int64_t n;
    double mean;
    double m2; /* sum of (x - mean)^2 */
} le_moments;

/* Welford's update. */
void le_moments_add(le_moments *m, double x);
/* Chan, Golub, LeVeque: the moments of both sets together; exact but for rounding. */
void le_moments_merge(le_moments *m, const le_moments *other);
/* Sample variance m2/(n-1); NaN for n < 2. */
double le_moments_variance(const le_moments *m);
/* Two-sided t interval of the mean at this confidence (0.9: 5 % outside at each end). false, with
 * both ends infinite, for n < 2. */
bool le_moments_interval(const le_moments *m, double confidence, double *low, double *high);

/* --- summaries of plain arrays; no order needed, the array is not changed */

/* Quantile q in [0,1], linear between order statistics (numpy's default, R type 7). NaN for n == 0
 * or when out of memory (allocates for n > 256). */
double le_stats_quantile(const double *x, size_t n, double q);
double le_stats_median(const double *x, size_t n);

/* --- distributions ---------------------------------------------------------------------------- */

/* Quantile of Student's t with df > 0 degrees of freedom, p in (0,1). */
double le_stats_t_quantile(double p, double df);
double le_stats_t_cdf(double t, double df);

/* --- quantile sketch: histogram of log time, mergeable, relative error at most 1 % */

#define LE_SKETCH_BINS 96 /* at most; beyond, the lowest bins are joined */

typedef struct le_sketch {
    uint16_t count;              /* bins in use */
    int16_t bin[LE_SKETCH_BINS]; /* ascending: bin b holds (g^(b-1), g^b] seconds, g = 1.02 */
    uint32_t n[LE_SKETCH_BINS];
} le_sketch;

void le_sketch_add(le_sketch *s, double seconds, uint32_t times);
void le_sketch_merge(le_sketch *s, const le_sketch *other);
/* NaN when empty. */
double le_sketch_quantile(const le_sketch *s, double q);
int64_t le_sketch_total(const le_sketch *s);

/* --- reservoir: uniform choice of at most `capacity` items out of a stream */

/* Where item number `seen` (from 0) goes: a slot in [0,capacity), or -1 to leave it out. Algorithm
 * R (Vitter 1985); *state is the state of the generator, any value to start with. */
int le_reservoir_slot(uint64_t *state, int64_t seen, int capacity);

/* splitmix64: next number of the sequence of *state. */
uint64_t le_stats_random(uint64_t *state);

#endif
