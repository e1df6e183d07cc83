/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Vectors of float and int32 for sources that are compiled once for each instruction set: 16 lanes
 * with AVX-512 (F, BW, DQ, VL), 8 with AVX2 and FMA. Masks are opaque (vm). The including file must be
 * compiled with the flags of its instruction set and run only where the CPU has it.
 */
#ifndef LE_VOLUME_SIMD_H
#define LE_VOLUME_SIMD_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

/* for functions whose constant arguments select code */
#define LE__INLINE static inline __attribute__((always_inline))

#if LE_METHOD_ISA == 512

/* lanes; entries of a lookup table; bits of a fraction, see vi_carry */
enum { VW = 16, V_TABLE = 16, V_FRACTION_BITS = 32 };
typedef __m512 vf;
typedef __m512i vi;
typedef __mmask16 vm;
typedef uint16_t vm_stored;

static inline vf vf_set(float x) { return _mm512_set1_ps(x); }
static inline vi vi_set(int32_t x) { return _mm512_set1_epi32(x); }
static inline vf vf_load(const float *p) { return _mm512_loadu_ps(p); }
static inline vi vi_load(const int32_t *p) { return _mm512_loadu_si512(p); }
static inline void vf_store(float *p, vf x) { _mm512_storeu_ps(p, x); }
static inline void vi_store(int32_t *p, vi x) { _mm512_storeu_si512(p, x); }
static inline vf vf_add(vf a, vf b) { return _mm512_add_ps(a, b); }
static inline vf vf_sub(vf a, vf b) { return _mm512_sub_ps(a, b); }
static inline vf vf_mul(vf a, vf b) { return _mm512_mul_ps(a, b); }
static inline vf vf_min(vf a, vf b) { return _mm512_min_ps(a, b); }
static inline vf vf_max(vf a, vf b) { return _mm512_max_ps(a, b); }
static inline vf vf_fma(vf a, vf b, vf c) { return _mm512_fmadd_ps(a, b, c); }
static inline vf vf_fnma(vf a, vf b, vf c) { return _mm512_fnmadd_ps(a, b, c); }
static inline vi vi_add(vi a, vi b) { return _mm512_add_epi32(a, b); }
static inline vi vi_sub(vi a, vi b) { return _mm512_sub_epi32(a, b); }
static inline vi vi_mul(vi a, vi b) { return _mm512_mullo_epi32(a, b); }
static inline vi vi_and(vi a, vi b) { return _mm512_and_si512(a, b); }
static inline vi vi_or(vi a, vi b) { return _mm512_or_si512(a, b); }
static inline vi vi_min(vi a, vi b) { return _mm512_min_epi32(a, b); }
static inline vi vi_max(vi a, vi b) { return _mm512_max_epi32(a, b); }
#define vi_srl(a, n) _mm512_srli_epi32((a), (n))
#define vi_sll(a, n) _mm512_slli_epi32((a), (n))
#define vi_sra(a, n) _mm512_srai_epi32((a), (n))
static inline vi vi_srl_each(vi a, vi n) { return _mm512_srlv_epi32(a, n); }
/* a & mask | b */
static inline vi vi_and_or(vi a, vi mask, vi b) { return _mm512_ternarylogic_epi32(a, mask, b, 0xea); }
static inline vf vf_of_bits(vi a) { return _mm512_castsi512_ps(a); }
static inline vi vi_bits(vf a) { return _mm512_castps_si512(a); }
static inline vf vf_of_int(vi a) { return _mm512_cvtepi32_ps(a); }
static inline vf vf_of_unsigned(vi a) { return _mm512_cvtepu32_ps(a); }
static inline vi vi_truncate(vf a) { return _mm512_cvttps_epi32(a); }
/* ordered comparisons: false for NaN */
static inline vm vf_ge(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ); }
static inline vm vf_le(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ); }
static inline vm vf_lt(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
static inline vm vf_eq(vf a, vf b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
static inline vm vi_gt(vi a, vi b) { return _mm512_cmpgt_epi32_mask(a, b); }
static inline vm vm_and(vm a, vm b) { return (vm)(a & b); }
static inline vm vm_or(vm a, vm b) { return (vm)(a | b); }
static inline bool vm_any(vm a) { return a != 0; }
static inline vm_stored vm_store(vm a) { return a; }
static inline vm vm_load(vm_stored a) { return a; }
/* m ? a : b */
static inline vf vf_select(vm m, vf a, vf b) { return _mm512_mask_blend_ps(m, b, a); }
static inline vi vi_select(vm m, vi a, vi b) { return _mm512_mask_blend_epi32(m, b, a); }
/* m ? a : 0 */
static inline vf vf_keep(vm m, vf a) { return _mm512_maskz_mov_ps(m, a); }
/* m ? a + 1 : a */
static inline vi vi_count(vi a, vm m) { return _mm512_mask_sub_epi32(a, m, a, _mm512_set1_epi32(-1)); }
/* m ? a + b : a */
static inline vi vi_add_if(vm m, vi a, vi b) { return _mm512_mask_add_epi32(a, m, a, b); }
/* Fractions of V_FRACTION_BITS: whether sum = part + other went past 1; and the weights 1 - f and f of
 * the sum's fraction, each of full relative precision but for the upper one's bits below 2^-30, which
 * are left out (see fixed.h). */
static inline vm vi_carry(vi sum, vi part) { return _mm512_cmplt_epu32_mask(sum, part); }
static inline void v_weights(vi sum, vf *lower, vf *upper)
{
    const vf unit = vf_set(0x1p-32f);
    *upper = vf_mul(_mm512_cvtepu32_ps(_mm512_andnot_si512(vi_set(3), sum)), unit);
    *lower = vf_mul(_mm512_cvtepu32_ps(_mm512_ternarylogic_epi32(sum, sum, sum, 0x55)), unit);
}
/* table[i] of V_TABLE entries; i in [0, V_TABLE) */
static inline vf vf_lookup(vf table, vi i) { return _mm512_permutexvar_ps(i, table); }
static inline vf vf_gather(const float *p, vi i) { return _mm512_i32gather_ps(i, p, 4); }
static inline vi vi_gather(const int32_t *p, vi i) { return _mm512_i32gather_epi32(i, p, 4); }
/* 32 bits from byte i, and from byte 2*i, of p */
static inline vi vi_gather_bytes(const void *p, vi i) { return _mm512_i32gather_epi32(i, p, 1); }
static inline vi vi_gather_halves(const void *p, vi i) { return _mm512_i32gather_epi32(i, p, 2); }

/* p[i] and p[i+1]; half as many loads as two gathers */
static inline void vf_gather_pair(const float *p, vi i, vf *first, vf *second)
{
    const vi even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const vi odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    vf low = _mm512_castpd_ps(_mm512_i32gather_pd(_mm512_castsi512_si256(i), p, 4));
    vf high = _mm512_castpd_ps(_mm512_i32gather_pd(_mm512_extracti64x4_epi64(i, 1), p, 4));
    *first = _mm512_permutex2var_ps(low, even, high);
    *second = _mm512_permutex2var_ps(low, odd, high);
}

/* p[i] as float; low and high half of the lanes */
static inline vf vf_gather_f64(const double *p, vi i)
{
    __m256 low = _mm512_cvtpd_ps(_mm512_i32gather_pd(_mm512_castsi512_si256(i), p, 8));
    __m256 high = _mm512_cvtpd_ps(_mm512_i32gather_pd(_mm512_extracti64x4_epi64(i, 1), p, 8));
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}

/* floor(log2|x|) and the mantissa in [1,2) with x's sign cleared; any x but NaN */
static inline vf vf_exponent(vf x) { return _mm512_getexp_ps(x); }
static inline vf vf_mantissa(vf x)
{
    return _mm512_getmant_ps(x, _MM_MANT_NORM_1_2, _MM_MANT_SIGN_zero);
}
/* the mantissa of a normal number */
static inline vf vf_mantissa_normal(vf x)
{
    return vf_of_bits(vi_and_or(vi_bits(x), vi_set(0x007fffff), vi_set(0x3f800000)));
}
static inline vf vf_exponent_normal(vf x) { return _mm512_getexp_ps(x); }
/* x - floor(x) */
static inline vf vf_fraction(vf x) { return _mm512_reduce_ps(x, _MM_FROUND_TO_NEG_INF); }
/* m ? a * 2^floor(n) : 0 */
static inline vf vf_scale_keep(vm m, vf a, vf n) { return _mm512_maskz_scalef_ps(m, a, n); }
/* the same for a in [1,2) and n in [-126, 126] where m is set */
static inline vf vf_scale_near(vm m, vf a, vf n) { return _mm512_maskz_scalef_ps(m, a, n); }

#elif defined(__AVX2__)

enum { VW = 8, V_TABLE = 8, V_FRACTION_BITS = 31 };
typedef __m256 vf;
typedef __m256i vi;
typedef __m256 vm;
typedef uint16_t vm_stored;

static inline vf vf_set(float x) { return _mm256_set1_ps(x); }
static inline vi vi_set(int32_t x) { return _mm256_set1_epi32(x); }
static inline vf vf_load(const float *p) { return _mm256_loadu_ps(p); }
static inline vi vi_load(const int32_t *p) { return _mm256_loadu_si256((const __m256i *)p); }
static inline void vf_store(float *p, vf x) { _mm256_storeu_ps(p, x); }
static inline void vi_store(int32_t *p, vi x) { _mm256_storeu_si256((__m256i *)p, x); }
static inline vf vf_add(vf a, vf b) { return _mm256_add_ps(a, b); }
static inline vf vf_sub(vf a, vf b) { return _mm256_sub_ps(a, b); }
static inline vf vf_mul(vf a, vf b) { return _mm256_mul_ps(a, b); }
static inline vf vf_min(vf a, vf b) { return _mm256_min_ps(a, b); }
static inline vf vf_max(vf a, vf b) { return _mm256_max_ps(a, b); }
static inline vf vf_fma(vf a, vf b, vf c) { return _mm256_fmadd_ps(a, b, c); }
static inline vf vf_fnma(vf a, vf b, vf c) { return _mm256_fnmadd_ps(a, b, c); }
static inline vi vi_add(vi a, vi b) { return _mm256_add_epi32(a, b); }
static inline vi vi_sub(vi a, vi b) { return _mm256_sub_epi32(a, b); }
static inline vi vi_mul(vi a, vi b) { return _mm256_mullo_epi32(a, b); }
static inline vi vi_and(vi a, vi b) { return _mm256_and_si256(a, b); }
static inline vi vi_or(vi a, vi b) { return _mm256_or_si256(a, b); }
static inline vi vi_min(vi a, vi b) { return _mm256_min_epi32(a, b); }
static inline vi vi_max(vi a, vi b) { return _mm256_max_epi32(a, b); }
#define vi_srl(a, n) _mm256_srli_epi32((a), (n))
#define vi_sll(a, n) _mm256_slli_epi32((a), (n))
#define vi_sra(a, n) _mm256_srai_epi32((a), (n))
static inline vi vi_srl_each(vi a, vi n) { return _mm256_srlv_epi32(a, n); }
static inline vi vi_and_or(vi a, vi mask, vi b) { return vi_or(vi_and(a, mask), b); }
static inline vf vf_of_bits(vi a) { return _mm256_castsi256_ps(a); }
static inline vi vi_bits(vf a) { return _mm256_castps_si256(a); }
static inline vf vf_of_int(vi a) { return _mm256_cvtepi32_ps(a); }
static inline vf vf_of_unsigned(vi a)
{
    vf high = vf_of_int(_mm256_srli_epi32(a, 16)), low = vf_of_int(vi_and(a, vi_set(0xffff)));
    return vf_fma(high, vf_set(65536.0f), low);
}
static inline vi vi_truncate(vf a) { return _mm256_cvttps_epi32(a); }
static inline vm vf_ge(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_GE_OQ); }
static inline vm vf_le(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_LE_OQ); }
static inline vm vf_lt(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_LT_OQ); }
static inline vm vf_eq(vf a, vf b) { return _mm256_cmp_ps(a, b, _CMP_EQ_OQ); }
static inline vm vi_gt(vi a, vi b) { return vf_of_bits(_mm256_cmpgt_epi32(a, b)); }
static inline vm vm_and(vm a, vm b) { return _mm256_and_ps(a, b); }
static inline vm vm_or(vm a, vm b) { return _mm256_or_ps(a, b); }
static inline bool vm_any(vm a) { return _mm256_movemask_ps(a) != 0; }
static inline vm_stored vm_store(vm a) { return (vm_stored)_mm256_movemask_ps(a); }
static inline vm vm_load(vm_stored a)
{
    const vi bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    return vf_of_bits(_mm256_cmpeq_epi32(vi_and(vi_set(a), bit), bit));
}
static inline vf vf_select(vm m, vf a, vf b) { return _mm256_blendv_ps(b, a, m); }
static inline vi vi_select(vm m, vi a, vi b)
{
    return vi_bits(_mm256_blendv_ps(vf_of_bits(b), vf_of_bits(a), m));
}
static inline vf vf_keep(vm m, vf a) { return _mm256_and_ps(m, a); }
static inline vi vi_count(vi a, vm m) { return vi_sub(a, vi_bits(m)); }
static inline vi vi_add_if(vm m, vi a, vi b) { return vi_add(a, vi_and(vi_bits(m), b)); }
static inline vm vi_carry(vi sum, vi part)
{
    (void)part;
    return vf_of_bits(_mm256_srai_epi32(sum, 31));
}
static inline void v_weights(vi sum, vf *lower, vf *upper)
{
    const vf unit = vf_set(0x1p-31f);
    const vi kept = vi_set(0x7ffffffe);
    *upper = vf_mul(vf_of_int(vi_and(sum, kept)), unit);
    *lower = vf_mul(vf_of_int(_mm256_andnot_si256(sum, kept)), unit);
}
static inline vf vf_lookup(vf table, vi i) { return _mm256_permutevar8x32_ps(table, i); }
static inline vf vf_gather(const float *p, vi i) { return _mm256_i32gather_ps(p, i, 4); }
static inline vi vi_gather(const int32_t *p, vi i) { return _mm256_i32gather_epi32(p, i, 4); }
static inline vi vi_gather_bytes(const void *p, vi i)
{
    return _mm256_i32gather_epi32((const int *)p, i, 1);
}
static inline vi vi_gather_halves(const void *p, vi i)
{
    return _mm256_i32gather_epi32((const int *)p, i, 2);
}

static inline void vf_gather_pair(const float *p, vi i, vf *first, vf *second)
{
    const double *d = (const double *)(const void *)p;
    vf low = _mm256_castpd_ps(_mm256_i32gather_pd(d, _mm256_castsi256_si128(i), 4));
    vf high = _mm256_castpd_ps(_mm256_i32gather_pd(d, _mm256_extracti128_si256(i, 1), 4));
    vf even = _mm256_shuffle_ps(low, high, 0x88), odd = _mm256_shuffle_ps(low, high, 0xdd);
    *first = _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(even), 0xd8));
    *second = _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(odd), 0xd8));
}

static inline vf vf_gather_f64(const double *p, vi i)
{
    __m128 low = _mm256_cvtpd_ps(_mm256_i32gather_pd(p, _mm256_castsi256_si128(i), 8));
    __m128 high = _mm256_cvtpd_ps(_mm256_i32gather_pd(p, _mm256_extracti128_si256(i, 1), 8));
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

static inline vf vf_mantissa_normal(vf x)
{
    return vf_of_bits(vi_and_or(vi_bits(x), vi_set(0x007fffff), vi_set(0x3f800000)));
}
/* of a positive normal number */
static inline vf vf_exponent_normal(vf x)
{
    return vf_of_int(vi_sub(vi_srl(vi_bits(x), 23), vi_set(127)));
}
static inline vf vf_exponent(vf x)
{
    vf a = _mm256_andnot_ps(vf_set(-0.0f), x);
    vm small = vf_lt(a, vf_set(1.17549435e-38f));
    vf e = vf_exponent_normal(vf_mul(a, vf_select(small, vf_set(8388608.0f), vf_set(1.0f))));
    e = vf_sub(e, vf_keep(small, vf_set(23.0f)));
    e = vf_select(vf_eq(a, vf_set(0.0f)), vf_set(-__builtin_inff()), e);
    return vf_select(vf_eq(a, vf_set(__builtin_inff())), a, e);
}
static inline vf vf_mantissa(vf x)
{
    vf a = _mm256_andnot_ps(vf_set(-0.0f), x);
    vm small = vf_lt(a, vf_set(1.17549435e-38f));
    return vf_mantissa_normal(vf_mul(a, vf_select(small, vf_set(8388608.0f), vf_set(1.0f))));
}
static inline vf vf_fraction(vf x) { return vf_sub(x, _mm256_floor_ps(x)); }
static inline vf vf_scale_keep(vm m, vf a, vf n)
{
    /* two steps, so that results down to the least denormal and up to infinity come out right */
    vf whole = vf_min(vf_max(_mm256_floor_ps(n), vf_set(-252.0f)), vf_set(254.0f));
    vi half = vi_sra(vi_truncate(whole), 1), rest = vi_sub(vi_truncate(whole), half);
    vf one = vf_of_bits(vi_sll(vi_add(half, vi_set(127)), 23));
    vf two = vf_of_bits(vi_sll(vi_add(rest, vi_set(127)), 23));
    return vf_keep(m, vf_mul(vf_mul(a, one), two));
}
static inline vf vf_scale_near(vm m, vf a, vf n)
{
    vi whole = _mm256_cvtps_epi32(_mm256_floor_ps(n));
    return vf_keep(m, vf_of_bits(vi_add(vi_bits(a), vi_sll(whole, 23))));
}

#endif

#endif
