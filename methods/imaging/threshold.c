/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation threshold: which pixels are above a level.
 */
#include "imaging/threshold.h"

#include "imaging/scene.h"

#include <string.h>

const char *const le__im_rules[] = {"std", "median", NULL};

#define MAP(the_name, the_doc)                                                                     \
    {                                                                                              \
        .name = the_name, .doc = the_doc, .type = LE_TYPE_IN, .optional = true,                    \
        .dtypes = LE_DTYPES_FLOAT, .min_ndim = 1, .max_ndim = LE__IM_AXES, .shape = "as image"     \
    }

static const le_arg_desc args[] = {
    [THRESHOLD_IMAGE] = LE__IM_IMAGE("image", "pixels"),
    [THRESHOLD_LEVEL] = {.name = "level",
                         .doc = "pixels above it are marked, compared in double; nan marks none",
                         .type = LE_TYPE_F64,
                         .optional = true},
    [THRESHOLD_STATISTICS] = {.name = "statistics",
                              .doc = "of sigma_clip: the level follows from them by k and rule",
                              .type = LE_TYPE_IN,
                              .optional = true,
                              .dtypes = LE_DTYPE_BIT(LE_F64),
                              .min_ndim = 1,
                              .max_ndim = 1,
                              .shape = "[10]"},
    [THRESHOLD_K] = {.name = "k",
                     .doc = "standard deviations, or noises, of the level; not with level",
                     .type = LE_TYPE_F64,
                     .optional = true,
                     .has_default = true,
                     .default_f64 = 5},
    [THRESHOLD_RULE] = {.name = "rule",
                        .doc = "level from the statistics: std: k std; median: median + k std; "
                               "not with level",
                        .type = LE_TYPE_STR,
                        .optional = true,
                        .words = le__im_rules,
                        .default_str = "std"},
    [THRESHOLD_BACKGROUND] = MAP("background", "each pixel's own, with noise: what is more than k "
                                               "noises above it is marked"),
    [THRESHOLD_NOISE] = MAP("noise", "standard deviation of each pixel"),
    [THRESHOLD_MASK] = {.name = "mask",
                        .doc = "1: above the level, else 0; not a number is never above",
                        .type = LE_TYPE_OUT,
                        .dtypes = LE_DTYPE_BIT(LE_U8),
                        .min_ndim = 1,
                        .max_ndim = LE__IM_AXES,
                        .shape = "as image"}};

double le__im_level(const double statistics[LE__IM_STATISTICS], double k, bool median) {
    enum { MEDIAN = 3, STD = 5 };
    return (median ? statistics[MEDIAN] : 0) + k * statistics[STD];
}

double le__im_threshold_level(const le_call *call) {
    double statistics[LE__IM_STATISTICS];
    if (!le_call_given(call, THRESHOLD_STATISTICS))
        return le_call_f64(call, THRESHOLD_LEVEL);
    for (int k = 0; k < LE__IM_STATISTICS; k++)
        statistics[k] = le_tensor_get(le_call_in(call, THRESHOLD_STATISTICS), k);
    return le__im_level(statistics, le_call_f64(call, THRESHOLD_K),
                        !strcmp(le_call_str(call, THRESHOLD_RULE), "median"));
}

static bool as_image(const le_call *call, int arg) {
    const le_tensor *image = le_call_in(call, THRESHOLD_IMAGE), *map = le_call_in(call, arg);
    bool same = map->ndim == image->ndim;
    for (int d = 0; same && d < image->ndim; d++)
        same = map->shape[d] == image->shape[d];
    return same;
}

static le_status check(le_call *call) {
    const le_tensor *image = le_call_in(call, THRESHOLD_IMAGE);
    const bool level = le_call_given(call, THRESHOLD_LEVEL),
               statistics = le_call_given(call, THRESHOLD_STATISTICS),
               background = le_call_given(call, THRESHOLD_BACKGROUND),
               noise = le_call_given(call, THRESHOLD_NOISE);
    if (background != noise)
        return le_fail(LE_ERR_ARGUMENT, "threshold: %s without %s, expected both",
                       background ? "background" : "noise", background ? "noise" : "background");
    if (level + statistics + background != 1)
        return le_fail(LE_ERR_ARGUMENT,
                       "threshold: %s, expected one of level, statistics, and "
                       "background with noise",
                       (level + statistics + background > 1) ? "several levels" : "no level");
    for (int arg = THRESHOLD_K; level && arg <= THRESHOLD_RULE; arg++)
        if (le_call_given(call, arg))
            return le_fail(
                LE_ERR_ARGUMENT,
                "threshold: level with %s, expected level alone, or %s with statistics%s",
                args[arg].name, args[arg].name,
                arg == THRESHOLD_K ? " or with background and noise" : "");
    if (statistics && le_call_in(call, THRESHOLD_STATISTICS)->shape[0] != LE__IM_STATISTICS)
        return le_fail(LE_ERR_SHAPE, "threshold: statistics has %d elements, expected 10",
                       (int)le_call_in(call, THRESHOLD_STATISTICS)->shape[0]);
    if (background && (!as_image(call, THRESHOLD_BACKGROUND) || !as_image(call, THRESHOLD_NOISE)))
        return le_fail(LE_ERR_SHAPE, "threshold: background and noise have another shape than "
                                     "image");
    return le_call_set_out(call, THRESHOLD_MASK, LE_U8, image->ndim, image->shape);
}

static void work(const le_call *call, le_work *out) {
    const le_tensor *image = le_call_in(call, THRESHOLD_IMAGE);
    const double n = (double)le_tensor_count(image);
    *out = (le_work){n + 1, n * (1 + (double)le_dtype_size(image->dtype))};
}

static le_status put_maps(le_case *c, const le_tensor *image) {
    for (int k = 0; k < 2; k++) {
        le_tensor *map = le_case_in(c, k ? "noise" : "background", k ? LE_F32 : LE_F64, image->ndim,
                                    image->shape);
        for (int64_t i = 0; map && i < le_tensor_count(map); i++)
            le_tensor_set(map, i, k ? 0.01 * le_case_uniform(c) : 0.005 * le_case_normal(c));
    }
    return le_case_status(c);
}

static void put_level(le_case *c, const le_case_request *r, const le_tensor *image) {
    static const double levels[] = {0.013, 104.5, 20, NAN, -1, 0.1, -INFINITY, 255, 1e12};
    const int64_t i = r->kind == LE_CASE_CHECK ? r->index : 0;
    const int kind = r->like ? (le_call_given(r->like, THRESHOLD_LEVEL)        ? 0
                                : le_call_given(r->like, THRESHOLD_STATISTICS) ? 1
                                                                               : 2)
                             : (int)(i % 5 < 3 ? 0 : i % 5 - 2);
    if (kind == 2)
        put_maps(c, image);
    if (kind == 1) {
        le_tensor *s = le_case_in(c, "statistics", LE_F64, 1, (int64_t[]){LE__IM_STATISTICS});
        for (int k = 0; s && k < LE__IM_STATISTICS; k++)
            le_tensor_set(s, k, 0.01 * k);
    }
    if (kind == 1 && !r->like)
        le_case_str(c, "rule", le__im_rules[r->index / 3 % 2]);
    if (kind == 0 && !r->like)
        le_case_f64(c, "level", levels[i / 2 % 9]);
}

static le_status make_case(le_case *c, const le_case_request *r) {
    const le_tensor *image = le__im_scene(c, r, THRESHOLD_IMAGE);
    if (!image)
        return le_case_status(c);
    put_level(c, r, image);
    le_case_like(c, r->like);
    le_case_out(c, "mask", LE_U8);
    return le_case_status(c);
}

extern const le_operation le_operation_threshold;
const le_operation le_operation_threshold = {.abi = LE_METHOD_ABI,
                                             .name = "threshold",
                                             .family = "imaging",
                                             .summary = "1 where a pixel is above a level",
                                             .reference = "definition",
                                             .args = args,
                                             .n_args = sizeof args / sizeof args[0],
                                             .check = check,
                                             .work = work,
                                             .make_case = make_case};
