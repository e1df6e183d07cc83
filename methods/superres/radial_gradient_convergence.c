/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation radial_gradient_convergence: how well the gradients around a pixel point to it.
 */
#include "radial_gradient_convergence.h"

#include "sr_operation.h"

#include <math.h>

#define GRADIENT(name, along)                                                                      \
    LE__SR_STACK_IN(name, "gradient along the " along ", magnified 2M times", LE_DTYPES_FLOAT,     \
                    "[T,2*H*M,2*W*M] or [2*H*M,2*W*M]")

static const le_arg_desc args[] = {
    [RGC_IMAGE] = LE__SR_STACK_IN("image", "frames magnified M times", LE_DTYPES_FLOAT,
                                  "[T,H*M,W*M] or [H*M,W*M]"),
    [RGC_GRADIENT_COL] = GRADIENT("gradient_col", "columns"),
    [RGC_GRADIENT_ROW] = GRADIENT("gradient_row", "rows"),
    [RGC_MAGNIFICATION] = LE__SR_MAGNIFICATION_ARG("M: pixels of a whole pixel, each way"),
    [RGC_RADIUS] = LE__SR_RADIUS_ARG("in whole pixels"),
    [RGC_SENSITIVITY] = LE__SR_SENSITIVITY_ARG,
    [RGC_INTENSITY_WEIGHTING] = LE__SR_SWITCH_ARG("intensity_weighting", "1: times the image"),
    [RGC_RESULT] =
        LE__SR_STACK_OUT("result", "convergence, 0 in the margin of radius*M pixels", "as image"),
};

le__rgc_call le__rgc_call_of(const le_call *call) {
    le__rgc_call c = {.image = le__sr_stack_of(le_call_in(call, RGC_IMAGE)),
                      .col = le__sr_stack_of(le_call_in(call, RGC_GRADIENT_COL)),
                      .row = le__sr_stack_of(le_call_in(call, RGC_GRADIENT_ROW)),
                      .out = le__sr_stack_of(le_call_out(call, RGC_RESULT))};
    const int64_t m = le_call_i64(call, RGC_MAGNIFICATION);
    c.rgc = le__sr_rgc_make(c.image.rows / m, c.image.cols / m, m, le_call_f64(call, RGC_RADIUS),
                            le_call_f64(call, RGC_SENSITIVITY),
                            le_call_i64(call, RGC_INTENSITY_WEIGHTING) != 0);
    return c;
}

void le__rgc_half_row(const le__rgc_call *c, const le__sr_stack *gradient, int64_t t, int64_t k,
                      float *spare, float *out) {
    const int64_t m = c->rgc.magnification, last = gradient->cols - 1;
    const int64_t y = k * m < gradient->rows ? k * m : gradient->rows - 1;
    const float *row = le__sr_row(gradient, t, y, spare);
    for (int64_t l = 0; l <= 2 * c->rgc.cols; l++)
        out[l] = row[l * m < last ? l * m : last];
}

static le_status check_gradient(le_call *call, int arg, const char *name) {
    const le_tensor *image = le_call_in(call, RGC_IMAGE), *g = le_call_in(call, arg);
    bool ok = g->ndim == image->ndim;
    for (int d = 0; ok && d < g->ndim; d++)
        ok = g->shape[d] == image->shape[d] * (d < g->ndim - 2 ? 1 : 2);
    if (ok)
        return LE_OK;
    char is[256], given[256];
    le_tensor_describe(image, is, sizeof is);
    le_tensor_describe(g, given, sizeof given);
    return le_fail(LE_ERR_SHAPE,
                   "radial_gradient_convergence: '%s' is %s with an 'image' %s; twice its rows and "
                   "columns are expected",
                   name, given, is);
}

static le_status check(le_call *call) {
    const le_tensor *image = le_call_in(call, RGC_IMAGE);
    const int64_t m = le_call_i64(call, RGC_MAGNIFICATION);
    le_status status = le__sr_check_image(image, "radial_gradient_convergence", "image");
    if (status == LE_OK)
        status = le__sr_check_multiple(image, "radial_gradient_convergence", m);
    if (status == LE_OK)
        status = check_gradient(call, RGC_GRADIENT_COL, "gradient_col");
    if (status == LE_OK)
        status = check_gradient(call, RGC_GRADIENT_ROW, "gradient_row");
    if (status == LE_OK)
        status = le_call_set_out(call, RGC_RESULT, LE_F32, image->ndim, image->shape);
    return status;
}

static void work(const le_call *call, le_work *out) {
    const double n = (double)le_tensor_count(le_call_in(call, RGC_IMAGE));
    const double k = 2 * floor(2 * le_call_f64(call, RGC_RADIUS)) + 1;
    out->operations = n * (8 * 0.8 * k * k + 10);
    out->bytes = n * 4 * 4;
}

static le_status make_case(le_case *c, const le_case_request *r) {
    static const double edges[][5] = {{1, 1, 1, 5, 0.5},   {0, 1, 17, 4, 0.2},  {2, 9, 9, 4, 5},
                                      {2, 20, 23, 1, 3.3}, {1, 13, 35, 5, 1.5}, {1, 7, 9, 10, 1.3}};
    double s[5] = {1, 14, 16, 5, 1.5}, sensitivity = 1;
    if (r->kind == LE_CASE_CHECK) {
        for (int d = 0; d < 5; d++)
            s[d] = r->index < 6 ? edges[r->index][d]
                                : 1 + (double)(le_case_random(c) % (d < 3 ? 20 : 5));
        sensitivity = 1 + (double)(r->index % 3) / 2;
    }
    if (r->kind == LE_CASE_BENCH)
        s[1] = s[2] = r->size > 0 ? (double)r->size : 100;
    if (r->kind == LE_CASE_TRIAL && r->like) {
        s[0] = le_call_in(r->like, RGC_IMAGE)->ndim == 2 ? 0 : 2;
        s[3] = (double)le_call_i64(r->like, RGC_MAGNIFICATION);
        s[1] += 2 * le_call_f64(r->like, RGC_RADIUS);
        s[2] += 2 * le_call_f64(r->like, RGC_RADIUS);
    }
    const int64_t m = (int64_t)s[3], t = (int64_t)s[0], h = (int64_t)s[1] * m,
                  w = (int64_t)s[2] * m;
    static const char *const names[] = {"image", "gradient_col", "gradient_row"};
    const le_dtype dtype = r->kind == LE_CASE_CHECK && r->index % 4 == 3 ? LE_F64 : LE_F32;
    for (int i = 0; i < 3; i++) {
        const int64_t shape[3] = {t, h * (i ? 2 : 1), w * (i ? 2 : 1)};
        le_tensor *a = le_case_in(c, names[i], dtype, t ? 3 : 2, shape + (t ? 0 : 1));
        for (int64_t k = 0; a && k < le_tensor_count(a); k++)
            le_tensor_set(a, k,
                          i ? 10 * le_case_normal(c) * (double)(r->index % 5 != 2)
                            : 100 * le_case_uniform(c));
    }
    le_case_i64(c, "magnification", m);
    if (r->kind == LE_CASE_TRIAL && r->like) {
        le_case_like(c, r->like);
    } else {
        le_case_f64(c, "radius", s[4]);
        le_case_f64(c, "sensitivity", sensitivity);
        le_case_i64(c, "intensity_weighting", r->index % 2 == 0);
    }
    le_case_out(c, "result", LE_F32);
    return le_case_status(c);
}

/* One frame. */
static le_status part(const le_call *call, uint64_t random, le_case *out, int64_t *first) {
    *first = le__sr_pick_frame(le_call_in(call, RGC_IMAGE), random);
    if (*first < 0)
        return LE_ERR_UNSUPPORTED;
    le__sr_case_frames(out, "image", le_call_in(call, RGC_IMAGE), *first, 1);
    le__sr_case_frames(out, "gradient_col", le_call_in(call, RGC_GRADIENT_COL), *first, 1);
    le__sr_case_frames(out, "gradient_row", le_call_in(call, RGC_GRADIENT_ROW), *first, 1);
    le_case_like(out, call);
    return le_case_status(out);
}

static bool slabs(const le_call *call, le_slabs *out) {
    static const int cut[] = {RGC_IMAGE, RGC_GRADIENT_COL, RGC_GRADIENT_ROW, RGC_RESULT};
    return le__sr_slabs(le_call_in(call, RGC_IMAGE), cut, 4, out);
}

extern const le_operation le_operation_radial_gradient_convergence;
const le_operation le_operation_radial_gradient_convergence = {
    LE__SR_OPERATION("radial_gradient_convergence",
                     "how well the gradients around each pixel point to it",
                     "eSRRF: Laine et al., Nature Methods 2023"),
    .part = part,
};
