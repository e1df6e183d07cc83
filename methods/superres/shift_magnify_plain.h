/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The horizontal step of shift_magnify in plain C; the same interface as shift_magnify_simd.h.
 */
#ifndef LE_SHIFT_MAGNIFY_PLAIN_H
#define LE_SHIFT_MAGNIFY_PLAIN_H

#include "shift_magnify.h"

static void horizontal(const le__magnify *m, const float *row, float *out) {
    const int64_t n = m->out.cols;
    for (int64_t x = 0; x < n; x++) {
        const float *in = row + m->index[x], *w = m->weight + x;
        float sum = w[0] * in[0];
        for (int k = 1; k < m->taps; k++)
            sum += w[k * m->padded] * in[k];
        out[x] = sum;
    }
}

#endif
