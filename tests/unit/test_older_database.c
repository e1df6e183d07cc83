/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A database as versions wrote it that had samples with transfers: a step of a chain was a problem
 * of its own, "KEY (step)", whose times had none, and builds had no part "times". Steps and single
 * calls are one set of samples now; times of single calls on devices cannot be used, all others
 * are.
 */
#include "toy.h"

#include "call/candidate.h"
#include "choose/dispatch.h"

#include <math.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = 500, SINGLE = 4, STEPS = 5 };
static const double cpu_s = 2e-3, device_s = 1e-3, device_with_transfers_s = 0.2;

static char db[96];

/* --- an engine with a device that nobody runs on --- */

static le_status never(le_call *call) {
    (void)call;
    return le_fail(LE_ERR_UNSUPPORTED, "this device is not there");
}

static le_engine *open_engine(void) {
    static const le_cl_info info = {.name = "Imagined", .compute_units = 7, .has_f64 = true};
    static const le_implementation on_device = {.abi = LE_METHOD_ABI,
                                                .operation = "toy",
                                                .name = "device",
                                                .run_type = "opencl",
                                                .device = LE_DEVICE_OPENCL,
                                                .run = never};
    le_options o;
    le_engine *e = NULL;
    le_default_options(&o);
    o.db_path = db;
    o.threads = 1;
    o.mode = LE_MODE_ESTIMATE;
    assert_int_equal(le_open(&e, &o), LE_OK);
    le__device *d = &e->devices[1];
    d->index = 1;
    d->kind = LE_DEVICE_OPENCL;
    d->info = &info;
    snprintf(d->id, sizeof d->id, "opencl:0");
    snprintf(d->name, sizeof d->name, "Imagined");
    e->n_devices = 2;
    e->discovered = true;
    assert_int_equal(le_register_operation(e, &toy_operation), LE_OK);
    assert_int_equal(le_register_implementation(e, &toy_reference), LE_OK);
    assert_int_equal(le_register_implementation(e, &toy_c), LE_OK);
    assert_int_equal(le_register_implementation(e, &on_device), LE_OK);
    return e;
}

static le_explanation *explain(le_engine *e) {
    static float in[N];
    le_tensor input = le_tensor_of(in, LE_F32, 1, (int64_t[]){N}), result = {0};
    le_explanation *x = NULL;
    if (le_engine_explain(e, &x, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                          LE_OUT("result", &result)) != LE_OK)
        fail_msg("%s", le_error_message());
    return x;
}

static const le_explained_candidate *find(const le_explanation *x, const char *implementation) {
    for (size_t i = 0; i < x->n_candidates; i++)
        if (!strcmp(x->candidates[i].implementation, implementation))
            return &x->candidates[i];
    fail_msg("%s is no candidate", implementation);
    return NULL;
}

/* --- writing it --- */

static void add(le__store *s, int64_t problem, int64_t candidate, double seconds, int n) {
    le__run_stats stats = {.seconds = seconds};
    le__observation o = {.stats = &stats, .conditions = {.known = true}};
    for (int i = 0; i < n; i++)
        le__store_sample(s, problem, candidate, &o);
}

static void run_sql(const char *text) {
    sqlite3 *s;
    assert_int_equal(sqlite3_open(db, &s), SQLITE_OK);
    if (sqlite3_exec(s, text, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", text, sqlite3_errmsg(s));
    sqlite3_close(s);
}

static int count(const char *what) {
    sqlite3 *s;
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_open(db, &s), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(s, what, -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    int n = sqlite3_column_int(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(s);
    return n;
}

static const char of_steps[] = "SELECT sum(clean_n + contended_n + cold_n) FROM samples JOIN "
                               "problems p ON p.id = problem WHERE p.key LIKE '% (step)'";
static const char of_all[] = "SELECT sum(clean_n + contended_n + cold_n) FROM samples";

static void write_database(void) {
    static int number;
    char text[2][LE__PROBLEM_TEXT + 16];
    snprintf(db, sizeof db, "/tmp/le_older_db_%d_%d.sqlite3", (int)getpid(), number++);
    unlink(db);
    le_engine *e = open_engine();
    le_explanation *x = explain(e);
    snprintf(text[0], sizeof text[0], "%s", x->problem);
    snprintf(text[1], sizeof text[1], "%s (step)", x->problem);
    le_explanation_free(&x);
    le__candidate *list;
    size_t n;
    assert_int_equal(le__candidates_make(e, le__registry_find(&e->registry, "toy"), &list, &n),
                     LE_OK);
    le__store *s = e->dispatch->store;
    for (int step = 0; step < 2; step++) {
        int64_t problem = le__store_problem(s, "toy", text[step], &(le_work){2 * N + 1, 8 * N});
        for (size_t i = 0; i < n; i++) {
            const char *name = list[i].implementation->name;
            int64_t id = le__store_candidate(s, &list[i], false);
            if (!strcmp(name, "c"))
                add(s, problem, id, cpu_s, step ? STEPS : SINGLE);
            else if (!strcmp(name, "device"))
                add(s, problem, id, step ? device_s : device_with_transfers_s,
                    step ? STEPS : SINGLE);
        }
    }
    free(list);
    le_close(&e);
    run_sql("DELETE FROM parts WHERE name = 'times';"
            "UPDATE parts SET identity = identity + 1 WHERE identity IN "
            "(SELECT id FROM identities WHERE kind = 2);"
            "UPDATE samples SET build = build + 1;"
            "UPDATE identities SET id = id + 1 WHERE kind = 2;");
    assert_int_equal(count(of_all), 2 * (SINGLE + STEPS));
}

/* --- reading it --- */

static void steps_and_calls_are_joined(void **state) {
    (void)state;
    write_database();
    le_engine *e = open_engine();
    le_explanation *x = explain(e);
    const le_explained_candidate *c = find(x, "c"), *device = find(x, "device");
    assert_int_equal(c->samples, SINGLE + STEPS);
    assert_true(fabs(c->measured_s / cpu_s - 1) < 1e-6);
    assert_int_equal(device->samples, STEPS); /* those with transfers say nothing */
    assert_true(device->measured_s >= device_s && device->measured_s < 2 * device_s);
    le_explanation_free(&x);
    le_close(&e);
    unlink(db);
}

static void nothing_is_lost(void **state) {
    (void)state;
    write_database();
    le_engine *e = open_engine();
    float in[N] = {1};
    le_tensor input = le_tensor_of(in, LE_F32, 1, (int64_t[]){N}), result = {0};
    assert_int_equal(le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                                   LE_OUT("result", &result), LE_OPT_DEVICE("cpu"),
                                   LE_OPT_MODE(LE_MODE_LEARN)),
                     LE_OK);
    le_tensor_free(&result);
    le_close(&e);
    assert_int_equal(count(of_steps), 2 * STEPS);
    assert_true(count(of_all) > 2 * (SINGLE + STEPS)); /* and the new one, of the plain problem */
    e = open_engine();
    le_explanation *x = explain(e);
    assert_true(find(x, "c")->samples >= 1);
    le_explanation_free(&x);
    le_close(&e);
    unlink(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_and_calls_are_joined),
        cmocka_unit_test(nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
