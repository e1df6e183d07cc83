/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation `project`: mean, maximum, minimum or sum of a volume along an axis, as an image.
 */
#include "volume/project/project.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "volume/cases.h"
#include "common/load.h"
#include "volume/operation.h"

extern const le_operation le_operation_project;

static const char *const reductions[] = {"mean", "max", "min", "sum", NULL};

static const le_arg_desc args[] = {
    [ARG_VOLUME] = LE__VOLUME_ARG("samples on a regular grid"),
    [ARG_AXIS] = {.name = "axis", .doc = "the axis to reduce: 0, 1 or 2, or -3 to -1 from the last",
                  .type = LE_TYPE_I64, .optional = true, .cost = true, .min = -3, .max = 2,
                  .has_default = true},
    [ARG_REDUCE] = {.name = "reduce", .doc = "mean, max, min or sum; NaN if any sample is NaN",
                    .type = LE_TYPE_STR, .optional = true, .cost = true, .words = reductions,
                    .default_str = "mean"},
    [ARG_SCALE] =
        LE__VOLUME_SCALE_ARG("log: natural logarithm of the reduced value; linear", false),
    [ARG_LIMITS] = {.name = "limits",
                    .doc = "values of the colour map's ends; default -5,5 for log, 0,1 for linear",
                    .type = LE_TYPE_F64S, .optional = true, .min_count = 2, .max_count = 2},
    [ARG_COLORMAP] = {.name = "colormap", .doc = LE__COLORMAP_NAMES ", or none for a scalar image",
                      .type = LE_TYPE_STR, .optional = true, .default_str = "viridis"},
    [ARG_IMAGE] = {.name = "image", .doc = "the other two axes in order, then red, green, blue; "
                                           "colormap=none: without the channels",
                   .type = LE_TYPE_OUT, .dtypes = LE_DTYPES_FLOAT, .min_ndim = 2, .max_ndim = 3,
                   .shape = "[rows,columns,3]"},
};

static le_status read_limits(le__project *p, const le_call *call)
{
    p->limits[0] = p->log ? -5.0 : 0.0;
    p->limits[1] = p->log ? 5.0 : 1.0;
    if (le_call_given(call, ARG_LIMITS)) {
        size_t count;
        const double *limits = le_call_f64s(call, ARG_LIMITS, &count);
        memcpy(p->limits, limits, sizeof p->limits);
    }
    if (!(p->limits[0] < p->limits[1]) || !isfinite(p->limits[0]) || !isfinite(p->limits[1]))
        return le_fail(LE_ERR_ARGUMENT, "project: limits %g to %g, expected ascending numbers",
                       p->limits[0], p->limits[1]);
    return LE_OK;
}

static le_status read_call(le__project *p, const le_call *call)
{
    const le_tensor *volume = le_call_in(call, ARG_VOLUME);
    const char *map = le_call_str(call, ARG_COLORMAP), *reduce = le_call_str(call, ARG_REDUCE);
    p->axis = (int)le_call_i64(call, ARG_AXIS);
    p->axis += p->axis < 0 ? 3 : 0;
    p->rows = p->axis == 0 ? 1 : 0;
    p->columns = p->axis == 2 ? 1 : 2;
    p->log = strcmp(le_call_str(call, ARG_SCALE), "log") == 0;
    p->reduce = LE__MEAN;
    for (int i = 0; reductions[i]; i++)
        if (strcmp(reduce, reductions[i]) == 0)
            p->reduce = (le__reduce)i;
    p->map = strcmp(map, "none") == 0 ? NULL : le__colormap_find(map);
    if (!p->map && strcmp(map, "none") != 0)
        return le_fail(LE_ERR_ARGUMENT,
                       "project: unknown colormap '%s', expected none or one of %s", map,
                       LE__COLORMAP_NAMES);
    if (volume->shape[p->axis] < 1)
        return le_fail(LE_ERR_SHAPE, "project: axis %d is empty, expected 1 sample or more",
                       p->axis);
    return read_limits(p, call);
}

static le_status check(le_call *call)
{
    le__project *p = malloc(sizeof *p);
    if (!p)
        return le_fail(LE_ERR_MEMORY, "project: no memory");
    le_status status = read_call(p, call);
    if (status != LE_OK) {
        free(p);
        return status;
    }
    le_call_attach(call, p, free);
    const int64_t *n = le_call_in(call, ARG_VOLUME)->shape;
    return le_call_set_out(call, ARG_IMAGE, LE_F32, p->map ? 3 : 2,
                           (int64_t[]){n[p->rows], n[p->columns], 3});
}

static void write_pixel(const le__project *p, const le_tensor *image, int64_t at, double value)
{
    double v = p->log ? log(value) : value;
    if (!p->map) {
        le__store(image->data, image->dtype, at, v);
        return;
    }
    double rgb[3];
    le__colormap_at(p->map, (v - p->limits[0]) / (p->limits[1] - p->limits[0]), rgb);
    for (int c = 0; c < 3; c++)
        le__store(image->data, image->dtype, at + c * image->strides[2], rgb[c]);
}

void le__project_pixels(const le__project *p, const le_tensor *image, int64_t row, int64_t column,
                        int64_t count, int64_t lines, const double *values)
{
    double parts = p->reduce == LE__MEAN ? (double)lines : 1.0;
    int64_t at = row * image->strides[0] + column * image->strides[1];
    for (int64_t i = 0; i < count; i++)
        write_pixel(p, image, at + i * image->strides[1], values[i] / parts);
}

static void work(const le_call *call, le_work *out)
{
    const le_tensor *volume = le_call_in(call, ARG_VOLUME);
    double count = (double)le_tensor_count(volume);
    out->operations = count + 1.0;
    out->bytes = count * (double)le_dtype_size(volume->dtype);
}

static void key(const le_call *call, char *buffer, size_t size)
{
    const le__project *p = le_call_attached(call);
    snprintf(buffer, size, "%s", p->map ? "rgb" : "scalar");
}

/* Along the first axis that is not reduced; where that axis itself is reduced, a plain scalar image
 * can be put together from those of slabs. */
static bool slabs(const le_call *call, le_slabs *out)
{
    static const le_merge merges[] = {[LE__MEAN] = LE_MERGE_MEAN, [LE__MAX] = LE_MERGE_MAX,
                                      [LE__MIN] = LE_MERGE_MIN, [LE__SUM] = LE_MERGE_SUM};
    const le__project *p = le_call_attached(call);
    bool merged = p->axis == 0 && !p->map && !p->log;
    int axis = p->axis == 0 && !merged ? 1 : 0;
    out->items = le_call_in(call, ARG_VOLUME)->shape[axis];
    out->args[ARG_VOLUME].axis = (int8_t)(1 + axis);
    out->args[ARG_IMAGE].axis = merged ? 0 : 1;
    out->args[ARG_IMAGE].merge = (uint8_t)(merged ? merges[p->reduce] : LE_MERGE_NONE);
    return true;
}

static le_status make_case(le_case *c, const le_case_request *request)
{
    static const int64_t shapes[][3] = {{1, 1, 1}, {5, 7, 6}, {16, 16, 16}, {3, 40, 9}, {40, 1, 33}};
    static const char *const maps[] = {"viridis", "none", "hot", "none", "gray"};
    bool check = request->kind == LE_CASE_CHECK, bench = request->kind == LE_CASE_BENCH;
    int64_t n = bench ? (request->size ? request->size : 256) : 32;
    int64_t shape[3] = {n, n, n};
    memcpy(shape, check ? shapes[request->index % 5] : shape, sizeof shape);
    le_tensor *volume = le_case_in(c, "volume", le__case_dtype(request, ARG_VOLUME), 3, shape);
    if (!volume)
        return le_case_status(c);
    le__case_fill(c, volume, check && request->index % 2 ? LE__FILL_HEAD : LE__FILL_LOG_NORMAL);
    if (check) {
        le_case_i64(c, "axis", request->index % 6 - 3);
        le_case_str(c, "reduce", reductions[request->index / 2 % 4]);
        le_case_str(c, "scale", request->index / 3 % 2 ? "linear" : "log");
        le_case_str(c, "colormap", maps[request->index % 5]);
        le_case_f64s(c, "limits", (double[]){-6.0, 7.0}, 2);
    }
    if (request->like)
        le_case_like(c, request->like);
    return le__case_end(c, request, "image", ARG_IMAGE, LE_F32);
}

const le_operation le_operation_project = {
    LE__VOLUME_OPERATION("project",
                         "mean, maximum, minimum or sum of a volume along an axis, as an image",
                         LE__MOCZ ": log of the mean"),
    .key = key,
    .norm = LE_NORM_ABS,
    .atol = 1e-5,
    .rtol = 1e-5,
    .slabs = slabs,
};
