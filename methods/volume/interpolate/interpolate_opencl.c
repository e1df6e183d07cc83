/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `interpolate` on OpenCL devices, from a buffer: one work-item a sample.
 */
#include "volume/interpolate/interpolate_opencl.h"

#include "volume/exact_sample.h"
#include "volume/interpolate/interpolate.h"

extern const le_cl_source le_cl_volume_interpolate;
const le_cl_source *const le__interpolate_sources[] = {&le_cl_volume_interpolate, NULL};

le_status le__interpolate_opencl(le_call *call, int image) {
    const le__camera *c = le_call_attached(call);
    le_dtype dtype = le_call_in(call, ARG_VOLUME)->dtype,
             out = le_call_out(call, ARG_SAMPLES)->dtype;
    le_cl_kernel *kernel;
    le_cl_buffer *view, *texture = NULL;
    le_status status =
        le__volume_cl_kernel(call, &le_cl_volume_interpolate, "interpolate", image ? LE_F32 : dtype,
                             out, &kernel, "-DIMAGE=%d -DFILL=%d -DWATCH=%d", image, c->has_fill,
                             image != 2 && le__dtype_is_signed(dtype));
    if (status == LE_OK)
        status = le__volume_cl_views(call, c, &view);
    if (status == LE_OK && image)
        status = le_cl_image3d(call, ARG_VOLUME, &texture);
    if (status != LE_OK)
        return status;
    size_t n = (size_t)c->size, global[3] = {n, n, n}, local[3];
    const le_cl_karg kargs[] = {image ? LE_CL_BUF(texture) : LE_CL_ARG(ARG_VOLUME),
                                LE_CL_BUF(view),
                                LE_CL_ARG(ARG_SAMPLES),
                                LE_CL_I32((int32_t)c->shape[0]),
                                LE_CL_I32((int32_t)c->shape[1]),
                                LE_CL_I32((int32_t)c->shape[2]),
                                LE_CL_I32((int32_t)c->size),
                                LE_CL_F32((float)c->fill)};
    return le_cl_launch(call, kernel, 3, global, le__volume_cl_local(call, local), kargs, 8);
}

static le_status run(le_call *call) {
    return le__interpolate_opencl(call, 0);
}

LE_IMPLEMENTATION(interpolate, opencl, .run_type = "opencl",
                  .summary = "OpenCL, volume in a buffer", .device = LE_DEVICE_OPENCL,
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = 100.0, .tunables = &le__volume_cl_group,
                  .n_tunables = 1, .sources = le__interpolate_sources, .run = run);
