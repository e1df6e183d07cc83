/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Chains: building with the messages of calls, values and slices, running, staged implementations.
 */
#include "chain_ops.h"
#include "one_engine.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int open_with_operations(void **state) {
    return open_engine(state) != 0 || chain_ops_register(engine) != LE_OK;
}

enum { N = 1000 };
static const int64_t shape_n[] = {N};
static float numbers[N];

static le_tensor input(void) {
    for (int i = 0; i < N; i++)
        numbers[i] = (float)(i % 37) - 11.5f;
    return le_tensor_of(numbers, LE_F32, 1, shape_n);
}

/* result = 6x, then + x: 7x; and twice = 2x, by three steps */
static le_chain *seven_times(void) {
    le_chain *c;
    assert_int_equal(le_chain_new(&c, engine, "seven"), LE_OK);
    le_value x = le_chain_input(c, "x", LE_F32, 1, shape_n);
    le_value twice = le_chain_temp(c), six = le_chain_temp(c), seven = le_chain_temp(c);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", x), LE_VALUE_OUT("result", twice));
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", twice), LE_VALUE_OUT("result", six),
                 LE_F64("factor", 3));
    le_chain_add(c, "chain_add", LE_VALUE_IN("a", six), LE_VALUE_IN("b", x),
                 LE_VALUE_OUT("result", seven));
    le_chain_output(c, "seven", seven);
    le_chain_output(c, "twice", twice);
    assert_int_equal(le_chain_status(c), LE_OK);
    return c;
}

static void assert_times(const le_tensor *t, double factor) {
    assert_int_equal(le_tensor_count(t), N);
    for (int64_t i = 0; i < N; i++)
        assert_true(fabs(le_tensor_get(t, i) - factor * (double)numbers[i]) < 1e-4);
}

static void runs_many_times(void **state) {
    (void)state;
    le_chain *c = seven_times();
    le_tensor x = input();
    for (int k = 0; k < 3; k++) {
        le_tensor seven = {0}, twice = {0};
        assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("seven", &seven),
                                      LE_OUT("twice", &twice), LE_OPT_DEVICE("cpu")),
                         LE_OK);
        assert_times(&seven, 7);
        assert_times(&twice, 2);
        le_tensor_free(&seven);
        le_tensor_free(&twice);
    }
    le_chain_report report;
    le_chain_last_run(c, &report);
    assert_int_equal(report.n_steps, 3);
    assert_int_equal(report.bytes_to_device, 0);
    assert_string_equal(report.steps[2].operation, "chain_add");
    assert_true(report.peak_host_bytes >= 3 * N * 4 && report.peak_host_bytes < 4 * N * 4);
    le_chain_free(&c);
}

static void writes_to_the_callers_memory(void **state) {
    (void)state;
    le_chain *c = seven_times();
    le_tensor x = input();
    float out[N], spread[2 * N];
    le_tensor seven = le_tensor_of(out, LE_F32, 1, shape_n);
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("seven", &seven)), LE_OK);
    assert_ptr_equal(seven.data, out);
    assert_times(&seven, 7);
    memset(spread, 0, sizeof spread);
    seven = le_tensor_of(spread, LE_F32, 1, shape_n);
    seven.strides[0] = 2;
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("seven", &seven)), LE_OK);
    assert_times(&seven, 7);
    assert_true(spread[1] == 0 && spread[2 * N - 1] == 0);
    le_chain_free(&c);
}

static void assert_fails(le_chain *c, le_status status, const char *part) {
    assert_int_equal(le_chain_status(c), status);
    if (!strstr(le_error_message(), part))
        fail_msg("'%s' is not in '%s'", part, le_error_message());
    le_chain_free(&c);
}

static le_chain *empty(le_value *x) {
    le_chain *c;
    assert_int_equal(le_chain_new(&c, engine, "wrong"), LE_OK);
    *x = le_chain_input(c, "x", LE_F32, 1, shape_n);
    return c;
}

static void mistakes_are_found_when_built(void **state) {
    (void)state;
    le_value x, y;
    le_chain *c = empty(&x);
    le_chain_add(c, "chain_scalee", LE_VALUE_IN("x", x), LE_VALUE_OUT("result", le_chain_temp(c)));
    assert_fails(c, LE_ERR_UNKNOWN, "there is no operation 'chain_scalee'");
    c = empty(&x);
    le_chain_input(c, NULL, LE_F32, 1, shape_n);
    assert_fails(c, LE_ERR_ARGUMENT, "an input has no name");
    c = empty(&x);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("y", x), LE_VALUE_OUT("result", le_chain_temp(c)));
    assert_fails(c, LE_ERR_ARGUMENT, "there is no argument 'y'");
    c = empty(&x);
    y = le_chain_input(c, "y", LE_F64, 1, shape_n);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", y), LE_VALUE_OUT("result", le_chain_temp(c)));
    assert_fails(c, LE_ERR_DTYPE, "argument 'x' has dtype f64, expected f32");
    c = empty(&x);
    y = le_chain_input(c, "y", LE_F32, 2, (int64_t[]){2, 3});
    le_chain_add(c, "chain_add", LE_VALUE_IN("a", x), LE_VALUE_IN("b", y),
                 LE_VALUE_OUT("result", le_chain_temp(c)));
    assert_fails(c, LE_ERR_SHAPE, "'b' must have the shape of 'a'");
    c = empty(&x);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", le_chain_temp(c)),
                 LE_VALUE_OUT("result", le_chain_temp(c)));
    assert_fails(c, LE_ERR_ARGUMENT, "no earlier step writes");
    c = empty(&x);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", x), LE_VALUE_OUT("result", x));
    assert_fails(c, LE_ERR_ARGUMENT, "is an input of the chain");
    c = empty(&x);
    y = le_chain_temp(c);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", x), LE_VALUE_OUT("result", y));
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", x), LE_VALUE_OUT("result", y));
    assert_fails(c, LE_ERR_ARGUMENT, "an earlier step writes");
    c = empty(&x);
    le_chain_slice(c, x, 0, N);
    assert_fails(c, LE_ERR_SHAPE, "no part 1000 along axis 0 of f32[1000]");
    c = empty(&x);
    le_chain_output(c, "out", x);
    assert_fails(c, LE_ERR_ARGUMENT, "not written by the chain");
    c = empty(&x);
    y = le_chain_temp_of(c, LE_F32, 1, (int64_t[]){3});
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", x), LE_VALUE_OUT("result", y));
    assert_fails(c, LE_ERR_SHAPE, "output 'result' is f32[3], expected f32[1000]");
}

static void mistakes_are_found_when_run(void **state) {
    (void)state;
    le_chain *c = seven_times();
    le_tensor x = input(), shorter = le_tensor_of(numbers, LE_F32, 1, (int64_t[]){3}), out = {0};
    assert_int_equal(le_chain_run(c, LE_OUT("seven", &out)), LE_ERR_ARGUMENT);
    assert_non_null(strstr(le_error_message(), "input 'x' is missing"));
    assert_int_equal(le_chain_run(c, LE_IN("x", &shorter), LE_OUT("seven", &out)), LE_ERR_SHAPE);
    assert_non_null(strstr(le_error_message(), "is f32[3], expected f32[1000]"));
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("eight", &out)), LE_ERR_ARGUMENT);
    assert_non_null(strstr(le_error_message(), "expected one of twice, seven"));
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("sven", &out)), LE_ERR_ARGUMENT);
    assert_string_equal(le_error_message(),
                        "seven: there is no output 'sven' (did you mean 'seven'?); expected "
                        "one of twice, seven");
    assert_int_equal(le_chain_run(c, LE_IN("x", &x)), LE_ERR_ARGUMENT);
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("seven", &out), LE_OPT_MODE(99)),
                     LE_ERR_ARGUMENT);
    assert_non_null(strstr(le_error_message(), "there is no mode 99"));
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("seven", &out), LE_OPT_ATOL(1)),
                     LE_ERR_ARGUMENT);
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("seven", &x)), LE_ERR_ARGUMENT);
    assert_null(out.storage);
    le_chain_free(&c);
}

static bool has_opencl(void) {
    le_tensor x = input(), y = {0};
    le_status status = le_engine_run(engine, "chain_scale", LE_IN("x", &x), LE_OUT("result", &y),
                                     LE_OPT_DEVICE("opencl"));
    le_tensor_free(&y);
    return status == LE_OK;
}

static void composite_runs_staged(void **state) {
    (void)state;
    le_tensor x = input(), out = {0};
    double factors[] = {1, 2, 3};
    assert_int_equal(le_engine_run(engine, "chain_poly", LE_IN("x", &x),
                                   LE_F64S("factors", factors, 3), LE_OUT("result", &out),
                                   LE_OPT_IMPLEMENTATION("staged"), LE_OPT_DEVICE("cpu")),
                     LE_OK);
    assert_int_equal(out.ndim, 2);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N; i++)
            assert_true(fabs(le_tensor_get(&out, k * N + i) - (k + 2) * (double)numbers[i]) < 1e-4);
    le_tensor_free(&out);
}

/* Each result by its closed form; false: something went wrong. */
static bool staged_poly(const double *factors, size_t count, int64_t n) {
    float data[N] = {0}, made[8 * N];
    le_tensor x = le_tensor_of(data, LE_F32, 1, &n);
    le_tensor out = le_tensor_of(made, LE_F32, 2, (int64_t[]){(int64_t)count, n});
    for (int64_t i = 0; i < n; i++)
        data[i] = (float)(i % 37) - 11.5f;
    bool ok = le_engine_run(engine, "chain_poly", LE_IN("x", &x),
                            LE_F64S("factors", factors, count), LE_OUT("result", &out),
                            LE_OPT_IMPLEMENTATION("staged"), LE_OPT_DEVICE("cpu")) == LE_OK;
    for (size_t k = 0; k < count; k++)
        for (int64_t i = 0; i < n; i++)
            ok = ok && fabs(made[(int64_t)k * n + i] - (factors[k] + 1) * data[i]) < 1e-4;
    return ok;
}

static void calls_that_say_the_same_are_expanded_once(void **state) {
    (void)state;
    static const double factors[][3] = {{1, 2, 3}, {1, 2, 3.5}, {-4, 2, 3}};
    int before = 0;
    for (int round = 0; round < 12; round++) {
        if (round == 2) /* known by now */
            before = chain_ops_expanded();
        for (int i = 0; i < 3; i++) {
            assert_true(staged_poly(factors[i], 3, N));
            assert_true(staged_poly(factors[i], 3, N - 7));
            assert_true(staged_poly(factors[i], 2, N));
        }
    }
    assert_int_equal(chain_ops_expanded(), before);
    for (int i = 0; i < 60; i++) { /* more than are kept */
        const double one[] = {i};
        assert_true(staged_poly(one, 1, 5));
    }
    assert_true(staged_poly(factors[0], 3, N));
    assert_true(chain_ops_expanded() > before + 60);
}

static void *poly_often(void *wrong) {
    for (int i = 0; i < 50; i++) {
        const double factors[] = {2, i % 3};
        if (!staged_poly(factors, 2, N))
            atomic_fetch_add((atomic_int *)wrong, 1);
    }
    return NULL;
}

static void threads_share_what_is_expanded(void **state) {
    (void)state;
    pthread_t threads[4];
    atomic_int wrong = 0;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, poly_often, &wrong), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(wrong, 0);
}

static void chain_is_an_operation(void **state) {
    (void)state;
    le_chain *c = seven_times();
    float data[3] = {1, 2, 3};
    assert_int_equal(le_chain_as_operation(c, "seven_and_twice", NULL), LE_OK);
    le_chain_free(&c);
    const le_operation *made = le_engine_operation(engine, "seven_and_twice");
    const char *const names[] = {"x", "seven", "twice"}; /* however the steps made them */
    assert_int_equal(made->n_args, 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(made->args[i].name, names[i]);
    le_tensor x = le_tensor_of(data, LE_F32, 1, (int64_t[]){3}), seven = {0}, twice = {0};
    assert_int_equal(le_engine_run(engine, "seven_and_twice", LE_IN("x", &x),
                                   LE_OUT("seven", &seven), LE_OUT("twice", &twice)),
                     LE_OK);
    assert_true(le_tensor_get(&seven, 2) == 21 && le_tensor_get(&twice, 1) == 4);
    le_tensor_free(&seven);
    le_tensor_free(&twice);
    assert_int_equal(
        le_engine_run(engine, "seven_and_twice", LE_IN("x", &x), LE_OUT("seven", &seven)), LE_OK);
    assert_true(le_tensor_get(&seven, 0) == 7);
    le_tensor_free(&seven);
}

static const char json_text[] = "{\"name\": \"json_chain\", \"inputs\": [\"x\"], \"steps\": ["
                                "{\"operation\": \"chain_poly\", \"args\": {\"x\": \"x\", "
                                "\"factors\": [1, 2], \"result\": \"p\"}},"
                                "{\"operation\": \"chain_scale\", \"args\": {\"x\": \"p[1]\", "
                                "\"factor\": 5, \"result\": \"y\"}}],"
                                "\"outputs\": [\"y\"]}";

static void chain_from_json(void **state) {
    (void)state;
    le_chain *c;
    le_tensor x = input(), y = {0};
    assert_int_equal(le_chain_from_json(&c, engine, json_text, &LE_IN("x", &x), 1), LE_OK);
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("y", &y)), LE_OK);
    assert_times(&y, 15);
    le_tensor_free(&y);
    le_chain_free(&c);
    char name[64];
    assert_int_equal(le_chain_register_json(engine, json_text, name, sizeof name), LE_OK);
    assert_string_equal(name, "json_chain");
    assert_int_equal(le_engine_run(engine, name, LE_IN("x", &x), LE_OUT("y", &y)), LE_OK);
    assert_times(&y, 15);
    le_tensor_free(&y);
}

static void json_mistakes(void **state) {
    (void)state;
    static const struct {
        const char *from, *to, *message;
        le_status status;
    } cases[] = {
        {"\"factor\": 5", "\"facto\": 5",
         "step 2 (chain_scale): chain_scale: there is no argument 'facto'", LE_ERR_ARGUMENT},
        {"p[1]", "q",
         "step 2 (chain_scale): 'q' is neither an input nor written by an earlier step",
         LE_ERR_UNKNOWN},
        {"p[1]", "p[2]", "step 2 (chain_scale): chain 'json_chain': no part 2 along axis 0",
         LE_ERR_SHAPE},
        {"p[1]", "p[x", "expected a name or name[number]", LE_ERR_ARGUMENT},
        {"\"chain_poly\"", "\"chain_pol\"", "step 1 (chain_pol): there is no operation",
         LE_ERR_UNKNOWN},
        {"[\"y\"]", "[\"z\"]", "no step writes output 'z'", LE_ERR_UNKNOWN},
        {"\"steps\"", "\"stepz\"", "\"steps\" must be a list", LE_ERR_ARGUMENT},
        {"]}", "]", "no JSON", LE_ERR_ARGUMENT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        le_chain *c;
        le_tensor x = input();
        const char *at = strstr(json_text, cases[i].from);
        if (i == 7)
            at = json_text + strlen(json_text) - 2;
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - json_text), json_text, cases[i].to,
                 at + strlen(cases[i].from));
        assert_int_equal(le_chain_from_json(&c, engine, text, &LE_IN("x", &x), 1), cases[i].status);
        assert_null(c);
        if (!strstr(le_error_message(), cases[i].message))
            fail_msg("'%s' is not in '%s'", cases[i].message, le_error_message());
    }
}

static void plan_and_profile_are_seen(void **state) {
    (void)state;
    le_chain *c = seven_times();
    le_chain_plan *plan;
    le_profile *profile;
    size_t n;
    assert_int_equal(le_chain_explain(c, &plan, &LE_OPT_DEVICE("cpu"), 1), LE_OK);
    assert_int_equal(plan->n_steps, 3);
    assert_string_equal(plan->steps[2].device, "cpu");
    char *json = le_chain_plan_json(plan);
    assert_non_null(strstr(json, "\"chain_add\""));
    free(json);
    le_chain_plan_free(&plan);
    le_tensor x = input(), seven = {0};
    assert_int_equal(le_profile_start(engine), LE_OK);
    assert_int_equal(le_profile_start(engine), LE_ERR_ARGUMENT);
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("seven", &seven), LE_OPT_DEVICE("cpu")),
                     LE_OK);
    assert_int_equal(le_profile_stop(engine, &profile), LE_OK);
    const le_profile_row *rows = le_profile_rows(profile, &n);
    int64_t runs = 0, loops = 0;
    double share = 0;
    for (size_t i = 0; i < n; i++) {
        bool is_run = strcmp(rows[i].kind, "run") == 0;
        runs += is_run ? rows[i].count : 0;
        loops += strcmp(rows[i].kind, "loop") == 0 ? rows[i].count : 0;
        share += is_run ? rows[i].share : 0;
        assert_int_equal(rows[i].depth, is_run ? 0 : 1);
        assert_true(i == 0 || rows[i].start_s >= rows[i - 1].start_s - 1e-6);
    }
    assert_int_equal(runs, 3);
    assert_int_equal(loops, 3);
    assert_true(fabs(share - 1) < 1e-9);
    char *table = le_profile_table(profile), *trace = le_profile_trace_json(profile);
    assert_non_null(strstr(table, "chain_add"));
    assert_non_null(strstr(trace, "\"cpu run\""));
    free(table);
    free(trace);
    le_profile_free(&profile);
    le_tensor_free(&seven);
    le_chain_free(&c);
}

/* --- outputs when a step fails --- */

static float canaries[3][N];

static le_tensor canary(int k) {
    for (int i = 0; i < N; i++)
        canaries[k][i] = (float)(1000 * k + i);
    return le_tensor_of(canaries[k], LE_F32, 1, shape_n);
}

static void assert_canaries(void) {
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N; i++)
            if (canaries[k][i] != (float)(1000 * k + i))
                fail_msg("output %d is changed at %d", k, i);
}

/* a = 2x and b, c = a, 2a when no number is too small; the failing step is the middle or the last
 */
static le_chain *checked_chain(bool last) {
    le_chain *c;
    assert_int_equal(le_chain_new(&c, engine, last ? "checked_last" : "checked"), LE_OK);
    le_value x = le_chain_input(c, "x", LE_F32, 1, shape_n);
    le_value a = le_chain_temp(c), b = le_chain_temp(c), d = le_chain_temp(c);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", x), LE_VALUE_OUT("result", a));
    le_chain_add(c, "chain_checked", LE_VALUE_IN("x", a), LE_VALUE_OUT("result", b),
                 LE_VALUE_OUT("twice", d));
    le_chain_output(c, "a", a);
    le_chain_output(c, "b", b);
    if (last) {
        le_chain_output(c, "c", d);
        return c;
    }
    le_value e = le_chain_temp(c);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", d), LE_VALUE_OUT("result", e),
                 LE_F64("factor", 1));
    le_chain_output(c, "c", e);
    return c;
}

static void failing_steps_leave_outputs_alone(void **state) {
    (void)state;
    static const le_mode modes[] = {LE_MODE_LEARN, LE_MODE_MEASURE};
    for (int k = 0; k < 4; k++) {
        le_chain *c = checked_chain(k % 2);
        le_tensor x = input(), a = canary(0), b = canary(1), d = canary(2);
        numbers[N - 1] = CHAIN_OPS_LEAST;
        assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("a", &a), LE_OUT("b", &b),
                                      LE_OUT("c", &d), LE_OPT_MODE(modes[k / 2])),
                         LE_ERR_DATA);
        assert_canaries();
        numbers[N - 1] = 1;
        assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("a", &a), LE_OUT("b", &b),
                                      LE_OUT("c", &d), LE_OPT_MODE(modes[k / 2])),
                         LE_OK);
        assert_times(&a, 2);
        assert_times(&b, 2);
        assert_times(&d, 4);
        le_chain_free(&c);
    }
}

/* y[0] = 2x, then y[1] fails: an output in pieces, as a call, a staged call and a chain of it */
static void failing_pieces_leave_outputs_alone(void **state) {
    (void)state;
    le_chain *c;
    static float out[2 * N];
    le_tensor x = input(), y = le_tensor_of(out, LE_F32, 2, (int64_t[]){2, N});
    numbers[3] = CHAIN_OPS_LEAST - 1;
    assert_int_equal(le_chain_new(&c, engine, "checked_pieces"), LE_OK);
    le_value in = le_chain_input(c, "x", LE_F32, 1, shape_n);
    le_value both = le_chain_temp_of(c, LE_F32, 2, y.shape);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", in),
                 LE_VALUE_OUT("result", le_chain_slice(c, both, 0, 0)));
    le_chain_add(c, "chain_checked", LE_VALUE_IN("x", in),
                 LE_VALUE_OUT("result", le_chain_slice(c, both, 0, 1)));
    le_chain_output(c, "y", both);
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("y", &y)), LE_ERR_DATA);
    assert_int_equal(le_chain_as_operation(c, "checked_pieces", NULL), LE_OK);
    le_chain_free(&c);
    assert_int_equal(le_engine_run(engine, "checked_pieces", LE_IN("x", &x), LE_OUT("y", &y),
                                   LE_OPT_IMPLEMENTATION("staged")),
                     LE_ERR_DATA);
    assert_int_equal(le_chain_new(&c, engine, "outer"), LE_OK);
    in = le_chain_input(c, "x", LE_F32, 1, shape_n);
    both = le_chain_temp(c);
    le_chain_add(c, "checked_pieces", LE_VALUE_IN("x", in), LE_VALUE_OUT("y", both),
                 LE_OPT_IMPLEMENTATION("staged"));
    le_chain_output(c, "y", both);
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("y", &y)), LE_ERR_DATA);
    for (int i = 0; i < 2 * N; i++)
        assert_true(out[i] == 0);
    numbers[3] = 3;
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("y", &y)), LE_OK);
    for (int i = 0; i < 2 * N; i++)
        assert_true(out[i] == numbers[i % N] * (i < N ? 2 : 1));
    le_chain_free(&c);
}

/* A race runs the only step several times; a later run fails. */
static void failing_after_a_race_leaves_outputs_alone(void **state) {
    (void)state;
    le_status status = LE_ERR_DATA;
    input();
    for (int k = 0; k < 3; k++)
        canary(k);
    int runs = 0; /* that succeed: a race of so short a step may take thousands */
    for (int k = 0; k < 60 && status != LE_OK; k++, runs += 1 + (k > 30 ? runs / 3 : 0)) {
        le_chain *c;
        int64_t n = N - 1 - k; /* nothing is known of it: it is raced */
        le_tensor x = le_tensor_of(numbers, LE_F32, 1, &n);
        le_tensor y = le_tensor_of(canaries[0], LE_F32, 1, &n);
        assert_int_equal(le_chain_new(&c, engine, "tires"), LE_OK);
        le_value in = le_chain_input(c, "x", LE_F32, 1, &n), out = le_chain_temp(c);
        le_chain_add(c, "chain_checked", LE_VALUE_IN("x", in), LE_VALUE_OUT("result", out));
        le_chain_output(c, "y", out);
        chain_ops_fail_after(runs);
        status = le_chain_run(c, LE_IN("x", &x), LE_OUT("y", &y), LE_OPT_MODE(LE_MODE_MEASURE));
        le_chain_free(&c);
        if (status == LE_OK)
            break;
        assert_int_equal(status, LE_ERR_DATA);
        assert_canaries();
    }
    chain_ops_fail_after(-1);
    assert_int_equal(status, LE_OK);
    assert_true(canaries[0][1] == numbers[1]);
}

/* By tens: right where the trial looks, wrong in larger calls. */
static le_status wrong_when_large(le_call *call) {
    const le_tensor *x = le_call_in(call, 0);
    for (int64_t i = 0; i < le_tensor_count(x); i++)
        le_tensor_set(le_call_out(call, 2), i,
                      le_call_f64(call, 1) * le_tensor_get(x, i) + (le_tensor_count(x) > 900));
    return LE_OK;
}

/* That an answer is wrong shows when it is compared, after it has been written somewhere. */
static void wrong_answers_leave_outputs_alone(void **state) {
    static const le_implementation wrong = {.abi = LE_METHOD_ABI,
                                            .operation = "chain_scale",
                                            .name = "wrong",
                                            .run_type = "simd",
                                            .flags = LE_IMPL_SERIAL,
                                            .run = wrong_when_large};
    const int64_t n = N;
    le_chain *c;
    (void)state;
    input();
    for (int k = 0; k < 3; k++)
        canary(k);
    le_tensor x = le_tensor_of(numbers, LE_F32, 1, &n),
              y = le_tensor_of(canaries[0], LE_F32, 1, &n);
    assert_int_equal(le_register_implementation(engine, &wrong), LE_OK);
    assert_int_equal(le_chain_new(&c, engine, "wrong"), LE_OK);
    le_value in = le_chain_input(c, "x", LE_F32, 1, &n), out = le_chain_temp(c);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", in), LE_VALUE_OUT("result", out),
                 LE_OPT_IMPLEMENTATION("wrong"));
    le_chain_output(c, "y", out);
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("y", &y)), LE_ERR_NO_CANDIDATE);
    assert_non_null(strstr(le_error_message(), "exceeds the tolerance"));
    assert_canaries();
    le_chain_free(&c);
    assert_int_equal(le_unregister_implementation(engine, "chain_scale", "wrong"), LE_OK);
}

/* What one engine learnt of the steps, another one knows through the database, and a third one
 * without it does not. How long they take says nothing, in microseconds on a loaded machine. */
static void steps_are_remembered(void **state) {
    (void)state;
    char path[64];
    double predicted[3] = {0};
    float x[1000] = {1};
    snprintf(path, sizeof path, "/tmp/le_chain_%ld.db", (long)getpid());
    for (int k = 0; k < 3; k++) {
        le_options o;
        le_engine *e;
        le_chain *c;
        le_chain_plan *plan;
        le_default_options(&o);
        o.db_path = k == 2 ? ":memory:" : path;
        assert_int_equal(le_open(&e, &o), LE_OK);
        assert_int_equal(chain_ops_register(e), LE_OK);
        assert_int_equal(le_chain_new(&c, e, "one"), LE_OK);
        le_value in = le_chain_input(c, "x", LE_F32, 1, shape_n), out = le_chain_temp(c);
        le_chain_add(c, "chain_scale", LE_VALUE_IN("x", in), LE_VALUE_OUT("result", out));
        le_chain_output(c, "y", out);
        le_tensor t = le_tensor_of(x, LE_F32, 1, shape_n);
        for (int run = 0; k == 0 && run < 60; run++) {
            le_tensor y = {0};
            assert_int_equal(le_chain_run(c, LE_IN("x", &t), LE_OUT("y", &y)), LE_OK);
            le_tensor_free(&y);
        }
        assert_int_equal(le_chain_explain(c, &plan, NULL, 0), LE_OK);
        predicted[k] = plan->predicted_s;
        le_chain_plan_free(&plan);
        le_chain_free(&c);
        le_close(&e);
    }
    assert_true(predicted[0] > 0 && predicted[1] > 0);
    assert_true(isnan(predicted[2])); /* an empty database knows nothing */
    remove(path);
}

/* --- on OpenCL --- */

static void device_chain_moves_input_and_output_once(void **state) {
    (void)state;
    if (!has_opencl())
        skip();
    le_chain *c = seven_times();
    le_tensor x = input(), seven = {0};
    assert_int_equal(
        le_chain_run(c, LE_IN("x", &x), LE_OUT("seven", &seven), LE_OPT_DEVICE("opencl")), LE_OK);
    assert_times(&seven, 7);
    le_chain_report report;
    le_chain_last_run(c, &report);
    assert_int_equal(report.bytes_to_device, N * 4);
    assert_int_equal(report.bytes_from_device, N * 4);
    assert_int_equal(report.peak_host_bytes, 0);
    assert_true(report.peak_device_bytes >= 3 * N * 4);
    le_tensor_free(&seven);
    le_chain_free(&c);
}

/* An engine that allows OpenCL only has to look for devices when its first call is a chain. */
static void an_engine_for_opencl_finds_devices_for_chains(void **state) {
    (void)state;
    le_options o;
    le_engine *e;
    le_chain *c;
    if (!has_opencl())
        skip();
    le_default_options(&o);
    o.db_path = ":memory:";
    o.devices = "opencl";
    assert_int_equal(le_open(&e, &o), LE_OK);
    assert_int_equal(chain_ops_register(e), LE_OK);
    assert_int_equal(le_chain_new(&c, e, "scaled"), LE_OK);
    le_value in = le_chain_input(c, "x", LE_F32, 1, shape_n), out = le_chain_temp(c);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", in), LE_VALUE_OUT("result", out));
    le_chain_output(c, "y", out);
    le_tensor x = input(), y = {0};
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("y", &y)), LE_OK);
    le_tensor_free(&y);
    le_chain_free(&c);
    le_close(&e);
}

/* A limit of three values: the copy of x goes before the second step and comes again for the third.
 */
static void limits_are_kept_by_dropping_copies(void **state) {
    (void)state;
    if (!has_opencl())
        skip();
    for (int limited = 0; limited < 2; limited++) {
        le_chain *c;
        le_chain_report report;
        le_tensor x = input(), y = {0};
        assert_int_equal(le_chain_new(&c, engine, "limited"), LE_OK);
        le_value in = le_chain_input(c, "x", LE_F32, 1, shape_n);
        le_value k = le_chain_input(c, "k", LE_F32, 1, shape_n);
        le_value a = le_chain_temp(c), b = le_chain_temp(c), out = le_chain_temp(c);
        le_chain_add(c, "chain_scale", LE_VALUE_IN("x", in), LE_VALUE_OUT("result", a));
        le_chain_add(c, "chain_add", LE_VALUE_IN("a", a), LE_VALUE_IN("b", k),
                     LE_VALUE_OUT("result", b));
        le_chain_add(c, "chain_add", LE_VALUE_IN("a", b), LE_VALUE_IN("b", in),
                     LE_VALUE_OUT("result", out));
        le_chain_output(c, "y", out);
        for (int run = 0; run < 2; run++) { /* the second by the plan that was kept */
            assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_IN("k", &x), LE_OUT("y", &y),
                                          LE_OPT_DEVICE("opencl"),
                                          LE_OPT_MEMORY_LIMIT(limited ? 3 * N * 4 : 0)),
                             LE_OK);
            assert_times(&y, 4);
            le_chain_last_run(c, &report);
            assert_int_equal(report.bytes_to_device, (limited ? 3 : 2) * N * 4);
            assert_int_equal(report.bytes_from_device, N * 4);
            le_tensor_free(&y);
        }
        le_chain_free(&c);
    }
}

static void outputs_may_stay_on_the_device(void **state) {
    (void)state;
    if (!has_opencl())
        skip();
    le_chain *c = seven_times();
    le_chain_report report;
    le_tensor x = input(), seven = {0}, again = {0};
    assert_int_equal(le_chain_run(c, LE_IN("x", &x), LE_OUT("seven", &seven),
                                  LE_OPT_DEVICE("opencl"), LE_OPT_KEEP_ON_DEVICE()),
                     LE_OK);
    assert_null(seven.data);
    le_chain_last_run(c, &report);
    assert_int_equal(report.bytes_from_device, 0);
    assert_int_equal(
        le_chain_run(c, LE_IN("x", &seven), LE_OUT("seven", &again), LE_OPT_DEVICE("opencl")),
        LE_OK);
    le_chain_last_run(c, &report);
    assert_int_equal(report.bytes_to_device, 0);
    assert_int_equal(report.bytes_from_device, N * 4);
    assert_times(&again, 49);
    assert_int_equal(le_tensor_to_host(&seven), LE_OK);
    assert_times(&seven, 7);
    le_tensor_free(&seven);
    le_tensor_free(&again);
    le_chain_free(&c);
}

/* a tensor of one le_run handed to the next */
static void calls_hand_device_tensors_on(void **state) {
    (void)state;
    if (!has_opencl())
        skip();
    le_tensor x = input(), y = {0}, z = {0};
    assert_int_equal(le_engine_run(engine, "chain_scale", LE_IN("x", &x), LE_OUT("result", &y),
                                   LE_OPT_DEVICE("opencl"), LE_OPT_KEEP_ON_DEVICE()),
                     LE_OK);
    assert_null(y.data);
    assert_int_equal(le_engine_run(engine, "chain_scale", LE_IN("x", &y), LE_OUT("result", &z),
                                   LE_OPT_DEVICE("opencl")),
                     LE_OK);
    assert_times(&z, 4);
    assert_int_equal(le_tensor_to_host(&y), LE_OK);
    assert_times(&y, 2);
    le_tensor_free(&y);
    le_tensor_free(&z);
}

static void staged_composite_stays_on_the_device(void **state) {
    (void)state;
    if (!has_opencl())
        skip();
    le_chain *c;
    le_chain_report report;
    le_tensor x = input(), out = {0};
    double factors[] = {1, 2, 3};
    assert_int_equal(le_chain_new(&c, engine, "staged"), LE_OK);
    le_value in = le_chain_input(c, "x", LE_F32, 1, shape_n), result = le_chain_temp(c);
    le_chain_add(c, "chain_poly", LE_VALUE_IN("x", in), LE_VALUE_OUT("result", result),
                 LE_F64S("factors", factors, 3), LE_OPT_IMPLEMENTATION("staged_opencl"));
    le_chain_output(c, "result", result);
    assert_int_equal(
        le_chain_run(c, LE_IN("x", &x), LE_OUT("result", &out), LE_OPT_DEVICE("opencl")), LE_OK);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N; i++)
            assert_true(fabs(le_tensor_get(&out, k * N + i) - (k + 2) * (double)numbers[i]) < 1e-4);
    le_chain_last_run(c, &report);
    assert_int_equal(report.bytes_to_device, N * 4);
    assert_int_equal(report.bytes_from_device, 3 * N * 4);
    le_tensor_free(&out);
    le_chain_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_many_times),
        cmocka_unit_test(writes_to_the_callers_memory),
        cmocka_unit_test(mistakes_are_found_when_built),
        cmocka_unit_test(mistakes_are_found_when_run),
        cmocka_unit_test(composite_runs_staged),
        cmocka_unit_test(calls_that_say_the_same_are_expanded_once),
        cmocka_unit_test(threads_share_what_is_expanded),
        cmocka_unit_test(chain_is_an_operation),
        cmocka_unit_test(chain_from_json),
        cmocka_unit_test(json_mistakes),
        cmocka_unit_test(plan_and_profile_are_seen),
        cmocka_unit_test(failing_steps_leave_outputs_alone),
        cmocka_unit_test(failing_pieces_leave_outputs_alone),
        cmocka_unit_test(failing_after_a_race_leaves_outputs_alone),
        cmocka_unit_test(wrong_answers_leave_outputs_alone),
        cmocka_unit_test(steps_are_remembered),
        cmocka_unit_test(device_chain_moves_input_and_output_once),
        cmocka_unit_test(an_engine_for_opencl_finds_devices_for_chains),
        cmocka_unit_test(limits_are_kept_by_dropping_copies),
        cmocka_unit_test(outputs_may_stay_on_the_device),
        cmocka_unit_test(calls_hand_device_tensors_on),
        cmocka_unit_test(staged_composite_stays_on_the_device),
    };
    return cmocka_run_group_tests(tests, open_with_operations, close_engine);
}
