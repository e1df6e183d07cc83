/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The order of numbers that are sorted, of which an inner part, the core, may be known by its sums
 * alone.
 */
#include "imaging/clip.h"
#include "imaging/clip_passes.h"

/* --- places --- */

/* Numbers of a list that are below the limit, or equal to it. */
static int64_t below(const double *list, int64_t n, double limit, bool equal) {
    int64_t begin = 0, end = n;
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        if (list[middle] < limit || (equal && list[middle] == limit))
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static bool rank_of(const void *of, double limit, bool equal, int64_t *out) {
    const le__im_sorted *v = of;
    if (v->n_core == 0 || limit <= v->core_lower) {
        *out = below(v->low, v->n_low, limit, equal);
        if (v->n_core == 0 && *out == v->n_low)
            *out += below(v->high, v->n_high, limit, equal);
        return true;
    }
    *out = v->n_low + v->n_core + below(v->high, v->n_high, limit, equal);
    return limit >= v->core_upper;
}

static bool value_at(const void *of, int64_t at, double *out) {
    const le__im_sorted *v = of;
    const int64_t in_core = at - v->n_low, in_window = in_core - v->n_below;
    if (in_core < 0)
        *out = v->low[at];
    else if (in_core >= v->n_core)
        *out = v->high[in_core - v->n_core];
    else if (in_window >= 0 && in_window < v->n_window)
        *out = v->window_at(v->context, in_window);
    else if (in_core == 0 || in_core == v->n_core - 1) /* no tail on this side */
        *out = v->extreme(v->context, in_core > 0);
    else
        return false;
    return true;
}

/* --- moments --- */

/* Places [begin, end) of the order. */
typedef struct part {
    int64_t begin, end;
} part;

typedef struct listed { /* of a part: numbers below the core, and above it */
    const double *list[2];
    int64_t n[2];
} listed;

static bool has_core(const le__im_sorted *v, part p) {
    return v->n_core > 0 && p.begin <= v->n_low && p.end >= v->n_low + v->n_core;
}

/* False: a part of the core would be needed. */
static bool lists_of(const le__im_sorted *v, part p, listed *out) {
    const int64_t high = v->n_low + v->n_core;
    const int64_t low_end = p.end < v->n_low ? p.end : v->n_low;
    const int64_t high_begin = p.begin > high ? p.begin : high;
    out->list[0] = v->low + p.begin;
    out->n[0] = low_end > p.begin ? low_end - p.begin : 0;
    out->list[1] = v->high + (high_begin - high);
    out->n[1] = p.end > high_begin ? p.end - high_begin : 0;
    return has_core(v, p) || out->n[0] + out->n[1] == p.end - p.begin;
}

enum { LANES = 8, BLOCK = 1024 };

static void add_quickly(const double *values, int64_t n, double shift, le__dd *sum, le__dd *sum2) {
    for (int64_t at = 0; at < n; at += BLOCK) {
        const int64_t m = n - at < BLOCK ? n - at : BLOCK;
        double s[LANES] = {0}, s2[LANES] = {0};
        for (int64_t i = 0; i < m; i++) {
            const double d = values[at + i] - shift;
            s[i % LANES] += d;
            s2[i % LANES] += d * d;
        }
        for (int k = 0; k < LANES; k++) {
            *sum = le__dd_add(*sum, (le__dd){s[k], 0});
            *sum2 = le__dd_add(*sum2, (le__dd){s2[k], 0});
        }
    }
}

/* The core's sums about another number. */
static void add_core(const le__im_sorted *v, bool exactly, double shift, le__dd *sum,
                     le__dd *sum2) {
    le__dd s = {v->sum, 0}, s2 = {v->sum2, 0};
    if (exactly)
        v->exact(v->context, &s, &s2);
    const le__dd by = le__dd_sum(v->shift, -shift), n = {(double)v->n_core, 0};
    const le__dd by_n = le__dd_multiply(by, n), twice = le__dd_multiply(by, s);
    *sum = le__dd_add(*sum, le__dd_add(s, by_n));
    *sum2 = le__dd_add(*sum2, le__dd_add(s2, le__dd_add(twice, twice)));
    *sum2 = le__dd_add(*sum2, le__dd_multiply(by, by_n));
}

static bool moments_of(const void *of, int64_t begin, int64_t end, double shift, bool exactly,
                       le__im_moments *out) {
    const le__im_sorted *v = of;
    const part p = {begin, end};
    listed lists;
    le__dd sum = {0, 0}, sum2 = {0, 0};
    if (!lists_of(v, p, &lists))
        return false;
    for (int k = 0; k < 2; k++)
        (exactly ? le__im_add_exactly : add_quickly)(lists.list[k], lists.n[k], shift, &sum, &sum2);
    if (has_core(v, p))
        add_core(v, exactly, shift, &sum, &sum2);
    *out = le__im_moments_of(p.end - p.begin, shift, sum, sum2);
    return true;
}

/* --- clip --- */

bool le__im_clip_sorted(const le__im_clip *clip, const le__im_sorted *values, le__im_clipped *out) {
    const le__im_order order = {.n = values->n_low + values->n_core + values->n_high,
                                .of = values,
                                .rank = rank_of,
                                .value = value_at,
                                .moments = moments_of};
    return le__im_clip_passes(clip, &order, out);
}
