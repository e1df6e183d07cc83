/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A volume where it lies: with strides of any size and sign, for code that reads it without a copy.
 */
#ifndef LE_VOLUME_VOXELS_H
#define LE_VOLUME_VOXELS_H

#include "liquid_engine/le_method.h"

typedef struct le__voxels {
    const void *data;        /* voxel [0,0,0] */
    le_dtype dtype;
    int64_t strides[3];      /* elements */
    int64_t low, high;       /* elements from data to the first and to the last one in memory */
    bool lines;              /* neighbours along axis 2 lie side by side, and may be read in pairs */
} le__voxels;

static inline le__voxels le__voxels_of(const le_tensor *t)
{
    le__voxels v = {.data = t->data, .dtype = t->dtype};
    for (int a = 0; a < 3; a++) {
        int64_t way = (t->shape[a] - 1) * t->strides[a];
        v.strides[a] = t->strides[a];
        v.low += way < 0 ? way : 0;
        v.high += way > 0 ? way : 0;
    }
    /* a pair of bytes is read as four */
    v.lines = v.strides[2] == 1 && (v.dtype != LE_U8 || v.high - v.low >= 3);
    return v;
}

/* Whether 32 bits hold the indices of a volume and its offsets. */
static inline bool le__voxels_near(const le_tensor *t)
{
    const le__voxels v = le__voxels_of(t);
    bool near = v.high < INT32_MAX && v.low > -INT32_MAX;
    for (int a = 0; a < 3; a++)
        near = near && t->shape[a] < INT32_MAX;
    return near;
}

#endif
