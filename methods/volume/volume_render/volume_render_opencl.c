/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `volume_render` on OpenCL devices, fused, from a buffer: one work-item a ray, one launch for all
 * views.
 */
#include "volume/volume_render/volume_render_opencl.h"

#include "volume/volume_render/render.h"

extern const le_cl_source le_cl_volume_volume_render;
const le_cl_source *const le__volume_render_sources[] = {&le_cl_volume_volume_render, NULL};

bool le__volume_render_shows_normal(const le_call *call, const char **why) {
    const le__render *r = le_call_attached(call);
    return le__transfer_is_normal(r->transfer, why);
}

le_status le__volume_render_opencl(le_call *call, int image) {
    const le__render_kernel kernel = {&le_cl_volume_volume_render, "volume_render", image, 1};
    return le__volume_render_by(call, &kernel);
}

static le_status run(le_call *call) {
    return le__volume_render_opencl(call, 0);
}

LE_IMPLEMENTATION(volume_render, opencl, .run_type = "fused",
                  .summary = "OpenCL, fused, volume in a buffer, a ray a work-item",
                  .device = LE_DEVICE_OPENCL, .flags = LE_IMPL_REPRODUCIBLE, .speed = 100.0,
                  .tunables = &le__volume_cl_group, .n_tunables = 1,
                  .sources = le__volume_render_sources,
                  .applicable = le__volume_render_shows_normal, .run = run);
