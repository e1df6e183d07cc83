/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The child of a trial is a copy of its program: whatever an implementation does in it, it never
 * goes on as the program, the program gets none of its signals, and nothing of it stays.
 */
#include "toy.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { SMALL = 1000, LARGE = 20000 };

static struct { /* in all processes */
    _Atomic int handlers, signals;
} * shared;
static pid_t main_process;
static int kept[2]; /* a pipe: its end is seen when nobody has it open to write */

/* --- what implementations do --- */

static void exits(void) {
    exit(0);
}

static void exits_quickly(void) {
    quick_exit(0);
}

/* As an exception of C++ does, it unwinds the stack. */
static void ends_its_thread(void) {
    pthread_exit(NULL);
}

static void flushes(void) {
    fflush(stdout);
}

static void interrupts(void) {
    raise(SIGINT);
}

static void ends_its_group(void) {
    kill(0, SIGUSR1);
}

static void stay(void) {
    if (fork() == 0) {
        sleep(30);
        _exit(0);
    }
}

static void leaves_a_daemon(void) {
    pid_t pid = fork();
    if (pid == 0) {
        stay();
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

static const struct row {
    const char *name;
    void (*act)(void);
    const char *reason; /* NULL: it is right */
} rows[] = {
    {"exits", exits, "ended the process"},
    {"exits_quickly", exits_quickly, "ended the process"},
    {"ends_its_thread", ends_its_thread, "ended the process"},
    {"flushes", flushes, NULL},
    {"interrupts", interrupts, "crashed with signal 2"},
    {"ends_its_group", ends_its_group, NULL},
    {"stays", stay, "left a child process"},
    {"leaves_a_daemon", leaves_a_daemon, "left a child process"},
};

static const struct row *row;
static bool when_large;

static le_status act(le_call *call) {
    if (getpid() != main_process && (!when_large || toy_items(call) == LARGE))
        row->act();
    le_parallel_for(call, toy_items(call), toy_range, call);
    return LE_OK;
}

/* --- the program --- */

static void count_end(void) {
    shared->handlers++;
}

static void count_signal(int number) {
    (void)number;
    shared->signals += getpid() == main_process;
}

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s%s: %s\n", row->name, when_large ? " when large" : "", #condition); \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void call_it(le_engine *e, int64_t n) {
    float in[LARGE];
    for (int i = 0; i < n; i++)
        in[i] = (float)(i % 17) - 8;
    le_tensor input = le_tensor_of(in, LE_F32, 1, &n), result = {0};
    REQUIRE(le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                          LE_OUT("result", &result)) == LE_OK);
    for (int64_t i = 0; i < n; i++)
        REQUIRE(((float *)result.data)[i] == 2 * in[i]);
    le_tensor_free(&result);
}

static void check_verdict(le_engine *e) {
    float in[LARGE] = {0};
    le_tensor input = le_tensor_of(in, LE_F32, 1, &(int64_t){LARGE}), result = {0};
    le_explanation *x;
    bool found = false;
    REQUIRE(le_engine_explain(e, &x, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                              LE_OUT("result", &result)) == LE_OK);
    for (size_t i = 0; i < x->n_candidates && !found; i++) {
        const le_explained_candidate *c = &x->candidates[i];
        found = strcmp(c->implementation, "planted") == 0;
        const char *why = found && c->left_out ? c->left_out : "";
        if (found && (row->reason ? !strstr(why, row->reason) : *why != '\0'))
            fprintf(stderr, "left out: '%s'\n", why);
        REQUIRE(!found || (row->reason ? strstr(why, row->reason) != NULL : *why == '\0'));
    }
    REQUIRE(found);
    le_explanation_free(&x);
}

static bool nobody_has_the_pipe(void) {
    struct pollfd p = {kept[0], POLLIN, 0};
    close(kept[1]);
    return poll(&p, 1, 5000) == 1 && p.revents & POLLHUP;
}

static void program(void) {
    static const le_implementation planted = {.abi = LE_METHOD_ABI,
                                              .operation = "toy",
                                              .name = "planted",
                                              .run_type = "simd",
                                              .source = "1",
                                              .speed = 50,
                                              .run = act};
    int printed = memfd_create("printed", 0), written = memfd_create("written", 0);
    FILE *file = fdopen(written, "w");
    main_process = getpid();
    setpgid(0, 0); /* a test that fails does not end its caller */
    signal(SIGINT, count_signal);
    signal(SIGUSR1, count_signal);
    atexit(count_end);
    at_quick_exit(count_end);
    REQUIRE(file && dup2(printed, 1) == 1 && pipe(kept) == 0);
    fputs("a record", file);
    fputs("a text", stdout);
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    REQUIRE(e && le_register_implementation(e, &planted) == LE_OK);
    call_it(e, SMALL);
    call_it(e, LARGE);
    check_verdict(e);
    REQUIRE(shared->handlers == 0);
    REQUIRE(shared->signals == 0);
    REQUIRE(lseek(printed, 0, SEEK_END) == 0);
    REQUIRE(lseek(written, 0, SEEK_END) == 0);
    le_close(&e);
    REQUIRE(nobody_has_the_pipe());
    _exit(0);
}

static void the_child_stays_a_child(void **state) {
    (void)state;
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        int status;
        row = &rows[i / 2];
        when_large = i % 2;
        shared->handlers = shared->signals = 0;
        fflush(NULL);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            program();
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_child_stays_a_child)};
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared == MAP_FAILED ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
