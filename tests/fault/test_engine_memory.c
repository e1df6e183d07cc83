/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The k-th allocation fails, for every k of a small run (open, call, explain, close): an error code
 * or the right answer each time, no crash; AddressSanitizer finds what leaks.
 */
#include "failing_allocator.h"
#include "toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static le_status call(le_engine *e, le_mode mode) {
    float in[64];
    int64_t n = 64;
    for (int i = 0; i < 64; i++)
        in[i] = (float)i;
    le_tensor input = le_tensor_of(in, LE_F32, 1, &n), result = {0};
    le_status status = le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 3),
                                     LE_OUT("result", &result), LE_OPT_MODE(mode));
    if (status == LE_OK)
        for (int i = 0; i < 64; i++)
            assert_float_equal(((float *)result.data)[i], 3.0f * in[i], 0);
    else
        assert_null(result.data);
    le_tensor_free(&result);
    le_explanation *x = NULL;
    le_tensor none = {0};
    le_engine_explain(e, &x, "toy", LE_IN("input", &input), LE_F64("factor", 3),
                      LE_OUT("result", &none));
    free(x ? le_explanation_json(x) : NULL);
    le_explanation_free(&x);
    return status;
}

/* Returns whether the run was free of errors. */
static bool run(le_mode mode) {
    le_options o;
    le_engine *e = NULL;
    le_default_options(&o);
    o.db_path = ":memory:";
    o.devices = "cpu";
    o.threads = 1;
    bool fine = le_open(&e, &o) == LE_OK && le_register_operation(e, &toy_operation) == LE_OK &&
                le_register_implementation(e, &toy_reference) == LE_OK &&
                le_register_implementation(e, &toy_c) == LE_OK;
    if (e)
        fine = call(e, mode) == LE_OK && fine;
    le_close(&e);
    return fine;
}

static void every_allocation(le_mode mode) {
    done = 0;
    assert_true(run(mode));
    long n = done, failed = 0;
    assert_true(n > 20);
    for (long k = 1; k <= n; k++) {
        left = k;
        failed += !run(mode);
        left = 0;
    }
    assert_true(failed > 0); /* else nothing was injected */
    assert_true(run(mode));
}

static void in_learn(void **state) {
    (void)state;
    every_allocation(LE_MODE_LEARN);
}

static void in_measure(void **state) {
    (void)state;
    every_allocation(LE_MODE_MEASURE);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_learn), cmocka_unit_test(in_measure)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
