/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Temporal projection of one pixel and the macro-pixel correction of one image, twice: with double
 * sums, and with the float32 arithmetic of NanoPyx.
 */
#ifndef LE_SR_PROJECTION_H
#define LE_SR_PROJECTION_H

#include "superres.h"

#include <math.h>

/* Frames t of a pixel are at x[t*step]. AVG: mean; VAR: population variance; TAC2: mean of the n-1
 * products of successive deviations from the mean of all frames, NaN for one frame. NONE: x[0]. */
double le__sr_project(le__sr_temporal how, const float *x, int64_t n, int64_t step);
float le__sr_project_exact(le__sr_temporal how, const float *x, int64_t n, int64_t step);

/* VAR from means of differences and of their squares; rounding makes none negative, and what is no
 * number stays that, unlike with fmax. */
static inline double le__sr_variance(double mean, double mean_of_squares) {
    const double v = mean_of_squares - mean * mean;
    return v < 0 ? 0 : v;
}

/* TAC2 of n differences from sums of them and of their successive products; last: the last of them.
 */
static inline double le__sr_tac2(double sum, double products, double last, double n) {
    const double mean = sum / n;
    return n > 1 ? (products - mean * (2 * sum - last) + (n - 1) * mean * mean) / (n - 1)
                 : (double)NAN;
}

/* Divides each pixel by the mean of its phase (y%M, x%M) over all H*W whole pixels, where that is
 * not 0. in and out: [H*M, W*M], may be the same. */
void le__sr_correct(const float *in, int64_t rows, int64_t cols, int64_t magnification, float *out);
void le__sr_correct_exact(const float *in, int64_t rows, int64_t cols, int64_t magnification,
                          float *out);

#endif
