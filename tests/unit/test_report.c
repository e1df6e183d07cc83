/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reports and wisdom of an engine whose database has known contents, as a program asks for them.
 */
#include "liquid_engine/le_report.h"

#include "benchdb.h"

#include <cjson/cJSON.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/le_test_report_XXXXXX";

static const char *in_folder(const char *name) {
    static char paths[4][64];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* "fold" on two sizes, which no engine has: runs of 1, 2 and 4 times so many milliseconds, whose
 * geometric means are twice that. */
static void plant(const char *path) {
    static const char *const keys[] = {"a=f64[10] mode=\"odd, <b>\"", "a=f64[20]"};
    le_db *db = le_db_open(&(le_db_options){.path = path});
    le_db_candidate_key key = {.operation = "fold", .implementation = "c", .run_type = "c"};
    int64_t candidate = le_db_candidate(db, &key);
    for (int p = 0; p < 2; p++) {
        int64_t problem = le_db_problem(db, "fold", keys[p], 10, 80);
        for (int run = 1; run <= 4; run *= 2)
            le_db_add_samples(db, problem, candidate,
                              &(le_db_sample){.seconds = run * (p + 1) * 1e-3}, 1);
    }
    assert_true(le_db_flush(db, 10));
    le_db_close(&db);
}

static le_engine *open_engine(const char *path, le_mode mode) {
    le_options o;
    le_engine *engine;
    le_default_options(&o);
    o.db_path = path;
    o.devices = "cpu";
    o.mode = mode;
    assert_int_equal(le_open(&engine, &o), LE_OK);
    return engine;
}

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    plant(in_folder("planted.sqlite3"));
    return 0;
}

static int remove_folder(void **state) {
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static double time_of(const cJSON *problem) {
    const cJSON *list = cJSON_GetObjectItem(problem, "candidates");
    return cJSON_GetObjectItem(cJSON_GetArrayItem(list, 0), "time_s")->valuedouble;
}

static void test_json(void **state) {
    le_engine *engine = open_engine(in_folder("planted.sqlite3"), LE_MODE_FROZEN);
    char *text;
    size_t n;
    (void)state;
    setlocale(LC_NUMERIC, "de_DE.UTF-8"); /* where it is there, it writes 1,5 */
    assert_int_equal(le_report_json(engine, NULL, &text, &n), LE_OK);
    setlocale(LC_NUMERIC, "C");
    assert_int_equal(n, 2);
    cJSON *root = cJSON_Parse(text);
    const cJSON *problems = cJSON_GetObjectItem(root, "problems");
    assert_int_equal(cJSON_GetArraySize(problems), 2);
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        const cJSON *p = cJSON_GetArrayItem(problems, i);
        assert_string_equal(cJSON_GetObjectItem(p, "operation")->valuestring, "fold");
        sum += time_of(p);
    }
    assert_true(fabs(sum - 6e-3) < 1e-12);
    cJSON_Delete(root);
    free(text);
    le_close(&engine);
}

/* Of a single run every quantile is its time. */
static void test_quantiles(void **state) {
    static const char *const names[] = {"median_s", "p99_s", "min_s", "max_s"};
    (void)state;
    le_db *db = le_db_open(&(le_db_options){.path = in_folder("single.sqlite3")});
    le_db_candidate_key key = {.operation = "fold", .implementation = "c", .run_type = "c"};
    int64_t problem = le_db_problem(db, "fold", "a=f64[10]", 10, 80);
    le_db_add_samples(db, problem, le_db_candidate(db, &key), &(le_db_sample){.seconds = 1.234e-3},
                      1);
    assert_true(le_db_flush(db, 10));
    le_db_close(&db);
    le_engine *engine = open_engine(in_folder("single.sqlite3"), LE_MODE_FROZEN);
    char *text;
    assert_int_equal(le_report_json(engine, NULL, &text, NULL), LE_OK);
    cJSON *root = cJSON_Parse(text);
    const cJSON *p = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "problems"), 0);
    const cJSON *c = cJSON_GetArrayItem(cJSON_GetObjectItem(p, "candidates"), 0);
    for (int i = 0; i < 4; i++)
        assert_true(fabs(cJSON_GetObjectItem(c, names[i])->valuedouble - 1.234e-3) < 1e-9);
    cJSON_Delete(root);
    free(text);
    le_close(&engine);
}

static void test_html_of_some(void **state) {
    le_engine *engine = open_engine(in_folder("planted.sqlite3"), LE_MODE_FROZEN);
    char *fold[] = {"fold", NULL}, *other[] = {"blur", NULL}, *text;
    size_t n;
    (void)state;
    le_report_options o = {.struct_size = sizeof o, .operations = fold};
    assert_int_equal(le_report_html(engine, &o, &text, &n), LE_OK);
    assert_int_equal(n, 2);
    assert_non_null(strstr(text, "<!DOCTYPE html>"));
    assert_non_null(strstr(text, "</html>"));
    assert_non_null(strstr(text, "odd, &lt;b&gt;"));
    assert_null(strstr(text, "<b>\""));
    free(text);
    o.operations = other;
    assert_int_equal(le_report_html(engine, &o, &text, &n), LE_OK);
    assert_int_equal(n, 0);
    assert_null(strstr(text, "fold"));
    free(text);
    o.struct_size = 0;
    assert_int_equal(le_report_html(engine, &o, &text, NULL), LE_ERR_ARGUMENT);
    assert_null(text);
    assert_int_equal(le_report_html(engine, NULL, NULL, NULL), LE_ERR_ARGUMENT);
    le_close(&engine);
}

typedef struct heard {
    int rows, naming_it;
} heard;

static void hear(void *cookie, int line, const char *text) {
    heard *h = cookie;
    (void)line;
    h->rows++;
    h->naming_it += strstr(text, "fold") != NULL;
}

static size_t problems_in(const char *path) {
    le_db *db = le_db_open(&(le_db_options){.path = path, .frozen = true});
    le_db_knowledge *k;
    assert_int_equal(le_db_load(db, "fold", 0, &k), LE_DB_OK);
    size_t n = k->n_problems;
    le_db_knowledge_free(&k);
    le_db_close(&db);
    return n;
}

static void test_wisdom_travels(void **state) {
    le_engine *from = open_engine(in_folder("planted.sqlite3"), LE_MODE_FROZEN);
    le_engine *to = open_engine(in_folder("new.sqlite3"), LE_MODE_LEARN);
    le_wisdom_options o = {.struct_size = sizeof o, .keep_unknown = true};
    le_wisdom_counts first = {.struct_size = sizeof first}, again = first, merged = first;
    (void)state;
    assert_int_equal(le_wisdom_save(from, in_folder("all.json")), LE_OK);
    assert_int_equal(le_wisdom_load(to, in_folder("all.json"), &o, &first), LE_OK);
    assert_true(first.added > 0 && first.refused == 0);
    assert_int_equal(first.rows, first.added + first.known);
    assert_int_equal(le_wisdom_load(to, in_folder("all.json"), &o, &again), LE_OK);
    assert_int_equal(again.added, 0);
    assert_int_equal(again.known, first.rows);
    assert_int_equal(le_wisdom_merge(to, in_folder("planted.sqlite3"), &o, &merged), LE_OK);
    assert_int_equal(merged.added, 0);
    assert_int_equal(le_wisdom_load(to, in_folder("all.json"), &o, NULL), LE_OK);
    le_close(&to);
    le_close(&from);
    assert_int_equal(problems_in(in_folder("new.sqlite3")), 2);
}

/* What the engine does not have is told row by row. */
static void test_unknown_operations(void **state) {
    le_engine *from = open_engine(in_folder("planted.sqlite3"), LE_MODE_FROZEN);
    le_engine *to = open_engine(in_folder("strict.sqlite3"), LE_MODE_LEARN);
    heard h = {0};
    le_wisdom_options o = {.struct_size = sizeof o, .refused = hear, .cookie = &h};
    le_wisdom_counts n = {.struct_size = sizeof n};
    (void)state;
    assert_int_equal(le_wisdom_save(from, in_folder("all.json")), LE_OK);
    assert_int_equal(le_wisdom_load(to, in_folder("all.json"), &o, &n), LE_OK);
    assert_true(n.refused > 0);
    assert_int_equal(h.rows, n.refused);
    assert_true(h.naming_it > 0);
    le_close(&to);
    le_close(&from);
    assert_int_equal(problems_in(in_folder("strict.sqlite3")), 0);
}

static void assert_refused(le_engine *engine, const char *path, const char *why) {
    heard h = {0};
    le_wisdom_options o = {.struct_size = sizeof o, .refused = hear, .cookie = &h};
    le_wisdom_counts n = {.struct_size = sizeof n, .rows = 77};
    assert_int_equal(le_wisdom_load(engine, path, &o, &n), LE_ERR_IO);
    assert_int_equal(h.rows, 0); /* it is no row that is refused */
    assert_non_null(strstr(le_error_message(), path));
    assert_non_null(strstr(le_error_message(), why));
    assert_int_equal(n.rows, 77);
}

static void test_wisdom_is_refused(void **state) {
    le_engine *engine = open_engine(in_folder("some.sqlite3"), LE_MODE_LEARN);
    le_wisdom_counts none = {0};
    (void)state;
    FILE *f = fopen(in_folder("bad.json"), "w");
    fputs("{\"schema\": ", f);
    fclose(f);
    assert_refused(engine, in_folder("missing.json"), "nothing was added");
    assert_refused(engine, in_folder("bad.json"), "nothing was added: line 1: not valid JSON");
    assert_int_equal(le_wisdom_load(engine, NULL, NULL, NULL), LE_ERR_ARGUMENT);
    assert_int_equal(le_wisdom_load(engine, in_folder("bad.json"), NULL, &none), LE_ERR_ARGUMENT);
    assert_int_equal(le_wisdom_save(engine, NULL), LE_ERR_ARGUMENT);
    assert_int_equal(le_wisdom_save(engine, in_folder("no/such/folder.json")), LE_ERR_IO);
    assert_non_null(strstr(le_error_message(), "folder.json could not be written"));
    assert_int_equal(le_wisdom_save(engine, in_folder("empty.json")), LE_OK);
    le_close(&engine);
    engine = open_engine(in_folder("planted.sqlite3"), LE_MODE_FROZEN);
    assert_refused(engine, in_folder("empty.json"), "frozen");
    le_close(&engine);
    engine = open_engine(":memory:", LE_MODE_LEARN);
    assert_refused(engine, in_folder("empty.json"), "not on disk");
    le_close(&engine);
}

static void save_text(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    assert_true(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static void assert_text(const char *path, const char *text) {
    char found[64] = "";
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    assert_true(fgets(found, sizeof found, f) && fclose(f) == 0);
    assert_string_equal(found, text);
}

/* A file that is no database holds nothing that could be saved or reported, nor may a backup be
 * lost to that. */
static void test_what_cannot_be_read(void **state) {
    static const char precious[] = "a good backup";
    char *text;
    (void)state;
    save_text(in_folder("notes.txt"), "some notes, no database\n");
    save_text(in_folder("backup.json"), precious);
    le_engine *engine = open_engine(in_folder("notes.txt"), LE_MODE_FROZEN);
    assert_int_equal(le_wisdom_save(engine, in_folder("backup.json")), LE_ERR_IO);
    assert_non_null(strstr(le_error_message(), "cannot be read"));
    assert_text(in_folder("backup.json"), precious);
    assert_int_equal(le_report_json(engine, NULL, &text, NULL), LE_ERR_IO);
    assert_null(text);
    assert_int_equal(le_report_html(engine, NULL, &text, NULL), LE_ERR_IO);
    le_close(&engine);
    assert_text(in_folder("notes.txt"), "some notes, no database\n");
}

static void test_not_over_itself(void **state) {
    (void)state;
    assert_int_equal(symlink(in_folder("planted.sqlite3"), in_folder("link")), 0);
    le_engine *engine = open_engine(in_folder("planted.sqlite3"), LE_MODE_LEARN);
    assert_int_equal(le_wisdom_save(engine, in_folder("planted.sqlite3")), LE_ERR_ARGUMENT);
    assert_non_null(strstr(le_error_message(), "is the timings database itself"));
    assert_int_equal(le_wisdom_save(engine, in_folder("link")), LE_ERR_ARGUMENT);
    assert_int_equal(le_wisdom_save(engine, in_folder("elsewhere.json")), LE_OK);
    le_close(&engine);
    engine = open_engine(in_folder("planted.sqlite3"), LE_MODE_FROZEN);
    char *text;
    size_t n;
    assert_int_equal(le_report_json(engine, NULL, &text, &n), LE_OK);
    assert_int_equal(n, 2);
    free(text);
    le_close(&engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_quantiles),
        cmocka_unit_test(test_html_of_some),
        cmocka_unit_test(test_wisdom_travels),
        cmocka_unit_test(test_unknown_operations),
        cmocka_unit_test(test_wisdom_is_refused),
        cmocka_unit_test(test_what_cannot_be_read),
        cmocka_unit_test(test_not_over_itself),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
