/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Sums over bins by a table whose rows are the bins: (pixel, share) of each pixel that has a share.
 * TEAM work-items add up a row, each for FRAMES frames at once, so that the table is read once for
 * these. Only what depends on the frame is added up: normalizations and counts of all pixels belong
 * to the table, and of pixels without data it is noted how much is lost of them. Where little may be
 * left of a bin, that difference would be mostly rounding: what is kept is added up instead.
 *
 * -DT= type of the values, -DTEAM= a power of two, -DGROUP= work-items of a work-group, -DFRAMES=,
 * -DMODEL= 0: signals; 1: counting, the variance above 1; 2: the spread about the mean of the bin;
 * -DCHECKS=1: values may be no numbers or the dummy
 */
#include "scattering/rows.clh"

/* What is written for a bin of a frame; LOST is the normalization of lost pixels, then its square,
 * their variance, their count by shares, and their number. Of kept pixels instead where the number,
 * still of the lost ones, is negative. */
enum { SIGNAL, VARIANCE, LOST = 1 + (MODEL != 0), NUMBER = LOST + 4, SUMS = LOST + 5 * CHECKS };

/* Shares that a work-item reads at once, so that it does not wait for memory for each of them. */
enum { AHEAD = LE_CPU ? 1 : 4 };

/* A bin of fewer shares than these may consist of slivers but for one pixel. */
enum { FEW = 64, MANY_LOST = 8 };

typedef struct images {
    __global const float *factor, *dark, *variance; /* factor: normalization, or one over it */
} images;

typedef struct sums {
    sum of[SUMS];
} sums;

#if CHECKS
static inline void note(sums *to, float c, uint pixel, images i, shape s)
{
    const float factor = i.factor[pixel], w = s.weighted ? factor : 1.0f, by = s.weighted ? 1.0f : factor;
    const float v = s.counting ? 1.0f : i.variance ? i.variance[pixel] : 0.0f;
    to->of[LOST] = sum_add_product(to->of[LOST], c, w);
    to->of[LOST + 1] = sum_add_product(to->of[LOST + 1], c * w, c * w);
    to->of[LOST + 2] = sum_add_product(to->of[LOST + 2], c * c, v * by * by);
    to->of[LOST + 3] = sum_add_product(to->of[LOST + 3], c, 1.0f);
    to->of[LOST + 4] = sum_add_product(to->of[LOST + 4], 1.0f, 1.0f);
}

/* n: shares of the bin. All work-items of a team agree. */
static inline bool little_may_be_left(sum lost, uint n)
{
    const sum all = sum_of((float2)(n, 0)), many = sum_of((float2)(n / MANY_LOST, 0));
    return sum_less(SUM_ZERO, lost) && sum_less(lost, all) && (n < FEW || sum_less(many, lost));
}
#else
static inline void note(sums *to, float c, uint pixel, images i, shape s) {}
#endif

/* by: one over the normalization where pixels are not weighted, else 1 */
static inline float signal_of(float raw, uint pixel, float by, images i)
{
    return (i.dark ? raw - i.dark[pixel] : raw) * by;
}

static inline void add(sums *to, float raw, float c, uint pixel, float by, images i, shape s)
{
    if (is_missing(raw, s)) {
        note(to, c, pixel, i, s);
        return;
    }
    to->of[SIGNAL] = sum_add_product(to->of[SIGNAL], c, signal_of(raw, pixel, by, i));
    if (MODEL == 1)
        to->of[VARIANCE] = sum_add_product(to->of[VARIANCE], (c * by) * (c * by), fmax(raw - 1, 0));
}

/* Of a work-item, in frames that begin at at[]. */
static inline void add_shares(sums to[FRAMES], __global const T *values, const size_t at[FRAMES],
                              __global const uint2 *shares, uint begin, uint end, images i, shape s)
{
    for (uint k = begin; k < end; k += AHEAD * TEAM) {
        uint2 share[AHEAD];
        float raw[AHEAD][FRAMES];
#pragma unroll
        for (int j = 0; j < AHEAD; j++)
            share[j] = shares[k + j * TEAM < end ? k + j * TEAM : k];
#pragma unroll
        for (int j = 0; j < AHEAD; j++)
#pragma unroll
            for (int f = 0; f < FRAMES; f++)
                raw[j][f] = convert_float(values[at[f] + share[j].x]);
#pragma unroll
        for (int j = 0; j < AHEAD; j++) {
            const float by = s.weighted ? 1.0f : i.factor[share[j].x];
#pragma unroll
            for (int f = 0; f < FRAMES; f++)
                if (k + j * TEAM < end)
                    add(&to[f], raw[j][f], as_float(share[j].y), share[j].x, by, i, s);
        }
    }
}

/* w: the normalization, or 1 */
static inline sum add_spread(sum to, float signal, float c, float w, float2 mean)
{
    const float off = c * (fma(-w, mean.x, signal) - w * mean.y);
    return sum_add_product(to, off, off);
}

#if CHECKS
/* Whether it is so for any work-item of the work-group. All of them ask together. */
static inline bool for_any(bool it_is_so, __local int *any)
{
    if (get_local_id(0) == 0)
        *any = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (it_is_so)
        atomic_or(any, 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool is_so = *any;
    barrier(CLK_LOCAL_MEM_FENCE);
    return is_so;
}

/* Brings to's sums to those of the kept pixels. For all work-items of a work-group together. */
static inline void count_kept(sums *to, bool kept, __global const T *values,
                              __global const uint2 *shares, uint begin, uint end, images i, shape s,
                              __local sum *space)
{
    sums all = *to;
    for (int k = LOST; k < NUMBER; k++)
        all.of[k] = SUM_ZERO;
    for (uint k = begin; kept && k < end; k += TEAM)
        if (!is_missing(convert_float(values[shares[k].x]), s))
            note(&all, as_float(shares[k].y), shares[k].x, i, s);
    EACH_TOGETHER
    for (int k = LOST; k < NUMBER; k++) {
        const sum of_team = over_team(all.of[k], space);
        to->of[k] = kept ? of_team : to->of[k];
    }
    to->of[NUMBER] = kept ? -to->of[NUMBER] : to->of[NUMBER];
}
#endif

__kernel void integrate(__global const T *values, __global const uint *rows,
                        __global const uint2 *shares, __global const float *factor,
                        __global const float *dark, __global const float *variance,
                        __global const float2 *totals, __global sum *out, shape s)
{
    __local sum space[TEAM > 1 ? GROUP : 1];
    const int lane = get_local_id(0) % TEAM;
    const int bin = get_group_id(0) * (GROUP / TEAM) + get_local_id(0) / TEAM;
    const int first = get_group_id(1) * FRAMES, frames = min(s.frames - first, FRAMES);
    const images i = {factor, dark, variance};
    const bool inside = bin < s.bins;
    const uint begin = inside ? rows[bin] + lane : 0, end = inside ? rows[bin + 1] : 0;
    size_t at[FRAMES]; /* a frame behind the last one is the first once more, and not written */
    sums to[FRAMES];
#pragma unroll
    for (int f = 0; f < FRAMES; f++) {
        at[f] = (size_t)(first + (f < frames ? f : 0)) * s.stride;
#pragma unroll
        for (int k = 0; k < SUMS; k++)
            to[f].of[k] = SUM_ZERO;
    }
    add_shares(to, values, at, shares, begin, end, i, s);
    EACH_TOGETHER
    for (int f = 0; f < FRAMES; f++)
        EACH_TOGETHER
        for (int k = 0; k < SUMS; k++)
            to[f].of[k] = over_team(to[f].of[k], space);
    bool kept[FRAMES];
#pragma unroll
    for (int f = 0; f < FRAMES; f++)
        kept[f] = false;
#if CHECKS
    __local int any;
    bool some = false;
#pragma unroll
    for (int f = 0; f < FRAMES; f++) {
        kept[f] = inside && little_may_be_left(to[f].of[NUMBER], end - begin + lane);
        some = some || kept[f];
    }
    if (for_any(some, &any)) /* it is rare, and takes four sums over the team for each frame */
        EACH_TOGETHER
        for (int f = 0; f < FRAMES; f++)
            count_kept(&to[f], kept[f], values + at[f], shares, begin, end, i, s, space);
#endif
#if MODEL == 2
    float2 mean[FRAMES];
#pragma unroll
    for (int f = 0; f < FRAMES; f++) {
        const sum lost = CHECKS ? to[f].of[LOST % SUMS] : SUM_ZERO;
        mean[f] = sum_ratio(to[f].of[SIGNAL], inside && !kept[f] ? totals[bin] : (float2)(0, 0),
                            kept[f] ? -lost : lost);
    }
    for (uint k = begin; k < end; k += TEAM) {
        const uint2 share = shares[k];
        const float given = factor[share.x], by = s.weighted ? 1.0f : given;
#pragma unroll
    for (int f = 0; f < FRAMES; f++) {
            const float raw = convert_float(values[at[f] + share.x]);
            if (!is_missing(raw, s))
                to[f].of[VARIANCE] = add_spread(to[f].of[VARIANCE], signal_of(raw, share.x, by, i),
                                                as_float(share.y), s.weighted ? given : 1.0f, mean[f]);
        }
    }
    EACH_TOGETHER
    for (int f = 0; f < FRAMES; f++)
        to[f].of[VARIANCE] = over_team(to[f].of[VARIANCE], space);
#endif
    if (!inside || lane > 0)
        return;
#pragma unroll
    for (int f = 0; f < FRAMES; f++)
#pragma unroll
        for (int k = 0; k < SUMS; k++)
            if (f < frames)
                out[((size_t)(s.first + first + f) * s.bins + bin) * SUMS + k] = to[f].of[k];
}
