/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * macro_pixel_correction: NanoPyx's float32 sums, bit for bit.
 */
#include "macro_pixel_correction_frames.h"

static le_status run(le_call *call) {
    return correct_frames(call, le__sr_correct_exact);
}

LE_IMPLEMENTATION(macro_pixel_correction, exact, .run_type = "exact",
                  .summary = "NanoPyx's float32 sums, bit for bit",
                  .flags = LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL, .speed = 0.3, .run = run);
