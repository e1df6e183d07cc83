/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Results whose sums overflowed in single precision. Few are, so that what they need of the image
 * is loaded for a few of them at a time.
 */
#include "imaging/convolution_blocks.h"

#include <fenv.h>
#include <math.h>

bool le__conv_watch(void) {
#ifdef FE_OVERFLOW
    const bool before = fetestexcept(FE_OVERFLOW) != 0;
    feclearexcept(FE_OVERFLOW);
    return before;
#else
    return false;
#endif
}

bool le__conv_overflowed(bool before) {
#ifdef FE_OVERFLOW
    const bool after = fetestexcept(FE_OVERFLOW) != 0;
    if (before && !after) /* the note was the caller's */
        feraiseexcept(FE_OVERFLOW);
    return after;
#else
    return !before; /* may be */
#endif
}

enum { AT_ONCE = 64, TAPS = 192 };

/* n windows at row, col of the result. */
static void add_up(const le__conv_run *r, int64_t row, int64_t col, int64_t n, double *sum) {
    const le__convolution *c = r->c;
    double line[AT_ONCE + TAPS];
    for (int64_t i = 0; i < n; i++)
        sum[i] = 0;
    for (int64_t i = 0; i < c->tap_rows; i++) {
        const int64_t from = le__conv_source(c->boundary, row + i - c->top, c->rows);
        for (int64_t j = 0; j < c->tap_cols; j += TAPS) {
            const int64_t taps = c->tap_cols - j < TAPS ? c->tap_cols - j : TAPS;
            le__conv_load_f64(r, from, col + j - c->left, n + taps - 1, line);
            for (int64_t k = 0; k < taps; k++)
                for (int64_t m = 0; m < n; m++)
                    sum[m] += c->taps[i * c->tap_cols + j + k] * line[m + k];
        }
    }
}

static void mend(const le__conv_run *r, int64_t row, int64_t col, int64_t n) {
    float *out = (float *)r->out + row * r->out_stride[0] + col * r->out_stride[1];
    double sum[AT_ONCE];
    bool finite = true;
    for (int64_t i = 0; i < n; i++)
        finite &= isfinite(out[i * r->out_stride[1]]) != 0;
    if (finite)
        return;
    add_up(r, row, col, n, sum);
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(out[i * r->out_stride[1]]))
            out[i * r->out_stride[1]] = (float)sum[i];
}

void le__conv_mend(const le__conv_run *r, const le__conv_block *b) {
    for (int64_t y = 0; y < b->rows && r->out_dtype == LE_F32; y++)
        for (int64_t x = 0; x < b->cols; x += AT_ONCE)
            mend(r, b->row + y, b->col + x, b->cols - x < AT_ONCE ? b->cols - x : AT_ONCE);
}
