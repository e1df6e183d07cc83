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

LE_IMPLEMENTATION(temporal_projection, exact, .run_type = "exact",
                  .summary = "NanoPyx's float32 sums, bit for bit", .flags = LE_IMPL_REPRODUCIBLE,
                  .speed = 0.1, .prepare = prepare, .items = le__projection_items, .range = range);
