/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the convolutions on OpenCL devices share.
 */
#ifndef LE_IMAGING_CONVOLUTION_OPENCL_H
#define LE_IMAGING_CONVOLUTION_OPENCL_H

#include "imaging/convolution.h"

#include "common/opencl.h"

/* Shape of cl/imaging/convolution.clh. */
typedef struct le__conv_cl_shape {
    int32_t rows, cols, out_rows, out_cols, tap_rows, tap_cols, top, left, boundary, rank, in_dtype,
        out_dtype;
} le__conv_cl_shape;

/* Columns and rows of a work-group, rows of the result of a work-item. */
typedef struct le__conv_cl_group {
    size_t cols, rows, each;
} le__conv_cl_group;

extern const le__conv_cl_group le__conv_cl_image, le__conv_cl_signal;

bool le__conv_cl_applicable(const le_call *call, const char **why);
le__conv_cl_shape le__conv_cl_shape_of(const le_call *call);
/* Numbers in the precision of the sums, on the device. */
le_status le__conv_cl_numbers(le_call *call, const double *x, int64_t n, le_cl_buffer **out);
/* The fill value in the precision of the sums. */
le_cl_karg le__conv_cl_fill(const le_call *call);
le_status le__conv_cl_launch(le_call *call, const le_cl_source *source, le__conv_cl_group group,
                             const le_cl_karg *args, size_t n_args);

#endif
