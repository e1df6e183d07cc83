/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kappa-sigma clipping as it is written down in textbooks: center and deviation
 * of what is kept, what lies beyond the bounds goes, and again.
 */
#include "imaging/clip_reference.h"

/* Puts the k-th smallest number at its place, no greater ones before it
 * (Hoare's find). */
static double find(const le_call *call, double *v, int64_t n, int64_t k) {
    int64_t first = 0, last = n - 1;
    while (first < last) {
        if (last - first >= LE__IM_OFTEN && call && le_call_cancelled(call))
            break;
        const double pivot = v[first + (last - first) / 2];
        int64_t i = first, j = last;
        while (i <= j) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i <= j) {
                const double t = v[i];
                v[i++] = v[j];
                v[j--] = t;
            }
        }
        if (k <= j)
            last = j;
        else if (k >= i)
            first = i;
        else
            break;
    }
    return v[k];
}

static double median_of(const le_call *call, double *v, int64_t n) {
    const double upper = find(call, v, n, n / 2);
    if (n % 2)
        return upper;
    double lower = v[0];
    for (int64_t i = 1; i < n / 2; i++)
        lower = fmax(lower, v[i]);
    return (lower + upper) / 2;
}

static double mad_of(const le_call *call, const double *v, int64_t n, double median,
                     double *spare) {
    for (int64_t i = 0; i < n; i++)
        spare[i] = fabs(v[i] - median);
    return LE__IM_MAD_STD * median_of(call, spare, n);
}

static void describe(const le_call *call, double *v, int64_t n, le__im_clipped *c) {
    le__dd sum = {0, 0}, sum2 = {0, 0};
    c->minimum = c->maximum = v[0];
    for (int64_t i = 0; i < n; i++) {
        c->minimum = fmin(c->minimum, v[i]);
        c->maximum = fmax(c->maximum, v[i]);
    }
    c->median = median_of(call, v, n);
    for (int64_t i = 0, m; i < n && !le__im_over(call, i + LE__IM_OFTEN - 1); i += m) {
        m = n - i < LE__IM_OFTEN ? n - i : LE__IM_OFTEN;
        le__im_add_exactly(v + i, m, c->median, &sum, &sum2);
    }
    const le__im_moments m = le__im_moments_of(n, c->median, sum, sum2);
    const bool constant = c->minimum == c->maximum;
    c->mean = constant ? c->minimum : m.mean;
    c->std = constant ? 0 : m.std;
}

/* Moves what is within the bounds to the front. Returns how many that are. */
static int64_t keep_within(double *v, int64_t n, le__im_limits limits) {
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        const double x = v[i];
        if (!le__im_within(limits, x))
            continue;
        v[i] = v[kept];
        v[kept++] = x;
    }
    return kept;
}

le__im_clipped le__im_clip_reference(const le_call *call, const le__im_clip *clip, double *values,
                                     int64_t n, double *spare) {
    le__im_clipped c = {.lower = NAN, .upper = NAN};
    le__im_limits limits = {NAN, NAN, true};
    int64_t kept = n;
    while (kept > 0 && (!clip->maxiters || c.iterations < clip->maxiters)) {
        describe(call, values, kept, &c);
        if (kept >= LE__IM_OFTEN && call && le_call_cancelled(call))
            return c;
        const double deviation = clip->mad ? mad_of(call, values, kept, c.median, spare) : c.std;
        limits = le__im_clip_limits(clip, clip->mean ? c.mean : c.median, deviation);
        c.iterations++;
        c.lower = limits.lower;
        c.upper = limits.upper;
        const int64_t before = kept;
        kept = keep_within(values, kept, limits);
        if (kept == before)
            break;
    }
    if (clip->readmit && c.iterations > 0)
        kept = keep_within(values, n, limits);
    c.count = kept;
    c.rejected = n - kept;
    c.median = c.mean = c.std = c.minimum = c.maximum = NAN;
    if (kept > 0)
        describe(call, values, kept, &c);
    return c;
}
