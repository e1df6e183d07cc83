/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The convergence of one output row in plain C, in blocks that stay in the first-level cache; the
 * same interface as sr_convergence_simd.h.
 */
#ifndef LE_SR_CONVERGENCE_PLAIN_H
#define LE_SR_CONVERGENCE_PLAIN_H

#include "sr_fused.h"

#include <math.h>

enum { BLOCK = 64 };

/* In two loops: a single one invites compilers to interchange it with the loop over the taps, which
 * leaves nothing to vectorise. */
static void add_tap(const float *restrict gx, const float *restrict gy, float ex, float ey, float w,
                    int n, float *restrict sum) {
    float part[BLOCK];
    for (int k = 0; k < n; k++) {
        float along = gx[k] * ex + gy[k] * ey, inside = w - fabsf(gy[k] * ex - gx[k] * ey);
        part[k] = along < 0 ? inside : 0;
    }
    for (int k = 0; k < n; k++)
        sum[k] += part[k];
}

static void sum_taps(const le__sr_tables *t, const float *at, int phase, int n, float *sum) {
    for (int k = 0; k < n; k++)
        sum[k] = 0;
    for (int32_t i = phase ? t->tap_end[phase - 1] : 0; i < t->tap_end[phase]; i++) {
        const float *gx = at + t->tap_offset[i];
        add_tap(gx, gx + 2 * t->plane, t->tap_x[i], t->tap_y[i], t->tap_w[i], n, sum);
    }
}

static void finish(const le__sr_tables *t, int px, int64_t x, int n, const float *factor,
                   const float *intensity, float *sum) {
    for (int k = 0; k < n; k++) {
        float v = sum[k] * factor[x + k];
        sum[k] = v > 0 ? v : 0;
    }
    if (t->rgc.sensitivity > 1)
        for (int k = 0; k < n; k++)
            sum[k] = powf(sum[k], (float)t->rgc.sensitivity);
    if (!intensity)
        return;
    const float *w = t->col_weight + 4 * px * t->plane + x, *j = intensity + x + t->col_shift[px];
    for (int k = 0; k < n; k++)
        sum[k] *= w[k] * j[k] + w[k + t->plane] * j[k + 1] + w[k + 2 * t->plane] * j[k + 2] +
                  w[k + 3 * t->plane] * j[k + 3];
}

static void convergence_row(const le__sr_tables *t, const float *gradient, int py,
                            const float *factor, const float *intensity, float *out) {
    const int m = t->rgc.magnification;
    float sum[BLOCK];
    for (int px = 0; px < m; px++, factor += t->plane, out += t->plane)
        for (int64_t x = t->first_x[px], end = t->end_x[px]; x < end; x += BLOCK) {
            int n = end - x < BLOCK ? (int)(end - x) : BLOCK;
            sum_taps(t, gradient + x, py * m + px, n, sum);
            finish(t, px, x, n, factor, intensity, sum);
            for (int k = 0; k < n; k++)
                out[x + k] = sum[k];
        }
}

#endif
