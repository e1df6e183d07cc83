/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Roberts cross, float32 from left to right as the reference adds: the same bits.
 */
#include "superres/frames.clh"

/* frames: of this launch, from first_frame of the image on; outputs start with that frame. */
__kernel void gradients(__global const T *image, __global float *out_col, __global float *out_row,
                        int rows, int cols, int frames, int first_frame)
{
    const int x = get_global_id(0), y = get_global_id(1), f = get_global_id(2);
    if (x >= cols || y >= rows || f >= frames)
        return;
    __global const T *in = image + (size_t)(first_frame + f) * rows * cols;
    const int xb = max(x - 1, 0), yb = max(y - 1, 0);
    const float a = convert_float(in[yb * cols + x]), b = convert_float(in[y * cols + xb]);
    const float c = convert_float(in[y * cols + x]), d = convert_float(in[yb * cols + xb]);
    const size_t at = ((size_t)f * rows + y) * cols + x;
    out_col[at] = a - b + c - d;
    out_row[at] = -a + b + c - d;
}
