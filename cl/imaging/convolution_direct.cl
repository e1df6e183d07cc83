/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Convolution tap by tap: a work-group loads what its results need of the image, for so many taps at
 * a time as local memory has room for; a work-item sums R rows of a column, so that what it reads
 * serves all of them.
 */
#include "imaging/convolution.clh"

#if R == 1 /* a signal */
#define KC 1
#define LC 64
#else
#define KC 16
#define LC 16
#endif
#define TILE_COLS (GX + LC - 1)

/* Taps [i0, i0 + kc) x [j0, j0 + lc) and the pixels that they meet, for the group at row y, column x
 * of the result. */
static void load_tile(pixels image, __global const S *taps, const shape *s, S fill, int y,
                      int x, int i0, int kc, int j0, int lc, __local S *tile, __local S *part)
{
    const int lid = get_local_id(1) * GX + get_local_id(0);
    const int rows = GY * R + kc - 1, cols = GX + lc - 1;
    for (int k = lid; k < rows * cols; k += GX * GY) {
        const int r = k / cols, c = k % cols;
        tile[r * TILE_COLS + c] = at(image, s, fill, y + r + i0 - s->top, x + c + j0 - s->left);
    }
    for (int k = lid; k < kc * lc; k += GX * GY)
        part[k] = taps[(size_t)(i0 + k / lc) * s->tap_cols + j0 + k % lc];
}

__kernel __attribute__((reqd_work_group_size(GX, GY, 1))) void
convolve(pixels image, __global const S *taps, __global void *out, const shape s, S fill)
{
    __local S tile[(GY * R + KC - 1) * TILE_COLS], part[KC * LC];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int x = get_group_id(0) * GX, y = get_group_id(1) * GY * R;
    S a = 0, b = 0, c = 0, d = 0; /* of the sums of tiles: long sums of alike pixels round one way */
    for (int i0 = 0; i0 < s.tap_rows; i0 += KC)
        for (int j0 = 0; j0 < s.tap_cols; j0 += LC) {
            const int kc = min(KC, s.tap_rows - i0), lc = min(LC, s.tap_cols - j0);
            barrier(CLK_LOCAL_MEM_FENCE);
            load_tile(image, taps, &s, fill, y, x, i0, kc, j0, lc, tile, part);
            barrier(CLK_LOCAL_MEM_FENCE);
            S a1 = 0, b1 = 0, c1 = 0, d1 = 0;
            for (int j = 0; j < lc; j++) {
                __local const S *in = tile + ly * R * TILE_COLS + lx + j;
#if R == 1
                a1 += part[j] * in[0];
#else
                S t1 = 0, t2 = 0, t3 = 0; /* taps of the rows above */
                for (int i = 0; i < kc + R - 1; i++) {
                    const S v = in[i * TILE_COLS], t = i < kc ? part[i * lc + j] : (S)0;
                    a1 += t * v;
                    b1 += t1 * v;
                    c1 += t2 * v;
                    d1 += t3 * v;
                    t3 = t2, t2 = t1, t1 = t;
                }
#endif
            }
            a += a1, b += b1, c += c1, d += d1;
        }
    const int m = y + ly * R, n = x + lx;
    put(image, taps, out, &s, fill, m, n, a);
#if R > 1
    put(image, taps, out, &s, fill, m + 1, n, b);
    put(image, taps, out, &s, fill, m + 2, n, c);
    put(image, taps, out, &s, fill, m + 3, n, d);
#endif
}
