/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `interpolate` on OpenCL devices with images: volume in an image, corners weighed in single
 * precision.
 */
#include "volume/interpolate/interpolate_opencl.h"

extern const le_implementation le_implementation_interpolate__opencl_image;

static le_status run(le_call *call) {
    return le__interpolate_opencl(call, 1);
}

const le_implementation le_implementation_interpolate__opencl_image = {
    .abi = LE_METHOD_ABI,
    .operation = "interpolate",
    .name = "opencl_image",
    .run_type = "opencl",
    .summary = "OpenCL, volume in an image, corners weighed in single precision",
    .device = LE_DEVICE_OPENCL,
    .flags = LE_IMPL_REPRODUCIBLE | LE_IMPL_NEEDS_IMAGES,
    .speed = 110.0,
    .tunables = &le__volume_cl_group,
    .n_tunables = 1,
    .sources = le__interpolate_sources,
    .run = run,
};
