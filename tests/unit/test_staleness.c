/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What is stored and what becomes of it: a changed part of machine or build makes it a prior that
 * three runs confirm or replace, an added implementation is measured alone, frozen mode neither
 * measures nor writes.
 */
#include "toy.h"

#include "benchdb.h"
#include "calm.h"
#include "call/call.h"
#include "engine.h"
#include "liquid_engine/le_bench.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { A, B, ADDED, IMPLEMENTATIONS, N = 500 };

static const char *const names[] = {"a", "b", "added"};
static double seconds[IMPLEMENTATIONS];
static le_mode asked;             /* by calls; default: the engine's */
static int runs[IMPLEMENTATIONS]; /* in this process: trials happen in others */
static char db[96];

static int which(const le_call *call) {
    for (int i = 0; i < IMPLEMENTATIONS; i++)
        if (!strcmp(call->implementation->name, names[i]))
            return i;
    return A;
}

static bool is_locked; /* the database, for whoever reads it */

le_db_status __real_le_db_load(le_db *d, const char *operation, unsigned flags,
                               le_db_knowledge **out);
le_db_status __wrap_le_db_load(le_db *d, const char *operation, unsigned flags,
                               le_db_knowledge **out);

le_db_status __wrap_le_db_load(le_db *d, const char *operation, unsigned flags,
                               le_db_knowledge **out) {
    le_db_status status = __real_le_db_load(d, operation, flags, out);
    if (!is_locked)
        return status;
    (*out)->n_verdicts = (*out)->n_samples = (*out)->n_choices = 0;
    return LE_DB_BUSY;
}

static bool looks; /* whether it should end */

/* Else every run is one of full length. */
static le_status run(le_call *call) {
    enum { PARTS_OF_RUN = 100 };
    int i = which(call);
    toy_range(call, 0, toy_items(call), 0);
    for (int k = 0; k < PARTS_OF_RUN && !(looks && le_call_cancelled(call)); k++)
        calm_pass(seconds[i] / PARTS_OF_RUN);
    runs[i]++;
    return LE_OK;
}

static double reference_seconds;

static le_status run_reference(le_call *call) {
    toy_range(call, 0, toy_items(call), 0);
    calm_pass(reference_seconds);
    return LE_OK;
}

static le_engine *open_engine(le_mode mode, int n, const char *source) {
    static le_implementation own[IMPLEMENTATIONS], reference;
    le_options o;
    le_engine *e = NULL;
    le_default_options(&o);
    o.db_path = db;
    o.mode = mode;
    o.devices = "cpu";
    o.threads = 2;
    assert_int_equal(le_open(&e, &o), LE_OK);
    assert_int_equal(le_register_operation(e, &toy_operation), LE_OK);
    reference = toy_reference;
    reference.items = NULL;
    reference.range = NULL;
    reference.run = run_reference;
    assert_int_equal(le_register_implementation(e, &reference), LE_OK);
    for (int i = 0; i < n; i++) {
        own[i] = toy_c;
        own[i].name = names[i];
        own[i].flags = LE_IMPL_SERIAL;
        own[i].items = NULL;
        own[i].range = NULL;
        own[i].run = run;
        own[i].source = source;
        assert_int_equal(le_register_implementation(e, &own[i]), LE_OK);
    }
    memset(runs, 0, sizeof runs);
    return e;
}

/* Runs one call; returns who answered. */
static const char *call(le_engine *e, int64_t n) {
    static le_run_info info;
    float *in = calloc((size_t)n, sizeof *in);
    for (int64_t i = 0; i < n; i++)
        in[i] = (float)(i % 13);
    le_tensor input = le_tensor_of(in, LE_F32, 1, &n), result = {0};
    info.struct_size = sizeof info;
    if (le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                      LE_OUT("result", &result), LE_OPT_MODE(asked)) != LE_OK)
        fail_msg("%s", le_error_message());
    for (int64_t i = 0; i < n; i++)
        assert_true(((float *)result.data)[i] == 2 * in[i]);
    assert_int_equal(le_last_run(&info), LE_OK);
    *strchr(info.candidate, '@') = '\0';
    le_tensor_free(&result);
    free(in);
    return info.candidate;
}

static double predicted(le_engine *e, const char *name) {
    float in[N] = {0};
    le_tensor input = le_tensor_of(in, LE_F32, 1, (int64_t[]){N}), result = {0};
    le_explanation *x;
    double found = -1;
    assert_int_equal(le_engine_explain(e, &x, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                                       LE_OUT("result", &result)),
                     LE_OK);
    for (size_t i = 0; i < x->n_candidates; i++)
        if (!strcmp(x->candidates[i].implementation, name))
            found = x->candidates[i].predicted_s;
    le_explanation_free(&x);
    return found;
}

static void remove_database(void) {
    static const char *const suffixes[] = {"", "-wal", "-shm"};
    char path[128];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", db, suffixes[i]);
        unlink(path);
    }
}

static void begin_database(void) {
    static int number; /* engines that a failed test left open write to files of their own */
    seconds[A] = 3;
    seconds[B] = 12;
    seconds[ADDED] = 0.5;
    snprintf(db, sizeof db, "/tmp/le_staleness_%d_%d.sqlite3", (int)getpid(), number++);
    remove_database();
}

/* A database in which a took 3 s and b 12 s. */
static void fill_database(void) {
    begin_database();
    le_engine *e = open_engine(LE_MODE_MEASURE, ADDED, "source");
    for (int i = 0; i < 3; i++)
        assert_string_equal(call(e, N), "a");
    le_close(&e);
}

static void sql(const char *text) {
    sqlite3 *s;
    assert_int_equal(sqlite3_open(db, &s), SQLITE_OK);
    if (sqlite3_exec(s, text, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", text, sqlite3_errmsg(s));
    assert_true(sqlite3_total_changes(s) > 0);
    sqlite3_close(s);
}

/* What a query answers; -1 without a row. */
static int number_of(const char *query) {
    int n = -1;
    sqlite3 *s;
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_open(db, &s), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(s, query, -1, &st, NULL), SQLITE_OK);
    if (sqlite3_step(st) == SQLITE_ROW)
        n = sqlite3_column_int(st, 0);
    sqlite3_finalize(st);
    sqlite3_close(s);
    return n;
}

/* Samples that the database has of an implementation, of whatever kind. */
static int stored(const char *name) {
    char text[256];
    snprintf(text, sizeof text,
             "SELECT sum(clean_n + contended_n + cold_n) FROM samples JOIN candidates ON "
             "candidates.id = candidate WHERE implementation = '%s'",
             name);
    return number_of(text);
}

/* kind: as the database has it; 0: the source. */
static const struct {
    const char *name;
    int kind;
} parts[] = {{"cpu_model", 1}, {"isa", 1},     {"cores", 1},
             {"compiler", 2},  {"version", 2}, {"source", 0}};
enum { PARTS = sizeof parts / sizeof *parts };

/* As if all had been stored by a machine or build that differs in this part. */
static void change_identity(const char *part, int kind) {
    static const char *const tables[] = {"samples", "verdicts", "choices", "accounts"};
    const char *column = kind == 1 ? "machine" : "build";
    char text[1024];
    int n = snprintf(text, sizeof text,
                     "UPDATE parts SET value = 'another' WHERE name = '%s';"
                     "UPDATE parts SET identity = identity + 1 WHERE identity IN "
                     "(SELECT id FROM identities WHERE kind = %d);"
                     "UPDATE identities SET id = id + 1 WHERE kind = %d;",
                     part, kind, kind);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "UPDATE %s SET %s = %s + 1;", tables[i],
                      column, column);
    sql(text);
}

static le_engine *open_changed(int part) {
    if (parts[part].kind)
        change_identity(parts[part].name, parts[part].kind);
    return open_engine(LE_MODE_MEASURE, ADDED, parts[part].kind ? "source" : "another source");
}

static void unchanged_is_believed(void **state) {
    (void)state;
    fill_database();
    le_engine *e = open_engine(LE_MODE_MEASURE, ADDED, "source");
    for (int i = 0; i < 5; i++)
        assert_string_equal(call(e, N), "a");
    assert_int_equal(runs[A], 5);
    assert_int_equal(runs[B], 0);
    le_close(&e);
    remove_database();
}

static void three_runs_confirm(void **state) {
    (void)state;
    for (int i = 0; i < PARTS; i++) {
        fill_database();
        int a = stored("a"), b = stored("b");
        le_engine *e = open_changed(i);
        double before = predicted(e, "b");
        if (before < 12. / 3 || before > 12. * 3)
            fail_msg("%s changed: b is thought to take %g s, it took 12 s", parts[i].name, before);
        assert_string_equal(call(e, N), "a");
        le_close(&e);
        a = stored("a") - a;
        b = stored("b") - b;
        if (a < 2 || a > 3 + 1 || b > 3) /* and the answer */
            fail_msg("%s changed: %d and %d samples", parts[i].name, a, b);
        e = open_engine(LE_MODE_MEASURE, ADDED, parts[i].kind ? "source" : "another source");
        assert_string_equal(call(e, N), "a");
        assert_int_equal(runs[A] + runs[B], 1); /* confirmed for good */
        le_close(&e);
        remove_database();
    }
}

static void three_runs_replace(void **state) {
    (void)state;
    for (int i = 0; i < PARTS; i++) {
        fill_database();
        int a = stored("a"), b = stored("b");
        seconds[A] = 12; /* what was stored is wrong now */
        seconds[B] = 2;
        le_engine *e = open_changed(i);
        assert_string_equal(call(e, N), "b");
        le_close(&e);
        a = stored("a") - a;
        b = stored("b") - b;
        if (a > 3 || b > 3 + 1)
            fail_msg("%s changed: %d and %d samples", parts[i].name, a, b);
        remove_database();
    }
}

static void an_added_one_is_measured_alone(void **state) {
    (void)state;
    fill_database();
    int a = stored("a"), b = stored("b");
    le_engine *e = open_engine(LE_MODE_MEASURE, IMPLEMENTATIONS, "source");
    assert_string_equal(call(e, N), "added");
    le_close(&e);
    assert_int_equal(stored("a"), a);
    assert_int_equal(stored("b"), b);
    /* three that decide, a cold one that is kept apart, and the answer */
    assert_true(stored("added") >= 2 && stored("added") <= 3 + 2);
    e = open_engine(LE_MODE_MEASURE, IMPLEMENTATIONS, "source");
    assert_string_equal(call(e, N), "added");
    assert_int_equal(runs[ADDED], 1);
    le_close(&e);
    remove_database();
}

/* --- frozen --- */

static char *bytes_of(const char *path, long *size) {
    FILE *f = fopen(path, "rb");
    *size = -1;
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *size = ftell(f);
    rewind(f);
    char *bytes = malloc((size_t)*size + 1);
    assert_int_equal(fread(bytes, 1, (size_t)*size, f), *size);
    fclose(f);
    return bytes;
}

static void frozen_measures_and_writes_nothing(void **state) {
    (void)state;
    static const char *const suffixes[] = {"", "-wal"};
    char *before[2], path[128], stored[5][64];
    long size_before[2];
    fill_database();
    le_engine *e = open_engine(LE_MODE_MEASURE, ADDED, "source");
    for (int k = 0; k < 5; k++)
        snprintf(stored[k], sizeof stored[k], "%s", call(e, N << k));
    le_close(&e);
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s%s", db, suffixes[k]);
        before[k] = bytes_of(path, &size_before[k]);
    }
    seconds[A] = 2; /* even where it is wrong by now */
    e = open_engine(LE_MODE_FROZEN, IMPLEMENTATIONS, "source");
    for (int round = 0; round < 3; round++)
        for (int k = 0; k < 5; k++)
            assert_string_equal(call(e, N << k), stored[k]);
    assert_int_equal(runs[A] + runs[B] + runs[ADDED], 15); /* the answers */
    assert_int_equal(runs[ADDED], 0);
    le_close(&e);
    for (int k = 0; k < 2; k++) {
        long size;
        snprintf(path, sizeof path, "%s%s", db, suffixes[k]);
        char *after = bytes_of(path, &size);
        assert_int_equal(size, size_before[k]);
        if (size > 0)
            assert_memory_equal(after, before[k], (size_t)size);
        free(after);
        free(before[k]);
    }
    remove_database();
}

/* Whether the evidence of the only stored choice says so. */
static bool choice_says(const char *words) {
    sqlite3 *file;
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_open(db, &file), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(file, "SELECT evidence FROM choices", -1, &row, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    bool says = strstr((const char *)sqlite3_column_text(row, 0), words) != NULL;
    assert_int_equal(sqlite3_step(row), SQLITE_DONE);
    sqlite3_finalize(row);
    sqlite3_close(file);
    return says;
}

static bool is_marked(void) {
    return choice_says("\"under_load\":true");
}

/* Under load a choice is kept, with its mark; it is used, and a quiet machine measures again. */
static void a_choice_under_load_is_marked(void **state) {
    (void)state;
    calm_load = 0.9f;
    fill_database();
    assert_true(is_marked());
    le_engine *e = open_engine(LE_MODE_FROZEN, ADDED, "source");
    assert_string_equal(call(e, N), "a");
    assert_int_equal(runs[B], 0);
    le_close(&e);
    calm_load = 0;
    e = open_engine(LE_MODE_MEASURE, ADDED, "source");
    assert_string_equal(call(e, N), "a");
    assert_true(runs[A] + runs[B] > 1); /* the race, and the answer */
    le_close(&e);
    assert_false(is_marked());
    e = open_engine(LE_MODE_MEASURE, ADDED, "source");
    assert_string_equal(call(e, N), "a");
    assert_int_equal(runs[A], 1);
    assert_int_equal(runs[B], 0);
    le_close(&e);
    calm_load = 0.9f; /* what was measured on a quiet machine stays */
    e = open_engine(LE_MODE_MEASURE, ADDED, "source");
    assert_string_equal(call(e, N), "a");
    le_close(&e);
    assert_false(is_marked());
    calm_load = 0;
}

/* Its race is over only when it was measured while the machine was quiet. */
static void a_newcomer_that_lost_under_load_is_raced_again(void **state) {
    (void)state;
    fill_database();
    calm_load = 0.9f;
    seconds[ADDED] = 3.6;
    le_engine *e = open_engine(LE_MODE_MEASURE, IMPLEMENTATIONS, "source");
    assert_string_equal(call(e, N), "a");
    assert_true(runs[ADDED] > 0);
    le_close(&e);
    calm_load = 0;
    seconds[ADDED] = 0.5;
    e = open_engine(LE_MODE_MEASURE, IMPLEMENTATIONS, "source");
    assert_string_equal(call(e, N), "added");
    le_close(&e);
    seconds[ADDED] = 3.6; /* nor is it raced any more */
    e = open_engine(LE_MODE_MEASURE, IMPLEMENTATIONS, "source");
    assert_string_equal(call(e, N), "added");
    assert_int_equal(runs[A] + runs[B] + runs[ADDED], 1);
    le_close(&e);
    remove_database();
}

/* Calls in learn that follow a race in the same process do not make its choice one of theirs: it
 * would be raced again in each later process. */
static void a_races_choice_stays_one(void **state) {
    (void)state;
    for (int before = 0; before < 4; before += 3) {
        begin_database();
        le_engine *e = open_engine(LE_MODE_LEARN, ADDED, "source");
        for (int i = 0; i < before; i++)
            call(e, N);
        asked = LE_MODE_MEASURE;
        assert_string_equal(call(e, N), "a");
        asked = LE_MODE_DEFAULT;
        for (int i = 0; i < 20; i++)
            assert_string_equal(call(e, N), "a");
        le_close(&e);
        assert_true(choice_says("\"by\":\"race\""));
        e = open_engine(LE_MODE_MEASURE, ADDED, "source");
        assert_string_equal(call(e, N), "a");
        assert_int_equal(runs[A], 1);
        assert_int_equal(runs[B], 0);
        le_close(&e);
        remove_database();
    }
}

/* As if two other machines had come to that verdict of all, whose rows lie around those of this
 * one.
 */
static void add_verdicts_of_others(int state, const char *reason) {
    char text[1024];
    snprintf(
        text, sizeof text,
        "INSERT INTO parts SELECT p.identity + d, p.name, CASE p.name WHEN 'host' THEN 'other' "
        "ELSE p.value END FROM parts p JOIN identities i ON i.id = p.identity, (SELECT 1 AS d "
        "UNION SELECT -1) WHERE i.kind = 1;"
        "INSERT INTO identities SELECT id + d, kind FROM identities, (SELECT 1 AS d UNION "
        "SELECT -1) WHERE kind = 1;"
        "INSERT INTO verdicts SELECT machine + d, build, candidate, size_class, %d, errors, "
        "'%s', date_ms, attempts FROM verdicts, (SELECT 1 AS d UNION SELECT -1)",
        state, reason);
    sql(text);
}

/* What was found here counts before what was found elsewhere, in whichever order it is read; where
 * nothing was, the worse verdict stands. */
static void verdicts_of_this_machine_go_first(void **state) {
    enum { PROVEN = 1, FAILED };
    (void)state;
    fill_database();
    add_verdicts_of_others(FAILED, "wrong elsewhere");
    le_engine *e = open_engine(LE_MODE_MEASURE, ADDED, "source");
    assert_string_equal(call(e, N), "a");
    le_close(&e);
    remove_database();
    fill_database();
    sql("UPDATE verdicts SET state = 2, reason = 'wrong here' WHERE candidate IN (SELECT id FROM "
        "candidates WHERE implementation = 'a')");
    add_verdicts_of_others(PROVEN, "");
    e = open_engine(LE_MODE_MEASURE, ADDED, "source");
    assert_string_equal(call(e, N), "b");
    le_close(&e);
    remove_database();
}

static int sum_of(const char *column) {
    char text[64];
    snprintf(text, sizeof text, "SELECT sum(%s) FROM samples", column);
    return number_of(text);
}

/* Later processes do not take a run that was stopped under load for the end of its candidate. */
static void a_stop_under_load_is_kept_as_cold(void **state) {
    (void)state;
    begin_database();
    looks = true;
    seconds[B] = 4.5;
    le_engine *e = open_engine(LE_MODE_LEARN, ADDED, "source");
    for (int i = 0; i < 50 && runs[B] == 0; i++)
        call(e, N);
    assert_int_equal(runs[B], 1);
    seconds[B] = 1000;
    calm_load = 0.9f;
    for (int i = 0; i < 200 && runs[B] == 1; i++)
        assert_string_equal(call(e, N), "a");
    assert_int_equal(runs[B], 2);
    calm_load = 0;
    le_close(&e);
    assert_int_equal(sum_of("stopped_n"), 0);
    assert_int_equal(sum_of("stopped_cold_n"), 1);
    looks = false;
    remove_database();
}

/* Another process has locked the file when the first calls of this one come: they are answered, and
 * what is stored counts as soon as it can be read. */
static void what_was_locked_is_read_later(void **state) {
    (void)state;
    sqlite3 *other;
    reference_seconds = 40;
    fill_database();
    assert_true(choice_says("\"by\":\"race\""));
    assert_int_equal(sqlite3_open(db, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE", 0, 0, 0),
                     SQLITE_OK);
    le_engine *e = open_engine(LE_MODE_LEARN, ADDED, "source");
    for (int i = 0; i < 4; i++)
        call(e, N);
    assert_int_equal(sqlite3_exec(other, "COMMIT", 0, 0, 0), SQLITE_OK);
    sqlite3_close(other);
    int b = runs[B];
    for (int i = 0; i < 5; i++)
        assert_string_equal(call(e, N), "a");
    assert_int_equal(runs[B], b);
    le_close(&e);
    assert_true(choice_says("\"by\":\"race\""));
    remove_database();
}

/* The same of verdicts that another process hands over: who is ruled out by them answers until they
 * can be read. */
static void what_was_locked_is_heard_later(void **state) {
    char *text;
    size_t size;
    (void)state;
    fill_database();
    le_engine *e = open_engine(LE_MODE_MEASURE, ADDED, "source");
    assert_string_equal(call(e, N), "a");
    sql("UPDATE verdicts SET state = 2, reason = 'wrong elsewhere' WHERE candidate IN (SELECT id "
        "FROM candidates WHERE implementation = 'a')");
    assert_int_equal(le_bench_hand_out(e, LE_BENCH_ALL, &text, &size), LE_OK);
    is_locked = true;
    assert_int_equal(le_bench_hand_in(e, LE_BENCH_VERDICTS, text, size), LE_OK);
    assert_string_equal(call(e, N), "a");
    is_locked = false;
    for (int i = 0; i < 3; i++)
        call(e, N);
    assert_string_equal(call(e, N), "b");
    free(text);
    le_close(&e);
    remove_database();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unchanged_is_believed),
        cmocka_unit_test(three_runs_confirm),
        cmocka_unit_test(three_runs_replace),
        cmocka_unit_test(an_added_one_is_measured_alone),
        cmocka_unit_test(frozen_measures_and_writes_nothing),
        cmocka_unit_test(a_choice_under_load_is_marked),
        cmocka_unit_test(a_newcomer_that_lost_under_load_is_raced_again),
        cmocka_unit_test(what_was_locked_is_read_later),
        cmocka_unit_test(what_was_locked_is_heard_later),
        cmocka_unit_test(a_races_choice_stays_one),
        cmocka_unit_test(a_stop_under_load_is_kept_as_cold),
        cmocka_unit_test(verdicts_of_this_machine_go_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
