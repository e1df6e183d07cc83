/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * temporal_projection: running sums by rows, 16-wide vectors.
 */
#include "temporal_projection_rows.h"

extern const le_implementation le_implementation_temporal_projection__avx512;
const le_implementation le_implementation_temporal_projection__avx512 = {
    .abi = LE_METHOD_ABI,
    .operation = "temporal_projection",
    .name = "avx512",
    .run_type = "simd",
    .summary = "running sums by rows, 16-wide vectors",
    .device = LE_DEVICE_CPU,
    .isa = LE_ISA_AVX512,
    .flags = LE_IMPL_REPRODUCIBLE,
    .speed = 2,
    .prepare = le__projection_prepare,
    .items = le__projection_items,
    .range = range,
};
