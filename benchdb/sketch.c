/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The quantile sketch: a sparse histogram over the logarithm of time with bins of 2 %, as in
 * Masson, Rim, Lee: DDSketch (VLDB 2019). Adding two of them is exact.
 */
#include "stats.h"

#include <math.h>
#include <string.h>

#define LOG_G 0.019802627296179712 /* log(1.02) */

static int16_t bin_of(double seconds) {
    double b = ceil(log(seconds) / LOG_G);
    return (int16_t)fmin(fmax(b, -30000), 30000);
}

static uint32_t add_count(uint32_t a, uint32_t b) {
    return a > UINT32_MAX - b ? UINT32_MAX : a + b;
}

/* Joins the two lowest bins: the upper quantiles, which decide, stay exact. */
static void join_lowest(le_sketch *s) {
    s->n[1] = add_count(s->n[1], s->n[0]);
    s->count--;
    memmove(s->bin, s->bin + 1, s->count * sizeof *s->bin);
    memmove(s->n, s->n + 1, s->count * sizeof *s->n);
}

static void add_bin(le_sketch *s, int16_t bin, uint32_t n) {
    size_t at = 0;
    while (at < s->count && s->bin[at] < bin)
        at++;
    if (at < s->count && s->bin[at] == bin) {
        s->n[at] = add_count(s->n[at], n);
        return;
    }
    if (s->count == LE_SKETCH_BINS) {
        if (at == 0) {
            s->n[0] = add_count(s->n[0], n);
            return;
        }
        join_lowest(s);
        at--;
    }
    memmove(s->bin + at + 1, s->bin + at, (s->count - at) * sizeof *s->bin);
    memmove(s->n + at + 1, s->n + at, (s->count - at) * sizeof *s->n);
    s->bin[at] = bin;
    s->n[at] = n;
    s->count++;
}

void le_sketch_add(le_sketch *s, double seconds, uint32_t times) {
    if (seconds > 0 && isfinite(seconds))
        add_bin(s, bin_of(seconds), times);
}

void le_sketch_merge(le_sketch *s, const le_sketch *other) {
    for (size_t i = 0; i < other->count; i++)
        add_bin(s, other->bin[i], other->n[i]);
}

int64_t le_sketch_total(const le_sketch *s) {
    int64_t total = 0;
    for (size_t i = 0; i < s->count; i++)
        total += s->n[i];
    return total;
}

double le_sketch_quantile(const le_sketch *s, double q) {
    int64_t total = le_sketch_total(s);
    if (total == 0 || !(q >= 0 && q <= 1))
        return (double)NAN;
    double rank = q * (double)(total - 1), below = 0;
    size_t i = 0;
    for (; i + 1 < s->count; i++) {
        below += s->n[i];
        if (below > rank)
            break;
    }
    /* the value whose relative distance to both ends of the bin is the same */
    return exp(LOG_G * s->bin[i]) * 2 / (1 + exp(LOG_G));
}
