/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Fused esrrf on a device: unit gradients on the half-pixel grid and the magnified intensity, for the
 * convergence (convergence.cl). The tables are made on the host (methods/superres/sr_fused.c).
 */
#include "superres/esrrf.clh"

/* A sum that keeps what float32 loses: the interpolation rounds only at its end. */
#ifdef F64
typedef double sum;
#define SUM_ZERO 0.0
static inline sum add_product(sum s, float w, float v) { return s + (double)w * v; }
static inline sum add_scaled(sum s, float w, sum v) { return s + (double)w * v; }
static inline float rounded(sum s) { return (float)s; }
#else
typedef float2 sum;
#define SUM_ZERO ((float2)(0, 0))
static inline sum add_two(sum s, float p, float e)
{
    float t = s.x + p, z = t - s.x;
    e += (s.x - (t - z)) + (p - z) + s.y;
    float r = t + e;
    return (float2)(r, e - (r - t));
}
static inline sum add_product(sum s, float w, float v)
{
    float p = w * v;
    return add_two(s, p, fma(w, v, -p));
}
static inline sum add_scaled(sum s, float w, sum v)
{
    float p = w * v.x;
    return add_two(s, p, fma(w, v.x, -p) + w * v.y);
}
static inline float rounded(sum s) { return s.x + s.y; }
#endif

static inline sum between_rows(__global const float *column, int cols, int first, float4 w, int rows)
{
    sum s = SUM_ZERO;
    if (w.s0 != 0 && first >= 0)
        s = add_product(s, w.s0, column[first * cols]);
    if (w.s1 != 0 && first + 1 >= 0 && first + 1 < rows)
        s = add_product(s, w.s1, column[(first + 1) * cols]);
    if (w.s2 != 0 && first + 2 < rows)
        s = add_product(s, w.s2, column[(first + 2) * cols]);
    if (w.s3 != 0 && first + 3 < rows)
        s = add_product(s, w.s3, column[(first + 3) * cols]);
    return s;
}

/* Weights of half-pixel index k: the sample itself, between four, or the last position of the axis. */
static inline float4 half_weights(int k, int n, float4 last, int *first)
{
    if (k == 2 * n) {
        *first = n - 2;
        return last;
    }
    *first = k / 2 - 2 + (k & 1);
    return k & 1 ? (float4)(0, 1, 0, 0) : (float4)(-0.0625f, 0.5625f, 0.5625f, -0.0625f);
}

/* One gradient component at half pixel (k,l). */
static inline float half_sample(__global const float *g, shape s, int k, int l, float4 last_row,
                                float4 last_col)
{
    int row, col;
    const float4 wr = half_weights(k, s.rows, last_row, &row);
    const float4 wc = half_weights(l, s.cols, last_col, &col);
    const float w[4] = {wc.s0, wc.s1, wc.s2, wc.s3};
    sum total = SUM_ZERO;
    for (int n = 0; n < 4; n++)
        if (w[n] != 0 && col + n >= 0 && col + n < s.cols)
            total = add_scaled(total, w[n], between_rows(g + col + n, s.cols, row, wr, s.rows));
    float zeros = 0; /* taps of weight 0 count where they make NaN */
    if ((k | l) & 1)
        for (int m = max(row, 0); m < min(row + 4, s.rows); m++)
            for (int n = max(col, 0); n < min(col + 4, s.cols); n++)
                zeros += 0.0f * g[m * s.cols + n];
    return rounded(total) + zeros;
}

__kernel void unit_gradients(__global const float *gradient_col, __global const float *gradient_row,
                             __global float *half_rows, shape s, float4 last_row, float4 last_col)
{
    const int l = get_global_id(0), k = get_global_id(1), f = get_global_id(2);
    if (l > 2 * s.cols || k > 2 * s.rows || f >= s.frames)
        return;
    const size_t at = (size_t)f * s.rows * s.cols;
    store_unit(half_rows, s, f, k, l, half_sample(gradient_col + at, s, k, l, last_row, last_col),
               half_sample(gradient_row + at, s, k, l, last_row, last_col));
}

/* The image magnified along its columns of pixels only: [frames][HM][plane], X = 0 at pad. */
__kernel void intensity_rows(__global const T *image, __global float *out, shape s,
                             __global const int *first, __global const float *weight)
{
    const int x = get_global_id(0), y = get_global_id(1), f = get_global_id(2);
    if (x >= s.cols || y >= s.rows * s.m || f >= s.frames)
        return;
    __global const T *in = image + (size_t)(s.first_frame + f) * s.rows * s.cols + x;
    wide sum = 0;
    for (int k = 0; k < 4; k++) {
        const int row = first[y] + k;
        if (row >= 0 && row < s.rows)
            sum += (wide)weight[4 * y + k] * (wide)convert_float(in[row * s.cols]);
    }
    out[((size_t)f * s.rows * s.m + y) * s.plane + s.pad + x] = (float)sum;
}
