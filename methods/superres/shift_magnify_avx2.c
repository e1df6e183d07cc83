/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * shift_magnify: rows, tables of weights; 8-wide vectors.
 */
#define LE_VEC_AVX2
#include "shift_magnify_simd.h"
#include "shift_magnify_rows.h"

extern const le_implementation le_implementation_shift_magnify__avx2;
const le_implementation le_implementation_shift_magnify__avx2 = {
    .abi = LE_METHOD_ABI,
    .operation = "shift_magnify",
    .name = "avx2",
    .run_type = "simd",
    .summary = "rows, tables of weights; 8-wide vectors",
    .device = LE_DEVICE_CPU,
    .isa = LE_ISA_AVX2,
    .flags = LE_IMPL_REPRODUCIBLE,
    .speed = 4,
    .memory = le__magnify_memory,
    .prepare = le__magnify_prepare,
    .items = le__magnify_items,
    .range = range,
};
