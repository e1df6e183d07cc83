/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Trilinear and bilinear samples of vectors of fixed-point coordinates. Both weights of an axis, 1 - f
 * and f, have full relative precision, so a sum of positive corners loses nothing by cancellation.
 */
#ifndef LE_VOLUME_SAMPLE_SIMD_H
#define LE_VOLUME_SAMPLE_SIMD_H

#include "volume/exact_sample.h"
#include "volume/simd.h"

typedef struct le__weights {
    vf lower[3], upper[3];
} le__weights;

/* What lies past the last voxel of a line or plane, as the far end of a cell that begins with it: the
 * weight is 0 but for rounding, and adds nothing. The sample belongs to the cell before, so that what is
 * not finite there spreads. */
static inline float le__past_last(float last, float before)
{
    return (__builtin_isinf(last) ? 0.0f : last) + 0.0f * before;
}

/* Bilinear sample of a plane of floats at an offset, by the weights of axes 1 and 2. */
static inline vf le__sample_plane(const float *plane, int64_t pitch, vi offset, const le__weights *w)
{
    vf a0, a1, b0, b1;
    vf_gather_pair(plane, offset, &a0, &a1);
    vf_gather_pair(plane + pitch, offset, &b0, &b1);
    vf left = vf_fma(b0, w->upper[1], vf_mul(a0, w->lower[1]));
    vf right = vf_fma(b1, w->upper[1], vf_mul(a1, w->lower[1]));
    return vf_fma(right, w->upper[2], vf_mul(left, w->lower[2]));
}

/* Elements at index i + offset and the next one, as float. last: the greatest index in memory. */
static inline void le__pair_u8(const void *p, vi i, int64_t offset, int64_t last, vf *a, vf *b)
{
    /* four bytes are read: near the end from earlier on, then shifted */
    vi want = vi_add(i, vi_set((int32_t)offset)), at = vi_min(want, vi_set((int32_t)last - 3));
    vi bits = vi_srl_each(vi_gather_bytes(p, at), vi_sll(vi_sub(want, at), 3));
    *a = vf_of_int(vi_and(bits, vi_set(255)));
    *b = vf_of_int(vi_and(vi_srl(bits, 8), vi_set(255)));
}
static inline void le__pair_u16(const void *p, vi i, int64_t offset, int64_t last, vf *a, vf *b)
{
    (void)last;
    vi bits = vi_gather_halves((const uint16_t *)p + offset, i);
    *a = vf_of_int(vi_and(bits, vi_set(0xffff)));
    *b = vf_of_int(vi_srl(bits, 16));
}
static inline void le__pair_i16(const void *p, vi i, int64_t offset, int64_t last, vf *a, vf *b)
{
    (void)last;
    vi bits = vi_gather_halves((const int16_t *)p + offset, i);
    *a = vf_of_int(vi_sra(vi_sll(bits, 16), 16));
    *b = vf_of_int(vi_sra(bits, 16));
}
static inline void le__pair_f32(const void *p, vi i, int64_t offset, int64_t last, vf *a, vf *b)
{
    (void)last;
    vf_gather_pair((const float *)p + offset, i, a, b);
}
static inline void le__pair_i32(const void *p, vi i, int64_t offset, int64_t last, vf *a, vf *b)
{
    (void)last;
    vf_gather_pair((const float *)p + offset, i, a, b);
    *a = vf_of_int(vi_bits(*a));
    *b = vf_of_int(vi_bits(*b));
}
static inline void le__pair_u32(const void *p, vi i, int64_t offset, int64_t last, vf *a, vf *b)
{
    (void)last;
    vf_gather_pair((const float *)p + offset, i, a, b);
    *a = vf_of_unsigned(vi_bits(*a));
    *b = vf_of_unsigned(vi_bits(*b));
}
static inline void le__pair_f64(const void *p, vi i, int64_t offset, int64_t last, vf *a, vf *b)
{
    (void)last;
    *a = vf_gather_f64((const double *)p + offset, i);
    *b = vf_gather_f64((const double *)p + offset + 1, i);
}

/* Bounds below which samples are cancelled (exact_sample.h): 0 where the corners have one sign. */
static inline vf le__bounds_of(const vf corners[8])
{
    const vf zero = vf_set(0.0f);
    vf least = corners[0], most = corners[0];
    for (int i = 1; i < 8; i++)
        least = vf_min(least, corners[i]);
    if (!vm_any(vf_lt(least, zero)))
        return zero;
    for (int i = 1; i < 8; i++)
        most = vf_max(most, corners[i]);
    vf largest = vf_max(most, vf_sub(zero, least));
    vm mixed = vm_and(vf_lt(least, zero), vf_lt(zero, most));
    return vf_select(mixed, vf_mul(largest, vf_set(LE__CANCELLED)), zero);
}

/* Between the corners of cells: a, b, c, d are those of (x, y), 0 and 1 of z. */
LE__INLINE vf le__blend_corners(vf a0, vf a1, vf b0, vf b1, vf c0, vf c1, vf d0, vf d1,
                                const le__weights *w)
{
    vf y0 = w->lower[1], y1 = w->upper[1];
    vf left = vf_mul(vf_fma(b0, y1, vf_mul(a0, y0)), w->lower[0]);
    vf right = vf_mul(vf_fma(b1, y1, vf_mul(a1, y0)), w->lower[0]);
    left = vf_fma(vf_fma(d0, y1, vf_mul(c0, y0)), w->upper[0], left);
    right = vf_fma(vf_fma(d1, y1, vf_mul(c1, y0)), w->upper[0], right);
    return vf_fma(right, w->upper[2], vf_mul(left, w->lower[2]));
}

/* Trilinear samples le__sample_<dtype> of a volume with lines, at the offset of their cell's first
 * corner. plane and row are its strides. bounds: NULL, or gets le__bounds_of the corners. */
#define LE__DEFINE_SAMPLE(D, T, s)                                                                 \
    static inline vf le__sample_##s(const le__voxels *x, int64_t plane, int64_t row, vi at,        \
                                    const le__weights *w, vf *bounds)                              \
    {                                                                                              \
        vf a0, a1, b0, b1, c0, c1, d0, d1;                                                         \
        le__pair_##s(x->data, at, 0, x->high, &a0, &a1);                                           \
        le__pair_##s(x->data, at, row, x->high, &b0, &b1);                                         \
        le__pair_##s(x->data, at, plane, x->high, &c0, &c1);                                       \
        le__pair_##s(x->data, at, plane + row, x->high, &d0, &d1);                                 \
        if (bounds)                                                                                \
            *bounds = le__bounds_of((vf[8]){a0, a1, b0, b1, c0, c1, d0, d1});                      \
        return le__blend_corners(a0, a1, b0, b1, c0, c1, d0, d1, w);                               \
    }
LE__DTYPE_LIST(LE__DEFINE_SAMPLE)

/* The same of a volume of any strides and dtype. */
static inline vf le__sample_apart(const le__voxels *x, int64_t plane, int64_t row, vi at,
                                  const le__weights *w, vf *bounds)
{
    vf c[8];
    int32_t offset[VW];
    float corner[VW];
    vi_store(offset, at);
    for (int i = 0; i < 8; i++) {
        int64_t from = (i >> 2 & 1) * plane + (i >> 1 & 1) * row + (i & 1) * x->strides[2];
        le__load_each_f32(x->data, x->dtype, from, VW, offset, corner);
        c[i] = vf_load(corner);
    }
    if (bounds)
        *bounds = le__bounds_of(c);
    return le__blend_corners(c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], w);
}

#endif
