/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The few vector operations that convolutions need, in single and in double precision, for the
 * instruction set that LE_METHOD_ISA names. A group is as many vectors as are kept together, so
 * that a tap that is loaded once serves all of them.
 */
#ifndef LE_IMAGING_CONVOLUTION_VEC_H
#define LE_IMAGING_CONVOLUTION_VEC_H

#include <string.h>

#if LE_METHOD_ISA
#include <immintrin.h>
#endif

#if LE_METHOD_ISA == 512
#define CONV_BITS(name) _mm512_##name
typedef __m512 vec_f32;
typedef __m512d vec_f64;
#elif LE_METHOD_ISA == 2
#define CONV_BITS(name) _mm256_##name
typedef __m256 vec_f32;
typedef __m256d vec_f64;
#else
typedef float vec_f32 __attribute__((vector_size(16)));
typedef double vec_f64 __attribute__((vector_size(16)));
#endif

#if LE_METHOD_ISA
#define CONV_VECTORS(T, s, letter)                                                                 \
    static inline vec_##s load_##s(const T *p) {                                                   \
        return CONV_BITS(loadu_p##letter)(p);                                                      \
    }                                                                                              \
    static inline void store_##s(T *p, vec_##s v) {                                                \
        CONV_BITS(storeu_p##letter)(p, v);                                                         \
    }                                                                                              \
    static inline vec_##s set_##s(T x) {                                                           \
        return CONV_BITS(set1_p##letter)(x);                                                       \
    }                                                                                              \
    static inline vec_##s fma_##s(vec_##s a, vec_##s b, vec_##s sum) {                             \
        return CONV_BITS(fmadd_p##letter)(a, b, sum);                                              \
    }
#else
#define CONV_VECTORS(T, s, letter)                                                                 \
    static inline vec_##s load_##s(const T *p) {                                                   \
        vec_##s v;                                                                                 \
        memcpy(&v, p, sizeof v);                                                                   \
        return v;                                                                                  \
    }                                                                                              \
    static inline void store_##s(T *p, vec_##s v) {                                                \
        memcpy(p, &v, sizeof v);                                                                   \
    }                                                                                              \
    static inline vec_##s set_##s(T x) {                                                           \
        return (vec_##s){0} + x;                                                                   \
    }                                                                                              \
    static inline vec_##s fma_##s(vec_##s a, vec_##s b, vec_##s sum) {                             \
        return a * b + sum;                                                                        \
    }
#endif

CONV_VECTORS(float, f32, s)
CONV_VECTORS(double, f64, d)

/* Stored in either precision. */
#define CONV_PUT(T, to, s)                                                                         \
    static inline void put_##to##_##s(T *p, vec_##s v) {                                           \
        for (size_t i = 0; i < sizeof v / sizeof v[0]; i++)                                        \
            p[i] = (T)v[i];                                                                        \
    }

#define put_f32_f32 store_f32
#define put_f64_f64 store_f64
CONV_PUT(double, f64, f32)
#if LE_METHOD_ISA == 512
static inline void put_f32_f64(float *p, vec_f64 v) {
    _mm256_storeu_ps(p, _mm512_cvtpd_ps(v));
}
#elif LE_METHOD_ISA == 2
static inline void put_f32_f64(float *p, vec_f64 v) {
    _mm_storeu_ps(p, _mm256_cvtpd_ps(v));
}
#else
CONV_PUT(float, f32, f64)
#endif

/* With 32 registers four rows of four vectors are summed at once, with 16 four rows of two. */
#if LE_METHOD_ISA == 512
#define CONV_EACH(X) X(a, 0) X(b, 1) X(c, 2) X(d, 3)
enum { GROUP_VECTORS = 4 };
#else
#define CONV_EACH(X) X(a, 0) X(b, 1)
enum { GROUP_VECTORS = 2 };
#endif

enum {
    LANES_f32 = sizeof(vec_f32) / sizeof(float),
    LANES_f64 = sizeof(vec_f64) / sizeof(double),
    GROUP_f32 = GROUP_VECTORS * LANES_f32,
    GROUP_f64 = GROUP_VECTORS * LANES_f64
};

#if LE_METHOD_ISA
/* Pairs of neighbouring pixels, 16 bits each, and of taps: a pair's products are summed. */
#if LE_METHOD_ISA == 512
typedef __m512i vec_i32;
#define CONV_WHOLE(name)    _mm512_##name
#define CONV_HALF_F64(v, i) _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(v, i))
#else
typedef __m256i vec_i32;
#define CONV_WHOLE(name)    _mm256_##name
#define CONV_HALF_F64(v, i) _mm256_cvtepi32_pd(_mm256_extracti128_si256(v, i))
#endif
enum { LANES_i32 = sizeof(vec_i32) / 4, GROUP_i32 = GROUP_VECTORS * LANES_i32 };

static inline vec_i32 load_i32(const int32_t *p) {
    vec_i32 v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline vec_i32 set_i32(int32_t x) {
    return CONV_WHOLE(set1_epi32)(x);
}
static inline vec_i32 fma_i32(vec_i32 a, vec_i32 b, vec_i32 sum) {
    return CONV_WHOLE(add_epi32)(CONV_WHOLE(madd_epi16)(a, b), sum);
}
static inline void put_f32_i32(float *p, vec_i32 v) {
    CONV_WHOLE(storeu_ps)(p, CONV_WHOLE(cvtepi32_ps)(v));
}
static inline void put_f64_i32(double *p, vec_i32 v) {
    CONV_WHOLE(storeu_pd)(p, CONV_HALF_F64(v, 0));
    CONV_WHOLE(storeu_pd)(p + LANES_i32 / 2, CONV_HALF_F64(v, 1));
}
#endif

#endif
