/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation `volume_part`: what a box of a volume adds to the images of volume_render.
 */
#include "volume/volume_part/part.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/load.h"
#include "volume/cases.h"
#include "volume/operation.h"

extern const le_operation le_operation_volume_part;

static const le_arg_desc args[] = {
    [ARG_VOLUME] = {.name = "volume",
                    .doc = "a box of the volume, 2 or more samples an axis; boxes share a layer",
                    .type = LE_TYPE_IN, .dtypes = LE_DTYPES_ALL, .min_ndim = 3, .max_ndim = 3,
                    .shape = "[nx,ny,nz]", .elastic = 7},
    [ARG_SIZE] = LE__VOLUME_SIZE_ARG,
    [ARG_ANGLES] = LE__VOLUME_ANGLES_ARG,
    [ARG_ROTATION] = LE__VOLUME_ROTATION_ARG,
    [ARG_OUTSIDE] = LE__VOLUME_OUTSIDE_ARG("whole volume", "samples"),
    [ARG_TRANSFER] = LE__VOLUME_TRANSFER_ARG,
    [ARG_SCALE] =
        LE__VOLUME_SCALE_ARG("log: of the natural logarithm of the samples; linear", true),
    [ARG_PARTS] = {.name = "parts",
                   .doc = "of the samples that the box owns: sum of opacity times colour, weakened "
                          "by those before, and 1 - the share of light that passes; not clipped",
                   .type = LE_TYPE_OUT, .dtypes = LE_DTYPES_FLOAT, .min_ndim = 4, .max_ndim = 4,
                   .shape = "[views,size,size,4]"},
    [ARG_BEGIN] = {.name = "begin", .doc = "the box's first voxel in the whole volume",
                   .type = LE_TYPE_F64S, .min_count = 3, .max_count = 3},
    [ARG_WHOLE] = {.name = "whole", .doc = "shape of the whole volume", .type = LE_TYPE_F64S,
                   .min_count = 3, .max_count = 3},
    [ARG_OWNED] = {.name = "owned", .doc = "samples of each ray that the box owns",
                   .type = LE_TYPE_OUT, .optional = true, .dtypes = LE_DTYPE_BIT(LE_I32),
                   .min_ndim = 3, .max_ndim = 3, .shape = "[views,size,size]"},
};

static const le__camera_args camera_args = {.operation = "volume_part", .volume = ARG_VOLUME,
                                            .size = ARG_SIZE, .outside = ARG_OUTSIDE,
                                            .whole = ARG_WHOLE, .angles = ARG_ANGLES,
                                            .rotation = ARG_ROTATION};

static void release(void *data)
{
    le__render *r = data;
    if (r->box)
        free(r->box->camera);
    free(r->box);
    free(r->camera);
    free(r->transfer);
    free(r);
}

static le_status make_box(le__render *r, const le_call *call)
{
    size_t count;
    const double *begin = le_call_f64s(call, ARG_BEGIN, &count);
    const double *whole = le_call_f64s(call, ARG_WHOLE, &count);
    const int64_t *shape = le_call_in(call, ARG_VOLUME)->shape;
    int64_t first[3];
    for (int a = 0; a < 3; a++) {
        first[a] = (int64_t)begin[a];
        if ((double)first[a] != begin[a] || (double)r->camera->shape[a] != whole[a] || first[a] < 0 ||
            first[a] + shape[a] > r->camera->shape[a])
            return le_fail(LE_ERR_ARGUMENT,
                           "volume_part: %lld voxels from %g on do not lie in a volume of %g on axis "
                           "%d",
                           (long long)shape[a], begin[a], whole[a], a);
    }
    r->box = le__box_new(r->camera, first, shape);
    return r->box ? LE_OK : le_fail(LE_ERR_MEMORY, "volume_part: no memory");
}

static le_status check_numbers(const le_call *call)
{
    for (int arg = ARG_BEGIN; arg <= ARG_WHOLE; arg++) {
        size_t count;
        const double *numbers = le_call_f64s(call, arg, &count);
        for (size_t i = 0; i < count; i++)
            if (!(numbers[i] >= 0.0 && numbers[i] < 1e15))
                return le_fail(LE_ERR_ARGUMENT, "volume_part: %s has %g, expected whole numbers from 0",
                               args[arg].name, numbers[i]);
    }
    return LE_OK;
}

static le_status check(le_call *call)
{
    le_status status = check_numbers(call);
    le__render *r = status == LE_OK ? calloc(1, sizeof *r) : NULL;
    if (!r)
        return status == LE_OK ? le_fail(LE_ERR_MEMORY, "volume_part: no memory") : status;
    status = le__camera_of_call(&r->camera, call, &camera_args);
    if (status == LE_OK)
        status = make_box(r, call);
    if (status == LE_OK)
        status = le__transfer_read(&r->transfer, le_call_str(call, ARG_TRANSFER),
                                   le_call_str(call, ARG_SCALE)[1] == 'o', "volume_part");
    if (status != LE_OK) {
        release(r);
        return status;
    }
    le_call_attach(call, r, release);
    int64_t views = (int64_t)r->camera->n_views, n = r->camera->size;
    status = le_call_set_out(call, ARG_PARTS, LE_F32, 4, (int64_t[]){views, n, n, 4});
    if (status == LE_OK && le_call_given(call, ARG_OWNED))
        status = le_call_set_out(call, ARG_OWNED, LE_I32, 3, (int64_t[]){views, n, n});
    return status;
}

/* Of all samples, as many as the box has of the cells. */
static void work(const le_call *call, le_work *out)
{
    const le__render *r = le_call_attached(call);
    double n = (double)r->camera->size, views = (double)r->camera->n_views, samples = n * n * n;
    double transfer = r->transfer->table ? 20.0 : 20.0 * (double)r->transfer->n;
    for (int a = 0; a < 3; a++)
        samples *= (double)(r->box->shape[a] - 1) / (double)(r->camera->shape[a] - 1);
    out->operations = views * (samples * (60.0 + transfer) + 100.0 * n * n);
    out->bytes = (double)le_dtype_size(le_call_in(call, ARG_VOLUME)->dtype) * samples +
                 16.0 * views * n * n;
}

static void key(const le_call *call, char *buffer, size_t size)
{
    const le__render *r = le_call_attached(call);
    char transfer[40];
    le__transfer_key(r->transfer, transfer, sizeof transfer);
    snprintf(buffer, size, "views=%zu,%s%s", r->camera->n_views, transfer,
             r->camera->has_fill ? ",outside=fill" : "");
}

static const char *const transfers[] = {"mocz", LE__CASE_GAUSSIANS, "viridis:-6:8", "mocz",
                                        LE__CASE_TABLE};

/* Boxes of all corners, the middle, and the whole of a volume twice as large. */
static void check_case(le_case *c, const le_case_request *request)
{
    static const int64_t shapes[][3] = {{16, 16, 16}, {2, 2, 2}, {24, 9, 20}, {33, 30, 29}, {3, 20, 9}};
    const int64_t *shape = shapes[request->index % 5];
    int64_t corner = request->index % 9, inside[3];
    double begin[3], whole[3];
    le_tensor *volume = le_case_in(c, "volume", le__case_dtype(request, ARG_VOLUME), 3, shape);
    if (!volume)
        return;
    le__case_fill(c, volume, (le__filling)(request->index / 3 % LE__FILLINGS));
    for (int a = 0; a < 3; a++) {
        inside[a] = request->index % 7 == 6 ? shape[a] : 2 * shape[a] + a;
        whole[a] = (double)inside[a];
        double room = (double)(inside[a] - shape[a]);
        begin[a] = corner == 8 ? (double)(int64_t)(room / 2) : corner >> a & 1 ? room : 0.0;
    }
    le__case_cameras(c, request, volume, inside);
    le_case_str(c, "transfer", transfers[request->index % 5]);
    le_case_str(c, "scale", request->index % 11 == 10 ? "linear" : "log");
    le_case_f64s(c, "begin", begin, 3);
    le_case_f64s(c, "whole", whole, 3);
}

/* A middle box of a volume twice as large. */
static void small_case(le_case *c, const le_case_request *request)
{
    bool bench = request->kind == LE_CASE_BENCH;
    int64_t edge = bench ? (request->size ? request->size : 128) : 16;
    const le_call *like = request->like;
    double begin = (double)(edge / 2), whole = (double)(2 * edge), angles[] = {27.0, 63.0, 99.0, 135.0};
    le_tensor *volume = le_case_in(c, "volume", le__case_dtype(request, ARG_VOLUME), 3,
                                   (int64_t[]){edge, edge, edge});
    if (!volume)
        return;
    le__case_fill(c, volume, LE__FILL_LOG_NORMAL);
    le_case_i64(c, "size", bench ? edge * 180 / 128 : 20);
    if (like && le_call_given(like, ARG_ROTATION)) {
        size_t count;
        const double *rotation = le_call_f64s(like, ARG_ROTATION, &count);
        le_case_f64s(c, "rotation", rotation, count < 18 ? count : 18);
        le_case_f64(c, "outside", le_call_str(like, ARG_OUTSIDE) ? 0.0
                                                                : le_call_f64(like, ARG_OUTSIDE));
    } else {
        le_case_f64s(c, "angles", angles, bench ? 4 : 2);
    }
    le_case_f64s(c, "begin", (double[]){begin, begin, begin}, 3);
    le_case_f64s(c, "whole", (double[]){whole, whole, whole}, 3);
    if (like)
        le_case_like(c, like);
}

static le_status make_case(le_case *c, const le_case_request *request)
{
    if (request->kind == LE_CASE_CHECK)
        check_case(c, request);
    else
        small_case(c, request);
    if (request->like ? le_call_given(request->like, ARG_OWNED)
                      : request->kind == LE_CASE_CHECK && request->index % 2)
        le_case_out(c, "owned", LE_I32);
    return le__case_end(c, request, "parts", ARG_PARTS, LE_F32);
}

/* View by view. */
static bool slabs(const le_call *call, le_slabs *out)
{
    const le__render *r = le_call_attached(call);
    out->items = (int64_t)r->camera->n_views;
    out->args[ARG_ANGLES].axis = out->args[ARG_ROTATION].axis = 1;
    out->args[ARG_PARTS].axis = out->args[ARG_OWNED].axis = 1;
    out->args[ARG_ROTATION].scale = 9;
    return true;
}

static void store_count(const le_call *call, int64_t view, int64_t ix, int64_t iz, int64_t owned)
{
    const le_tensor *out = le_call_out(call, ARG_OWNED);
    int64_t at = view * out->strides[0] + ix * out->strides[1] + iz * out->strides[2];
    ((int32_t *)out->data)[at] = (int32_t)owned;
}

void le__part_store(const le_call *call, int64_t view, int64_t ix, int64_t iz, const le__part *part,
                    int64_t owned)
{
    const le_tensor *out = le_call_out(call, ARG_PARTS);
    int64_t at = view * out->strides[0] + ix * out->strides[1] + iz * out->strides[2];
    for (int c = 0; c < 3; c++)
        le__store(out->data, out->dtype, at + c * out->strides[3], part->rgb[c]);
    le__store(out->data, out->dtype, at + 3 * out->strides[3], 1.0 - part->through);
    if (le_call_given(call, ARG_OWNED))
        store_count(call, view, ix, iz, owned);
}

void le__part_count(const le_call *call, int64_t view, int64_t ix)
{
    const le__render *r = le_call_attached(call);
    for (int64_t iz = 0; iz < r->camera->size; iz++) {
        int64_t begin, end;
        le__box_ray(r->box, r->camera, &r->camera->views[view], ix, iz, &begin, &end);
        store_count(call, view, ix, iz, end - begin);
    }
}

const le_operation le_operation_volume_part = {
    LE__VOLUME_OPERATION("volume_part", "what a box of a volume adds to images from several directions",
                         LE__MOCZ),
    .key = key,
    .norm = LE_NORM_ABS,
    .atol = 1e-4,
    .rtol = 0.0,
    .slabs = slabs,
};
