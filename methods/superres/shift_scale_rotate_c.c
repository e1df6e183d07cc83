/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * shift_scale_rotate, plain C: the weights of each axis once a sample.
 */
#include "shift_scale_rotate.h"

#include <math.h>

typedef struct axis {
    int32_t first, lo, hi; /* taps lo <= k < hi are inside */
    double weight[LE__SR_TAPS];
} axis;

/* As le__sr_weights, with the pieces of the cubic kernel known by tap. */
static inline axis cubic_axis(le__sr_kind kind, float r, int64_t n) {
    axis a = {0};
    if (!(r >= 0 && r < (float)n))
        return a;
    const float whole = floorf((float)(r - 0.5));
    const double t = r - (whole + 0.5), u = 1 - t;
    double *w = a.weight, sum = 0;
    w[0] = t * u * u * -0.5;
    w[1] = t * t * (1.5 * t - 2.5) + 1;
    w[2] = u * u * (1.5 * u - 2.5) + 1;
    w[3] = u * t * t * -0.5;
    a.first = (int32_t)whole - 1;
    a.lo = a.first < 0 ? -a.first : 0;
    a.hi = a.first + 4 > n ? (int32_t)(n - a.first) : 4;
    if (kind == LE__SR_CATMULL_ROM)
        return a;
    for (int k = a.lo; k < a.hi; k++)
        sum += w[k];
    for (int k = a.lo; k < a.hi; k++)
        w[k] /= sum;
    return a;
}

static inline axis any_axis(le__sr_kind kind, float r, int64_t n) {
    if (kind == LE__SR_CATMULL_ROM || kind == LE__SR_BICUBIC)
        return cubic_axis(kind, r, n);
    axis a;
    le__sr_weights(kind, r, n, &a.first, &a.lo, &a.hi, a.weight);
    return a;
}

static float sample(const le__rotate *p, float r, float c) {
    const axis row = any_axis(p->kind, r, p->in.rows), col = any_axis(p->kind, c, p->in.cols);
    double sum = 0;
    if (row.hi <= row.lo || col.hi <= col.lo)
        return 0;
    for (int m = row.lo; m < row.hi; m++) {
        const float *in = p->image + (row.first + m) * p->in.cols + col.first;
        double line = 0;
        for (int n = col.lo; n < col.hi; n++)
            line += col.weight[n] * in[n];
        sum += row.weight[m] * line;
    }
    return (float)sum;
}

static void rows(void *context, size_t begin, size_t end, int worker) {
    const le__rotate *p = context;
    float *spare = p->spare + worker * p->out.cols;
    for (int64_t i = (int64_t)begin; i < (int64_t)end; i++) {
        float *out = le__sr_begin_row(&p->out, p->frame, i, spare);
        const float y = le__rotate_y(p, i);
        for (int64_t j = 0; j < p->out.cols; j++) {
            const float x = le__rotate_x(p, j);
            out[j] = sample(p, le__rotate_row(p, x, y), le__rotate_col(p, x, y));
        }
        le__sr_end_row(&p->out, p->frame, i, out);
    }
}

static le_status run(le_call *call) {
    return le__rotate_run(call, rows);
}

LE_IMPLEMENTATION(shift_scale_rotate, c, .run_type = "c",
                  .summary = "weights of each axis once a sample; plain C",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = 1, .memory = le__rotate_memory,
                  .run = run);
