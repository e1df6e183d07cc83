/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Eight threads on one engine, with the same and with different operations and sizes, while another
 * opens and closes engines on the same database and a third exports it. Meant for ThreadSanitizer;
 * the answers are checked everywhere.
 */
#include "benchdb.h"
#include "core/os.h"
#include "core/sanitizer.h"
#include "liquid_engine/le_bench.h"
#include "toy.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { THREADS = 8, CALLS = 150, MOST = 3000 };

typedef struct shared {
    le_engine *engine;
    char db[128];
    _Atomic int wrong, done;
} shared;

static void check(shared *s, bool right) {
    if (!right)
        s->wrong++;
}

static void call_toy(shared *s, int64_t n, double factor) {
    float in[MOST];
    for (int64_t i = 0; i < n; i++)
        in[i] = (float)i;
    le_tensor input = le_tensor_of(in, LE_F32, 1, &n), result = {0};
    check(s, le_engine_run(s->engine, "toy", LE_IN("input", &input), LE_F64("factor", factor),
                           LE_OUT("result", &result)) == LE_OK);
    for (int64_t i = 0; result.data && i < n; i++)
        check(s, ((float *)result.data)[i] == (float)factor * in[i]);
    le_tensor_free(&result);
}

static void call_project(shared *s) {
    double volume[24], image[6];
    for (int i = 0; i < 24; i++)
        volume[i] = i;
    le_tensor v = le_tensor_of(volume, LE_F64, 3, (int64_t[]){4, 2, 3});
    le_tensor out = le_tensor_of(image, LE_F64, 2, (int64_t[]){2, 3});
    check(s, le_engine_run(s->engine, "project", LE_IN("volume", &v), LE_I64("axis", 0),
                           LE_STR("reduce", "sum"), LE_STR("scale", "linear"),
                           LE_STR("colormap", "none"), LE_OUT("image", &out)) == LE_OK);
    for (int i = 0; i < 6; i++)
        check(s, image[i] == 36 + 4 * i);
}

static void *caller(void *context) {
    shared *s = context;
    for (int i = 0; i < CALLS; i++) {
        call_toy(s, 10 + i % 5 * 700, 1 + i % 3);
        if (i % 5 == 0)
            call_project(s);
        if (i % 25 == 0)
            check(s, le_last_run(&(le_run_info){.struct_size = sizeof(le_run_info)}) == LE_OK);
    }
    return NULL;
}

static void *opener(void *context) {
    shared *s = context;
    while (!s->done) {
        le_engine *e = toy_open(s->db, LE_MODE_LEARN);
        check(s, e != NULL);
        le_explanation *x = NULL;
        float data[4] = {0};
        int64_t n = 4;
        le_tensor in = le_tensor_of(data, LE_F32, 1, &n), out = {0};
        check(s, le_engine_explain(e, &x, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                                   LE_OUT("result", &out)) == LE_OK);
        le_explanation_free(&x);
        le_close(&e);
    }
    return NULL;
}

static void *exporter(void *context) {
    shared *s = context;
    while (!s->done) {
        le_db *db = le_db_open(&(le_db_options){.path = s->db});
        FILE *f = fopen("/dev/null", "w");
        check(s, db && f);
        if (f) {
            le_db_export(db, f);
            fclose(f);
        }
        le_db_close(&db);
    }
    return NULL;
}

static void all_at_once(void **state) {
    (void)state;
    shared s = {0};
    pthread_t t[THREADS], others[2];
    snprintf(s.db, sizeof s.db, "/tmp/le_threads_%d.sqlite3", (int)getpid());
    s.engine = toy_open(s.db, LE_MODE_LEARN);
    assert_non_null(s.engine);
    pthread_create(&others[0], NULL, opener, &s);
    pthread_create(&others[1], NULL, exporter, &s);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, caller, &s), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    s.done = 1;
    pthread_join(others[0], NULL);
    pthread_join(others[1], NULL);
    le_close(&s.engine);
    unlink(s.db);
    assert_int_equal(s.wrong, 0);
}

/* Looks for devices, asks for them and calls at the same time. */
static void *discoverer(void *context) {
    shared *s = context;
    le_bench_device devices[16];
    float in[8] = {0};
    le_tensor input = le_tensor_of(in, LE_F32, 1, (int64_t[]){8}), result = {0};
    le_explanation *x = NULL;
    size_t n = le_bench_devices(s->engine, devices, 16);
    check(s, n >= 1 && !strcmp(devices[0].id, "cpu"));
    check(s, le_engine_explain(s->engine, &x, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                               LE_OUT("result", &result)) == LE_OK);
    le_explanation_free(&x);
    call_toy(s, 100, 2);
    call_project(s);
    check(s, le_bench_devices(s->engine, devices, 16) == n);
    return NULL;
}

static void discovering_by_many(void **state) {
    (void)state;
    for (int round = 0; round < 3; round++) {
        shared s = {0};
        pthread_t t[THREADS];
        s.engine = toy_open(NULL, LE_MODE_LEARN);
        assert_non_null(s.engine);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&t[i], NULL, i % 2 ? discoverer : caller, &s), 0);
        for (int i = 0; i < THREADS; i++)
            pthread_join(t[i], NULL);
        le_close(&s.engine);
        assert_int_equal(s.wrong, 0);
    }
}

/* A child of fork may open an engine of its own. */
static void after_fork(void **state) {
    (void)state;
    if (LE__TSAN) /* it cannot start threads in such a child */
        skip();
    shared s = {0};
    s.engine = toy_open(NULL, LE_MODE_LEARN);
    call_toy(&s, 1000, 2);
    /* AddressSanitizer's allocator is not made ready for fork: the engine's threads come to rest */
    nanosleep(&(struct timespec){0, 300000000}, NULL);
    pid_t pid = fork();
    if (pid == 0) {
        shared own = {0};
        own.engine = toy_open(NULL, LE_MODE_LEARN);
        call_toy(&own, 1000, 3);
        le_close(&own.engine);
        _exit(own.wrong ? 1 : 0);
    }
    int status = -1;
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    le_close(&s.engine);
    assert_int_equal(s.wrong, 0);
}

static pthread_mutex_t for_all = PTHREAD_MUTEX_INITIALIZER;
static sem_t locked, may_unlock;

static void *hold_it(void *context) {
    le__os_lock(&for_all);
    sem_post(&locked);
    sem_wait(&may_unlock);
    pthread_mutex_unlock(&for_all);
    return context;
}

/* A mutex of the whole process that another thread holds at a fork is free in the child. */
static void locks_after_fork(void **state) {
    pthread_t holder;
    (void)state;
    sem_init(&locked, 0, 0);
    sem_init(&may_unlock, 0, 0);
    assert_int_equal(pthread_create(&holder, NULL, hold_it, NULL), 0);
    sem_wait(&locked);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(10);
        le__os_lock(&for_all);
        pthread_mutex_unlock(&for_all);
        _exit(0);
    }
    int status = -1;
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    assert_int_equal(pthread_mutex_trylock(&for_all), EBUSY); /* here it is still held */
    sem_post(&may_unlock);
    pthread_join(holder, NULL);
    assert_int_equal(status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_at_once), cmocka_unit_test(discovering_by_many),
        cmocka_unit_test(after_fork), cmocka_unit_test(locks_after_fork)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
