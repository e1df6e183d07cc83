/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Environment variables: sizes in bytes, and what is said of values that are none.
 */
#include "core/options.h"
#include "liquid_engine/le_bench.h"
#include "liquid_engine/le_boxes.h"
#include "liquid_engine/le_io.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void sizes(void **state) {
    static const struct {
        const char *text;
        int64_t bytes; /* -1: refused */
    } cases[] = {{"0", 0},          {"4096", 4096},
                 {"1k", 1024},      {"1K", 1024},
                 {"3M", 3 << 20},   {"1G", 1 << 30},
                 {"1.5g", 3 << 29}, {"2T", INT64_C(1) << 41},
                 {"1e3", 1000},     {"2GiB", INT64_C(1) << 31},
                 {"1kiB", 1024},    {"1Gi", -1},
                 {"1iB", -1},       {"1GiBs", -1},
                 {"", -1},          {"G", -1},
                 {"1GB", -1},       {"-1", -1},
                 {"1X", -1},        {"9000000000G", -1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t bytes = 77;
        bool good = le_bytes_from_text(cases[i].text, &bytes);
        assert_int_equal(good, cases[i].bytes >= 0);
        assert_int_equal(bytes, good ? cases[i].bytes : 77);
    }
}

static void limits(void **state) {
    static const char *const names[] = {"LE_MEMORY_LIMIT", "LE_DEVICE_MEMORY_LIMIT"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        le_options options;
        le_engine *engine = NULL;
        le_default_options(&options);
        options.db_path = ":memory:";
        setenv(names[i], "1G", 1);
        assert_int_equal(le_open(&engine, &options), LE_OK);
        le_close(&engine);
        setenv(names[i], "much", 1);
        assert_int_equal(le_open(&engine, &options), LE_ERR_ARGUMENT);
        assert_non_null(strstr(le_error_message(), names[i]));
        assert_non_null(strstr(le_error_message(), "'much', expected bytes"));
        unsetenv(names[i]);
    }
}

/* Where kernels lie does not change with the process's folder. */
static void folders(void **state) {
    char *here = getcwd(NULL, 0), expected[4096];
    le_options given, o;
    (void)state;
    le_default_options(&given);
    given.cache_dir = "some/cache";
    unsetenv("LE_SITE_DB");
    setenv("LE_CL_DIR", "kernels", 1);
    assert_int_equal(le__options_resolve(&o, &given), LE_OK);
    unsetenv("LE_CL_DIR");
    snprintf(expected, sizeof expected, "%s/some/cache", here);
    assert_string_equal(o.cache_dir, expected);
    snprintf(expected, sizeof expected, "%s/kernels", here);
    assert_string_equal(o.cl_dir, expected);
    assert_string_equal(o.site_db_path, "/etc/liquid_engine"); /* as the manual has it */
    le__options_free(&o);
    given.cache_dir = "";
    given.cl_dir = "/kernels";
    given.site_db_path = "";
    assert_int_equal(le__options_resolve(&o, &given), LE_OK);
    assert_string_equal(o.site_db_path, "");
    assert_string_equal(o.cache_dir, "");
    assert_string_equal(o.cl_dir, "/kernels");
    le__options_free(&o);
    free(here);
}

/* With the default engine it is the first call that finds out. */
static void misspelt_mode(void **state) {
    float value = 1;
    le_tensor in = le_tensor_of(&value, LE_F32, 1, (int64_t[]){1}), out = {0};
    (void)state;
    setenv("LE_MODE", "lern", 1);
    assert_int_equal(le_run("project", LE_IN("volume", &in), LE_OUT("image", &out)),
                     LE_ERR_ARGUMENT);
    assert_string_equal(le_error_message(),
                        "LE_MODE is 'lern', expected estimate, learn, measure or frozen");
    unsetenv("LE_MODE");
}

static void assert_refused(const le_options *o, const char *why) {
    le_engine *e = NULL;
    assert_int_equal(le_open(&e, o), LE_ERR_ARGUMENT);
    assert_string_equal(le_error_message(), why);
    assert_null(e);
}

/* What means nothing is not taken for a default. */
static void numbers_of_a_program(void **state) {
    float value[8] = {1};
    le_tensor in = le_tensor_of(value, LE_F32, 3, (int64_t[]){2, 2, 2}), out = {0};
    le_options o;
    (void)state;
    le_default_options(&o);
    o.mode = (le_mode)5;
    assert_refused(&o, "le_open: there is no mode 5");
    le_default_options(&o);
    o.threads = -4;
    assert_refused(&o, "le_open: threads is -4, expected 0 or more");
    o.threads = 4096;
    assert_refused(&o, "le_open: threads is 4096, expected at most 4095");
    le_default_options(&o);
    o.explore_share = -0.5;
    assert_refused(&o, "le_open: explore_share is -0.5, expected 0 or more");
    o.explore_share = 0;
    o.memory_limit_bytes = -1;
    assert_refused(&o, "le_open: memory_limit_bytes is -1, expected 0 or more");
    assert_int_equal(
        le_run("project", LE_IN("volume", &in), LE_OUT("image", &out), LE_OPT_MEMORY_LIMIT(-1)),
        LE_ERR_ARGUMENT);
    assert_string_equal(le_error_message(),
                        "project: a memory limit of -1 was given, expected 0 or more");
}

static void whole_numbers(void **state) {
    static const char *const wrong[][3] = {{"LE_THREADS", "1.5", "4095"},
                                           {"LE_THREADS", "4096", "4095"},
                                           {"LE_SEED", "0.5", "9007199254740992"},
                                           {"LE_SEED", "1e30", "9007199254740992"}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char why[128];
        le_options o;
        le_default_options(&o);
        snprintf(why, sizeof why, "%s is '%s', expected a whole number of at most %s", wrong[i][0],
                 wrong[i][1], wrong[i][2]);
        setenv(wrong[i][0], wrong[i][1], 1);
        assert_refused(&o, why);
        unsetenv(wrong[i][0]);
    }
}

static void refused_by_an_engine(const char *name, const char *value, const char *expected) {
    char why[160];
    le_options o;
    le_default_options(&o);
    snprintf(why, sizeof why, "%s is '%s', expected %s", name, value, expected);
    setenv(name, value, 1);
    assert_refused(&o, why);
    unsetenv(name);
}

/* False: the build has no HDF5. */
static bool write_a_file(le_engine *e, const char *name) {
    float values[4] = {1, 2, 3, 4};
    le_tensor t = le_tensor_of(values, LE_F32, 2, (int64_t[]){2, 2});
    return le_io_write(e, name, &t) == LE_OK;
}

/* Variables that are looked up long after an engine was opened. */
static void looked_up_later(void **state) {
    static const char whole[] = "a whole number of at most 9007199254740992",
                      least[] = "a number of at least 0";
    static const char *const wrong[] = {"15.5", "abc", "-15", "16x", "1e17", ""};
    const le_box grid = {.extent = {129, 2, 2}};
    char before[256], file[64];
    le_tensor in = {0};
    le_options o;
    le_engine *e = NULL;
    (void)state;
    refused_by_an_engine("LE_BOX_EDGE", "abc", least);
    refused_by_an_engine("LE_BOX_EDGE", "-15", least);
    refused_by_an_engine("LE_BOX_EDGE", "16x", least);
    refused_by_an_engine("LE_BOX_EDGE", "15.5", whole);
    refused_by_an_engine("LE_BOX_EDGE", "1e17", whole);
    refused_by_an_engine("LE_IO_TRUST", "yes", "0 or 1");
    setenv("LE_BOX_EDGE", "15", 1);
    assert_int_equal(le_boxes_edge(&grid), 15);
    le_default_options(&o);
    o.db_path = ":memory:";
    assert_int_equal(le_open(&e, &o), LE_OK);
    snprintf(file, sizeof file, "/tmp/le_options_%d.h5:/x", (int)getpid());
    const bool written = write_a_file(e, file);
    assert_int_not_equal(le_run("nothing", LE_I64("at", 1)), LE_OK);
    snprintf(before, sizeof before, "%s", le_error_message());
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        setenv("LE_BOX_EDGE", wrong[i], 1);
        assert_int_equal(le_boxes_edge(&grid), 32);
        assert_string_equal(le_error_message(), before);
    }
    setenv("LE_IO_TRUST", "yes", 1);
    if (written)
        assert_int_equal(le_io_read(e, file, NULL, &in), LE_OK);
    assert_string_equal(le_error_message(), before);
    unsetenv("LE_BOX_EDGE");
    unsetenv("LE_IO_TRUST");
    le_tensor_free(&in);
    le_close(&e);
    *strchr(file, ':') = '\0';
    unlink(file);
}

static void keep_warning(void *cookie, le_log_level level, const char *text) {
    if (level == LE_LOG_WARNING)
        snprintf(cookie, 512, "%s", text);
}

static void missing_helper(void **state) {
    static const struct {
        const char *program, *trials, *why;
    } cases[] = {{"/nowhere/le-trial", "spawn", "No such file or directory"},
                 {"/nowhere/le-trial", "", "No such file or directory"},
                 {"/", "", "Permission denied"},
                 {"/nowhere/le-trial", "fork", NULL},
                 {"/bin/sh", "", NULL},
                 {"", "", NULL}};
    char *given = getenv("LE_TRIAL_PROGRAM");
    (void)state;
    given = given ? strdup(given) : NULL;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char told[512] = "", expected[512] = "";
        le_engine *e;
        le_options o;
        le_default_options(&o);
        o.db_path = ":memory:";
        o.log = keep_warning;
        o.log_cookie = told;
        setenv("LE_TRIAL_PROGRAM", cases[i].program, 1);
        setenv("LE_TRIALS", cases[i].trials, 1);
        assert_int_equal(le_open(&e, &o), LE_OK);
        if (cases[i].why)
            snprintf(expected, sizeof expected,
                     "LE_TRIAL_PROGRAM is '%s', which cannot be run: %s; trials do without it",
                     cases[i].program, cases[i].why);
        assert_string_equal(told, expected);
        le_close(&e);
    }
    unsetenv("LE_TRIALS");
    unsetenv("LE_TRIAL_PROGRAM");
    if (given)
        setenv("LE_TRIAL_PROGRAM", given, 1);
    free(given);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sizes),
                                       cmocka_unit_test(limits),
                                       cmocka_unit_test(folders),
                                       cmocka_unit_test(misspelt_mode),
                                       cmocka_unit_test(numbers_of_a_program),
                                       cmocka_unit_test(whole_numbers),
                                       cmocka_unit_test(looked_up_later),
                                       cmocka_unit_test(missing_helper)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
