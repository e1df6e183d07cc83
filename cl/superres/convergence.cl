/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The radial gradient convergence from unit gradients on the half-pixel grid, and the unit gradients out
 * of magnified ones. A work-item makes VW whole pixels, all their columns, of one output row.
 * WEIGHTING: 0 none, 1 the intensity from its rows, 2 a full image. TEMPORAL: 0 none, 1 avg, 2 var,
 * 3 tac2: sums over the frames of a time point, kept between launches. FEW: each tap to all digits,
 * where all gradients may be nearly perpendicular to their taps: gradients of any length, taps
 * (offset x, y in whole numbers, weight, place).
 */
#include "superres/esrrf.clh"

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#if VW == 1
typedef float vec;
#define LOAD(p) (*(p))
#define ONLY_IF_NEGATIVE(a, x) ((a) < 0 ? (x) : 0.0f)
#define LANE(v, i) (v)
#else
typedef JOIN(float, VW) vec;
#define LOAD(p) JOIN(vload, VW)(0, p)
#define ONLY_IF_NEGATIVE(a, x) select((vec)(0.0f), x, (a) < (vec)(0.0f))
#endif

/* Samples [2*H*M][2*W*M] at half pixels, divided by their length. */
__kernel void split_gradients(__global const T *gradient_col, __global const T *gradient_row,
                              __global float *half_rows, shape s)
{
    const int l = get_global_id(0), k = get_global_id(1), f = get_global_id(2);
    if (l > 2 * s.cols || k > 2 * s.rows || f >= s.frames)
        return;
    const int wide_cols = 2 * s.cols * s.m, wide_rows = 2 * s.rows * s.m;
    const size_t at = ((size_t)(s.first_frame + f) * wide_rows + min(k * s.m, wide_rows - 1)) * wide_cols +
                      min(l * s.m, wide_cols - 1);
    store_unit(half_rows, s, f, k, l, convert_float(gradient_col[at]), convert_float(gradient_row[at]));
}

#ifdef FEW
/* a b + c d, to the last digit also where the products cancel. */
static inline vec sum_of_products(vec a, float b, vec c, float d)
{
    const vec p = c * d, lost = fma(c, (vec)(d), -p);
    return fma(a, (vec)(b), p) + lost;
}

/* w (1 - |sin|) = w cos^2 / (1 + |sin|) */
static inline vec tap_value(vec gx, vec gy, float4 tap)
{
    const vec along = sum_of_products(gx, tap.x, gy, tap.y), across = sum_of_products(gy, tap.x, gx, -tap.y);
    const vec length = sqrt((gx * gx + gy * gy) * (tap.x * tap.x + tap.y * tap.y));
    const vec cosine = along / length, sine = fabs(across) / length;
    return ONLY_IF_NEGATIVE(along, tap.z * cosine * cosine / (1.0f + sine));
}
#else
static inline vec tap_value(vec gx, vec gy, float4 tap)
{
    const vec along = fma(gx, (vec)(tap.x), gy * tap.y), across = fma(gy, (vec)(tap.x), -(gx * tap.y));
    return ONLY_IF_NEGATIVE(along, tap.z - fabs(across));
}
#endif

static inline vec sum_taps(__global const float *at, __global const float4 *taps, int begin, int end,
                           int down)
{
    vec sum = 0.0f;
    for (int i = begin; i < end; i++) {
        const float4 tap = taps[i];
        __global const float *g = at + as_int(tap.w);
        sum += tap_value(LOAD(g), LOAD(g + down), tap);
    }
    return sum;
}

#if TEMPORAL > 0
/* Sums of differences from the first frame: no cancellation for a signal on a large offset. */
typedef struct series {
    __global wide *sum, *sum2;
    __global float *first, *previous;
} series;

static inline void add_value(series a, size_t i, float v, int frame)
{
#if TEMPORAL == 1
    a.sum[i] = frame ? a.sum[i] + v : v;
#else
    if (frame == 0) {
        a.first[i] = v;
        a.previous[i] = 0;
        a.sum[i] = v - v; /* of a value that is no number neither is the sum */
        a.sum2[i] = 0;
        return;
    }
    const wide d = (wide)v - a.first[i];
    a.sum[i] += d;
#if TEMPORAL == 2
    a.sum2[i] += d * d;
#else
    a.sum2[i] += d * a.previous[i];
    a.previous[i] = (float)d;
#endif
#endif
}

/* The projection of n frames, into image `point` of the result. */
__kernel void project(__global const wide *sum, __global const wide *sum2, __global const float *previous,
                      __global float *result, int pixels, int frames, int point)
{
    const uint i = get_global_id(0); /* beyond 2^31 in the last work-group */
    if (i >= (uint)pixels)
        return;
    const wide n = frames, mean = sum[i] / n;
    result += (size_t)point * pixels;
#if TEMPORAL == 1
    result[i] = (float)mean;
#elif TEMPORAL == 2
    result[i] = (float)variance(mean, sum2[i] / n);
#else
    result[i] = (float)tac2(sum[i], sum2[i], previous[i], n);
#endif
}
#endif

/* ranges: [2][M], whole pixels inside the margin. frame: number in the time point of the launch's
 * first one. */
__kernel void convergence(__global const float *half_rows, __global const float4 *taps,
                          __global const int *tap_end, __global const int *factor_row,
                          __global const float *factors, __global const int *ranges,
                          __global const float *col_weight, __global const int *col_shift,
#if WEIGHTING == 2
                          __global const T *intensity,
#else
                          __global const float *intensity,
#endif
#if TEMPORAL > 0
                          __global wide *sum, __global wide *sum2, __global float *first,
                          __global float *previous, int frame,
#else
                          __global float *value,
#endif
                          shape s)
{
    const int x0 = get_global_id(0) * VW, y = get_global_id(1);
    const int width = s.cols * s.m, height = s.rows * s.m, py = y % s.m;
    if (x0 >= s.cols || y >= height)
        return;
    const int end_x = min(x0 + VW, s.cols), inside = factor_row[y] >= 0;
#if TEMPORAL > 0
    const series sums = {sum, sum2, first, previous};
    for (int f = 0; f < s.frames; f++)
#else
    const int f = get_global_id(2);
#endif
    for (int px = 0; px < s.m; px++) {
        __global const float *at = half_rows + f * (size_t)s.half_floats +
                                   (2 * (y / s.m) + s.reach) * 4 * s.plane + s.pad + x0;
        float lanes[VW];
        const int phase = py * s.m + px, lo = ranges[px], hi = ranges[s.m + px];
        if (inside && x0 < hi && x0 + VW > lo) {
            vec v = sum_taps(at, taps, phase ? tap_end[phase - 1] : 0, tap_end[phase], 2 * s.plane);
            __global const float *factor = factors + (factor_row[y] * s.m + px) * s.plane + x0;
            v = fmax(v * LOAD(factor), (vec)(0.0f));
            if (s.sensitivity > 1)
                v = pow(v, (vec)(s.sensitivity));
#if WEIGHTING == 1
            __global const float *w = col_weight + 4 * px * s.plane + x0;
            __global const float *j = intensity + ((size_t)f * height + y) * s.plane + s.pad + x0 +
                                      col_shift[px];
            vec q = LOAD(w) * LOAD(j);
            for (int k = 1; k < 4; k++)
                q = fma(LOAD(w + k * s.plane), LOAD(j + k), q);
            v *= q;
#endif
#if VW == 1
            lanes[0] = v;
#else
            JOIN(vstore, VW)(v, 0, lanes);
#endif
        }
        for (int x = x0; x < end_x; x++) {
            float v = inside && x >= lo && x < hi ? lanes[x - x0] : 0.0f;
            const size_t i = (size_t)y * width + x * s.m + px;
#if WEIGHTING == 2
            if (inside && x >= lo && x < hi)
                v *= convert_float(intensity[(size_t)(s.first_frame + f) * s.frame_stride + i]);
#endif
#if TEMPORAL > 0
            add_value(sums, i, v, frame + f);
#else
            value[(size_t)(s.first_frame + f) * s.frame_stride + i] = v;
#endif
        }
    }
}
