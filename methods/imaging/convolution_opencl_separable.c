/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Convolutions with a sum of separable terms on an OpenCL device.
 */
#include "imaging/convolution_opencl.h"

extern const le_cl_source le_cl_imaging_convolution_separable;

/* Of the sums down the columns of a work-group. */
static size_t local_bytes(const le__convolution *c) {
    const le__conv_cl_group g = le__conv_cl_image;
    return g.rows * g.each * (g.cols + (size_t)c->tap_cols - 1) *
           (c->in_f64 ? sizeof(double) : sizeof(float));
}

static bool applicable(const le_call *call, const char **why) {
    const le_cl_info *device = le_cl_device(call);
    const le__convolution *c = le__convolution_of(call);
    if (!le__conv_separable(call, why) || !le__conv_cl_applicable(call, why))
        return false;
    *why = "the kernel is too wide for local memory";
    return !device || local_bytes(c) <= device->local_bytes;
}

static le_status run(le_call *call) {
    const le__convolution *c = le__convolution_of(call);
    const le__conv_cl_shape shape = le__conv_cl_shape_of(call);
    le_cl_buffer *taps, *columns, *rows;
    le_status status = le__conv_cl_numbers(call, c->taps, c->tap_rows * c->tap_cols, &taps);
    if (status == LE_OK)
        status = le__conv_cl_numbers(call, c->terms.columns, c->terms.rank * c->tap_rows, &columns);
    if (status == LE_OK)
        status = le__conv_cl_numbers(call, c->terms.rows, c->terms.rank * c->tap_cols, &rows);
    if (status != LE_OK)
        return status;
    const le_cl_karg args[] = {LE_CL_ARG(CONV_IMAGE),  LE_CL_BUF(taps),
                               LE_CL_BUF(columns),     LE_CL_BUF(rows),
                               LE_CL_ARG(CONV_RESULT), LE_CL_STRUCT(&shape),
                               le__conv_cl_fill(call), LE_CL_LOCAL(local_bytes(c))};
    return le__conv_cl_launch(call, &le_cl_imaging_convolution_separable, le__conv_cl_image, args,
                              sizeof args / sizeof *args);
}

static const le_cl_source *const sources[] = {&le_cl_imaging_convolution_separable, NULL};

enum { ON_A_GPU = 100 };

static double speed_of(const le_call *call) {
    return ON_A_GPU * le__conv_gain(call, le__conv_term_products(call));
}

#define LE__CONV_OPENCL_SEPARABLE(operation)                                                       \
    LE_IMPLEMENTATION(                                                                             \
        operation, separable_opencl,                                                               \
        LE__CL_FIELDS(ON_A_GPU, "sum of separable terms, passes joined in local memory"),          \
        .applicable = applicable, .speed_of = speed_of)

LE__CONV_OPENCL_SEPARABLE(convolve2d);
LE__CONV_OPENCL_SEPARABLE(correlate2d);
