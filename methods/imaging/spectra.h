/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Fourier transforms of LANES sequences at once, a vector of which is one element each of all, in
 * single precision, with LE__SPECTRA_F64 = 1 in double precision.
 * Radix 4 by decimation in frequency, in place; the way back takes the order that the way there
 * leaves, so that nothing is ever put in order. (Cooley and Tukey 1965; Gentleman and Sande 1966.)
 * Included by sources that are compiled once for each instruction set.
 */
#ifndef LE_IMAGING_SPECTRA_H
#define LE_IMAGING_SPECTRA_H

#include "common/isa.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#if LE__SPECTRA_F64
typedef double le__number;
#else
typedef float le__number;
#endif

enum {
    LE__SPECTRA_LANES = (LE_METHOD_ISA == 512 ? 64 : 32) / sizeof(le__number),
    LE__SPECTRA_TABLE = 3 /* numbers of a table for each element */
};

typedef le__number le__lanes __attribute__((vector_size(LE__SPECTRA_LANES * sizeof(le__number)),
                                            aligned(sizeof(le__number)), may_alias));

static const double le__spectra_circle = 6.283185307179586476925; /* 2 pi */

typedef struct le__spectra_plan {
    int n; /* a power of two */
    const le__number
        *turn; /* of each stage, from the longest: cos and sin of one, two, three turns */
} le__spectra_plan;

/* table: LE__SPECTRA_TABLE * n numbers. */
static inline le__spectra_plan le__spectra_plan_of(int n, le__number *table) {
    le__number *to = table;
    for (int length = n; length >= 4; length /= 4)
        for (int j = 0; j < length / 4; j++)
            for (int k = 1; k < 4; k++) {
                *to++ = (le__number)cos(-le__spectra_circle * j * k / length);
                *to++ = (le__number)sin(-le__spectra_circle * j * k / length);
            }
    return (le__spectra_plan){n, table};
}

static inline le__lanes *le__spectra_at(le__number *p, int64_t row, int64_t stride) {
    return (le__lanes *)(void *)(p + row * stride);
}

/* Elements 0 and 1, 2 and 3 ... */
static inline void le__spectra_pairs(int n, le__number *re, le__number *im, int64_t stride) {
    for (int i = 0; i < n; i += 2)
        for (int k = 0; k < 2; k++) {
            le__lanes *a = le__spectra_at(k ? im : re, i, stride),
                      *b = le__spectra_at(k ? im : re, i + 1, stride);
            const le__lanes sum = *a + *b, difference = *a - *b;
            *a = sum;
            *b = difference;
        }
}

/* A butterfly of the elements first, first + apart ...; w: three turns. */
static inline void le__spectra_four(le__number *re, le__number *im, int64_t first, int64_t apart,
                                    int64_t stride, const le__number *w) {
    le__lanes *r[4], *i[4];
    for (int k = 0; k < 4; k++) {
        r[k] = le__spectra_at(re, first + k * apart, stride);
        i[k] = le__spectra_at(im, first + k * apart, stride);
    }
    const le__lanes ar = *r[0] + *r[2], ai = *i[0] + *i[2], br = *r[0] - *r[2], bi = *i[0] - *i[2];
    const le__lanes cr = *r[1] + *r[3], ci = *i[1] + *i[3];
    const le__lanes dr = *i[1] - *i[3], di = *r[3] - *r[1]; /* by -i */
    const le__lanes yr[4] = {ar + cr, br + dr, ar - cr, br - dr},
                    yi[4] = {ai + ci, bi + di, ai - ci, bi - di};
    *r[0] = yr[0];
    *i[0] = yi[0];
    for (int k = 1; k < 4; k++) {
        const le__number c = w[2 * k - 2], s = w[2 * k - 1];
        *r[k] = c * yr[k] - s * yi[k];
        *i[k] = c * yi[k] + s * yr[k];
    }
}

/* Undoes it, but for a factor of 4. */
static inline void le__spectra_four_back(le__number *re, le__number *im, int64_t first,
                                         int64_t apart, int64_t stride, const le__number *w) {
    le__lanes *r[4], *i[4], yr[4], yi[4];
    for (int k = 0; k < 4; k++) {
        r[k] = le__spectra_at(re, first + k * apart, stride);
        i[k] = le__spectra_at(im, first + k * apart, stride);
    }
    yr[0] = *r[0];
    yi[0] = *i[0];
    for (int k = 1; k < 4; k++) {
        const le__number c = w[2 * k - 2], s = w[2 * k - 1];
        yr[k] = c * *r[k] + s * *i[k];
        yi[k] = c * *i[k] - s * *r[k];
    }
    const le__lanes ar = yr[0] + yr[2], ai = yi[0] + yi[2], br = yr[0] - yr[2], bi = yi[0] - yi[2];
    const le__lanes cr = yr[1] + yr[3], ci = yi[1] + yi[3];
    const le__lanes dr = yi[3] - yi[1], di = yr[1] - yr[3]; /* by i */
    *r[0] = ar + cr;
    *i[0] = ai + ci;
    *r[1] = br + dr;
    *i[1] = bi + di;
    *r[2] = ar - cr;
    *i[2] = ai - ci;
    *r[3] = br - dr;
    *i[3] = bi - di;
}

/* Vectors of the sequences' elements, `stride` numbers apart. */
static inline void le__spectra_forward(const le__spectra_plan *p, le__number *re, le__number *im,
                                       int64_t stride) {
    const le__number *w = p->turn;
    int length = p->n;
    for (; length >= 4; w += 6 * (length / 4), length /= 4)
        for (int first = 0; first < p->n; first += length)
            for (int j = 0; j < length / 4; j++)
                le__spectra_four(re, im, first + j, length / 4, stride, w + 6 * j);
    if (length == 2)
        le__spectra_pairs(p->n, re, im, stride);
}

static inline void le__spectra_back(const le__spectra_plan *p, le__number *re, le__number *im,
                                    int64_t stride) {
    const le__number *w = p->turn;
    int length = p->n;
    for (; length >= 4; length /= 4)
        w += 6 * (length / 4);
    if (length == 2)
        le__spectra_pairs(p->n, re, im, stride);
    for (length *= 4; length <= p->n; length *= 4) {
        w -= 6 * (length / 4);
        for (int first = 0; first < p->n; first += length)
            for (int j = 0; j < length / 4; j++)
                le__spectra_four_back(re, im, first + j, length / 4, stride, w + 6 * j);
    }
}

/* n elements [re, im][LANES] by others of the kind, or by their conjugates. */
static inline void le__spectra_multiply(le__number *x, const le__number *by, int64_t n,
                                        bool conjugate) {
    for (int64_t i = 0; i < n; i++) {
        le__lanes *re = le__spectra_at(x, 2 * i, LE__SPECTRA_LANES), *im = re + 1;
        const le__lanes *w = (const le__lanes *)(const void *)(by + 2 * i * LE__SPECTRA_LANES);
        const le__lanes s = conjugate ? -w[1] : w[1], r = *re * w[0] - *im * s;
        *im = *re * s + *im * w[0];
        *re = r;
    }
}

/* Two vectors become others of their lanes. */
#define LE__SPECTRA_LIST(...) __VA_ARGS__
#define LE__SPECTRA_SWAP(a, b, first, second)                                                      \
    do {                                                                                           \
        const le__lanes other = __builtin_shufflevector(a, b, LE__SPECTRA_LIST second);            \
        (a) = __builtin_shufflevector(a, b, LE__SPECTRA_LIST first);                               \
        (b) = other;                                                                               \
    } while (0)

/* LANES rows of LANES numbers become columns (Eklundh 1972): blocks of half as many, of a quarter
 * ... change places. */
static inline void le__spectra_turn(const le__number *from, int64_t from_stride, le__number *to,
                                    int64_t to_stride) {
    le__lanes v[LE__SPECTRA_LANES];
    for (int i = 0; i < LE__SPECTRA_LANES; i++)
        v[i] = *(const le__lanes *)(const void *)(from + i * from_stride);
#if LE_METHOD_ISA == 512 && !LE__SPECTRA_F64
    for (int i = 0; i < 8; i++)
        LE__SPECTRA_SWAP(v[i], v[i + 8], (0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
                         (8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31));
    for (int i = 0; i < 16; i += i % 4 == 3 ? 5 : 1)
        LE__SPECTRA_SWAP(v[i], v[i + 4], (0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27),
                         (4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31));
    for (int i = 0; i < 16; i += i % 2 ? 3 : 1)
        LE__SPECTRA_SWAP(v[i], v[i + 2], (0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29),
                         (2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31));
    for (int i = 0; i < 16; i += 2)
        LE__SPECTRA_SWAP(v[i], v[i + 1],
                         (0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30),
                         (1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31));
#elif LE_METHOD_ISA == 512 || !LE__SPECTRA_F64
    for (int i = 0; i < 4; i++)
        LE__SPECTRA_SWAP(v[i], v[i + 4], (0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15));
    for (int i = 0; i < 8; i += i % 2 ? 3 : 1)
        LE__SPECTRA_SWAP(v[i], v[i + 2], (0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15));
    for (int i = 0; i < 8; i += 2)
        LE__SPECTRA_SWAP(v[i], v[i + 1], (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15));
#else
    for (int i = 0; i < 2; i++)
        LE__SPECTRA_SWAP(v[i], v[i + 2], (0, 1, 4, 5), (2, 3, 6, 7));
    for (int i = 0; i < 4; i += 2)
        LE__SPECTRA_SWAP(v[i], v[i + 1], (0, 4, 2, 6), (1, 5, 3, 7));
#endif
    for (int i = 0; i < LE__SPECTRA_LANES; i++)
        *(le__lanes *)(void *)(to + i * to_stride) = v[i];
}

#endif
