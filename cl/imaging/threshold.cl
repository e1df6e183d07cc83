/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Which pixels are above a level, four of them a work-item. Options: T, of the image; KIND, what it is
 * compared as: 0 a 64-bit integer, 1 float, 2 double; FROM, where the level comes from: 0 the host, 1
 * statistics, 2 maps of a background and its noise, of types B and N.
 */
#pragma OPENCL FP_CONTRACT OFF
#if LE_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#define FOUR_OF(type) type##4
#define FOUR(type)    FOUR_OF(type)

/* The greatest number of the kind that is not above the level: the same pixels are above it. */
#if KIND == 0
typedef long number;
#define BELOW(level) (isnan(level) ? LONG_MAX : convert_long_sat_rtn(level))
#elif KIND == 1
typedef float number;
#define BELOW(level) convert_float_rtn(level)
#else
typedef double number;
#define BELOW(level) (level)
#endif

#if FROM == 0
#define PARAMETERS number limit
#define ABOVE(v, i) ((number)(v) > limit)
#elif FROM == 1
enum { MEDIAN = 3, STD = 5 };
#define PARAMETERS __global const double *statistics, double k, int median
#define ABOVE(v, i) ((number)(v) > limit)
#else
#define PARAMETERS __global const B *background, __global const N *noise, double k
#define ABOVE(v, i) ((double)(v) - (double)background[i] > k * (double)noise[i])
#endif

__kernel void threshold(__global const T *image, __global uchar *mask, ulong n, PARAMETERS)
{
    const ulong at = (ulong)get_global_id(0) * 4;
#if FROM == 1
    const double level = (median ? statistics[MEDIAN] : 0) + k * statistics[STD];
    const number limit = BELOW(level);
#endif
    if (at + 4 <= n) {
        const FOUR(T) v = ((__global const FOUR(T) *)image)[at / 4];
        ((__global uchar4 *)mask)[at / 4] =
            (uchar4)(ABOVE(v.x, at), ABOVE(v.y, at + 1), ABOVE(v.z, at + 2), ABOVE(v.w, at + 3));
        return;
    }
    for (ulong i = at; i < n; i++)
        mask[i] = ABOVE(image[i], i);
}
