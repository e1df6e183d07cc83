/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * temporal_projection: NanoPyx's float32 sums, bit for bit.
 */
#include "sr_projection.h"

static float project_pixel(le__sr_temporal how, const float *series, int64_t frames) {
    return le__sr_project_exact(how, series, frames, 1);
}

#include "temporal_projection_pixels.h"

extern const le_implementation le_implementation_temporal_projection__exact;
const le_implementation le_implementation_temporal_projection__exact = {
    .abi = LE_METHOD_ABI,
    .operation = "temporal_projection",
    .name = "exact",
    .run_type = "exact",
    .summary = "NanoPyx's float32 sums, bit for bit",
    .device = LE_DEVICE_CPU,
    .isa = 0,
    .flags = LE_IMPL_REPRODUCIBLE,
    .speed = 0.1,
    .prepare = prepare,
    .items = le__projection_items,
    .range = range,
};
