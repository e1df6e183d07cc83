/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Macro-pixel correction: sums of the phases of each row by a work-group, means of the phases, division.
 */
#include "superres/frames.clh"

/* One work-group a row; its size is a multiple of m, so that a work-item stays in one phase.
 * sums: [frames][rows][m] */
__kernel void row_sums(__global const T *image, __global wide *sums, __local wide *part, int rows,
                       int cols, int m)
{
    const int lid = get_local_id(0), size = get_local_size(0), y = get_global_id(1);
    const int f = get_global_id(2);
    __global const T *row = image + ((size_t)f * rows + y) * cols;
    wide sum = 0;
    for (int x = lid; x < cols; x += size)
        sum += (wide)convert_float(row[x]);
    part[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < m) {
        for (int k = lid + m; k < size; k += m)
            sum += part[k];
        sums[((size_t)f * rows + y) * m + lid] = sum;
    }
}

/* means: [frames][m][m]; 1 where a mean is 0, as nothing is divided there */
__kernel void phase_means(__global const wide *sums, __global float *means, int rows, int cols, int m,
                          int count)
{
    const int i = get_global_id(0);
    if (i >= count)
        return;
    const int f = i / (m * m), py = i / m % m, px = i % m;
    wide sum = 0;
    for (int y = py; y < rows; y += m)
        sum += sums[((size_t)f * rows + y) * m + px];
    const float mean = (float)(sum / ((wide)(rows / m) * (wide)(cols / m)));
    means[i] = mean != 0 ? mean : 1;
}

__kernel void divide(__global const T *image, __global const float *means, __global float *result,
                     int rows, int cols, int m)
{
    const int x = get_global_id(0), y = get_global_id(1), f = get_global_id(2);
    if (x >= cols || y >= rows)
        return;
    const size_t at = ((size_t)f * rows + y) * cols + x;
    result[at] = convert_float(image[at]) / means[(f * m + y % m) * m + x % m];
}
