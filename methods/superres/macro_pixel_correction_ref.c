/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * macro_pixel_correction: double sums.
 */
#include "macro_pixel_correction_frames.h"

static le_status run(le_call *call) {
    return correct_frames(call, le__sr_correct);
}

LE_IMPLEMENTATION(macro_pixel_correction, reference, .run_type = "reference",
                  .summary = "double sums",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL, .speed = 0.3,
                  .run = run);
