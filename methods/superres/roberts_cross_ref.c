/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * roberts_cross, reference: pixel by pixel, float32 from left to right as NanoPyx adds: the same
 * bits.
 */
#include "roberts_cross.h"

static void range(void *context, size_t begin, size_t end, int worker) {
    const le__roberts *r = context;
    const int64_t cols = r->in.cols;
    float *above = r->spare + 4 * cols * worker, *here = above + cols;
    for (int64_t item = (int64_t)begin; item < (int64_t)end; item++) {
        const int64_t t = item / r->in.rows, y = item % r->in.rows;
        le__sr_load_row(&r->in, t, y > 0 ? y - 1 : 0, above);
        le__sr_load_row(&r->in, t, y, here);
        float *col = (float *)r->col.data + t * r->col.stride_frame + y * r->col.stride_row;
        float *row = (float *)r->row.data + t * r->row.stride_frame + y * r->row.stride_row;
        for (int64_t x = 0; x < cols; x++) {
            const int64_t before = x > 0 ? x - 1 : 0;
            col[x * r->col.stride_col] = above[x] - here[before] + here[x] - above[before];
            row[x * r->row.stride_col] = -above[x] + here[before] + here[x] - above[before];
        }
    }
}

LE_IMPLEMENTATION(roberts_cross, reference, .run_type = "reference",
                  .summary = "pixel by pixel, NanoPyx's bits",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE, .speed = 0.5,
                  .prepare = le__roberts_prepare, .items = le__roberts_items, .range = range);
