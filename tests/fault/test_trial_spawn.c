/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Trials in the helper program: what is built in comes to the same verdicts without any copy of
 * this process; what is registered at run time is forked for; LE_TRIALS says otherwise.
 */
#include "call/candidate.h"
#include "call/case.h"
#include "engine.h"
#include "toy.h"
#include "trial/trial.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int forks;
pid_t __real_fork(void);
pid_t __wrap_fork(void);

pid_t __wrap_fork(void) {
    forks++;
    return __real_fork();
}

/* How many CPU candidates of an operation are proven. */
static int proven(const char *operation) {
    static le_call like;
    le_case sample;
    le__candidate *list;
    size_t n;
    int good = 0;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    assert_non_null(e);
    le__operation_entry *entry = le__registry_find(&e->registry, operation);
    assert_non_null(entry);
    assert_int_equal(
        le__case_make(&sample, entry->operation,
                      &(le_case_request){.kind = LE_CASE_TRIAL, .seed = 1, .index = 0}),
        LE_OK);
    assert_int_equal(le__call_bind(&like, e, entry, sample.args, sample.n), LE_OK);
    assert_int_equal(le__candidates_make(e, entry, &list, &n), LE_OK);
    forks = 0;
    for (size_t i = 0; i < n; i++) {
        le__trial_result r;
        if (list[i].device->kind != LE_DEVICE_CPU ||
            list[i].implementation->flags & LE_IMPL_REFERENCE)
            continue;
        le__trial(e, entry, &list[i], &like, INFINITY, &r);
        if (r.status != LE_OK && r.status != LE_ERR_UNSUPPORTED) /* not for this call */
            fail_msg("%s: %s", list[i].text, r.reason);
        good += r.status == LE_OK;
    }
    free(list);
    le__call_unbind(&like);
    le__case_free(&sample);
    le_close(&e);
    return good;
}

static void built_in_without_a_fork(void **state) {
    (void)state;
    static const char *const operations[] = {"roberts_cross", "shift_magnify", "volume_render"};
    for (int i = 0; i < 3; i++) {
        setenv("LE_TRIALS", "fork", 1);
        int forked = proven(operations[i]);
        assert_true(forks > 0);
        unsetenv("LE_TRIALS");
        assert_int_equal(proven(operations[i]), forked);
        assert_int_equal(forks, 0);
    }
}

static void run_time_ones_fork(void **state) {
    (void)state;
    assert_true(proven("toy") > 0);
    assert_true(forks > 0);
    for (int none = 0; none < 2; none++) {
        setenv("LE_TRIALS", none ? "none" : "spawn", 1);
        assert_true(proven("toy") > 0);
        assert_int_equal(forks, 0);
    }
    unsetenv("LE_TRIALS");
}

/* Who is forced where is the affair of those who ask for a trial, not of the trial. */
static void whoever_is_forced_elsewhere(void **state) {
    (void)state;
    static const char *const ways[] = {"spawn", "fork", "none"};
    static const char *const variables[] = {"LE_RUN_TYPE", "LE_IMPLEMENTATION", "LE_DEVICE"};
    static const char *const values[] = {"reference", "reference", "opencl"};
    for (int w = 0; w < 3; w++) {
        setenv("LE_TRIALS", ways[w], 1);
        const int all = proven("shift_magnify");
        assert_true(all > 0);
        for (int v = 0; v < 3; v++) {
            setenv(variables[v], values[v], 1);
            int n = proven("shift_magnify");
            if (n != all)
                fail_msg("%s=%s, %s: %d are proven instead of %d", variables[v], values[v], ways[w],
                         n, all);
            unsetenv(variables[v]);
        }
    }
    unsetenv("LE_TRIALS");
}

static void unknown_ways(void **state) {
    (void)state;
    le_engine *e = NULL;
    setenv("LE_TRIALS", "sometimes", 1);
    assert_int_equal(le_open(&e, NULL), LE_ERR_ARGUMENT);
    assert_non_null(strstr(le_error_message(), "'sometimes', expected spawn, fork or none"));
    unsetenv("LE_TRIALS");
}

/* In a process of its own: a helper lives as long as its process. */
static void another_build(void **state) {
    (void)state;
    pid_t pid = __real_fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        setenv("LE_TRIAL_PROGRAM", "/bin/false", 1); /* ends without a word */
        bool good = proven("roberts_cross") > 0 && forks > 0;
        _exit(good ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_build), cmocka_unit_test(built_in_without_a_fork),
        cmocka_unit_test(run_time_ones_fork), cmocka_unit_test(whoever_is_forced_elsewhere),
        cmocka_unit_test(unknown_ways)};
    if (!getenv("LE_TRIAL_PROGRAM")) {
        print_message("no le-trial was built: skipped\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
