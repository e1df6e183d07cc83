/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * esrrf with the bits of NanoPyx's single-threaded run type: for comparing with it.
 */
#include "esrrf_frames.h"
#include "sr_projection.h"

static void project(const le__esrrf_frames *f, int64_t begin, int64_t end) {
    const int64_t n = f->e.out.rows * f->e.out.cols;
    for (int64_t i = begin; i < end; i++)
        f->result[i] = le__sr_project_exact(f->e.temporal, f->stack + i, f->frames, n);
}

static void correct(const le__esrrf_frames *f) {
    le__sr_correct_exact(f->result, f->e.rgc.rows, f->e.rgc.cols, f->e.rgc.magnification,
                         f->result);
}

static le_status run(le_call *call) {
    return le__esrrf_run_frames(call, true, project, correct);
}

LE_IMPLEMENTATION(esrrf, exact, .run_type = "exact",
                  .summary = "step by step in NanoPyx's float32 arithmetic, bit for bit",
                  .flags = LE_IMPL_REPRODUCIBLE |
                           LE_IMPL_LOSSY, /* drifts from the definition in large images */
                  .speed = 0.02, .memory = le__esrrf_frames_memory, .run = run);
