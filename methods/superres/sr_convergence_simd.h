/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The convergence of one output row with vectors over the whole pixels X of a phase. Compiled
 * once per ISA; the same interface as sr_convergence_plain.h.
 */
#ifndef LE_SR_CONVERGENCE_SIMD_H
#define LE_SR_CONVERGENCE_SIMD_H

#include "sr_fused.h"
#include "sr_vec.h"

/* What happens to the sum of a pixel: factor at the border, power, intensity. */
static inline vf finish(const le__sr_tables *t, vf sum, int px, int64_t x, const float *factor,
                        const float *intensity) {
    vf v = vf_max(vf_mul(sum, vf_load(factor + x)), vf_set1(0));
    if (t->rgc.sensitivity > 1)
        v = vf_pow01(v, vf_set1((float)t->rgc.sensitivity));
    if (!intensity)
        return v;
    const float *w = t->col_weight + 4 * px * t->plane + x, *j = intensity + x + t->col_shift[px];
    vf q = vf_mul(vf_load(w), vf_load(j));
    for (int k = 1; k < 4; k++)
        q = vf_fma(vf_load(w + k * t->plane), vf_load(j + k), q);
    return vf_mul(v, q);
}

/* n vectors of whole pixels from x on, for one phase. at: row 2Y, X = 0 of the unit gradients. */
#define DEFINE_BLOCK(n)                                                                            \
    static inline void block##n(const le__sr_tables *t, const float *at, int py, int px,           \
                                int64_t x, const float *factor, const float *intensity,            \
                                float *out) {                                                      \
        const int phase = py * t->rgc.magnification + px;                                          \
        const int64_t down = 2 * t->plane;                                                         \
        vf sum[n];                                                                                 \
        for (int u = 0; u < n; u++)                                                                \
            sum[u] = vf_set1(0);                                                                   \
        for (int32_t i = phase ? t->tap_end[phase - 1] : 0; i < t->tap_end[phase]; i++) {          \
            const float *g = at + t->tap_offset[i] + x;                                            \
            vf ex = vf_set1(t->tap_x[i]), ey = vf_set1(t->tap_y[i]), w = vf_set1(t->tap_w[i]);     \
            for (int u = 0; u < n; u++) {                                                          \
                vf gx = vf_load(g + u * VEC_LANES), gy = vf_load(g + down + u * VEC_LANES);        \
                vf along = vf_fma(gx, ex, vf_mul(gy, ey)),                                         \
                   across = vf_fms(gy, ex, vf_mul(gx, ey));                                        \
                sum[u] =                                                                           \
                    vf_add_where(sum[u], vf_less(along, vf_set1(0)), vf_sub(w, vf_abs(across)));   \
            }                                                                                      \
        }                                                                                          \
        for (int u = 0; u < n; u++, x += VEC_LANES)                                                \
            vf_store(out + x, finish(t, sum[u], px, x, factor, intensity));                        \
    }

DEFINE_BLOCK(1)
DEFINE_BLOCK(2)
DEFINE_BLOCK(4)

/* Output row of phase py: out[px*plane + X] for X inside the margin. gradient: the unit gradients
 * of row 2Y at X = 0; factor: [M][plane]; intensity: magnified in rows only, or NULL. */
static void convergence_row(const le__sr_tables *t, const float *gradient, int py,
                            const float *factor, const float *intensity, float *out) {
    for (int px = 0; px < t->rgc.magnification; px++, factor += t->plane, out += t->plane) {
        int64_t x = t->first_x[px], end = t->end_x[px];
        for (; x + 2 * VEC_LANES < end; x += 4 * VEC_LANES)
            block4(t, gradient, py, px, x, factor, intensity, out);
        if (x + VEC_LANES < end)
            block2(t, gradient, py, px, x, factor, intensity, out);
        else if (x < end)
            block1(t, gradient, py, px, x, factor, intensity, out);
    }
}

#endif
