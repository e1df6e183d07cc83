/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Loops over rows around the convergence, in plain C that compilers vectorise: compiled once per
 * ISA.
 */
#ifndef LE_SR_ROWS_H
#define LE_SR_ROWS_H

#include "sr_fused.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* Gradients divided by their length; 0 where that is 0. */
static inline void unit_rows(const float *restrict gx, const float *restrict gy, float *restrict ux,
                             float *restrict uy, int64_t n) {
    int odd = 0;
    for (int64_t x = 0; x < n; x++) {
        float square = gx[x] * gx[x] + gy[x] * gy[x];
        float inverse = square > 0 ? 1 / sqrtf(square) : 0;
        odd |= (gx[x] != 0 || gy[x] != 0) && !(square > 1e-30f && square < 1e30f);
        ux[x] = gx[x] * inverse;
        uy[x] = gy[x] * inverse;
    }
    if (!odd)
        return;
    for (int64_t x = 0; x < n; x++) { /* squares that overflow or vanish in float */
        double length = sqrt((double)gx[x] * gx[x] + (double)gy[x] * gy[x]);
        ux[x] = length > 0 ? (float)(gx[x] / length) : 0;
        uy[x] = length > 0 ? (float)(gy[x] / length) : 0;
    }
}

static inline bool all_finite(const float *v, int64_t n) {
    int odd = 0;
    for (int64_t x = 0; x < n; x++)
        odd |= !(fabsf(v[x]) <= FLT_MAX);
    return !odd;
}

/* In eight parts, for vectors. */
static inline double sum_row(const float *v, int64_t n) {
    double part[8] = {0}, sum = 0;
    int64_t x = 0;
    for (; x + 8 <= n; x += 8)
        for (int k = 0; k < 8; k++)
            part[k] += v[x + k];
    for (; x < n; x++)
        sum += v[x];
    for (int k = 0; k < 8; k++)
        sum += part[k];
    return sum;
}

/* One phase of an output row: zeros in the margin. */
static inline void write_phase(const le__sr_tables *t, const float *restrict v, int64_t px,
                               float *restrict out) {
    const int64_t m = t->rgc.magnification;
    for (int64_t x = 0; x < t->first_x[px]; x++)
        out[x * m] = 0;
    for (int64_t x = t->first_x[px]; x < t->end_x[px]; x++)
        out[x * m] = v[x];
    for (int64_t x = t->end_x[px]; x < t->rgc.cols; x++)
        out[x * m] = 0;
}

#endif
