/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation `interpolate`: trilinear samples of a volume on a rotated camera grid.
 */
#include "volume/interpolate/interpolate.h"

#include <stdio.h>
#include <stdlib.h>

#include "volume/cases.h"
#include "volume/operation.h"

extern const le_operation le_operation_interpolate;

static const le_arg_desc args[] = {
    [ARG_VOLUME] = LE__VOLUME_ARG("samples on a regular grid, 2 or more an axis"),
    [ARG_SIZE] = {.name = "size", .doc = "points of the camera grid along each axis",
                  .type = LE_TYPE_I64, .cost = true, .min = 1, .max = 32768},
    [ARG_ANGLE] = {.name = "angle", .doc = "rotation about axis 0, in degrees",
                   .type = LE_TYPE_F64, .optional = true},
    [ARG_ROTATION] = {.name = "rotation",
                      .doc = "3x3 matrix, row by row, from camera to data coordinates",
                      .type = LE_TYPE_F64S, .optional = true, .min_count = 9, .max_count = 9},
    [ARG_OUTSIDE] = LE__VOLUME_OUTSIDE_ARG("volume", "samples"),
    [ARG_SAMPLES] = {.name = "samples", .doc = "the samples, [depth,row,column]",
                     .type = LE_TYPE_OUT, .dtypes = LE_DTYPES_FLOAT, .min_ndim = 3, .max_ndim = 3,
                     .shape = "[size,size,size]"},
};

static const le__camera_args camera_args = {.operation = "interpolate", .volume = ARG_VOLUME,
                                            .size = ARG_SIZE, .outside = ARG_OUTSIDE,
                                            .angles = ARG_ANGLE, .one_angle = true,
                                            .rotation = ARG_ROTATION};

static le_status check(le_call *call)
{
    le__camera *camera;
    le_status status = le__camera_of_call(&camera, call, &camera_args);
    if (status != LE_OK)
        return status;
    le_call_attach(call, camera, free);
    int64_t n = camera->size;
    return le_call_set_out(call, ARG_SAMPLES, LE_F32, 3, (int64_t[]){n, n, n});
}

static void work(const le_call *call, le_work *out)
{
    double n = (double)le_call_i64(call, ARG_SIZE);
    const le_tensor *volume = le_call_in(call, ARG_VOLUME);
    out->operations = 30.0 * n * n * n;
    out->bytes = (double)le_dtype_size(volume->dtype) * n * n * n + 4.0 * n * n * n;
}

static void key(const le_call *call, char *buffer, size_t size)
{
    const le__camera *camera = le_call_attached(call);
    snprintf(buffer, size, "%s%s", camera->axis0 ? "axis0" : "any",
             camera->has_fill ? ",outside=fill" : "");
}

static void check_case(le_case *c, const le_case_request *request)
{
    static const int64_t shapes[][3] = {{2, 2, 2},   {5, 7, 6},    {16, 16, 16}, {3, 40, 9},
                                        {33, 18, 29}, {24, 25, 40}, {64, 64, 64}, {12, 12, 100}};
    const int64_t *shape = shapes[request->index % 8];
    le_tensor *volume =
        le_case_in(c, "volume", le__case_dtype(request, ARG_VOLUME), 3, shape);
    if (!volume)
        return;
    le__case_fill(c, volume, (le__filling)(request->index / 3 % LE__FILLINGS));
    bool fill = request->index % 4 == 3, any = request->index % 5 == 4;
    bool on_voxels = le__case_is_on_voxels(request);
    int64_t size = le__case_size_inside(shape);
    if (fill || any)
        size = 1 + (int64_t)(le_case_uniform(c) * 40.0);
    if (on_voxels)
        size = shape[1];
    if (any || on_voxels)
        le__case_strew_nan(c, volume, on_voxels ? 0.02 : 0.001);
    if (any)
        le_case_f64s(c, "rotation", le__case_rotations, 9);
    else if (on_voxels)
        le_case_f64(c, "angle", 45.0 * (double)(request->index % 3));
    else
        le_case_f64(c, "angle", request->index % 7 == 0 ? 0.0 : 360.0 * le_case_uniform(c));
    if (fill || any || on_voxels)
        le_case_f64(c, "outside", request->index % 2 ? 0.0 : -2.5);
    le_case_i64(c, "size", size);
}

static void small_case(le_case *c, const le_case_request *request)
{
    int64_t edge = request->kind == LE_CASE_BENCH ? (request->size ? request->size : 256) : 32;
    int64_t size = request->kind == LE_CASE_BENCH ? edge * 180 / 256 : 20;
    le_tensor *volume = le_case_in(c, "volume", le__case_dtype(request, ARG_VOLUME), 3,
                                   (int64_t[]){edge, edge, edge});
    if (!volume)
        return;
    le__case_fill(c, volume, LE__FILL_LOG_NORMAL);
    le_case_i64(c, "size", size > 1 ? size : 1);
    bool given = request->like && (le_call_given(request->like, ARG_ANGLE) ||
                                   le_call_given(request->like, ARG_ROTATION));
    if (!given)
        le_case_f64(c, "angle", 27.0);
    if (request->like && le_call_given(request->like, ARG_ROTATION) &&
        le_call_str(request->like, ARG_OUTSIDE))
        le_case_f64(c, "outside", 0.0);
    if (request->like)
        le_case_like(c, request->like);
}

static le_status make_case(le_case *c, const le_case_request *request)
{
    if (request->kind == LE_CASE_CHECK)
        check_case(c, request);
    else
        small_case(c, request);
    return le__case_end(c, request, "samples", ARG_SAMPLES, LE_F32);
}

const le_operation le_operation_interpolate = {
    LE__VOLUME_OPERATION("interpolate", "trilinear samples of a volume on a rotated camera grid",
                         LE__MOCZ "; scipy interpn"),
    .key = key,
    .norm = LE_NORM_MAX,
    .atol = 1e-6,
    .rtol = 1e-5,
};
