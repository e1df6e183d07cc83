/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The toy operation in OpenCL.
 */
#include "toy_opencl.h"

#include "opencl/cl_call.h"
#include "opencl/cl_device.h"

static const char text[] =
    "#ifdef BROKEN\n"
    "__kernel void toy(__global float *in) { in[0] = undeclared_name; }\n"
    "#else\n"
    "__kernel void toy(__global const float *in, __global float *out, float factor, float offset,\n"
    "                  int n, int run) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i >= n) return;\n"
    "#ifdef LEAVES_A_PART\n"
    "    if (LEAVES_A_PART) return;\n"
    "#endif\n"
    "    out[i] = factor * in[i] + offset;\n"
    "    int first = i == 0;\n"
    "    FAULT;\n"
    "#ifdef HANGS\n"
    "    for (volatile int k = 0; k < 1;) out[i] = 1;\n"
    "#endif\n"
    "#ifdef CRASHES\n"
    "    if (first) *(volatile __global int *)(size_t)(n * 16) = 1;\n"
    "#endif\n"
    "}\n"
    "#endif\n";
static const le_cl_source kernels = {"planted/toy", text, sizeof text - 1, NULL};

le_status toy_opencl_launch(le_call *call, const char *options) {
    static _Atomic int runs;
    le_cl_kernel *k;
    size_t n = (size_t)le_tensor_count(le_call_in(call, TOY_INPUT));
    le_status status = le_cl_get_kernel(call, &kernels, "toy", options, &k);
    if (status != LE_OK)
        return status;
    const le_cl_karg kargs[] = {LE_CL_ARG(TOY_INPUT),
                                LE_CL_ARG(TOY_RESULT),
                                LE_CL_F32((float)le_call_f64(call, TOY_FACTOR)),
                                LE_CL_F32((float)le_call_i64(call, TOY_OFFSET)),
                                LE_CL_I32((int32_t)n),
                                LE_CL_I32(++runs)};
    return le_cl_launch(call, k, 1, &n, NULL, kargs, sizeof kargs / sizeof *kargs);
}

le_status toy_opencl_leak(le_call *call, size_t bytes) {
    const le__cl_device *d = call->cl->device;
    return d->api->clCreateBuffer(d->context, CL_MEM_READ_WRITE, bytes, NULL, NULL)
               ? LE_OK
               : LE_ERR_DEVICE_MEMORY;
}

static bool is_f32(const le_call *call, const char **why) {
    *why = "only f32";
    return le_call_in(call, TOY_INPUT)->dtype == LE_F32 &&
           le_call_out(call, TOY_RESULT)->dtype == LE_F32;
}

static le_status run_right(le_call *call) {
    return toy_opencl_launch(call, "-DFAULT=");
}

const le_implementation toy_opencl = {.abi = LE_METHOD_ABI,
                                      .operation = "toy",
                                      .name = "right",
                                      .run_type = "opencl",
                                      .device = LE_DEVICE_OPENCL,
                                      .speed = 1,
                                      .applicable = is_f32,
                                      .run = run_right};
