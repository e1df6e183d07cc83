/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The few vector operations the family needs, for the ISA that LE_METHOD_ISA names. vf: floats, vi:
 * int32 of the same width, vm: a lane mask. What differs between the two beyond the width comes
 * first.
 */
#ifndef LE_SR_VEC_H
#define LE_SR_VEC_H

#include <immintrin.h>
#include <stdint.h>

#if LE_METHOD_ISA == 512

#define VEC_LANES 16
#define VEC(name) _mm512_##name
typedef __m512 vf;
typedef __m512i vi;
typedef __mmask16 vm;

static inline vf vf_abs(vf a) {
    return _mm512_abs_ps(a);
}
#define VEC_ROUND(a, mode)   _mm512_roundscale_ps(a, mode)
#define VEC_COMPARE(a, b, c) _mm512_cmp_ps_mask(a, b, c)
static inline vm vm_and(vm a, vm b) {
    return (vm)(a & b);
}
/* acc + x where m, else acc */
static inline vf vf_add_where(vf acc, vm m, vf x) {
    return _mm512_mask_add_ps(acc, m, acc, x);
}
static inline vf vf_where(vm m, vf a, vf b) {
    return _mm512_mask_blend_ps(m, b, a);
}
static inline vf vf_gather(const float *p, vi at) {
    return _mm512_i32gather_ps(at, p, 4);
}
static inline int vf_any_nan(vf a) {
    return _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q) != 0;
}
static inline vi vi_load(const int32_t *p) {
    return _mm512_loadu_si512(p);
}
static inline vi vf_bits(vf a) {
    return _mm512_castps_si512(a);
}
static inline vf vi_bits(vi a) {
    return _mm512_castsi512_ps(a);
}
static inline vm vi_equal(vi a, vi b) {
    return _mm512_cmpeq_epi32_mask(a, b);
}

#elif LE_METHOD_ISA == 2

#define VEC_LANES            8
#define VEC(name)            _mm256_##name
typedef __m256 vf;
typedef __m256i vi;
typedef __m256 vm;

static inline vf vf_abs(vf a) {
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}
#define VEC_ROUND(a, mode)   _mm256_round_ps(a, mode)
#define VEC_COMPARE(a, b, c) _mm256_cmp_ps(a, b, c)
static inline vm vm_and(vm a, vm b) {
    return _mm256_and_ps(a, b);
}
static inline vf vf_add_where(vf acc, vm m, vf x) {
    return _mm256_add_ps(acc, _mm256_and_ps(m, x));
}
static inline vf vf_where(vm m, vf a, vf b) {
    return _mm256_blendv_ps(b, a, m);
}
static inline vf vf_gather(const float *p, vi at) {
    return _mm256_i32gather_ps(p, at, 4);
}
static inline int vf_any_nan(vf a) {
    return _mm256_movemask_ps(_mm256_cmp_ps(a, a, _CMP_UNORD_Q)) != 0;
}
static inline vi vi_load(const int32_t *p) {
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}
static inline vi vf_bits(vf a) {
    return _mm256_castps_si256(a);
}
static inline vf vi_bits(vi a) {
    return _mm256_castsi256_ps(a);
}
static inline vm vi_equal(vi a, vi b) {
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b));
}

#endif

static inline vf vf_load(const float *p) {
    return VEC(loadu_ps)(p);
}
static inline void vf_store(float *p, vf a) {
    VEC(storeu_ps)(p, a);
}
static inline vf vf_set1(float a) {
    return VEC(set1_ps)(a);
}
static inline vf vf_add(vf a, vf b) {
    return VEC(add_ps)(a, b);
}
static inline vf vf_sub(vf a, vf b) {
    return VEC(sub_ps)(a, b);
}
static inline vf vf_mul(vf a, vf b) {
    return VEC(mul_ps)(a, b);
}
static inline vf vf_div(vf a, vf b) {
    return VEC(div_ps)(a, b);
}
static inline vf vf_max(vf a, vf b) {
    return VEC(max_ps)(a, b);
}
static inline vf vf_fma(vf a, vf b, vf c) {
    return VEC(fmadd_ps)(a, b, c);
}
static inline vf vf_fms(vf a, vf b, vf c) {
    return VEC(fmsub_ps)(a, b, c);
}
static inline vf vf_floor(vf a) {
    return VEC_ROUND(a, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
static inline vf vf_round(vf a) {
    return VEC_ROUND(a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
static inline vm vf_less(vf a, vf b) {
    return VEC_COMPARE(a, b, _CMP_LT_OQ);
}
static inline vm vf_less_equal(vf a, vf b) {
    return VEC_COMPARE(a, b, _CMP_LE_OQ);
}
static inline vi vf_to_int(vf a) {
    return VEC(cvttps_epi32)(a);
}
static inline vf vi_to_float(vi a) {
    return VEC(cvtepi32_ps)(a);
}
static inline vi vi_set1(int32_t a) {
    return VEC(set1_epi32)(a);
}
static inline vi vi_add(vi a, vi b) {
    return VEC(add_epi32)(a, b);
}
static inline vi vi_sub(vi a, vi b) {
    return VEC(sub_epi32)(a, b);
}
static inline vi vi_mul(vi a, vi b) {
    return VEC(mullo_epi32)(a, b);
}
static inline vi vi_min(vi a, vi b) {
    return VEC(min_epi32)(a, b);
}
static inline vi vi_max(vi a, vi b) {
    return VEC(max_epi32)(a, b);
}
#define vi_shift_left(a, n)  VEC(slli_epi32)(a, n)
#define vi_shift_right(a, n) VEC(srai_epi32)(a, n)

/* x^s for 0 <= x <= 1, s > 1, to about 1e-7 of 1: exp2(s log2 x). */
static inline vf vf_pow01(vf x, vf s) {
    /* x = 2^e m with sqrt(1/2) <= m < sqrt(2); log2 m = 2/ln2 atanh((m-1)/(m+1)) */
    vi bits = vf_bits(x), e = vi_shift_right(vi_sub(bits, vi_set1(0x3f3504f3)), 23);
    vf m = vi_bits(vi_sub(bits, vi_shift_left(e, 23))), one = vf_set1(1);
    vf t = vf_div(vf_sub(m, one), vf_add(m, one)), t2 = vf_mul(t, t);
    vf p = vf_fma(t2, vf_set1(0.32059889f), vf_set1(0.41219858f));
    p = vf_fma(t2, p, vf_set1(0.57707802f));
    p = vf_fma(t2, p, vf_set1(0.96179669f));
    p = vf_fma(t2, p, vf_set1(2.88539008f));
    vf y = vf_mul(s, vf_fma(t, p, vi_to_float(e)));
    vm normal = vm_and(vf_less(vf_set1(-126), y), vf_less_equal(vf_set1(1.17549435e-38f), x));
    y = vf_where(normal, y, vf_set1(0));
    vf n = vf_round(y), f = vf_sub(y, n);
    vf q = vf_fma(f, vf_set1(1.5403530e-4f), vf_set1(1.3333558e-3f));
    q = vf_fma(f, q, vf_set1(9.6181291e-3f));
    q = vf_fma(f, q, vf_set1(5.5504109e-2f));
    q = vf_fma(f, q, vf_set1(2.4022651e-1f));
    q = vf_fma(f, q, vf_set1(6.9314718e-1f));
    q = vf_fma(f, q, one);
    vf r = vi_bits(vi_add(vf_bits(q), vi_shift_left(vf_to_int(n), 23)));
    return vf_where(normal, r, vf_set1(0));
}

#endif
