/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * select_labels of labels that are far apart, up to the largest there is: the answer is written
 * down here, and memory must not grow with the labels.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "check/runs_here.h"
#include "one_engine.h"

enum { PIXELS = 12 };

static void select_by(const char *implementation) {
    /* 7 has two pixels, 2000000000 three and no seed, the largest three, 5 one */
    static int32_t labels[PIXELS] = {2000000000, 0, INT32_MAX, 7, 2000000000, 5,
                                     INT32_MAX,  7, -3,        0, INT32_MAX,  2000000000};
    static uint8_t seeds[PIXELS] = {0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0};
    static const int32_t want[PIXELS] = {0, 0, 2, 1, 0, 0, 2, 1, 0, 0, 2, 0};
    const le_tensor in = le_tensor_of(labels, LE_I32, 2, (int64_t[]){3, 4}),
                    seeded = le_tensor_of(seeds, LE_U8, 2, (int64_t[]){3, 4});
    le_tensor result = {0}, count = {0};
    if (le_engine_run(engine, "select_labels", LE_IN("labels", &in), LE_IN("seeds", &seeded),
                      LE_I64("minimum_area", 2), LE_OUT("result", &result), LE_OUT("count", &count),
                      LE_OPT_IMPLEMENTATION(implementation)) != LE_OK)
        fail_msg("%s: %s", implementation, le_error_message());
    assert_memory_equal(result.data, want, sizeof want);
    assert_int_equal(*(int32_t *)count.data, 2);
    le_tensor_free(&result);
    le_tensor_free(&count);
}

static void test_far_apart(void **state) {
    (void)state;
    select_by("reference");
    select_by("c");
    struct rusage used; /* a place for each number up to the largest would be 10 GB */
    assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
    assert_true(used.ru_maxrss < 2 << 20); /* KiB */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_far_apart)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
