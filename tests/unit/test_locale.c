/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A program that sets a locale with decimal commas: keys, JSON, options and choices are those of
 * the C locale. The locale is made for the test; skipped where that is impossible.
 */
#include "toy.h"

#include "benchdb.h"
#include "liquid_engine/le_bench.h"
#include "liquid_engine/le_chain.h"
#include "liquid_engine/le_io.h"
#include "liquid_engine/le_report.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/le-locale-XXXXXX";
static bool made;

static int setup(void **state) {
    char command[256];
    (void)state;
    if (!mkdtemp(folder))
        return 1;
    snprintf(command, sizeof command,
             "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >'%s/said' 2>&1", folder, folder);
    if (system(command) != 0)
        print_message("localedef: warnings, or none of it here\n");
    setenv("LOCPATH", folder, 1);
    made = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    setlocale(LC_ALL, "C");
    return 0;
}

static int teardown(void **state) {
    char command[64];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void german(void) {
    char text[8];
    if (!made) {
        print_message("no locale de_DE.UTF-8 and no way to make one: skipped\n");
        skip();
    }
    assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5"); /* the program's own numbers are as it wants them */
}

/* What the database holds after the same steps, as JSON. */
static char *exported(const char *name) {
    char path[128], json[128], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s.sqlite3", folder, name);
    snprintf(json, sizeof json, "%s/%s.json", folder, name);
    le_db_options options = {.path = path};
    le_db *db = le_db_open(&options);
    int64_t problem = le_db_problem(db, "toy_scale", "f64[3] factor=1.5", 1234.5, 0.25);
    int64_t candidate = le_db_candidate(
        db,
        &(le_db_candidate_key){.operation = "toy_scale", .implementation = "c", .run_type = "c"});
    le_db_sample sample = {.seconds = 0.001953125, .date_ms = 1};
    le_db_add_samples(db, problem, candidate, &sample, 1);
    assert_true(le_db_flush(db, 10));
    assert_int_equal(le_db_export_file(db, json), LE_DB_OK);
    le_db_close(&db);
    FILE *f = fopen(json, "r");
    assert_non_null(f);
    assert_true(getdelim(&text, &size, '\0', f) > 0);
    fclose(f);
    return text;
}

static void database(void **state) {
    (void)state;
    german();
    char *text = exported("german");
    assert_non_null(strstr(text, "1234.5"));
    assert_non_null(strstr(text, "0.001953125"));
    setlocale(LC_ALL, "C");
    char path[128], json[128];
    snprintf(path, sizeof path, "%s/c.sqlite3", folder);
    snprintf(json, sizeof json, "%s/german.json", folder);
    le_db *db = le_db_open(&(le_db_options){.path = path});
    le_db_import_result result;
    assert_int_equal(le_db_import(db, json, NULL, &result), LE_DB_OK);
    assert_true(result.rows > 0);
    le_db_close(&db);
    free(text);
}

/* The toy operation with a factor that changes the cost, so that it is part of the key. */
static le_engine *open_toy(void) {
    static le_arg_desc args[LE_MAX_ARGS];
    static le_operation operation;
    le_engine *engine = NULL;
    le_options options;
    operation = toy_operation;
    memcpy(args, toy_operation.args, toy_operation.n_args * sizeof *args);
    args[TOY_FACTOR].cost = true;
    operation.args = args;
    le_default_options(&options);
    options.db_path = ":memory:";
    options.mode = LE_MODE_ESTIMATE;
    assert_int_equal(le_open(&engine, &options), LE_OK);
    assert_int_equal(le_register_operation(engine, &operation), LE_OK);
    assert_int_equal(le_register_implementation(engine, &toy_reference), LE_OK);
    assert_int_equal(le_register_implementation(engine, &toy_c), LE_OK);
    return engine;
}

/* Key, candidates, choice, tolerances and predictions of a call, as JSON. */
static char *explained(void) {
    le_engine *engine = open_toy();
    le_explanation *e = NULL;
    float values[3] = {1, 2, 3};
    le_tensor in = le_tensor_of(values, LE_F32, 1, (int64_t[]){3}), out = {0};
    const le_arg args[] = {LE_IN("input", &in), LE_F64("factor", 2.5), LE_OUT("result", &out),
                           LE_OPT_ATOL(1.5e-3)};
    assert_int_equal(le_call_explain(engine, &e, "toy", args, 4), LE_OK);
    assert_non_null(strstr(e->problem, "factor=2.5"));
    char *json = le_explanation_json(e);
    le_explanation_free(&e);
    le_close(&engine);
    return json;
}

static void keys_and_choices(void **state) {
    (void)state;
    char *before = explained();
    german();
    char *after = explained();
    setlocale(LC_ALL, "C");
    assert_non_null(strstr(before, "0.0015"));
    assert_string_equal(before, after);
    free(before);
    free(after);
}

static void chain_text(void **state) {
    static const char json[] =
        "{\"name\": \"twice\", \"inputs\": [\"x\"], \"steps\": [{\"operation\": \"toy\", \"args\": "
        "{\"input\": \"x\", \"factor\": 1.5, \"result\": \"y\"}}], \"outputs\": [\"y\"]}";
    float values[3] = {1, 2, 3};
    le_tensor in = le_tensor_of(values, LE_F32, 1, (int64_t[]){3}), out = {0};
    le_chain *chain = NULL;
    (void)state;
    german();
    le_engine *engine = open_toy();
    const le_arg inputs[] = {LE_IN("x", &in)};
    assert_int_equal(le_chain_from_json(&chain, engine, json, inputs, 1), LE_OK);
    assert_int_equal(le_chain_run(chain, LE_IN("x", &in), LE_OUT("y", &out)), LE_OK);
    assert_true(le_tensor_get(&out, 1) == 3.0);
    le_tensor_free(&out);
    le_chain_free(&chain);
    le_close(&engine);
    setlocale(LC_ALL, "C");
}

static void options_and_texts(void **state) {
    le_options options;
    le_engine *engine = NULL;
    int64_t bytes = 0;
    char *end;
    (void)state;
    german();
    le_default_options(&options);
    options.db_path = ":memory:";
    setenv("LE_TRIAL_LIMIT", "0.5", 1);
    setenv("LE_EXPLORE_SHARE", "0.25", 1);
    assert_int_equal(le_open(&engine, &options), LE_OK);
    le_close(&engine);
    unsetenv("LE_TRIAL_LIMIT");
    unsetenv("LE_EXPLORE_SHARE");
    assert_true(le_bytes_from_text("1.5k", &bytes) && bytes == 1536);
    assert_true(le_number("-5.25:x", &end) == -5.25 && *end == ':');
    float values[8] = {0};
    le_tensor in = le_tensor_of(values, LE_F32, 3, (int64_t[]){2, 2, 2}), out = {0};
    assert_int_equal(le_run("transfer_function", LE_IN("samples", &in),
                            LE_STR("transfer", "viridis:-5.5:5.5:0.25"), LE_OUT("rgba", &out)),
                     LE_OK);
    le_tensor_free(&out);
    setlocale(LC_ALL, "C");
    le_shutdown();
}

/* "c" is right within 1e-6, "fast" within 1e-2; the choice of c allows 1.5e-5. */
static void plant_tolerance(const char *path) {
    static const char *const names[] = {"c", "fast"};
    static const double errors[] = {1e-6, 1e-2};
    le_db *db = le_db_open(&(le_db_options){.path = path});
    int64_t problem = le_db_problem(db, "toy_scale", "f64[3]", 1e3, 24), ids[2];
    for (int i = 0; i < 2; i++) {
        le_db_candidate_key key = {
            .operation = "toy_scale", .implementation = names[i], .run_type = "c"};
        ids[i] = le_db_candidate(db, &key);
        le_db_verdict v = {.candidate = ids[i], .size_class = "f64|-1", .state = LE_DB_PROVEN};
        for (int k = 0; k < LE_DB_ERRORS; k++)
            v.errors[k] = k ? 1 : errors[i];
        le_db_add_verdict(db, &v);
        le_db_add_samples(db, problem, ids[i], &(le_db_sample){.seconds = 1e-3 * (2 - i)}, 1);
    }
    le_db_add_choice(db, &(le_db_choice){.problem = problem,
                                         .candidate = ids[0],
                                         .constraint = "atol=1.5e-05 rtol=0"});
    assert_true(le_db_flush(db, 10));
    le_db_close(&db);
}

static void reports(void **state) {
    char path[128], *text;
    le_options options;
    le_engine *engine = NULL;
    (void)state;
    german();
    snprintf(path, sizeof path, "%s/report.sqlite3", folder);
    plant_tolerance(path);
    le_default_options(&options);
    options.db_path = path;
    options.mode = LE_MODE_FROZEN;
    assert_int_equal(le_open(&engine, &options), LE_OK);
    assert_int_equal(le_report_json(engine, NULL, &text, NULL), LE_OK);
    assert_non_null(strstr(text, "\"constraint\":\t\"atol=1.5e-05 rtol=0\""));
    assert_non_null(strstr(text, "\"runner_up\":\tnull")); /* 1 is no tolerance of it */
    free(text);
    le_close(&engine);
    setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(database),   cmocka_unit_test(keys_and_choices),
        cmocka_unit_test(chain_text), cmocka_unit_test(options_and_texts),
        cmocka_unit_test(reports),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
