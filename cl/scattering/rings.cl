/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Rings, of which all pixels of a frame are looked at together: without the outliers, or those about
 * a quantile. A table's rows are the rings. What pixels have in a frame is written row by row first,
 * so that the many passes that follow read memory in its order.
 *
 * Programs are few and small, since some drivers take seconds for each: -DT= type of the values, and
 * -DCOUNTING=1 where they are their own variance, for loading; else -DTEAM= a power of two, -DGROUP=
 * work-items of a work-group, the same but for teams of one, and -DPART= 0: without outliers; 1: about
 * a quantile; 2: the spread about the mean of what is left.
 */
#define CHECKS 1
#ifdef T
#define TEAM 1
#endif
#include "scattering/rows.clh"

/* What is written for a ring of a frame; of PART 2 SQUARES is what the spread is a difference of. */
#if PART == 2
enum { SPREAD, SQUARES, SUMS };
#else
enum { SIGNAL, NORMALIZATION, NORMALIZATION2, COUNT, REFUSED, VARIANCE, SUMS };
#endif

typedef struct images {
    __global const float *normalization, *dark, *variance;
} images;

#ifdef T
/* Signal and variance of a pixel; a signal that is no number: it has no data, or none that f32 holds. */
static inline float2 pixel_of(float raw, uint pixel, images i, shape s)
{
    const float w = s.weighted ? 1.0f : i.normalization[pixel];
    float2 of = (float2)(i.dark ? raw - i.dark[pixel] : raw, i.variance ? i.variance[pixel] : 0.0f);
    if (COUNTING)
        of.y = fmax(raw, 1.0f);
    if (!s.weighted)
        of = (float2)(divided(of.x, w), divided(of.y, w * w));
    const bool varies = COUNTING || i.variance;
    const bool held = fabs(of.x) <= FLT_MAX && (!varies || of.y <= FLT_MAX);
    return is_missing(raw, s) || !held ? (float2)(NAN, 0) : of;
}

/* Of all pixels of all rows, in the order of rows. */
__kernel void load_pixels(__global const T *values, __global const uint2 *shares,
                          __global const float *normalization, __global const float *dark,
                          __global const float *variance, __global float2 *out, uint parts, shape s)
{
    const uint k = get_global_id(0);
    const int frame = get_global_id(1);
    const images i = {normalization, dark, variance};
    if (k >= parts || frame >= s.frames)
        return;
    const uint pixel = shares[k].x;
    const float raw = convert_float(values[(size_t)(s.first + frame) * s.stride + pixel]);
    out[(size_t)frame * parts + k] = pixel_of(raw, pixel, i, s);
}
#else
static inline float weight_of(uint pixel, images i, shape s)
{
    return s.weighted ? i.normalization[pixel] : 1.0f;
}

#if PART != 2
static inline void add_pixel(sum *to, float c, float2 of, float w)
{
    to[SIGNAL] = sum_add_product(to[SIGNAL], c, of.x);
    to[NORMALIZATION] = sum_add_product(to[NORMALIZATION], c, w);
    to[NORMALIZATION2] = sum_add_square(to[NORMALIZATION2], sum_product(c, w));
    to[COUNT] = sum_add_product(to[COUNT], c, 1.0f);
    to[VARIANCE] = sum_add(to[VARIANCE], sum_times(sum_product(c, c), sum_product(of.y, 1.0f)));
}
#else

/* mean: of the ring. The spread has all digits: limits follow from it that pixels may be at. */
static inline void add_spread(sum *to, float c, float signal, float w, sum mean)
{
    const sum at = sum_times(sum_product(c, w), mean), here = sum_product(c, signal);
    to[SPREAD] = sum_add_square(to[SPREAD], sum_minus(here, at));
    to[SQUARES] = sum_add_square(sum_add_square(to[SQUARES], here), at);
}
#endif

static inline void clear(sum *to)
{
#pragma unroll
    for (int k = 0; k < SUMS; k++)
        to[k] = SUM_ZERO;
}

#if TEAM > 1
enum { SPACE = SUMS * GROUP };

/* Sums over the team, in its first work-item. All at once: drivers for CPUs multiply the code between
 * barriers. */
static inline void add_up(sum *of, __local sum *space)
{
    const int lane = get_local_id(0);
    __local sum *mine = space + lane * SUMS;
#pragma unroll
    for (int k = 0; k < SUMS; k++)
        mine[k] = of[k];
    for (int half_team = TEAM / 2; half_team > 0; half_team /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < half_team) {
#pragma unroll
            for (int k = 0; k < SUMS; k++)
                mine[k] = sum_add(mine[k], mine[half_team * SUMS + k]);
        }
    }
#pragma unroll
    for (int k = 0; k < SUMS; k++)
        of[k] = mine[k];
}
#else
enum { SPACE = 1 };

static inline void add_up(sum *of, __local sum *space)
{
}
#endif

static inline void write(__global sum *out, const sum *of)
{
#pragma unroll
    for (int k = 0; k < SUMS; k++)
        out[k] = of[k];
}

#if PART == 2
/* Of the pixels that are left in each ring. */
__kernel void spread(__global const uint *rows, __global const uint2 *shares,
                     __global const float *normalization, __global const float2 *pixels,
                     __global const sum *means, __global sum *out, uint parts, shape s)
{
    __local sum space[SPACE];
    const int lane = get_local_id(0) % TEAM, frame = get_group_id(1);
    const int bin = get_group_id(0) * (GROUP / TEAM) + get_local_id(0) / TEAM;
    const images i = {normalization, 0, 0};
    const bool inside = bin < s.bins;
    const size_t ring = (size_t)frame * s.bins + bin;
    const uint begin = inside ? rows[bin] + lane : 0, end = inside ? rows[bin + 1] : 0;
    const sum mean = inside ? means[ring] : SUM_ZERO;
    sum to[SUMS];
    clear(to);
    pixels += (size_t)frame * parts;
    for (uint k = begin; k < end; k += TEAM) {
        const uint2 share = shares[k];
        const float signal = pixels[k].x;
        if (signal == signal)
            add_spread(to, as_float(share.y), signal, weight_of(share.x, i, s), mean);
    }
    add_up(to, space);
    if (inside && lane == 0)
        write(out + ring * SUMS, to);
}
#elif PART == 0
/* --------------------------------------------------------------------------------- outliers -- */

typedef struct limit {
    sum mean, most;
} limit;

/* limits: of each ring the mean and how far from it pixels may be. INFINITY: as far as they like;
 * below 0: the ring is done, and its sums are not written. */
__kernel void clip(__global const uint *rows, __global const uint2 *shares,
                   __global const float *normalization, __global float2 *pixels,
                   __global const limit *limits, __global sum *out, uint parts, shape s)
{
    __local sum space[SPACE];
    const int lane = get_local_id(0) % TEAM, frame = get_group_id(1);
    const int bin = get_group_id(0) * (GROUP / TEAM) + get_local_id(0) / TEAM;
    const images i = {normalization, 0, 0};
    const bool inside = bin < s.bins;
    const size_t ring = (size_t)frame * s.bins + bin;
    const sum mean = inside ? limits[ring].mean : SUM_ZERO;
    const sum most = inside ? limits[ring].most : sum_of((float2)(-1, 0));
    const bool open = !sum_less(most, SUM_ZERO);
    const bool refuses = sum_less(most, sum_of((float2)(INFINITY, 0)));
    const uint begin = open ? rows[bin] + lane : 0, end = open ? rows[bin + 1] : 0;
    sum to[SUMS];
    clear(to);
    pixels += (size_t)frame * parts;
    for (uint k = begin; k < end; k += TEAM) {
        const uint2 share = shares[k];
        const float2 of = pixels[k];
        const float w = weight_of(share.x, i, s);
        if (!(of.x == of.x))
            continue;
        const sum off = sum_minus(sum_product(of.x, 1.0f), sum_times(mean, sum_product(w, 1.0f)));
        if (refuses && sum_less(sum_times(most, sum_product(fabs(w), 1.0f)), sum_size(off))) {
            pixels[k].x = NAN;
            to[REFUSED] = sum_add_product(to[REFUSED], 1.0f, 1.0f);
            continue;
        }
        add_pixel(to, as_float(share.y), of, w);
    }
    add_up(to, space);
    if (open && lane == 0)
        write(out + ring * SUMS, to);
}
#else
/* -------------------------------------------------------------------------------- quantiles -- */

/* Pixels lie one behind the other in the order of signal over normalization, of equal ones by their
 * place in the row; each is as long as its share of normalization. 0: it does not count. */
__kernel void find_places(__global const uint2 *shares, __global const float *normalization,
                          __global const float2 *pixels, __global sum *places,
                          __global float *lengths, uint parts, shape s)
{
    const uint k = get_global_id(0);
    const int frame = get_global_id(1);
    const images i = {normalization, 0, 0};
    if (k >= parts || frame >= s.frames)
        return;
    const uint2 share = shares[k];
    const size_t at = (size_t)frame * parts + k;
    const float signal = pixels[at].x, w = weight_of(share.x, i, s), length = as_float(share.y) * w;
    places[at] = sum_quotient(signal, w);
    lengths[at] = signal == signal && length > 0 ? length : 0;
}

#define NONE UINT_MAX

typedef struct place {
    sum value;
    uint at; /* NONE: before the first one, or behind the last */
} place;

typedef struct row {
    __global const sum *places;
    __global const float *lengths;
    uint begin, end; /* of a work-item, whose elements are TEAM apart */
} row;

static inline place place_of(row r, uint at)
{
    const place p = {at == NONE ? SUM_ZERO : r.places[at], at};
    return p;
}

static inline bool precedes(place a, place b)
{
    return sum_less(a.value, b.value) || (!sum_less(b.value, a.value) && a.at < b.at);
}

/* A number for each element in each round: the greatest one is drawn. */
static inline uint lot_of(uint at, uint round)
{
    uint x = (at + 1) * 0x9e3779b1u ^ round * 0x85ebca77u;
    x = (x ^ (x >> 15)) * 0x2c1b3c6du;
    return (x ^ (x >> 12)) | 1;
}

/* What a look at a ring tells: the length before a place, and of those between it and two bounds one
 * by chance on each side, as (lot, place); lots of 0 are none. */
typedef struct sight {
    sum before;
    uint2 below, above;
} sight;

static inline uint2 greater(uint2 a, uint2 b)
{
    return b.x > a.x || (b.x == a.x && b.y < a.y) ? b : a;
}

static inline sight over_team_sight(sight mine, __local sight *space)
{
#if TEAM > 1
    const int at = get_local_id(0);
    space[at] = mine;
    for (int half_team = TEAM / 2; half_team > 0; half_team /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (at < half_team) {
            const sight a = space[at], b = space[at + half_team];
            const sight both = {sum_add(a.before, b.before),
                                greater(a.below, b.below), greater(a.above, b.above)};
            space[at] = both;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    mine = space[0];
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    return mine;
}

/* p NONE: all are behind it, and all are added up. */
static inline sight look(row r, place p, place low, place high, uint round, __local sight *space)
{
    sight mine = {SUM_ZERO, (uint2)(0, NONE), (uint2)(0, NONE)};
    for (uint k = r.begin; k < r.end; k += TEAM) {
        const float length = r.lengths[k];
        const place here = {r.places[k], k};
        const uint2 lot = (uint2)(lot_of(k, round), k);
        if (!(length > 0) || k == p.at)
            continue;
        const bool first = p.at != NONE && precedes(here, p);
        if (first || p.at == NONE)
            mine.before = sum_add_product(mine.before, length, 1.0f);
        if ((low.at == NONE || precedes(low, here)) && (high.at == NONE || precedes(here, high))) {
            if (first)
                mine.below = greater(mine.below, lot);
            else
                mine.above = greater(mine.above, lot);
        }
    }
    return over_team_sight(mine, space);
}

/* What is known of the two ends of a band, 0: the first place that ends at its beginning or later, 1:
 * the first one that begins behind its end: the last place that is before it, and the first that is
 * not. Not indexed by variables: these would lie in memory. */
typedef struct search {
    place low[2], high[2];
    sum end; /* of the pixels before and at high[0] */
} search;

/* Field by field: a choice between structures is one between addresses. */
static inline place one_of(place a, place b, int second)
{
    const place p = {second ? b.value : a.value, second ? b.at : a.at};
    return p;
}

/* A place is before an end, or not. */
static inline void bound(place *low, place *high, place p, bool far)
{
    *high = one_of(*high, p, far && (high->at == NONE || precedes(p, *high)));
    *low = one_of(*low, p, !far && (low->at == NONE || precedes(*low, p)));
}

/* Takes the length before a place into account, for both ends. Whether the place is before an end. */
static inline bool take(search *s, int which, place p, sum before, float length, sum from, sum to)
{
    const sum end = sum_add_product(before, length, 1.0f);
    const bool far = !sum_less(end, from), behind = sum_less(to, before);
    if (far && (s->high[0].at == NONE || precedes(p, s->high[0])))
        s->end = end;
    bound(&s->low[0], &s->high[0], p, far);
    bound(&s->low[1], &s->high[1], p, behind);
    return which ? !behind : !far;
}

/* Finds both ends: looks at places by chance, until there is none between the bounds of an end. */
static inline search find_ends(row r, float4 quantiles, __local sight *space)
{
    const place none = {SUM_ZERO, NONE};
    search s = {{none, none}, {none, none}, SUM_ZERO};
    sum from = SUM_ZERO, to = SUM_ZERO;
    place p = none;
    int which = 0;
    for (uint round = 0; which < 2; round++) {
        const sight seen = look(r, p, one_of(s.low[0], s.low[1], which),
                                one_of(s.high[0], s.high[1], which), round, space);
        uint2 next = seen.above;
        if (round == 0) {
            from = sum_times(sum_of(quantiles.xy), seen.before);
            to = sum_times(sum_of(quantiles.zw), seen.before);
        }
        if (p.at != NONE && !take(&s, which, p, seen.before, r.lengths[p.at], from, to))
            next = seen.below;
        p = place_of(r, next.x ? next.y : NONE);
        if (p.at != NONE)
            continue;
        which++;
        if (s.low[1].at == NONE || precedes(s.low[1], s.high[0]))
            s.low[1] = s.high[0];
        if (sum_less(to, s.end)) /* the next one begins behind the band */
            which = 2;
    }
    return s;
}

static inline bool is_in(row r, uint k, place first, place last)
{
    const place here = {r.places[k], k};
    return r.lengths[k] > 0 && first.at != NONE && !precedes(here, first) && !precedes(last, here);
}

/* The pixels from the first to the last place, both among them; the others are refused. */
static inline void add_band(row r, place first, place last, __global float2 *pixels,
                            __global const uint2 *shares, images i, shape s, sum *to)
{
    for (uint k = r.begin; k < r.end; k += TEAM) {
        const uint2 share = shares[k];
        if (is_in(r, k, first, last))
            add_pixel(to, as_float(share.y), pixels[k], weight_of(share.x, i, s));
        else
            pixels[k].x = NAN;
    }
}

/* quantiles: where the band begins and ends in a ring of the length 1, each in two parts */
__kernel void band(__global const uint *rows, __global const uint2 *shares,
                   __global const float *normalization, __global float2 *pixels,
                   __global const sum *places, __global const float *lengths, __global sum *out,
                   uint parts, float4 quantiles, shape s)
{
    __local sum space[SPACE];
    __local sight sights[TEAM > 1 ? GROUP : 1];
    const int lane = get_local_id(0) % TEAM, frame = get_group_id(1);
    const int bin = get_group_id(0) * (GROUP / TEAM) + get_local_id(0) / TEAM;
    const images i = {normalization, 0, 0};
    if (bin >= s.bins) /* a team of one: all others are groups */
        return;
    const size_t at = (size_t)frame * parts;
    const row r = {places + at, lengths + at, rows[bin] + lane, rows[bin + 1]};
    const search found = find_ends(r, quantiles, sights);
    sum to[SUMS];
    clear(to);
    add_band(r, found.high[0], found.low[1], pixels + at, shares, i, s, to);
    add_up(to, space);
    if (lane == 0)
        write(out + ((size_t)frame * s.bins + bin) * SUMS, to);
}
#endif
#endif
