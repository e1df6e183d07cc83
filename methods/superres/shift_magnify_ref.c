/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * shift_magnify, reference: every sample for itself in NanoPyx's order of operations: the same
 * bits.
 */
#include "shift_magnify.h"

typedef struct frame_job {
    le__sr_stack in, out;
    le__sr_kind kind;
    float magnification_row, magnification_col, shift_row, shift_col;
    int64_t frame;
    float *image;
} frame_job;

static void range(void *context, size_t begin, size_t end, int worker) {
    const frame_job *j = context;
    (void)worker;
    for (int64_t y = (int64_t)begin; y < (int64_t)end; y++) {
        float *out = (float *)j->out.data + j->frame * j->out.stride_frame + y * j->out.stride_row;
        const float r = (float)y / j->magnification_row - j->shift_row;
        for (int64_t x = 0; x < j->out.cols; x++)
            out[x * j->out.stride_col] =
                le__sr_sample(j->image, j->in.rows, j->in.cols, r,
                              (float)x / j->magnification_col - j->shift_col, j->kind);
    }
}

static int64_t memory(const le_call *call) {
    const le__sr_stack in = le__sr_stack_of(le_call_in(call, MAGNIFY_IMAGE));
    return in.rows * in.cols * 4 + 4096;
}

static le_status run(le_call *call) {
    frame_job j = {.in = le__sr_stack_of(le_call_in(call, MAGNIFY_IMAGE)),
                   .out = le__sr_stack_of(le_call_out(call, MAGNIFY_RESULT)),
                   .kind = le__sr_kind_of(le_call_str(call, MAGNIFY_INTERPOLATOR)),
                   .magnification_row = (float)le_call_f64(call, MAGNIFY_MAGNIFICATION_ROW),
                   .magnification_col = (float)le_call_f64(call, MAGNIFY_MAGNIFICATION_COL),
                   .shift_row = (float)le_call_f64(call, MAGNIFY_SHIFT_ROW),
                   .shift_col = (float)le_call_f64(call, MAGNIFY_SHIFT_COL)};
    j.image = le_call_scratch(call, (size_t)(j.in.rows * j.in.cols) * sizeof(float));
    if (!j.image)
        return le_fail(LE_ERR_MEMORY, "shift_magnify: no memory for a frame");
    le_status status = LE_OK;
    for (; status == LE_OK && j.frame < j.in.frames; j.frame++) {
        le__sr_load_frame(&j.in, j.frame, j.image);
        status = le_parallel_for(call, (size_t)j.out.rows, range, &j);
    }
    return status;
}

LE_IMPLEMENTATION(shift_magnify, reference, .run_type = "reference",
                  .summary = "sample by sample, NanoPyx's bits",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE, .speed = 0.1, .memory = memory,
                  .run = run);
