/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * esrrf, fused: as fused_c with 8-wide vectors.
 */
#define LE_VEC_AVX2
#include "sr_convergence_simd.h"
#include "esrrf_fused.h"

extern const le_implementation le_implementation_esrrf__fused_avx2;
const le_implementation le_implementation_esrrf__fused_avx2 = {
    .abi = LE_METHOD_ABI,
    .operation = "esrrf",
    .name = "fused_avx2",
    .run_type = "fused",
    .summary = "as fused_c with 8-wide vectors",
    .device = LE_DEVICE_CPU,
    .isa = LE_ISA_AVX2,
    .flags = LE_IMPL_REPRODUCIBLE,
    .speed = 3.5,
    .memory = fused_memory,
    .run = run_fused,
};
