/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Sample calls: rings on a background, with counting noise, seen under all kinds of angles.
 */
#include "scattering/encode.h"
#include "scattering/integrate_stored.h"
#include "scattering/operation.h"

#include "common/cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct sample {
    int64_t frames, rows, cols; /* frames 0: [H,W] */
    le_dtype dtype;
    double number[LE__SC_NUMBERS];
    int64_t npt, npt_azim;
    int unit, splitting, model;
    bool mask, dark, flat, absorption, dummy, range, azimuth, sparse;
    bool complete; /* of stored frames: all were written */
    bool deep;     /* frames lie in pairs, along two axes */
    int64_t solid_angle, weighted;
    double polarization; /* above 1: none */
    double thres, quantiles[2];
    int64_t max_iter;
    le__sc_case_kind kind;
    le__sc_compression compression;
} sample;

/* ---------------------------------------------------------------------------------- contents -- */

/* A count of the expected value: exact for few, a normal number for many. */
static double count_of(le_case *c, double expected) {
    if (expected > 30)
        return fmax(floor(expected + sqrt(expected) * le_case_normal(c) + 0.5), 0);
    const double end = exp(-expected);
    double product = le_case_uniform(c);
    int n = 0;
    for (; product > end && n < 200; n++)
        product *= le_case_uniform(c);
    return n;
}

static double expected_at(const sample *s, double row, double col) {
    const double y = row * s->number[LE__SC_PIXEL1] - s->number[LE__SC_PONI1],
                 x = col * s->number[LE__SC_PIXEL2] - s->number[LE__SC_PONI2];
    const double ring = sin(20 * sqrt(x * x + y * y) / s->number[LE__SC_DISTANCE]);
    return (s->sparse ? 0.02 : 3) + (s->sparse ? 1 : 40) * pow(fabs(ring), 30);
}

static void fill_frames(le_case *c, const sample *s, le_tensor *t) {
    const double sentinel = s->dtype == LE_U8 ? 255 : s->dtype == LE_U16 ? 65535 : -1;
    for (int64_t i = 0; i < le_tensor_count(t); i++) {
        const int64_t p = i % (s->rows * s->cols);
        double value = count_of(c, expected_at(s, (double)(p / s->cols), (double)(p % s->cols)));
        if (s->dummy && le_case_uniform(c) < 0.03)
            value = sentinel;
        if (s->dtype == LE_F32 && le_case_uniform(c) < 0.01)
            value = NAN;
        le_tensor_set(t, i, value);
    }
}

static void put_image(le_case *c, const sample *s, const char *name, le_dtype dtype, double least,
                      double most) {
    le_tensor *t = le_case_in(c, name, dtype, 2, (int64_t[]){s->rows, s->cols});
    for (int64_t i = 0; t && i < le_tensor_count(t); i++)
        le_tensor_set(t, i, least + (most - least) * le_case_uniform(c));
}

static void put_mask(le_case *c, const sample *s) {
    le_tensor *t = le_case_in(c, "mask", LE_U8, 2, (int64_t[]){s->rows, s->cols});
    for (int64_t i = 0; t && i < le_tensor_count(t); i++)
        le_tensor_set(t, i, i % 61 == 7 || i / s->cols % 23 == 9);
}

/* ------------------------------------------------------------------------------------- calls -- */

static const char *const number_names[] = {"distance", "poni1",      "poni2",  "rot1",  "rot2",
                                           "rot3",     "wavelength", "pixel1", "pixel2"};

static void put_results(le_case *c, const sample *s) {
    static const char *const names[] = {"radial",
                                        "intensity",
                                        "sem",
                                        "std",
                                        "sum_signal",
                                        "sum_normalization",
                                        "sum_normalization2",
                                        "sum_variance",
                                        "count"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        le_case_out(c, names[k], LE_F64);
    if (s->npt_azim > 0)
        le_case_out(c, "azimuthal", LE_F64);
}

static void put_numbers(le_case *c, const sample *s) {
    for (int k = 0; k < LE__SC_NUMBERS; k++)
        le_case_f64(c, number_names[k], s->number[k]);
    le_case_i64(c, "npt", s->npt);
    if (s->npt_azim > 0)
        le_case_i64(c, "npt_azim", s->npt_azim);
    le_case_str(c, "unit", le__sc_units[s->unit]);
    le_case_str(c, "splitting", le__sc_splittings[s->splitting]);
    le_case_str(c, "error_model", le__sc_error_models[s->model]);
    le_case_i64(c, "solid_angle", s->solid_angle);
    le_case_i64(c, "weighted", s->weighted);
    if (s->polarization <= 1)
        le_case_f64(c, "polarization", s->polarization);
    if (s->kind == LE__SC_CASE_CLIP) {
        le_case_f64(c, "thres", s->thres);
        le_case_i64(c, "max_iter", s->max_iter);
    }
    if (s->kind == LE__SC_CASE_MEDIAN)
        le_case_f64s(c, "quantiles", s->quantiles, 2);
}

static void put_frames(le_case *c, const sample *s) {
    const int64_t shape[4] = {s->deep ? s->frames / 2 : 1, s->deep ? 2 : s->frames, s->rows,
                              s->cols};
    const int ndim = s->deep ? 4 : s->frames ? 3 : 2;
    le_tensor *t = le_case_in(c, "frames", s->dtype, ndim, shape + 4 - ndim);
    if (t)
        fill_frames(c, s, t);
}

/* One frame a chunk; every fifth was never written, unless all were. */
static void encode_frames(le_case *c, const sample *s, const le_tensor *frames, uint8_t *bytes) {
    const le__sc_format f = {.compression = s->compression,
                             .element = (int64_t)le_dtype_size(s->dtype),
                             .elements = s->rows * s->cols};
    le_tensor *offsets = le_case_in(c, "offsets", LE_I64, 1, (int64_t[]){s->frames + 1});
    int64_t at = 0;
    for (int64_t k = 0; k < s->frames && offsets; k++) {
        const uint8_t *frame = (const uint8_t *)frames->data + k * f.elements * f.element;
        le_tensor_set_i64(offsets, k, at);
        if (s->complete || k % 5 != 3)
            at += le__sc_encode(&f, frame, bytes + at);
    }
    le_tensor *stored = le_case_in(c, "frames", LE_U8, 1, &at);
    if (!stored || !offsets)
        return;
    le_tensor_set_i64(offsets, s->frames, at);
    memcpy(stored->data, bytes, (size_t)at);
}

static le_status put_stored(le_case *c, const sample *s) {
    const int64_t shape[3] = {s->frames, s->rows, s->cols};
    const le__sc_format f = {.element = 8, .elements = s->rows * s->cols};
    le_tensor frames = {0};
    le_status status = le_tensor_alloc(&frames, s->dtype, 3, shape);
    uint8_t *bytes = malloc((size_t)(s->frames * le__sc_encode_bound(&f)));
    if (status == LE_OK && bytes) {
        fill_frames(c, s, &frames);
        encode_frames(c, s, &frames, bytes);
    }
    if (!bytes)
        status = le_fail(LE_ERR_MEMORY, "no memory for a sample call");
    free(bytes);
    le_tensor_free(&frames);
    le_case_f64s(c, "chunk", (double[]){1, (double)s->rows, (double)s->cols}, 3);
    le_case_str(c, "type", le_dtype_name(s->dtype));
    le_case_str(c, "compression", le__sc_compressions[s->compression]);
    le_case_f64(c, "fill", 3);
    return status;
}

static le_status put_sample(le_case *c, const sample *s) {
    le_status status = LE_OK;
    if (s->kind == LE__SC_CASE_STORED)
        status = put_stored(c, s);
    else
        put_frames(c, s);
    if (status != LE_OK)
        return status;
    put_numbers(c, s);
    if (s->mask)
        put_mask(c, s);
    if (s->dark)
        put_image(c, s, "dark", LE_F32, 0, 2);
    if (s->flat)
        put_image(c, s, "flat", LE_F32, 0.8, 1.2);
    if (s->absorption)
        put_image(c, s, "absorption", LE_F64, 0.7, 1);
    if (s->model == LE__SC_MODEL_VARIANCE)
        put_image(c, s, "variance", LE_F32, 0.5, 3);
    if (s->dummy) {
        le_case_f64(c, "dummy", s->dtype == LE_U8 ? 255 : s->dtype == LE_U16 ? 65535 : -1);
        le_case_f64(c, "delta_dummy", 0.5);
    }
    if (s->range)
        le_case_f64s(c, "radial_range", (double[]){1e-3, 0.1}, 2);
    if (s->azimuth)
        le_case_f64s(c, "azimuth_range", (double[]){100, 250}, 2);
    put_results(c, s);
    return le_case_status(c);
}

/* ----------------------------------------------------------------------------------- samples -- */

static const sample usual = {.rows = 60,
                             .cols = 70,
                             .dtype = LE_U32,
                             .number = {0.1, 2.9e-3, 3.6e-3, 0, 0, 0, 1e-10, 1e-4, 1e-4},
                             .npt = 50,
                             .npt_azim = 20,
                             .model = LE__SC_MODEL_POISSON,
                             .solid_angle = 1,
                             .weighted = 1,
                             .polarization = 2,
                             .thres = 3,
                             .quantiles = {0.5, 0.5},
                             .max_iter = 5};

static double between(le_case *c, double lo, double hi) {
    return lo + (hi - lo) * le_case_uniform(c);
}

static void tilt(le_case *c, sample *s) {
    for (int k = LE__SC_ROT1; k <= LE__SC_ROT3; k++)
        s->number[k] = between(c, -0.3, 0.3);
    s->number[LE__SC_PONI1] = between(c, -2e-3, 8e-3);
    s->number[LE__SC_PONI2] = between(c, -2e-3, 8e-3);
    s->number[LE__SC_PIXEL2] = between(c, 5e-5, 3e-4);
}

static sample check_sample(le_case *c, const le_case_request *r) {
    const int64_t i = r->index;
    sample s = usual;
    s.dtype = le__case_dtype(r, SC_FRAMES);
    s.frames = i % 5 == 0 ? 0 : i % 7 == 3 ? 17 : 1 + i % 4;
    s.deep = s.frames == 4;
    s.unit = (int)(i % 7);
    s.splitting = (int)(i / 2 % 3);
    s.model = (int)(i % 4);
    s.npt = i % 11 == 4 ? 1 : i % 11 == 9 ? 400 : 1 + (int64_t)(le_case_random(c) % 90);
    s.npt_azim = 1 + (int64_t)(le_case_random(c) % 30);
    s.mask = i % 3 == 1;
    s.dark = i % 4 == 2;
    s.flat = i % 5 == 1;
    s.absorption = i % 6 == 5;
    s.dummy = i % 5 == 3 && s.dtype != LE_U32;
    s.azimuth = i % 6 == 3;
    s.range = i % 8 == 6 && (s.unit == LE__SC_TTH_RAD || s.unit == LE__SC_R_M);
    s.sparse = i % 7 == 5;
    s.solid_angle = i % 9 != 8;
    s.weighted = i % 10 != 7;
    s.polarization = i % 4 == 1 ? between(c, -1, 1) : 2;
    s.thres = (double)(i % 5);
    s.max_iter = i % 6;
    s.quantiles[0] = i % 3 == 0 ? 0.5 : 0.1 * (double)(i % 8);
    s.quantiles[1] = i % 3 == 0 ? 0.5 : fmin(s.quantiles[0] + 0.15 * (double)(i % 5), 1);
    if (i == 0)
        s.rows = s.cols = 1;
    if (i % 4 != 0)
        tilt(c, &s);
    if (i > 10) {
        s.rows = 1 + (int64_t)(le_case_random(c) % 80);
        s.cols = 1 + (int64_t)(le_case_random(c) % 90);
    }
    return s;
}

/* The problem that a benchmark measures: rows and columns as of an Eiger 4M by default; fewer bins for
 * smaller frames. */
static sample bench_sample(const le_case_request *r) {
    sample s = usual;
    s.rows = r->size > 0 ? r->size : 2167;
    s.cols = r->size > 0 ? r->size : 2070;
    s.frames = r->size > 0 && r->size < 1000 ? 64 : 8;
    s.npt = s.rows < 1000 ? s.rows : 1000;
    s.npt_azim = (s.npt * 36 + 99) / 100;
    s.complete = true;
    if (r->dtype)
        s.dtype = r->dtype;
    s.number[LE__SC_PIXEL1] = s.number[LE__SC_PIXEL2] = 0.16 / (double)s.rows;
    s.number[LE__SC_PONI1] = s.number[LE__SC_PONI2] = 0.08;
    return s;
}

static int word_of(const le_call *call, int arg, const char *const *words) {
    int k = 0;
    while (words[k] && strcmp(words[k], le_call_str(call, arg)) != 0)
        k++;
    return k;
}

/* A small call of the same kind, whose frames are its own. */
static sample trial_sample(const le_call *like, le__sc_case_kind kind) {
    sample s = usual;
    s.frames = kind == LE__SC_CASE_STORED ? 9 : 0;
    if (!like)
        return s;
    const le__sc_setup *setup = le__sc_setup_of(like);
    s.dtype = kind == LE__SC_CASE_STORED
                  ? le__sc_stored_dtype(like, &le__sc_integrate_stored_args)
                  : le_call_in(like, SC_FRAMES)->dtype;
    if (kind == LE__SC_CASE_STORED)
        s.compression =
            (le__sc_compression)word_of(like, SC_COMPRESSION, le__sc_compressions);
    s.frames = !setup->stack_axes ? 0 : setup->frames < 9 ? setup->frames : 9;
    s.unit = word_of(like, SC_UNIT, le__sc_units);
    s.splitting = word_of(like, SC_SPLITTING, le__sc_splittings);
    s.model = (int)setup->model;
    s.npt = setup->bins.radial.n < 200 ? setup->bins.radial.n : 200;
    if (kind == LE__SC_CASE_PLANE)
        s.npt_azim = setup->bins.azimuth.n < 50 ? setup->bins.azimuth.n : 50;
    s.mask = le_call_given(like, SC_MASK);
    s.dark = le_call_given(like, SC_DARK);
    s.flat = le_call_given(like, SC_FLAT);
    s.absorption = le_call_given(like, SC_ABSORPTION);
    s.dummy = setup->has_dummy;
    s.azimuth = setup->has_azimuth_range;
    s.solid_angle = setup->solid_angle;
    s.weighted = setup->weighted;
    s.polarization = setup->polarized ? setup->polarization : 2;
    return s;
}

le_status le__sc_make_case(le_case *c, const le_case_request *r, le__sc_case_kind kind) {
    sample s = r->kind == LE_CASE_CHECK   ? check_sample(c, r)
               : r->kind == LE_CASE_TRIAL ? trial_sample(r->like, kind)
                                          : bench_sample(r);
    s.kind = kind;
    if (kind == LE__SC_CASE_STORED && r->kind == LE_CASE_CHECK) {
        s.frames = s.frames ? s.frames : 1;
        s.dtype = (le_dtype[]){LE_U32, LE_U16, LE_U8, LE_I32, LE_F32}[r->index % 5];
        s.compression = (le__sc_compression)(r->index / 2 % 3);
        s.dummy = s.dummy && s.dtype != LE_U32;
    }
    if (kind == LE__SC_CASE_CLIP && s.model == LE__SC_MODEL_NONE)
        s.model = LE__SC_MODEL_AZIMUTHAL;
    if (kind != LE__SC_CASE_PLANE)
        s.npt_azim = 0;
    return put_sample(c, &s);
}

/* One frame of several. The axes are no rows of frames, so it is a call apart. */
le_status le__sc_part(const le_call *call, uint64_t random, le_case *out, int64_t *first) {
    const le__sc_setup *s = le__sc_setup_of(call);
    const le_tensor *frames = le_call_in(call, SC_FRAMES);
    static const struct {
        int arg;
        const char *name;
    } images[] = {{SC_MASK, "mask"},
                  {SC_DARK, "dark"},
                  {SC_FLAT, "flat"},
                  {SC_ABSORPTION, "absorption"},
                  {SC_VARIANCE, "variance"}};
    if (!s->stack_axes || s->stack[0] < 2)
        return LE_ERR_UNSUPPORTED;
    const int64_t frame = (int64_t)(random % (uint64_t)s->stack[0]);
    le_tensor one = *frames;
    *first = LE_PART_APART;
    one.shape[0] = 1;
    one.offset += frame * one.strides[0];
    if (one.data)
        one.data = (char *)one.data + frame * one.strides[0] * (int64_t)le_dtype_size(one.dtype);
    le_case_borrow(out, "frames", &one);
    for (size_t k = 0; k < sizeof images / sizeof *images; k++)
        if (le_call_given(call, images[k].arg))
            le_case_borrow(out, images[k].name, le_call_in(call, images[k].arg));
    le_case_like(out, call);
    return le_case_status(out);
}
