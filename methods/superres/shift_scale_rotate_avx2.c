/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * shift_scale_rotate: gathers; 8-wide vectors.
 */
#define LE_VEC_AVX2
#include "shift_scale_rotate_simd.h"

extern const le_implementation le_implementation_shift_scale_rotate__avx2;
const le_implementation le_implementation_shift_scale_rotate__avx2 = {
    .abi = LE_METHOD_ABI,
    .operation = "shift_scale_rotate",
    .name = "avx2",
    .run_type = "simd",
    .summary = "gathers; 8-wide vectors",
    .device = LE_DEVICE_CPU,
    .isa = LE_ISA_AVX2,
    .flags = LE_IMPL_REPRODUCIBLE,
    .speed = 4,
    .applicable = small_enough,
    .memory = le__rotate_memory,
    .run = run,
};
