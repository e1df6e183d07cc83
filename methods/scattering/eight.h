/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Eight doubles, one for each of eight frames, included by sources that are compiled once for each
 * instruction set. As values they stay in registers, which arrays that are added to do not.
 */
#ifndef LE_SCATTERING_EIGHT_H
#define LE_SCATTERING_EIGHT_H

#include "common/isa.h"

#if LE_METHOD_ISA == 512
#include <immintrin.h>

typedef __m512d eight;

static inline eight eight_load(const double *from) {
    return _mm512_loadu_pd(from);
}

static inline void eight_store(double *to, eight x) {
    _mm512_storeu_pd(to, x);
}

static inline eight eight_from_f32(const float *from) {
    return _mm512_cvtps_pd(_mm256_loadu_ps(from));
}

static inline eight eight_times(double c, eight x) {
    return _mm512_mul_pd(_mm512_set1_pd(c), x);
}

/* x and c y; x and y z */
static inline eight eight_plus(eight x, double c, eight y) {
    return _mm512_fmadd_pd(_mm512_set1_pd(c), y, x);
}

static inline eight eight_plus_product(eight x, eight y, eight z) {
    return _mm512_fmadd_pd(y, z, x);
}

#elif LE_METHOD_ISA
#include <immintrin.h>

typedef struct eight {
    __m256d low, high;
} eight;

static inline eight eight_load(const double *from) {
    return (eight){_mm256_loadu_pd(from), _mm256_loadu_pd(from + 4)};
}

static inline void eight_store(double *to, eight x) {
    _mm256_storeu_pd(to, x.low);
    _mm256_storeu_pd(to + 4, x.high);
}

static inline eight eight_from_f32(const float *from) {
    return (eight){_mm256_cvtps_pd(_mm_loadu_ps(from)), _mm256_cvtps_pd(_mm_loadu_ps(from + 4))};
}

static inline eight eight_times(double c, eight x) {
    const __m256d all = _mm256_set1_pd(c);
    return (eight){_mm256_mul_pd(all, x.low), _mm256_mul_pd(all, x.high)};
}

static inline eight eight_plus_product(eight x, eight y, eight z) {
    return (eight){_mm256_fmadd_pd(y.low, z.low, x.low), _mm256_fmadd_pd(y.high, z.high, x.high)};
}

static inline eight eight_plus(eight x, double c, eight y) {
    const __m256d all = _mm256_set1_pd(c);
    return eight_plus_product(x, (eight){all, all}, y);
}

#else
#include <string.h>

typedef struct eight {
    double of[8];
} eight;

static inline eight eight_load(const double *from) {
    eight out;
    memcpy(out.of, from, sizeof out.of);
    return out;
}

static inline void eight_store(double *to, eight x) {
    memcpy(to, x.of, sizeof x.of);
}

static inline eight eight_from_f32(const float *from) {
    eight out;
    for (int f = 0; f < 8; f++)
        out.of[f] = (double)from[f];
    return out;
}

static inline eight eight_times(double c, eight x) {
    for (int f = 0; f < 8; f++)
        x.of[f] *= c;
    return x;
}

static inline eight eight_plus(eight x, double c, eight y) {
    for (int f = 0; f < 8; f++)
        x.of[f] += c * y.of[f];
    return x;
}

static inline eight eight_plus_product(eight x, eight y, eight z) {
    for (int f = 0; f < 8; f++)
        x.of[f] += y.of[f] * z.of[f];
    return x;
}
#endif

#endif
