/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `interpolate_at` on OpenCL devices, in double precision: one work-item a point.
 */
#include <stdio.h>

#include "volume/interpolate_at/at.h"
#include "volume/opencl.h"

extern const le_cl_source le_cl_volume_interpolate_at;
static const le_cl_source *const sources[] = {&le_cl_volume_interpolate_at, NULL};

/* Which point is outside, in the words of the other implementations. */
static le_status fail_as_others(le_call *call) {
    le__at at;
    le_status status = le__at_of_call(&at, call);
    return status != LE_OK ? status
                           : le_fail(LE_ERR_INTERNAL, "interpolate_at: a point is outside");
}

/* The three axes, one behind the other, on the device. */
static le_status upload_axes(le_call *call, le_cl_buffer **out) {
    const int64_t *n = le_call_in(call, ARG_VALUES)->shape;
    le__at at;
    le_status status = le__at_axes_of_call(&at, call);
    if (status == LE_OK)
        status = le_cl_scratch(call, (size_t)(n[0] + n[1] + n[2]) * sizeof(double), out);
    size_t offset = 0;
    for (int a = 0; a < 3 && status == LE_OK; a++) {
        size_t bytes = (size_t)n[a] * sizeof(double);
        status = le_cl_upload(call, *out, offset, at.axis[a], bytes);
        offset += bytes;
    }
    return status;
}

static le_status get_kernel(le_call *call, le_cl_kernel **out) {
    char options[128];
    snprintf(options, sizeof options, "-DTYPE=%s -DPOINT=%s -DOUT=%s -DNEAREST=%d -DFILL=%d",
             le_dtype_cl_type(le_call_in(call, ARG_VALUES)->dtype),
             le_dtype_cl_type(le_call_in(call, ARG_POINTS)->dtype),
             le_dtype_cl_type(le_call_out(call, ARG_RESULT)->dtype),
             le_call_str(call, ARG_METHOD)[0] == 'n', le_call_str(call, ARG_OUTSIDE) == NULL);
    return le_cl_get_kernel(call, &le_cl_volume_interpolate_at, "interpolate_at", options, out);
}

static le_status run(le_call *call) {
    const int64_t *n = le_call_in(call, ARG_VALUES)->shape;
    int32_t count = (int32_t)le_call_in(call, ARG_POINTS)->shape[0], outside = INT32_MAX;
    bool fill = le_call_str(call, ARG_OUTSIDE) == NULL;
    le_cl_kernel *kernel;
    le_cl_buffer *axes, *first;
    le_status status = get_kernel(call, &kernel);
    if (status == LE_OK)
        status = upload_axes(call, &axes);
    if (status == LE_OK)
        status = le_cl_scratch(call, sizeof outside, &first);
    if (status == LE_OK)
        status = le_cl_upload(call, first, 0, &outside, sizeof outside);
    if (status != LE_OK)
        return status;
    const le_cl_karg kargs[] = {LE_CL_BUF(axes),
                                LE_CL_I32((int32_t)n[0]),
                                LE_CL_I32((int32_t)n[1]),
                                LE_CL_I32((int32_t)n[2]),
                                LE_CL_ARG(ARG_VALUES),
                                LE_CL_ARG(ARG_POINTS),
                                LE_CL_ARG(ARG_RESULT),
                                LE_CL_I32(count),
                                LE_CL_F64(fill ? le_call_f64(call, ARG_OUTSIDE) : 0.0),
                                LE_CL_BUF(first)};
    size_t global = (size_t)count, local = LE__VOLUME_CL_GROUP;
    status = le_cl_launch(call, kernel, 1, &global, &local, kargs, sizeof kargs / sizeof kargs[0]);
    if (status == LE_OK && !fill)
        status = le_cl_download(call, first, 0, &outside, sizeof outside);
    return status == LE_OK && outside != INT32_MAX ? fail_as_others(call) : status;
}

static bool applicable(const le_call *call, const char **why) {
    *why = "more than 2^31 points";
    return le_call_in(call, ARG_POINTS)->shape[0] < INT32_MAX;
}

LE_IMPLEMENTATION(interpolate_at, opencl, .run_type = "opencl",
                  .summary = "OpenCL, double precision, a point a work-item",
                  .device = LE_DEVICE_OPENCL, .flags = LE_IMPL_REPRODUCIBLE | LE_IMPL_NEEDS_F64,
                  .speed = 50.0, .sources = sources, .applicable = applicable, .run = run);
