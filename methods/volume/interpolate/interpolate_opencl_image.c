/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `interpolate` on OpenCL devices with images: volume in an image, corners weighed in single
 * precision.
 */
#include "volume/interpolate/interpolate.h"
#include "volume/interpolate/interpolate_opencl.h"

static bool applicable(const le_call *call, const char **why) {
    return le__volume_cl_image_takes(call, ARG_SAMPLES, why);
}

static le_status run(le_call *call) {
    return le__interpolate_opencl(call, 1);
}

LE_IMPLEMENTATION(interpolate, opencl_image, .run_type = "opencl",
                  .summary = "OpenCL, volume in an image, corners weighed in single precision",
                  .device = LE_DEVICE_OPENCL,
                  .flags = LE_IMPL_REPRODUCIBLE | LE_IMPL_NEEDS_IMAGES | LE_IMPL_F64_ANYWHERE,
                  .speed = 110.0, .tunables = &le__volume_cl_group, .n_tunables = 1,
                  .sources = le__interpolate_sources, .applicable = applicable, .run = run);
