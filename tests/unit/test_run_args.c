/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The words of le-run: lists, values of every kind, messages.
 */
#include "run_args.h"
#include "suggest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const outside_words[] = {"error", "nearest", NULL};
static const le_arg_desc descriptors[] = {
    {.name = "volume", .type = LE_TYPE_IN, .dtypes = LE_DTYPES_FLOAT, .shape = "[nx,ny,nz]"},
    {.name = "size", .type = LE_TYPE_I64, .min = 1, .max = 100},
    {.name = "angle", .type = LE_TYPE_F64, .optional = true, .min = -360, .max = 360},
    {.name = "limits", .type = LE_TYPE_F64S, .optional = true, .min_count = 2, .max_count = 2},
    {.name = "outside", .type = LE_TYPE_STR_OR_F64, .optional = true, .words = outside_words},
    {.name = "title", .type = LE_TYPE_STR, .optional = true},
    {.name = "image", .type = LE_TYPE_OUT, .dtypes = LE_DTYPES_FLOAT},
    {.name = "kernel",
     .type = LE_TYPE_TABLE,
     .optional = true,
     .min = -9,
     .max = 9,
     .max_count = 3,
     .shape = "[k]"},
    {.name = "mask", .type = LE_TYPE_OUT, .optional = true, .dtypes = LE_DTYPES_FLOAT},
};
static const le_operation operation = {
    .name = "test", .args = descriptors, .n_args = sizeof descriptors / sizeof *descriptors};

/* Expectations from numpy.linspace. */
static void lists(void **state) {
    static const struct {
        const char *text;
        size_t count;
        double values[10];
    } cases[] = {
        {"0:81:10", 10, {0, 9, 18, 27, 36, 45, 54, 63, 72, 81}},
        {"1,2.5,-3e2", 3, {1, 2.5, -300}},
        {"1:0:3,7", 4, {1, 0.5, 0, 7}},
        {"5:9:1", 1, {5}},
        {"-1:1:2", 2, {-1, 1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double *list;
        size_t count;
        assert_true(run_parse_list(cases[i].text, &list, &count));
        assert_int_equal(count, cases[i].count);
        for (size_t k = 0; k < count; k++)
            assert_true(list[k] == cases[i].values[k]);
        free(list);
    }
    double *list;
    size_t count;
    assert_true(run_parse_list("0:0.3:4", &list, &count));
    assert_true(list[3] == 0.3); /* the end is exact */
    free(list);
}

static void bad_lists(void **state) {
    static const char *const bad[] = {
        "",       ",",       "1,", "1,,2",           "a", "1:2", "1:2:0", "1:2:x", "1:2:3:4",
        "1:2:-1", "1:2:1e3", " 1", "1:2:99999999999"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double *list;
        size_t count;
        if (run_parse_list(bad[i], &list, &count))
            fail_msg("'%s' was accepted", bad[i]);
        assert_null(list);
    }
}

static void values(void **state) {
    (void)state;
    char *words[] = {"volume=c.h5:/d", "size=7",    "limits=-5,5",
                     "outside=-1.5",   "title=a=b", "angle=9"};
    char message[RUN_MESSAGE] = "";
    run_args a;
    le_arg calls[LE_MAX_ARGS + RUN_OPTIONS_MAX];
    if (!run_args_parse(&operation, words, 6, &a, message))
        fail_msg("%s", message);
    const le_arg option = LE_OPT_ATOL(1e-3);
    size_t n = run_args_call(&a, &option, 1, calls);
    assert_int_equal(n, 8); /* six, the required output, the option; not the optional output */
    assert_string_equal(calls[1].name, "size");
    assert_int_equal(calls[1].value.i64, 7);
    assert_true(calls[2].value.f64 == 9);
    assert_int_equal(calls[3].count, 2);
    assert_true(calls[3].value.f64s[0] == -5 && calls[3].value.f64s[1] == 5);
    assert_int_equal(calls[4].kind, LE_KIND_F64);
    assert_true(calls[4].value.f64 == -1.5);
    assert_string_equal(calls[5].value.str, "a=b");
    assert_string_equal(calls[6].name, "image");
    assert_int_equal(calls[6].kind, LE_KIND_OUT);
    assert_int_equal(calls[7].kind, LE_KIND_OPTION);
    run_args_free(&a);
    char *word[] = {"volume=c.h5:/d", "size=7", "outside=nearest"};
    assert_true(run_args_parse(&operation, word, 3, &a, message));
    run_args_call(&a, NULL, 0, calls);
    assert_int_equal(calls[2].kind, LE_KIND_STR);
    run_args_free(&a);
}

static void messages(void **state) {
    static const struct {
        const char *words[3], *says;
    } cases[] = {
        {{"volume=c.h5:/d"}, "missing size= (an integer from 1 to 100)"},
        {{"size=3"}, "missing volume= (a tensor [nx,ny,nz] of f32, f64)"},
        {{"size"}, "expected NAME=VALUE"},
        {{"=3"}, "expected NAME=VALUE"},
        {{"Size=3"}, "did you mean size?"},
        {{"seize=3"}, "did you mean size?"},
        {{"colour=3"}, "expected volume, size, angle"},
        {{"size=3", "size=4"}, "given twice"},
        {{"size=101"}, "from 1 to 100"},
        {{"size=1.5"}, "size=1.5; expected an integer"},
        {{"size=99999999999999999999"}, "an integer"},
        {{"angle=nan"}, "from -360 to 360"},
        {{"limits=1"}, "limits has 1 numbers; expected 2"},
        {{"limits=1,2,3"}, "limits has 3 numbers; expected 2"},
        {{"outside=err"}, "did you mean error?"},
        {{"volume=x.jpg"}, "unknown kind of file"},
        {{"kernel=1,2,3,4"}, "kernel has 4 numbers; expected at most 3"},
        {{"kernel=1,10"}, "kernel=1,10; expected a table [k]: a file, or numbers a,b,c"},
        {{"kernel=x.jpg"}, "expected a table [k]: a file, or numbers a,b,c"},
        {{"image=o.h5"}, "name the dataset"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char message[RUN_MESSAGE] = "", text[3][64];
        char *words[3];
        size_t n = 0;
        for (; n < 3 && cases[i].words[n]; n++)
            words[n] = strcpy(text[n], cases[i].words[n]);
        run_args a;
        assert_false(run_args_parse(&operation, words, n, &a, message));
        if (!strstr(message, cases[i].says))
            fail_msg("'%s' does not say '%s'", message, cases[i].says);
    }
}

static void distances(void **state) {
    (void)state;
    assert_int_equal(suggest_distance("kitten", "sitting"), 3);
    assert_int_equal(suggest_distance("", "abc"), 3);
    assert_int_equal(suggest_distance("Volume", "volume"), 0);
    assert_int_equal(suggest_distance("sise", "size"), 1);
    assert_int_equal(suggest_distance("szie", "size"), 1);
    suggest s = {.wanted = "projct"};
    suggest_offer(&s, "volume_render");
    assert_null(s.best);
    suggest_offer(&s, "project");
    assert_string_equal(s.best, "project");
}

/* Numbers or a file, which le-run reads. */
static void tables(void **state) {
    (void)state;
    char *numbers[] = {"volume=c.h5:/d", "size=7", "kernel=1,2,1"};
    char *file[] = {"volume=c.h5:/d", "size=7", "kernel=k.h5:/taps"}, message[RUN_MESSAGE];
    run_args a;
    le_arg calls[LE_MAX_ARGS];
    assert_true(run_args_parse(&operation, numbers, 3, &a, message));
    assert_int_equal(run_args_call(&a, NULL, 0, calls), 4);
    assert_int_equal(calls[3].kind, LE_KIND_F64S);
    assert_int_equal(calls[3].count, 3);
    run_args_free(&a);
    assert_true(run_args_parse(&operation, file, 3, &a, message));
    assert_int_equal(run_args_call(&a, NULL, 0, calls), 4);
    assert_int_equal(calls[3].kind, LE_KIND_TABLE);
    assert_ptr_equal(calls[3].value.in, &a.args[7].tensor);
    run_args_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables), cmocka_unit_test(lists),    cmocka_unit_test(bad_lists),
        cmocka_unit_test(values), cmocka_unit_test(messages), cmocka_unit_test(distances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
