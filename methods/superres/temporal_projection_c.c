/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * temporal_projection: running sums by rows in plain C.
 */
#include "temporal_projection_rows.h"

extern const le_implementation le_implementation_temporal_projection__c;
const le_implementation le_implementation_temporal_projection__c = {
    .abi = LE_METHOD_ABI,
    .operation = "temporal_projection",
    .name = "c",
    .run_type = "c",
    .summary = "running sums by rows in plain C",
    .device = LE_DEVICE_CPU,
    .isa = 0,
    .flags = LE_IMPL_REPRODUCIBLE,
    .speed = 1,
    .prepare = le__projection_prepare,
    .items = le__projection_items,
    .range = range,
};
