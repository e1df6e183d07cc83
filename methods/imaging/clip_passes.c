/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The passes of a clip over numbers in order. What a pass keeps are neighbours in that order, so
 * bounds are searched for.
 */
#include "imaging/clip_passes.h"

/* Places [begin, end) of the order. */
typedef struct part {
    int64_t begin, end;
} part;

/* --- median --- */

static bool median_of(const le__im_order *v, part p, double *out) {
    const int64_t n = p.end - p.begin, middle = p.begin + n / 2;
    double upper, lower;
    if (!v->value(v->of, middle, &upper) || !v->value(v->of, middle - (n % 2 == 0), &lower))
        return false;
    *out = n % 2 ? upper : (lower + upper) / 2;
    return true;
}

/* The k-th smallest distance (from 0) from the center: `left` of the k + 1
 * nearest numbers lie before the place `split`. Both sides are in ascending
 * order of distance from there. */
static bool nearest(const le__im_order *v, part p, int64_t split, double center, int64_t k,
                    double *out) {
    const int64_t lefts = split - p.begin, rights = p.end - split, n = k + 1;
    int64_t begin = n > rights ? n - rights : 0, end = n < lefts ? n : lefts;
    double a = 0, b = 0;
    while (begin < end) { /* the least `left` whose next one is not nearer than
                             the last right */
        const int64_t left = begin + (end - begin) / 2;
        if (!v->value(v->of, split - 1 - left, &a) || !v->value(v->of, split + (n - left) - 1, &b))
            return false;
        if (center - a < b - center)
            begin = left + 1;
        else
            end = left;
    }
    double most = 0;
    if (begin > 0 && !v->value(v->of, split - begin, &a))
        return false;
    if (begin > 0)
        most = center - a;
    if (n > begin && !v->value(v->of, split + (n - begin) - 1, &b))
        return false;
    *out = n > begin && b - center > most ? b - center : most;
    return true;
}

static bool mad_of(const le__im_order *v, part p, double median, double *out) {
    const int64_t n = p.end - p.begin;
    int64_t split;
    double upper, lower;
    if (!v->rank(v->of, median, false, &split))
        return false;
    split = split < p.begin ? p.begin : split > p.end ? p.end : split;
    if (!nearest(v, p, split, median, n / 2, &upper))
        return false;
    lower = upper;
    if (n % 2 == 0 && !nearest(v, p, split, median, n / 2 - 1, &lower))
        return false;
    *out = LE__IM_MAD_STD * (n % 2 ? upper : (lower + upper) / 2);
    return true;
}

/* --- passes --- */

/* What a pass begins with. */
typedef struct pass {
    double median;
    le__im_moments moments;
    double deviation;
} pass;

static bool begin_pass(const le__im_clip *clip, const le__im_order *v, part p, bool exactly,
                       pass *out) {
    double first, last;
    if (!v->value(v->of, p.begin, &first) || !v->value(v->of, p.end - 1, &last) ||
        !median_of(v, p, &out->median))
        return false;
    out->moments = (le__im_moments){first, 0};
    if (first < last && !v->moments(v->of, p.begin, p.end, out->median, exactly, &out->moments))
        return false;
    out->deviation = out->moments.std;
    return !clip->mad || mad_of(v, p, out->median, &out->deviation);
}

static double center_of(const le__im_clip *clip, const pass *at) {
    return clip->mean ? at->moments.mean : at->median;
}

/* Whether rounding in the moments could move a number across the limit. */
static bool is_close(const le__im_order *v, double limit, double deviation, bool *out) {
    const double guard = 1e-12 * deviation + 1e-15 * fabs(limit);
    int64_t before, after;
    if (!v->rank(v->of, limit - guard, false, &before) ||
        !v->rank(v->of, limit + guard, true, &after))
        return false;
    *out = before != after;
    return true;
}

static bool limits_of(const le__im_clip *clip, const le__im_order *v, part p, pass *at,
                      le__im_limits *out) {
    bool lower = false, upper = false;
    if (!begin_pass(clip, v, p, false, at))
        return false;
    *out = le__im_clip_limits(clip, center_of(clip, at), at->deviation);
    if ((clip->mad && !clip->mean) || at->moments.std == 0 || isinf(at->deviation))
        return true;
    if (!is_close(v, out->lower, at->deviation, &lower) ||
        !is_close(v, out->upper, at->deviation, &upper))
        return false;
    if (!lower && !upper)
        return true;
    if (!begin_pass(clip, v, p, true, at))
        return false;
    *out = le__im_clip_limits(clip, center_of(clip, at), at->deviation);
    return true;
}

static bool part_within(const le__im_order *v, le__im_limits limits, part within, part *out) {
    if (!v->rank(v->of, limits.lower, !limits.closed, &out->begin) ||
        !v->rank(v->of, limits.upper, limits.closed, &out->end))
        return false;
    if (out->begin < within.begin)
        out->begin = within.begin;
    if (out->end > within.end)
        out->end = within.end;
    if (out->end < out->begin)
        out->end = out->begin;
    return true;
}

static bool finish(const le__im_clip *clip, const le__im_order *v, part p, le__im_clipped *c) {
    pass at = {NAN, {NAN, NAN}, NAN};
    le__im_clip plain = *clip;
    plain.mad = false;
    c->count = p.end - p.begin;
    c->rejected = v->n - c->count;
    c->minimum = c->maximum = NAN;
    if (c->count > 0 &&
        (!begin_pass(&plain, v, p, false, &at) || !v->value(v->of, p.begin, &c->minimum) ||
         !v->value(v->of, p.end - 1, &c->maximum)))
        return false;
    c->median = at.median;
    c->mean = at.moments.mean;
    c->std = at.moments.std;
    return true;
}

bool le__im_clip_passes(const le__im_clip *clip, const le__im_order *v, le__im_clipped *out) {
    const part all = {0, v->n};
    part kept = all, next = all;
    pass at;
    le__im_limits limits = {NAN, NAN, true};
    le__im_clipped c = {.iterations = 0};
    while (kept.end > kept.begin && (!clip->maxiters || c.iterations < clip->maxiters)) {
        c.iterations++;
        if (!limits_of(clip, v, kept, &at, &limits) || !part_within(v, limits, kept, &next))
            return false;
        const bool same = next.begin == kept.begin && next.end == kept.end;
        kept = next;
        if (same)
            break;
    }
    c.lower = limits.lower;
    c.upper = limits.upper;
    if (clip->readmit && c.iterations > 0 && !part_within(v, limits, all, &kept))
        return false;
    if (!finish(clip, v, kept, &c))
        return false;
    *out = c;
    return true;
}
