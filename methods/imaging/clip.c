/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What is asked of a clip, and its results.
 */
#include "imaging/clip.h"

#include <string.h>

const char *const le__im_centers[] = {"median", "mean", NULL};
const char *const le__im_deviations[] = {"std", "mad_std", NULL};
const char *const le__im_bounds[] = {"open", "closed", NULL};
const char *const le__im_keep_words[] = {"sequential", "last", NULL};

le__im_clip le__im_clip_of(const le_call *call, int first) {
    return (le__im_clip){
        .mean = !strcmp(le_call_str(call, first + LE__IM_CENTER), "mean"),
        .mad = !strcmp(le_call_str(call, first + LE__IM_DEVIATION), "mad_std"),
        .closed = !strcmp(le_call_str(call, first + LE__IM_BOUNDS), "closed"),
        .readmit = !strcmp(le_call_str(call, first + LE__IM_KEEP), "last"),
        .sigma_lower = le_call_f64(call, first + LE__IM_SIGMA_LOWER),
        .sigma_upper = le_call_f64(call, first + LE__IM_SIGMA_UPPER),
        .maxiters = le_call_i64(call, first + LE__IM_MAXITERS),
    };
}

void le__im_statistics(const le__im_clipped *c, int64_t step, double *out) {
    const double all[LE__IM_STATISTICS] = {(double)c->count,
                                           (double)c->rejected,
                                           (double)c->iterations,
                                           c->median,
                                           c->mean,
                                           c->std,
                                           c->lower,
                                           c->upper,
                                           c->minimum,
                                           c->maximum};
    for (int k = 0; k < LE__IM_STATISTICS; k++)
        out[k * step] = all[k];
}

/* 0 deviations are nothing, also of an infinite one. */
static double reach_of(double sigma, double deviation) {
    return sigma > 0 ? sigma * deviation : 0;
}

/* Nothing is beyond an infinite deviation, though the center be no number. */
static double bound_of(double center, double by) {
    return isinf(by) ? by : center + by;
}

le__im_limits le__im_clip_limits(const le__im_clip *clip, double center, double deviation) {
    return (le__im_limits){.lower = bound_of(center, -reach_of(clip->sigma_lower, deviation)),
                           .upper = bound_of(center, reach_of(clip->sigma_upper, deviation)),
                           .closed = clip->closed || deviation == 0};
}

le__im_moments le__im_moments_of(int64_t n, double shift, le__dd sum, le__dd sum2) {
    const double count = (double)n;
    const le__dd mean = le__dd_divide(sum, count), square = le__dd_multiply(mean, sum);
    const le__dd rest = le__dd_add(sum2, (le__dd){-square.hi, -square.lo});
    const double variance = le__dd_divide(rest, count).hi;
    return (le__im_moments){.mean = le__dd_add(mean, (le__dd){shift, 0}).hi,
                            .std = le__im_std_of(variance)};
}

void le__im_add_exactly(const double *values, int64_t n, double shift, le__dd *sum, le__dd *sum2) {
    for (int64_t i = 0; i < n; i++) {
        const le__dd d = le__dd_sum(values[i], -shift);
        *sum = le__dd_add(*sum, d);
        *sum2 = le__dd_add(*sum2, le__dd_multiply(d, d));
    }
}

static double off(double a, double b, double scale) {
    if (a == b || (isnan(a) && isnan(b)))
        return 0;
    return isfinite(a) && isfinite(b) ? fabs(a - b) / scale : INFINITY;
}

double le__im_compare_statistics(const double *a, const double *b, int64_t step, double rounded) {
    const double std = fabs(b[5 * step]), mean = fabs(b[4 * step]);
    const double largest = fmax(mean, fmax(fabs(b[6 * step]), fabs(b[7 * step])));
    /* the deviation of few pixels may be 0, rounding is in parts of the largest number */
    const double scale = std + 1e-4 * largest + rounded + 1e-300;
    double worst = 0;
    for (int k = 0; k < LE__IM_STATISTICS; k++) {
        const bool near = rounded > 0 ? k > 2 : k >= 4 && k <= 7, bound = k == 6 || k == 7;
        /* a bound lies many deviations away, and with it lies what is off in the deviation */
        const double away = bound ? 0.1 * fabs(b[k * step] - b[4 * step]) : 0;
        const double parts = near ? (away > scale ? away : scale) : 1e-300;
        const double by = off(a[k * step], b[k * step], parts);
        worst = fmax(worst, near || by == 0 ? by : INFINITY);
    }
    return worst;
}
