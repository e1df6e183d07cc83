/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * roberts_cross by rows, 16-wide vectors.
 */
#include "roberts_cross_rows.h"

extern const le_implementation le_implementation_roberts_cross__avx512;
const le_implementation le_implementation_roberts_cross__avx512 = {
    .abi = LE_METHOD_ABI,
    .operation = "roberts_cross",
    .name = "avx512",
    .run_type = "simd",
    .summary = "by rows, 16-wide vectors",
    .device = LE_DEVICE_CPU,
    .isa = LE_ISA_AVX512,
    .flags = LE_IMPL_REPRODUCIBLE,
    .speed = 3,
    .prepare = le__roberts_prepare,
    .items = le__roberts_items,
    .range = range,
};
