/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Trilinear samples of the references: the sum over the eight corners of a cell, in double precision,
 * as scipy's RegularGridInterpolator (method linear) forms it. Nothing else samples by it.
 */
#ifndef LE_VOLUME_REFERENCE_SAMPLE_H
#define LE_VOLUME_REFERENCE_SAMPLE_H

#include "volume/camera.h"
#include "common/load.h"

/* Sample [iy,ix,iz] of a view of a volume of any strides; the camera's fill outside. first: the
 * voxel of the volume that t begins with; NULL: t is all of it. */
static inline double le__reference_sample(const le__camera *c, const le__view *v, const le_tensor *t,
                                          const int64_t *first, int64_t iy, int64_t ix, int64_t iz)
{
    int64_t cell[3];
    double w[3], sum = 0.0, size = 0.0;
    for (int a = 0; a < 3; a++) {
        double index = le__view_index(v, a, iy, ix, iz);
        if (!le__index_inside(index, c->shape[a]))
            return c->fill;
        cell[a] = le__index_cell(index, c->shape[a], &w[a]) - (first ? first[a] : 0);
    }
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1.0;
        int64_t offset = 0;
        for (int a = 0; a < 3; a++) {
            int up = corner >> a & 1;
            weight *= up ? w[a] : 1.0 - w[a];
            offset += (cell[a] + up) * t->strides[a];
        }
        double value = weight * le__load(t->data, t->dtype, offset);
        sum += value;
        size += __builtin_fabs(value);
    }
    return __builtin_fabs(sum) < LE__NOTHING * size ? 0.0 : sum;
}

#endif
