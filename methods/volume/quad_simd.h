/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Bilinear samples of four planes at once. The planes are interleaved: four floats, a quad, hold one
 * point of each. The samples of a vector are V_COLUMNS columns of four planes, lane = 4*column + plane,
 * so that a corner of a column is one contiguous load and nothing has to be gathered.
 */
#ifndef LE_VOLUME_QUAD_SIMD_H
#define LE_VOLUME_QUAD_SIMD_H

#include "volume/simd.h"

enum { V_COLUMNS = VW / 4 };

/* Coordinates of VW columns: floats to skip to their cell, and weights. Written as whole vectors and
 * read at once in parts, each of which lies within one of them, so that the stores are forwarded. */
typedef struct le__quad_columns {
    int32_t offset[VW];
    float lower_y[VW], upper_y[VW], lower_z[VW], upper_z[VW];
} le__quad_columns;

#if LE_METHOD_ISA == 512

static inline vf v_two_pairs(const float *p, int32_t a, int32_t b)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(_mm256_loadu_ps(p + a)),
                              _mm256_loadu_ps(p + b), 1);
}

static inline vf v_four(const float *p)
{
    return _mm512_broadcast_f32x4(_mm_loadu_ps(p));
}

/* Samples of columns c to c + V_COLUMNS - 1. pitch: floats from one row of quads to the next. */
static inline vf v_sample_quads(const float *p, int64_t pitch, const le__quad_columns *q, int c)
{
    const vi columns01 = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    const vi columns23 = _mm512_setr_epi32(2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
    const vi columns = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    const int32_t *at = q->offset + c;
    vf y0 = v_four(q->lower_y + c), y1 = v_four(q->upper_y + c);
    vf first = vf_mul(v_two_pairs(p, at[0], at[1]), _mm512_permutevar_ps(y0, columns01));
    vf second = vf_mul(v_two_pairs(p, at[2], at[3]), _mm512_permutevar_ps(y0, columns23));
    p += pitch;
    first = vf_fma(v_two_pairs(p, at[0], at[1]), _mm512_permutevar_ps(y1, columns01), first);
    second = vf_fma(v_two_pairs(p, at[2], at[3]), _mm512_permutevar_ps(y1, columns23), second);
    vf z0 = _mm512_permutevar_ps(v_four(q->lower_z + c), columns);
    vf z1 = _mm512_permutevar_ps(v_four(q->upper_z + c), columns);
    return vf_fma(_mm512_shuffle_f32x4(first, second, 0xdd), z1,
                  vf_mul(_mm512_shuffle_f32x4(first, second, 0x88), z0));
}

/* Interleaves four vectors into VW quads. */
static inline void v_store_quads(float *out, vf a, vf b, vf c, vf d)
{
    vf ab = _mm512_unpacklo_ps(a, b), cd = _mm512_unpacklo_ps(c, d);
    vf ef = _mm512_unpackhi_ps(a, b), gh = _mm512_unpackhi_ps(c, d);
    __m512d u = _mm512_castps_pd(ab), v = _mm512_castps_pd(cd);
    __m512d w = _mm512_castps_pd(ef), x = _mm512_castps_pd(gh);
    /* lane k of the four holds the quads 4k, 4k+1, 4k+2 and 4k+3 */
    vf q0 = _mm512_castpd_ps(_mm512_unpacklo_pd(u, v)), q1 = _mm512_castpd_ps(_mm512_unpackhi_pd(u, v));
    vf q2 = _mm512_castpd_ps(_mm512_unpacklo_pd(w, x)), q3 = _mm512_castpd_ps(_mm512_unpackhi_pd(w, x));
    vf s = _mm512_shuffle_f32x4(q0, q1, 0x44), t = _mm512_shuffle_f32x4(q2, q3, 0x44);
    vf y = _mm512_shuffle_f32x4(q0, q1, 0xee), z = _mm512_shuffle_f32x4(q2, q3, 0xee);
    vf_store(out, _mm512_shuffle_f32x4(s, t, 0x88));
    vf_store(out + VW, _mm512_shuffle_f32x4(s, t, 0xdd));
    vf_store(out + 2 * VW, _mm512_shuffle_f32x4(y, z, 0x88));
    vf_store(out + 3 * VW, _mm512_shuffle_f32x4(y, z, 0xdd));
}

#elif defined(__AVX2__)

static inline vf v_two(const float *p)
{
    return _mm256_castpd_ps(_mm256_broadcast_sd((const double *)(const void *)p));
}

static inline vf v_sample_quads(const float *p, int64_t pitch, const le__quad_columns *q, int c)
{
    const vi columns = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
    const int32_t *at = q->offset + c;
    const float *y0 = q->lower_y + c, *y1 = q->upper_y + c;
    vf first = vf_mul(vf_load(p + at[0]), vf_set(y0[0]));
    vf second = vf_mul(vf_load(p + at[1]), vf_set(y0[1]));
    p += pitch;
    first = vf_fma(vf_load(p + at[0]), vf_set(y1[0]), first);
    second = vf_fma(vf_load(p + at[1]), vf_set(y1[1]), second);
    vf z0 = _mm256_permutevar_ps(v_two(q->lower_z + c), columns);
    vf z1 = _mm256_permutevar_ps(v_two(q->upper_z + c), columns);
    return vf_fma(_mm256_permute2f128_ps(first, second, 0x31), z1,
                  vf_mul(_mm256_permute2f128_ps(first, second, 0x20), z0));
}

static inline void v_store_quads(float *out, vf a, vf b, vf c, vf d)
{
    vf ab = _mm256_unpacklo_ps(a, b), cd = _mm256_unpacklo_ps(c, d);
    vf ef = _mm256_unpackhi_ps(a, b), gh = _mm256_unpackhi_ps(c, d);
    vf q0 = _mm256_shuffle_ps(ab, cd, 0x44), q1 = _mm256_shuffle_ps(ab, cd, 0xee);
    vf q2 = _mm256_shuffle_ps(ef, gh, 0x44), q3 = _mm256_shuffle_ps(ef, gh, 0xee);
    vf_store(out, _mm256_permute2f128_ps(q0, q1, 0x20));
    vf_store(out + VW, _mm256_permute2f128_ps(q2, q3, 0x20));
    vf_store(out + 2 * VW, _mm256_permute2f128_ps(q0, q1, 0x31));
    vf_store(out + 3 * VW, _mm256_permute2f128_ps(q2, q3, 0x31));
}

#endif

#endif
