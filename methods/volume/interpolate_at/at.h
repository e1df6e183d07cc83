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

#include "common/load.h"

enum { ARG_AXIS0, ARG_AXIS1, ARG_AXIS2, ARG_VALUES, ARG_POINTS, ARG_METHOD, ARG_OUTSIDE, ARG_RESULT };

typedef struct le__at {
    le_call *call;
    const double *axis[3];
    int64_t n[3];
    const void *values;
    int64_t stride[3];       /* of the values, in elements */
    le_dtype values_dtype;
    const void *points;
    int64_t point_stride[2]; /* from point to point, from coordinate to coordinate */
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

/* The axes only: at->axis and at->n. */
le_status le__at_axes_of_call(le__at *at, le_call *call);

/* A table of the cells that an axis' equal parts begin in, so that few are left to search. A part's
 * number rises with x, rounding included, so the cell of x is one of the 2^steps from first[part] on. */
typedef struct le__at_parts {
    const double *axis;      /* LE__AT_NEAR numbers may be read past its end */
    int64_t last_cell;       /* n - 2 */
    const int32_t *first;
    double scale, last_part;
    int steps;
    bool near;               /* the cell is among the first LE__AT_NEAR */
    double below_end;        /* the largest number below the axis' end */
} le__at_parts;

typedef struct le__at_search {
    le__at at;
    le__at_parts parts[3];
    size_t blocks;           /* of LE__AT_BLOCK points */
} le__at_search;

enum { LE__AT_BLOCK = 128, LE__AT_NEAR = 3 };

/* le__at_of_call, and the tables. */
le_status le__at_search_of_call(le__at_search *out, le_call *call);

static inline double le__at_coordinate(const le__at *at, int64_t point, int axis)
{
    return le__load(at->points, at->points_dtype,
                    point * at->point_stride[0] + axis * at->point_stride[1]);
}

/* Number of the part that x lies in; 0 for NaN. */
static inline int64_t le__at_part(const le__at_parts *t, double x)
{
    double at = (x - t->axis[0]) * t->scale;
    at = at > 0.0 ? at : 0.0;
    return (int64_t)(at < t->last_part ? at : t->last_part);
}

/* Cell of x, which lies inside the axis, in [0, n-2]. */
static inline int64_t le__at_find(const le__at_parts *t, double x)
{
    int64_t cell = t->first[le__at_part(t, x)];
    for (int64_t step = (int64_t)1 << t->steps >> 1; step > 0; step >>= 1) {
        int64_t next = cell + step < t->last_cell ? cell + step : t->last_cell;
        cell = t->axis[next] <= x ? next : cell;
    }
    return cell;
}

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
