/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Clips of integers of up to 16 bits, from how often each of them occurs: sums before each value
 * are exact, so that a pass costs a few searches.
 */
#include "imaging/clip_counted.h"
#include "imaging/clip_passes.h"

/* Those values that occur; of each, how many numbers, their sum and sum of squares before it. */
typedef struct counted {
    int64_t n; /* values */
    int64_t *value, *before, *sum, *sum2;
} counted;

static bool rank_of(const void *of, double limit, bool equal, int64_t *out) {
    const counted *c = of;
    int64_t begin = 0, end = c->n;
    while (begin < end) {
        const int64_t middle = begin + (end - begin) / 2;
        const double v = (double)c->value[middle];
        if (v < limit || (equal && v == limit))
            begin = middle + 1;
        else
            end = middle;
    }
    *out = c->before[begin];
    return true;
}

/* The place of the value that number `at` has. */
static int64_t place_of(const counted *c, int64_t at) {
    int64_t begin = 0, end = c->n;
    while (end - begin > 1) {
        const int64_t middle = begin + (end - begin) / 2;
        if (c->before[middle] <= at)
            begin = middle;
        else
            end = middle;
    }
    return begin;
}

static bool value_at(const void *of, int64_t at, double *out) {
    const counted *c = of;
    *out = (double)c->value[place_of(c, at)];
    return true;
}

static le__dd of_integer(int64_t v) {
    const int64_t low = v % (INT64_C(1) << 32);
    return le__dd_sum((double)(v - low), (double)low);
}

/* All of a value is kept, or none of it. */
static bool moments_of(const void *of, int64_t begin, int64_t end, double shift, bool exactly,
                       le__im_moments *out) {
    const counted *c = of;
    const int64_t a = place_of(c, begin), b = place_of(c, end - 1) + 1;
    (void)shift;
    (void)exactly;
    *out = le__im_moments_of(end - begin, 0, of_integer(c->sum[b] - c->sum[a]),
                             of_integer(c->sum2[b] - c->sum2[a]));
    return true;
}

static void count(const void *piece, le_dtype dtype, int64_t n, uint32_t *counts) {
    const uint8_t *bytes = piece;
    const uint16_t *words = piece;
    const int16_t *integers = piece;
    for (int64_t i = 0; dtype == LE_U8 && i < n; i++)
        counts[bytes[i]]++;
    for (int64_t i = 0; dtype == LE_U16 && i < n; i++)
        counts[words[i]]++;
    for (int64_t i = 0; dtype == LE_I16 && i < n; i++)
        counts[integers[i] - INT16_MIN]++;
}

void le__im_count_pixels(const le__im_pixels *pixels, int64_t begin, int64_t end,
                         uint32_t *counts) {
    enum { PIECE = 4096 };
    uint16_t room[PIECE];
    for (int64_t at = begin; at < end; at += PIECE) {
        const int64_t n = end - at < PIECE ? end - at : PIECE;
        count(le__im_piece(pixels, at, n, room), pixels->dtype, n, counts);
    }
}

le__im_clipped le__im_clip_counted(const le__im_clip *clip, le_dtype dtype, const uint32_t *counts,
                                   int64_t *memory) {
    const int64_t each = LE__IM_COUNTED_MEMORY / 4, least = dtype == LE_I16 ? INT16_MIN : 0;
    counted c = {0, memory, memory + each, memory + 2 * each, memory + 3 * each};
    le__im_clipped out;
    c.before[0] = c.sum[0] = c.sum2[0] = 0;
    for (int64_t i = 0; i < LE__IM_VALUES; i++) {
        const int64_t v = least + i, times = counts[i];
        if (times == 0)
            continue;
        c.value[c.n] = v;
        c.before[c.n + 1] = c.before[c.n] + times;
        c.sum[c.n + 1] = c.sum[c.n] + times * v;
        c.sum2[c.n + 1] = c.sum2[c.n] + times * v * v;
        c.n++;
    }
    const le__im_order order = {
        .n = c.before[c.n], .of = &c, .rank = rank_of, .value = value_at, .moments = moments_of};
    le__im_clip_passes(clip, &order, &out); /* all is known */
    return out;
}
