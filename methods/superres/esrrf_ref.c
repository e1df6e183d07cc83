/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * esrrf, reference: float32 images between the steps, as the definition says, but double sums and
 * exact coordinates within the convergence. (NanoPyx rounds the coordinates of the output pixels to
 * float32; its error so grows with the size of the image. `exact` repeats that.)
 */
#include "esrrf_frames.h"
#include "sr_projection.h"

static void project(const le__esrrf_frames *f, int64_t begin, int64_t end) {
    const int64_t n = f->e.out.rows * f->e.out.cols;
    for (int64_t i = begin; i < end; i++)
        f->result[i] = (float)le__sr_project(f->e.temporal, f->stack + i, f->frames, n);
}

static void correct(const le__esrrf_frames *f) {
    le__sr_correct(f->result, f->e.rgc.rows, f->e.rgc.cols, f->e.rgc.magnification, f->result);
}

static le_status run(le_call *call) {
    return le__esrrf_run_frames(call, false, project, correct);
}

LE_IMPLEMENTATION(esrrf, reference, .run_type = "reference",
                  .summary = "step by step, double sums, exact coordinates",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE, .speed = 0.1,
                  .memory = le__esrrf_frames_memory, .run = run);
