/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Which of an operation's runs tell of themselves.
 */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "choose/settling.h"

static const double us = 1e-6;

/* Runs of so many microseconds; the number of those at the beginning that told nothing. */
static int silent(le__settling *s, const double *micros, int n) {
    int first = n;
    for (int i = 0; i < n; i++)
        if (le__settling_note(s, micros[i] * us, false) && first == n)
            first = i;
    return first;
}

static void brief_ones_need_some_runs(void **state) {
    (void)state;
    static const double level[] = {200, 200, 200, 200, 200, 200},
                        falling[] = {700, 500, 400, 300, 200, 190, 199, 195, 195};
    assert_int_equal(silent(&(le__settling){0}, level, 6), 4);
    /* 200 is the last that was faster than all before by more than noise, and two follow */
    le__settling s = {0};
    assert_int_equal(silent(&s, falling, 9), 7);
    assert_true(le__settling_note(&s, 100 * us, false)); /* settled, and one is faster: */
    assert_true(le__settling_note(&s, 100 * us, false)); /* another candidate */
    assert_true(le__settling_note(&s, 50 * us, false));
    assert_true(le__settling_note(&s, 50 * us, false));
}

static void it_ends(void **state) {
    (void)state;
    le__settling s = {0};
    int silent_ones = 0;
    double seconds = 900 * us;
    for (int i = 0; i < 100; i++, seconds *= 0.9)
        silent_ones += !le__settling_note(&s, seconds, false);
    assert_int_equal(silent_ones, 16);
}

static void longer_ones_need_fewer_or_none(void **state) {
    (void)state;
    static const double level[] = {5000, 5000, 5000, 5000},
                        falling[] = {7000, 6000, 5000, 4900, 5000};
    assert_int_equal(silent(&(le__settling){0}, level, 4), 2);
    le__settling s = {0};
    assert_int_equal(silent(&s, falling, 5), 4);
    assert_false(le__settling_note(&s, 5e-3, true)); /* after a trial */
    assert_true(le__settling_goes_on(&s));
    assert_true(le__settling_note(&(le__settling){0}, 0.1, false));
}

/* Exploring waits after a trial, but not where a process has only begun. */
static void a_trial_begins_it_anew(void **state) {
    (void)state;
    le__settling s = {0};
    assert_false(le__settling_goes_on(&s));
    assert_false(le__settling_note(&s, 100 * us, false));
    assert_false(le__settling_goes_on(&s));
    for (int i = 0; i < 9; i++)
        le__settling_note(&s, 100 * us, false);
    assert_false(le__settling_note(&s, 100 * us, true));
    for (int i = 1; i < 4; i++) {
        assert_true(le__settling_goes_on(&s));
        assert_false(le__settling_note(&s, 100 * us, false));
    }
    assert_false(le__settling_goes_on(&s));
    assert_true(le__settling_note(&s, 100 * us, false));
    le__settling_note(&s, 100 * us, true);
    le__settling_skip(&s, INT64_MAX); /* runs of the known choice */
    assert_false(le__settling_goes_on(&s));
    for (int i = 0; i < 9; i++)
        le__settling_skip(&s, INT64_MAX);
    assert_true(le__settling_note(&s, 100 * us, false));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brief_ones_need_some_runs),
        cmocka_unit_test(it_ends),
        cmocka_unit_test(longer_ones_need_fewer_or_none),
        cmocka_unit_test(a_trial_begins_it_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
