/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * shift_scale_rotate with vectors of output pixels: weights by polynomials, inputs by gathers.
 */
#include "common/isa.h"
#include "shift_scale_rotate.h"
#include "sr_vec.h"

#include <math.h>
#include <string.h>

/* Taps of one axis: index of tap 0, weights (0 for taps outside), and whether the axis is covered.
 */
typedef struct axis {
    vi first;
    vf weight[LE__SR_TAPS];
    vm inside;
} axis;

/* sin(pi u) for |u| <= 1/2 and sin(pi u/4) for |u| <= 3: odd polynomials after reflection. */
static inline vf sin_pi(vf u) {
    const vf x = vf_mul(u, vf_set1(3.14159265f)), x2 = vf_mul(x, x);
    vf p = vf_fma(x2, vf_set1(2.7181216e-6f), vf_set1(-1.9839334e-4f));
    p = vf_fma(x2, p, vf_set1(8.3333294e-3f));
    p = vf_fma(x2, p, vf_set1(-1.6666667e-1f));
    return vf_fma(vf_mul(x, x2), p, x);
}

/* 4 sin(pi d) sin(pi d/4) / (pi d)^2; sine: sin(pi d). */
static inline vf lanczos(vf d, vf sine) {
    const vf quarter = vf_mul(vf_abs(d), vf_set1(0.25f));
    const vm beyond = vf_less(vf_set1(0.5f), quarter);
    const vf slow = sin_pi(vf_where(beyond, vf_sub(vf_set1(1), quarter), quarter));
    const vf sign = vf_where(vf_less(d, vf_set1(0)), vf_set1(-1), vf_set1(1));
    const vf x2 = vf_mul(vf_mul(d, d), vf_set1(9.8696044f));
    const vf w = vf_div(vf_mul(vf_set1(4), vf_mul(vf_mul(sine, sign), slow)), x2);
    return vf_where(vf_less(vf_set1(1e-12f), vf_abs(d)), w, vf_set1(1));
}

static inline void lanczos_weights(vf t, vf *w) {
    /* tap k lies at d = t + 2 - k; sin(pi (t+n)) = +-sin(pi t), from the nearer whole number */
    const vf one = vf_set1(1), half = vf_set1(0.5f);
    const vf sine = sin_pi(vf_where(vf_less(half, t), vf_sub(one, t), t));
    const vf minus = vf_sub(vf_set1(0), sine);
    for (int k = 0; k < 5; k++)
        w[k] = lanczos(vf_add(t, vf_set1((float)(2 - k))), k % 2 ? minus : sine);
}

static inline vf near_weight(vf d) { /* |d| < 1 */
    return vf_fma(vf_mul(d, d), vf_fma(vf_set1(1.5f), d, vf_set1(-2.5f)), vf_set1(1));
}

static inline vf far_weight(vf d) { /* 1 <= |d| <= 2 */
    return vf_fma(d, vf_fma(d, vf_fma(d, vf_set1(-0.5f), vf_set1(2.5f)), vf_set1(-4)), vf_set1(2));
}

static inline void cubic_weights(vf t, vf *w) {
    const vf one = vf_set1(1);
    w[0] = far_weight(vf_add(t, one));
    w[1] = near_weight(t);
    w[2] = near_weight(vf_sub(one, t));
    w[3] = far_weight(vf_sub(vf_set1(2), t));
}

static inline axis sample_axis(le__sr_kind kind, vf r, int64_t n, int taps) {
    axis a;
    const vf zero = vf_set1(0), half = vf_set1(0.5f);
    if (taps == 1) {
        a.inside = vm_and(vf_less(vf_set1(-1), r), vf_less(r, vf_set1((float)n)));
        a.first = vf_to_int(vf_where(a.inside, r, zero));
        a.weight[0] = vf_where(a.inside, vf_set1(1), zero);
        return a;
    }
    a.inside = vm_and(vf_less_equal(zero, r), vf_less(r, vf_set1((float)n)));
    r = vf_where(a.inside, r, zero);
    const vf whole = vf_floor(vf_sub(r, half)), t = vf_sub(r, vf_add(whole, half));
    a.first = vi_sub(vf_to_int(whole), vi_set1(taps == 5 ? 2 : 1));
    if (taps == 5)
        lanczos_weights(t, a.weight);
    else
        cubic_weights(t, a.weight);
    vf sum = zero;
    for (int k = 0; k < taps; k++) {
        const vf at = vi_to_float(vi_add(a.first, vi_set1(k)));
        const vm there =
            vm_and(vm_and(vf_less_equal(zero, at), vf_less(at, vf_set1((float)n))), a.inside);
        a.weight[k] = vf_where(there, a.weight[k], zero);
        sum = vf_add(sum, a.weight[k]);
    }
    if (kind != LE__SR_CATMULL_ROM) {
        sum = vf_where(a.inside, sum, vf_set1(1));
        for (int k = 0; k < taps; k++)
            a.weight[k] = vf_div(a.weight[k], sum);
    }
    return a;
}

static inline vi clamp(vi i, int64_t n) {
    return vi_min(vi_max(i, vi_set1(0)), vi_set1((int32_t)n - 1));
}

/* Of taps outside edge pixels are read, whose weight of 0 makes NaN of an infinity. */
static void mend_nan(const le__rotate *p, vf r, vf c, float *out) {
    float row[VEC_LANES], col[VEC_LANES];
    vf_store(row, r);
    vf_store(col, c);
    for (int k = 0; k < VEC_LANES; k++)
        if (isnan(out[k]))
            out[k] = le__sr_sample(p->image, p->in.rows, p->in.cols, row[k], col[k], p->kind);
}

static inline void outputs(const le__rotate *p, vf x, float y, int taps, float *out) {
    const vf r =
        vf_add(vf_add(vf_mul(vf_set1(p->e), x), vf_set1(p->f * y)), vf_set1((float)p->centre_row));
    const vf c =
        vf_add(vf_add(vf_mul(vf_set1(p->a), x), vf_set1(p->b * y)), vf_set1((float)p->centre_col));
    const axis row = sample_axis(p->kind, r, p->in.rows, taps);
    const axis col = sample_axis(p->kind, c, p->in.cols, taps);
    const vm inside = vm_and(row.inside, col.inside);
    vf sum = vf_set1(0);
    for (int m = 0; m < taps; m++) {
        const vi line =
            vi_mul(clamp(vi_add(row.first, vi_set1(m)), p->in.rows), vi_set1((int32_t)p->in.cols));
        vf part = vf_set1(0);
        for (int n = 0; n < taps; n++) {
            const vi at = vi_add(line, clamp(vi_add(col.first, vi_set1(n)), p->in.cols));
            part = vf_fma(col.weight[n], vf_gather(p->image, at), part);
        }
        sum = vf_fma(row.weight[m], part, sum);
    }
    sum = vf_where(inside, sum, vf_set1(0));
    vf_store(out, sum);
    if (vf_any_nan(sum))
        mend_nan(p, r, c, out);
}

static void rows(void *context, size_t begin, size_t end, int worker) {
    const le__rotate *p = context;
    const int taps = le__sr_taps(p->kind);
    const int64_t n = p->out.cols;
    float *spare = p->spare + worker * n, x[VEC_LANES], part[VEC_LANES];
    for (int64_t i = (int64_t)begin; i < (int64_t)end; i++) {
        float *out = le__sr_begin_row(&p->out, p->frame, i, spare);
        const float y = le__rotate_y(p, i);
        for (int64_t j = 0; j < n; j += VEC_LANES) {
            for (int k = 0; k < VEC_LANES; k++)
                x[k] = le__rotate_x(p, j + k);
            outputs(p, vf_load(x), y, taps, part);
            memcpy(out + j, part, (size_t)(n - j < VEC_LANES ? n - j : VEC_LANES) * sizeof *out);
        }
        le__sr_end_row(&p->out, p->frame, i, out);
    }
}

/* Gathers take 32-bit indices. */
static bool small_enough(const le_call *call, const char **why) {
    const le_tensor *image = le_call_in(call, ROTATE_IMAGE);
    *why = "a frame of more than 2^31 pixels";
    return image->shape[image->ndim - 2] * image->shape[image->ndim - 1] <= INT32_MAX;
}

static le_status run(le_call *call) {
    return le__rotate_run(call, rows);
}

LE_IMPLEMENTATION(shift_scale_rotate, LE__ISA, LE__ISA_FIELDS("simd"),
                  .summary = "gathers; " LE__ISA_WIDTH, .flags = LE_IMPL_REPRODUCIBLE,
                  .speed = LE__BY_ISA(1, 4, 8), .applicable = small_enough,
                  .memory = le__rotate_memory, .run = run);
