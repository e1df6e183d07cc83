/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * esrrf, fused: bands, half-pixel gradients, tables of weights; plain C.
 */
#include "sr_convergence_plain.h"
#include "esrrf_fused.h"

extern const le_implementation le_implementation_esrrf__fused_c;
const le_implementation le_implementation_esrrf__fused_c = {
    .abi = LE_METHOD_ABI,
    .operation = "esrrf",
    .name = "fused_c",
    .run_type = "c",
    .summary = "bands, half-pixel gradients, tables of weights; plain C",
    .device = LE_DEVICE_CPU,
    .isa = 0,
    .flags = LE_IMPL_REPRODUCIBLE,
    .speed = 1,
    .memory = fused_memory,
    .run = run_fused,
};
