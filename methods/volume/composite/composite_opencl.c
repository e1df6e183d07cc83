/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `composite` on OpenCL devices: one work-item a pixel.
 */
#include "volume/composite/composite.h"
#include "volume/opencl.h"

extern const le_cl_source le_cl_volume_composite;
static const le_cl_source *const sources[] = {&le_cl_volume_composite, NULL};

static le_status run(le_call *call) {
    const le_tensor *rgba = le_call_in(call, ARG_RGBA);
    le_dtype out = le_call_out(call, ARG_IMAGE)->dtype;
    size_t pixels = (size_t)(rgba->shape[1] * rgba->shape[2]), local = LE__VOLUME_CL_GROUP;
    le_cl_kernel *kernel;
    le_status status =
        le__volume_cl_kernel(call, &le_cl_volume_composite, "composite", rgba->dtype, out, &kernel,
                             "-DTYPE_F64=%d", rgba->dtype == LE_F64);
    if (status != LE_OK)
        return status;
    const le_cl_karg kargs[] = {LE_CL_ARG(ARG_RGBA), LE_CL_ARG(ARG_IMAGE),
                                LE_CL_I32((int32_t)rgba->shape[0]), LE_CL_I64((int64_t)pixels)};
    return le_cl_launch(call, kernel, 1, &pixels, &local, kargs, 4);
}

LE_IMPLEMENTATION(composite, opencl, LE__CL_FIELDS(50.0, "OpenCL, a pixel a work-item"));
