/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Plans of chains as choices: stored, replayed by another engine in frozen mode, forced, explained.
 */
#include "benchdb.h"
#include "chain_ops.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include <cmocka.h>

enum { N = 1000 };
static const int64_t shape_n[] = {N};
static float numbers[N];
static char path[64];

static le_engine *open_engine(le_mode mode) {
    le_options o;
    le_engine *e;
    le_default_options(&o);
    o.db_path = path;
    o.mode = mode;
    assert_int_equal(le_open(&e, &o), LE_OK);
    assert_int_equal(chain_ops_register(e), LE_OK);
    return e;
}

/* y = 6x + x by three steps */
static le_chain *seven(le_engine *e) {
    le_chain *c;
    assert_int_equal(le_chain_new(&c, e, "seven"), LE_OK);
    le_value x = le_chain_input(c, "x", LE_F32, 1, shape_n);
    le_value twice = le_chain_temp(c), six = le_chain_temp(c), y = le_chain_temp(c);
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", x), LE_VALUE_OUT("result", twice));
    le_chain_add(c, "chain_scale", LE_VALUE_IN("x", twice), LE_VALUE_OUT("result", six),
                 LE_F64("factor", 3));
    le_chain_add(c, "chain_add", LE_VALUE_IN("a", six), LE_VALUE_IN("b", x),
                 LE_VALUE_OUT("result", y));
    le_chain_output(c, "y", y);
    assert_int_equal(le_chain_status(c), LE_OK);
    return c;
}

static le_status run(le_chain *c, const le_arg *option) {
    le_tensor x = le_tensor_of(numbers, LE_F32, 1, shape_n), y = {0};
    for (int i = 0; i < N; i++)
        numbers[i] = (float)(i % 37) - 11.5f;
    le_arg args[] = {LE_IN("x", &x), LE_OUT("y", &y), option ? *option : (le_arg){0}};
    le_status status = le_chain_run_args(c, args, option ? 3 : 2);
    for (int i = 0; status == LE_OK && i < N; i++)
        assert_true(fabs(le_tensor_get(&y, i) - 7 * (double)numbers[i]) < 1e-4);
    le_tensor_free(&y);
    return status;
}

/* "candidate, candidate, ..." of the run, or of the plan. */
static void ran(const le_chain *c, char *out, size_t size) {
    le_chain_report report;
    size_t n = 0;
    le_chain_last_run(c, &report);
    for (size_t i = 0; i < report.n_steps; i++)
        n += (size_t)snprintf(out + n, size - n, "%s, ", report.steps[i].candidate);
}

static void planned(le_chain *c, const char *why, char *out, size_t size) {
    le_chain_plan *plan;
    size_t n = 0;
    assert_int_equal(le_chain_explain(c, &plan, NULL, 0), LE_OK);
    assert_string_equal(plan->why, why);
    for (size_t i = 0; i < plan->n_steps; i++)
        n += (size_t)snprintf(out + n, size - n, "%s, ", plan->steps[i].candidate);
    le_chain_plan_free(&plan);
}

static int begin(void **state) {
    (void)state;
    snprintf(path, sizeof path, "/tmp/le_plans_%ld.db", (long)getpid());
    remove(path);
    return 0;
}

static int end(void **state) {
    char beside[80];
    (void)state;
    remove(path);
    snprintf(beside, sizeof beside, "%s-wal", path);
    remove(beside);
    snprintf(beside, sizeof beside, "%s-shm", path);
    remove(beside);
    return 0;
}

static void learn(void) {
    le_engine *e = open_engine(LE_MODE_LEARN);
    le_chain *c = seven(e);
    for (int i = 0; i < 30; i++)
        assert_int_equal(run(c, NULL), LE_OK);
    le_chain_free(&c);
    le_close(&e);
}

/* The evidence of the choice under a constraint; owned by the caller. */
static char *stored(const char *constraint) {
    le_db *db = le_db_open(&(le_db_options){.path = path});
    le_db_knowledge *k;
    char *found = NULL;
    assert_int_equal(le_db_load(db, LE_DB_CHAIN, 0, &k), LE_DB_OK);
    for (size_t i = 0; i < k->n_choices; i++) {
        const le_db_choice *c = &k->choices[i];
        assert_int_equal(strncmp(k->problems[c->problem_index].key, "seven: 3 steps, x=f32[1000]",
                                 strlen("seven: 3 steps, x=f32[1000]")),
                         0);
        assert_string_equal(k->candidates[c->candidate_index].implementation, "plan");
        if (!strcmp(c->constraint, constraint))
            found = strdup(c->evidence);
    }
    le_db_knowledge_free(&k);
    le_db_close(&db);
    return found;
}

/* Replaces a text in the stored evidence, or all of it. */
static void forge(const char *from, const char *to) {
    sqlite3 *db;
    sqlite3_stmt *s;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db,
                           "UPDATE choices SET evidence = CASE WHEN ?2 IS NULL THEN ?1 "
                           "ELSE replace(evidence, ?2, ?1) END "
                           "WHERE constraint_text = ''",
                           -1, &s, NULL),
        SQLITE_OK);
    sqlite3_bind_text(s, 1, to, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, from, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(s), SQLITE_DONE);
    assert_int_equal(sqlite3_changes(db), 1);
    sqlite3_finalize(s);
    sqlite3_close(db);
}

static void frozen_replays_what_was_stored(void **state) {
    (void)state;
    char before[600], after[600], plan[600] = "", report[600] = "";
    learn();
    /* which of the two is faster for a few microseconds is not known */
    static const char *const runs[] = {"\"run\":\"c@cpu", "\"run\":\"ref@cpu"};
    char *evidence = stored("");
    assert_non_null(evidence);
    const char *first = strstr(evidence, "\"run\":\"");
    assert_non_null(first);
    const int own = strncmp(first, runs[0], strlen(runs[0])) != 0;
    assert_int_equal(strncmp(first, runs[own], strlen(runs[own])), 0);
    free(evidence);
    for (int forged = 0; forged < 2; forged++) {
        struct stat was, is;
        const char *expected = strrchr(runs[forged ? !own : own], '"') + 1;
        if (forged) /* what this planner did not choose */
            forge(runs[own], runs[!own]);
        evidence = stored("");
        snprintf(before, sizeof before, "%s", evidence);
        free(evidence);
        assert_int_equal(stat(path, &was), 0);
        le_engine *e = open_engine(LE_MODE_FROZEN);
        le_chain *c = seven(e);
        for (int i = 0; i < 12; i++) {
            if (i % 3 == 0) {
                planned(c, "frozen", plan, sizeof plan);
                assert_int_equal(strncmp(plan, expected, strlen(expected)), 0);
            }
            assert_int_equal(run(c, NULL), LE_OK);
            ran(c, report, sizeof report);
            assert_string_equal(report, plan);
        }
        le_chain_free(&c);
        le_close(&e);
        assert_int_equal(stat(path, &is), 0);
        assert_true(is.st_size == was.st_size && is.st_mtim.tv_sec == was.st_mtim.tv_sec &&
                    is.st_mtim.tv_nsec == was.st_mtim.tv_nsec);
        evidence = stored("");
        snprintf(after, sizeof after, "%s", evidence);
        free(evidence);
        assert_string_equal(before, after);
    }
}

/* The plan of the same process, by the mode of the call. */
static void frozen_calls_replay_this_process(void **state) {
    (void)state;
    char learnt[600] = "", report[600] = "";
    le_engine *e = open_engine(LE_MODE_LEARN);
    le_chain *c = seven(e);
    for (int i = 0; i < 30; i++)
        assert_int_equal(run(c, NULL), LE_OK);
    le_chain_free(&c);
    c = seven(e);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(run(c, &LE_OPT_MODE(LE_MODE_FROZEN)), LE_OK);
        ran(c, report, sizeof report);
        if (i == 0)
            memcpy(learnt, report, sizeof learnt);
        assert_string_equal(report, learnt);
    }
    char last[3][256];
    le_chain_report run_report;
    le_chain_last_run(c, &run_report);
    for (int i = 0; i < 3; i++)
        snprintf(last[i], sizeof last[i], "%s", run_report.steps[i].candidate);
    le_chain_free(&c);
    le_close(&e);
    char *evidence = stored("");
    for (int i = 0; i < 3; i++)
        assert_non_null(strstr(evidence, last[i]));
    free(evidence);
}

/* A stored plan that is no plan, of another length, or on a device that is gone is not followed. */
static void bad_plans_are_made_anew(void **state) {
    (void)state;
    static const char *const bad[] = {
        "no json", "{}", "{\"steps\":[{\"run\":\"c@cpu\",\"device\":\"0\"}],\"drops\":[]}",
        "{\"steps\":[{\"device\":\"0\"},{\"device\":\"7\"},{\"device\":\"0\"}],\"drops\":[]}",
        ("{\"steps\":[{\"device\":\"0\"},{\"device\":\"0\"},{\"device\":\"0\"}],\"drops\":["
         "{\"step\":9,\"value\":0,\"device\":\"0\"}]}")};
    learn();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char plan[600];
        forge(NULL, bad[i]);
        le_engine *e = open_engine(LE_MODE_FROZEN);
        le_chain *c = seven(e);
        le_chain_plan *p;
        assert_int_equal(le_chain_explain(c, &p, NULL, 0), LE_OK);
        snprintf(plan, sizeof plan, "%s", p->why);
        le_chain_plan_free(&p);
        assert_int_equal(strcmp(plan, "frozen") != 0, true);
        assert_int_equal(run(c, NULL), LE_OK);
        le_chain_free(&c);
        le_close(&e);
    }
}

static void assert_devices(le_chain *c, le_arg option, const char *device, const char *run_type) {
    le_chain_plan *plan;
    le_chain_report report;
    assert_int_equal(le_chain_explain(c, &plan, &option, 1), LE_OK);
    assert_string_equal(plan->why, "forced");
    for (size_t i = 0; i < plan->n_steps; i++)
        assert_string_equal(plan->steps[i].device, device);
    le_chain_plan_free(&plan);
    for (int k = 0; k < 6; k++) {
        assert_int_equal(run(c, &option), LE_OK);
        le_chain_last_run(c, &report);
        for (size_t i = 0; i < report.n_steps; i++) {
            assert_non_null(strstr(report.steps[i].candidate, device));
            assert_int_equal(strncmp(report.steps[i].candidate, run_type, strlen(run_type)), 0);
        }
    }
}

/* Each under a choice of its own, and none of them touches the others. */
static void forced_plans_are_choices_too(void **state) {
    (void)state;
    le_engine *e = open_engine(LE_MODE_LEARN);
    le_chain *c = seven(e);
    bool opencl = run(c, &LE_OPT_DEVICE("opencl:0")) == LE_OK;
    assert_devices(c, LE_OPT_DEVICE("cpu"), "cpu", "");
    assert_devices(c, LE_OPT_RUN_TYPE("c"), "cpu", "c@");
    assert_devices(c, LE_OPT_RUN_TYPE("reference"), "cpu", "ref@");
    if (opencl) {
        assert_devices(c, LE_OPT_DEVICE("opencl:0"), "opencl:0", "cl@");
        assert_devices(c, LE_OPT_RUN_TYPE("opencl"), "opencl:0", "cl@");
    }
    assert_int_not_equal(run(c, &LE_OPT_DEVICE("opencl:77")), LE_OK);
    le_chain_free(&c);
    le_close(&e);
    char *evidence = stored("run_type=reference");
    assert_non_null(strstr(evidence, "ref@cpu"));
    free(evidence);
    if (!opencl)
        return;
    /* another process finds the device of a stored plan though nobody names it */
    learn();
    evidence = stored("device=opencl:0");
    assert_non_null(evidence);
    forge(NULL, evidence);
    free(evidence);
    char plan[600];
    for (int frozen = 0; frozen < 2; frozen++) {
        e = open_engine(frozen ? LE_MODE_FROZEN : LE_MODE_LEARN);
        c = seven(e);
        planned(c, frozen ? "frozen" : "planned", plan, sizeof plan);
        if (frozen)
            assert_int_equal(strncmp(plan, "cl@opencl:0", 11), 0);
        le_chain_free(&c);
        le_close(&e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(frozen_replays_what_was_stored, begin, end),
        cmocka_unit_test_setup_teardown(frozen_calls_replay_this_process, begin, end),
        cmocka_unit_test_setup_teardown(bad_plans_are_made_anew, begin, end),
        cmocka_unit_test_setup_teardown(forced_plans_are_choices_too, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
