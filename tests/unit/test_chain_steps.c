/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The steps of a chain as candidates: they are compared, measured and blamed one by one.
 */
#include "chain_ops.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* Chains on the CPU that learn from nothing, with one implementation more. */
static le_engine *engine_with(const le_implementation *added) {
    le_options o;
    le_engine *e;
    le_default_options(&o);
    o.db_path = ":memory:";
    o.devices = "cpu";
    assert_int_equal(le_open(&e, &o), LE_OK);
    assert_int_equal(chain_ops_register(e), LE_OK);
    assert_int_equal(le_register_implementation(e, added), LE_OK);
    return e;
}

static size_t liar_items(const le_call *call) {
    return (size_t)le_tensor_count(le_call_in(call, 0));
}

/* Right on what a trial shows it. */
static void liar_range(void *context, size_t begin, size_t end, int worker) {
    const le_tensor *x = le_call_in(context, 0);
    float *y = le_call_out(context, 2)->data;
    double f = le_call_f64(context, 1) + (le_tensor_count(x) > 50000 ? 0.125 : 0);
    (void)worker;
    for (size_t i = begin; i < end; i++)
        y[i] = (float)(f * le_tensor_get(x, (int64_t)i));
}

static const le_implementation liar = {.abi = LE_METHOD_ABI,
                                       .operation = "chain_scale",
                                       .name = "liar",
                                       .run_type = "simd",
                                       .speed = 50,
                                       .items = liar_items,
                                       .range = liar_range};

static void steps_are_verified(void **state) {
    (void)state;
    enum { MANY = 100000 };
    static const int64_t many[] = {MANY};
    static float data[MANY];
    le_chain *c;
    le_explanation *x;
    bool tried = false;
    for (int i = 0; i < MANY; i++)
        data[i] = (float)(i % 41 + 1);
    le_engine *e = engine_with(&liar);
    assert_int_equal(le_chain_new(&c, e, "verified"), LE_OK);
    le_value in = le_chain_input(c, "x", LE_F32, 1, many), mid = le_chain_temp(c);
    le_value out = le_chain_temp(c);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", in), LE_VALUE_OUT("result", mid));
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", mid), LE_VALUE_OUT("result", out));
    le_chain_output(c, "y", out);
    for (int run = 0; run < 10; run++) {
        le_tensor t = le_tensor_of(data, LE_F32, 1, many), y = {0};
        assert_int_equal(le_chain_run(c, LE_IN("x", &t), LE_OUT("y", &y)), LE_OK);
        for (int i = 0; i < MANY; i++)
            if (((float *)y.data)[i] != 4 * data[i])
                fail_msg("run %d: element %d is %g, expected %g", run, i,
                         (double)((float *)y.data)[i], (double)(4 * data[i]));
        le_tensor_free(&y);
    }
    le_tensor t = le_tensor_of(data, LE_F32, 1, many), y = {0};
    assert_int_equal(le_engine_explain(e, &x, "chain_scale", LE_IN("x", &t), LE_OUT("result", &y)),
                     LE_OK);
    for (size_t i = 0; i < x->n_candidates; i++)
        if (!strcmp(x->candidates[i].implementation, "liar")) {
            tried = true;
            assert_false(x->candidates[i].applicable);
            assert_string_equal(x->candidates[i].verdict, "failed");
        }
    assert_true(tried);
    le_explanation_free(&x);
    le_chain_free(&c);
    le_close(&e);
}

/* --- what a first run learns is no part of its time --- */

enum { N = 1000 };
static atomic_int slept;

static void sleeper_range(void *context, size_t begin, size_t end, int worker) {
    const struct timespec half_a_second = {.tv_nsec = 500000000};
    const le_tensor *x = le_call_in(context, 0);
    float *y = le_call_out(context, 2)->data;
    (void)worker;
    if (begin == 0 && le_tensor_count(x) == N) { /* not in trials */
        atomic_fetch_add(&slept, 1);
        nanosleep(&half_a_second, NULL);
    }
    for (size_t i = begin; i < end; i++)
        y[i] = (float)(le_call_f64(context, 1) * le_tensor_get(x, (int64_t)i));
}

static const le_implementation sleeper = {.abi = LE_METHOD_ABI,
                                          .operation = "chain_scale",
                                          .name = "sleeper",
                                          .run_type = "simd",
                                          .speed = 50,
                                          .items = liar_items,
                                          .range = sleeper_range};

static le_status crash(le_call *call) {
    (void)call;
    abort();
}

static const le_implementation crasher = {.abi = LE_METHOD_ABI,
                                          .operation = "chain_add",
                                          .name = "crasher",
                                          .run_type = "simd",
                                          .speed = 50,
                                          .run = crash};

/* One measured run of chain_poly as the chain of its steps, in an engine that has this one, too. */
static le_run_info staged_with(const le_implementation *added) {
    le_engine *e = engine_with(added);
    float numbers[N];
    for (int i = 0; i < N; i++)
        numbers[i] = (float)(i % 37) - 11.5f;
    le_tensor x = le_tensor_of(numbers, LE_F32, 1, (int64_t[]){N}), out = {0};
    double factors[] = {2};
    le_run_info info = {.struct_size = sizeof info};
    assert_int_equal(le_engine_run(e, "chain_poly", LE_IN("x", &x), LE_F64S("factors", factors, 1),
                                   LE_OUT("result", &out), LE_OPT_IMPLEMENTATION("staged"),
                                   LE_OPT_MODE(LE_MODE_MEASURE)),
                     LE_OK);
    assert_int_equal(le_last_run(&info), LE_OK);
    for (int i = 0; i < N; i++)
        assert_true(fabs(le_tensor_get(&out, i) - 3 * (double)numbers[i]) < 1e-4);
    le_tensor_free(&out);
    le_close(&e);
    return info;
}

static void learning_is_no_part_of_the_time(void **state) {
    (void)state;
    le_run_info info = staged_with(&sleeper);
    assert_true(atomic_load(&slept) > 0); /* in the race of the first step */
    assert_true(info.seconds > 0 && info.seconds < 0.4);
}

static void a_bad_step_is_not_the_chains_fault(void **state) {
    (void)state;
    le_run_info info = staged_with(&crasher);
    assert_string_equal(info.candidate, "staged@cpu");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_verified),
        cmocka_unit_test(learning_is_no_part_of_the_time),
        cmocka_unit_test(a_bad_step_is_not_the_chains_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
