/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Every implementation of the super-resolution family against results of NanoPyx's single-threaded
 * run types: within 1e-5 of the maximum (1e-4 for VAR and TAC2); the ones that claim the same bits
 * have them. Skipped without the shared data.
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
#include "one_engine.h"

/* -------------------------------------------------------------------------------- golden file --
 */

/* A data set [T,H,W] as float32, or an empty tensor. */
static le_tensor data(hid_t group, const char *name) {
    le_tensor t = {0};
    if (H5Lexists(group, name, H5P_DEFAULT) <= 0)
        return t;
    hsize_t d[3];
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT), space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_dims(space, d, NULL), 3);
    const int64_t shape[3] = {(int64_t)d[0], (int64_t)d[1], (int64_t)d[2]};
    assert_int_equal(le_tensor_alloc(&t, LE_F32, 3, shape), LE_OK);
    assert_true(H5Dread(set, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, t.data) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    return t;
}

typedef void (*group_fn)(hid_t group, const char *name);

static herr_t visit(hid_t parent, const char *name, const H5L_info_t *info, void *fn) {
    (void)info;
    H5O_info_t object;
    H5Oget_info_by_name(parent, name, &object, H5P_DEFAULT);
    if (object.type == H5O_TYPE_GROUP) {
        hid_t group = H5Gopen2(parent, name, H5P_DEFAULT);
        (*(group_fn *)fn)(group, name);
        H5Gclose(group);
    }
    return 0;
}

static void for_groups(hid_t parent, group_fn fn) {
    assert_true(H5Literate(parent, H5_INDEX_NAME, H5_ITER_INC, NULL, visit, &fn) >= 0);
}

/* --------------------------------------------------------------------------------- comparing ---
 */

typedef struct difference {
    double relative; /* greatest difference over greatest value */
    int64_t bits;    /* elements that are not the same bits */
} difference;

/* edge: elements with a mark above 1 are left to chance by rounding; may be empty. */
static difference compare(const le_tensor *got, const le_tensor *want, const le_tensor *edge) {
    const float *a = got->data, *b = want->data, *e = edge ? edge->data : NULL;
    const int64_t n = le_tensor_count(want), m = e ? le_tensor_count(edge) : 1;
    difference d = {0, 0};
    double largest = 0, worst = 0;
    assert_int_equal(got->ndim, want->ndim);
    assert_memory_equal(got->shape, want->shape, 3 * sizeof(int64_t));
    for (int64_t i = 0; i < n; i++) {
        if (e && e[i % m] > 1)
            continue;
        d.bits += !(a[i] == b[i] || (isnan(a[i]) && isnan(b[i])));
        if (isnan(a[i]) != isnan(b[i]))
            worst = INFINITY;
        if (isnan(a[i]) || isnan(b[i]))
            continue;
        largest = fmax(largest, fabs((double)b[i]));
        worst = fmax(worst, fabs((double)a[i] - b[i]));
    }
    d.relative = largest > 0 ? worst / largest : worst;
    return d;
}

typedef struct score {
    const char *operation, *what, *implementation;
    double worst;
    int64_t cases, bits;
} score;

static score scores[256];
static size_t n_scores;

static void report(const char *operation, const char *what, const char *implementation,
                   difference d) {
    size_t i = 0;
    while (i < n_scores &&
           (strcmp(scores[i].operation, operation) != 0 || strcmp(scores[i].what, what) != 0 ||
            strcmp(scores[i].implementation, implementation) != 0))
        i++;
    assert_true(i < sizeof scores / sizeof scores[0]);
    if (i == n_scores)
        scores[n_scores++] = (score){operation, what, implementation, 0, 0, 0};
    scores[i].worst = fmax(scores[i].worst, d.relative);
    scores[i].bits += d.bits;
    scores[i].cases++;
}

static void print_scores(void) {
    for (size_t i = 0; i < n_scores; i++)
        print_message("  %-28s %-16s %-14s %4lld cases, max %.2g, %lld other bits\n",
                      scores[i].operation, scores[i].what, scores[i].implementation,
                      (long long)scores[i].cases, scores[i].worst, (long long)scores[i].bits);
    n_scores = 0;
}

/* Runs the call with every implementation and compares output number 0 (and 1) with what is wanted.
 */
static void check(const char *what, const char *operation, const le_arg *args, size_t n_args,
                  int outputs, const le_tensor *want, const le_tensor *edge, double tolerance,
                  bool reference_bits) {
    size_t n;
    const le_implementation *const *impls = le_engine_implementations(engine, operation, &n);
    for (size_t k = 0; k < n; k++) {
        le_tensor out[2] = {{0}, {0}};
        le_arg all[LE_MAX_ARGS];
        memcpy(all, args, n_args * sizeof *all);
        for (int o = 0; o < outputs; o++)
            all[o].value.out = &out[o];
        all[n_args] = LE_OPT_IMPLEMENTATION(impls[k]->name);
        all[n_args + 1] = LE_OPT_ATOL(1);
        if (!runs_here(engine, impls[k]))
            continue;
        if (le_call_run(engine, operation, all, n_args + 2) != LE_OK)
            fail_msg("%s %s: %s", operation, impls[k]->name, le_error_message());
        for (int o = 0; o < outputs; o++) {
            const difference d = compare(&out[o], &want[o], edge);
            const bool same = !strcmp(impls[k]->name, "exact") ||
                              (reference_bits && impls[k]->flags & LE_IMPL_REFERENCE);
            report(operation, what, impls[k]->name, d);
            if (d.relative > tolerance || (same && d.bits))
                fail_msg("%s %s %s: off by %g of the maximum, %lld other bits", operation, what,
                         impls[k]->name, d.relative, (long long)d.bits);
        }
        for (int o = 0; o < outputs; o++)
            le_tensor_free(&out[o]);
    }
}

#define CHECK(what, operation, outputs, want, edge, tolerance, bits, ...)                          \
    check(what, operation, LE_ARGS_(__VA_ARGS__), sizeof LE_ARGS_(__VA_ARGS__) / sizeof(le_arg),   \
          outputs, want, edge, tolerance, bits)

/* ------------------------------------------------------------------------- cases of esrrf ------
 */

static le_tensor none;
#define OUT(name) LE_OUT(name, &none)

static le_tensor magnify(const le_tensor *image, double m) {
    le_tensor out = {0};
    assert_int_equal(le_engine_run(engine, "shift_magnify", LE_IN("image", image),
                                   LE_OUT("result", &out), LE_F64("magnification_row", m),
                                   LE_F64("magnification_col", m),
                                   LE_OPT_IMPLEMENTATION("reference")),
                     LE_OK);
    return out;
}

static void steps_case(hid_t g, const char *name) {
    (void)name;
    const int64_t m = (int64_t)number(g, "magnification");
    le_tensor input = data(g, "input"), magnified = data(g, "magnified"), rgc = data(g, "rgc");
    le_tensor gradients[2] = {data(g, "gradient_col"), data(g, "gradient_row")};
    CHECK("", "shift_magnify", 1, &magnified, NULL, 1e-5, true, OUT("result"),
          LE_IN("image", &input), LE_F64("magnification_row", (double)m),
          LE_F64("magnification_col", (double)m));
    CHECK("", "roberts_cross", 2, gradients, NULL, 1e-5, true, OUT("gradient_col"),
          OUT("gradient_row"), LE_IN("image", &input));
    le_tensor col = magnify(&gradients[0], 2 * (double)m),
              row = magnify(&gradients[1], 2 * (double)m);
    CHECK("", "radial_gradient_convergence", 1, &rgc, NULL, 1e-5, false, OUT("result"),
          LE_IN("image", &magnified), LE_IN("gradient_col", &col), LE_IN("gradient_row", &row),
          LE_I64("magnification", m), LE_F64("radius", number(g, "radius")),
          LE_F64("sensitivity", number(g, "sensitivity")),
          LE_I64("intensity_weighting", (int)number(g, "intensity_weighting")));
    le_tensor *all[] = {&input, &magnified, &rgc, &gradients[0], &gradients[1], &col, &row};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        le_tensor_free(all[i]);
}

static void projections_case(hid_t g, const char *name) {
    static const char *const words[] = {"avg", "var", "tac2"};
    (void)name;
    le_tensor rgc = data(g, "rgc");
    for (int i = 0; i < 3; i++) {
        char corrected[16];
        snprintf(corrected, sizeof corrected, "%s_mpc", words[i]);
        le_tensor plain = data(g, words[i]), after = data(g, corrected);
        const double tolerance = i ? 1e-4 : 1e-5;
        CHECK(words[i], "temporal_projection", 1, &plain, NULL, tolerance, false, OUT("result"),
              LE_IN("image", &rgc), LE_STR("temporal", words[i]),
              LE_I64("frames_per_timepoint", (int)number(g, "frames_per_timepoint")));
        CHECK(words[i], "macro_pixel_correction", 1, &after, NULL, tolerance, false, OUT("result"),
              LE_IN("image", &plain), LE_I64("magnification", (int)number(g, "magnification")));
        le_tensor_free(&plain);
        le_tensor_free(&after);
    }
    le_tensor_free(&rgc);
}

static void esrrf_case(hid_t g, const char *name) {
    static const char *const sets[] = {"rgc",     "avg",     "var",     "tac2",
                                       "avg_mpc", "var_mpc", "tac2_mpc"};
    static const char *const words[] = {"none", "avg", "var", "tac2"};
    (void)name;
    le_tensor input = data(g, "input");
    for (int i = 0; i < 7; i++) {
        const int temporal = i > 3 ? i - 3 : i;
        le_tensor want = data(g, sets[i]);
        CHECK(sets[i], "esrrf", 1, &want, NULL, temporal > 1 ? 1e-4 : 1e-5, false, OUT("result"),
              LE_IN("image", &input), LE_I64("magnification", (int)number(g, "magnification")),
              LE_F64("radius", number(g, "radius")),
              LE_F64("sensitivity", number(g, "sensitivity")),
              LE_I64("intensity_weighting", (int)number(g, "intensity_weighting")),
              LE_I64("frames_per_timepoint", (int)number(g, "frames_per_timepoint")),
              LE_STR("temporal", words[temporal]), LE_I64("macro_pixel_correction", i > 3));
        le_tensor_free(&want);
    }
    le_tensor_free(&input);
}

/* ----------------------------------------------------------------- cases of interpolation ------
 */

static le_tensor frames;

static void interpolate(hid_t g, const char *what, const char *word, const le_tensor *want,
                        const le_tensor *edge) {
    if (H5Aexists(g, "angle") > 0)
        CHECK(what, "shift_scale_rotate", 1, want, edge, 1e-5, true, OUT("result"),
              LE_IN("image", &frames), LE_F64("shift_row", number(g, "shift_row")),
              LE_F64("shift_col", number(g, "shift_col")),
              LE_F64("scale_row", number(g, "scale_row")),
              LE_F64("scale_col", number(g, "scale_col")), LE_F64("angle", number(g, "angle")),
              LE_STR("interpolator", word));
    else
        CHECK(what, "shift_magnify", 1, want, edge, 1e-5, true, OUT("result"),
              LE_IN("image", &frames), LE_F64("shift_row", number(g, "shift_row")),
              LE_F64("shift_col", number(g, "shift_col")),
              LE_F64("magnification_row", number(g, "magnification_row")),
              LE_F64("magnification_col", number(g, "magnification_col")),
              LE_STR("interpolator", word));
}

static void interpolation_call(hid_t g, const char *name) {
    static const char *const sets[] = {"catmull_rom", "bicubic", "lanczos", "nearest_neighbor"};
    static const char *const words[] = {"catmull_rom", "bicubic", "lanczos", "nearest"};
    (void)name;
    for (int i = 0; i < 4; i++) {
        char marks[32];
        snprintf(marks, sizeof marks, "%s_edge", sets[i]);
        le_tensor want = data(g, sets[i]), edge = data(g, marks);
        interpolate(g, words[i], words[i], &want, &edge);
        le_tensor_free(&want);
        le_tensor_free(&edge);
    }
}

static void interpolation_image(hid_t g, const char *name) {
    (void)name;
    frames = data(g, "input");
    for_groups(g, interpolation_call);
    le_tensor_free(&frames);
}

static void run_file(const char *name, group_fn fn) {
    hid_t file = open_or_skip(name);
    for_groups(file, fn);
    H5Fclose(file);
    print_scores();
}

static void steps(void **state) {
    (void)state;
    run_file("golden/esrrf/esrrf_cases.h5", steps_case);
}

static void projections(void **state) {
    (void)state;
    run_file("golden/esrrf/esrrf_cases.h5", projections_case);
}

static void whole(void **state) {
    (void)state;
    run_file("golden/esrrf/esrrf_cases.h5", esrrf_case);
}

static void interpolation(void **state) {
    (void)state;
    run_file("golden/esrrf/interp_cases.h5", interpolation_image);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps), cmocka_unit_test(projections),
                                       cmocka_unit_test(whole), cmocka_unit_test(interpolation)};
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
