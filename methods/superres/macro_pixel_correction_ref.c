/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * macro_pixel_correction: double sums.
 */
#include "macro_pixel_correction_frames.h"

static le_status run(le_call *call) {
    return correct_frames(call, le__sr_correct);
}

extern const le_implementation le_implementation_macro_pixel_correction__reference;
const le_implementation le_implementation_macro_pixel_correction__reference = {
    .abi = LE_METHOD_ABI,
    .operation = "macro_pixel_correction",
    .name = "reference",
    .run_type = "reference",
    .summary = "double sums",
    .device = LE_DEVICE_CPU,
    .isa = 0,
    .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL,
    .speed = 0.3,
    .run = run,
};
