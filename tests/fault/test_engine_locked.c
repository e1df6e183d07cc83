/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Another process holds a lock on the database for ten seconds: calls answer rightly and in time,
 * one line of the log says so, and what was measured meanwhile is stored afterwards.
 */
#include "toy.h"

#include "benchdb.h"
#include "choose/dispatch.h"

#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { HELD_S = 10, CALLS = 50, N = 1000 };

static char db[96];
static int lines, lines_of_lock;

static void count(void *cookie, le_log_level level, const char *text) {
    (void)cookie;
    if (level <= LE_LOG_WARNING)
        lines++;
    lines_of_lock += level <= LE_LOG_WARNING && strstr(text, "locked") != NULL;
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static le_engine *open_engine(void) {
    le_options o;
    le_engine *e = NULL;
    le_default_options(&o);
    o.db_path = db;
    o.devices = "cpu";
    o.threads = 1;
    o.log = count;
    assert_int_equal(le_open(&e, &o), LE_OK);
    assert_int_equal(le_register_operation(e, &toy_operation), LE_OK);
    assert_int_equal(le_register_implementation(e, &toy_reference), LE_OK);
    assert_int_equal(le_register_implementation(e, &toy_c), LE_OK);
    return e;
}

static void call(le_engine *e, le_mode mode) {
    static float in[N];
    for (int i = 0; i < N; i++)
        in[i] = (float)(i % 13);
    le_tensor input = le_tensor_of(in, LE_F32, 1, (int64_t[]){N}), result = {0};
    assert_int_equal(le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                                   LE_OUT("result", &result), LE_OPT_MODE(mode)),
                     LE_OK);
    for (int i = 0; i < N; i++)
        assert_true(((float *)result.data)[i] == 2 * in[i]);
    le_tensor_free(&result);
}

static int samples(void) {
    int n = -1;
    sqlite3 *s;
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_open(db, &s), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(s,
                                        "SELECT total(clean_n + contended_n + cold_n) "
                                        "FROM samples",
                                        -1, &st, NULL),
                     SQLITE_OK);
    if (sqlite3_step(st) == SQLITE_ROW)
        n = sqlite3_column_int(st, 0);
    sqlite3_finalize(st);
    sqlite3_close(s);
    return n;
}

static pid_t hold_lock(void) {
    int ready[2];
    char byte = 1;
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        sqlite3 *s = NULL;
        if (sqlite3_open(db, &s) != SQLITE_OK ||
            sqlite3_exec(s,
                         "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; "
                         "UPDATE meta SET value = value",
                         NULL, NULL, NULL) != SQLITE_OK ||
            write(ready[1], &byte, 1) != 1)
            _exit(1);
        sleep(HELD_S);
        sqlite3_close(s);
        _exit(0);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

static void a_lock_of_ten_seconds(void **state) {
    (void)state;
    int status;
    snprintf(db, sizeof db, "/tmp/le_engine_locked_%d.sqlite3", (int)getpid());
    unlink(db);
    le_engine *e = open_engine();
    call(e, LE_MODE_LEARN);
    le_close(&e);
    int before = samples();
    assert_true(before > 0);
    lines = 0;
    pid_t pid = hold_lock();
    double start = seconds_now();
    e = open_engine();
    for (int i = 0; i < CALLS; i++)
        call(e, i % 2 ? LE_MODE_LEARN : LE_MODE_MEASURE);
    double delay = seconds_now() - start;
    assert_int_equal(waitpid(pid, &status, WNOHANG), 0); /* still held */
    if (delay > HELD_S / 2)
        fail_msg("%d calls under a lock took %.1f s", CALLS, delay);
    assert_int_equal(lines_of_lock, 1);
    assert_int_equal(lines, 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    call(e, LE_MODE_LEARN);
    le_close(&e);
    if (samples() < before + CALLS / 2)
        fail_msg("%d samples before, %d after %d calls", before, samples(), CALLS);
    assert_int_equal(lines, 1);
    unlink(db);
}

/* A device that nobody has, whose transfers took a second for each MiB, and one more. */
static le_engine *open_with_device(void) {
    static const le_cl_info info = {.compute_units = 4};
    le_engine *e = open_engine();
    le__device *d = &e->devices[1];
    d->index = 1;
    d->kind = LE_DEVICE_OPENCL;
    d->info = &info;
    snprintf(d->id, sizeof d->id, "opencl:0");
    snprintf(d->name, sizeof d->name, "Imagined");
    e->n_devices = 2;
    e->discovered = true;
    return e;
}

static void plant_transfers(le_engine *e) {
    static const char *const ways[] = {"to_device", "from_device"};
    static const int64_t sizes[] = {4096, 65536, 1 << 20, 8 << 20};
    le__store *s = e->dispatch->store;
    struct le_db *to = le__store_db(s);
    int64_t candidate =
        le_db_candidate(to, &(le_db_candidate_key){.operation = LE_DB_TRANSFER,
                                                   .implementation = "copy",
                                                   .run_type = "opencl",
                                                   .device = le__store_device(s, &e->devices[1])});
    for (int way = 0; way < 2; way++)
        for (int k = 0; k < 4; k++) {
            char key[64];
            snprintf(key, sizeof key, "%s/%lld", ways[way], (long long)sizes[k]);
            le_db_sample sample = {.seconds = 1 + (double)sizes[k] / (1 << 20)};
            le_db_add_samples(to, le_db_problem(to, LE_DB_TRANSFER, key, 1, 1), candidate, &sample,
                              1);
        }
    assert_true(le_db_flush(to, 20));
}

/* What transfers take is not given up for good when the database was locked. */
static void transfers_under_a_lock(void **state) {
    (void)state;
    int status;
    snprintf(db, sizeof db, "/tmp/le_engine_locked_%d.sqlite3", (int)getpid());
    unlink(db);
    le_engine *e = open_with_device();
    plant_transfers(e);
    le_close(&e);
    pid_t pid = hold_lock();
    e = open_with_device();
    assert_true(le__transfer_seconds(e, &e->devices[1], true, 2 << 20, false) < 0.5);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    double seconds = 0;
    for (double end = seconds_now() + 5; seconds < 0.5 && seconds_now() < end;) {
        seconds = le__transfer_seconds(e, &e->devices[1], true, 2 << 20, false);
        nanosleep(&(struct timespec){0, 50000000}, NULL);
    }
    assert_true(seconds > 2.99 && seconds < 3.01);
    assert_true(le__transfer_seconds(e, &e->devices[1], false, 2 << 20, false) > 2.99);
    e->n_devices = 1;
    le_close(&e);
    unlink(db);
}

/* As on a network file system, where a lock keeps those out, too, that have the file open. */
static void leave_wal(void) {
    sqlite3 *s;
    assert_int_equal(sqlite3_open(db, &s), SQLITE_OK);
    assert_int_equal(sqlite3_exec(s, "PRAGMA journal_mode = DELETE", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(s);
}

/* What is known of one problem is waited for once, and kept meanwhile. */
static void problems_under_a_lock(void **state) {
    enum { TIMES = 20 };
    (void)state;
    int status;
    snprintf(db, sizeof db, "/tmp/le_engine_locked_%d.sqlite3", (int)getpid());
    unlink(db);
    le_engine *e = open_engine();
    for (int i = 0; i < 3; i++)
        call(e, LE_MODE_MEASURE);
    le_close(&e);
    leave_wal();
    e = open_engine();
    call(e, LE_MODE_FROZEN); /* which writes nothing */
    le__operation_entry *entry = le__registry_find(&e->registry, "toy");
    le__store *s = e->dispatch->store;
    le__op_state *op = e->dispatch->states[entry->id];
    assert_true(op->n_choices > 0);
    int64_t problem = op->choices[0].problem;
    pid_t pid = hold_lock();
    double start = seconds_now();
    for (int i = 0; i < TIMES; i++) {
        pthread_mutex_lock(&op->mutex);
        assert_false(le__store_load_problem(s, op, NULL, problem));
        assert_true(op->n_choices > 0);
        pthread_mutex_unlock(&op->mutex);
    }
    double delay = seconds_now() - start;
    if (delay > 2)
        fail_msg("%d loads under a lock took %.1f s", TIMES, delay);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    bool read = false;
    for (double end = seconds_now() + 5; !read && seconds_now() < end;) {
        pthread_mutex_lock(&op->mutex);
        read = le__store_load_problem(s, op, NULL, problem);
        pthread_mutex_unlock(&op->mutex);
        nanosleep(&(struct timespec){0, 50000000}, NULL);
    }
    assert_true(read);
    assert_true(op->n_choices > 0);
    le_close(&e);
    unlink(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_lock_of_ten_seconds),
                                       cmocka_unit_test(transfers_under_a_lock),
                                       cmocka_unit_test(problems_under_a_lock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
