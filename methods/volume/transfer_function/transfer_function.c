/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation `transfer_function`: samples to colour and opacity.
 */
#include "volume/transfer_function/transfer_function.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "volume/cases.h"
#include "volume/operation.h"

extern const le_operation le_operation_transfer_function;

static const le_arg_desc args[] = {
    [ARG_SAMPLES] = {.name = "samples", .doc = "values; NaN and, for log, non-positive ones become "
                                               "transparent",
                     .type = LE_TYPE_IN, .dtypes = LE_DTYPES_ALL, .min_ndim = 1, .max_ndim = 7,
                     .shape = "[...]"},
    [ARG_TRANSFER] = LE__VOLUME_TRANSFER_ARG,
    [ARG_SCALE] =
        LE__VOLUME_SCALE_ARG("log: of the natural logarithm of the samples; linear", true),
    [ARG_RGBA] = {.name = "rgba", .doc = "red, green, blue and opacity", .type = LE_TYPE_OUT,
                  .dtypes = LE_DTYPES_FLOAT, .min_ndim = 2, .max_ndim = 8, .shape = "[...,4]"},
};

static le_status check(le_call *call)
{
    const le_tensor *samples = le_call_in(call, ARG_SAMPLES);
    le__transfer *transfer;
    le_status status = le__transfer_read(&transfer, le_call_str(call, ARG_TRANSFER),
                                         le_call_str(call, ARG_SCALE)[1] == 'o',
                                         "transfer_function");
    if (status != LE_OK)
        return status;
    le_call_attach(call, transfer, free);
    int64_t shape[LE_MAX_DIMS];
    for (int d = 0; d < samples->ndim; d++)
        shape[d] = samples->shape[d];
    shape[samples->ndim] = 4;
    return le_call_set_out(call, ARG_RGBA, LE_F32, samples->ndim + 1, shape);
}

static void work(const le_call *call, le_work *out)
{
    const le__transfer *t = le_call_attached(call);
    double m = (double)le_tensor_count(le_call_in(call, ARG_SAMPLES)) + 1.0;
    out->operations = m * (30.0 + (t->table ? 20.0 : 25.0 * (double)t->n));
    out->bytes = 20.0 * m;
}

static void key(const le_call *call, char *buffer, size_t size)
{
    le__transfer_key(le_call_attached(call), buffer, size);
}

static const char *const transfers[] = {"mocz", "viridis", "inferno:-3:4:0.5", LE__CASE_GAUSSIANS,
                                        LE__CASE_TABLE};

static void fill_samples(le_case *c, le_tensor *t, bool odd)
{
    for (int64_t i = 0; i < le_tensor_count(t); i++)
        le_tensor_set(t, i, exp(24.0 * le_case_uniform(c) - 12.0));
    if (odd) {
        le__case_fill(c, t, LE__FILL_ODD);
        le__case_strew_nan(c, t, 0.001);
    }
}

static le_status make_case(le_case *c, const le_case_request *request)
{
    static const int64_t shapes[][3] = {{1, 1, 1}, {4, 5, 6}, {16, 16, 16}, {3, 7, 41}};
    bool check = request->kind == LE_CASE_CHECK, bench = request->kind == LE_CASE_BENCH;
    int64_t n = bench ? (request->size ? request->size : 180) : 16;
    le_dtype dtype = check && request->index % 2 ? LE_F32 : le__case_dtype(request, ARG_SAMPLES);
    int ndim = request->like ? le_call_in(request->like, ARG_SAMPLES)->ndim : 3;
    int64_t shape[LE_MAX_DIMS] = {n, n, n, 1, 1, 1, 1};
    for (int d = 0; check && d < 3; d++)
        shape[d] = shapes[request->index % 4][d];
    le_tensor *samples = le_case_in(c, "samples", request->dtype ? request->dtype : dtype, ndim,
                                    shape);
    if (!samples)
        return le_case_status(c);
    fill_samples(c, samples, check && request->index % 3 == 0);
    if (check) {
        le_case_str(c, "transfer", transfers[request->index % 5]);
        le_case_str(c, "scale", request->index / 5 % 2 ? "linear" : "log");
    }
    if (request->like)
        le_case_like(c, request->like);
    return le__case_end(c, request, "rgba", ARG_RGBA, LE_F32);
}

const le_operation le_operation_transfer_function = {
    LE__VOLUME_OPERATION("transfer_function", "samples to colour and opacity",
                         LE__MOCZ ": transferFunction"),
    .key = key,
    .norm = LE_NORM_ABS,
    .atol = 1e-5,
    .rtol = 1e-5,
};
