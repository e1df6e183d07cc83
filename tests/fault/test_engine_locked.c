/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Another process holds a lock on the database for ten seconds: calls answer rightly and in time,
 * one line of the log says so, and what was measured meanwhile is stored afterwards.
 */
#include "toy.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_lock_of_ten_seconds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
