/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * macro_pixel_correction by rows in plain C.
 */
#include "macro_pixel_correction_rows.h"

extern const le_implementation le_implementation_macro_pixel_correction__c;
const le_implementation le_implementation_macro_pixel_correction__c = {
    .abi = LE_METHOD_ABI,
    .operation = "macro_pixel_correction",
    .name = "c",
    .run_type = "c",
    .summary = "by rows in plain C",
    .device = LE_DEVICE_CPU,
    .isa = 0,
    .flags = LE_IMPL_REPRODUCIBLE,
    .speed = 1,
    .memory = correction_memory,
    .run = run_rows,
};
