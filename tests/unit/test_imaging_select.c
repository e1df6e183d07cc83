/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * select_labels of labels that are far apart, up to the largest there is: the answer is written
 * down here, and memory must not grow with the labels. Components of a pixel each, so many that
 * looking at all pixels for each would take hours. And images without pixels, which may have no
 * memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "check/runs_here.h"
#include "one_engine.h"

enum { PIXELS = 12 };

static void run_by(const char *implementation, int32_t *labels, uint8_t *seeds,
                   const int64_t *shape, int64_t minimum_area, le_tensor *result,
                   le_tensor *count) {
    const le_tensor in = le_tensor_of(labels, LE_I32, 2, shape),
                    seeded = le_tensor_of(seeds, LE_U8, 2, shape);
    *result = *count = (le_tensor){0};
    if (le_engine_run(engine, "select_labels", LE_IN("labels", &in), LE_IN("seeds", &seeded),
                      LE_I64("minimum_area", minimum_area), LE_OUT("result", result),
                      LE_OUT("count", count), LE_OPT_IMPLEMENTATION(implementation)) != LE_OK)
        fail_msg("%s: %s", implementation, le_error_message());
}

static void select_by(const char *implementation) {
    /* 7 has two pixels, 2000000000 three and no seed, the largest three, 5 one */
    static int32_t labels[PIXELS] = {2000000000, 0, INT32_MAX, 7, 2000000000, 5,
                                     INT32_MAX,  7, -3,        0, INT32_MAX,  2000000000};
    static uint8_t seeds[PIXELS] = {0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0};
    static const int32_t want[PIXELS] = {0, 0, 2, 1, 0, 0, 2, 1, 0, 0, 2, 0};
    le_tensor result, count;
    run_by(implementation, labels, seeds, (int64_t[]){3, 4}, 2, &result, &count);
    assert_memory_equal(result.data, want, sizeof want);
    assert_int_equal(*(int32_t *)count.data, 2);
    le_tensor_free(&result);
    le_tensor_free(&count);
}

static void test_far_apart(void **state) {
    (void)state;
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, "select_labels", &n);
    for (size_t k = 0; k < n; k++)
        if (runs_here(engine, all[k]))
            select_by(all[k]->name);
    struct rusage used; /* a place for each number up to the largest would be 10 GB */
    assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
    assert_true(used.ru_maxrss < 2 << 20); /* KiB */
}

/* A label in each pixel, from the largest to the least, `apart` from one another; those below 1 are
 * none. */
static void select_many(const char *implementation, int apart) {
    enum { SIDE = 768, MANY = SIDE * SIDE, NONE = 5 };
    static int32_t labels[MANY];
    static uint8_t seeds[MANY];
    for (int i = 0; i < MANY; i++) {
        labels[i] = apart * (MANY - NONE - i);
        seeds[i] = i % 3 == 0;
    }
    le_tensor result, count;
    run_by(implementation, labels, seeds, (int64_t[]){SIDE, SIDE}, 1, &result, &count);
    const int kept = (MANY - NONE + 2) / 3;
    assert_int_equal(*(int32_t *)count.data, kept);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(((int32_t *)result.data)[i],
                         i < MANY - NONE && i % 3 == 0 ? kept - i / 3 : 0);
    le_tensor_free(&result);
    le_tensor_free(&count);
}

static void test_many(void **state) {
    (void)state;
    size_t n;
    const le_implementation *const *all = le_engine_implementations(engine, "select_labels", &n);
    for (size_t k = 0; k < n; k++) {
        if (!runs_here(engine, all[k]))
            continue;
        select_many(all[k]->name, 1);
        select_many(all[k]->name, 3600);
    }
}

static void test_empty(void **state) {
    (void)state;
    static const struct {
        const char *operation, *in, *out;
        le_dtype dtype;
    } cases[] = {{"label", "mask", "labels", LE_U8}, {"select_labels", "labels", "result", LE_I32}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const le_tensor in = le_tensor_of(NULL, cases[i].dtype, 2, (int64_t[]){0, 5});
        le_tensor out = {0};
        if (le_engine_run(engine, cases[i].operation, LE_IN(cases[i].in, &in),
                          LE_OUT(cases[i].out, &out), LE_OPT_IMPLEMENTATION("c")) != LE_OK)
            fail_msg("%s", le_error_message());
        assert_int_equal(out.shape[0], 0);
        assert_int_equal(out.shape[1], 5);
        le_tensor_free(&out);
    }
}

/* Whichever of its axes are empty. */
static void test_empty_volumes(void **state) {
    (void)state;
    static const char *const implementations[] = {"reference", "c"};
    for (unsigned k = 0; k < 14; k++) {
        const unsigned empty = 1 + k % 7;
        const int64_t shape[] = {empty & 1 ? 0 : 4, empty & 2 ? 0 : 5, empty & 4 ? 0 : 6};
        const le_tensor in = le_tensor_of(NULL, LE_U8, 3, shape);
        le_tensor out = {0}, count = {0};
        if (le_engine_run(engine, "label", LE_IN("mask", &in), LE_OUT("labels", &out),
                          LE_OUT("count", &count),
                          LE_OPT_IMPLEMENTATION(implementations[k / 7])) != LE_OK)
            fail_msg("axes %u: %s", empty, le_error_message());
        assert_memory_equal(out.shape, shape, sizeof shape);
        assert_int_equal(*(int32_t *)count.data, 0);
        le_tensor_free(&out);
        le_tensor_free(&count);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_far_apart),
                                       cmocka_unit_test(test_many), cmocka_unit_test(test_empty),
                                       cmocka_unit_test(test_empty_volumes)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
