/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * interpolate_at: samples at any points on axes of any spacing, in double precision; one work-item
 * a point. TYPE, POINT, OUT: elements; NEAREST: the nearest sample, the lower one half way. FILL:
 * points outside get `fill`, NaN ones NaN; else *outside gets the least number of a point outside.
 */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static inline int cell_of(__global const double *axis, int n, double x) {
    int lo = 0, hi = n - 1;
    while (hi - lo > 1) {
        int middle = (lo + hi) / 2;
        if (axis[middle] <= x)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

static inline double blend(double a, double b, double w) {
    return a * (1.0 - w) + b * w;
}

static inline double weigh(__global const TYPE *p, long row, long plane, double u, double v,
                           double w) {
    double a = blend(blend((double)p[0], (double)p[1], w),
                     blend((double)p[row], (double)p[row + 1], w), v);
    p += plane;
    double b = blend(blend((double)p[0], (double)p[1], w),
                     blend((double)p[row], (double)p[row + 1], w), v);
    return blend(a, b, u);
}

/* axes: the coordinates of the three axes, one behind the other */
__kernel void interpolate_at(__global const double *axes, int n0, int n1, int n2,
                             __global const TYPE *values, __global const POINT *points,
                             __global OUT *result, int count, double fill, __global int *outside) {
    uint i = get_global_id(0); /* beyond 2^31 in the last work-group */
    if (i >= (uint)count)
        return;
    double x[3] = {(double)points[3 * (long)i], (double)points[3 * (long)i + 1],
                   (double)points[3 * (long)i + 2]};
    int n[3] = {n0, n1, n2};
    double w[3];
    long at = 0;
    bool inside = true;
    __global const double *axis = axes;
    for (int a = 0; a < 3; a++) {
        inside = inside && x[a] >= axis[0] && x[a] <= axis[n[a] - 1];
        int cell = inside ? cell_of(axis, n[a], x[a]) : 0;
        w[a] = (x[a] - axis[cell]) / (axis[cell + 1] - axis[cell]);
        if (NEAREST)
            cell += !(w[a] <= 0.5);
        at = at * n[a] + (inside ? cell : 0);
        axis += n[a];
    }
    double value = isnan(x[0]) || isnan(x[1]) || isnan(x[2]) ? NAN : fill;
    if (inside)
        value =
            NEAREST ? (double)values[at] : weigh(values + at, n2, (long)n1 * n2, w[0], w[1], w[2]);
    else if (!FILL)
        atomic_min(outside, (int)i);
    result[i] = (OUT)value;
}
