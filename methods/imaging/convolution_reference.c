/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Convolutions, reference: every product in double precision, tap after tap.
 */
#include "imaging/convolution.h"

#include <string.h>

enum { LONG = 1 << 16 }; /* columns for which a tap takes long enough to ask after each */

typedef struct context {
    const le_call *call;
    le__conv_run run;
    double *spare; /* of a worker: a row of sums, a row of the continued image */
} context;

static int64_t spare_of(const le__convolution *c) {
    return 2 * c->out_cols + c->tap_cols;
}

static int64_t memory(const le_call *call) {
    return 8 * spare_of(le__convolution_of(call)) * le_call_threads(call);
}

static le_status prepare(le_call *call, void **out) {
    context *x = le_call_scratch(call, sizeof *x);
    if (!x || !(x->spare = le_call_scratch(call, (size_t)memory(call))))
        return le_fail(LE_ERR_MEMORY, "no memory for rows of a convolution");
    x->call = call;
    x->run = le__conv_run_of(call);
    *out = x;
    return LE_OK;
}

static size_t items(const le_call *call) {
    return (size_t)le__convolution_of(call)->out_rows;
}

/* line: of the continued image, from the first window's first pixel on. */
static void add_taps(const context *x, const double *taps, const double *line, double *sum) {
    const le__convolution *c = x->run.c;
    for (int64_t j = 0; j < c->tap_cols; j++) {
        if (c->out_cols >= LONG && le_call_cancelled(x->call))
            return;
        int64_t begin = 0, end = c->out_cols;
        if (c->boundary == LE__CONV_NOTHING) {
            begin = c->left > j ? c->left - j : 0;
            end = c->cols + c->left - j < end ? c->cols + c->left - j : end;
        }
        for (int64_t n = begin; n < end; n++)
            sum[n] += taps[j] * line[n + j];
    }
}

static void range(void *data, size_t begin, size_t end, int worker) {
    const context *x = data;
    const le__convolution *c = x->run.c;
    double *sum = x->spare + spare_of(c) * worker, *line = sum + c->out_cols;
    for (int64_t m = (int64_t)begin; m < (int64_t)end; m++) {
        memset(sum, 0, (size_t)c->out_cols * sizeof *sum);
        for (int64_t i = 0; i < c->tap_rows; i++) {
            const int64_t row = le__conv_source(c->boundary, m + i - c->top, c->rows);
            if (row < 0 && c->boundary == LE__CONV_NOTHING)
                continue;
            le__conv_load_f64(&x->run, row, -c->left, c->out_cols + c->tap_cols - 1, line);
            add_taps(x, c->taps + i * c->tap_cols, line, sum);
        }
        for (int64_t n = 0; n < c->out_cols; n++)
            le__conv_store(&x->run, m, n, sum[n]);
    }
}

#define LE__CONV_REFERENCE(operation)                                                              \
    LE_IMPLEMENTATION(operation, reference, .run_type = "reference",                               \
                      .summary = "tap after tap in double precision",                              \
                      .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE, .speed = 0.1,             \
                      .memory = memory, .prepare = prepare, .items = items, .range = range)

LE__CONV_REFERENCE(convolve2d);
LE__CONV_REFERENCE(correlate2d);
LE__CONV_REFERENCE(convolve);
