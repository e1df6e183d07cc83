/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What cold runs do to choices.
 */
#include "policy_test.h"

/* Cold runs that tell next to nothing, as on a busy machine: one may be followed by a steady run, and
 * where that is stopped late it was the last; and the last of many slow ones is not left out for being
 * thought like the others, for a cold and a steady run together are worth what they cost. */
static void noisy_cold_runs_decide_nothing(void **state)
{
    (void)state;
    enum { N = 8 };
    const double truth[N] = {17.3e-3, 25e-3, 35e-3, 30e-3, 13.6e-3, 1.72e-3, 0.83e-3, 0.88e-3};
    const double first[N] = {20.7e-3, 80e-3, 34.9e-3, 24.6e-3, 18.9e-3, 19.4e-3, 0.99e-3, 10.7e-3};
    int stops = 0;
    bool cold[N];
    fixture f = fixture_of(N, 1, NULL);
    int p = problem_of(&f, 5.0);
    for (int k = 0; k < N; k++)
        cold[k] = true;
    for (int i = 0; i < 200; i++) {
        double now[N];
        bool whole = false;
        for (int k = 0; k < N; k++)
            now[k] = cold[k] ? first[k] : truth[k];
        double waited = call_of(&f, p, now, cold);
        for (int k = 0; k < N; k++)
            whole = whole || waited == now[k];
        stops += !whole;
    }
    assert_in_range(stops, 0, 2 * N); /* a cold and a steady one each */
    assert_int_equal(decide_of(&f, p, false).candidate, 6);
    le__policy_free(&f.policy);
}

enum { CALLS = 2000 };

/* Seconds of so many calls, where each takes `truth`, the first of a candidate `first`. */
static double calls_of(fixture *f, int p, const double *first, const double *truth, bool *cold,
                       int calls)
{
    double now[FIXTURE_MAX], waited = 0.0;
    for (int i = 0; i < calls; i++) {
        for (int k = 0; k < f->n; k++)
            now[k] = cold[k] ? first[k] : truth[k];
        waited += call_of(f, p, now, cold);
    }
    return waited;
}

/* Whoever runs first, and whatever is known of cold runs by then. */
static void a_slow_first_run_is_found_out(void **state)
{
    (void)state;
    const double slower[] = {4.0, 6.0, 10.0, 20.0};
    for (size_t i = 0; i < sizeof slower / sizeof *slower; i++)
        for (int fast = 0; fast < 2; fast++) {
            double truth[2] = {20e-3, 20e-3}, first[2] = {21e-3, 21e-3};
            bool cold[2] = {true, true};
            fixture f = fixture_of(2, 1, NULL);
            int p = problem_of(&f, 5.0);
            truth[fast] = 10e-3;
            first[fast] = slower[i] * 10e-3;
            calls_of(&f, p, first, truth, cold, CALLS);
            if (decide_of(&f, p, false).candidate != fast)
                fail_msg("%g times slower at first, candidate %d: never found out", slower[i], fast);
            le__policy_free(&f.policy);
        }
}

static void start_of(fixture *f, int p, int candidate, double seconds)
{
    f->now += seconds;
    le__policy_sample s = {.family = f->family, .problem = p, .candidate = candidate,
                           .why = LE__WHY_EXPLOIT, .start = true, .n = 1, .mean_log = log(seconds),
                           .seconds = seconds, .weight = 1.0, .now = f->now};
    le__policy_observe(f->policy, &s);
}

/* A start is slower than a steady run, so that a steady run which takes three times as long was
 * disturbed: the candidate gets another chance. */
static void a_run_slower_than_a_start_is_doubted(void **state)
{
    (void)state;
    double truth[2] = {8.5e-3, 15e-3};
    bool cold[2] = {false, true};
    fixture f = fixture_of(2, 1, NULL);
    int p = problem_of(&f, 5.0);
    start_of(&f, p, 0, 9e-3);
    run_of(&f, p, 0, LE__WHY_EXPLOIT, false, 29e-3);
    for (int i = 0; i < 10; i++)
        run_of(&f, p, 1, LE__WHY_EXPLOIT, i == 0, truth[1]);
    cold[1] = false;
    calls_of(&f, p, truth, truth, cold, 60);
    assert_int_equal(decide_of(&f, p, false).candidate, 0);
    le__policy_free(&f.policy);
}

/* All its steady runs were disturbed, by far and for as long as they lasted: its first run, which was
 * faster than the one that answers since, says so. */
static void a_bad_phase_is_not_for_ever(void **state)
{
    (void)state;
    const double slower[] = {1.5, 4.0, 8.0, 15.0};
    for (size_t i = 0; i < sizeof slower / sizeof *slower; i++) {
        const double truth[2] = {5e-3, 8.7e-3};
        bool cold[2] = {false, false};
        fixture f = fixture_of(2, 1, NULL);
        int p = problem_of(&f, 5.0);
        run_of(&f, p, 0, LE__WHY_EXPLOIT, true, 4.3e-3);
        for (int k = 0; k < 6; k++)
            run_of(&f, p, 0, LE__WHY_EXPLOIT, false, slower[i] * 8.7e-3);
        for (int k = 0; k < 10; k++)
            run_of(&f, p, 1, LE__WHY_EXPLOIT, k == 0, truth[1]);
        calls_of(&f, p, truth, truth, cold, 2000);
        if (decide_of(&f, p, false).candidate != 0)
            fail_msg("%g times slower for a while: never found out", slower[i]);
        le__policy_free(&f.policy);
    }
}

/* On two problems, so that one is foreseen from the other: starts alone tell no time of any. */
static void starts_alone_tell_nothing(void **state)
{
    (void)state;
    fixture f = fixture_of(1, 1, NULL);
    int p[2] = {problem_of(&f, 5.0), problem_of(&f, 50.0)};
    for (int i = 0; i < 2; i++) {
        start_of(&f, p[i], 0, 1e-3 * (i + 1));
        le__policy_decision d = decide_of(&f, p[i], false);
        assert_true(d.seconds == 0.0 && isinf(d.high));
    }
    for (int i = 0; i < 3; i++)
        run_of(&f, p[1], 0, LE__WHY_ONLY, i == 0, 2e-3);
    le__policy_decision d = decide_of(&f, p[1], false);
    assert_near(d.seconds, 2e-3, 0.2e-3);
    assert_true(d.high < 2.0 * d.low);
    le__policy_free(&f.policy);
}

/* One that was chosen from outside, and is stopped for others that have run, answers in the end. */
static void nothing_is_stopped_twice(void **state)
{
    (void)state;
    bool cold[2] = {true, false};
    fixture f = fixture_of(2, 1, NULL);
    int p = problem_of(&f, 5.0);
    run_of(&f, p, 1, LE__WHY_EXPLOIT, true, 1e-4); /* of what is brief a stop says nothing */
    le__policy_set_incumbent(f.policy, f.family, p, 0);
    call_of(&f, p, (const double[]){1.0, 1e-4}, cold); /* looks at the second answer's stop */
    le__policy_free(&f.policy);
}

/* Of two claims one is wrong by so much that the other does not seem worth a run. */
static void a_wrong_claim_is_found_out(void **state)
{
    (void)state;
    const double claims[] = {30.0, 60.0};
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        const double truth[2] = {1e-3, 2e-3};
        bool cold[2] = {true, true};
        fixture f = fixture_of(2, 1, NULL);
        int p = problem_of(&f, 5.0);
        f.allowed[0].speed = 1.0;
        f.allowed[1].speed = claims[i];
        calls_of(&f, p, truth, truth, cold, CALLS);
        assert_int_equal(decide_of(&f, p, false).candidate, 0);
        le__policy_free(&f.policy);
    }
}

/* Looking at who seems lost, and is, takes next to nothing of a problem that is called for long. */
static void second_looks_are_rare(void **state)
{
    (void)state;
    enum { N = 12 };
    double truth[N], first[N];
    bool cold[N];
    fixture f = fixture_of(N, 1, NULL);
    int p = problem_of(&f, 5.0);
    for (int k = 0; k < N; k++) {
        truth[k] = 1e-3 * (1.0 + k);
        first[k] = truth[k] * (k ? 5.0 : 1.0);
        cold[k] = true;
    }
    calls_of(&f, p, first, truth, cold, 500);
    double later = calls_of(&f, p, first, truth, cold, 5000);
    assert_int_equal(decide_of(&f, p, false).candidate, 0);
    assert_true(later <= 1.006 * 5000 * truth[0]);
    assert_true(later > 1.0001 * 5000 * truth[0]); /* there were some */
    le__policy_free(&f.policy);
}

/* Runs after a trial are no measurements, but who was fast in one is not slower. */
static void a_fast_start_is_believed(void **state)
{
    (void)state;
    fixture f = fixture_of(2, 1, NULL);
    int p = problem_of(&f, 5.0);
    run_of(&f, p, 0, LE__WHY_EXPLOIT, true, 20e-3);
    for (int i = 0; i < 3; i++) {
        le__policy_sample s = {.family = f.family, .problem = p, .candidate = 0, .start = true,
                               .n = 1, .mean_log = log(0.5e-3), .seconds = 0.5e-3,
                               .now = f.now += 0.5e-3};
        le__policy_observe(f.policy, &s);
    }
    run_of(&f, p, 1, LE__WHY_EXPLORE, true, 1e-3);
    assert_int_equal(decide_of(&f, p, false).candidate, 0);
    run_of(&f, p, 1, LE__WHY_EXPLOIT, false, 0.2e-3);
    assert_int_equal(decide_of(&f, p, false).candidate, 1);
    le__policy_free(&f.policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noisy_cold_runs_decide_nothing),
        cmocka_unit_test(a_slow_first_run_is_found_out),
        cmocka_unit_test(a_run_slower_than_a_start_is_doubted),
        cmocka_unit_test(a_bad_phase_is_not_for_ever),
        cmocka_unit_test(starts_alone_tell_nothing),
        cmocka_unit_test(nothing_is_stopped_twice),
        cmocka_unit_test(a_wrong_claim_is_found_out),
        cmocka_unit_test(second_looks_are_rare),
        cmocka_unit_test(a_fast_start_is_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
