/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * radial_gradient_convergence: pixel by pixel, double sums, exact coordinates.
 */
#include "radial_gradient_convergence.h"

static le_status run(le_call *call) {
    return le__rgc_run_frames(call, false);
}

LE_IMPLEMENTATION(radial_gradient_convergence, reference, .run_type = "reference",
                  .summary = "pixel by pixel, double sums, exact coordinates",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE, .speed = 0.1,
                  .memory = le__rgc_frames_memory, .run = run);
