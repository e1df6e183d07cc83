/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * radial_gradient_convergence: bands, tables of weights; plain C.
 */
#include "sr_convergence_plain.h"
#include "rgc_bands.h"

extern const le_implementation le_implementation_radial_gradient_convergence__c;
const le_implementation le_implementation_radial_gradient_convergence__c = {
    .abi = LE_METHOD_ABI,
    .operation = "radial_gradient_convergence",
    .name = "c",
    .run_type = "c",
    .summary = "bands, tables of weights; plain C",
    .device = LE_DEVICE_CPU,
    .isa = 0,
    .flags = LE_IMPL_REPRODUCIBLE,
    .speed = 1,
    .memory = memory,
    .prepare = prepare,
    .items = items,
    .range = range,
};
