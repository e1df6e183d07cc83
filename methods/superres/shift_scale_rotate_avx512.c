/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * shift_scale_rotate: gathers; 16-wide vectors.
 */
#define LE_VEC_AVX512
#include "shift_scale_rotate_simd.h"

extern const le_implementation le_implementation_shift_scale_rotate__avx512;
const le_implementation le_implementation_shift_scale_rotate__avx512 = {
    .abi = LE_METHOD_ABI,
    .operation = "shift_scale_rotate",
    .name = "avx512",
    .run_type = "simd",
    .summary = "gathers; 16-wide vectors",
    .device = LE_DEVICE_CPU,
    .isa = LE_ISA_AVX512,
    .flags = LE_IMPL_REPRODUCIBLE,
    .speed = 8,
    .applicable = small_enough,
    .memory = le__rotate_memory,
    .run = run,
};
