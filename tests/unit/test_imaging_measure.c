/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * measure_sources with extended columns: the ellipse of sources whose moments are known, of those
 * that have none and of those whose moments are negative, and their flags.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "check/runs_here.h"
#include "one_engine.h"

enum { SOURCES = 4, PIXELS = 3 * SOURCES, MOMENTS = 7 };

/* The last columns are moment_00, _01, _11, semi_major, semi_minor, theta, flags. */
static const double *last_columns(const le_tensor *catalogue, int row) {
    return (const double *)catalogue->data + (row + 1) * catalogue->shape[1] - MOMENTS;
}

static void measure(const le_tensor *image, const le_tensor *labels, const char *implementation,
                    le_tensor *catalogue) {
    if (le_engine_run(engine, "measure_sources", LE_IN("image", image), LE_IN("labels", labels),
                      LE_STR("columns", "extended"), LE_OUT("catalogue", catalogue),
                      LE_OPT_IMPLEMENTATION(implementation)) != LE_OK)
        fail_msg("%s: %s", implementation, le_error_message());
}

static const char *const names[] = {"reference", "c"};

static void test_ellipses(void **state) {
    (void)state;
    /* two equal pixels side by side; a sum of 0; a pixel that is not a number; an infinite one */
    double values[PIXELS] = {2, 2, 0, 1, -1, 0, NAN, 1, 0, INFINITY, 1, 0};
    int32_t labels[PIXELS] = {1, 1, 0, 2, 2, 0, 3, 3, 0, 4, 4, 0};
    const le_tensor image = le_tensor_of(values, LE_F64, 2, (int64_t[]){SOURCES, 3}),
                    label = le_tensor_of(labels, LE_I32, 2, (int64_t[]){SOURCES, 3});
    static const double flags[SOURCES] = {1, 1, 1 + 4, 1 + 2}; /* all are at the edge */
    for (int k = 0; k < 2; k++) {
        le_tensor catalogue = {0};
        measure(&image, &label, names[k], &catalogue);
        assert_int_equal(catalogue.shape[0], SOURCES);
        static const double beside[MOMENTS - 1] = {0, 0, 0.25, 0.5, 0, 0};
        for (int i = 0; i < MOMENTS - 1; i++) {
            assert_true(last_columns(&catalogue, 0)[i] == beside[i]);
            for (int row = 1; row < SOURCES; row++)
                if (!isnan(last_columns(&catalogue, row)[i]))
                    fail_msg("%s: source %d, column %d of the moments: %g, expected NaN", names[k],
                             row + 1, i, last_columns(&catalogue, row)[i]);
        }
        for (int row = 0; row < SOURCES; row++)
            assert_true(last_columns(&catalogue, row)[MOMENTS - 1] == flags[row]);
        le_tensor_free(&catalogue);
    }
}

static void test_negative_moments(void **state) {
    (void)state;
    double values[9] = {0, -1, 0, -1, 5, -1, 0, -1, 0};
    int32_t labels[9] = {0, 1, 0, 1, 1, 1, 0, 1, 0};
    static const double expected[MOMENTS - 1] = {-2, 0, -2, 0, 0, 0};
    const le_tensor image = le_tensor_of(values, LE_F64, 2, (int64_t[]){3, 3}),
                    label = le_tensor_of(labels, LE_I32, 2, (int64_t[]){3, 3});
    for (int k = 0; k < 2; k++) {
        le_tensor catalogue = {0};
        measure(&image, &label, names[k], &catalogue);
        for (int i = 0; i < MOMENTS - 1; i++)
            assert_true(last_columns(&catalogue, 0)[i] == expected[i]);
        le_tensor_free(&catalogue);
    }
}

/* Finite pixels, of which no double holds a square: as numpy.std has it. */
static void test_too_far(void **state) {
    double values[8] = {1e200, 1, 2, 3, 1e200, 1e200, 0, NAN};
    int32_t labels[8] = {1, 1, 1, 0, 2, 2, 3, 3};
    const le_tensor image = le_tensor_of(values, LE_F64, 1, (int64_t[]){8}),
                    label = le_tensor_of(labels, LE_I32, 1, (int64_t[]){8});
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, "measure_sources", &n);
    (void)state;
    for (size_t k = 0; k < n; k++) {
        le_tensor catalogue = {0};
        if (!runs_here(engine, all[k]))
            continue;
        if (le_engine_run(engine, "measure_sources", LE_IN("image", &image),
                          LE_IN("labels", &label), LE_OUT("catalogue", &catalogue),
                          LE_OPT_IMPLEMENTATION(all[k]->name)) != LE_OK)
            fail_msg("%s: %s", all[k]->name, le_error_message());
        const double *rows = catalogue.data;
        const int64_t columns = catalogue.shape[1];
        if (!(rows[4] == INFINITY && rows[columns + 4] == 0 && isnan(rows[2 * columns + 4])))
            fail_msg("%s: deviations of %g, %g and %g", all[k]->name, rows[4], rows[columns + 4],
                     rows[2 * columns + 4]);
        le_tensor_free(&catalogue);
    }
}

/* Sums that no double holds, as of pixels without data that are -DBL_MAX, and sums that one holds
 * though it does not hold those of some of their pixels. */
static void test_sums_beyond(void **state) {
    enum { ROWS = 6, COLS = 6 };
    static const double m = DBL_MAX, sums[ROWS] = {-INFINITY, INFINITY, 5, 0, 6, INFINITY};
    double values[ROWS * COLS] = {3, -m, -m, 0,  -m, 1,  m, m, m, m, m, m, -m, 5, m,  0, 0, 0,
                                  m, m,  m,  -m, -m, -m, 1, 1, 1, 1, 1, 1, m,  m, -m, 1, 0, m / 4};
    int32_t labels[ROWS * COLS];
    const le_tensor image = le_tensor_of(values, LE_F64, 2, (int64_t[]){ROWS, COLS}),
                    label = le_tensor_of(labels, LE_I32, 2, (int64_t[]){ROWS, COLS});
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, "measure_sources", &n);
    (void)state;
    for (int i = 0; i < ROWS * COLS; i++)
        labels[i] = i / COLS + 1;
    for (size_t k = 0; k < n; k++) {
        le_tensor catalogue = {0};
        if (!runs_here(engine, all[k]))
            continue;
        measure(&image, &label, all[k]->name, &catalogue);
        for (int i = 0; i < ROWS; i++) {
            const double *row = (const double *)catalogue.data + i * catalogue.shape[1];
            /* of pixels of both signs a sum of doubles has the last digits of the largest */
            const double by = isfinite(sums[i]) && row[6] == m ? m * 1e-15 : 0;
            if (!(row[2] == sums[i] || fabs(row[2] - sums[i]) <= by))
                fail_msg("%s: sum %g, expected %g", all[k]->name, row[2], sums[i]);
            const double deviation = i == 1 || i == 4 ? 0 : INFINITY;
            if (row[4] != deviation)
                fail_msg("%s: deviation %g, expected %g", all[k]->name, row[4], deviation);
            if (row[3] != (i == 1 ? m : row[2] / COLS))
                fail_msg("%s: mean %g of a sum of %g", all[k]->name, row[3], row[2]);
        }
        le_tensor_free(&catalogue);
    }
}

/* The first pixel of a label may lie far from all others, as one without data does. */
static void test_far_first_pixel(void **state) {
    enum { ROWS = 300, COLS = 400, N = ROWS * COLS };
    static const double firsts[] = {0, 1e12, -1e8};
    le_tensor image, label;
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, "measure_sources", &n);
    (void)state;
    assert_int_equal(le_tensor_alloc(&image, LE_F64, 2, (int64_t[]){ROWS, COLS}), LE_OK);
    assert_int_equal(le_tensor_alloc(&label, LE_U8, 2, (int64_t[]){ROWS, COLS}), LE_OK);
    memset(label.data, 1, N);
    double *values = image.data;
    for (int i = 0; i < N; i++)
        values[i] = 1e6 + (double)((int64_t)i * 7919 % 10007) / 1e4;
    for (size_t k = 0; k < 3 * n; k++) {
        le_tensor catalogue = {0};
        const char *name = all[k / 3]->name;
        if (!runs_here(engine, all[k / 3]))
            continue;
        values[0] = firsts[k % 3];
        le_tensor_touch(&image);
        long double mean = 0, squares = 0;
        for (int i = 0; i < N; i++)
            mean += (long double)values[i] / N;
        for (int i = 0; i < N; i++)
            squares += (values[i] - mean) * (values[i] - mean) / N;
        if (le_engine_run(engine, "measure_sources", LE_IN("image", &image),
                          LE_IN("labels", &label), LE_OUT("catalogue", &catalogue),
                          LE_OPT_IMPLEMENTATION(name)) != LE_OK)
            fail_msg("%s, from %g: %s", name, firsts[k % 3], le_error_message());
        const double *row = catalogue.data, wanted[] = {(double)mean, (double)sqrtl(squares)};
        for (int c = 0; c < 2; c++)
            if (!(fabs(row[3 + c] - wanted[c]) <= 1e-13 * wanted[c]))
                fail_msg("%s, from %g: %s %.17g, expected %.17g", name, firsts[k % 3],
                         c ? "deviation" : "mean", row[3 + c], wanted[c]);
        le_tensor_free(&catalogue);
    }
    le_tensor_free(&image);
    le_tensor_free(&label);
}

/* Labels far beyond the number of pixels, in the order of the index, one of them twice, one that
 * there is not; and how much memory that is. */
static void test_large_labels(void **state) {
    enum { N = 8, ROWS = 6 };
    double values[N] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint32_t labels[N] = {7, 7, 0, 4000000000u, 4000000000u, 5, 5, 7};
    double index[ROWS] = {4000000000.0, 7, 3999999999.0, 0, 7, 5};
    static const double areas[ROWS] = {2, 3, 0, 1, 3, 2}, sums[ROWS] = {9, 11, 0, 3, 11, 13};
    const le_tensor image = le_tensor_of(values, LE_F64, 1, (int64_t[]){N}),
                    label = le_tensor_of(labels, LE_U32, 1, (int64_t[]){N}),
                    table = le_tensor_of(index, LE_F64, 1, (int64_t[]){ROWS});
    struct rusage before, after;
    (void)state;
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    for (int k = 0; k < 2; k++) {
        le_tensor catalogue = {0};
        if (le_engine_run(engine, "measure_sources", LE_IN("image", &image),
                          LE_IN("labels", &label), LE_TABLE("index", &table),
                          LE_OUT("catalogue", &catalogue), LE_OPT_IMPLEMENTATION(names[k]),
                          LE_OPT_MEMORY_LIMIT(1 << 20)) != LE_OK)
            fail_msg("%s: %s", names[k], le_error_message());
        assert_int_equal(catalogue.shape[0], ROWS);
        for (int i = 0; i < ROWS; i++) {
            const double *row = (const double *)catalogue.data + i * catalogue.shape[1];
            assert_true(row[0] == index[i] && row[1] == areas[i] && row[2] == sums[i]);
        }
        le_tensor_free(&catalogue);
    }
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    assert_true(after.ru_maxrss - before.ru_maxrss < 256 << 10); /* in KiB */
}

/* Without an index: more rows than there is memory for, of which none is taken. */
static void test_large_label_alone(void **state) {
    enum { N = 4 };
    double values[N] = {1, 2, 3, 4};
    uint32_t labels[N] = {1, 0, 1000000000, 2};
    const le_tensor image = le_tensor_of(values, LE_F64, 1, (int64_t[]){N}),
                    label = le_tensor_of(labels, LE_U32, 1, (int64_t[]){N});
    struct rusage before, after;
    (void)state;
    assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
    for (int k = 0; k < 2; k++) {
        le_tensor catalogue = {0};
        assert_int_not_equal(le_engine_run(engine, "measure_sources", LE_IN("image", &image),
                                           LE_IN("labels", &label), LE_OUT("catalogue", &catalogue),
                                           LE_OPT_IMPLEMENTATION(names[k]),
                                           LE_OPT_MEMORY_LIMIT(1 << 20)),
                             LE_OK);
    }
    assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
    assert_true(after.ru_maxrss - before.ru_maxrss < 256 << 10); /* in KiB */
}

/* A label that the CPU alone measures is held against nobody. */
static void test_not_for_devices(void **state) {
    uint32_t labels[2] = {4294967295, 1};
    double values[2] = {3, 4}, index[] = {4294967295.0, 1};
    const le_tensor image = le_tensor_of(values, LE_F64, 1, (int64_t[]){2}),
                    label = le_tensor_of(labels, LE_U32, 1, (int64_t[]){2});
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, "measure_sources", &n);
    (void)state;
    for (size_t k = 0; k < n; k++)
        for (int from = 0; from < 2 && runs_here(engine, all[k]); from++) {
            le_tensor catalogue = {0};
            const le_tensor table = le_tensor_of(index + from, LE_F64, 1, (int64_t[]){2 - from});
            const le_status status =
                le_engine_run(engine, "measure_sources", LE_IN("image", &image),
                              LE_IN("labels", &label), LE_TABLE("index", &table),
                              LE_OUT("catalogue", &catalogue), LE_OPT_IMPLEMENTATION(all[k]->name));
            if (status != LE_OK && from == 0 && strstr(le_error_message(), "labels of the index"))
                continue;
            if (status != LE_OK)
                fail_msg("%s, %d labels: %s", all[k]->name, 2 - from, le_error_message());
            assert_true(((const double *)catalogue.data)[2] == 3 + from);
            le_tensor_free(&catalogue);
        }
}

static void problem_of_index(double label, char out[256]) {
    float values[4] = {1, 2, 3, 4};
    uint32_t labels[4] = {1, 2, 0, 2};
    const le_tensor image = le_tensor_of(values, LE_F32, 2, (int64_t[]){2, 2}),
                    label_image = le_tensor_of(labels, LE_U32, 2, (int64_t[]){2, 2}),
                    index = le_tensor_of(&label, LE_F64, 1, (int64_t[]){1});
    le_tensor catalogue = {0};
    le_explanation *x = NULL;
    if (le_engine_explain(engine, &x, "measure_sources", LE_IN("image", &image),
                          LE_IN("labels", &label_image), LE_TABLE("index", &index),
                          LE_OUT("catalogue", &catalogue)) != LE_OK)
        fail_msg("%s", le_error_message());
    snprintf(out, 256, "%s", x->problem);
    le_explanation_free(&x);
}

/* Not all implementations take these, and who takes a problem is asked once. */
static void test_far_labels_are_another_problem(void **state) {
    char near[256], nearer[256], far[256];
    (void)state;
    problem_of_index(2, near);
    problem_of_index(4, nearer);
    problem_of_index(5, far);
    assert_string_equal(near, nearer);
    assert_string_not_equal(near, far);
}

/* Where no pixel of a label is a number, none is saturated, whatever the saturation. */
static void test_saturated(void **state) {
    enum { LABELS = 4, WIDE = 2 };
    double values[LABELS * WIDE] = {NAN, NAN, NAN, -INFINITY, NAN, 3, 5, 5};
    int32_t labels[LABELS * WIDE] = {1, 1, 2, 2, 3, 3, 4, 4};
    static const double saturations[] = {-INFINITY, 4, INFINITY};
    static const bool saturated[3][LABELS] = {
        {false, true, true, true}, {false, false, false, true}, {false}};
    const le_tensor image = le_tensor_of(values, LE_F64, 2, (int64_t[]){LABELS, WIDE}),
                    label = le_tensor_of(labels, LE_I32, 2, (int64_t[]){LABELS, WIDE});
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, "measure_sources", &n);
    (void)state;
    for (size_t k = 0; k < 3 * n; k++) {
        le_tensor catalogue = {0};
        const char *name = all[k / 3]->name;
        if (!runs_here(engine, all[k / 3]))
            continue;
        if (le_engine_run(engine, "measure_sources", LE_IN("image", &image),
                          LE_IN("labels", &label), LE_STR("columns", "extended"),
                          LE_F64("saturation", saturations[k % 3]), LE_OUT("catalogue", &catalogue),
                          LE_OPT_IMPLEMENTATION(name)) != LE_OK)
            fail_msg("%s: %s", name, le_error_message());
        for (int row = 0; row < LABELS; row++) {
            const double want = 1 + 2 * saturated[k % 3][row] + 4 * (row < 3),
                         is = last_columns(&catalogue, row)[MOMENTS - 1];
            if (is != want)
                fail_msg("%s, from %g on, label %d: flags are %g, expected %g", name,
                         saturations[k % 3], row + 1, is, want);
        }
        le_tensor_free(&catalogue);
    }
}

/* Two numbers that are not alike do not look so. */
static void test_refused(void **state) {
    double values[2] = {1, 2}, index[1] = {4294967296.0};
    int32_t labels[2] = {1, 2};
    const le_tensor image = le_tensor_of(values, LE_F64, 1, (int64_t[]){2}),
                    label = le_tensor_of(labels, LE_I32, 1, (int64_t[]){2}),
                    table = le_tensor_of(index, LE_F64, 1, (int64_t[]){1});
    le_tensor catalogue = {0};
    (void)state;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(le_engine_run(engine, "measure_sources", LE_IN("image", &image),
                                       LE_IN("labels", &label), LE_TABLE("index", &table),
                                       LE_OUT("catalogue", &catalogue)),
                         LE_ERR_ARGUMENT);
        const char *words = k ? "is 4294967294.5, expected a whole number"
                              : "is 4294967296, expected 0 to 4294967295";
        if (!strstr(le_error_message(), words))
            fail_msg("'%s' is not in: %s", words, le_error_message());
        index[0] = 4294967294.5;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_large_labels),
                                       cmocka_unit_test(test_too_far),
                                       cmocka_unit_test(test_ellipses),
                                       cmocka_unit_test(test_negative_moments),
                                       cmocka_unit_test(test_saturated),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_far_first_pixel),
                                       cmocka_unit_test(test_large_label_alone),
                                       cmocka_unit_test(test_not_for_devices),
                                       cmocka_unit_test(test_sums_beyond),
                                       cmocka_unit_test(test_far_labels_are_another_problem)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
