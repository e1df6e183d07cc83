/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Descriptors of the vector implementations of `interpolate` for x86.
 */
#include <string.h>

#include "volume/describe_simd.h"
#include "volume/exact_sample.h"
#include "volume/interpolate/interpolate.h"
#include "volume/interpolate/simd.h"

static size_t rows(const le_call *call)
{
    return (size_t)le_call_i64(call, ARG_SIZE);
}

static bool rays_applicable(const le_call *call, const char **why)
{
    const int64_t *n = le_call_in(call, ARG_VOLUME)->shape;
    *why = "the volume is too large for 32-bit offsets";
    return n[0] * n[1] < INT32_MAX && n[0] * n[1] * n[2] < INT32_MAX;
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
    const le_tensor *volume = le_call_in(call, ARG_VOLUME);
    if (!le_tensor_is_contiguous(volume))
        planes += le_tensor_count(volume) * (int64_t)le_dtype_size(volume->dtype);
    return planes + 2 * (int64_t)le__fixed_bytes(c) + 4096;
}

static le_status make_form(le_call *call, bool axis, int fraction_bits, le__interpolation **out)
{
    const le__camera *c = le_call_attached(call);
    const int64_t *n = c->shape;
    le__interpolation *x = le_call_scratch(call, sizeof *x);
    void *tables = le_call_scratch(call, le__fixed_bytes(c));
    const void *volume = le_call_contiguous(call, ARG_VOLUME);
    if (!x || !tables || !volume)
        return le_fail(LE_ERR_MEMORY, "interpolate: no memory for tables");
    *x = (le__interpolation){.camera = c, .volume = volume, .count = n[0] * n[1] * n[2],
                             .strides = {n[1] * n[2], n[2], 1},
                             .dtype = le_call_in(call, ARG_VOLUME)->dtype,
                             .out = le_call_out(call, ARG_SAMPLES)};
    le__fixed_options options = {.fraction_bits = fraction_bits};
    if (axis) {
        x->strides[0] = 0;
        x->strides[1] = le__plane_pitch(n, 1);
        options.bias[1] = options.bias[2] = 1.0;
    }
    memcpy(options.strides, x->strides, sizeof options.strides);
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

static le_status prepare(le_call *call, bool axis, int fraction_bits, void **out)
{
    le__interpolation *x = NULL, *rays = NULL;
    const char *why;
    le_status status = make_form(call, axis, fraction_bits, &x);
    if (status == LE_OK && axis)
        status = make_planes(call, x);
    if (status == LE_OK && axis && le__dtype_is_signed(x->dtype) && rays_applicable(call, &why)) {
        status = make_form(call, false, fraction_bits, &rays);
        x->signed_rays = rays;
    }
    *out = x;
    return status;
}

#define DESCRIBE(id, form, suffix, bits, isa_bits, guess, text)                                    \
    static le_status prepare_##id(le_call *call, void **out)                                       \
    {                                                                                              \
        return prepare(call, AXIS_##form, bits, out);                                              \
    }                                                                                              \
    LE__DESCRIBE_SIMD(interpolate, id, "simd", isa_bits, guess, text,                              \
                      .applicable = form##_applicable, .memory = memory,                           \
                      .prepare = prepare_##id, .items = rows,                                      \
                      .range = le__interpolate_##form##_##suffix)

enum { AXIS_rays = false, AXIS_axis = true };

DESCRIBE(avx2, rays, avx2, 31, LE_ISA_AVX2, 3.0, "AVX2: packets of columns, any rotation");
DESCRIBE(axis_avx2, axis, avx2, 31, LE_ISA_AVX2, 4.0,
         "AVX2: planes of axis 0 blended once an image row, four corners a sample");
DESCRIBE(avx512, rays, avx512, 32, LE_ISA_AVX512, 4.0, "AVX-512: packets of columns, any rotation");
DESCRIBE(axis_avx512, axis, avx512, 32, LE_ISA_AVX512, 5.0,
         "AVX-512: planes of axis 0 blended once an image row, four corners a sample");
