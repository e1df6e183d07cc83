/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation sigma_clip: statistics of pixels without those that lie far
 * from the rest.
 */
#include "imaging/sigma_clip.h"

#include "imaging/scene.h"

#include <string.h>

static const le_arg_desc args[] = {
    [SIGMA_CLIP_IMAGE] = LE__IM_IMAGE("image", "pixels; those not finite are left out"),
    LE__IM_CLIP_ARGS(SIGMA_CLIP_SETTINGS),
    [SIGMA_CLIP_AXIS] = {.name = "axis",
                         .doc = "each line of pixels along it is clipped apart "
                                "(frames of a stack: 0; a negative one counts from the last, "
                                "-1); absent: all pixels as one",
                         .type = LE_TYPE_I64,
                         .optional = true,
                         .cost = true,
                         .min = -LE__IM_AXES,
                         .max = LE__IM_AXES - 1},
    [SIGMA_CLIP_STATISTICS] = {.name = "statistics",
                               .doc = "count, rejected, iterations, median, mean, std, lower, "
                                      "upper, minimum, maximum: of the kept pixels, NaN where none "
                                      "is; rejected are finite",
                               .type = LE_TYPE_OUT,
                               .optional = true,
                               .dtypes = LE_DTYPE_BIT(LE_F64),
                               .min_ndim = 1,
                               .max_ndim = LE__IM_AXES,
                               .shape = "[10], with axis [10, the other axes]"},
    [SIGMA_CLIP_MASK] = {.name = "mask",
                         .doc = "1: rejected, or not finite",
                         .type = LE_TYPE_OUT,
                         .optional = true,
                         .dtypes = LE_DTYPE_BIT(LE_U8),
                         .min_ndim = 1,
                         .max_ndim = LE__IM_AXES,
                         .shape = "as image"}};

/* --- calls --- */

int le__im_clip_axis(const le_call *call) {
    const int axis = (int)le_call_i64(call, SIGMA_CLIP_AXIS);
    return axis < 0 ? axis + le_call_in(call, SIGMA_CLIP_IMAGE)->ndim : axis;
}

le__im_sets le__im_sets_of(const le_call *call) {
    const le_tensor *image = le_call_in(call, SIGMA_CLIP_IMAGE);
    const int64_t count = le_tensor_count(image);
    if (!le_call_given(call, SIGMA_CLIP_AXIS))
        return (le__im_sets){1, count, 1};
    const int axis = le__im_clip_axis(call);
    le__im_sets sets = {1, image->shape[axis], 1};
    for (int d = 0; d < image->ndim; d++)
        if (d != axis)
            sets.n *= image->shape[d];
    for (int d = axis + 1; d < image->ndim; d++)
        sets.step *= image->shape[d];
    return sets;
}

bool le__im_is_one_set(const le_call *call) {
    return !le_call_given(call, SIGMA_CLIP_AXIS) || le_call_in(call, SIGMA_CLIP_IMAGE)->ndim == 1;
}

le__im_clip_outputs le__im_clip_outputs_of(const le_call *call) {
    le__im_clip_outputs out = {NULL, NULL};
    if (le_call_given(call, SIGMA_CLIP_STATISTICS))
        out.statistics = le_call_out(call, SIGMA_CLIP_STATISTICS)->data;
    if (le_call_given(call, SIGMA_CLIP_MASK))
        out.mask = le_call_out(call, SIGMA_CLIP_MASK)->data;
    return out;
}

void le__im_clip_mask(const le__im_clipped *c, const le__im_pixels *image, int64_t begin,
                      int64_t end, uint8_t *mask) {
    enum { BLOCK = 512 };
    double values[BLOCK];
    for (int64_t at = begin; at < end; at += BLOCK) {
        const int64_t n = end - at < BLOCK ? end - at : BLOCK;
        le__im_load(image, at, n, values);
        for (int64_t i = 0; i < n; i++)
            mask[at + i] = !le__im_keeps(c, values[i]);
    }
}

static le_status check(le_call *call) {
    const le_tensor *image = le_call_in(call, SIGMA_CLIP_IMAGE);
    int64_t shape[1 + LE__IM_AXES] = {LE__IM_STATISTICS};
    int ndim = 1;
    if (le_call_given(call, SIGMA_CLIP_AXIS)) {
        const int axis = le__im_clip_axis(call);
        if (axis < 0 || axis >= image->ndim)
            return le_fail(LE_ERR_ARGUMENT,
                           "sigma_clip: axis is %d, expected %d to %d for an image of %d axes",
                           (int)le_call_i64(call, SIGMA_CLIP_AXIS), -image->ndim, image->ndim - 1,
                           image->ndim);
        for (int d = 0; d < image->ndim; d++)
            if (d != axis)
                shape[ndim++] = image->shape[d];
    }
    if (!le_call_given(call, SIGMA_CLIP_STATISTICS) && !le_call_given(call, SIGMA_CLIP_MASK))
        return le_fail(LE_ERR_ARGUMENT, "sigma_clip: no output, expected statistics or mask");
    le_status status = LE_OK;
    if (le_call_given(call, SIGMA_CLIP_STATISTICS))
        status = le_call_set_out(call, SIGMA_CLIP_STATISTICS, LE_F64, ndim, shape);
    if (status == LE_OK && le_call_given(call, SIGMA_CLIP_MASK))
        status = le_call_set_out(call, SIGMA_CLIP_MASK, LE_U8, image->ndim, image->shape);
    return status;
}

static void work(const le_call *call, le_work *out) {
    const le_tensor *image = le_call_in(call, SIGMA_CLIP_IMAGE);
    const double n = (double)le_tensor_count(image);
    *out = (le_work){8 * n + 1, n * (double)le_dtype_size(image->dtype)};
}

/* --- comparisons --- */

static double compare(const le_call *answer, const le_call *trusted) {
    const le__im_clip_outputs a = le__im_clip_outputs_of(answer),
                              b = le__im_clip_outputs_of(trusted);
    const le__im_sets sets = le__im_sets_of(trusted);
    double worst = 0;
    for (int64_t s = 0; a.statistics && s < sets.n; s++)
        worst =
            fmax(worst, le__im_compare_statistics(a.statistics + s, b.statistics + s, sets.n, 0));
    if (a.mask && memcmp(a.mask, b.mask, (size_t)(sets.n * sets.length)) != 0)
        return INFINITY;
    return worst;
}

/* --- cases --- */

static void put_settings(le_case *c, int64_t i) {
    static const double sigmas[] = {3, 2, 2.5, 4, 1}, far[] = {1e4, 1e8, 1e300};
    le_case_str(c, "center", le__im_centers[i / 2 % 2]);
    le_case_str(c, "deviation", le__im_deviations[i / 3 % 4 == 3]);
    le_case_str(c, "bounds", le__im_bounds[i / 5 % 2]);
    le_case_str(c, "keep", le__im_keep_words[i / 7 % 2]);
    le_case_f64(c, "sigma_lower", sigmas[i % 5]);
    le_case_f64(c, "sigma_upper", i % 8 == 7 ? far[i / 8 % 3] : sigmas[i / 4 % 5]);
    le_case_i64(c, "maxiters", i % 6 == 4 ? 1 + i % 3 : 0);
}

static le_status make_case(le_case *c, const le_case_request *r) {
    const int64_t i = r->kind == LE_CASE_CHECK ? r->index : 0;
    le_tensor *image = le__im_scene(c, r, SIGMA_CLIP_IMAGE);
    if (!image)
        return le_case_status(c);
    if (r->like) {
        le_case_like(c, r->like);
    } else {
        put_settings(c, i);
        if (r->kind == LE_CASE_CHECK && i % 4 == 2)
            le_case_i64(c, "axis", i / 4 % (2 * image->ndim) - image->ndim);
    }
    if (!r->like || le_call_given(r->like, SIGMA_CLIP_STATISTICS))
        le_case_out(c, "statistics", LE_F64);
    if (r->like ? le_call_given(r->like, SIGMA_CLIP_MASK) : r->kind == LE_CASE_CHECK && i % 3)
        le_case_out(c, "mask", LE_U8);
    return le_case_status(c);
}

extern const le_operation le_operation_sigma_clip;
const le_operation le_operation_sigma_clip = {
    .abi = LE_METHOD_ABI,
    .name = "sigma_clip",
    .family = "imaging",
    .summary = "statistics of pixels without those far from the rest",
    .reference = "kappa-sigma clipping; astropy.stats.sigma_clip; scipy.stats.sigmaclip",
    .args = args,
    .n_args = sizeof args / sizeof args[0],
    .check = check,
    .work = work,
    .atol = 1e-11,
    .make_case = make_case,
    .compare = compare};
