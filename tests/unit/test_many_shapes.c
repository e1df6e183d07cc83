/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A process that calls an operation with very many shapes: memory stays bounded, and what was known
 * of a shape that has been dropped meanwhile comes back from the database.
 */
#include "choose/arm.h"
#include "core/sanitizer.h"
#include "liquid_engine/le_bench.h"
#include "liquid_engine/le_method.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

enum {
    SIDE = 47,                               /* 47^3 = 103,823 shapes */
    SHAPES = LE__SANITIZED ? 10000 : 100000, /* of which an engine keeps 4096 */
    WARM_UP = 1000,
    THREADS = 8,
    EACH = LE__SANITIZED ? 1200 : 2000, /* shapes a thread */
    GROWTH_KIB = 40 * 1024
};

/* --- an operation that is cheap at every size: the sum of its input's extents --- */

enum { INPUT, RESULT };

static const le_arg_desc args[] = {
    [INPUT] = {.name = "input",
               .doc = "only its shape counts",
               .type = LE_TYPE_IN,
               .dtypes = LE_DTYPES_FLOAT,
               .min_ndim = 3,
               .max_ndim = 3,
               .shape = "[a,b,c]"},
    [RESULT] = {.name = "result",
                .doc = "a + b + c",
                .type = LE_TYPE_OUT,
                .dtypes = LE_DTYPES_FLOAT,
                .min_ndim = 1,
                .max_ndim = 1,
                .shape = "[1]"},
};

static le_status check(le_call *call) {
    return le_call_set_out(call, RESULT, LE_F64, 1, (int64_t[]){1});
}

static void work(const le_call *call, le_work *out) {
    (void)call;
    *out = (le_work){.operations = 1000, .bytes = 4000}; /* it looks at the shape only */
}

static le_status make_case(le_case *c, const le_case_request *r) {
    (void)r;
    le_case_in(c, "input", LE_F32, 3, (int64_t[]){2, 3, 4});
    le_case_out(c, "result", LE_F64);
    return le_case_status(c);
}

static size_t one_item(const le_call *call) {
    (void)call;
    return 1;
}

static void add_extents(void *context, size_t begin, size_t end, int worker) {
    const le_call *call = context;
    const int64_t *shape = le_call_in(call, INPUT)->shape;
    (void)begin;
    (void)end;
    (void)worker;
    *(double *)le_call_out(call, RESULT)->data = (double)(shape[0] + shape[1] + shape[2]);
}

static void add_slowly(void *context, size_t begin, size_t end, int worker) {
    add_extents(context, begin, end, worker);
    nanosleep(&(struct timespec){0, 2000000}, NULL);
}

static const le_operation operation = {.abi = LE_METHOD_ABI,
                                       .name = "extents",
                                       .family = "test",
                                       .summary = "sum of extents",
                                       .reference = "this line",
                                       .args = args,
                                       .n_args = sizeof args / sizeof *args,
                                       .check = check,
                                       .work = work,
                                       .norm = LE_NORM_MAX,
                                       .atol = 0,
                                       .make_case = make_case};
static const le_implementation reference = {.abi = LE_METHOD_ABI,
                                            .operation = "extents",
                                            .name = "reference",
                                            .run_type = "reference",
                                            .flags = LE_IMPL_REFERENCE,
                                            .items = one_item,
                                            .range = add_slowly};
static const le_implementation quick = {.abi = LE_METHOD_ABI,
                                        .operation = "extents",
                                        .name = "c",
                                        .run_type = "c",
                                        .flags = LE_IMPL_SERIAL,
                                        .speed = 1,
                                        .items = one_item,
                                        .range = add_extents};
static const le_implementation lazy = {.abi = LE_METHOD_ABI,
                                       .operation = "extents",
                                       .name = "lazy",
                                       .run_type = "simd",
                                       .flags = LE_IMPL_SERIAL,
                                       .speed = 2, /* a promise that it does not keep */
                                       .items = one_item,
                                       .range = add_slowly};

static le_engine *open_logged(const char *db, le_log_fn log) {
    le_options o;
    le_engine *e = NULL;
    le_default_options(&o);
    o.db_path = db;
    o.log = log;
    o.mode = LE_MODE_LEARN;
    o.threads = 1;
    assert_int_equal(le_open(&e, &o), LE_OK);
    assert_int_equal(le_register_operation(e, &operation), LE_OK);
    assert_int_equal(le_register_implementation(e, &reference), LE_OK);
    assert_int_equal(le_register_implementation(e, &quick), LE_OK);
    assert_int_equal(le_register_implementation(e, &lazy), LE_OK);
    return e;
}

static le_engine *open_engine(const char *db) {
    return open_logged(db, NULL);
}

static float data[SIDE * SIDE * SIDE];

static void shape_of(int i, int64_t shape[3]) {
    shape[0] = 1 + i % SIDE;
    shape[1] = 1 + i / SIDE % SIDE;
    shape[2] = 1 + i / SIDE / SIDE;
}

/* The i-th shape; false when the answer is wrong. */
static bool call_shape(le_engine *e, int i) {
    int64_t shape[3];
    double sum = 0;
    shape_of(i, shape);
    le_tensor in = le_tensor_of(data, LE_F32, 3, shape);
    le_tensor out = le_tensor_of(&sum, LE_F64, 1, (int64_t[]){1});
    return le_engine_run(e, "extents", LE_IN("input", &in), LE_OUT("result", &out)) == LE_OK &&
           sum == (double)(shape[0] + shape[1] + shape[2]);
}

/* What is known of the i-th shape: samples of the plain implementation on it, which is to be the
 * choice. */
static int64_t samples_of(le_engine *e, int i) {
    le_explanation *x = NULL;
    int64_t samples = 0, shape[3];
    shape_of(i, shape);
    le_tensor in = le_tensor_of(data, LE_F32, 3, shape), out = {.dtype = LE_F64};
    assert_int_equal(
        le_engine_explain(e, &x, "extents", LE_IN("input", &in), LE_OUT("result", &out)), LE_OK);
    assert_string_equal(x->choice, "c@cpu");
    for (size_t k = 0; k < x->n_candidates; k++)
        if (!strcmp(x->candidates[k].candidate, "c@cpu"))
            samples = x->candidates[k].samples;
    le_explanation_free(&x);
    return samples;
}

static void path_of(char *out, size_t size, const char *name) {
    snprintf(out, size, "/tmp/le_shapes_%s_%d.sqlite3", name, (int)getpid());
    unlink(out);
}

static long resident_kib(void) {
    char line[256];
    long kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmRSS: %ld", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib;
}

static void meet_all_shapes(le_engine *e) {
    for (int i = 0; i < 30; i++)
        assert_true(call_shape(e, 0));
    assert_true(samples_of(e, 0) > 0);
    for (int i = 1; i <= WARM_UP; i++)
        assert_true(call_shape(e, i));
    long kib = resident_kib();
    for (int i = WARM_UP + 1; i <= SHAPES; i++)
        assert_true(call_shape(e, i));
    long grown = resident_kib() - kib;
    print_message("resident memory has grown by %ld KiB\n", grown);
    if (!LE__SANITIZED)
        assert_true(grown <= GROWTH_KIB);
}

static void memory_is_bounded_and_choices_come_back(void **state) {
    (void)state;
    char db[128];
    path_of(db, sizeof db, "many");
    le_engine *e = open_engine(db);
    meet_all_shapes(e);
    assert_true(samples_of(e, 0) > 0);
    assert_true(call_shape(e, 0));
    le_close(&e);
    unlink(db);
}

/* The newer ones come back. */
static void memory_is_bounded_without_a_file(void **state) {
    (void)state;
    le_engine *e = open_engine(":memory:");
    meet_all_shapes(e);
    int known = 0;
    for (int i = 0; i < 10; i++)
        known += samples_of(e, SHAPES - 5000 - i) > 0;
    assert_true(known >= 5); /* the others have asked the lazy one */
    assert_true(call_shape(e, 0));
    le_close(&e);
}

static int warnings;

static void count_warning(void *cookie, le_log_level level, const char *text) {
    (void)cookie, (void)text;
    warnings += level <= LE_LOG_WARNING;
}

static int in_file(const char *db, const char *sql) {
    int n = -1;
    sqlite3 *s;
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_open(db, &s), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(s, sql, -1, &st, NULL), SQLITE_OK);
    if (sqlite3_step(st) == SQLITE_ROW)
        n = sqlite3_column_int(st, 0);
    sqlite3_finalize(st);
    sqlite3_close(s);
    return n;
}

/* Questions that the engine has in hand may be of problems that were written of long ago. */
static void a_deleted_file_loses_nothing_of_later(void **state) {
    enum { MANY = 4200, FIRST = 1000, AGAIN = 50 };
    (void)state;
    char db[128], name[160];
    path_of(db, sizeof db, "deleted");
    le_engine *e = open_logged(db, count_warning);
    for (int i = 0; i < MANY; i++) {
        assert_true(call_shape(e, i));
        if (i % 100 == 0)
            assert_int_equal(le_bench_flush(e), LE_OK);
    }
    for (int i = 0; i < 3; i++) { /* what is not written of is forgotten */
        assert_true(call_shape(e, MANY));
        assert_int_equal(le_bench_flush(e), LE_OK);
    }
    for (const char *const *end = (const char *const[]){"", "-wal", "-shm", NULL}; *end; end++) {
        snprintf(name, sizeof name, "%s%s", db, *end);
        unlink(name);
    }
    for (int i = FIRST; i < FIRST + AGAIN; i++)
        assert_true(call_shape(e, i));
    le_close(&e);
    assert_int_equal(warnings, 0);
    assert_true(in_file(db, "SELECT count(DISTINCT problem) FROM samples") >= AGAIN - 1);
    unlink(db);
}

static void verdicts_are_few(void **state) {
    (void)state;
    le__op_state *s = calloc(1, sizeof *s); /* frees what hangs on it */
    le__proof *p = calloc(1, sizeof *p);
    char kind[32];
    int n = 0;
    assert_non_null(s);
    assert_non_null(p);
    s->proofs = p;
    pthread_mutex_init(&s->mutex, NULL);
    for (int i = 0; i < 10000; i++) {
        snprintf(kind, sizeof kind, "kind %d", i);
        le__verdict *v = le__proof_verdict(p, kind, i % 7);
        assert_non_null(v);
        assert_int_equal(v->state, LE__UNPROVEN);
        v->state = LE__PROVEN;
        assert_ptr_equal(le__proof_find(p, kind, i % 7), v);
    }
    for (const le__verdict *v = p->verdicts; v; v = v->next, n++)
        assert_int_equal(v->state, LE__PROVEN);
    assert_true(n <= 512);
    assert_non_null(le__proof_find(p, "kind 9800", 9800 % 7));
    le__op_state_free(s);
}

typedef struct caller {
    le_engine *engine;
    int from, n;
    _Atomic int *wrong;
} caller;

static void *call_many(void *context) {
    const caller *c = context;
    for (int i = 0; i < c->n; i++) {
        *c->wrong += !call_shape(c->engine, c->from + i);
        *c->wrong += !call_shape(c->engine, i % 3); /* which all threads ask again and again */
    }
    return NULL;
}

static void threads_may_ask_while_questions_are_dropped(void **state) {
    (void)state;
    char db[128];
    pthread_t threads[THREADS];
    caller callers[THREADS];
    _Atomic int wrong = 0;
    path_of(db, sizeof db, "threads");
    le_engine *e = open_engine(db);
    for (int i = 0; i < THREADS; i++) {
        /* two by two they ask the same */
        callers[i] = (caller){e, 3 + i / 2 * EACH, EACH, &wrong};
        assert_int_equal(pthread_create(&threads[i], NULL, call_many, &callers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(wrong, 0);
    le_close(&e);
    unlink(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_bounded_and_choices_come_back),
        cmocka_unit_test(memory_is_bounded_without_a_file),
        cmocka_unit_test(a_deleted_file_loses_nothing_of_later),
        cmocka_unit_test(verdicts_are_few),
        cmocka_unit_test(threads_may_ask_while_questions_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
