/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The vector implementations of `interpolate`, compiled once for each instruction set.
 */
#include <string.h>

#include "common/isa.h"
#include "volume/exact_sample.h"
#include "volume/interpolate/interpolate.h"
#include "volume/interpolate/kernels_simd.h"

static size_t rows(const le_call *call)
{
    return (size_t)le_call_i64(call, ARG_SIZE);
}

static bool rays_applicable(const le_call *call, const char **why)
{
    *why = "the volume is too large for 32-bit offsets";
    return le__voxels_near(le_call_in(call, ARG_VOLUME));
}

static bool axis_applicable(const le_call *call, const char **why)
{
    const le__camera *c = le_call_attached(call);
    *why = c->axis0 ? "a plane of the volume is too large" : "the rotation is not about axis 0";
    return c->axis0 && (c->shape[1] + 3) * le__plane_pitch(c->shape, 1) < INT32_MAX;
}

static int64_t memory(const le_call *call)
{
    const le__camera *c = le_call_attached(call);
    int64_t planes = (c->shape[1] + 3) * le__plane_pitch(c->shape, 1) * 4 * le_call_threads(call);
    return planes + 2 * (int64_t)le__fixed_bytes(c) + 4096;
}

static le_status make_form(le_call *call, bool axis, le__interpolation **out)
{
    const le__camera *c = le_call_attached(call);
    const le_tensor *volume = le_call_in(call, ARG_VOLUME);
    le__interpolation *x = le_call_scratch(call, sizeof *x);
    void *tables = le_call_scratch(call, le__fixed_bytes(c));
    if (!x || !tables)
        return le_fail(LE_ERR_MEMORY, "interpolate: no memory for tables");
    *x = (le__interpolation){.camera = c, .volume = le__voxels_of(volume),
                             .out = le_call_out(call, ARG_SAMPLES)};
    le__fixed_options options = le__fixed_options_of(volume, axis ? 1 : 0, V_FRACTION_BITS);
    memcpy(x->strides, options.strides, sizeof x->strides);
    le__fixed_make(&x->view, c, 0, &options, tables);
    *out = x;
    return LE_OK;
}

static le_status make_planes(le_call *call, le__interpolation *x)
{
    x->plane_floats = (x->camera->shape[1] + 3) * x->strides[1];
    size_t bytes = (size_t)(x->plane_floats * le_call_threads(call)) * sizeof(float);
    x->planes = le_call_scratch(call, bytes);
    if (!x->planes)
        return le_fail(LE_ERR_MEMORY, "interpolate: no memory for planes");
    memset(x->planes, 0, bytes);
    return LE_OK;
}

static le_status prepare(le_call *call, bool axis, void **out)
{
    le__interpolation *x = NULL, *rays = NULL;
    const char *why;
    le_status status = make_form(call, axis, &x);
    if (status == LE_OK && axis)
        status = make_planes(call, x);
    if (status == LE_OK && axis && le__dtype_is_signed(x->volume.dtype) && rays_applicable(call, &why)) {
        status = make_form(call, false, &rays);
        x->signed_rays = rays;
    }
    *out = x;
    return status;
}

static le_status prepare_rays(le_call *call, void **out)
{
    return prepare(call, false, out);
}

static le_status prepare_axis(le_call *call, void **out)
{
    return prepare(call, true, out);
}

LE_IMPLEMENTATION(interpolate, LE__ISA, LE__ISA_FIELDS("simd"),
                  .summary = LE__ISA_TITLE ": packets of columns, any rotation",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 3.0, 4.0),
                  .applicable = rays_applicable, .memory = memory, .prepare = prepare_rays,
                  .items = rows, .range = rays_range);

LE_IMPLEMENTATION(interpolate, LE__ISA_NAME(axis_), LE__ISA_FIELDS("simd"),
                  .summary = LE__ISA_TITLE
                  ": planes of axis 0 blended once an image row, four corners a sample",
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 4.0, 5.0),
                  .applicable = axis_applicable, .memory = memory, .prepare = prepare_axis,
                  .items = rows, .range = axis_range);
