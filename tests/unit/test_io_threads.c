/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Several threads reading and writing files through one engine at once, and forks beside them.
 */
#include "core/sanitizer.h"
#include "files/io.h"
#include "io_test.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/wait.h>

enum { THREADS = 4, ROUNDS = 6 };
static atomic_int failures;
static bool has_fits; /* the library was built with CFITSIO */

static void note(bool good, const char *what) {
    if (!good) {
        atomic_fetch_add(&failures, 1);
        print_error("%s: %s\n", what, le_error_message());
    }
}

static bool holds(const le_tensor *t, double first) {
    for (int64_t i = 0; i < le_tensor_count(t); i++)
        if (le_tensor_get(t, i) != first + (double)i)
            return false;
    return true;
}

static void round_trip(const char *place, const char *what) {
    le_tensor t, back = {0};
    note(le_tensor_alloc(&t, LE_F32, 3, (int64_t[]){6, 10, 7}) == LE_OK, what);
    for (int64_t i = 0; i < le_tensor_count(&t); i++)
        le_tensor_set(&t, i, (double)i + 5);
    note(le_io_write(io_engine, place, &t) == LE_OK, what);
    note(le_io_read(io_engine, place, NULL, &back) == LE_OK && holds(&back, 5), what);
    le_tensor_free(&back);
    le_tensor_free(&t);
}

static void *work(void *number) {
    int k = *(const int *)number;
    char place[64];
    for (int i = 0; i < ROUNDS; i++) {
        snprintf(place, sizeof place, "own%d.h5:/x", k);
        round_trip(place, place);
        snprintf(place, sizeof place, "own%d.nrrd", k);
        round_trip(place, place);
        le_tensor t = {0};
        note(le_io_read(io_engine, "shared.h5:/x", NULL, &t) == LE_OK && holds(&t, 0), "shared.h5");
        snprintf(place, sizeof place, "own%d_%%d.png", k);
        t.shape[0] = 5; /* frames of 40 x 30 */
        note(le_io_write(io_engine, place, &t) == LE_OK, place);
        le_tensor_free(&t);
        /* all write the same file: one of them wins, none breaks it */
        round_trip("same.h5:/x", "same.h5");
        if (has_fits && i % 3 == 0) {
            snprintf(place, sizeof place, "own%d.fits", k);
            round_trip(place, place);
            round_trip("same.fits", "same.fits");
        }
        note(le_io_read(io_engine, "absent.h5:/x", NULL, &t) == LE_ERR_IO, "absent.h5");
    }
    return NULL;
}

static void at_once(void **state) {
    pthread_t threads[THREADS];
    int numbers[THREADS];
    le_tensor t;
    (void)state;
    assert_int_equal(le_tensor_alloc(&t, LE_F32, 3, (int64_t[]){5, 40, 30}), LE_OK);
    for (int64_t i = 0; i < le_tensor_count(&t); i++)
        le_tensor_set(&t, i, (double)i);
    assert_int_equal(le_io_write(io_engine, "shared.h5:/x", &t), LE_OK);
    has_fits = le_io_write(io_engine, "shared.fits", &t) != LE_ERR_UNSUPPORTED;
    le_tensor_free(&t);
    for (int k = 0; k < THREADS; k++) {
        numbers[k] = k;
        assert_int_equal(pthread_create(&threads[k], NULL, work, &numbers[k]), 0);
    }
    for (int k = 0; k < THREADS; k++)
        pthread_join(threads[k], NULL);
    assert_int_equal(atomic_load(&failures), 0);
}

/* --- forks --- */

static atomic_bool over;
static sem_t entered, may_leave;

static void put(const char *place) {
    le_tensor t;
    assert_int_equal(le_tensor_alloc(&t, LE_F32, 2, (int64_t[]){4, 5}), LE_OK);
    for (int64_t i = 0; i < le_tensor_count(&t); i++)
        le_tensor_set(&t, i, (double)i);
    assert_int_equal(le_io_write(io_engine, place, &t), LE_OK);
    le_tensor_free(&t);
}

static le_status get(const char *place) {
    le_tensor t = {0};
    le_status status = le_io_read(NULL, place, NULL, &t);
    bool right = status == LE_OK && holds(&t, 0);
    le_tensor_free(&t);
    return status == LE_OK && !right ? LE_ERR_WRONG_RESULT : status;
}

static void *keep_reading(void *context) {
    while (!over)
        note(get("forks.h5:/x") == LE_OK, "beside forks");
    return context;
}

static void *stay_inside(void *context) {
    le__io_enter();
    sem_post(&entered);
    sem_wait(&may_leave);
    le__io_leave();
    return context;
}

/* What the child finds; one that hangs ends by SIGALRM. */
static int status_in_child(le_status (*fn)(void)) {
    int how = -1;
    pid_t pid = fork();
    if (pid == 0) {
        alarm(30);
        _exit(-fn());
    }
    assert_true(pid > 0 && waitpid(pid, &how, 0) == pid);
    return how;
}

static le_status reads_both(void) {
    le_status status = get("forks.h5:/x");
    return status == LE_OK ? get("forks.npy") : status;
}

static le_status is_refused_clearly(void) {
    if (get("forks.h5:/x") != LE_ERR_UNSUPPORTED || !strstr(le_error_message(), "forked"))
        return LE_ERR_WRONG_RESULT;
    return get("forks.npy");
}

/* Sanitizers' allocators and threads are not made ready for fork. */
static const bool may_fork = !LE__SANITIZED;

static void children_read_what_others_read(void **state) {
    pthread_t readers[2];
    (void)state;
    if (!may_fork)
        skip();
    put("forks.h5:/x");
    put("forks.npy");
    over = false;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, keep_reading, NULL), 0);
    int failed = 0;
    for (int i = 0; i < 50; i++)
        failed += status_in_child(reads_both) != 0;
    over = true;
    for (int i = 0; i < 2; i++)
        pthread_join(readers[i], NULL);
    assert_int_equal(failed, 0);
    assert_int_equal(atomic_load(&failures), 0);
}

static void who_was_inside_is_said(void **state) {
    pthread_t thread;
    (void)state;
    if (!may_fork)
        skip();
    sem_init(&entered, 0, 0);
    sem_init(&may_leave, 0, 0);
    assert_int_equal(pthread_create(&thread, NULL, stay_inside, NULL), 0);
    sem_wait(&entered);
    int how = status_in_child(is_refused_clearly);
    sem_post(&may_leave);
    pthread_join(thread, NULL);
    assert_int_equal(how, 0);
    assert_int_equal(reads_both(), LE_OK);
    assert_int_equal(status_in_child(reads_both), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(at_once),
                                       cmocka_unit_test(children_read_what_others_read),
                                       cmocka_unit_test(who_was_inside_is_said)};
    return cmocka_run_group_tests(tests, io_setup, io_teardown);
}
