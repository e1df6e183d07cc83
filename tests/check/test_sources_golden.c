/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * From clipping to the catalogue against golden data (numpy, scipy, astropy, brute force), by every
 * implementation. Skipped without the shared data.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "check/golden.h"
#include "check/runs_here.h"
#include "check/sky.h"
#include "liquid_engine/le_io.h"
#include "one_engine.h"

/* ------------------------------------------------------------------------------------- files ---
 */

static bool text(hid_t group, const char *name, char out[128]) {
    memset(out, 0, 128);
    if (H5Aexists(group, name) <= 0)
        return false;
    const hid_t a = H5Aopen(group, name, H5P_DEFAULT), type = H5Aget_type(a);
    assert_true(H5Tget_size(type) < 128 && H5Aread(a, type, out) >= 0);
    H5Tclose(type);
    H5Aclose(a);
    return true;
}

/* A dataset, in its own dtype; i64 where the golden file has 64-bit integers. */
static bool read_set(const char *file, const char *set, le_tensor *out) {
    char name[128], place[1400];
    snprintf(name, sizeof name, "golden/imaging/%s", file);
    snprintf(place, sizeof place, "%s:/%s", path_of(name), set);
    return le_io_read(engine, place, NULL, out) == LE_OK;
}

static void assert_ok(le_status status, const char *what) {
    if (status != LE_OK)
        fail_msg("%s: %s", what, le_error_message());
}

/* "radio_image.py H W SEED N" or "data/FILE.fits, HDU N"; false: this build reads no FITS. */
static bool image_of(const char *source, le_tensor *out) {
    long long h, w, seed, n;
    char file[128], place[1400];
    int hdu;
    if (sscanf(source, "radio_image.py %lld %lld %lld %lld", &h, &w, &seed, &n) == 4) {
        assert_ok(le_tensor_alloc(out, LE_F32, 2, (int64_t[]){h, w}), source);
        assert_true(sky_image(out->data, h, w, (uint64_t)seed, n));
        return true;
    }
    assert_int_equal(sscanf(source, "%127[^,], HDU %d", file, &hdu), 2);
    snprintf(place, sizeof place, "%s[%d]", path_of(file), hdu);
    /* scaled integers are f32 in the golden data */
    le_io_options options = {.struct_size = sizeof options,
                             .dtypes = LE_DTYPES_ALL & ~LE_DTYPE_BIT(LE_F64)};
    return le_io_read(engine, place, &options, out) == LE_OK;
}

/* astropy scales in single precision, so that its pixels are others in the last digit of f32. */
static double slack_of(const char *source) {
    return strstr(source, "ntt_field") || strstr(source, "radio_like") ? 2.4e-7 : 0;
}

/* Calls fn for each group in a group. */
typedef void (*group_fn)(hid_t group, const char *name, void *context);

static void for_groups(hid_t in, group_fn fn, void *context) {
    H5G_info_t info;
    assert_true(H5Gget_info(in, &info) >= 0);
    for (hsize_t i = 0; i < info.nlinks; i++) {
        char name[128];
        H5Lget_name_by_idx(in, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
        const hid_t object = H5Oopen(in, name, H5P_DEFAULT);
        if (H5Iget_type(object) == H5I_GROUP)
            fn(object, name, context);
        H5Oclose(object);
    }
}

/* Calls fn with the name of each implementation that runs here; of a large image not the reference,
 * which takes seconds. */
typedef bool (*answer_fn)(const char *implementation, void *context);

static void for_implementations(const char *operation, const le_tensor *image, answer_fn fn,
                                void *context) {
    const bool large = le_tensor_count(image) > 1000000;
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, operation, &n);
    int answered = 0;
    for (size_t k = 0; k < n; k++)
        if (runs_here(engine, all[k]) && !(large && all[k]->flags & LE_IMPL_REFERENCE))
            answered += fn(all[k]->name, context);
    assert_true(answered > !large);
}

/* Of a run that was made by one implementation: false when that is not for such calls. */
static bool answered(le_status status, const char *what) {
    if (is_not_for_it(status))
        return false;
    assert_ok(status, what);
    return true;
}

/* --------------------------------------------------------------------------------- sigma_clip ---
 */

enum { COUNT, REJECTED, ITERATIONS, MEDIAN, MEAN, STD, LOWER, UPPER, MINIMUM, MAXIMUM, STATISTICS };
static const char *const statistics_names[STATISTICS] = {
    "count", "rejected", "iterations", "median",  "mean",
    "std",   "lower",    "upper",      "minimum", "maximum"};

typedef struct clip_case {
    const le_tensor *image;
    const char *name;
    double want[STATISTICS];
    char center[128], deviation[128], bounds[128], method[128];
    double sigma_lower, sigma_upper;
    int64_t maxiters;
    bool loose;
    double slack; /* of pixels, relative: see slack_of */
    int *cases;   /* counted */
} clip_case;

static bool near(double a, double b, double tolerance) {
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance;
}

static void compare_statistics(const clip_case *c, const char *implementation, const double *got) {
    const double *want = c->want, std = want[STD], relative = c->loose ? 1e-9 : 1e-11;
    for (int k = 0; k < STATISTICS; k++) {
        double tolerance = k < MEDIAN ? 0 : c->slack * (fabs(want[MEAN]) + 6 * std);
        if (k == MEAN)
            tolerance += 1e-12 * std + 2.3e-16 * fabs(want[k]);
        if (k == STD || k == LOWER || k == UPPER)
            tolerance += relative * fabs(want[k]);
        if (!near(got[k], want[k], tolerance))
            fail_msg("%s %s: %s is %.17g, expected %.17g", implementation, c->name,
                     statistics_names[k], got[k], want[k]);
    }
}

static bool clip(const char *implementation, void *context) {
    const clip_case *c = context;
    le_tensor statistics = {0}, mask = {0};
    const le_status status = le_engine_run(
        engine, "sigma_clip", LE_IN("image", c->image), LE_STR("center", (const char *)c->center),
        LE_STR("deviation", (const char *)c->deviation), LE_F64("sigma_lower", c->sigma_lower),
        LE_F64("sigma_upper", c->sigma_upper), LE_I64("maxiters", c->maxiters),
        LE_STR("bounds", (const char *)c->bounds),
        LE_STR("keep", strcmp(c->method, "astropy") ? "sequential" : "last"),
        LE_OUT("statistics", &statistics), LE_OUT("mask", &mask),
        LE_OPT_IMPLEMENTATION(implementation));
    if (!answered(status, c->name))
        return false;
    compare_statistics(c, implementation, statistics.data);
    int64_t rejected = 0;
    for (int64_t i = 0; i < le_tensor_count(&mask); i++)
        rejected += ((const uint8_t *)mask.data)[i];
    assert_int_equal(le_tensor_count(&mask) - rejected, (int64_t)c->want[COUNT]);
    le_tensor_free(&statistics);
    le_tensor_free(&mask);
    return true;
}

/* Where the lesson ends with nothing, what is left is a constant: it is the answer here. */
static void constant_answer(hid_t group, clip_case *c) {
    double rows[64][5];
    const hid_t set = H5Dopen2(group, "passes", H5P_DEFAULT), space = H5Dget_space(set);
    const int n = (int)c->want[ITERATIONS];
    assert_int_equal(H5Sget_simple_extent_npoints(space), 5 * n);
    assert_true(n <= 64 &&
                H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    c->want[REJECTED] += c->want[COUNT] - rows[n - 1][0];
    c->want[COUNT] = rows[n - 1][0];
    c->want[MEDIAN] = c->want[MEAN] = c->want[MINIMUM] = c->want[MAXIMUM] = rows[n - 1][1];
    c->want[STD] = 0;
}

static void clip_group(hid_t group, const char *name, void *context) {
    clip_case c = *(const clip_case *)context;
    char full[256], cenfunc[128], stdfunc[128];
    if (!text(group, "method", c.method))
        return;
    snprintf(full, sizeof full, "%s/%s", c.name, name);
    c.name = full;
    text(group, "cenfunc", cenfunc);
    text(group, "stdfunc", stdfunc);
    text(group, "bounds", c.bounds);
    snprintf(c.center, sizeof c.center, "%.100s", cenfunc);
    snprintf(c.deviation, sizeof c.deviation, "%.100s", stdfunc);
    c.sigma_lower = number(group, "sigma_lower");
    c.sigma_upper = number(group, "sigma_upper");
    c.maxiters = (int64_t)fmax(number(group, "maxiters"), 0);
    for (int k = 0; k < STATISTICS; k++)
        c.want[k] = number(group, statistics_names[k]);
    if (!strcmp(c.method, "lesson") && c.want[COUNT] == 0 && c.want[ITERATIONS] > 0)
        constant_answer(group, &c);
    c.loose = strstr(full, "offset_f64") != NULL;
    for_implementations("sigma_clip", c.image, clip, &c);
    ++*c.cases;
}

static void clip_data(hid_t group, const char *name, void *context) {
    char source[128], set[160];
    le_tensor image = {0};
    snprintf(set, sizeof set, "%s/data", name);
    if (!strcmp(name, "stack"))
        return;
    if (text(group, "data_in", source) ? !image_of(source, &image)
                                       : !read_set("sigma_clip.h5", set, &image)) {
        print_message("  %s left out: no reading of its file\n", name);
        return;
    }
    clip_case c = {.image = &image, .name = name, .slack = slack_of(name), .cases = context};
    for_groups(group, clip_group, &c);
    le_tensor_free(&image);
}

static void test_clip(void **state) {
    const hid_t file = open_or_skip("golden/imaging/sigma_clip.h5");
    int cases = 0;
    (void)state;
    for_groups(file, clip_data, &cases);
    print_message("  %d cases\n", cases);
    assert_true(cases > 140);
    H5Fclose(file);
}

static bool clip_stack(const char *implementation, void *context) {
    const clip_case *c = context;
    le_tensor got = {0}, mask = {0}, kept = {0}, mean = {0}, lower = {0}, upper = {0};
    char set[4][160];
    static const char *const names[] = {"kept", "mean", "lower", "upper"};
    le_tensor *const sets[] = {&kept, &mean, &lower, &upper};
    for (int k = 0; k < 4; k++) {
        snprintf(set[k], sizeof set[k], "stack/%s/%s", c->name, names[k]);
        assert_true(read_set("sigma_clip.h5", set[k], sets[k]));
    }
    const le_status status = le_engine_run(
        engine, "sigma_clip", LE_IN("image", c->image), LE_STR("center", (const char *)c->center),
        LE_F64("sigma_lower", c->sigma_lower), LE_F64("sigma_upper", c->sigma_upper),
        LE_I64("maxiters", c->maxiters), LE_STR("bounds", "closed"), LE_STR("keep", "last"),
        LE_I64("axis", 0), LE_OUT("statistics", &got), LE_OUT("mask", &mask),
        LE_OPT_IMPLEMENTATION(implementation));
    const bool there = answered(status, c->name);
    const int64_t n = le_tensor_count(&mean);
    for (int64_t i = 0; there && i < le_tensor_count(&mask); i++)
        assert_true(le_tensor_get(&mask, i) == (le_tensor_get(&kept, i) == 0));
    for (int64_t i = 0; there && i < n; i++) {
        const double std = le_tensor_get(&got, STD * n + i);
        assert_true(
            near(le_tensor_get(&got, MEAN * n + i), le_tensor_get(&mean, i), 1e-12 * std + 1e-12));
        assert_true(near(le_tensor_get(&got, LOWER * n + i), le_tensor_get(&lower, i), 1e-9));
        assert_true(near(le_tensor_get(&got, UPPER * n + i), le_tensor_get(&upper, i), 1e-9));
    }
    for (int k = 0; k < 4; k++)
        le_tensor_free(sets[k]);
    le_tensor_free(&got);
    le_tensor_free(&mask);
    return there;
}

static void stack_group(hid_t group, const char *name, void *context) {
    clip_case c = {.image = context, .name = name};
    text(group, "cenfunc", c.center);
    c.sigma_lower = number(group, "sigma_lower");
    c.sigma_upper = number(group, "sigma_upper");
    c.maxiters = (int64_t)fmax(number(group, "maxiters"), 0);
    for_implementations("sigma_clip", c.image, clip_stack, &c);
}

static void test_stack(void **state) {
    const hid_t file = open_or_skip("golden/imaging/sigma_clip.h5"),
                group = H5Gopen2(file, "stack", H5P_DEFAULT);
    le_tensor stack = {0};
    (void)state;
    assert_true(read_set("sigma_clip.h5", "stack/data", &stack));
    for_groups(group, stack_group, &stack);
    le_tensor_free(&stack);
    H5Gclose(group);
    H5Fclose(file);
}

/* ----------------------------------------------------------------------- threshold and label ---
 */

typedef struct label_case {
    const le_tensor *mask, *want;
    int64_t connectivity;
    const char *name;
    double level;
    const le_tensor *image;
} label_case;

static int32_t largest(const le_tensor *labels) {
    int32_t most = 0;
    for (int64_t i = 0; i < le_tensor_count(labels); i++)
        most = (int32_t)fmax(most, le_tensor_get(labels, i));
    return most;
}

static bool label(const char *implementation, void *context) {
    const label_case *c = context;
    le_tensor labels = {0}, count = {0};
    if (!answered(le_engine_run(engine, "label", LE_IN("mask", c->mask),
                                LE_I64("connectivity", c->connectivity), LE_OUT("labels", &labels),
                                LE_OUT("count", &count), LE_OPT_IMPLEMENTATION(implementation)),
                  c->name))
        return false;
    for (int64_t i = 0; i < le_tensor_count(&labels); i++)
        if (le_tensor_get(&labels, i) != le_tensor_get(c->want, i))
            fail_msg("%s %s/%d: pixel %d is %g, expected %g", implementation, c->name,
                     (int)c->connectivity, (int)i, le_tensor_get(&labels, i),
                     le_tensor_get(c->want, i));
    assert_int_equal(le_tensor_get(&count, 0), largest(c->want));
    le_tensor_free(&labels);
    le_tensor_free(&count);
    return true;
}

static void label_group(hid_t group, const char *name, void *context) {
    static const int connectivities[] = {2, 4, 6, 8, 18, 26};
    char set[200];
    le_tensor mask = {0}, want = {0};
    (void)group;
    if (!strcmp(name, "threshold"))
        return;
    snprintf(set, sizeof set, "%s/mask", name);
    assert_true(read_set("label.h5", set, &mask));
    for (int k = 0; k < 6; k++) {
        snprintf(set, sizeof set, "%s/labels_%d", name, connectivities[k]);
        if (!read_set("label.h5", set, &want))
            continue;
        label_case c = {
            .mask = &mask, .want = &want, .connectivity = connectivities[k], .name = name};
        for_implementations("label", c.mask, label, &c);
        le_tensor_free(&want);
        ++*(int *)context;
    }
    le_tensor_free(&mask);
}

static void test_label(void **state) {
    const hid_t file = open_or_skip("golden/imaging/label.h5");
    int cases = 0;
    (void)state;
    for_groups(file, label_group, &cases);
    assert_int_equal(cases, 86);
    H5Fclose(file);
}

static bool threshold(const char *implementation, void *context) {
    const label_case *c = context;
    le_tensor mask = {0};
    if (!answered(le_engine_run(engine, "threshold", LE_IN("image", c->image),
                                LE_F64("level", c->level), LE_OUT("mask", &mask),
                                LE_OPT_IMPLEMENTATION(implementation)),
                  c->name))
        return false;
    for (int64_t i = 0; i < le_tensor_count(&mask); i++)
        assert_int_equal(le_tensor_get(&mask, i), le_tensor_get(c->mask, i));
    le_tensor_free(&mask);
    return true;
}

static void threshold_group(hid_t group, const char *name, void *context) {
    le_tensor image = {0}, mask = {0}, labels = {0};
    const struct {
        const char *name;
        le_tensor *tensor;
    } sets[] = {{"image", &image}, {"mask", &mask}, {"labels_4", &labels}};
    for (int k = 0; k < 3; k++) {
        char set[160];
        snprintf(set, sizeof set, "threshold/%s/%s", name, sets[k].name);
        assert_true(read_set("label.h5", set, sets[k].tensor));
    }
    label_case c = {.image = &image,
                    .mask = &mask,
                    .want = &labels,
                    .connectivity = 4,
                    .name = name,
                    .level = number(group, "threshold")};
    for_implementations("threshold", c.image, threshold, &c);
    for_implementations("label", c.mask, label, &c);
    for (int k = 0; k < 3; k++)
        le_tensor_free(sets[k].tensor);
    ++*(int *)context;
}

static void test_threshold(void **state) {
    const hid_t file = open_or_skip("golden/imaging/label.h5"),
                group = H5Gopen2(file, "threshold", H5P_DEFAULT);
    int cases = 0;
    (void)state;
    for_groups(group, threshold_group, &cases);
    assert_int_equal(cases, 9);
    H5Gclose(group);
    H5Fclose(file);
}

/* -------------------------------------------------------------------------------- catalogues ---
 */

enum {
    SUM_ABS,
    AREA,
    SUM,
    ROW_MEAN,
    DEVIATION,
    LEAST,
    MOST,
    LEAST_AT,
    MOST_AT,
    CENTER,
    BOX,
    FACTS
};
static const char *const fact_names[FACTS] = {"sum_abs",
                                              "area",
                                              "sum",
                                              "mean",
                                              "standard_deviation",
                                              "minimum",
                                              "maximum",
                                              "minimum_position",
                                              "maximum_position",
                                              "center_of_mass",
                                              "bbox"};

typedef struct facts {
    le_tensor of[FACTS];
    int64_t n;
    int ndim;
    const char *name;
    double sum_tolerance, slack;
} facts;

static double fact(const facts *f, int which, int64_t row, int64_t k) {
    const le_tensor *t = &f->of[which];
    return le_tensor_get(t, row * (le_tensor_count(t) / (f->n ? f->n : 1)) + k);
}

static void read_facts(const char *file, const char *group, int64_t n, int ndim, facts *out) {
    *out = (facts){.n = n, .ndim = ndim, .name = group, .sum_tolerance = 1e-13};
    for (int k = 0; k < FACTS; k++) {
        char set[160];
        snprintf(set, sizeof set, "%s/%s", group, fact_names[k]);
        read_set(file, set, &out->of[k]);
    }
}

static void free_facts(facts *f) {
    for (int k = 0; k < FACTS; k++)
        le_tensor_free(&f->of[k]);
}

static void compare_fact(const facts *f, const char *implementation, int64_t row, int which,
                         int64_t k, double got, double tolerance) {
    if (!f->of[which].data)
        return;
    const double want = fact(f, which, row, k);
    if (!near(got, want, tolerance))
        fail_msg("%s %s: %s of row %d is %.17g, expected %.17g within %.3g", implementation,
                 f->name, fact_names[which], (int)row, got, want, tolerance);
}

static void compare_row(const facts *f, const char *implementation, int64_t row,
                        const double *got) {
    const double area = fact(f, AREA, row, 0), sum = fact(f, SUM, row, 0);
    double magnitudes =
        f->of[SUM_ABS].data ? fact(f, SUM_ABS, row, 0) : area * fmax(fabs(got[5]), fabs(got[6]));
    if (!isfinite(magnitudes))
        magnitudes = 0;
    const double deviation = fact(f, DEVIATION, row, 0), mean = fact(f, ROW_MEAN, row, 0);
    const double variance = 1e-10 * deviation * deviation + 1e-15 * mean * mean * area;
    const double pixel = f->slack * fmax(fabs(got[5]), fabs(got[6]));
    const double exact[] = {0,
                            0,
                            f->sum_tolerance * magnitudes,
                            f->sum_tolerance * magnitudes / fmax(area, 1),
                            deviation > 0 ? variance / deviation : sqrt(variance),
                            0,
                            0};
    for (int k = 1; k < 7; k++)
        compare_fact(f, implementation, row, AREA + k - 1, 0, got[k],
                     exact[k] + (k == 1   ? 0
                                 : k == 2 ? area * pixel
                                          : pixel));
    for (int d = 0; d < f->ndim; d++) {
        const double *box = got + 7 + 3 * f->ndim + 2 * d, extent = box[1] - box[0];
        compare_fact(f, implementation, row, LEAST_AT, d, got[7 + d], 0);
        compare_fact(f, implementation, row, MOST_AT, d, got[7 + f->ndim + d], 0);
        compare_fact(f, implementation, row, CENTER, d, got[7 + 2 * f->ndim + d],
                     (1e-12 + f->slack) * (extent * magnitudes / fabs(sum) + box[1]));
        compare_fact(f, implementation, row, BOX, 2 * d, box[0], 0);
        compare_fact(f, implementation, row, BOX, 2 * d + 1, box[1], 0);
    }
}

static void compare_catalogue(const facts *f, const char *implementation, const le_tensor *got,
                              const le_tensor *index) {
    const int64_t columns = 9 + 5 * f->ndim;
    assert_int_equal(got->shape[0], f->n);
    assert_int_equal(got->shape[1], columns);
    for (int64_t i = 0; i < f->n; i++) {
        const double *row = (const double *)got->data + i * columns;
        assert_true(row[0] == (index ? le_tensor_get(index, i) : (double)(i + 1)));
        compare_row(f, implementation, i, row);
    }
}

typedef struct measure_case {
    le_tensor image, labels, index;
    facts facts;
    bool all; /* the default index says the same */
} measure_case;

static bool measure(const char *implementation, void *context) {
    const measure_case *c = context;
    for (int with = 0; with < 2; with++) {
        le_tensor catalogue = {0};
        if (with ? !c->all : c->index.shape[0] > 65536)
            continue;
        const le_status status =
            with ? le_engine_run(engine, "measure_sources", LE_IN("image", &c->image),
                                 LE_IN("labels", &c->labels), LE_OUT("catalogue", &catalogue),
                                 LE_OPT_IMPLEMENTATION(implementation))
                 : le_engine_run(engine, "measure_sources", LE_IN("image", &c->image),
                                 LE_IN("labels", &c->labels), LE_TABLE("index", &c->index),
                                 LE_OUT("catalogue", &catalogue),
                                 LE_OPT_IMPLEMENTATION(implementation));
        if (!answered(status, c->facts.name))
            return false;
        compare_catalogue(&c->facts, implementation, &catalogue, &c->index);
        le_tensor_free(&catalogue);
    }
    return true;
}

static void measure_group(hid_t group, const char *name, void *context) {
    measure_case c = {.all = true};
    char set[3][160];
    static const char *const names[] = {"image", "labels", "index"};
    le_tensor *const sets[] = {&c.image, &c.labels, &c.index};
    (void)group;
    for (int k = 0; k < 3; k++) {
        snprintf(set[k], sizeof set[k], "%s/%s", name, names[k]);
        assert_true(read_set("sources.h5", set[k], sets[k]));
    }
    read_facts("sources.h5", name, c.index.shape[0], c.image.ndim, &c.facts);
    for (int64_t i = 0; i < c.index.shape[0]; i++)
        c.all = c.all && le_tensor_get(&c.index, i) == (double)(i + 1);
    c.all = c.all && c.index.shape[0] == largest(&c.labels);
    for_implementations("measure_sources", &c.image, measure, &c);
    free_facts(&c.facts);
    for (int k = 0; k < 3; k++)
        le_tensor_free(sets[k]);
    ++*(int *)context;
}

static void test_measure(void **state) {
    const hid_t file = open_or_skip("golden/imaging/sources.h5");
    int cases = 0;
    (void)state;
    for_groups(file, measure_group, &cases);
    assert_int_equal(cases, 17);
    H5Fclose(file);
}

/* ----------------------------------------------------------------------------- find_sources --- */

typedef struct find_case {
    le_tensor image, labels;
    facts facts;
    double k;
    int64_t connectivity;
    bool median;
    clip_case clip;
} find_case;

static bool find(const char *implementation, void *context) {
    const find_case *c = context;
    le_tensor catalogue = {0}, labels = {0}, statistics = {0};
    const le_status status = le_engine_run(
        engine, "find_sources", LE_IN("image", &c->image), LE_F64("k", c->k),
        LE_STR("rule", c->median ? "median" : "std"), LE_I64("connectivity", c->connectivity),
        LE_OUT("catalogue", &catalogue), LE_OUT("labels", &labels),
        LE_OUT("statistics", &statistics), LE_OPT_IMPLEMENTATION(implementation));
    if (!answered(status, c->facts.name))
        return false;
    compare_catalogue(&c->facts, implementation, &catalogue, NULL);
    const double *got = statistics.data;
    for (int k = 0; k < STATISTICS; k++)
        assert_true(isnan(c->clip.want[k]) ||
                    near(got[k], c->clip.want[k],
                         (k == MEAN || k == STD ? 1e-11 * c->clip.want[STD] : 0) +
                             (k > ITERATIONS ? c->facts.slack * fabs(got[MAXIMUM]) : 0)));
    for (int64_t i = 0; c->labels.data && i < le_tensor_count(&labels); i++)
        assert_true(le_tensor_get(&labels, i) == le_tensor_get(&c->labels, i));
    assert_int_equal(largest(&labels), c->facts.n);
    le_tensor_free(&catalogue);
    le_tensor_free(&labels);
    le_tensor_free(&statistics);
    return true;
}

static void find_group(hid_t group, const char *name, void *context) {
    find_case c = {0};
    char source[128], rule[128], set[160];
    if (!text(group, "source", source))
        return;
    if (!image_of(source, &c.image)) {
        print_message("  %s left out: no reading of its file\n", name);
        return;
    }
    c.k = number(group, "k");
    c.connectivity = (int64_t)number(group, "connectivity");
    c.median = text(group, "rule", rule) && strstr(rule, "median");
    for (int k = 0; k < STATISTICS; k++) {
        char attribute[64];
        snprintf(attribute, sizeof attribute, "clip_%s", statistics_names[k]);
        c.clip.want[k] = H5Aexists(group, attribute) > 0 ? number(group, attribute) : NAN;
    }
    snprintf(set, sizeof set, "%s/labels", name);
    read_set("pipeline.h5", set, &c.labels);
    read_facts("pipeline.h5", name, (int64_t)number(group, "count"), c.image.ndim, &c.facts);
    c.facts.sum_tolerance = 1e-12;
    c.facts.slack = slack_of(source);
    for_implementations("find_sources", &c.image, find, &c);
    free_facts(&c.facts);
    le_tensor_free(&c.image);
    le_tensor_free(&c.labels);
    ++*(int *)context;
}

static void test_find(void **state) {
    const hid_t file = open_or_skip("golden/imaging/pipeline.h5");
    int cases = 0;
    (void)state;
    for_groups(file, find_group, &cases);
    print_message("  %d cases\n", cases);
    assert_true(cases >= 4);
    H5Fclose(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clip),    cmocka_unit_test(test_stack),
        cmocka_unit_test(test_label),   cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_measure), cmocka_unit_test(test_find),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
