/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * radial_gradient_convergence: NanoPyx's float32 arithmetic, bit for bit.
 */
#include "radial_gradient_convergence.h"

static le_status run(le_call *call) {
    return le__rgc_run_frames(call, true);
}

LE_IMPLEMENTATION(radial_gradient_convergence, exact, .run_type = "exact",
                  .summary = "NanoPyx's float32 arithmetic, bit for bit",
                  .flags = LE_IMPL_REPRODUCIBLE |
                           LE_IMPL_LOSSY, /* drifts from the definition in large images */
                  .speed = 0.1, .memory = le__rgc_frames_memory, .run = run);
