/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * temporal_projection: double sums, pixel by pixel.
 */
#include "sr_projection.h"

static float project_pixel(le__sr_temporal how, const float *series, int64_t frames) {
    return (float)le__sr_project(how, series, frames, 1);
}

#include "temporal_projection_pixels.h"

LE_IMPLEMENTATION(temporal_projection, reference, .run_type = "reference",
                  .summary = "double sums, pixel by pixel",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE, .speed = 0.1,
                  .prepare = prepare, .items = le__projection_items, .range = range);
