/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Sums tap by tap for tiles that a transform cannot serve. Included by a file that has le__number,
 * the type of its pixels.
 */
#ifndef LE_IMAGING_CONVOLUTION_WINDOWS_H
#define LE_IMAGING_CONVOLUTION_WINDOWS_H

#include "imaging/convolution.h"

/* Windows of n pixels, from lines that lie `stride` apart. In double precision: a call by
 * transforms may have more taps than single precision has digits for. */
static void le__conv_windows(const le__convolution *c, const le__number *pixels, int64_t stride,
                             int64_t n, le__number *out) {
    enum { AT_ONCE = 128 };
    for (int64_t at = 0; at < n; at += AT_ONCE) {
        const int64_t m = n - at < AT_ONCE ? n - at : AT_ONCE;
        double sum[AT_ONCE] = {0};
        for (int64_t k = 0; k < c->tap_rows * c->tap_cols; k++) {
            const le__number *in = pixels + k / c->tap_cols * stride + k % c->tap_cols + at;
            for (int64_t i = 0; i < m; i++)
                sum[i] += c->taps[k] * (double)in[i];
        }
        for (int64_t i = 0; i < m; i++)
            out[at + i] = (le__number)sum[i];
    }
}

#endif
