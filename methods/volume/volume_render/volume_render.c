/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation `volume_render`: images of a volume from several directions.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "liquid_engine/le_chain.h"
#include "volume/cases.h"
#include "volume/exact_sample.h"
#include "volume/operation.h"
#include "volume/volume_render/render.h"

extern const le_operation le_operation_volume_render;

static const le_arg_desc args[] = {
    [ARG_VOLUME] = LE__VOLUME_ARG("samples on a regular grid, 2 or more an axis"),
    [ARG_SIZE] = LE__VOLUME_SIZE_ARG,
    [ARG_ANGLES] = LE__VOLUME_ANGLES_ARG,
    [ARG_ROTATION] = LE__VOLUME_ROTATION_ARG,
    [ARG_OUTSIDE] = LE__VOLUME_OUTSIDE_ARG("volume", "samples"),
    [ARG_TRANSFER] = LE__VOLUME_TRANSFER_ARG,
    [ARG_SCALE] =
        LE__VOLUME_SCALE_ARG("log: of the natural logarithm of the samples; linear", true),
    [ARG_IMAGES] = {.name = "images", .doc = "red, green, blue in [0,1] of each view",
                    .type = LE_TYPE_OUT, .dtypes = LE_DTYPES_FLOAT, .min_ndim = 4, .max_ndim = 4,
                    .shape = "[views,size,size,3]"},
};

static const le__camera_args camera_args = {.operation = "volume_render", .volume = ARG_VOLUME,
                                            .size = ARG_SIZE, .outside = ARG_OUTSIDE,
                                            .angles = ARG_ANGLES, .rotation = ARG_ROTATION};

static void release(void *data)
{
    le__render *r = data;
    free(r->camera);
    free(r->transfer);
    free(r);
}

static le_status check(le_call *call)
{
    le__render *r = calloc(1, sizeof *r);
    if (!r)
        return le_fail(LE_ERR_MEMORY, "volume_render: no memory");
    le_status status = le__camera_of_call(&r->camera, call, &camera_args);
    if (status == LE_OK)
        status = le__transfer_read(&r->transfer, le_call_str(call, ARG_TRANSFER),
                                   le_call_str(call, ARG_SCALE)[1] == 'o', "volume_render");
    if (status != LE_OK) {
        release(r);
        return status;
    }
    le_call_attach(call, r, release);
    int64_t n = r->camera->size;
    return le_call_set_out(call, ARG_IMAGES, LE_F32, 4,
                           (int64_t[]){(int64_t)r->camera->n_views, n, n, 3});
}

/* In the unit of samples; of floating-point numbers only the data knows. */
static double rounding_of(le_dtype dtype)
{
    const bool whole = dtype == LE_I8 || dtype == LE_I16 || dtype == LE_I32 || dtype == LE_I64;
    return whole ? ldexp(0x1p-24, 8 * (int)le_dtype_size(dtype) - 1) : 0.0;
}

bool le__render_watches(const le_call *call)
{
    const le__transfer *t = ((const le__render *)le_call_attached(call))->transfer;
    const le_dtype dtype = le_call_in(call, ARG_VOLUME)->dtype;
    const double tolerance = le_call_atol(call) + le_call_rtol(call);
    double narrowest = INFINITY;
    for (size_t i = 0; !t->table && i < t->n; i++)
        narrowest = fmin(narrowest, sqrt(t->gaussians[i].width));
    return le__dtype_is_signed(dtype) &&
           (t->log || tolerance < 5e-5 || rounding_of(dtype) > tolerance * narrowest);
}

static void work(const le_call *call, le_work *out)
{
    const le__render *r = le_call_attached(call);
    double n = (double)r->camera->size, views = (double)r->camera->n_views;
    double transfer = r->transfer->table ? 20.0 : 20.0 * (double)r->transfer->n;
    out->operations = views * n * n * n * (60.0 + transfer);
    out->bytes = (double)le_dtype_size(le_call_in(call, ARG_VOLUME)->dtype) * n * n * n +
                 12.0 * views * n * n;
}

static void key(const le_call *call, char *buffer, size_t size)
{
    const le__render *r = le_call_attached(call);
    char transfer[40];
    le__transfer_key(r->transfer, transfer, sizeof transfer);
    snprintf(buffer, size, "%s,views=%zu,%s%s", r->camera->axis0 ? "axis0" : "any",
             r->camera->n_views, transfer, r->camera->has_fill ? ",outside=fill" : "");
}

static const char *const transfers[] = {"mocz", "mocz", "viridis:-6:8", "mocz", LE__CASE_GAUSSIANS,
                                        "mocz", LE__CASE_TABLE};

static void check_case(le_case *c, const le_case_request *request)
{
    static const int64_t shapes[][3] = {{16, 16, 16}, {2, 2, 2},    {24, 25, 40}, {64, 64, 64},
                                        {5, 7, 6},    {33, 18, 29}, {3, 40, 9},   {12, 12, 100}};
    const int64_t *shape = shapes[request->index % 8];
    le_tensor *volume = le_case_in(c, "volume", le__case_dtype(request, ARG_VOLUME), 3, shape);
    if (!volume)
        return;
    le__case_fill(c, volume, (le__filling)(request->index / 3 % LE__FILLINGS));
    le__case_cameras(c, request, volume, shape);
    bool on_voxels = le__case_is_on_voxels(request);
    le_case_str(c, "transfer", transfers[(on_voxels ? request->index / 7 : request->index) % 7]);
    le_case_str(c, "scale", request->index % 11 == 10 ? "linear" : "log");
}

static void small_case(le_case *c, const le_case_request *request)
{
    bool bench = request->kind == LE_CASE_BENCH;
    int64_t edge = bench ? (request->size ? request->size : 256) : 32;
    int64_t size = bench ? edge * 180 / 256 : 20;
    const le_call *like = request->like;
    le_tensor *volume = le_case_in(c, "volume", le__case_dtype(request, ARG_VOLUME), 3,
                                   (int64_t[]){edge, edge, edge});
    if (!volume)
        return;
    le__case_fill(c, volume, LE__FILL_LOG_NORMAL);
    le_case_i64(c, "size", size > 1 ? size : 1);
    if (like && le_call_given(like, ARG_ROTATION)) {
        size_t count;
        const double *rotation = le_call_f64s(like, ARG_ROTATION, &count);
        le_case_f64s(c, "rotation", rotation, count < 18 ? count : 18);
        le_case_f64(c, "outside", le_call_str(like, ARG_OUTSIDE) ? 0.0
                                                                : le_call_f64(like, ARG_OUTSIDE));
    } else {
        double angles[10];
        for (int i = 0; i < 10; i++)
            angles[i] = bench ? 9.0 * i : 27.0 + 36.0 * i;
        le_case_f64s(c, "angles", angles, bench ? 10 : 2);
    }
    if (like)
        le_case_like(c, like);
}

static le_status make_case(le_case *c, const le_case_request *request)
{
    if (request->kind == LE_CASE_CHECK)
        check_case(c, request);
    else
        small_case(c, request);
    return le__case_end(c, request, "images", ARG_IMAGES, LE_F32);
}

static void add_view(const le_call *call, le_chain *chain, size_t k)
{
    size_t n_angles, n_rotation;
    const double *angles = le_call_f64s(call, ARG_ANGLES, &n_angles);
    const double *rotation = le_call_f64s(call, ARG_ROTATION, &n_rotation);
    le_value samples = le_chain_temp(chain), rgba = le_chain_temp(chain);
    le_arg camera = n_rotation ? LE_F64S("rotation", rotation + 9 * k, 9)
                               : LE_F64("angle", n_angles ? angles[k] : 0.0);
    le_chain_add(chain, "interpolate", LE_VALUE_IN("volume", le_chain_arg(chain, ARG_VOLUME)),
                 LE_VALUE_OUT("samples", samples), le_chain_pass(call, ARG_SIZE, "size"), camera,
                 le_chain_pass(call, ARG_OUTSIDE, "outside"));
    le_chain_add(chain, "transfer_function", LE_VALUE_IN("samples", samples),
                 LE_VALUE_OUT("rgba", rgba), le_chain_pass(call, ARG_TRANSFER, "transfer"),
                 le_chain_pass(call, ARG_SCALE, "scale"));
    le_chain_add(chain, "composite", LE_VALUE_IN("rgba", rgba),
                 LE_VALUE_OUT("image", le_chain_slice(chain, le_chain_arg(chain, ARG_IMAGES), 0,
                                                      (int64_t)k)));
}

static le_status expand(const le_call *call, le_chain *chain)
{
    const le__render *r = le_call_attached(call);
    for (size_t k = 0; k < r->camera->n_views; k++)
        add_view(call, chain, k);
    return le_chain_status(chain);
}

/* One view of many. */
static le_status part(const le_call *call, uint64_t random, le_case *out, int64_t *first)
{
    const le__render *r = le_call_attached(call);
    size_t n_angles, n_rotation, k = (size_t)(random % r->camera->n_views);
    const double *angles = le_call_f64s(call, ARG_ANGLES, &n_angles);
    const double *rotation = le_call_f64s(call, ARG_ROTATION, &n_rotation);
    le_case_borrow(out, "volume", le_call_in(call, ARG_VOLUME));
    if (n_angles)
        le_case_f64s(out, "angles", angles + k, 1);
    if (n_rotation)
        le_case_f64s(out, "rotation", rotation + 9 * k, 9);
    le_case_like(out, call);
    *first = (int64_t)k;
    return le_case_status(out);
}

/* View by view. */
static bool slabs(const le_call *call, le_slabs *out)
{
    const le__render *r = le_call_attached(call);
    out->items = (int64_t)r->camera->n_views;
    out->args[ARG_ANGLES].axis = out->args[ARG_ROTATION].axis = out->args[ARG_IMAGES].axis = 1;
    out->args[ARG_ROTATION].scale = 9;
    return true;
}

static void step(const le_call *call, int64_t view, double out[3])
{
    const le__render *r = le_call_attached(call);
    memcpy(out, r->camera->views[view].step[0], 3 * sizeof *out);
}

/* Box by box. */
static bool bricks(const le_call *call, le_bricks *out)
{
    (void)call;
    *out = (le_bricks){
        .input = ARG_VOLUME, .output = ARG_IMAGES, .part = "volume_part", .step = step};
    return true;
}

const le_operation le_operation_volume_render = {
    LE__VOLUME_OPERATION("volume_render", "images of a volume from several directions", LE__MOCZ),
    .key = key,
    .norm = LE_NORM_ABS,
    .atol = 1e-4,
    .rtol = 0.0,
    .expand = expand,
    .part = part,
    .slabs = slabs,
    .bricks = bricks,
};
