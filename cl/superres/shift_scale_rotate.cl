/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * shift_scale_rotate. Coordinates as the reference rounds them, without contraction. TAPS: 1 nearest,
 * 4 cubic, 5 Lanczos; NORMALISE: divide by the sum of the weights inside.
 */
#include "superres/frames.clh"

typedef struct map {
    float a, b, e, f, shift_row, shift_col;
    int centre_row, centre_col, rows, cols;
} map;

static inline float lanczos(float d)
{
    const float w = 4 * sinpi(d) * sinpi(d / 4) / (9.8696044f * d * d);
    return fabs(d) < 1e-12f ? 1.0f : w;
}

static inline float near_weight(float d) { return d * d * (1.5f * d - 2.5f) + 1; }
static inline float far_weight(float d) { return ((-0.5f * d + 2.5f) * d - 4) * d + 2; }

/* Nearest rounds towards 0. */
static inline int is_inside(float r, int n) { return (TAPS == 1 ? r > -1 : r >= 0) && r < n; }

/* Index of tap 0 and the weights at position r of an axis of n; 0 for taps outside. */
static inline int weights(float r, int n, float *w)
{
    const int inside = is_inside(r, n);
#if TAPS == 1
    w[0] = inside;
    return (int)r;
#else
    const float whole = floor((inside ? r : 0.0f) - 0.5f), t = (inside ? r : 0.0f) - (whole + 0.5f);
    const int first = (int)whole - (TAPS == 5 ? 2 : 1);
#if TAPS == 4
    w[0] = far_weight(t + 1);
    w[1] = near_weight(t);
    w[2] = near_weight(1 - t);
    w[3] = far_weight(2 - t);
#else
    for (int k = 0; k < 5; k++)
        w[k] = lanczos(t + (2 - k));
#endif
    float sum = 0;
    for (int k = 0; k < TAPS; k++) {
        w[k] = inside && first + k >= 0 && first + k < n ? w[k] : 0.0f;
        sum += w[k];
    }
#ifdef NORMALISE
    for (int k = 0; k < TAPS; k++)
        w[k] = inside ? w[k] / sum : 0.0f;
#endif
    return first;
#endif
}

__kernel void rotate_frames(__global const T *image, __global float *result, map p)
{
    const int j = get_global_id(0), i = get_global_id(1), frame = get_global_id(2);
    if (j >= p.cols || i >= p.rows)
        return;
    __global const T *in = image + (size_t)frame * p.rows * p.cols;
    const float x = (float)(j - p.centre_col) - p.shift_col, y = (float)(i - p.centre_row) - p.shift_row;
    float wr[TAPS], wc[TAPS], sum = 0;
    const float r = p.e * x + p.f * y + (float)p.centre_row, c = p.a * x + p.b * y + (float)p.centre_col;
    const int row = weights(r, p.rows, wr), col = weights(c, p.cols, wc);
    for (int m = 0; m < TAPS; m++) {
        __global const T *line = in + clamp(row + m, 0, p.rows - 1) * p.cols;
        float part = 0;
        for (int n = 0; n < TAPS; n++)
            part += tap(wc[n], col + n, p.cols, convert_float(line[clamp(col + n, 0, p.cols - 1)]));
        sum += tap(wr[m], row + m, p.rows, part);
    }
    /* outside the taps are of edge pixels, which may be no numbers */
    const int inside = is_inside(r, p.rows) && is_inside(c, p.cols);
    result[((size_t)frame * p.rows + i) * p.cols + j] = inside ? sum : 0.0f;
}
