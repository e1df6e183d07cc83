/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What becomes of that which hangs on an operation or implementation when another one takes its
 * place: composite calls follow it, chains and their streams stay with what they were built with,
 * what was found or kept of the one before says nothing of it.
 */
#include "liquid_engine/le_chain.h"
#include "liquid_engine/le_method.h"
#include "liquid_engine/le_stream.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = 2000 };

static const le_arg_desc args[] = {
    {.name = "input",
     .type = LE_TYPE_IN,
     .dtypes = LE_DTYPE_BIT(LE_F64),
     .min_ndim = 1,
     .max_ndim = 1},
    {.name = "result",
     .type = LE_TYPE_OUT,
     .dtypes = LE_DTYPE_BIT(LE_F64),
     .min_ndim = 1,
     .max_ndim = 1},
    {.name = "factor", .type = LE_TYPE_F64, .optional = true, .default_f64 = 1},
};
enum { INPUT, RESULT, FACTOR, ARGS };

static le_status check(le_call *call) {
    return le_call_set_out(call, RESULT, LE_F64, 1, le_call_in(call, INPUT)->shape);
}

static void work(const le_call *call, le_work *w) {
    const double n = (double)le_tensor_count(le_call_in(call, INPUT));
    *w = (le_work){.operations = n + 1, .bytes = 16 * n};
}

static le_status make_case(le_case *c, const le_case_request *request) {
    const int64_t n = 10;
    le_tensor *t = le_case_in(c, "input", LE_F64, 1, &n);
    (void)request;
    for (int64_t i = 0; t && i < n; i++)
        le_tensor_set(t, i, 1 + le_case_uniform(c));
    le_case_out(c, "result", LE_F64);
    return le_case_status(c);
}

static void multiply(le_call *call, double by) {
    const le_tensor *in = le_call_in(call, INPUT);
    for (int64_t i = 0; i < in->shape[0]; i++)
        le_tensor_set(le_call_out(call, RESULT), i, by * le_tensor_get(in, i));
}

static le_status times(le_call *call) {
    multiply(call, *(const double *)le_call_user_implementation(call) * le_call_f64(call, FACTOR));
    return LE_OK;
}

static le_status not_yet(le_call *call) {
    (void)call;
    return le_fail(LE_ERR_INTERNAL, "times: not written yet");
}

static le_status slowly_by_four(le_call *call) {
    for (int i = 0; i < 300; i++)
        multiply(call, 4);
    return LE_OK;
}

static void add(le_chain *chain, le_value in, le_value out, double factor) {
    le_chain_add(chain, "times", LE_VALUE_IN("input", in), LE_VALUE_OUT("result", out),
                 LE_F64("factor", factor));
}

/* Steps have another factor where the call is to be reproducible. */
static le_status expand(const le_call *call, le_chain *chain) {
    const le_value between = le_chain_temp(chain);
    add(chain, le_chain_arg(chain, INPUT), between, 1);
    add(chain, between, le_chain_arg(chain, RESULT), le_call_reproducible(call) ? 1 : 1 + 1e-7);
    return le_chain_status(chain);
}

#define OPERATION(the_name)                                                                        \
    .abi = LE_METHOD_ABI, .name = the_name, .family = "test", .summary = "multiplies",             \
    .args = args, .n_args = ARGS, .check = check, .work = work, .make_case = make_case
static const le_operation of_times = {OPERATION("times")}, other_times = {OPERATION("times")};
static const le_operation twice = {OPERATION("twice"), .expand = expand, .rtol = 1e-6};

#define IMPLEMENTATION(of, the_run)                                                                \
    .abi = LE_METHOD_ABI, .operation = of, .name = "reference", .run_type = "reference",           \
    .flags = LE_IMPL_REFERENCE | LE_IMPL_SERIAL, .run = the_run
static double two = 2, three = 3, ten = 10;
static const le_implementation by_two = {IMPLEMENTATION("times", times), .user = &two,
                                         .source = "2"};
static const le_implementation by_three = {IMPLEMENTATION("times", times), .user = &three,
                                           .source = "3"};
static const le_implementation by_ten = {IMPLEMENTATION("times", times), .user = &ten,
                                         .source = "10"};
static const le_implementation broken = {IMPLEMENTATION("times", not_yet), .source = "0"};
static const le_implementation twice_by_four = {IMPLEMENTATION("twice", slowly_by_four),
                                                .source = "4"};

#define OK(x)                                                                                      \
    do {                                                                                           \
        if ((x) != LE_OK)                                                                          \
            fail_msg("%s: %s", #x, le_error_message());                                            \
    } while (0)

static le_engine *open_with(const char *db, const le_implementation *step) {
    le_options o;
    le_engine *e = NULL;
    le_default_options(&o);
    o.db_path = db;
    o.devices = "cpu";
    OK(le_open(&e, &o));
    OK(le_register_operation(e, &of_times));
    OK(le_register_operation(e, &twice));
    if (step)
        OK(le_register_implementation(e, step));
    return e;
}

static double ones[N];

/* What a call makes of a one; NAN: it fails. */
static double made(le_engine *e, const char *operation, int64_t n, le_arg option) {
    le_tensor in = le_tensor_of(ones, LE_F64, 1, &n), out = {0};
    const bool good =
        le_engine_run(e, operation, LE_IN("input", &in), LE_OUT("result", &out), option) == LE_OK;
    const double first = good ? le_tensor_get(&out, 0) : NAN;
    le_tensor_free(&out);
    return first;
}

static double plainly(le_engine *e, const char *operation, int64_t n) {
    return made(e, operation, n, LE_OPT_MODE(LE_MODE_DEFAULT));
}

static bool is_near(double a, double b) {
    return fabs(a - b) < 1e-5 * b;
}

static void composite_calls_follow_their_steps(void **state) {
    (void)state;
    le_engine *e = open_with(":memory:", &by_two);
    assert_true(is_near(plainly(e, "twice", 4), 4));
    OK(le_register_implementation(e, &by_ten));
    assert_true(is_near(plainly(e, "times", 4), 10));
    assert_true(is_near(plainly(e, "twice", 4), 100)); /* as well as those of a new shape */
    assert_true(is_near(plainly(e, "twice", 5), 100));
    OK(le_register_operation(e, &other_times));
    OK(le_register_implementation(e, &by_three));
    assert_true(is_near(plainly(e, "twice", 4), 9));
    le_close(&e);
}

static void composite_calls_find_steps_that_come_late(void **state) {
    (void)state;
    le_engine *e = open_with(":memory:", NULL);
    assert_true(isnan(plainly(e, "twice", 4)));
    assert_true(isnan(plainly(e, "times", 4)));
    assert_non_null(strstr(le_error_message(), "has no implementation"));
    OK(le_register_implementation(e, &broken));
    assert_true(isnan(plainly(e, "twice", 4)));
    OK(le_register_implementation(e, &by_two));
    assert_true(is_near(plainly(e, "twice", 4), 4));
    le_close(&e);
}

/* In one process and in later ones. */
static void what_failed_by_a_step_is_tried_again(void **state) {
    char db[64];
    (void)state;
    snprintf(db, sizeof db, "/tmp/le_replaced_%d.sqlite3", (int)getpid());
    const le_implementation *steps[] = {&by_three, &by_two};
    for (int i = 0; i < 2; i++) {
        le_run_info info = {.struct_size = sizeof info};
        le_engine *e = open_with(db, steps[i]);
        OK(le_register_implementation(e, &twice_by_four));
        for (int k = 0; k < 50; k++)
            assert_true(is_near(plainly(e, "twice", N), 4));
        OK(le_last_run(&info));
        assert_string_equal(info.candidate, i == 0 ? "reference@cpu" : "staged@cpu");
        if (i == 0) {
            OK(le_register_implementation(e, &by_two));
            for (int k = 0; k < 50; k++)
                plainly(e, "twice", N);
            OK(le_last_run(&info));
            assert_string_equal(info.candidate, "staged@cpu");
        }
        le_close(&e);
    }
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    for (int i = 0; i < 3; i++) {
        char path[80];
        snprintf(path, sizeof path, "%s%s", db, suffixes[i]);
        unlink(path);
    }
}

/* --- chains --- */

static le_status next(le_source *source, int64_t items, le_tensor *parts) {
    (void)source;
    le_tensor_free(parts);
    le_status status = le_tensor_alloc(parts, LE_F64, 1, &items);
    for (int64_t i = 0; status == LE_OK && i < items; i++)
        le_tensor_set(parts, i, 1);
    return status;
}

static double streamed;

static le_status put(le_sink *sink, int64_t first, int64_t items, const le_tensor *result) {
    (void)sink;
    (void)first;
    (void)items;
    streamed = le_tensor_get(result, 0);
    return LE_OK;
}

static void check_chain(le_engine *e, le_chain *c) {
    const int64_t n = 4;
    le_tensor in = le_tensor_of(ones, LE_F64, 1, &n), out = {0};
    le_source source = {.items = 20, .block = 1, .parts = 1, .next = next};
    le_sink sink = {.put = put};
    OK(le_chain_run(c, LE_IN("a", &in), LE_OUT("b", &out)));
    assert_true(le_tensor_get(&out, 0) == 2);
    OK(le_engine_run(e, "chained", LE_IN("a", &in), LE_OUT("b", &out)));
    assert_true(le_tensor_get(&out, 0) == 2);
    le_tensor_free(&out);
    streamed = 0;
    OK(le_chain_stream(c, LE_SOURCE("a", &source, 0), LE_SINK("b", &sink)));
    assert_true(streamed == 2);
}

static void chains_keep_what_they_were_built_with(void **state) {
    (void)state;
    const int64_t n = 4;
    le_chain *c;
    le_engine *e = open_with(":memory:", &by_two);
    OK(le_chain_new(&c, e, "chain"));
    const le_value a = le_chain_input(c, "a", LE_F64, 1, &n), b = le_chain_temp(c);
    add(c, a, b, 1);
    OK(le_chain_output(c, "b", b));
    OK(le_chain_as_operation(c, "chained", NULL));
    check_chain(e, c);
    OK(le_register_operation(e, &other_times));
    OK(le_register_implementation(e, &by_ten));
    check_chain(e, c);
    OK(le_unregister_operation(e, "times"));
    check_chain(e, c);
    le_chain_free(&c);
    le_close(&e);
}

/* --- what is kept --- */

static void reproducible_calls_have_chains_of_their_own(void **state) {
    (void)state;
    le_engine *e = open_with(":memory:", &by_two);
    for (int i = 0; i < 2; i++) {
        assert_true(plainly(e, "twice", 4) > 4);
        assert_true(made(e, "twice", 4, LE_OPT_REPRODUCIBLE()) == 4);
    }
    le_close(&e);
}

static le_status fill(le_call *call, void *data, size_t bytes, void *cookie) {
    (void)cookie;
    memcpy(data, le_call_user_implementation(call), bytes);
    return LE_OK;
}

static le_status times_kept(le_call *call) {
    const void *factor;
    le_status status = le_call_keep(call, "factor", sizeof(double), fill, NULL, &factor);
    if (status == LE_OK)
        multiply(call, *(const double *)factor);
    return status;
}

static void data_are_kept_for_one_operation(void **state) {
    (void)state;
    static const le_implementation kept_two = {IMPLEMENTATION("times", times_kept), .user = &two},
                                   kept_ten = {IMPLEMENTATION("times", times_kept), .user = &ten};
    le_engine *e = open_with(":memory:", &kept_two);
    assert_true(plainly(e, "times", 4) == 2);
    OK(le_unregister_operation(e, "times"));
    OK(le_register_operation(e, &other_times));
    OK(le_register_implementation(e, &kept_ten));
    assert_true(plainly(e, "times", 4) == 10);
    le_close(&e);
}

int main(void) {
    for (int i = 0; i < N; i++)
        ones[i] = 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(composite_calls_follow_their_steps),
        cmocka_unit_test(composite_calls_find_steps_that_come_late),
        cmocka_unit_test(what_failed_by_a_step_is_tried_again),
        cmocka_unit_test(chains_keep_what_they_were_built_with),
        cmocka_unit_test(reproducible_calls_have_chains_of_their_own),
        cmocka_unit_test(data_are_kept_for_one_operation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
