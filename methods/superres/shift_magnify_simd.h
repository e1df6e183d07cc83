/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The horizontal step of shift_magnify with vectors: outputs of a block pick their taps out of
 * registers where these hold all inputs of the block, else they gather.
 */
#ifndef LE_SHIFT_MAGNIFY_SIMD_H
#define LE_SHIFT_MAGNIFY_SIMD_H

#include "shift_magnify.h"
#include "sr_vec.h"

#include <string.h>

#if LE_METHOD_ISA == 512
enum { REACH = 32 };
static inline vf block(const float *in, const float *w, vi index, int taps, int64_t padded) {
    const vf a = vf_load(in), b = vf_load(in + 16);
    vf sum = vf_mul(vf_load(w), _mm512_permutex2var_ps(a, index, b));
    for (int k = 1; k < taps; k++)
        sum = vf_fma(vf_load(w + k * padded),
                     _mm512_permutex2var_ps(a, vi_add(index, vi_set1(k)), b), sum);
    return sum;
}
#else
enum { REACH = 8 };
static inline vf block(const float *in, const float *w, vi index, int taps, int64_t padded) {
    const vf a = vf_load(in);
    vf sum = vf_mul(vf_load(w), _mm256_permutevar8x32_ps(a, index));
    for (int k = 1; k < taps; k++)
        sum = vf_fma(vf_load(w + k * padded),
                     _mm256_permutevar8x32_ps(a, vi_add(index, vi_set1(k))), sum);
    return sum;
}
#endif

static inline vf far_block(const float *row, const float *w, vi index, int taps, int64_t padded) {
    vf sum = vf_mul(vf_load(w), vf_gather(row, index));
    for (int k = 1; k < taps; k++)
        sum = vf_fma(vf_load(w + k * padded), vf_gather(row + k, index), sum);
    return sum;
}

static inline vf outputs(const le__magnify *m, const float *row, int64_t x) {
    const vi index = vi_load(m->index + x);
    const float *w = m->weight + x;
    const int64_t b = x / LE__MAGNIFY_BLOCK;
    int32_t low = m->low[b], high = m->high[b];
    if (VEC_LANES > LE__MAGNIFY_BLOCK) {
        low = m->low[b + 1] < low ? m->low[b + 1] : low;
        high = m->high[b + 1] > high ? m->high[b + 1] : high;
    }
    if (high - low + m->taps > REACH)
        return far_block(row, w, index, m->taps, m->padded);
    return block(row + low, w, vi_sub(index, vi_set1(low)), m->taps, m->padded);
}

static void horizontal(const le__magnify *m, const float *row, float *out) {
    const int64_t n = m->out.cols;
    int64_t x = 0;
    for (; x + VEC_LANES <= n; x += VEC_LANES)
        vf_store(out + x, outputs(m, row, x));
    if (x < n) {
        float rest[VEC_LANES];
        vf_store(rest, outputs(m, row, x));
        memcpy(out + x, rest, (size_t)(n - x) * sizeof *out);
    }
}

#endif
