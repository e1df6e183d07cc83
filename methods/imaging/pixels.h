/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Pixels of images of any dtype and strides, and the axes of images.
 */
#ifndef LE_IMAGING_PIXELS_H
#define LE_IMAGING_PIXELS_H

#include "common/load.h"

#include <math.h>

enum { LE__IM_AXES = 3 };

enum { LE__IM_OFTEN = 1 << 20 };
/* For loops over the numbers of a call, asked for each: whether the call is to end here, which is
 * looked at from time to time. NULL: never. */
static inline bool le__im_over(const le_call *call, int64_t i) {
    return call && i % LE__IM_OFTEN == LE__IM_OFTEN - 1 && le_call_cancelled(call);
}

/* An image that is read a piece at a time, in row-major order. */
typedef struct le__im_pixels {
    const le_tensor *tensor;
    const char *memory; /* of a row-major image, else NULL */
    le_dtype dtype;
    int64_t size; /* bytes of a pixel */
} le__im_pixels;

static inline le__im_pixels le__im_pixels_of(const le_tensor *image) {
    return (le__im_pixels){image, le_tensor_is_contiguous(image) ? image->data : NULL, image->dtype,
                           (int64_t)le_dtype_size(image->dtype)};
}

static inline le__im_pixels le__im_pixels_in(const double *values) {
    return (le__im_pixels){NULL, (const char *)values, LE_F64, sizeof *values};
}

/* n pixels from `at`, of the image's dtype; room: for n of them. */
static inline const void *le__im_piece(const le__im_pixels *p, int64_t at, int64_t n, void *room) {
    return p->memory ? p->memory + at * p->size : le_tensor_elements(p->tensor, at, n, room);
}

static inline double le__im_pixel(const le__im_pixels *p, int64_t at) {
    return p->memory ? le__load(p->memory, p->dtype, at)
                     : le__load(le_tensor_elements(p->tensor, at, 1, NULL), p->dtype, 0);
}

static inline void le__im_widen(const void *restrict pixels, le_dtype dtype, int64_t n,
                                double *restrict out) {
    switch (dtype) {
#define LE__X(D, T, s)                                                                             \
    case D:                                                                                        \
        for (int64_t i = 0; i < n; i++)                                                            \
            out[i] = (double)((const T *)pixels)[i];                                               \
        break;
        LE__DTYPE_LIST(LE__X)
#undef LE__X
    default:
        break;
    }
}

/* n pixels from `at`, as doubles. */
static inline void le__im_load(const le__im_pixels *p, int64_t at, int64_t n,
                               double *restrict out) {
    enum { PIECE = 256 };
    double room[PIECE];
    if (p->memory)
        le__im_widen(p->memory + at * p->size, p->dtype, n, out);
    for (int64_t done = 0, count; !p->memory && done < n; done += count) {
        count = n - done < PIECE ? n - done : PIECE;
        le__im_widen(le__im_piece(p, at + done, count, room), p->dtype, count, out + done);
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

/* Squares of finite numbers that no double holds make sums infinite, or no number: so far apart are
 * the numbers then. */
static inline double le__im_std_of(double variance) {
    return isnan(variance) ? INFINITY : variance > 0 ? sqrt(variance) : 0;
}

#endif
