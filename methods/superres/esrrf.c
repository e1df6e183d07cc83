/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation esrrf: enhanced super-resolution radial fluctuations of an image stack.
 */
#include "esrrf.h"

#include "sr_operation.h"

#include "liquid_engine/le_chain.h"

#include <math.h>

static const le_arg_desc args[] = {
    [ESRRF_IMAGE] = LE__SR_FRAMES_IN,
    [ESRRF_MAGNIFICATION] = LE__SR_MAGNIFICATION_ARG("output pixels an input pixel, each way"),
    [ESRRF_RADIUS] =
        LE__SR_RADIUS_ARG("radius of the convergence in input pixels, about the sigma of a spot"),
    [ESRRF_SENSITIVITY] = LE__SR_SENSITIVITY_ARG,
    [ESRRF_INTENSITY_WEIGHTING] =
        LE__SR_SWITCH_ARG("intensity_weighting", "1: times the magnified image"),
    [ESRRF_FRAMES_PER_TIMEPOINT] = LE__SR_TIMEPOINT_ARG,
    [ESRRF_TEMPORAL] = LE__SR_WORD("temporal",
                                   "none: every frame; mean, variance or autocorrelation at lag 1 "
                                   "over the frames of a time point",
                                   le__sr_temporal_words, "avg"),
    [ESRRF_MACRO_PIXEL_CORRECTION] = LE__SR_SWITCH_ARG(
        "macro_pixel_correction", "1: divide by the mean of each sub-pixel phase"),
    [ESRRF_RESULT] =
        LE__SR_STACK_OUT("result", "one image a time point", "[N,H*M,W*M], [H*M,W*M] for [H,W]"),
};

le__esrrf le__esrrf_of(const le_call *call) {
    le__esrrf e = {.in = le__sr_stack_of(le_call_in(call, ESRRF_IMAGE)),
                   .out = le__sr_stack_of(le_call_out(call, ESRRF_RESULT))};
    e.rgc = le__sr_rgc_make(e.in.rows, e.in.cols, le_call_i64(call, ESRRF_MAGNIFICATION),
                            le_call_f64(call, ESRRF_RADIUS), le_call_f64(call, ESRRF_SENSITIVITY),
                            le_call_i64(call, ESRRF_INTENSITY_WEIGHTING) != 0);
    e.temporal = le__sr_temporal_of(le_call_str(call, ESRRF_TEMPORAL));
    e.per_timepoint = 1;
    if (e.temporal != LE__SR_NONE)
        e.per_timepoint =
            le__sr_timepoint_frames(e.in.frames, le_call_i64(call, ESRRF_FRAMES_PER_TIMEPOINT));
    e.correct = le_call_i64(call, ESRRF_MACRO_PIXEL_CORRECTION) != 0;
    return e;
}

static le_status check(le_call *call) {
    const le_tensor *image = le_call_in(call, ESRRF_IMAGE);
    le_status status = le__sr_check_image(image, "esrrf", "image");
    if (status != LE_OK)
        return status;
    const int64_t m = le_call_i64(call, ESRRF_MAGNIFICATION);
    const int d = image->ndim - 2;
    const int64_t frames = d ? image->shape[0] : 1;
    int64_t points = frames;
    if (le__sr_temporal_of(le_call_str(call, ESRRF_TEMPORAL)) != LE__SR_NONE)
        points = le__sr_timepoints(frames, le_call_i64(call, ESRRF_FRAMES_PER_TIMEPOINT));
    const int64_t shape[3] = {points, image->shape[d] * m, image->shape[d + 1] * m};
    return le_call_set_out(call, ESRRF_RESULT, LE_F32, image->ndim, shape + (d ? 0 : 1));
}

static void work(const le_call *call, le_work *out) {
    const le_tensor *image = le_call_in(call, ESRRF_IMAGE);
    const double m = (double)le_call_i64(call, ESRRF_MAGNIFICATION);
    const double k = 2 * floor(2 * le_call_f64(call, ESRRF_RADIUS)) + 1;
    const double n = (double)le_tensor_count(image);
    out->operations = n * (m * m * (8 * 0.8 * k * k + 20) + 200);
    out->bytes = n * (double)le_dtype_size(image->dtype) +
                 4 * (double)le_tensor_count(le_call_out(call, ESRRF_RESULT));
}

/* ----------------------------------------------------------------------------------- chain --- */

static le_value magnified(le_chain *chain, le_value image, double magnification) {
    le_value out = le_chain_temp(chain);
    le_chain_add(chain, "shift_magnify", LE_VALUE_IN("image", image), LE_VALUE_OUT("result", out),
                 LE_F64("magnification_row", magnification),
                 LE_F64("magnification_col", magnification), LE_STR("interpolator", "catmull_rom"));
    return out;
}

/* The step by step form; the last step writes the result. */
static le_status expand(const le_call *call, le_chain *chain) {
    const double m = (double)le_call_i64(call, ESRRF_MAGNIFICATION);
    const bool project = le__sr_temporal_of(le_call_str(call, ESRRF_TEMPORAL)) != LE__SR_NONE;
    const bool correct = le_call_i64(call, ESRRF_MACRO_PIXEL_CORRECTION) != 0;
    const le_value image = le_chain_arg(chain, ESRRF_IMAGE),
                   result = le_chain_arg(chain, ESRRF_RESULT);
    const le_value col = le_chain_temp(chain), row = le_chain_temp(chain);
    le_chain_add(chain, "roberts_cross", LE_VALUE_IN("image", image),
                 LE_VALUE_OUT("gradient_col", col), LE_VALUE_OUT("gradient_row", row));
    le_value value = project || correct ? le_chain_temp(chain) : result;
    le_chain_add(chain, "radial_gradient_convergence",
                 LE_VALUE_IN("image", magnified(chain, image, m)),
                 LE_VALUE_IN("gradient_col", magnified(chain, col, 2 * m)),
                 LE_VALUE_IN("gradient_row", magnified(chain, row, 2 * m)),
                 le_chain_pass(call, ESRRF_MAGNIFICATION, "magnification"),
                 le_chain_pass(call, ESRRF_RADIUS, "radius"),
                 le_chain_pass(call, ESRRF_SENSITIVITY, "sensitivity"),
                 le_chain_pass(call, ESRRF_INTENSITY_WEIGHTING, "intensity_weighting"),
                 LE_VALUE_OUT("result", value));
    if (project) {
        const le_value projected = correct ? le_chain_temp(chain) : result;
        le_chain_add(chain, "temporal_projection", LE_VALUE_IN("image", value),
                     LE_STR("temporal", le_call_str(call, ESRRF_TEMPORAL)),
                     le_chain_pass(call, ESRRF_FRAMES_PER_TIMEPOINT, "frames_per_timepoint"),
                     LE_VALUE_OUT("result", projected));
        value = projected;
    }
    if (correct)
        le_chain_add(chain, "macro_pixel_correction", LE_VALUE_IN("image", value),
                     le_chain_pass(call, ESRRF_MAGNIFICATION, "magnification"),
                     LE_VALUE_OUT("result", result));
    return le_chain_status(chain);
}

/* ----------------------------------------------------------------------------------- cases --- */

typedef struct shape_case {
    int64_t t, h, w; /* t 0: [H,W] */
    int64_t magnification;
    double radius, sensitivity;
    int64_t per_timepoint;
    int temporal;
} shape_case;

static const shape_case edges[] = {
    {2, 1, 1, 5, 0.5, 1, 0, 1},   {0, 1, 17, 4, 0.2, 1, 0, 0},    {2, 13, 1, 3, 0.3, 1, 0, 1},
    {3, 2, 2, 6, 1, 1, 0, 2},     {2, 9, 9, 4, 5, 1, 0, 1},       {3, 20, 23, 1, 1.5, 1, 2, 1},
    {3, 20, 23, 1, 3.3, 2, 0, 3}, {7, 16, 20, 3, 1.5, 1, 3, 2},   {7, 16, 20, 3, 1.5, 1, 3, 3},
    {1, 17, 21, 5, 1.5, 1, 0, 3}, {1, 14, 15, 5, 1.4, 2.5, 0, 0}, {2, 11, 10, 10, 1.3, 1, 0, 1},
    {2, 13, 11, 8, 1, 2, 0, 0},   {3, 33, 40, 2, 6.7, 1, 5, 1},   {0, 30, 70, 5, 0.1, 1, 0, 0},
    {4, 24, 81, 5, 1.5, 1, 0, 2}, {3, 44, 47, 2, 10, 1.5, 0, 1},
};

static void put(le_case *c, const shape_case *s, bool weighting, bool correct) {
    le_case_i64(c, "magnification", s->magnification);
    le_case_f64(c, "radius", s->radius);
    le_case_f64(c, "sensitivity", s->sensitivity);
    le_case_i64(c, "intensity_weighting", weighting);
    le_case_i64(c, "frames_per_timepoint", s->per_timepoint);
    le_case_str(c, "temporal", le__sr_temporal_words[s->temporal]);
    le_case_i64(c, "macro_pixel_correction", correct);
    le_case_out(c, "result", LE_F32);
}

static le_tensor *put_image(le_case *c, const shape_case *s, le_dtype dtype) {
    const int64_t shape[3] = {s->t, s->h, s->w};
    return le_case_in(c, "image", dtype, s->t ? 3 : 2, shape + (s->t ? 0 : 1));
}

static le_status check_case(le_case *c, const le_case_request *r) {
    const int64_t n = sizeof edges / sizeof edges[0], i = r->index;
    shape_case s = edges[i % n];
    if (i >= n) {
        s.h = 8 + (int64_t)(le_case_random(c) % 40);
        s.w = 8 + (int64_t)(le_case_random(c) % 60);
        s.t = 1 + (int64_t)(le_case_random(c) % 4);
        s.radius = 0.1 * (double)(4 + le_case_random(c) % 24);
    }
    le_tensor *t = put_image(c, &s, le__case_dtype(r, ESRRF_IMAGE));
    if (!t)
        return le_case_status(c);
    if (i % 5 == 4)
        le__sr_fill_content(c, t, i / 5 % LE__SR_CONTENTS);
    else
        le__sr_fill_spots(c, t);
    put(c, &s, i % 3 != 0, i % 2 != 0);
    return le_case_status(c);
}

static le_status trial_case(le_case *c, const le_case_request *r) {
    shape_case s = {2, 20, 24, 5, 1.5, 1, 0, 1};
    le_dtype dtype = LE_F32;
    if (r->like) {
        const le_tensor *image = le_call_in(r->like, ESRRF_IMAGE);
        const int64_t reach = (int64_t)(2 * le_call_f64(r->like, ESRRF_RADIUS));
        dtype = image->dtype;
        s.t = image->ndim == 2 ? 0 : image->shape[0] < 3 ? image->shape[0] : 3;
        s.h += reach; /* enough that some pixels lie inside the margin */
        s.w += reach;
    }
    le_tensor *t = put_image(c, &s, dtype);
    if (!t)
        return le_case_status(c);
    le__sr_fill_spots(c, t);
    if (r->like)
        le_case_like(c, r->like);
    else
        put(c, &s, true, true);
    if (r->like)
        le_case_out(c, "result", LE_F32);
    return le_case_status(c);
}

static le_status bench_case(le_case *c, const le_case_request *r) {
    const int64_t n = r->size > 0 ? r->size : 128;
    const shape_case s = {n <= 256 ? 10 : 2, n, n, 5, 1.5, 1, 0, 1};
    le_tensor *t = put_image(c, &s, le__case_dtype(r, ESRRF_IMAGE));
    if (!t)
        return le_case_status(c);
    le__sr_fill_spots(c, t);
    put(c, &s, true, true);
    return le_case_status(c);
}

static le_status make_case(le_case *out, const le_case_request *r) {
    switch (r->kind) {
    case LE_CASE_CHECK:
        return check_case(out, r);
    case LE_CASE_TRIAL:
        return trial_case(out, r);
    default:
        return bench_case(out, r);
    }
}

/* One time point of several; of a single one a window, since all its pixels go into the means of
 * phases. */
static le_status part(const le_call *call, uint64_t random, le_case *out, int64_t *first) {
    const le__esrrf e = le__esrrf_of(call);
    const le_tensor *image = le_call_in(call, ESRRF_IMAGE);
    *first = le__sr_pick_frame(le_call_out(call, ESRRF_RESULT), random);
    if (*first >= 0) {
        const int64_t begin = *first * e.per_timepoint, left = e.in.frames - begin;
        le__sr_case_frames(out, "image", image, begin,
                           left < e.per_timepoint ? left : e.per_timepoint);
    } else {
        *first = LE_PART_APART;
        if (!le__sr_case_window(out, "image", image, random))
            return LE_ERR_UNSUPPORTED;
    }
    le_case_like(out, call);
    return le_case_status(out);
}

/* Whole time points; an uncorrected mean of all frames is the mean of the means of slabs. */
static bool slabs(const le_call *call, le_slabs *out) {
    static const int cut[] = {ESRRF_IMAGE, ESRRF_RESULT};
    const le__esrrf e = le__esrrf_of(call);
    if (!le__sr_slabs(le_call_in(call, ESRRF_IMAGE), cut, 2, out))
        return false;
    if (e.temporal != LE__SR_NONE && e.out.frames == 1) {
        out->args[ESRRF_RESULT].axis = 0;
        out->args[ESRRF_RESULT].merge = LE_MERGE_MEAN;
        out->why = "all frames become one, and not as a mean alone";
        return e.temporal == LE__SR_AVG && !e.correct;
    }
    out->multiple = e.per_timepoint;
    out->args[ESRRF_RESULT].divide = (int32_t)e.per_timepoint;
    return true;
}

/* Rows of all frames. A result depends on the rows that its window reaches, on the four that each
 * of these is interpolated from, and one more for the gradients; the margin of a tile is no wider.
 * The correction needs the whole image. */
static bool tiles(const le_call *call, le_slabs *out) {
    static const int cut[] = {ESRRF_IMAGE, ESRRF_RESULT};
    const int64_t halo = (int64_t)ceil(le_call_f64(call, ESRRF_RADIUS)) + 5;
    out->args[ESRRF_RESULT].scale = (int32_t)le_call_i64(call, ESRRF_MAGNIFICATION);
    return !le_call_i64(call, ESRRF_MACRO_PIXEL_CORRECTION) &&
           le__sr_tiles(call, cut, 2, halo, out);
}

extern const le_operation le_operation_esrrf;
const le_operation le_operation_esrrf = {
    LE__SR_OPERATION(
        "esrrf", "enhanced super-resolution radial fluctuations",
        "Laine et al., Nature Methods 2023; NanoPyx: Saraiva et al., Nature Methods 2025"),
    .expand = expand,
    .part = part,
    .tiles = tiles,
};
