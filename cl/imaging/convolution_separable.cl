/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Convolution with a sum of separable terms: for each of them a work-group sums down the columns that
 * it needs into local memory, then along the rows of these sums.
 */
#include "imaging/convolution.clh"

/* Four rows of column n of the continued image, from row m on, summed with the taps of a column. */
static void down(pixels image, __global const S *column, const shape *s, S fill, int m,
                 int n, S sum[4])
{
    S a = 0, b = 0, c = 0, d = 0, t1 = 0, t2 = 0, t3 = 0;
    const bool inside = m >= 0 && m + s->tap_rows + 3 <= s->rows && n >= 0 && n < s->cols;
    for (int i = 0; i < s->tap_rows + 3; i++) {
        const S v = inside ? pixel(image, s, (size_t)(m + i) * s->cols + n)
                           : at(image, s, fill, m + i, n);
        const S t = i < s->tap_rows ? column[i] : (S)0;
        a += t * v;
        b += t1 * v;
        c += t2 * v;
        d += t3 * v;
        t3 = t2, t2 = t1, t1 = t;
    }
    sum[0] = a, sum[1] = b, sum[2] = c, sum[3] = d;
}

/* columns [rank][tap_rows], rows [rank][tap_cols]; pass: [GY*4][GX + tap_cols - 1] */
__kernel __attribute__((reqd_work_group_size(GX, GY, 1))) void
convolve(pixels image, __global const S *taps, __global const S *columns,
         __global const S *rows, __global void *out, const shape s, S fill, __local S *pass)
{
    const int lx = get_local_id(0), ly = get_local_id(1), width = GX + s.tap_cols - 1;
    const int x = get_group_id(0) * GX, y = get_group_id(1) * GY * R;
    S sum[4] = {0, 0, 0, 0};
    for (int k = 0; k < s.rank; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int task = ly * GX + lx; task < GY * width; task += GX * GY) {
            const int group = task / width, col = task % width;
            S four[4];
            down(image, columns + (size_t)k * s.tap_rows, &s, fill, y + group * R - s.top,
                 x + col - s.left, four);
            for (int r = 0; r < 4; r++)
                pass[(group * R + r) * width + col] = four[r];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < s.tap_cols; j++) {
            const S t = rows[(size_t)k * s.tap_cols + j];
            for (int r = 0; r < 4; r++)
                sum[r] += t * pass[(ly * R + r) * width + lx + j];
        }
    }
    for (int r = 0; r < 4; r++)
        put(image, taps, out, &s, fill, y + ly * R + r, x + lx, sum[r]);
}
