/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kernels of `composite`, compiled once for each instruction set: the sums of a block of pixels stay in
 * registers, four floats a pixel, of which the last is not used.
 */
#include "volume/simd.h"

enum { LE__COMPOSITE_PIXELS = 32 };

enum { PARTS = 4 * LE__COMPOSITE_PIXELS / VW };

static inline vf alpha_of(vf rgba)
{
#if LE_METHOD_ISA == 512
    return _mm512_permute_ps(rgba, 0xff);
#else
    return _mm256_permute_ps(rgba, 0xff);
#endif
}

static inline vf over(vf rgba, vf sum)
{
    const vf alpha = alpha_of(rgba); /* a large colour behind an opaque one leaves nothing */
    return vf_fma(alpha, rgba, vf_mul(vf_sub(vf_set(1.0f), alpha), sum));
}

static void store(const vf sum[PARTS], int64_t pixels, float *image)
{
    float flat[4 * LE__COMPOSITE_PIXELS];
    const vf zero = vf_set(0.0f), one = vf_set(1.0f);
    for (int k = 0; k < PARTS; k++)
        vf_store(flat + k * VW, vf_min(one, vf_max(zero, sum[k]))); /* of NaN and another the second */
    for (int64_t i = 0; i < pixels; i++)
        for (int c = 0; c < 3; c++)
            image[3 * i + c] = flat[4 * i + c];
}

/* A block that is not full is copied slice by slice. */
static void part_block(const float *rgba, int64_t slice, int64_t depth, int64_t pixels, float *image)
{
    vf sum[PARTS];
    float part[4 * LE__COMPOSITE_PIXELS] = {0};
    for (int k = 0; k < PARTS; k++)
        sum[k] = vf_set(0.0f);
    for (int64_t d = 0; d < depth; d++) {
        for (int64_t i = 0; i < 4 * pixels; i++)
            part[i] = rgba[d * slice + i];
        for (int k = 0; k < PARTS; k++)
            sum[k] = over(vf_load(part + k * VW), sum[k]);
    }
    store(sum, pixels, image);
}

/* Composites up to LE__COMPOSITE_PIXELS pixels. rgba: the first of them in the first slice; slice: floats
 * from one slice to the next. */
static void composite_block(const float *rgba, int64_t slice, int64_t depth, int64_t pixels, float *image)
{
    if (pixels < LE__COMPOSITE_PIXELS) {
        part_block(rgba, slice, depth, pixels, image);
        return;
    }
    vf sum[PARTS];
    for (int k = 0; k < PARTS; k++)
        sum[k] = vf_set(0.0f);
    for (int64_t d = 0; d < depth; d++)
        for (int k = 0; k < PARTS; k++)
            sum[k] = over(vf_load(rgba + d * slice + k * VW), sum[k]);
    store(sum, pixels, image);
}
