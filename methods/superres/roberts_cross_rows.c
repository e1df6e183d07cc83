/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * roberts_cross by rows in plain C that compilers vectorise, once for each ISA; no contraction, so
 * always the same bits.
 */
#include "common/isa.h"
#include "roberts_cross.h"

static void gradient(const float *above, const float *row, int64_t cols, float *restrict out_col,
                     float *restrict out_row) {
    out_col[0] = above[0] - row[0] + row[0] - above[0];
    out_row[0] = -above[0] + row[0] + row[0] - above[0];
    for (int64_t x = 1; x < cols; x++) {
        out_col[x] = above[x] - row[x - 1] + row[x] - above[x - 1];
        out_row[x] = -above[x] + row[x - 1] + row[x] - above[x - 1];
    }
}

static void range(void *context, size_t begin, size_t end, int worker) {
    const le__roberts *r = context;
    const int64_t cols = r->in.cols;
    float *spare = r->spare + 4 * cols * worker;
    for (int64_t item = (int64_t)begin; item < (int64_t)end; item++) {
        const int64_t t = item / r->in.rows, y = item % r->in.rows;
        const float *here = le__sr_row(&r->in, t, y, spare);
        const float *above = y > 0 ? le__sr_row(&r->in, t, y - 1, spare + cols) : here;
        float *col = le__sr_begin_row(&r->col, t, y, spare + 2 * cols);
        float *row = le__sr_begin_row(&r->row, t, y, spare + 3 * cols);
        gradient(above, here, cols, col, row);
        le__sr_end_row(&r->col, t, y, col);
        le__sr_end_row(&r->row, t, y, row);
    }
}

LE_IMPLEMENTATION(roberts_cross, LE__ISA, LE__ISA_FIELDS("simd"),
                  .summary = "by rows, " LE__ISA_WIDTH, .flags = LE_IMPL_REPRODUCIBLE,
                  .speed = LE__BY_ISA(1, 2, 3), .prepare = le__roberts_prepare,
                  .items = le__roberts_items, .range = range);
