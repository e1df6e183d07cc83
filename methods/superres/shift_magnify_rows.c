/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * shift_magnify by output rows with tables of weights, compiled once per ISA.
 */
#include "common/isa.h"
#if LE_METHOD_ISA
#include "shift_magnify_simd.h"
#else
#include "shift_magnify_plain.h"
#endif

#include "shift_magnify.h"

#include <string.h>

static void add_row(const float *restrict in, float w, int64_t n, float *restrict out) {
    for (int64_t x = 0; x < n; x++)
        out[x] += w * in[x];
}

/* Weighted sum of the input rows of output row y, with zeros around. */
static void vertical(const le__magnify *m, int64_t frame, int64_t y, float *row, float *spare) {
    const double *w = m->rows.weight + LE__SR_TAPS * y;
    memset(row, 0, (size_t)(m->in.cols + 2 * LE__MAGNIFY_PAD) * sizeof *row);
    for (int k = m->rows.lo[y]; k < m->rows.hi[y]; k++)
        add_row(le__sr_row(&m->in, frame, m->rows.first[y] + k, spare), (float)w[k], m->in.cols,
                row + LE__MAGNIFY_PAD);
}

static void range(void *context, size_t begin, size_t end, int worker) {
    const le__magnify *m = context;
    float *row = m->spare + m->spare_floats * worker;
    float *spare = row + m->in.cols + 2 * LE__MAGNIFY_PAD, *spare_out = spare + m->in.cols;
    for (int64_t item = (int64_t)begin; item < (int64_t)end; item++) {
        const int64_t frame = item / m->out.rows, y = item % m->out.rows;
        float *out = le__sr_begin_row(&m->out, frame, y, spare_out);
        if (m->rows.hi[y] > m->rows.lo[y]) {
            vertical(m, frame, y, row, spare);
            horizontal(m, row, out);
        } else {
            memset(out, 0, (size_t)m->out.cols * sizeof *out);
        }
        le__sr_end_row(&m->out, frame, y, out);
    }
}

LE_IMPLEMENTATION(shift_magnify, LE__ISA, LE__ISA_FIELDS("simd"),
                  .summary = "rows, tables of weights; " LE__ISA_WIDTH,
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 4, 8),
                  .memory = le__magnify_memory, .prepare = le__magnify_prepare,
                  .items = le__magnify_items, .range = range);
