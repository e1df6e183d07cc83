/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `volume_render` on OpenCL devices whose work-items have vector units: 16 columns a work-item,
 * Gaussian transfer functions.
 */
#include "volume/volume_render/render.h"
#include "volume/volume_render/volume_render_opencl.h"

extern const le_cl_source le_cl_volume_volume_render_wide;
static const le_cl_source *const sources[] = {&le_cl_volume_volume_render_wide, NULL};

/* The kernel's logarithm takes normal numbers only. */
static bool applicable(const le_call *call, const char **why) {
    const le__render *r = le_call_attached(call);
    if (!le__transfer_is_normal(r->transfer, why))
        return false;
    *why = "the transfer function is a table";
    if (r->transfer->table)
        return false;
    *why = "more than 2^31 voxels";
    return le_tensor_count(le_call_in(call, ARG_VOLUME)) < INT32_MAX;
}

static le_status run(le_call *call) {
    static const le__render_kernel kernel = {&le_cl_volume_volume_render_wide, "volume_render_wide",
                                             0, 16};
    return le__volume_render_by(call, &kernel);
}

LE_IMPLEMENTATION(volume_render, opencl_wide, .run_type = "fused",
                  .summary = "OpenCL, fused, 16 columns a work-item", .device = LE_DEVICE_OPENCL,
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = 10.0, .sources = sources,
                  .applicable = applicable, .run = run);
