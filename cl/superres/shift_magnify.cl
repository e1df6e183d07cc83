/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * shift_magnify with tables of weights from the host. TAPS: 1, 4 or 5 each way.
 */
#include "superres/frames.clh"

/* first: [n], weight: [n][TAPS] */
__kernel void magnify(__global const T *image, __global float *result, __global const int *row_first,
                      __global const float *row_weight, __global const int *col_first,
                      __global const float *col_weight, int rows, int cols, int out_rows, int out_cols)
{
    const int x = get_global_id(0), y = get_global_id(1), f = get_global_id(2);
    if (x >= out_cols || y >= out_rows)
        return;
    __global const T *in = image + (size_t)f * rows * cols;
    float sum = 0;
#pragma unroll
    for (int m = 0; m < TAPS; m++) {
        const float wr = row_weight[y * TAPS + m];
        const int row = row_first[y] + m;
        __global const T *line = in + clamp(row, 0, rows - 1) * cols;
        float part = 0;
#pragma unroll
        for (int n = 0; n < TAPS; n++) {
            const float w = col_weight[x * TAPS + n];
            const int col = col_first[x] + n;
            const float v = convert_float(line[clamp(col, 0, cols - 1)]);
            part += tap(w, col, cols, v);
        }
        sum += tap(wr, row, rows, part);
    }
    result[((size_t)f * out_rows + y) * out_cols + x] = sum;
}
