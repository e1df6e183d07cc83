/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * When exploring runs are stopped, and which are not begun.
 */
#include "policy_test.h"

static void exploring_runs_are_stopped(void **state)
{
    (void)state;
    const double truth[] = {1.0, 40.0, 2.0, 500.0, 0.9, 7.0};
    bool cold[6] = {true, true, true, true, true, true};
    fixture f = fixture_of(6, 1, NULL);
    int p = problem_of(&f, 5.0);
    double total = 0.0, longest = 0.0;
    for (int i = 0; i < 60; i++) {
        double waited = call_of(&f, p, truth, cold);
        total += waited;
        longest = fmax(longest, waited);
    }
    assert_true(longest <= 4.0);
    assert_true(total <= 60.0 * 0.9 + 20.0);
    assert_int_equal(decide_of(&f, p, false).candidate, 4);
    le__policy_free(&f.policy);
}

/* Where runs vary, what the best known should take may be far above what callers have had: an exploring
 * run is measured by the least mean of those. */
static void what_was_seen_stops_too(void **state)
{
    (void)state;
    enum { N = 6, SEEDS = 40, CALLS = 8 };
    uint64_t rng = seed_of_run();
    int explored = 0;
    for (int seed = 0; seed < SEEDS; seed++) {
        fixture f = fixture_of(N, 1, NULL);
        int p = problem_of(&f, 5.0);
        double truth[N], sum[N] = {0}, longest = 0.0;
        int runs[N] = {0}, cuts[N] = {0};
        for (int c = 0; c < N; c++)
            truth[c] = exp(uniform_of(&rng) * 2.5);
        for (int i = 0; i < CALLS; i++) {
            le__policy_decision d = decide_of(&f, p, true);
            double least = INFINITY, seconds = truth[d.candidate] * exp(0.4 * normal_of(&rng));
            for (int c = 0; c < N; c++)
                if (runs[c])
                    least = fmin(least, exp(sum[c] / runs[c]));
            bool calm = !(le__policy_slowness(f.policy, 0, f.now) > 1.0);
            bool exploring = d.why == LE__WHY_EXPLORE && least < INFINITY && calm;
            explored += exploring;
            if (exploring)
                longest = fmax(longest, d.stop_seconds / least);
            bool cut = seconds > d.stop_seconds, cold = runs[d.candidate] + cuts[d.candidate] == 0;
            seconds = fmin(seconds, d.stop_seconds);
            f.now += seconds;
            le__policy_sample s = {.family = f.family, .problem = p, .candidate = d.candidate,
                                   .why = d.why, .cold = cold, .cut = cut, .n = 1,
                                   .mean_log = log(seconds), .seconds = seconds,
                                   .weight = cut ? 0.0 : 1.0, .now = f.now};
            le__policy_observe(f.policy, &s);
            sum[d.candidate] += cut ? 0.0 : log(seconds);
            runs[d.candidate] += !cut;
            cuts[d.candidate] += cut;
        }
        if (longest > 2.51)
            print_message("seed %d: stopped at %g times the least mean\n", seed, longest);
        assert_true(longest <= 2.51);
        le__policy_free(&f.policy);
    }
    assert_true(explored > 3 * SEEDS);
}

/* Calls that the second of two candidates got, whose run cannot be stopped. */
static int runs_of_second(double at_least)
{
    const double truth[] = {1.0, 0.5};
    int runs = 0;
    fixture f = fixture_of(2, 2, NULL);
    int p = problem_of(&f, 5.0);
    f.allowed[1].unstoppable = true;
    f.allowed[1].at_least = at_least;
    for (int i = 0; i < 60; i++) {
        le__policy_decision d = decide_of(&f, p, i > 0);
        double seconds = truth[d.candidate];
        le__policy_sample s = {.family = f.family,
                               .problem = p,
                               .candidate = d.candidate,
                               .why = d.why,
                               .n = 1,
                               .mean_log = log(seconds),
                               .seconds = seconds,
                               .weight = 1.0,
                               .now = f.now += seconds};
        le__policy_observe(f.policy, &s);
        runs += d.candidate;
    }
    le__policy_free(&f.policy);
    return runs;
}

/* Whoever was seen elsewhere to take longer than an exploring run may is not begun. */
static void what_takes_too_long_does_not_begin(void **state)
{
    (void)state;
    assert_true(runs_of_second(0.0) > 0);
    assert_true(runs_of_second(2.0) > 0);
    assert_int_equal(runs_of_second(3.5), 0);
}

/* The answer after a stopped run may be disturbed: one of milliseconds takes twice as long then. */
static void brief_runs_are_stopped_sooner(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        double best = i ? 0.1 : 2e-3;
        fixture f = fixture_of(2, 1, NULL);
        int p = problem_of(&f, 5.0);
        run_of(&f, p, 0, LE__WHY_EXPLOIT, true, best);
        for (int k = 0; k < 5; k++)
            run_of(&f, p, 0, LE__WHY_EXPLOIT, false, best);
        le__policy_decision d = decide_of(&f, p, true);
        assert_int_equal(d.why, LE__WHY_EXPLORE);
        assert_int_equal(d.candidate, 1);
        assert_near(d.stop_seconds / best, i ? 2.5 : 2.3, 0.01);
        le__policy_free(&f.policy);
    }
}

/* One that has run once gives way to a better guess, which may be wrong. */
static void a_guess_that_answers_is_stopped(void **state)
{
    (void)state;
    for (int deaf = 0; deaf < 2; deaf++) {
        fixture f = fixture_of(2, 1, NULL);
        int p = problem_of(&f, 5.0);
        f.allowed[0].speed = 1.0;
        f.allowed[1].speed = 10.0;
        f.allowed[1].unstoppable = deaf;
        run_of(&f, p, 0, LE__WHY_EXPLOIT, true, 1.0);
        le__policy_decision d = decide_of(&f, p, false);
        assert_int_equal(d.candidate, 1);
        assert_int_equal(d.why, LE__WHY_EXPLOIT);
        assert_int_equal(d.reuse_calls, 0);
        assert_true(deaf ? isinf(d.stop_seconds) : fabs(d.stop_seconds - 2.5) < 1e-9);
        if (!deaf) {
            bool cold[2] = {false, true};
            const double truth[2] = {1.0, 50.0};
            assert_near(call_of(&f, p, truth, cold), 3.5, 1e-9);
            assert_int_equal(decide_of(&f, p, false).candidate, 0);
            assert_near(le__policy_answered(f.policy, f.family), 2.0, 1e-9);
        }
        le__policy_free(&f.policy);
    }
}

/* Also where a stopped run says nothing, for it was brief. */
static void who_answers_after_a_stop_has_run(void **state)
{
    (void)state;
    fixture f = fixture_of(3, 1, NULL);
    int p = problem_of(&f, 5.0);
    f.allowed[1].speed = 10.0;
    f.allowed[2].speed = 20.0;
    run_of(&f, p, 0, LE__WHY_EXPLOIT, true, 1e-4);
    le__policy_decision d = decide_after_stop(&f, p);
    assert_int_equal(d.candidate, 0);
    assert_true(isinf(d.stop_seconds));
    le__policy_free(&f.policy);
}

/* A candidate whose first run was slow, and whose second one was stopped; whether it ever answers. */
static bool answers_after_a_stop(double weight)
{
    const double truth[] = {1.0, 0.3};
    bool cold[2] = {false, false}, answers = false;
    fixture f = fixture_of(2, 1, NULL);
    int p = problem_of(&f, 5.0);
    run_of(&f, p, 0, LE__WHY_EXPLOIT, true, 1.0);
    for (int i = 0; i < 3; i++)
        run_of(&f, p, 0, LE__WHY_EXPLOIT, false, 1.0);
    run_of(&f, p, 1, LE__WHY_EXPLORE, true, 2.0);
    le__policy_sample stop = {.family = f.family, .problem = p, .candidate = 1,
                              .why = LE__WHY_EXPLORE, .cut = true, .n = 1, .mean_log = log(2.8),
                              .seconds = 2.8, .weight = weight, .now = f.now += 2.8};
    le__policy_observe(f.policy, &stop);
    for (int i = 0; i < 1000 && !answers; i++) {
        call_of(&f, p, truth, cold);
        answers = decide_of(&f, p, false).candidate == 1;
    }
    le__policy_free(&f.policy);
    return answers;
}

/* Of a run that was stopped while others used the machine nobody knows who was slow. */
static void a_stop_under_load_is_no_end(void **state)
{
    (void)state;
    assert_false(answers_after_a_stop(1.0));
    assert_true(answers_after_a_stop(0.2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exploring_runs_are_stopped),
                                       cmocka_unit_test(what_was_seen_stops_too),
                                       cmocka_unit_test(what_takes_too_long_does_not_begin),
        cmocka_unit_test(a_stop_under_load_is_no_end),
                                       cmocka_unit_test(brief_runs_are_stopped_sooner),
        cmocka_unit_test(a_guess_that_answers_is_stopped),
                                       cmocka_unit_test(who_answers_after_a_stop_has_run)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
