/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Implementations of the imaging family say what they take of memory: one whose run takes more than
 * a limit is not for a call under it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "liquid_engine/le_bench.h"
#include "one_engine.h"

enum { ROWS = 300, COLS = 400, MOST_ARGS = 8 };

static bool steps; /* most pixels are alike */

static double step(uint64_t random) {
    const int of = (int)(random >> 40 & 255);
    return of < 20 ? 1 : of < 40 ? 3 : of < 44 ? 0 : of < 48 ? 4 : 2;
}

static le_tensor made(le_dtype dtype) {
    uint64_t random = 5;
    le_tensor t;
    assert_int_equal(le_tensor_alloc(&t, dtype, 2, (int64_t[]){ROWS, COLS}), LE_OK);
    for (int64_t i = 0; i < ROWS * COLS; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        le_tensor_set(&t, i,
                      steps             ? step(random)
                      : dtype == LE_I32 ? (double)(i % 7 == 3 ? i / 7 % 50 : 0)
                                        : (double)(random >> 40 & 255));
    }
    return t;
}

/* Of the run of a candidate on the CPU; 0: it has none. Chains plan for a limit. */
static int64_t peak_of(le_bench *bench, size_t index) {
    le_bench_stats stats = {.struct_size = sizeof stats};
    size_t n;
    const le_bench_candidate *c = &le_bench_candidates(bench, &n)[index];
    if (!c->applies || strcmp(c->device, "cpu") != 0 || !strncmp(c->text, "staged", 6))
        return 0;
    if (le_bench_run(bench, index, &stats) != LE_OK)
        fail_msg("%s: %s", c->text, le_error_message());
    return stats.peak_bytes;
}

/* Of few bytes, and rounding, nobody has to tell. */
static bool applies_below(const char *operation, le_arg *args, size_t n_args, size_t index,
                          int64_t peak) {
    enum { FEW = 1 << 16 };
    le_bench *bench;
    size_t n;
    if (peak < FEW)
        return false;
    args[n_args] = LE_OPT_MEMORY_LIMIT(peak * 9 / 10 - 8192);
    assert_int_equal(le_bench_open(&bench, engine, operation, args, n_args + 1), LE_OK);
    const bool applies = le_bench_candidates(bench, &n)[index].applies;
    le_bench_close(&bench);
    return applies;
}

static void check(const char *operation, const char *input, le_dtype dtype, le_arg more,
                  le_arg also, const char *output) {
    le_tensor image = made(dtype), out = {0};
    le_arg args[MOST_ARGS] = {LE_IN(input, &image), LE_OUT(output, &out), more, also};
    const size_t n_args = also.name ? 4 : more.name ? 3 : 2;
    le_bench *bench;
    size_t n;
    assert_int_equal(le_bench_open(&bench, engine, operation, args, n_args), LE_OK);
    const le_bench_candidate *all = le_bench_candidates(bench, &n);
    for (size_t i = 0; i < n; i++) {
        const int64_t peak = peak_of(bench, i);
        if (applies_below(operation, args, n_args, i, peak))
            fail_msg("%s, %s: takes %lld bytes, and is for calls with less", operation, all[i].text,
                     (long long)peak);
    }
    le_bench_close(&bench);
    le_tensor_free(&image);
}

/* Steps of whole numbers: the window about the median has no room for all that are equal to it. */
static void test_unlike_its_sample(void **state) {
    const le_arg none = {.name = NULL};
    (void)state;
    steps = true;
    check("sigma_clip", "image", LE_F32, none, none, "statistics");
    check("sigma_clip", "image", LE_F64, none, none, "statistics");
    check("find_sources", "image", LE_F32, none, none, "labels");
    steps = false;
}

static void test_declared(void **state) {
    const le_arg none = {.name = NULL};
    le_tensor noise = {0};
    (void)state;
    check("sigma_clip", "image", LE_F32, none, none, "statistics");
    check("sigma_clip", "image", LE_F32, LE_STR("deviation", "mad_std"), none, "statistics");
    check("sigma_clip", "image", LE_U16, none, none, "statistics");
    check("sigma_clip", "image", LE_F64, LE_I64("axis", 1), none, "statistics");
    check("label", "mask", LE_U8, none, none, "labels");
    check("select_labels", "labels", LE_I32, LE_I64("minimum_area", 3), none, "result");
    check("background_mesh", "image", LE_F32, LE_I64("cell", 65536), LE_OUT("noise", &noise),
          "background");
    check("find_sources", "image", LE_F32, LE_STR("background", "mesh"), LE_I64("cell", 65536),
          "labels");
    check("find_sources", "image", LE_F32, LE_STR("deviation", "mad_std"), none, "labels");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_declared),
                                       cmocka_unit_test(test_unlike_its_sample)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
