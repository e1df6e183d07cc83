/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Every implementation of the convolutions against results of scipy and numpy: in single precision
 * within 2e-6, in double precision within 1e-13 of the largest sum of magnitudes over a window.
 * Skipped without the shared data.
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
#include "liquid_engine/le_method.h"
#include "liquid_engine/le_io.h"
#include "one_engine.h"

typedef struct golden {
    char name[64], operation[32], mode[16], boundary[16];
    double fill, scale;
    le_tensor in, kernel, want;
    bool flat; /* a signal */
} golden;

/* ------------------------------------------------------------------------------- golden file ---
 */

static const char golden_file[] = "golden/imaging/convolve.h5";

static bool has(hid_t group, const char *name) {
    return H5Aexists(group, name) > 0;
}

static void text(hid_t group, const char *name, char *out, size_t size) {
    hid_t a = H5Aopen(group, name, H5P_DEFAULT), type = H5Aget_type(a);
    char value[256] = "";
    assert_true(H5Tget_size(type) < sizeof value);
    assert_true(H5Aread(a, type, value) >= 0);
    snprintf(out, size, "%s", value);
    H5Tclose(type);
    H5Aclose(a);
}

static le_tensor data(const char *group, const char *set) {
    char place[1400];
    le_tensor t = {0};
    snprintf(place, sizeof place, "%s:%s/%s", path_of(golden_file), group, set);
    if (le_io_read(NULL, place, NULL, &t) != LE_OK)
        fail_msg("%s: %s", place, le_error_message());
    return t;
}

/* The largest sum of magnitudes over a window, of which none is beyond this. */
static double bound(const golden *g) {
    double taps = 0, most = fabs(g->fill);
    for (int64_t i = 0; i < le_tensor_count(&g->kernel); i++)
        taps += fabs(le_tensor_get(&g->kernel, i));
    for (int64_t i = 0; i < le_tensor_count(&g->in); i++)
        if (isfinite(le_tensor_get(&g->in, i)))
            most = fmax(most, fabs(le_tensor_get(&g->in, i)));
    return taps * most;
}

static golden read_case(hid_t group, const char *parent, const char *name) {
    char path[128];
    golden g = {.flat = !strcmp(parent, "convolve")};
    snprintf(path, sizeof path, "/%s/%s", parent, name);
    snprintf(g.name, sizeof g.name, "%s", name);
    text(group, "operation", g.operation, sizeof g.operation);
    text(group, "mode", g.mode, sizeof g.mode);
    if (!g.flat) {
        text(group, "boundary", g.boundary, sizeof g.boundary);
        g.fill = number(group, "fillvalue");
    }
    g.in = data(path, g.flat ? "signal" : "image");
    g.kernel = data(path, "kernel");
    g.want = data(path, "result");
    g.scale = has(group, "sum_abs_products") ? number(group, "sum_abs_products") : bound(&g);
    return g;
}

static void free_case(golden *g) {
    le_tensor_free(&g->in);
    le_tensor_free(&g->kernel);
    le_tensor_free(&g->want);
}

/* --------------------------------------------------------------------------------- comparing ---
 */

static le_status call(const golden *g, const char *implementation, double atol, le_tensor *out) {
    le_arg args[8] = {LE_IN(g->flat ? "signal" : "image", &g->in), LE_TABLE("kernel", &g->kernel),
                      LE_STR("mode", g->mode), LE_OUT("result", out), LE_OPT_ATOL(atol)};
    size_t n = 5;
    if (implementation)
        args[n++] = LE_OPT_IMPLEMENTATION(implementation);
    if (!g->flat) {
        args[n++] = LE_STR("boundary", g->boundary);
        args[n++] = LE_F64("fillvalue", g->fill);
    }
    return le_call_run(engine, g->operation, args, n);
}

static bool same(double a, double b, double most) {
    return isnan(b) ? isnan(a) : isinf(b) ? a == b : fabs(a - b) <= most;
}

static void compare(const golden *g, const char *implementation, const le_tensor *got) {
    const double most = (got->dtype == LE_F64 ? 1e-13 : 2e-6) * g->scale;
    assert_int_equal(got->ndim, g->want.ndim);
    for (int d = 0; d < got->ndim; d++)
        assert_int_equal(got->shape[d], g->want.shape[d]);
    for (int64_t i = 0; i < le_tensor_count(got); i++)
        if (!same(le_tensor_get(got, i), le_tensor_get(&g->want, i), most))
            fail_msg("%s %s by %s: element %d is %.17g, expected %.17g", g->operation, g->name,
                     implementation, (int)i, le_tensor_get(got, i), le_tensor_get(&g->want, i));
}

enum { MOST_ANSWERS = 64 };

/* How often an implementation answered, for those that are right for some calls only. */
static struct {
    const le_implementation *implementation;
    int answers;
} tally[MOST_ANSWERS];

static void count_answer(const le_implementation *i, int answers) {
    int k = 0;
    while (k < MOST_ANSWERS && tally[k].implementation && tally[k].implementation != i)
        k++;
    assert_true(k < MOST_ANSWERS);
    tally[k].implementation = i;
    tally[k].answers += answers;
}

static void run_case(const golden *g, const le_implementation *i, double atol, le_dtype dtype) {
    le_tensor got = {.dtype = dtype};
    le_status status = call(g, i->name, atol, &got);
    if (status != LE_OK && !is_not_for_it(status))
        fail_msg("%s %s by %s: %s", g->operation, g->name, i->name, le_error_message());
    if (status == LE_OK)
        compare(g, i->name, &got);
    count_answer(i, status == LE_OK);
    le_tensor_free(&got);
}

static void check_case(const golden *g, bool also_f32) {
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, g->operation, &n);
    for (size_t k = 0; k < n; k++) {
        if (!runs_here(engine, all[k]))
            continue;
        run_case(g, all[k], 1e-13, LE_F64);
        if (also_f32)
            run_case(g, all[k], 1e-5, LE_F32);
    }
}

/* A convolution is the correlation with the kernel reversed, where that has a middle. */
static void check_twin(golden *g) {
    const int64_t n = le_tensor_count(&g->kernel);
    for (int64_t i = 0; i < n / 2; i++) {
        const double first = le_tensor_get(&g->kernel, i);
        le_tensor_set(&g->kernel, i, le_tensor_get(&g->kernel, n - 1 - i));
        le_tensor_set(&g->kernel, n - 1 - i, first);
    }
    snprintf(g->operation, sizeof g->operation, "correlate2d");
    check_case(g, false);
}

/* ------------------------------------------------------------------------------------- tests ---
 */

static int cases;

static herr_t visit(hid_t parent, const char *name, const H5L_info_t *info, void *parent_name) {
    (void)info;
    hid_t group = H5Gopen2(parent, name, H5P_DEFAULT);
    golden g = read_case(group, parent_name, name);
    const bool odd = !g.flat && g.kernel.shape[0] % 2 && g.kernel.shape[1] % 2;
    check_case(&g, cases % 3 == 0 && g.in.dtype != LE_F64 && g.in.dtype != LE_I32);
    if (odd && !strcmp(g.operation, "convolve2d") && cases % 8 == 0)
        check_twin(&g);
    free_case(&g);
    H5Gclose(group);
    cases++;
    return 0;
}

static void check_group(const char *name, int expected) {
    char parent_name[32];
    hid_t file = open_or_skip(golden_file), parent = H5Gopen2(file, name, H5P_DEFAULT);
    snprintf(parent_name, sizeof parent_name, "%s", name);
    cases = 0;
    assert_true(H5Literate(parent, H5_INDEX_NAME, H5_ITER_INC, NULL, visit, parent_name) >= 0);
    assert_int_equal(cases, expected);
    H5Gclose(parent);
    H5Fclose(file);
}

static void test_images(void **state) {
    (void)state;
    check_group("convolve2d", 98);
}

static void test_signals(void **state) {
    (void)state;
    check_group("convolve", 33);
}

/* The lesson's two calls, checked as it does: numpy.allclose of results in double precision. */
static void check_lesson(const le_tensor *in, const char *kernel, const char *result, bool flat) {
    golden g = {.flat = flat,
                .in = *in,
                .kernel = data("/lesson", kernel),
                .want = data("/lesson", result)};
    le_tensor got = {.dtype = LE_F64};
    snprintf(g.operation, sizeof g.operation, flat ? "convolve" : "convolve2d");
    snprintf(g.mode, sizeof g.mode, "full");
    snprintf(g.boundary, sizeof g.boundary, "fill");
    assert_int_equal(call(&g, NULL, 1e-5, &got), LE_OK);
    for (int64_t i = 0; i < le_tensor_count(&g.want); i++) {
        const double a = ((double *)got.data)[i], b = ((double *)g.want.data)[i];
        if (!(fabs(a - b) <= 1e-8 + 1e-5 * fabs(b)))
            fail_msg("lesson: element %d is %.17g, expected %.17g", (int)i, a, b);
    }
    le_tensor_free(&got);
    le_tensor_free(&g.kernel);
    le_tensor_free(&g.want);
}

static void test_lesson(void **state) {
    (void)state;
    H5Fclose(open_or_skip(golden_file));
    le_tensor diracs = data("/lesson", "diracs"), signal = diracs;
    const int64_t n = le_tensor_count(&diracs);
    check_lesson(&diracs, "gauss", "convolve2d_full", false);
    signal = le_tensor_of(diracs.data, diracs.dtype, 1, &n);
    check_lesson(&signal, "diagonal", "convolve_full", true);
    le_tensor_free(&diracs);
}

/* Every one answers some calls of the operation that has most cases. */
static void test_answers(void **state) {
    (void)state;
    H5Fclose(open_or_skip(golden_file));
    for (int k = 0; k < MOST_ANSWERS && tally[k].implementation; k++) {
        const le_implementation *i = tally[k].implementation;
        print_message("  %s %s: %d answers\n", i->operation, i->name, tally[k].answers);
        if (!strcmp(i->operation, "convolve2d"))
            assert_true(tally[k].answers > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images), cmocka_unit_test(test_signals),
        cmocka_unit_test(test_lesson), cmocka_unit_test(test_answers)};
    setenv("LE_IO_TRUST", "1", 1); /* hundreds of datasets: no process for each */
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
