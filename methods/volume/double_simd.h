/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Vectors of double, for sums and coordinates that single precision cannot hold: 8 lanes with AVX-512,
 * 4 with AVX2. Offsets have 64 bits. Elements of any dtype are widened as they are loaded.
 */
#ifndef LE_VOLUME_DOUBLE_SIMD_H
#define LE_VOLUME_DOUBLE_SIMD_H

#include <string.h>

#include "volume/simd.h"

enum { VD = VW / 2 };

#if LE_METHOD_ISA == 512

typedef __m512d vd;
typedef __m512i vl;    /* int64 */
typedef __mmask8 vdm;

static inline vd vd_set(double x) { return _mm512_set1_pd(x); }
static inline vl vl_set(int64_t x) { return _mm512_set1_epi64(x); }
static inline vd vd_load(const double *p) { return _mm512_loadu_pd(p); }
static inline void vd_store(double *p, vd x) { _mm512_storeu_pd(p, x); }
static inline void vd_store_f32(float *p, vd x) { _mm256_storeu_ps(p, _mm512_cvtpd_ps(x)); }
static inline void vl_store(int64_t *p, vl x) { _mm512_storeu_si512(p, x); }
static inline vl vl_load(const int64_t *p) { return _mm512_loadu_si512(p); }
static inline vd vd_add(vd a, vd b) { return _mm512_add_pd(a, b); }
static inline vd vd_sub(vd a, vd b) { return _mm512_sub_pd(a, b); }
static inline vd vd_mul(vd a, vd b) { return _mm512_mul_pd(a, b); }
static inline vd vd_div(vd a, vd b) { return _mm512_div_pd(a, b); }
static inline vd vd_fma(vd a, vd b, vd c) { return _mm512_fmadd_pd(a, b, c); }
/* b where either is NaN */
static inline vd vd_min(vd a, vd b) { return _mm512_min_pd(a, b); }
static inline vd vd_max(vd a, vd b) { return _mm512_max_pd(a, b); }
/* ordered comparisons: false for NaN */
static inline vdm vd_le(vd a, vd b) { return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ); }
static inline vdm vd_eq(vd a, vd b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
static inline vdm vdm_and(vdm a, vdm b) { return (vdm)(a & b); }
/* m ? a : b */
static inline vd vd_select(vdm m, vd a, vd b) { return _mm512_mask_blend_pd(m, b, a); }
static inline vl vl_select(vdm m, vl a, vl b) { return _mm512_mask_blend_epi64(m, b, a); }
static inline vl vl_add(vl a, vl b) { return _mm512_add_epi64(a, b); }
static inline vl vl_sub(vl a, vl b) { return _mm512_sub_epi64(a, b); }
static inline vl vl_min(vl a, vl b) { return _mm512_min_epi64(a, b); }
/* of numbers in [0, 2^32); the product may be larger */
static inline vl vl_mul(vl a, vl b) { return _mm512_mul_epu32(a, b); }
/* p[i] */
static inline vd vd_gather(const double *p, vl i) { return _mm512_i64gather_pd(i, p, 8); }
static inline vl vl_gather_i32(const int32_t *p, vl i)
{
    return _mm512_cvtepi32_epi64(_mm512_i64gather_epi32(i, p, 4));
}
/* whole part, towards zero, of numbers below 2^31 */
static inline vl vl_truncate(vd a) { return _mm512_cvtepi32_epi64(_mm512_cvttpd_epi32(a)); }

typedef __m256i v_half; /* VD int32 */
static inline v_half v_half_load(const void *p) { return _mm256_loadu_si256(p); }
static inline v_half v_half_u8(const void *p)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64(p));
}
static inline v_half v_half_u16(const void *p) { return _mm256_cvtepu16_epi32(_mm_loadu_si128(p)); }
static inline v_half v_half_i16(const void *p) { return _mm256_cvtepi16_epi32(_mm_loadu_si128(p)); }
static inline vd vd_of_i32(v_half a) { return _mm512_cvtepi32_pd(a); }
static inline vd vd_of_u32(v_half a) { return _mm512_cvtepu32_pd(a); }
static inline vd vd_of_f32(v_half a) { return _mm512_cvtps_pd(_mm256_castsi256_ps(a)); }
#define v_half_srl(a, n) _mm256_srli_epi32((a), (n))
#define v_half_sra(a, n) _mm256_srai_epi32((a), (n))
#define v_half_sll(a, n) _mm256_slli_epi32((a), (n))
/* 32 bits from byte i, and from byte 2*i, of p */
static inline v_half v_half_gather_bytes(const void *p, vl i)
{
    return _mm512_i64gather_epi32(i, p, 1);
}
static inline v_half v_half_gather_halves(const void *p, vl i)
{
    return _mm512_i64gather_epi32(i, p, 2);
}
/* each lane of a shifted to the right by as many bits */
static inline v_half v_half_srl_each(v_half a, vl bits)
{
    return _mm256_srlv_epi32(a, _mm512_cvtepi64_epi32(bits));
}
static inline vl vl_bytes_to_bits(vl a) { return _mm512_slli_epi64(a, 3); }
/* the 32-bit elements i and i+1 of p */
static inline void v_half_gather_pair(const void *p, vl i, v_half *first, v_half *second)
{
    vl both = _mm512_i64gather_epi64(i, p, 4);
    *first = _mm512_cvtepi64_epi32(both);
    *second = _mm512_cvtepi64_epi32(_mm512_srli_epi64(both, 32));
}
/* out[k]: p[i[0] + k], p[i[1] + k], ...: four neighbours for each lane */
static inline void vd_load_rows(const double *p, const int64_t i[VD], vd out[4])
{
    vd row[4], pair[4];
    for (int k = 0; k < 4; k++)
        row[k] = _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(p + i[k])),
                                    _mm256_loadu_pd(p + i[k + 4]), 1);
    for (int k = 0; k < 4; k += 2) {
        pair[k] = _mm512_unpacklo_pd(row[k], row[k + 1]);
        pair[k + 1] = _mm512_unpackhi_pd(row[k], row[k + 1]);
    }
    const vl low = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const vl high = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    for (int k = 0; k < 2; k++) {
        out[k] = _mm512_permutex2var_pd(pair[k], low, pair[k + 2]);
        out[k + 2] = _mm512_permutex2var_pd(pair[k], high, pair[k + 2]);
    }
}
/* p[0], p[3], p[6] ... */
static inline vd vd_every_third(const double *p)
{
    return _mm512_i32gather_pd(_mm256_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21), p, 8);
}
static inline vd vd_every_third_f32(const float *p)
{
    return _mm512_cvtps_pd(
        _mm256_i32gather_ps(p, _mm256_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21), 4));
}

#elif defined(__AVX2__)

typedef __m256d vd;
typedef __m256i vl;
typedef __m256d vdm;

static inline vd vd_set(double x) { return _mm256_set1_pd(x); }
static inline vl vl_set(int64_t x) { return _mm256_set1_epi64x(x); }
static inline vd vd_load(const double *p) { return _mm256_loadu_pd(p); }
static inline void vd_store(double *p, vd x) { _mm256_storeu_pd(p, x); }
static inline void vd_store_f32(float *p, vd x) { _mm_storeu_ps(p, _mm256_cvtpd_ps(x)); }
static inline void vl_store(int64_t *p, vl x) { _mm256_storeu_si256((__m256i *)(void *)p, x); }
static inline vl vl_load(const int64_t *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}
static inline vd vd_add(vd a, vd b) { return _mm256_add_pd(a, b); }
static inline vd vd_sub(vd a, vd b) { return _mm256_sub_pd(a, b); }
static inline vd vd_mul(vd a, vd b) { return _mm256_mul_pd(a, b); }
static inline vd vd_div(vd a, vd b) { return _mm256_div_pd(a, b); }
static inline vd vd_fma(vd a, vd b, vd c) { return _mm256_fmadd_pd(a, b, c); }
static inline vd vd_min(vd a, vd b) { return _mm256_min_pd(a, b); }
static inline vd vd_max(vd a, vd b) { return _mm256_max_pd(a, b); }
static inline vdm vd_le(vd a, vd b) { return _mm256_cmp_pd(a, b, _CMP_LE_OQ); }
static inline vdm vd_eq(vd a, vd b) { return _mm256_cmp_pd(a, b, _CMP_EQ_OQ); }
static inline vdm vdm_and(vdm a, vdm b) { return _mm256_and_pd(a, b); }
static inline vd vd_select(vdm m, vd a, vd b) { return _mm256_blendv_pd(b, a, m); }
static inline vl vl_select(vdm m, vl a, vl b)
{
    return _mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd(b), _mm256_castsi256_pd(a), m));
}
static inline vl vl_add(vl a, vl b) { return _mm256_add_epi64(a, b); }
static inline vl vl_sub(vl a, vl b) { return _mm256_sub_epi64(a, b); }
static inline vl vl_min(vl a, vl b) { return _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b)); }
static inline vl vl_mul(vl a, vl b) { return _mm256_mul_epu32(a, b); }
static inline vd vd_gather(const double *p, vl i) { return _mm256_i64gather_pd(p, i, 8); }
static inline vl vl_gather_i32(const int32_t *p, vl i)
{
    return _mm256_cvtepi32_epi64(_mm256_i64gather_epi32(p, i, 4));
}
static inline vl vl_truncate(vd a) { return _mm256_cvtepi32_epi64(_mm256_cvttpd_epi32(a)); }

typedef __m128i v_half;
static inline v_half v_half_load(const void *p) { return _mm_loadu_si128(p); }
static inline v_half v_half_u8(const void *p)
{
    int32_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    return _mm_cvtepu8_epi32(_mm_cvtsi32_si128(bytes));
}
static inline v_half v_half_u16(const void *p) { return _mm_cvtepu16_epi32(_mm_loadl_epi64(p)); }
static inline v_half v_half_i16(const void *p) { return _mm_cvtepi16_epi32(_mm_loadl_epi64(p)); }
static inline vd vd_of_i32(v_half a) { return _mm256_cvtepi32_pd(a); }
static inline vd vd_of_u32(v_half a)
{
    v_half flipped = _mm_xor_si128(a, _mm_set1_epi32(INT32_MIN));
    return vd_add(_mm256_cvtepi32_pd(flipped), vd_set(0x1p31));
}
static inline vd vd_of_f32(v_half a) { return _mm256_cvtps_pd(_mm_castsi128_ps(a)); }
#define v_half_srl(a, n) _mm_srli_epi32((a), (n))
#define v_half_sra(a, n) _mm_srai_epi32((a), (n))
#define v_half_sll(a, n) _mm_slli_epi32((a), (n))
static inline v_half v_half_gather_bytes(const void *p, vl i)
{
    return _mm256_i64gather_epi32((const int *)p, i, 1);
}
static inline v_half v_half_gather_halves(const void *p, vl i)
{
    return _mm256_i64gather_epi32((const int *)p, i, 2);
}
/* the low 32 bits of each lane */
static inline v_half v_half_of_long(vl a)
{
    return _mm256_castsi256_si128(
        _mm256_permutevar8x32_epi32(a, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6)));
}
static inline v_half v_half_srl_each(v_half a, vl bits)
{
    return _mm_srlv_epi32(a, v_half_of_long(bits));
}
static inline vl vl_bytes_to_bits(vl a) { return _mm256_slli_epi64(a, 3); }
static inline void v_half_gather_pair(const void *p, vl i, v_half *first, v_half *second)
{
    vl both = _mm256_i64gather_epi64((const long long *)p, i, 4);
    *first = v_half_of_long(both);
    *second = v_half_of_long(_mm256_srli_epi64(both, 32));
}
static inline void vd_load_rows(const double *p, const int64_t i[VD], vd out[4])
{
    vd row[4], pair[4];
    for (int k = 0; k < 4; k++)
        row[k] = vd_load(p + i[k]);
    for (int k = 0; k < 4; k += 2) {
        pair[k] = _mm256_unpacklo_pd(row[k], row[k + 1]);
        pair[k + 1] = _mm256_unpackhi_pd(row[k], row[k + 1]);
    }
    for (int k = 0; k < 2; k++) {
        out[k] = _mm256_permute2f128_pd(pair[k], pair[k + 2], 0x20);
        out[k + 2] = _mm256_permute2f128_pd(pair[k], pair[k + 2], 0x31);
    }
}
static inline vd vd_every_third(const double *p) { return _mm256_setr_pd(p[0], p[3], p[6], p[9]); }
static inline vd vd_every_third_f32(const float *p)
{
    return _mm256_cvtps_pd(_mm_setr_ps(p[0], p[3], p[6], p[9]));
}

#endif

/* VD neighbouring elements of each dtype. */
static inline vd vd_load_u8(const uint8_t *p) { return vd_of_i32(v_half_u8(p)); }
static inline vd vd_load_i16(const int16_t *p) { return vd_of_i32(v_half_i16(p)); }
static inline vd vd_load_u16(const uint16_t *p) { return vd_of_i32(v_half_u16(p)); }
static inline vd vd_load_i32(const int32_t *p) { return vd_of_i32(v_half_load(p)); }
static inline vd vd_load_u32(const uint32_t *p) { return vd_of_u32(v_half_load(p)); }
static inline vd vd_load_f32(const float *p) { return vd_of_f32(v_half_load(p)); }
static inline vd vd_load_f64(const double *p) { return vd_load(p); }

#endif
