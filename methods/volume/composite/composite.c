/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation `composite`: slices of colour and opacity to one image, back to front.
 */
#include "volume/composite/composite.h"

#include "volume/cases.h"
#include "volume/operation.h"

extern const le_operation le_operation_composite;

static const le_arg_desc args[] = {
    [ARG_RGBA] = {.name = "rgba", .doc = "slices, farthest first; opacity in [0,1]",
                  .type = LE_TYPE_IN, .dtypes = LE_DTYPES_FLOAT, .min_ndim = 4, .max_ndim = 4,
                  .shape = "[depth,rows,columns,4]"},
    [ARG_IMAGE] = {.name = "image", .doc = "from black: a*rgb + (1-a)*image for each slice, clipped "
                                           "to [0,1] at the end",
                   .type = LE_TYPE_OUT, .dtypes = LE_DTYPES_FLOAT, .min_ndim = 3, .max_ndim = 3,
                   .shape = "[rows,columns,3]"},
};

static le_status check(le_call *call)
{
    const le_tensor *rgba = le_call_in(call, ARG_RGBA);
    if (rgba->shape[3] != 4)
        return le_fail(LE_ERR_SHAPE, "composite: rgba has %lld channels, expected 4",
                       (long long)rgba->shape[3]);
    return le_call_set_out(call, ARG_IMAGE, LE_F32, 3,
                           (int64_t[]){rgba->shape[1], rgba->shape[2], 3});
}

static void work(const le_call *call, le_work *out)
{
    const le_tensor *rgba = le_call_in(call, ARG_RGBA);
    double elements = (double)le_tensor_count(rgba);
    out->operations = 2.5 * elements + 1.0;
    out->bytes = (double)le_dtype_size(rgba->dtype) * elements;
}

static le_status make_case(le_case *c, const le_case_request *request)
{
    static const int64_t shapes[][3] = {{1, 1, 1}, {2, 3, 5}, {16, 16, 16}, {40, 7, 33}, {0, 4, 4}};
    bool bench = request->kind == LE_CASE_BENCH;
    int64_t n = bench ? (request->size ? request->size : 180) : 24;
    int64_t shape[4] = {n, n, n, 4};
    for (int d = 0; request->kind == LE_CASE_CHECK && d < 3; d++)
        shape[d] = shapes[request->index % 5][d];
    le_dtype dtype = request->dtype  ? request->dtype
                     : request->like ? le_call_in(request->like, ARG_RGBA)->dtype
                     : request->index % 2 && request->kind == LE_CASE_CHECK ? LE_F64
                                                                            : LE_F32;
    le_tensor *rgba = le_case_in(c, "rgba", dtype, 4, shape);
    if (!rgba)
        return le_case_status(c);
    double opacity = request->index % 3 == 1 ? 1.0 : 0.05;
    for (int64_t i = 0; i < le_tensor_count(rgba); i++)
        le_tensor_set(rgba, i, le_case_uniform(c) * (i % 4 == 3 ? opacity : 1.2));
    return le__case_end(c, request, "image", ARG_IMAGE, LE_F32);
}

const le_operation le_operation_composite = {
    LE__VOLUME_OPERATION("composite", "slices of colour and opacity to one image, back to front",
                         LE__MOCZ),
    .norm = LE_NORM_ABS,
    .atol = 1e-5,
    .rtol = 1e-5,
};
