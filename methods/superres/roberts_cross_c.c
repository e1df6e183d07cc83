/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * roberts_cross by rows in plain C.
 */
#include "roberts_cross_rows.h"

extern const le_implementation le_implementation_roberts_cross__c;
const le_implementation le_implementation_roberts_cross__c = {
    .abi = LE_METHOD_ABI,
    .operation = "roberts_cross",
    .name = "c",
    .run_type = "c",
    .summary = "by rows in plain C",
    .device = LE_DEVICE_CPU,
    .isa = 0,
    .flags = LE_IMPL_REPRODUCIBLE,
    .speed = 1,
    .prepare = le__roberts_prepare,
    .items = le__roberts_items,
    .range = range,
};
