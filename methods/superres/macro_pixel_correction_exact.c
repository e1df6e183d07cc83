/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * macro_pixel_correction: NanoPyx's float32 sums, bit for bit.
 */
#include "macro_pixel_correction_frames.h"

static le_status run(le_call *call) {
    return correct_frames(call, le__sr_correct_exact);
}

extern const le_implementation le_implementation_macro_pixel_correction__exact;
const le_implementation le_implementation_macro_pixel_correction__exact = {
    .abi = LE_METHOD_ABI,
    .operation = "macro_pixel_correction",
    .name = "exact",
    .run_type = "exact",
    .summary = "NanoPyx's float32 sums, bit for bit",
    .device = LE_DEVICE_CPU,
    .isa = 0,
    .flags = LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL,
    .speed = 0.3,
    .run = run,
};
