/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The code of docs/adding-an-operation.md and docs/adding-an-implementation.md, compiled as
 * printed: its implementations agree with their references over the check cases, and the chain
 * runs.
 */
#include "bright.c" /* as printed */

#include "liquid_engine/le_bench.h"
#include "liquid_engine/le_method.h"
#include "one_engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

extern const le_operation le_operation_exceeds;
extern const le_implementation le_implementation_exceeds__reference;
extern const le_implementation le_implementation_exceeds__c;
extern const le_implementation le_implementation_composite__blocked;

static int open_with_pages(void **state) {
    if (open_engine(state) != 0)
        return -1;
    return le_register_operation(engine, &le_operation_exceeds) != LE_OK ||
           le_register_implementation(engine, &le_implementation_exceeds__reference) != LE_OK ||
           le_register_implementation(engine, &le_implementation_exceeds__c) != LE_OK ||
           le_register_implementation(engine, &le_implementation_composite__blocked) != LE_OK;
}

/* Checks the candidates of one implementation on one case; how many there were. */
static int check_case(const char *operation, const char *implementation, uint32_t index) {
    le_case_request request = {.kind = LE_CASE_CHECK, .seed = 1, .index = index, .dtype = LE_F32};
    le_sample *sample;
    le_bench *bench;
    le_bench_comparison result = {.struct_size = sizeof result};
    size_t n_args, n;
    int checked = 0;
    assert_int_equal(le_sample_make(&sample, engine, operation, &request), LE_OK);
    const le_arg *args = le_sample_args(sample, &n_args);
    assert_int_equal(le_bench_open(&bench, engine, operation, args, n_args), LE_OK);
    assert_int_equal(le_bench_reference(bench), LE_OK);
    const le_bench_candidate *list = le_bench_candidates(bench, &n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i].implementation->name, implementation) || !list[i].applies)
            continue;
        assert_int_equal(le_bench_check(bench, i, 0xff, &result), LE_OK);
        assert_true(result.within);
        checked++;
    }
    le_bench_close(&bench);
    le_sample_free(&sample);
    return checked;
}

static int check_all(const char *operation, const char *implementation) {
    int checked = 0;
    for (uint32_t index = 0; index < 12; index++)
        checked += check_case(operation, implementation, index);
    return checked;
}

static void implementations(void **state) {
    (void)state;
    assert_true(check_all("composite", "blocked") > 0);
    assert_true(check_all("exceeds", "c") > 0);
    assert_true(check_all("exceeds", "reference") > 0);
}

static void chain(void **state) {
    (void)state;
    float values[] = {1, 5, 3, 3.5f, -2, 9, 0, 4};
    const int expected[] = {0, 1, 0, 1, 0, 1, 0, 1};
    le_tensor cube = le_tensor_of(values, LE_F32, 3, (int64_t[]){2, 2, 2}), mask = {0};
    assert_int_equal(bright(engine, &cube, &mask), LE_OK);
    assert_int_equal(mask.dtype, LE_U8);
    for (int i = 0; i < 8; i++)
        assert_int_equal((int)le_tensor_get(&mask, i), expected[i]);
    le_tensor_free(&mask);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(implementations), cmocka_unit_test(chain)};
    return cmocka_run_group_tests(tests, open_with_pages, close_engine);
}
