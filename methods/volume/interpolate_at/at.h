/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arguments of the operation `interpolate_at` and what its implementations share.
 *
 * As scipy's RegularGridInterpolator: a point lies in the cell i of an axis with axis[i] <= x <
 * axis[i+1], the last cell including its end; linear weighs the eight corners; nearest takes corner i
 * where the point is at most half way through the cell, else i+1. A point outside is an error, or has
 * the fill value; a NaN coordinate is outside for the error, and with a fill gives NaN.
 */
#ifndef LE_VOLUME_AT_H
#define LE_VOLUME_AT_H

#include "liquid_engine/le_method.h"

enum { ARG_AXIS0, ARG_AXIS1, ARG_AXIS2, ARG_VALUES, ARG_POINTS, ARG_METHOD, ARG_OUTSIDE, ARG_RESULT };

typedef struct le__at {
    le_call *call;
    const double *axis[3];
    int64_t n[3];
    const void *values;      /* row-major */
    le_dtype values_dtype;
    const void *points;      /* row-major, [count,3] */
    le_dtype points_dtype;   /* f32 or f64 */
    int64_t count;
    bool nearest, has_fill;
    double fill;
    void *out;               /* f32 or f64 */
    le_dtype out_dtype;
    int64_t out_stride;
} le__at;

/* Collects the arguments of a call in scratch memory. LE_ERR_DATA when an axis does not ascend
 * strictly or, without a fill, when a point is outside: it names the first one. */
le_status le__at_of_call(le__at *out, le_call *call);

/* Cell of x in an axis of n points, in [0, n-2]. x must not be NaN. */
static inline int64_t le__at_cell(const double *axis, int64_t n, double x)
{
    int64_t lo = 0, hi = n - 1;
    while (hi - lo > 1) {
        int64_t middle = lo + (hi - lo) / 2;
        if (axis[middle] <= x)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

#endif
