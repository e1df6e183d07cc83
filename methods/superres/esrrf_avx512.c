/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * esrrf, fused: as fused_c with 16-wide vectors.
 */
#define LE_VEC_AVX512
#include "sr_convergence_simd.h"
#include "esrrf_fused.h"

extern const le_implementation le_implementation_esrrf__fused_avx512;
const le_implementation le_implementation_esrrf__fused_avx512 = {
    .abi = LE_METHOD_ABI,
    .operation = "esrrf",
    .name = "fused_avx512",
    .run_type = "fused",
    .summary = "as fused_c with 16-wide vectors",
    .device = LE_DEVICE_CPU,
    .isa = LE_ISA_AVX512,
    .flags = LE_IMPL_REPRODUCIBLE,
    .speed = 5,
    .memory = fused_memory,
    .run = run_fused,
};
