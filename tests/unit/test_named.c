/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Run types, implementations, devices and environment variables with a value that does not exist:
 * the error repeats it and names what there is, once each, in less than 400 characters.
 */
#include "chain_ops.h"
#include "toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static float input[16], output[16];

/* Whether the words of the list behind `from` are all different. */
static void each_once(const char *text, const char *from) {
    char copy[1024], *words[128], *at = NULL;
    size_t n = 0;
    const char *list = strstr(text, from);
    assert_non_null(list);
    snprintf(copy, sizeof copy, "%s", list + strlen(from));
    for (char *w = strtok_r(copy, ", ", &at); w; w = strtok_r(NULL, ", ", &at)) {
        for (size_t i = 0; i < n; i++)
            assert_string_not_equal(words[i], w);
        assert_true(n < 128);
        words[n++] = w;
    }
    assert_true(n > 0);
}

static void refused(le_status status, const char *value, const char *there, const char *name) {
    const char *text = le_error_message();
    assert_int_equal(status, LE_ERR_NO_CANDIDATE);
    if (!strstr(text, value) || !strstr(text, there) || !strstr(text, name))
        fail_msg("no '%s', '%s' or '%s' in: %s", value, there, name, text);
    assert_true(strlen(text) < 400);
    each_once(text, strstr(text, "; there are ")  ? "; there are "
                    : strstr(text, "; there is ") ? "; there is "
                                                  : "it has ");
}

static le_status run_toy(le_engine *e, le_arg option) {
    int64_t n = 16;
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = le_tensor_of(output, LE_F32, 1, &n);
    return le_engine_run(e, "toy", LE_IN("input", &in), LE_F64("factor", 2), LE_OUT("result", &out),
                         option);
}

static void calls_name_what_there_is(void **state) {
    (void)state;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    output[0] = 7;
    refused(run_toy(e, LE_OPT_RUN_TYPE("smid")), "'smid'", "there is no run type", "reference, c");
    refused(run_toy(e, LE_OPT_IMPLEMENTATION("avx3")), "'avx3'", "has no implementation",
            "reference, c");
    refused(run_toy(e, LE_OPT_DEVICE("opencl:77")), "'opencl:77'", "there is no device", "cpu");
    assert_int_equal(run_toy(e, LE_OPT_IMPLEMENTATION("c[threads=4095]")), LE_ERR_NO_CANDIDATE);
    assert_string_equal(le_error_message(),
                        "toy: no candidate is left (c: another variant of it is forced)");
    assert_float_equal(output[0], 7, 0);
    assert_int_equal(run_toy(e, LE_OPT_RUN_TYPE("c")), LE_OK);
    le_close(&e);
}

/* Many implementations with long names do not make a long message. */
static void long_lists_are_cut(void **state) {
    (void)state;
    enum { MANY = 60 };
    static le_implementation many[MANY];
    static char names[MANY][48];
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    char value[300];
    memset(value, 'x', sizeof value);
    value[sizeof value - 1] = '\0';
    for (int i = 0; i < MANY; i++) {
        many[i] = toy_c;
        snprintf(names[i], sizeof names[i], "with_quite_a_long_name_%d", i);
        many[i].name = names[i];
        assert_int_equal(le_register_implementation(e, &many[i]), LE_OK);
    }
    refused(run_toy(e, LE_OPT_IMPLEMENTATION(value)), "'xxx", "has no implementation", "more");
    le_close(&e);
}

static le_status explain_toy(le_engine *e, le_arg option) {
    int64_t n = 16;
    le_explanation *x = NULL;
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = {0};
    const le_arg args[] = {LE_IN("input", &in), LE_F64("factor", 2), LE_OUT("result", &out),
                           option};
    le_status status = le_call_explain(e, &x, "toy", args, 4);
    le_explanation_free(&x);
    return status;
}

static void explanations_do_too(void **state) {
    (void)state;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    refused(explain_toy(e, LE_OPT_RUN_TYPE("smid")), "'smid'", "there is no run type", "reference");
    refused(explain_toy(e, LE_OPT_DEVICE("gpu")), "'gpu'", "there is no device", "cpu");
    assert_int_equal(explain_toy(e, LE_OPT_RUN_TYPE("c")), LE_OK);
    le_close(&e);
}

static void chains_do_too(void **state) {
    (void)state;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    le_chain *c;
    le_chain_plan *plan = NULL;
    int64_t n = 16;
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = {0};
    assert_int_equal(chain_ops_register(e), LE_OK);
    assert_int_equal(le_chain_new(&c, e, "one_step"), LE_OK);
    le_value x = le_chain_input(c, "x", LE_F32, 1, &n);
    le_value y = le_chain_temp(c);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", x), LE_F64("factor", 2),
                 LE_VALUE_OUT("result", y));
    assert_int_equal(le_chain_output(c, "y", y), LE_OK);
    const le_arg wrong[] = {LE_OPT_RUN_TYPE("smid"), LE_OPT_IMPLEMENTATION("avx3"),
                            LE_OPT_DEVICE("gpu")};
    static const char *const values[] = {"'smid'", "'avx3'", "'gpu'"};
    for (int i = 0; i < 3; i++) {
        const le_arg args[] = {LE_IN("x", &in), LE_OUT("y", &out), wrong[i]};
        refused(le_chain_run_args(c, args, 3), values[i], " no ", i < 2 ? "c" : "cpu");
        refused(le_chain_explain(c, &plan, &wrong[i], 1), values[i], " no ", "c");
    }
    const le_arg right[] = {LE_IN("x", &in), LE_OUT("y", &out), LE_OPT_RUN_TYPE("c")};
    assert_int_equal(le_chain_run_args(c, right, 3), LE_OK);
    le_tensor_free(&out);
    le_chain_free(&c);
    le_close(&e);
}

static bool never(const le_call *call, const char **why) {
    (void)call;
    *why = "it is the wrong day";
    return false;
}

/* One that is there and cannot be used is refused with its reason, and a candidate is obeyed with
 * all that its name says. */
static void chains_do_not_run_another(void **state) {
    (void)state;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    le_chain *c;
    le_chain_plan *plan = NULL;
    int64_t n = 16;
    le_implementation picky = toy_c;
    picky.name = "picky";
    picky.run_type = "simd";
    picky.applicable = never;
    assert_int_equal(le_register_implementation(e, &picky), LE_OK);
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = le_tensor_of(output, LE_F32, 1, &n);
    assert_int_equal(le_chain_new(&c, e, "one_step"), LE_OK);
    le_value x = le_chain_input(c, "x", LE_F32, 1, &n), y = le_chain_temp(c);
    le_chain_add(c, "toy", LE_VALUE_IN("input", x), LE_F64("factor", 2), LE_VALUE_OUT("result", y));
    assert_int_equal(le_chain_output(c, "y", y), LE_OK);
    const le_arg wrong[] = {LE_OPT_IMPLEMENTATION("picky"), LE_OPT_RUN_TYPE("simd"),
                            LE_OPT_IMPLEMENTATION("c[threads=77]")};
    static const char *const said[][2] = {
        {"'picky'", "wrong day"}, {"'simd'", "wrong day"}, {"'c[threads=77]'", "no step can use"}};
    for (int i = 0; i < 3; i++) {
        const le_arg args[] = {LE_IN("x", &in), LE_OUT("y", &out), wrong[i]};
        output[0] = 7;
        assert_int_equal(le_chain_run_args(c, args, 3), LE_ERR_NO_CANDIDATE);
        assert_non_null(strstr(le_error_message(), said[i][0]));
        assert_non_null(strstr(le_error_message(), said[i][1]));
        assert_float_equal(output[0], 7, 0);
        assert_int_equal(le_chain_explain(c, &plan, &wrong[i], 1), LE_ERR_NO_CANDIDATE);
        assert_null(plan);
    }
    static const char *const right[] = {"c[threads=1]", "c@cpu[threads=1]", "c"};
    for (int i = 0; i < 3; i++) {
        const le_arg args[] = {LE_IN("x", &in), LE_OUT("y", &out), LE_OPT_IMPLEMENTATION(right[i])};
        assert_int_equal(le_chain_run_args(c, args, 3), LE_OK);
        le_chain_report report;
        assert_int_equal(le_chain_last_run(c, &report), LE_OK);
        const char *ran = report.steps[0].candidate;
        assert_int_equal(strncmp(ran, "c@cpu", 5), 0);
        assert_true(i == 2 || strstr(ran, "threads=1"));
    }
    le_chain_free(&c);
    le_close(&e);
}

static le_status fail_mutely(le_call *call) {
    (void)call;
    return LE_ERR_MEMORY;
}

static void excluded(le_engine *e, le_arg first, le_arg second, const char *why) {
    int64_t n = 16;
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = le_tensor_of(output, LE_F32, 1, &n);
    assert_int_equal(le_engine_run(e, "toy", LE_IN("input", &in), LE_F64("factor", 2),
                                   LE_OUT("result", &out), first, second),
                     LE_ERR_NO_CANDIDATE);
    assert_string_equal(le_error_message(), why);
}

/* Two names of which there is each, and nothing that has both. */
static void names_that_exclude_each_other(void **state) {
    (void)state;
    static le_implementation gpu;
    const le_arg on_cpu = LE_OPT_DEVICE("cpu"), c = LE_OPT_IMPLEMENTATION("c"),
                 opencl = LE_OPT_RUN_TYPE("opencl");
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    gpu = toy_c;
    gpu.name = "gpu";
    gpu.run_type = "opencl";
    gpu.device = LE_DEVICE_OPENCL;
    gpu.range = NULL;
    gpu.run = fail_mutely;
    assert_int_equal(le_register_implementation(e, &gpu), LE_OK);
    excluded(e, opencl, on_cpu,
             "toy: run type 'opencl' and device 'cpu' are forced, which exclude each other: the "
             "first needs an OpenCL device");
    excluded(e, LE_OPT_IMPLEMENTATION("gpu"), on_cpu,
             "toy: implementation 'gpu' and device 'cpu' are forced, which exclude each other: the "
             "first needs an OpenCL device");
    excluded(e, opencl, c,
             "toy: run type 'opencl' and implementation 'c' are forced, which exclude each other: "
             "the second has run type 'c'");
    setenv("LE_DEVICE", "cpu", 1);
    le_engine *limited = toy_open(NULL, LE_MODE_LEARN);
    unsetenv("LE_DEVICE");
    assert_int_equal(le_register_implementation(limited, &gpu), LE_OK);
    assert_int_equal(run_toy(limited, opencl), LE_ERR_NO_CANDIDATE);
    assert_non_null(strstr(le_error_message(), "run type 'opencl' and device 'cpu' are forced"));
    assert_int_equal(run_toy(limited, c), LE_OK);
    le_close(&limited);
    le_close(&e);
}

static le_status fail_with_reason(le_call *call) {
    (void)call;
    return le_fail(LE_ERR_MEMORY, "no room for three cakes");
}

static void add_one(le_engine *e, const char *named, le_status (*run)(le_call *),
                    bool (*applicable)(const le_call *, const char **), uint32_t isa) {
    static le_implementation made[8];
    static int n;
    le_implementation *one = &made[n++ % 8];
    *one = toy_c;
    one->name = named;
    one->run_type = "simd";
    one->run = run ? run : one->run;
    one->applicable = applicable;
    one->isa = isa;
    assert_int_equal(le_register_implementation(e, one), LE_OK);
}

/* Of one that is asked for, the reason is told that it has, and that of no other. */
static void refusals_say_why(void **state) {
    (void)state;
    setenv("LE_ISA", "none", 1);
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    add_one(e, "picky", NULL, never, 0);
    add_one(e, "wide", NULL, NULL, LE_ISA_AVX2);
    add_one(e, "mute", fail_mutely, NULL, 0);
    add_one(e, "poor", fail_with_reason, NULL, 0);
    static const char *const said[][3] = {
        {"picky", "(picky: it is the wrong day)"},
        {"wide", "(wide: the CPU lacks an instruction set)"},
        {"mute", "mute on cpu failed without a reason"},
        {"poor", "no room for three cakes"},
    };
    for (int i = 0; i < 4; i++) {
        le_fail(LE_ERR_DATA, "an older error");
        assert_int_equal(run_toy(e, LE_OPT_IMPLEMENTATION(said[i][0])), LE_ERR_NO_CANDIDATE);
        if (!strstr(le_error_message(), said[i][1]))
            fail_msg("no '%s' in: %s", said[i][1], le_error_message());
        for (int k = 0; k < 4; k++)
            assert_true(k == i || !strstr(le_error_message(), said[k][0]));
    }
    le_close(&e);
    unsetenv("LE_ISA");
}

static int asked;

static bool ask_applicable(const le_call *call, const char **why) {
    (void)call;
    (void)why;
    asked++;
    return true;
}

static int64_t ask_memory(const le_call *call) {
    (void)call;
    asked++;
    return 1;
}

static double ask_speed(const le_call *call) {
    (void)call;
    asked++;
    return 1;
}

/* All functions of an implementation are compiled for its instruction set: where that is missing, none
 * may be called. */
static void none_is_asked_without_its_instructions(void **state) {
    (void)state;
    setenv("LE_ISA", "none", 1);
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    le_implementation wide = toy_c;
    wide.name = "wide";
    wide.run_type = "simd";
    wide.isa = LE_ISA_AVX2;
    wide.applicable = ask_applicable;
    wide.memory = ask_memory;
    wide.speed_of = ask_speed;
    assert_int_equal(le_register_implementation(e, &wide), LE_OK);
    assert_int_equal(run_toy(e, LE_OPT_ATOL(1)), LE_OK);
    assert_int_equal(run_toy(e, LE_OPT_IMPLEMENTATION("wide")), LE_ERR_NO_CANDIDATE);
    assert_int_equal(run_toy(e, LE_OPT_MODE(LE_MODE_MEASURE)), LE_OK);
    assert_int_equal(asked, 0);
    le_close(&e);
    unsetenv("LE_ISA");
}

static void variables(void **state) {
    (void)state;
    static const char *const rows[][3] = {{"LE_ISA", "axv2", "none, sse2, avx2 or avx512"},
                                          {"LE_LOG", "inof", "error, warning, info or debug"}};
    for (int i = 0; i < 2; i++) {
        le_engine *e = NULL;
        setenv(rows[i][0], rows[i][1], 1);
        assert_int_equal(le_open(&e, NULL), LE_ERR_ARGUMENT);
        assert_null(e);
        assert_non_null(strstr(le_error_message(), rows[i][0]));
        assert_non_null(strstr(le_error_message(), rows[i][1]));
        assert_non_null(strstr(le_error_message(), rows[i][2]));
        unsetenv(rows[i][0]);
    }
    static const char *const forced[][3] = {
        {"LE_RUN_TYPE", "smid", "there is no run type 'smid'"},
        {"LE_IMPLEMENTATION", "avx3", "has no implementation 'avx3'"}};
    for (int i = 0; i < 2; i++) {
        setenv(forced[i][0], forced[i][1], 1);
        le_engine *e = toy_open(NULL, LE_MODE_LEARN);
        refused(run_toy(e, LE_OPT_ATOL(1)), forced[i][1], forced[i][2], "reference, c");
        le_close(&e);
        unsetenv(forced[i][0]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_name_what_there_is),
        cmocka_unit_test(names_that_exclude_each_other),
        cmocka_unit_test(long_lists_are_cut),
        cmocka_unit_test(explanations_do_too),
        cmocka_unit_test(chains_do_too),
        cmocka_unit_test(chains_do_not_run_another),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(none_is_asked_without_its_instructions),
        cmocka_unit_test(variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
