/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Shapes, numbers and launches of convolutions on OpenCL devices.
 */
#include "imaging/convolution_opencl.h"

#include <stdio.h>

const le__conv_cl_group le__conv_cl_image = {32, 8, 4}, le__conv_cl_signal = {256, 1, 1};

bool le__conv_cl_applicable(const le_call *call, const char **why) {
    const le__convolution *c = le__convolution_of(call);
    const le_cl_info *device = le_cl_device(call);
    const int64_t most = INT32_MAX / 4;
    *why = "a tap is not finite";
    if (!c->finite)
        return false;
    *why = "an axis is too long for the kernels";
    if (c->rows + c->tap_rows > most || c->cols + c->tap_cols > most)
        return false;
    *why = "the sums need double precision";
    if (device && c->in_f64 && !device->has_f64)
        return false;
    *why = "work-groups of 256 are not possible";
    return !device || device->max_work_group >= 256;
}

le__conv_cl_shape le__conv_cl_shape_of(const le_call *call) {
    const le__convolution *c = le__convolution_of(call);
    return (le__conv_cl_shape){.rows = (int32_t)c->rows,
                               .cols = (int32_t)c->cols,
                               .out_rows = (int32_t)c->out_rows,
                               .out_cols = (int32_t)c->out_cols,
                               .tap_rows = (int32_t)c->tap_rows,
                               .tap_cols = (int32_t)c->tap_cols,
                               .top = (int32_t)c->top,
                               .left = (int32_t)c->left,
                               .boundary = (int32_t)c->boundary,
                               .rank = c->terms.rank,
                               .in_dtype = (int32_t)le_call_in(call, CONV_IMAGE)->dtype,
                               .out_dtype = (int32_t)le_call_out(call, CONV_RESULT)->dtype};
}

le_status le__conv_cl_numbers(le_call *call, const double *x, int64_t n, le_cl_buffer **out) {
    const bool wide = le__convolution_of(call)->in_f64;
    const void *host = le__conv_in_precision(call, x, n);
    if (!host)
        return le_fail(LE_ERR_MEMORY, "no memory for taps of a convolution");
    return le__cl_table(call, host, (size_t)n * (wide ? sizeof(double) : sizeof(float)), out);
}

le_cl_karg le__conv_cl_fill(const le_call *call) {
    const le__convolution *c = le__convolution_of(call);
    return c->in_f64 ? LE_CL_F64(c->fill) : LE_CL_F32((float)c->fill);
}

le_status le__conv_cl_launch(le_call *call, const le_cl_source *source, le__conv_cl_group group,
                             const le_cl_karg *args, size_t n_args) {
    const le__convolution *c = le__convolution_of(call);
    char options[160];
    le_cl_kernel *kernel;
    const bool floats = !c->in_f64 && le_call_in(call, CONV_IMAGE)->dtype == LE_F32;
    snprintf(options, sizeof options, "-DS=%s%s -DGX=%zu -DGY=%zu -DR=%zu",
             c->in_f64 ? "double" : "float", floats ? " -DT=float" : "", group.cols, group.rows,
             group.each);
    const size_t down = group.rows * group.each, local[2] = {group.cols, group.rows};
    const size_t global[2] = {((size_t)c->out_cols + group.cols - 1) / group.cols * group.cols,
                              ((size_t)c->out_rows + down - 1) / down * group.rows};
    if (global[0] == 0 || global[1] == 0)
        return LE_OK;
    le_status status = le_cl_get_kernel(call, source, "convolve", options, &kernel);
    return status == LE_OK ? le_cl_launch(call, kernel, 2, global, local, args, n_args) : status;
}
