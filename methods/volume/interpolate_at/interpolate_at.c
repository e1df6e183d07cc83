/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation `interpolate_at`: samples of a volume at any points, on axes of any spacing.
 */
#include <stdio.h>

#include "volume/cases.h"
#include "volume/interpolate_at/at.h"
#include "volume/operation.h"

extern const le_operation le_operation_interpolate_at;

static const char *const methods[] = {"linear", "nearest", NULL};

#define AXIS(number)                                                                               \
    {.name = "axis" #number, .doc = "coordinates of the grid along axis " #number                  \
                                    ", strictly ascending, 2 or more",                             \
     .type = LE_TYPE_IN, .dtypes = LE_DTYPES_FLOAT, .min_ndim = 1, .max_ndim = 1,                  \
     .shape = "[n" #number "]"}

static const le_arg_desc args[] = {
    [ARG_AXIS0] = AXIS(0),
    [ARG_AXIS1] = AXIS(1),
    [ARG_AXIS2] = AXIS(2),
    [ARG_VALUES] = {.name = "values", .doc = "samples on the grid", .type = LE_TYPE_IN,
                    .dtypes = LE_DTYPES_ALL, .min_ndim = 3, .max_ndim = 3, .shape = "[n0,n1,n2]"},
    [ARG_POINTS] = {.name = "points", .doc = "coordinates of the samples wanted",
                    .type = LE_TYPE_IN, .dtypes = LE_DTYPES_FLOAT, .min_ndim = 2, .max_ndim = 2,
                    .shape = "[m,3]"},
    [ARG_METHOD] = {.name = "method", .doc = "linear or nearest", .type = LE_TYPE_STR,
                    .optional = true, .cost = true, .words = methods, .default_str = "linear"},
    [ARG_OUTSIDE] = LE__VOLUME_OUTSIDE_ARG("grid", "points"),
    [ARG_RESULT] = {.name = "result", .doc = "the samples", .type = LE_TYPE_OUT,
                    .dtypes = LE_DTYPES_FLOAT, .min_ndim = 1, .max_ndim = 1, .shape = "[m]"},
};

static le_status check(le_call *call)
{
    const le_tensor *values = le_call_in(call, ARG_VALUES), *points = le_call_in(call, ARG_POINTS);
    for (int a = 0; a < 3; a++) {
        const le_tensor *axis = le_call_in(call, ARG_AXIS0 + a);
        if (axis->shape[0] != values->shape[a] || axis->shape[0] < 2)
            return le_fail(LE_ERR_SHAPE,
                           "interpolate_at: axis%d has %lld coordinates, values has %lld samples on "
                           "that axis, expected the same number, 2 or more",
                           a, (long long)axis->shape[0], (long long)values->shape[a]);
    }
    if (points->shape[1] != 3)
        return le_fail(LE_ERR_SHAPE, "interpolate_at: points is [%lld,%lld], expected [m,3]",
                       (long long)points->shape[0], (long long)points->shape[1]);
    return le_call_set_out(call, ARG_RESULT, LE_F64, 1, &points->shape[0]);
}

static void work(const le_call *call, le_work *out)
{
    double m = (double)le_call_in(call, ARG_POINTS)->shape[0];
    out->operations = 60.0 * m + 1.0;
    out->bytes = (3.0 + 1.0 + 4.0) * 8.0 * m;
}

static void key(const le_call *call, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s", le_call_str(call, ARG_OUTSIDE) ? "" : "outside=fill");
}

/* strictly ascending from `first`; returns the last coordinate */
static double fill_axis(le_case *c, le_tensor *axis, double first)
{
    double at = first;
    for (int64_t i = 0; i < axis->shape[0]; i++) {
        le_tensor_set(axis, i, at);
        at += i + 1 < axis->shape[0] ? 0.05 + 2.0 * le_case_uniform(c) : 0.0;
    }
    return le_tensor_get(axis, axis->shape[0] - 1);
}

static void fill_points(le_case *c, le_tensor *points, const double low[3], const double high[3],
                        bool beyond)
{
    for (int64_t i = 0; i < points->shape[0]; i++)
        for (int a = 0; a < 3; a++) {
            double u = le_case_uniform(c);
            if (beyond)
                u = 1.4 * u - 0.2;
            double x = low[a] + u * (high[a] - low[a]);
            if (i % 17 == a)
                x = i % 2 ? low[a] : high[a];
            le_tensor_set(points, 3 * i + a, x);
            double kept = le_tensor_get(points, 3 * i + a);
            if (!beyond && (kept < low[a] || kept > high[a]))
                le_tensor_set(points, 3 * i + a, 0.5 * (low[a] + high[a]));
        }
}

static void make(le_case *c, const le_case_request *request, const int64_t shape[3], int64_t count,
                 le_dtype point_dtype, bool beyond)
{
    static const char *const names[3] = {"axis0", "axis1", "axis2"};
    double low[3], high[3];
    for (int a = 0; a < 3; a++) {
        le_tensor *axis = le_case_in(c, names[a], LE_F64, 1, &shape[a]);
        if (!axis)
            return;
        low[a] = -3.0 + le_case_uniform(c);
        high[a] = fill_axis(c, axis, low[a]);
    }
    le_tensor *values = le_case_in(c, "values", le__case_dtype(request, ARG_VALUES), 3, shape);
    le_tensor *points = le_case_in(c, "points", point_dtype, 2, (int64_t[]){count, 3});
    if (!values || !points)
        return;
    le__case_fill(c, values, LE__FILL_LOG_NORMAL);
    fill_points(c, points, low, high, beyond);
}

static void check_case(le_case *c, const le_case_request *request)
{
    static const int64_t shapes[][3] = {{2, 2, 2}, {7, 9, 11}, {33, 5, 17}, {2, 60, 3}, {40, 40, 40}};
    static const int64_t counts[] = {1, 50, 1000, 5000};
    bool beyond = request->index % 3 == 2;
    make(c, request, shapes[request->index % 5], counts[request->index % 4],
         request->index % 2 ? LE_F32 : LE_F64, beyond);
    le_case_str(c, "method", methods[request->index / 2 % 2]);
    if (beyond)
        le_case_f64(c, "outside", -1.0);
}

static void small_case(le_case *c, const le_case_request *request)
{
    bool bench = request->kind == LE_CASE_BENCH;
    int64_t edge = bench ? 128 : 24;
    int64_t count = bench ? (request->size ? request->size : 1000000) : 2000;
    le_dtype point_dtype = request->like ? le_call_in(request->like, ARG_POINTS)->dtype : LE_F64;
    make(c, request, (int64_t[]){edge, edge, edge}, count, point_dtype, false);
    if (request->like)
        le_case_like(c, request->like);
}

static le_status make_case(le_case *c, const le_case_request *request)
{
    if (request->kind == LE_CASE_CHECK)
        check_case(c, request);
    else
        small_case(c, request);
    return le__case_end(c, request, "result", ARG_RESULT, LE_F64);
}

const le_operation le_operation_interpolate_at = {
    LE__VOLUME_OPERATION("interpolate_at",
                         "samples of a volume at any points, on axes of any spacing",
                         "scipy.interpolate.RegularGridInterpolator (interpn), methods linear and "
                         "nearest"),
    .key = key,
    .norm = LE_NORM_MAX,
    .atol = 1e-6,
    .rtol = 1e-5,
};
