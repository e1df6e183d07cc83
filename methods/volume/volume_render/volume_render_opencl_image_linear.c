/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `volume_render` on OpenCL devices with images: fused, volume in an image, weighed by the device's
 * filter.
 */
#include "volume/volume_render/render.h"
#include "volume/volume_render/volume_render_opencl.h"

static bool applicable(const le_call *call, const char **why) {
    return le__volume_render_shows_normal(call, why) &&
           le__volume_cl_image_takes(call, ARG_IMAGES, why);
}

static le_status run(le_call *call) {
    return le__volume_render_opencl(call, 2);
}

LE_IMPLEMENTATION(volume_render, opencl_image_linear, .run_type = "fused",
                  .summary = "OpenCL, fused, volume in an image, weighed by the device's filter",
                  .device = LE_DEVICE_OPENCL,
                  .flags = LE_IMPL_REPRODUCIBLE | LE_IMPL_NEEDS_IMAGES | LE_IMPL_F64_ANYWHERE |
                           LE_IMPL_LOSSY,
                  .speed = 200.0, .tunables = &le__volume_cl_group, .n_tunables = 1,
                  .sources = le__volume_render_sources, .applicable = applicable, .run = run);
