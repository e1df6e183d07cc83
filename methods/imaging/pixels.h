/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Pixels of row-major images of any dtype as doubles, and the axes of images.
 */
#ifndef LE_IMAGING_PIXELS_H
#define LE_IMAGING_PIXELS_H

#include "common/load.h"

enum { LE__IM_AXES = 3 };

enum { LE__IM_OFTEN = 1 << 20 };
/* For loops over the numbers of a call, asked for each: whether the call is to end here, which is
 * looked at from time to time. NULL: never. */
static inline bool le__im_over(const le_call *call, int64_t i) {
    return call && i % LE__IM_OFTEN == LE__IM_OFTEN - 1 && le_call_cancelled(call);
}

/* count elements from `offset`, as doubles. */
static inline void le__im_load(const void *data, le_dtype dtype, int64_t offset, int64_t count,
                               double *restrict out) {
    switch (dtype) {
#define LE__X(D, T, s)                                                                             \
    case D:                                                                                        \
        for (int64_t i = 0; i < count; i++)                                                        \
            out[i] = (double)((const T *)data)[offset + i];                                        \
        break;
        LE__DTYPE_LIST(LE__X)
#undef LE__X
    default: /* the family's arguments take no other */
        break;
    }
}

/* The other way, to f32 or f64. */
static inline void le__im_save(void *data, le_dtype dtype, int64_t offset, int64_t count,
                               const double *restrict values) {
    for (int64_t i = 0; i < count && dtype == LE_F32; i++)
        ((float *)data)[offset + i] = (float)values[i];
    for (int64_t i = 0; i < count && dtype == LE_F64; i++)
        ((double *)data)[offset + i] = values[i];
}

/* Lines along the last axis of an image of 1 to 3 axes. */
typedef struct le__im_shape {
    int64_t planes, rows, cols; /* absent axes: 1 */
} le__im_shape;

static inline le__im_shape le__im_shape_of(const le_tensor *t) {
    const int n = t->ndim;
    return (le__im_shape){n > 2 ? t->shape[n - 3] : 1, n > 1 ? t->shape[n - 2] : 1,
                          t->shape[n - 1]};
}

static inline int64_t le__im_lines(le__im_shape s) {
    return s.planes * s.rows;
}

/* The image of the main input: of any dtype, 1 to 3 axes. */
#define LE__IM_IMAGE(the_name, the_doc)                                                            \
    {                                                                                              \
        .name = the_name, .doc = the_doc, .type = LE_TYPE_IN, .dtypes = LE_DTYPES_ALL,             \
        .min_ndim = 1, .max_ndim = LE__IM_AXES, .shape = "[W], [H,W] or [D,H,W]"                   \
    }

#endif
