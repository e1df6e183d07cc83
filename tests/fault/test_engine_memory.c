/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The k-th allocation fails, for every k of a small run (open, call, explain, close), or every
 * LE_TEST_STEP-th from 1 + LE_TEST_SEED: an error code or the right answer each time, no crash;
 * AddressSanitizer finds what leaks.
 */
#include "counted_ops.h"
#include "failing_allocator.h"
#include "liquid_engine/le_chain.h"
#include "toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* --- counted outputs: alone with too little room, in a chain, in slabs --- */

enum { H = 6, W = 5, ABOVE = 12 };
static float image[H * W];
static const int64_t shape[2] = {H, W};

static le_tensor make_image(void) {
    for (int i = 0; i < H * W; i++)
        image[i] = i % 5 < 2 ? (float)(i + 1) : -1;
    return le_tensor_of(image, LE_F32, 2, shape);
}

static void assert_rows(le_status status, const le_tensor *rows, double factor) {
    if (status != LE_OK) {
        assert_null(rows->storage);
        return;
    }
    assert_int_equal(rows->shape[0], ABOVE);
    for (int64_t n = 0; n < ABOVE; n++) {
        double i = (double)(n / 2 * 5 + n % 2);
        assert_true(le_tensor_get(rows, 2 * n) == i);
        assert_true(le_tensor_get(rows, 2 * n + 1) == factor * (i + 1));
    }
}

static le_status count_by(le_engine *e, le_mode mode, const char *implementation) {
    le_tensor in = make_image(), rows = {0};
    le_status status = le_engine_run(e, "above", LE_IN("image", &in), LE_F64("level", 0),
                                     LE_I64("room", 2), LE_OUT("rows", &rows), LE_OPT_MODE(mode),
                                     LE_OPT_IMPLEMENTATION(implementation));
    assert_rows(status, &rows, 1);
    le_tensor_free(&rows);
    return status;
}

static le_status count_in_chain(le_engine *e, le_mode mode) {
    le_chain *c;
    le_tensor in = make_image(), rows = {0};
    le_status status = le_chain_new(&c, e, "counted");
    if (status != LE_OK)
        return status;
    le_value from = le_chain_input(c, "image", LE_F32, 2, shape);
    le_value found = le_chain_temp(c), twice = le_chain_temp(c);
    le_chain_add(c, "above", LE_VALUE_IN("image", from), LE_F64("level", 0), LE_I64("room", 2),
                 LE_VALUE_OUT("rows", found));
    le_chain_add(c, "doubled", LE_VALUE_IN("rows", found), LE_VALUE_OUT("result", twice));
    le_chain_output(c, "rows", twice);
    for (int i = 0; i < 2; i++) {
        status = le_chain_run(c, LE_IN("image", &in), LE_OUT("rows", &rows), LE_OPT_MODE(mode));
        assert_rows(status, &rows, 2);
        le_tensor_free(&rows);
    }
    le_chain_free(&c);
    return status;
}

static bool count(le_engine *e, le_mode mode) {
    bool fine = counted_register(e) == LE_OK;
    fine = fine && count_by(e, mode, "c") == LE_OK;
    fine = count_by(e, mode, "slabs") == LE_OK && fine;
    return count_in_chain(e, mode) == LE_OK && fine;
}

/* --- every allocation --- */

typedef struct kind {
    le_mode mode;
    bool counted;
} kind;

/* Returns whether the run was free of errors. */
static bool run(kind k) {
    le_options o;
    le_engine *e = NULL;
    le_default_options(&o);
    o.db_path = ":memory:";
    o.devices = "cpu";
    o.threads = 1;
    if (k.counted) {
        bool fine = le_open(&e, &o) == LE_OK;
        fine = e && count(e, k.mode) && fine;
        le_close(&e);
        return fine;
    }
    bool fine = le_open(&e, &o) == LE_OK && le_register_operation(e, &toy_operation) == LE_OK &&
                le_register_implementation(e, &toy_reference) == LE_OK &&
                le_register_implementation(e, &toy_c) == LE_OK;
    if (e)
        fine = call(e, k.mode) == LE_OK && fine;
    le_close(&e);
    return fine;
}

static long number_of(const char *variable, long otherwise) {
    const char *text = getenv(variable);
    long n = text ? strtol(text, NULL, 10) : otherwise;
    return n > 0 ? n : otherwise;
}

static void every_allocation(kind mode) {
    done = 0;
    assert_true(run(mode));
    long n = done, failed = 0;
    assert_true(n > 20);
    long step = number_of("LE_TEST_STEP", 1);
    long first = number_of("LE_TEST_SEED", step > 1 ? (long)time(NULL) : 0);
    print_message("every %ld of %ld allocations, LE_TEST_SEED=%ld\n", step, n, first);
    for (long k = 1 + first % step; k <= n; k += step) {
        left = k;
        failed += !run(mode);
        left = 0;
    }
    assert_true(failed > 0); /* else nothing was injected */
    assert_true(run(mode));
}

static void in_learn(void **state) {
    (void)state;
    every_allocation((kind){LE_MODE_LEARN, false});
}

static void in_measure(void **state) {
    (void)state;
    every_allocation((kind){LE_MODE_MEASURE, false});
}

static void with_counts(void **state) {
    (void)state;
    every_allocation((kind){LE_MODE_ESTIMATE, true});
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_learn), cmocka_unit_test(in_measure),
                                       cmocka_unit_test(with_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
