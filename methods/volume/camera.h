/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Geometry of the volume family, that of P. Mocz, "Create Your Own Volume Rendering (With Python)".
 *
 * Sample i of a volume's axis with N samples lies at -N/2 + i*N/(N-1). The camera grid has n points an
 * axis at linspace(-n/2, n/2, n). Its sample [iy,ix,iz] has camera coordinates q = (c[ix], c[iy],
 * c[iz]): the first index runs along the camera's y and is the depth, ix is the image row and iz the
 * image column. The data point is p = R q; R is the rotation by t about axis 0,
 *     x = qx,  y = qy cos t - qz sin t,  z = qy sin t + qz cos t,
 * or any 3x3 matrix, row by row. An index along data axis a is (p[a] + N/2) * (N-1)/N.
 */
#ifndef LE_VOLUME_CAMERA_H
#define LE_VOLUME_CAMERA_H

#include "liquid_engine/le_method.h"

/* A point this near a voxel lies on it. Rounding would else decide which of two cells it belongs to, and
 * with that whether a NaN at their far ends counts. */
#define LE__ON_VOXEL 0x1p-32

/* A sample this much less than its corners weigh without their signs is 0: they cancel, and the rounding of
 * its position would else decide what its logarithm is. */
#define LE__NOTHING 0x1p-30

/* A point this many voxels outside still counts as inside: rounding at exact edges. */
#define LE__EDGE_VOXELS 1e-7

typedef struct le__view {
    double rotation[9];
    /* index[a] = origin[a] + iy*step[0][a] + ix*step[1][a] + iz*step[2][a] */
    double origin[3], step[3][3];
} le__view;

typedef struct le__camera {
    int64_t size;            /* n */
    int64_t shape[3];        /* of the volume */
    bool has_fill;
    double fill;             /* value outside the volume */
    bool axis0;              /* every view leaves data axis 0 to ix alone, and all the same */
    size_t n_views;
    le__view views[];
} le__camera;

/* The operation and the numbers of its arguments that describe a camera. */
typedef struct le__camera_args {
    const char *operation;
    int volume, size, outside;
    int whole;               /* the volume's shape, 3 numbers, of which the tensor is a box; 0: none */
    int angles;              /* degrees about axis 0; a list, or one number where one_angle is set */
    bool one_angle;
    int rotation;            /* 9*k numbers */
} le__camera_args;

/* Reads the arguments of a call (one angle of 0 where neither angles nor rotation is given) and checks,
 * unless there is a fill, that the corners of every view's grid lie inside the volume (LE_ERR_DATA). On
 * success *out is owned by the caller: free(). Thread safe. */
le_status le__camera_of_call(le__camera **out, const le_call *call, const le__camera_args *args);

/* Where along data axis a the sample [iy,ix,iz] lies, in voxels, not clamped, but for rounding: for bounds
 * that leave room for that. */
static inline double le__view_position(const le__view *v, int a, int64_t iy, int64_t ix, int64_t iz)
{
    return v->origin[a] + (double)iy * v->step[0][a] + (double)ix * v->step[1][a] +
           (double)iz * v->step[2][a];
}

/* The same as every sample has it: a whole number on a voxel. */
static inline double le__view_index(const le__view *v, int a, int64_t iy, int64_t ix, int64_t iz)
{
    const double whole = 0x1.8p52; /* adding it rounds to whole numbers */
    double at = le__view_position(v, a, iy, ix, iz), voxel = (at + whole) - whole;
    return __builtin_fabs(at - voxel) < LE__ON_VOXEL ? voxel : at;
}

/* Whether an index lies in [0, n-1], to LE__EDGE_VOXELS. */
static inline bool le__index_inside(double index, int64_t n)
{
    return index >= -LE__EDGE_VOXELS && index <= (double)(n - 1) + LE__EDGE_VOXELS;
}

/* Cell and weight of an index inside the axis: cell in [0, n-2], weight in [0,1]. An index of exactly
 * n-1 is cell n-2 with weight 1. */
static inline int64_t le__index_cell(double index, int64_t n, double *weight)
{
    double at = index > 0.0 ? index : 0.0;
    int64_t cell = (int64_t)at;
    if (cell > n - 2)
        cell = n - 2;
    double w = at - (double)cell;
    *weight = w < 1.0 ? w : 1.0;
    return cell;
}

/* Element of the cell of sample [iy,ix,iz] in a volume, clamped to it, and the weights. plane, row and
 * next are the strides of axes 0, 1 and 2. */
static inline int64_t le__view_cell(const le__view *v, const int64_t shape[3], int64_t plane,
                                    int64_t row, int64_t next, int64_t iy, int64_t ix, int64_t iz,
                                    double weight[3])
{
    int64_t x = le__index_cell(le__view_index(v, 0, iy, ix, iz), shape[0], &weight[0]);
    int64_t y = le__index_cell(le__view_index(v, 1, iy, ix, iz), shape[1], &weight[1]);
    int64_t z = le__index_cell(le__view_index(v, 2, iy, ix, iz), shape[2], &weight[2]);
    return x * plane + y * row + z * next;
}

/* Depths [*begin, *end) of the ray (ix, iz) whose indices along axes [axis, 3) lie inside the volume;
 * axis 1 leaves data axis 0 out. Empty: *begin == *end. */
void le__view_ray(const le__camera *camera, const le__view *view, int axis, int64_t ix, int64_t iz,
                  int64_t *begin, int64_t *end);

#endif
