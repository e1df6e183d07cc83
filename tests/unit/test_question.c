/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * How runs of a known choice are counted: all of them, but brief ones are timed now and then only.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "choose/question.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 801, THREADS = 12, RUNS_EACH = 20000 };

static le__arm arm, other;

static le__question *known_choice(double seconds, uint64_t reuse_calls) {
    const le__policy_decision decision = {.seconds = seconds,
                                          .reuse_calls = reuse_calls,
                                          .reuse_until = INFINITY,
                                          .alarm_seconds = INFINITY};
    le__question *q = aligned_alloc(64, sizeof *q);
    assert_non_null(q);
    memset(q, 0, sizeof *q);
    le__question_keep(q, &arm, &decision);
    return q;
}

/* One run as the dispatcher has it; returns whether it was timed. */
static bool run(le__question *q, double seconds) {
    double granted;
    assert_ptr_equal(le__question_known(q, &granted), &arm);
    bool timed = !(granted > 0);
    le__question_count(q, &arm, &(le__run_stats){.seconds = timed ? seconds : granted}, timed);
    return timed;
}

/* Runs that alternate between two times; all that the policy hears must agree with a count here. */
static void count(double seconds, int least_timed, int most_timed) {
    le__question *q = known_choice(seconds, UINT64_MAX);
    int timed = 0;
    double log_sum = 0, log2 = 0, sum = 0;
    for (int i = 0; i < RUNS; i++) {
        double took = seconds * (timed % 2 ? 1.5 : 0.5);
        if (!run(q, took))
            continue;
        timed++;
        log_sum += log(took);
        log2 += log(took) * log(took);
        sum += took;
    }
    assert_in_range(timed, least_timed, most_timed);
    double mean = log_sum / timed, variance = log2 / timed - mean * mean;
    le__bulk b = le__question_take(q);
    assert_int_equal(b.n, RUNS);
    assert_true(fabs(b.mean_log - mean) < 1e-6 * fabs(mean));
    assert_true(fabs(b.m2_log / RUNS - variance) < 1e-4 * variance);
    assert_true(fabs(b.seconds - sum / timed * RUNS) < 1e-9 * b.seconds);
    assert_int_equal(le__question_take(q).n, 0);
    assert_true(run(q, seconds)); /* counting begins with a time */
    free(q);
}

static void each_long_run_is_timed(void **state) {
    (void)state;
    count(1e-3, RUNS, RUNS);
}

static void brief_runs_are_timed_now_and_then(void **state) {
    (void)state;
    count(1e-7, RUNS / 20, RUNS / 5);
}

static void the_policy_is_asked_in_time(void **state) {
    (void)state;
    le__question *q = known_choice(1e-7, 10);
    double granted;
    for (int i = 0; i < 10; i++)
        run(q, 1e-7);
    assert_null(le__question_known(q, &granted));
    assert_true(granted == 0); /* whoever answers instead is timed */
    free(q);
}

static void *run_often(void *q) {
    for (int i = 0; i < RUNS_EACH; i++)
        run(q, 1e-4);
    return NULL;
}

static void nothing_is_lost_between_threads(void **state) {
    (void)state;
    le__question *q = known_choice(1e-4, UINT64_MAX);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_often, q), 0);
    int64_t n = 0;
    double seconds = 0;
    for (int i = 0; i < 200 || n == 0; i++) {
        le__bulk b = le__question_take(q);
        n += b.n;
        seconds += b.seconds;
        if (b.n) /* each bulk agrees with itself */
            assert_true(fabs(b.mean_log - log(1e-4)) < 1e-5);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    le__bulk b = le__question_take(q);
    assert_int_equal(n + b.n, THREADS * RUNS_EACH);
    assert_true(fabs(seconds + b.seconds - 1e-4 * THREADS * RUNS_EACH) < 1e-6);
    free(q);
}

static void keep(le__question *q, le__arm *chosen) {
    const le__policy_decision decision = {
        .seconds = 1e-4, .reuse_calls = 1000, .reuse_until = INFINITY, .alarm_seconds = INFINITY};
    le__question_keep(q, chosen, &decision);
}

/* While another thread still runs the choice that was, a new one is kept: what is counted then is
 * the new one's alone. */
static void runs_of_another_choice_are_not_counted(void **state) {
    (void)state;
    le__question *q = known_choice(1e-4, UINT64_MAX);
    for (int i = 0; i < 5; i++)
        run(q, 1e-4);
    keep(q, &other);
    const le__run_stats slow = {.seconds = 1e-4}, quick = {.seconds = 1e-5};
    le__question_count(q, &arm, &slow, true);
    le__question_count(q, &other, &quick, true);
    le__bulk b = le__question_take(q);
    assert_int_equal(b.n, 1);
    assert_true(fabs(b.mean_log - log(1e-5)) < 1e-5);
    keep(q, &other); /* again: nothing is lost */
    le__question_count(q, &other, &quick, true);
    keep(q, &other);
    assert_int_equal(le__question_take(q).n, 1);
    free(q);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_long_run_is_timed),
                                       cmocka_unit_test(brief_runs_are_timed_now_and_then),
                                       cmocka_unit_test(the_policy_is_asked_in_time),
                                       cmocka_unit_test(nothing_is_lost_between_threads),
                                       cmocka_unit_test(runs_of_another_choice_are_not_counted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
