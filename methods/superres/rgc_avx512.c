/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * radial_gradient_convergence: bands, tables of weights; 16-wide vectors.
 */
#define LE_VEC_AVX512
#include "sr_convergence_simd.h"
#include "rgc_bands.h"

extern const le_implementation le_implementation_radial_gradient_convergence__avx512;
const le_implementation le_implementation_radial_gradient_convergence__avx512 = {
    .abi = LE_METHOD_ABI,
    .operation = "radial_gradient_convergence",
    .name = "avx512",
    .run_type = "simd",
    .summary = "bands, tables of weights; 16-wide vectors",
    .device = LE_DEVICE_CPU,
    .isa = LE_ISA_AVX512,
    .flags = LE_IMPL_REPRODUCIBLE,
    .speed = 5,
    .memory = memory,
    .prepare = prepare,
    .items = items,
    .range = range,
};
