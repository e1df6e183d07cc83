/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A program that makes one call and ends, again and again, learns as one that stays: what earlier
 * processes answered pays for exploring in later ones.
 */
#include "toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = 1000, PROCESSES = 30 };

static char db[64];
static struct { /* in all processes */
    _Atomic int reference, c;
} * answers;

static le_status slow(le_call *call) {
    nanosleep(&(struct timespec){0, 30000000}, NULL);
    le_parallel_for(call, toy_items(call), toy_range, call);
    return LE_OK;
}

static le_status quick(le_call *call) {
    nanosleep(&(struct timespec){0, 1000000}, NULL);
    le_parallel_for(call, toy_items(call), toy_range, call);
    return LE_OK;
}

/* As an author would who states no speed for the reference; two of them, in either order. */
static void one_call(bool reference_first, double speed) {
    static le_operation op;
    float in[N] = {1};
    le_engine *e = NULL;
    le_options o;
    le_run_info info = {.struct_size = sizeof info};
    le_implementation reference = toy_reference, c = toy_c;
    le_default_options(&o);
    o.db_path = db;
    o.devices = "cpu";
    op = toy_operation;
    op.name = reference.operation = c.operation = "own";
    reference.items = c.items = NULL;
    reference.range = c.range = NULL;
    reference.run = slow;
    reference.speed = speed;
    reference.source = c.source = "1";
    c.run = quick;
    c.speed = 1;
    if (le_open(&e, &o) != LE_OK || le_register_operation(e, &op) != LE_OK ||
        le_register_implementation(e, reference_first ? &reference : &c) != LE_OK ||
        le_register_implementation(e, reference_first ? &c : &reference) != LE_OK)
        _exit(2);
    le_tensor input = le_tensor_of(in, LE_F32, 1, &(int64_t){N}), result = {0};
    if (le_engine_run(e, "own", LE_IN("input", &input), LE_F64("factor", 2),
                      LE_OUT("result", &result)) != LE_OK ||
        ((float *)result.data)[0] != 2)
        _exit(3);
    le_last_run(&info);
    ++*(strstr(info.candidate, "reference@") ? &answers->reference : &answers->c);
    le_tensor_free(&result);
    le_close(&e);
    _exit(0);
}

static void learns(bool reference_first, double speed) {
    answers->reference = answers->c = 0;
    unlink(db);
    for (int i = 0; i < PROCESSES; i++) {
        int state = 0;
        fflush(NULL);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            one_call(reference_first, speed);
        assert_int_equal(waitpid(pid, &state, 0), pid);
        assert_int_equal(state, 0);
    }
    if (answers->reference > PROCESSES / 3)
        fail_msg("%s first, speed %g: the reference answered %d of %d calls",
                 reference_first ? "reference" : "c", speed, answers->reference, PROCESSES);
}

static void one_call_a_process(void **state) {
    (void)state;
    for (int first = 0; first < 2; first++) {
        learns(first, 0);  /* none stated */
        learns(first, 1);  /* the same as c, as stated by one who did not think of it */
        learns(first, 20); /* wrong */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_call_a_process)};
    answers =
        mmap(NULL, sizeof *answers, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (answers == MAP_FAILED)
        return 1;
    snprintf(db, sizeof db, "/tmp/le_many_processes_%d.sqlite3", (int)getpid());
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(db);
    return failed;
}
