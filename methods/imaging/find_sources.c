/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation find_sources: from an image to the catalogue of its sources.
 */
#include "imaging/find_sources.h"

#include "imaging/background.h"
#include "imaging/label.h"
#include "imaging/scene.h"
#include "imaging/sigma_clip.h"
#include "imaging/threshold.h"
#include "liquid_engine/le_chain.h"

#include <string.h>

static const char *const backgrounds[] = {"global", "mesh", NULL};

static const le_arg_desc args[] = {
    [FIND_IMAGE] = LE__IM_IMAGE("image", "pixels; those not finite are left out"),
    [FIND_K] = {.name = "k",
                .doc = "a source is brighter than so many standard deviations "
                       "of the clipped image",
                .type = LE_TYPE_F64,
                .optional = true,
                .has_default = true,
                .default_f64 = 5},
    [FIND_RULE] = {.name = "rule",
                   .doc = "level of sources: std: k std; median: median + k std",
                   .type = LE_TYPE_STR,
                   .optional = true,
                   .words = le__im_rules,
                   .default_str = "std"},
    [FIND_CONNECTIVITY] = LE__IM_CONNECTIVITY_ARG,
    LE__IM_CLIP_ARGS(FIND_CLIP),
    [FIND_BACKGROUND] = {.name = "background",
                         .doc = "global: one level for the image; mesh: k noises above the "
                                "background, both of cells of a mesh (two axes)",
                         .type = LE_TYPE_STR,
                         .optional = true,
                         .cost = true,
                         .words = backgrounds,
                         .default_str = "global"},
    [FIND_CELL] = LE__IM_CELL_ARG,
    [FIND_KERNEL] = {.name = "kernel",
                     .doc = "the image is convolved with it before clip and threshold (two axes); "
                            "sources are measured in the image itself",
                     .type = LE_TYPE_TABLE,
                     .optional = true,
                     .min_ndim = 2,
                     .max_ndim = 2,
                     .shape = "[K,L]",
                     .min_count = 1},
    [FIND_FLOOD] = {.name = "flood",
                    .doc = "a source reaches down to so many standard deviations around its pixels "
                           "above k; default: k",
                    .type = LE_TYPE_F64,
                    .optional = true,
                    .cost = true},
    [FIND_MINIMUM_AREA] = {.name = "minimum_area",
                           .doc = "pixels of a source at least",
                           .type = LE_TYPE_I64,
                           .optional = true,
                           .cost = true,
                           .min = 0,
                           .max = 1e9,
                           .has_default = true,
                           .default_f64 = 1},
    [FIND_COLUMNS] = LE__IM_COLUMNS_ARG,
    [FIND_SATURATION] = LE__IM_SATURATION_ARG,
    [FIND_CATALOGUE] = LE__IM_CATALOGUE_OUT(true),
    [FIND_LABELS] = LE__IM_LABELS_ARG("labels", "0: background; else the number of the source",
                                      LE_TYPE_OUT, true, "as image"),
    [FIND_STATISTICS] = {.name = "statistics",
                         .doc = "of the clip: count, rejected, iterations, median, mean, std, "
                                "lower, upper, minimum, maximum",
                         .type = LE_TYPE_OUT,
                         .optional = true,
                         .dtypes = LE_DTYPE_BIT(LE_F64),
                         .min_ndim = 1,
                         .max_ndim = 1,
                         .shape = "[10]"}};

bool le__im_find_mesh(const le_call *call) {
    return !strcmp(le_call_str(call, FIND_BACKGROUND), "mesh");
}

int64_t le__im_find_mesh_memory(const le_call *call) {
    const le__im_shape s = le__im_shape_of(le_call_in(call, FIND_IMAGE));
    const le__im_mesh mesh = le__im_mesh_of(s.rows, s.cols, le_call_i64(call, FIND_CELL));
    return le__im_find_mesh(call) ? le__im_mesh_memory(call, &mesh, LE__IM_MESH_FILTER) : 0;
}

bool le__im_find_selects(const le_call *call) {
    return le_call_given(call, FIND_FLOOD) || le_call_i64(call, FIND_MINIMUM_AREA) > 1;
}

static le_status check_settings(const le_call *call) {
    const int ndim = le_call_in(call, FIND_IMAGE)->ndim;
    if (ndim != 2 && (le__im_find_mesh(call) || le_call_given(call, FIND_KERNEL)))
        return le_fail(LE_ERR_ARGUMENT, "find_sources: %s of an image of %d axes, expected two",
                       le__im_find_mesh(call) ? "background=mesh" : "a kernel", ndim);
    if (le_call_given(call, FIND_FLOOD) &&
        !(le_call_f64(call, FIND_FLOOD) <= le_call_f64(call, FIND_K)))
        return le_fail(LE_ERR_ARGUMENT, "find_sources: flood is %g, expected at most k, %g",
                       le_call_f64(call, FIND_FLOOD), le_call_f64(call, FIND_K));
    return LE_OK;
}

static le_status check(le_call *call) {
    enum { ROOM = 1024 };
    const le__im_table table = le__im_table_of(call, FIND_IMAGE, FIND_COLUMNS, FIND_SATURATION);
    const le_tensor *image = le_call_in(call, FIND_IMAGE);
    le_status status = le__im_check_connectivity("find_sources",
                                                 le_call_i64(call, FIND_CONNECTIVITY), image->ndim);
    if (status == LE_OK)
        status = le__im_check_count("find_sources", image);
    if (status == LE_OK)
        status = check_settings(call);
    if (status != LE_OK)
        return status;
    if (!le_call_given(call, FIND_CATALOGUE) && !le_call_given(call, FIND_LABELS) &&
        !le_call_given(call, FIND_STATISTICS))
        return le_fail(LE_ERR_ARGUMENT,
                       "find_sources: no output, expected catalogue, labels or statistics");
    if (le_call_given(call, FIND_CATALOGUE))
        status = le__im_check_catalogue(call, "find_sources", FIND_CATALOGUE, ROOM, &table);
    if (status == LE_OK && le_call_given(call, FIND_LABELS))
        status = le_call_set_out(call, FIND_LABELS, LE_I32, image->ndim, image->shape);
    if (status == LE_OK && le_call_given(call, FIND_STATISTICS))
        status = le_call_set_out(call, FIND_STATISTICS, LE_F64, 1, (int64_t[]){LE__IM_STATISTICS});
    return status;
}

static void work(const le_call *call, le_work *out) {
    const le_tensor *image = le_call_in(call, FIND_IMAGE);
    const double n = (double)le_tensor_count(image);
    *out = (le_work){12 * n + 1, n * (double)le_dtype_size(image->dtype)};
}

/* --- chain --- */

/* The call's output, else a value that is dropped. */
static le_value output(const le_call *call, le_chain *chain, int arg) {
    return le_call_given(call, arg) ? le_chain_arg(chain, arg) : le_chain_temp(chain);
}

/* What sources are looked for in: the image, or its convolution. */
static le_value detection(const le_call *call, le_chain *chain) {
    const le_value image = le_chain_arg(chain, FIND_IMAGE);
    if (!le_call_given(call, FIND_KERNEL))
        return image;
    const le_value smooth = le_chain_temp(chain);
    le_chain_add(chain, "convolve2d", LE_VALUE_IN("image", image),
                 LE_TABLE("kernel", le_call_table(call, FIND_KERNEL)), LE_STR("mode", "same"),
                 LE_STR("boundary", "symm"), LE_VALUE_OUT("result", smooth), LE_OPT_ATOL(1e-13),
                 LE_OPT_RTOL(1e-13));
    return smooth;
}

static le_value clipped(const le_call *call, le_chain *chain, le_value image) {
    static const char *const names[LE__IM_CLIP_COUNT] = {
        "center", "deviation", "sigma_lower", "sigma_upper", "maxiters", "bounds", "keep"};
    const le_value statistics = output(call, chain, FIND_STATISTICS);
    le_arg given[2 + LE__IM_CLIP_COUNT] = {LE_VALUE_IN("image", image),
                                           LE_VALUE_OUT("statistics", statistics)};
    for (int k = 0; k < LE__IM_CLIP_COUNT; k++)
        given[2 + k] = le_chain_pass(call, FIND_CLIP + k, names[k]);
    le_chain_add_args(chain, "sigma_clip", given, sizeof given / sizeof given[0]);
    return statistics;
}

/* The values that a level follows from: statistics, or maps. */
typedef struct levels {
    le_value image, statistics, background, noise;
} levels;

static levels levels_of(const le_call *call, le_chain *chain) {
    levels l = {detection(call, chain), LE_VALUE_NONE, LE_VALUE_NONE, LE_VALUE_NONE};
    const bool mesh = le__im_find_mesh(call);
    if (!mesh || le_call_given(call, FIND_STATISTICS))
        l.statistics = clipped(call, chain, l.image);
    if (!mesh)
        return l;
    l.statistics = LE_VALUE_NONE;
    l.background = le_chain_temp(chain);
    l.noise = le_chain_temp(chain);
    le_chain_add(chain, "background_mesh", LE_VALUE_IN("image", l.image),
                 le_chain_pass(call, FIND_CELL, "cell"), LE_VALUE_OUT("background", l.background),
                 LE_VALUE_OUT("noise", l.noise));
    return l;
}

static le_value above(const le_call *call, le_chain *chain, const levels *l, int k) {
    const le_value mask = le_chain_temp(chain);
    le_chain_add(chain, "threshold", LE_VALUE_IN("image", l->image),
                 LE_VALUE_IN("statistics", l->statistics), LE_VALUE_IN("background", l->background),
                 LE_VALUE_IN("noise", l->noise), le_chain_pass(call, k, "k"),
                 le_chain_pass(call, FIND_RULE, "rule"), LE_VALUE_OUT("mask", mask));
    return mask;
}

static le_value labelled(const le_call *call, le_chain *chain, const levels *l) {
    const bool flood = le_call_given(call, FIND_FLOOD), selects = le__im_find_selects(call);
    const le_value seeds = flood ? above(call, chain, l, FIND_K) : LE_VALUE_NONE;
    const le_value mask = above(call, chain, l, flood ? FIND_FLOOD : FIND_K);
    const le_value labels = output(call, chain, FIND_LABELS);
    const le_value found = selects ? le_chain_temp(chain) : labels;
    le_chain_add(chain, "label", LE_VALUE_IN("mask", mask),
                 le_chain_pass(call, FIND_CONNECTIVITY, "connectivity"),
                 LE_VALUE_OUT("labels", found));
    if (selects)
        le_chain_add(
            chain, "select_labels", LE_VALUE_IN("labels", found), LE_VALUE_IN("seeds", seeds),
            le_chain_pass(call, FIND_MINIMUM_AREA, "minimum_area"), LE_VALUE_OUT("result", labels));
    return labels;
}

static le_status expand(const le_call *call, le_chain *chain) {
    const levels l = levels_of(call, chain);
    if (!le_call_given(call, FIND_CATALOGUE) && !le_call_given(call, FIND_LABELS))
        return le_chain_status(chain);
    const le_value labels = labelled(call, chain, &l);
    if (le_call_given(call, FIND_CATALOGUE))
        le_chain_add(chain, "measure_sources",
                     LE_VALUE_IN("image", le_chain_arg(chain, FIND_IMAGE)),
                     LE_VALUE_IN("labels", labels), le_chain_pass(call, FIND_COLUMNS, "columns"),
                     le_chain_pass(call, FIND_SATURATION, "saturation"),
                     LE_VALUE_OUT("catalogue", le_chain_arg(chain, FIND_CATALOGUE)));
    return le_chain_status(chain);
}

/* --- cases --- */

/* What the tolerance of 1e-11 is a part of, for pixels that a kernel was applied to: sums round by
 * 1e-15 of the products' magnitudes, and terms of a kernel may leave out 5e-14 of its largest tap,
 * half the tolerance that its convolution is asked for (see detection). */
static double rounded(const le_call *call) {
    const le_tensor *kernel = le_call_table(call, FIND_KERNEL);
    double sum = 0, most = 0;
    if (!le_call_given(call, FIND_KERNEL))
        return 0;
    for (int64_t i = 0; i < le_tensor_count(kernel); i++) {
        sum += fabs(le_tensor_get(kernel, i));
        most = fmax(most, fabs(le_tensor_get(kernel, i)));
    }
    return (1e-4 * sum + 5e-3 * most) * le_tensor_largest(le_call_in(call, FIND_IMAGE));
}

static double compare(const le_call *answer, const le_call *trusted) {
    const le_tensor *image = le_call_in(trusted, FIND_IMAGE);
    double worst = 0;
    if (le_call_given(trusted, FIND_STATISTICS))
        worst = le__im_compare_statistics(le_call_out(answer, FIND_STATISTICS)->data,
                                          le_call_out(trusted, FIND_STATISTICS)->data, 1,
                                          rounded(trusted));
    if (le_call_given(trusted, FIND_CATALOGUE))
        worst = fmax(worst,
                     le__im_compare_catalogues(le_call_out(answer, FIND_CATALOGUE),
                                               le_call_out(trusted, FIND_CATALOGUE), image->ndim));
    if (le_call_given(trusted, FIND_LABELS) &&
        memcmp(le_call_out(answer, FIND_LABELS)->data, le_call_out(trusted, FIND_LABELS)->data,
               (size_t)le_tensor_count(image) * sizeof(int32_t)) != 0)
        return INFINITY;
    return worst;
}

static void put_more(le_case *c, int64_t i) {
    /* exact where pixels are integers: level and pixels may be equal */
    static const double taps[] = {0.0625, 0.125, 0.0625, 0.125, 0.25, 0.125, 0.0625, 0.125, 0.0625};
    if (i % 4 == 3)
        le_case_str(c, "background", "mesh");
    if (i % 8 == 3)
        le_case_i64(c, "cell", 16);
    if (i % 7 == 4)
        le_case_table(c, "kernel", 2, (int64_t[]){3, 3}, taps);
    if (i % 6 == 2) {
        le_case_str(c, "columns", "extended");
        le_case_f64(c, "saturation", 0.5);
    }
}

static void put_settings(le_case *c, const le_case_request *r, int ndim) {
    static const int64_t connectivities[LE__IM_AXES][LE__IM_AXES] = {
        {2, 0, 2}, {4, 8, 0}, {6, 18, 26}};
    static const double ks[] = {5, 3, 1.5, 8};
    const int64_t i = r->kind == LE_CASE_CHECK ? r->index : 0;
    le_case_f64(c, "k", ks[i % 4]);
    le_case_str(c, "rule", le__im_rules[i / 2 % 2]);
    le_case_i64(c, "connectivity", connectivities[ndim - 1][i / 3 % LE__IM_AXES]);
    if (r->kind != LE_CASE_CHECK || i % 3 == 0)
        return;
    if (i % 4 == 1)
        le_case_f64(c, "flood", 1);
    if (i % 5 == 2)
        le_case_i64(c, "minimum_area", 3);
    if (ndim == 2)
        put_more(c, i);
}

static le_status make_case(le_case *c, const le_case_request *r) {
    static const struct {
        const char *name;
        int arg;
        le_dtype dtype;
    } outputs[] = {{"catalogue", FIND_CATALOGUE, LE_F64},
                   {"labels", FIND_LABELS, LE_I32},
                   {"statistics", FIND_STATISTICS, LE_F64}};
    const le_tensor *image = le__im_scene(c, r, FIND_IMAGE);
    if (!image)
        return le_case_status(c);
    if (r->like)
        le_case_like(c, r->like);
    else
        put_settings(c, r, image->ndim);
    for (int k = 0; k < 3; k++)
        if (r->like                    ? le_call_given(r->like, outputs[k].arg)
            : r->kind == LE_CASE_CHECK ? (r->index + k) % 3 || r->index < 3
                                       : k == 0)
            le_case_out(c, outputs[k].name, outputs[k].dtype);
    return le_case_status(c);
}

extern const le_operation le_operation_find_sources;
const le_operation le_operation_find_sources = {
    .abi = LE_METHOD_ABI,
    .name = "find_sources",
    .family = "imaging",
    .summary = "catalogue of the sources of an image: clip, threshold, label, measure",
    .reference = "sigma_clip, threshold, label, measure_sources",
    .args = args,
    .n_args = sizeof args / sizeof args[0],
    .check = check,
    .work = work,
    .atol = 1e-11,
    .make_case = make_case,
    .expand = expand,
    .compare = compare};
