/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The vector implementations of `interpolate`: what they prepare. One item is one image
 * row with all its depths.
 */
#ifndef LE_VOLUME_INTERPOLATE_SIMD_H
#define LE_VOLUME_INTERPOLATE_SIMD_H

#include "volume/fixed.h"
#include "volume/voxels.h"

typedef struct le__interpolation {
    const le__camera *camera;
    le__voxels volume;
    int64_t strides[3];          /* of the volume, or of a plane */
    le__fixed_view view;
    const le_tensor *out;
    /* axis form: for rows between planes with negative voxels, where samples may cancel; or NULL */
    const struct le__interpolation *signed_rays;
    float *planes;               /* axis form: one for each worker, padded by one voxel all round */
    int64_t plane_floats;
} le__interpolation;

#endif
