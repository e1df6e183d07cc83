/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * roberts_cross by rows, 8-wide vectors.
 */
#include "roberts_cross_rows.h"

extern const le_implementation le_implementation_roberts_cross__avx2;
const le_implementation le_implementation_roberts_cross__avx2 = {
    .abi = LE_METHOD_ABI,
    .operation = "roberts_cross",
    .name = "avx2",
    .run_type = "simd",
    .summary = "by rows, 8-wide vectors",
    .device = LE_DEVICE_CPU,
    .isa = LE_ISA_AVX2,
    .flags = LE_IMPL_REPRODUCIBLE,
    .speed = 2,
    .prepare = le__roberts_prepare,
    .items = le__roberts_items,
    .range = range,
};
