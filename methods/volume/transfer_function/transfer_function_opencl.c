/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * `transfer_function` on OpenCL devices: one work-item a value.
 */
#include "volume/opencl.h"
#include "volume/transfer_function/transfer_function.h"

extern const le_cl_source le_cl_volume_transfer_function;
static const le_cl_source *const sources[] = {&le_cl_volume_transfer_function, NULL};

/* Gaussians are cut at the least normal number, and devices may flush what is smaller. */
static bool applicable(const le_call *call, const char **why) {
    return le__transfer_is_normal(le_call_attached(call), why);
}

static le_status run(le_call *call) {
    const le__transfer *t = le_call_attached(call);
    le_dtype dtype = le_call_in(call, ARG_SAMPLES)->dtype, out = le_call_out(call, ARG_RGBA)->dtype;
    size_t count = (size_t)le_tensor_count(le_call_in(call, ARG_SAMPLES)),
           local = LE__VOLUME_CL_GROUP;
    le_cl_kernel *kernel;
    le_cl_buffer *list;
    le_status status = le__volume_cl_kernel(
        call, &le_cl_volume_transfer_function, "transfer_function", dtype, out, &kernel,
        "-DOUT_F64=%d -DTABLE=%d -DLOG=%d -DLIST_CONSTANT=%d", out == LE_F64, t->table, t->log,
        le__volume_cl_constant(t));
    if (status == LE_OK)
        status = le__volume_cl_transfer(call, t, 0, &list);
    if (status != LE_OK)
        return status;
    const le_cl_karg kargs[] = {LE_CL_ARG(ARG_SAMPLES), LE_CL_BUF(list), LE_CL_I32((int32_t)t->n),
                                LE_CL_ARG(ARG_RGBA), LE_CL_I64((int64_t)count)};
    return le_cl_launch(call, kernel, 1, &count, &local, kargs, 5);
}

LE_IMPLEMENTATION(transfer_function, opencl, LE__CL_FIELDS(100.0, "OpenCL, a value a work-item"),
                  .applicable = applicable);
