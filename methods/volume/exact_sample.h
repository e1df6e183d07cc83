/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * One trilinear sample in double precision, for the few samples whose corners cancel: between corners
 * of both signs the rounding of a single-precision sum is as large as a result near zero, and a
 * logarithm would show it.
 */
#ifndef LE_VOLUME_EXACT_SAMPLE_H
#define LE_VOLUME_EXACT_SAMPLE_H

#include "volume/camera.h"
#include "volume/trilinear.h"
#include "volume/voxels.h"

/* Where |sample| is at least this part of the largest corner, single precision is precise enough: its
 * relative error is at most 4 roundings / LE__CANCELLED, 4e-6. */
#define LE__CANCELLED 0.0625f

/* Whether elements may be negative. */
static inline bool le__dtype_is_signed(le_dtype dtype)
{
    return dtype != LE_U8 && dtype != LE_U16 && dtype != LE_U32;
}

/* Sample [iy,ix,iz] of a view of a volume, clamped to it. */
static inline double le__exact_sample(const le__voxels *volume, const int64_t shape[3],
                                      const le__view *view, int64_t iy, int64_t ix, int64_t iz)
{
    double w[3];
    const int64_t *t = volume->strides;
    int64_t at = le__view_cell(view, shape, t[0], t[1], t[2], iy, ix, iz, w);
    return LE__FOR_DTYPE(le__trilinear, volume->dtype)(volume->data, at, t[0], t[1], t[2], w);
}

#endif
