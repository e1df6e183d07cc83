/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Convolutions tap by tap on an OpenCL device.
 */
#include "imaging/convolution_opencl.h"

extern const le_cl_source le_cl_imaging_convolution_direct;

static le_status run(le_call *call) {
    const le__convolution *c = le__convolution_of(call);
    const le__conv_cl_shape shape = le__conv_cl_shape_of(call);
    le_cl_buffer *taps;
    le_status status = le__conv_cl_numbers(call, c->taps, c->tap_rows * c->tap_cols, &taps);
    if (status != LE_OK)
        return status;
    const le_cl_karg args[] = {LE_CL_ARG(CONV_IMAGE), LE_CL_BUF(taps), LE_CL_ARG(CONV_RESULT),
                               LE_CL_STRUCT(&shape), le__conv_cl_fill(call)};
    return le__conv_cl_launch(call, &le_cl_imaging_convolution_direct,
                              c->out_rows == 1 ? le__conv_cl_signal : le__conv_cl_image, args,
                              sizeof args / sizeof *args);
}

static const le_cl_source *const sources[] = {&le_cl_imaging_convolution_direct, NULL};

#define LE__CONV_OPENCL(operation)                                                                 \
    LE_IMPLEMENTATION(operation, opencl,                                                           \
                      LE__CL_FIELDS(100, "tap by tap, pixels and taps in local memory"),           \
                      .applicable = le__conv_cl_applicable)

LE__CONV_OPENCL(convolve2d);
LE__CONV_OPENCL(correlate2d);
LE__CONV_OPENCL(convolve);
