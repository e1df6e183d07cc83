/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * macro_pixel_correction by rows, 16-wide vectors.
 */
#include "macro_pixel_correction_rows.h"

extern const le_implementation le_implementation_macro_pixel_correction__avx512;
const le_implementation le_implementation_macro_pixel_correction__avx512 = {
    .abi = LE_METHOD_ABI,
    .operation = "macro_pixel_correction",
    .name = "avx512",
    .run_type = "simd",
    .summary = "by rows, 16-wide vectors",
    .device = LE_DEVICE_CPU,
    .isa = LE_ISA_AVX512,
    .flags = LE_IMPL_REPRODUCIBLE,
    .speed = 2,
    .memory = correction_memory,
    .run = run_rows,
};
