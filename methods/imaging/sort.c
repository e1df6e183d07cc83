/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Numbers in ascending order: by insertion when there are few, else by digits
 * of their bits.
 */
#include "imaging/clip.h"

#include <string.h>

enum { FEW = 48, DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS, PASSES = 6 };

static void insert(double *values, int64_t n) {
    for (int64_t i = 1; i < n; i++) {
        const double v = values[i];
        int64_t k = i;
        for (; k > 0 && values[k - 1] > v; k--)
            values[k] = values[k - 1];
        values[k] = v;
    }
}

/* Bits whose order as an unsigned number is that of the numbers. */
static uint64_t key_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits ^ (-(bits >> 63) | (UINT64_C(1) << 63));
}

static int digit_of(double value, int pass) {
    return (int)(key_of(value) >> (pass * DIGIT_BITS) & (DIGITS - 1));
}

typedef struct counts {
    uint32_t of[PASSES][DIGITS];
} counts;

static void count_digits(const le_call *call, const double *values, int64_t n, counts *out) {
    memset(out, 0, sizeof *out);
    for (int64_t i = 0; i < n && !le__im_over(call, i); i++) {
        const uint64_t key = key_of(values[i]);
        for (int p = 0; p < PASSES; p++)
            out->of[p][key >> (p * DIGIT_BITS) & (DIGITS - 1)]++;
    }
}

/* False: all have the same digit. */
static bool places_of(uint32_t *digits, int64_t n, int digit) {
    uint32_t sum = 0;
    if ((int64_t)digits[digit] == n)
        return false;
    for (int d = 0; d < DIGITS; d++) {
        const uint32_t of = digits[d];
        digits[d] = sum;
        sum += of;
    }
    return true;
}

/* numbers are at most 2^32 - 1 */
static bool by_digits(const le_call *call, double *values, int64_t n, double *spare) {
    counts all;
    double *from = values, *to = spare;
    count_digits(call, values, n, &all);
    for (int p = 0; p < PASSES; p++) {
        if (!places_of(all.of[p], n, digit_of(from[0], p)))
            continue;
        for (int64_t i = 0; i < n && !le__im_over(call, i); i++)
            to[all.of[p][digit_of(from[i], p)]++] = from[i];
        double *last = from;
        from = to;
        to = last;
    }
    if (from != values)
        memcpy(values, from, (size_t)n * sizeof *values);
    return !call || n < LE__IM_OFTEN || !le_call_cancelled(call);
}

static bool merge(const le_call *call, double *values, int64_t n, double *spare);

/* Halves of at most 2^32 - 1 numbers each, and few enough for insertion at the
 * end. */
bool le__im_sort(const le_call *call, double *values, int64_t n, double *spare) {
    if (n <= FEW)
        insert(values, n);
    else if (n < DIGITS || n > UINT32_MAX)
        return merge(call, values, n, spare);
    else
        return by_digits(call, values, n, spare);
    return true;
}

static bool merge(const le_call *call, double *values, int64_t n, double *spare) {
    const int64_t half = n / 2;
    if (!le__im_sort(call, values, half, spare) ||
        !le__im_sort(call, values + half, n - half, spare))
        return false;
    memcpy(spare, values, (size_t)half * sizeof *spare);
    for (int64_t a = 0, b = half, out = 0; a < half; out++)
        values[out] = b < n && values[b] < spare[a] ? values[b++] : spare[a++];
    return true;
}
