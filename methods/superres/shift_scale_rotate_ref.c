/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * shift_scale_rotate, reference: every sample in NanoPyx's order of operations: the same bits.
 */
#include "shift_scale_rotate.h"

static void rows(void *context, size_t begin, size_t end, int worker) {
    const le__rotate *p = context;
    (void)worker;
    for (int64_t i = (int64_t)begin; i < (int64_t)end; i++) {
        float *out = (float *)p->out.data + p->frame * p->out.stride_frame + i * p->out.stride_row;
        const float y = le__rotate_y(p, i);
        for (int64_t j = 0; j < p->out.cols; j++) {
            const float x = le__rotate_x(p, j);
            out[j * p->out.stride_col] =
                le__sr_sample(p->image, p->in.rows, p->in.cols, le__rotate_row(p, x, y),
                              le__rotate_col(p, x, y), p->kind);
        }
    }
}

static le_status run(le_call *call) {
    return le__rotate_run(call, rows);
}

LE_IMPLEMENTATION(shift_scale_rotate, reference, .run_type = "reference",
                  .summary = "sample by sample, NanoPyx's bits",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE, .speed = 0.5,
                  .memory = le__rotate_memory, .run = run);
