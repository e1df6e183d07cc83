/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Chains as operations: what a call of one asks for holds for its steps.
 */
#include "chain_ops.h"
#include "liquid_engine/le_method.h"
#include "one_engine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { N = 4000, TAPS = 5 };
static const int64_t shape_n[] = {N};
static const double taps[TAPS] = {0.1, 0.2, 0.4, 0.2, 0.1}; /* symmetric */
static float numbers[N];

static double expected(int64_t i) {
    double sum = 0;
    for (int64_t k = 0; k < TAPS; k++) {
        const int64_t at = i + k - TAPS / 2;
        sum += at >= 0 && at < N ? taps[k] * (double)numbers[at] : 0;
    }
    return sum;
}

static double largest_error(const le_tensor *t) {
    double error = 0;
    assert_int_equal(le_tensor_count(t), N);
    for (int64_t i = 0; i < N; i++)
        error = fmax(error, fabs(le_tensor_get(t, i) - expected(i)));
    return error;
}

/* A convolution in single precision, unless its tolerance asks for more. */
static le_chain *smooth(double own_atol) {
    const le_arg tolerance = LE_OPT_ATOL(own_atol), none = {.kind = 0};
    le_chain *c;
    assert_int_equal(le_chain_new(&c, engine, "smooth"), LE_OK);
    le_value x = le_chain_input(c, "x", LE_F32, 1, shape_n), y = le_chain_temp(c);
    le_chain_add(c, "convolve", LE_VALUE_IN("signal", x), LE_F64S("kernel", taps, TAPS),
                 LE_STR("mode", "same"), LE_VALUE_OUT("result", y),
                 own_atol > 0 ? tolerance : none);
    le_chain_output(c, "y", y);
    assert_int_equal(le_chain_status(c), LE_OK);
    return c;
}

static void as_operation(le_chain *c, const char *name) {
    assert_int_equal(le_chain_as_operation(c, name, NULL), LE_OK);
    le_chain_free(&c);
}

static const char json[] = "{\"name\": \"smooth_json\", \"inputs\": [\"x\"], \"steps\": ["
                           "{\"operation\": \"convolve\", \"args\": {\"signal\": \"x\", "
                           "\"kernel\": [0.1, 0.2, 0.4, 0.2, 0.1], \"mode\": \"same\", "
                           "\"result\": \"y\"}}], \"outputs\": [\"y\"]}";

static int open_with_chains(void **state) {
    char name[64];
    if (open_engine(state) != 0 || chain_ops_register(engine) != LE_OK)
        return 1;
    for (int i = 0; i < N; i++)
        numbers[i] = 1000 + 0.37f * (float)(i * 31 % 1009);
    as_operation(smooth(0), "smooth");
    as_operation(smooth(1e-3), "smooth_loosely");
    assert_int_equal(le_chain_register_json(engine, json, name, sizeof name), LE_OK);
    le_chain *c;
    assert_int_equal(le_chain_new(&c, engine, "outer"), LE_OK);
    le_value x = le_chain_input(c, "x", LE_F32, 1, shape_n), y = le_chain_temp(c);
    le_chain_add(c, "smooth", LE_VALUE_IN("x", x), LE_VALUE_OUT("y", y));
    le_chain_output(c, "y", y);
    as_operation(c, "smooth_within");
    return 0;
}

/* As double as the tolerance asks for. */
static void its_tolerance_is_that_of_its_steps(void **state) {
    static const char *const chains[] = {"smooth", "smooth_json", "smooth_within",
                                         "smooth_loosely"};
    le_tensor x = le_tensor_of(numbers, LE_F32, 1, shape_n);
    (void)state;
    for (int k = 0; k < 8; k++) {
        const bool strict = k & 4, loose = k % 4 == 3;
        le_tensor y = {0};
        const le_arg atol = LE_OPT_ATOL(1e-13), none = LE_OPT_MODE(LE_MODE_DEFAULT);
        if (le_engine_run(engine, chains[k % 4], LE_IN("x", &x), LE_OUT("y", &y),
                          strict ? atol : none) != LE_OK)
            fail_msg("%s: %s", chains[k % 4], le_error_message());
        assert_int_equal(y.dtype, strict && !loose ? LE_F64 : LE_F32);
        const double error = largest_error(&y);
        if (error > (strict && !loose ? 1e-13 : 1e-4) * 1400)
            fail_msg("%s: an error of %g", chains[k % 4], error);
        le_tensor_free(&y);
    }
}

/* --- a step that notes what is asked of it --- */

static double noted_atol, noted_rtol;
static int notes;

static le_status noting_check(le_call *call) {
    return le_call_set_out(call, 1, LE_F32, 2, le_call_in(call, 0)->shape);
}

static bool noting_slabs(const le_call *call, le_slabs *out) {
    out->items = le_call_in(call, 0)->shape[0];
    out->args[0].axis = out->args[1].axis = 1;
    return true;
}

static void noting_work(const le_call *call, le_work *out) {
    out->operations = out->bytes = (double)le_tensor_count(le_call_in(call, 0));
}

static le_status note(le_call *call) {
    const le_tensor *x = le_call_in(call, 0);
    notes++;
    noted_atol = le_call_atol(call);
    noted_rtol = le_call_rtol(call);
    memcpy(le_call_out(call, 1)->data, le_call_contiguous(call, 0),
           (size_t)le_tensor_count(x) * sizeof(float));
    return LE_OK;
}

static const le_arg_desc noting_args[] = {
    {.name = "x", .type = LE_TYPE_IN, .dtypes = LE_DTYPE_BIT(LE_F32), .min_ndim = 2, .max_ndim = 2},
    {.name = "y",
     .type = LE_TYPE_OUT,
     .dtypes = LE_DTYPE_BIT(LE_F32),
     .min_ndim = 2,
     .max_ndim = 2}};
static const le_operation noting = {.abi = LE_METHOD_ABI,
                                    .name = "noting",
                                    .family = "test",
                                    .args = noting_args,
                                    .n_args = 2,
                                    .check = noting_check,
                                    .work = noting_work,
                                    .slabs = noting_slabs,
                                    .atol = 0.25,
                                    .rtol = 0.125};
static const le_implementation noting_by = {.abi = LE_METHOD_ABI,
                                            .operation = "noting",
                                            .name = "reference",
                                            .run_type = "reference",
                                            .flags = LE_IMPL_REFERENCE | LE_IMPL_SERIAL,
                                            .run = note};

/* Whole, and in slabs: the step's own tolerance, or that of the call, of which one half may do. */
static void slabs_ask_for_no_other(void **state) {
    static const char *const ways[] = {"staged", "slabs"};
    const int64_t shape[] = {100, 100};
    const le_arg wishes[] = {LE_OPT_MODE(LE_MODE_DEFAULT), LE_OPT_ATOL(1e-9), LE_OPT_RTOL(1e-9)};
    le_tensor x;
    le_chain *c;
    (void)state;
    assert_int_equal(le_register_operation(engine, &noting), LE_OK);
    assert_int_equal(le_register_implementation(engine, &noting_by), LE_OK);
    assert_int_equal(le_chain_new(&c, engine, "noted"), LE_OK);
    le_value in = le_chain_input(c, "x", LE_F32, 2, shape), y = le_chain_temp(c);
    le_chain_add(c, "noting", LE_VALUE_IN("x", in), LE_VALUE_OUT("y", y));
    le_chain_output(c, "y", y);
    as_operation(c, "noted");
    assert_int_equal(le_tensor_alloc(&x, LE_F32, 2, shape), LE_OK);
    for (int k = 0; k < 6; k++) {
        le_tensor out = {0};
        notes = 0;
        if (le_engine_run(engine, "noted", LE_IN("x", &x), LE_OUT("y", &out),
                          LE_OPT_IMPLEMENTATION(ways[k / 3]), wishes[k % 3],
                          LE_OPT_MEMORY_LIMIT(k / 3 ? 20000 : 0)) != LE_OK)
            fail_msg("%s: %s", ways[k / 3], le_error_message());
        assert_true(k / 3 ? notes > 3 : notes > 0);
        assert_true(noted_atol == (k % 3 == 0 ? 0.25 : k % 3 == 1 ? 1e-9 : 0));
        assert_true(noted_rtol == (k % 3 == 0 ? 0.125 : k % 3 == 2 ? 1e-9 : 0));
        le_tensor_free(&out);
    }
    le_tensor_free(&x);
}

static void runs_say_what_is_given_to_steps(void **state) {
    static const char *const names[] = {"LE_OPT_RTOL", "LE_OPT_ATOL", "LE_OPT_OBJECTIVE"};
    const le_arg options[] = {LE_OPT_RTOL(1e-3), LE_OPT_ATOL(1e-3),
                              LE_OPT_OBJECTIVE(LE_OBJECTIVE_MEMORY)};
    le_tensor x = le_tensor_of(numbers, LE_F32, 1, shape_n), y = {0};
    le_chain *c = smooth(0);
    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("y", &y), options[i]),
                         LE_ERR_ARGUMENT);
        assert_non_null(strstr(le_error_message(), names[i]));
    }
    le_chain_free(&c);
}

/* There is no reference that it was compared with. */
static void its_error_is_not_known(void **state) {
    le_tensor x = le_tensor_of(numbers, LE_F32, 1, shape_n), y = {0};
    le_explanation *e;
    (void)state;
    assert_int_equal(le_engine_run(engine, "smooth", LE_IN("x", &x), LE_OUT("y", &y)), LE_OK);
    assert_int_equal(le_engine_explain(engine, &e, "smooth", LE_IN("x", &x), LE_OUT("y", &y)),
                     LE_OK);
    assert_true(e->n_candidates > 0);
    for (size_t i = 0; i < e->n_candidates; i++)
        assert_true(isnan(le_explanation_candidate(e, i)->error_max_abs));
    le_explanation_free(&e);
    le_tensor_free(&y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_tolerance_is_that_of_its_steps),
        cmocka_unit_test(slabs_ask_for_no_other),
        cmocka_unit_test(runs_say_what_is_given_to_steps),
        cmocka_unit_test(its_error_is_not_known),
    };
    return cmocka_run_group_tests(tests, open_with_chains, close_engine);
}
