/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The policy's statistics against values worked out by other means, and its budget and slowness
 * arithmetic.
 */
#include "policy_test.h"

#include "policy/policy_internal.h"

static void moments_of_known_numbers(void **state)
{
    (void)state;
    /* 2 4 4 4 5 5 7 9: mean 5, sum of squares about it 32 */
    const double x[] = {2, 4, 4, 4, 5, 5, 7, 9};
    le__log_stats s = {0};
    for (int i = 0; i < 8; i++)
        le__log_stats_add(&s, 1.0, x[i], 0.0);
    assert_near(s.n, 8.0, 1e-12);
    assert_near(s.mean, 5.0, 1e-12);
    assert_near(s.m2, 32.0, 1e-12);
    /* The halves apart: 2 4 4 4 (3.5, 3) and 5 5 7 9 (6.5, 11). */
    le__log_stats halves = {4.0, 3.5, 3.0};
    le__log_stats_add(&halves, 4.0, 6.5, 11.0);
    assert_near(halves.mean, 5.0, 1e-12);
    assert_near(halves.m2, 32.0, 1e-12);
    le__log_stats_add(&halves, 0.0, 100.0, 0.0);
    assert_near(halves.n, 8.0, 1e-12);
}

static void forgetting_keeps_mean_and_variance(void **state)
{
    (void)state;
    le__log_stats s = {8.0, 5.0, 32.0};
    le__log_stats_cap(&s, 4.0);
    assert_near(s.n, 4.0, 1e-12);
    assert_near(s.mean, 5.0, 1e-12);
    assert_near(s.m2 / s.n, 4.0, 1e-12);
}

static void variance_is_shrunk(void **state)
{
    (void)state;
    le__log_stats none = {0}, one = {1.0, 3.0, 0.0}, many = {9.0, 0.0, 16.0};
    assert_near(le__log_stats_var(&none, 0.5, 2.0), 0.5, 1e-12);
    assert_near(le__log_stats_var(&one, 0.5, 2.0), 0.5, 1e-12);
    assert_near(le__log_stats_var(&many, 0.5, 2.0), (1.0 + 16.0) / 10.0, 1e-12);
}

static void beliefs_add_precisions(void **state)
{
    (void)state;
    le__belief a = {1.0, 1.0}, b = {4.0, 0.5}, both = le__belief_join(a, b);
    assert_near(both.mean, 3.0, 1e-12); /* (1*1 + 4*2) / 3 */
    assert_near(both.var, 1.0 / 3.0, 1e-12);
    assert_near(le__belief_join(a, le__no_belief).mean, 1.0, 0.0);
    assert_false(le__belief_known(le__belief_join(le__no_belief, le__no_belief)));
}

static void normal_distribution(void **state)
{
    (void)state;
    assert_near(le__normal_cdf(0.0), 0.5, 1e-12);
    assert_near(le__normal_cdf(1.959963984540054), 0.975, 1e-9);
    assert_near(le__normal_cdf(-1.2815515655446004), 0.1, 1e-9);
    /* E max(0, N(-b, s^2)): s pdf(0); pdf(1) - (1 - cdf(1)); and without doubt */
    assert_near(le__expected_gain(0.0, 2.0), 2.0 * 0.3989422804, 1e-9);
    assert_near(le__expected_gain(1.0, 1.0), 0.2419707245 - 0.1586552539, 1e-9);
    assert_near(le__expected_gain(-3.0, 0.0), 3.0, 1e-12);
    assert_near(le__expected_gain(3.0, 0.0), 0.0, 1e-12);
    assert_near(le__expected_seconds((le__belief){log(2.0), 0.02}), 2.0 * exp(0.01), 1e-9);
}

static void cold_runs_by_factor(void **state)
{
    (void)state;
    le__cold_model c;
    le__cold_init(&c);
    le__belief before = le__cold_predict(&c, 0.0);
    for (int i = 0; i < 8; i++)
        le__cold_learn(&c, log(0.93 * (i + 1)), log(i + 1.0));
    le__belief after = le__cold_predict(&c, log(0.93 * 20.0));
    assert_near(exp(after.mean), 20.0, 0.01);
    assert_true(after.var < 0.2 * before.var);
}

static void cold_runs_by_constant(void **state)
{
    (void)state;
    const double warm[] = {0.003, 0.02, 0.08, 0.004, 0.15, 0.01, 0.05, 0.006};
    le__cold_model c;
    le__cold_init(&c);
    for (int i = 0; i < 8; i++)
        le__cold_learn(&c, log(warm[i] + 0.009), log(warm[i]));
    assert_near(exp(le__cold_predict(&c, log(0.012)).mean), 0.003, 1e-4);
    assert_near(exp(le__cold_predict(&c, log(0.209)).mean), 0.2, 1e-3);
}

static void account(void **state)
{
    (void)state;
    le__budget b = {.since_explored = -1.0};
    assert_true(le__budget_debt(&b, 1.0) <= 0.0);
    le__budget_pay(&b, LE__WHY_EXPLORE, 3.0);
    assert_near(le__budget_debt(&b, 0.5), 3.0, 1e-12);
    le__budget_pay(&b, LE__WHY_EXPLOIT, 3.0);
    assert_near(le__budget_debt(&b, 1.0), 0.0, 1e-12);
    assert_near(le__budget_debt(&b, 0.5), 1.5, 1e-12);
    le__budget_pay(&b, LE__WHY_EXPLORE, 7.0); /* a candidate's first run */
    le__budget_forgive(&b, 7.0);
    assert_near(le__budget_debt(&b, 1.0), 0.0, 1e-12);
    assert_false(le__budget_pending(&b, 5.0));
    b.since_explored = 5.0; /* one is under way */
    assert_true(le__budget_pending(&b, 6.0));
    assert_false(le__budget_pending(&b, 1000.0));
}

static le__resource calm(void)
{
    return (le__resource){.alarm_candidate = -1, .calm_candidate = -1};
}

static void slowness_comes_and_goes(void **state)
{
    (void)state;
    le__resource r = calm();
    assert_int_equal(le__slow_observe(&r, 0, log(1.1), 0.05, 1.0, 1.0), LE__SLOW_NONE);
    assert_int_equal(le__slow_observe(&r, 0, log(3.0), 0.05, 2.0, 2.0), LE__SLOW_ON);
    assert_near(exp(le__slow_now(&r, 2.0)), 3.0, 1e-9);
    assert_int_equal(le__slow_observe(&r, 0, log(2.0), 0.05, 3.0, 3.0), LE__SLOW_ON);
    assert_near(le__slow_now(&r, 3.0), 0.5 * (log(3.0) + log(2.0)), 1e-9);
    assert_int_equal(le__slow_observe(&r, 0, log(1.05), 0.05, 4.0, 4.0), LE__SLOW_CALM);
    assert_near(le__slow_now(&r, 4.0), 0.0, 1e-12);
}

static void slowness_needs_to_be_clear(void **state)
{
    (void)state;
    le__resource r = calm();
    assert_int_equal(le__slow_observe(&r, 0, log(2.0), 0.3, 1.0, 1.0), LE__SLOW_NONE);
    assert_int_equal(le__slow_observe(&r, 0, log(1.25), 0.01, 1.0, 1.0), LE__SLOW_NONE);
}

static void slowness_is_forgotten(void **state)
{
    (void)state;
    le__resource r = calm();
    le__slow_observe(&r, 0, log(4.0), 0.05, 0.0, 0.0);
    assert_near(exp(le__slow_now(&r, 600.0)), 2.0, 1e-9);
    assert_near(le__slow_now(&r, 1e5), 0.0, 0.0);
}

static void one_candidate_is_to_blame(void **state)
{
    (void)state;
    le__resource r = calm();
    assert_int_equal(le__slow_observe(&r, 3, log(3.0), 0.05, 1.0, 1.0), LE__SLOW_ON);
    assert_int_equal(le__slow_observe(&r, 4, 0.0, 0.05, 2.0, 2.0), LE__SLOW_CALM);
    assert_int_equal(le__slow_observe(&r, 3, log(3.0), 0.05, 3.0, 3.0), LE__SLOW_OWN);
    assert_near(le__slow_now(&r, 3.0), 0.0, 0.0);
}

static void probes_cost_a_bounded_share(void **state)
{
    (void)state;
    for (double factor = 1.05; factor < 1000.0; factor *= 1.5) {
        double loss = factor - 1.0, gap = le__slow_probe_gap(1.0, loss);
        assert_true(loss / gap < 0.65);
        assert_true(gap <= le__slow_probe_gap(1.0, loss * 1.5));
        assert_near(le__slow_probe_gap(5.0, 5.0 * loss), 5.0 * gap, 1e-9 * gap);
    }
    le__resource r = calm();
    assert_near(le__slow_waited(&r, 10.0, 10.0), 10.0, 1e-12);
    assert_true(le__slow_waited(&r, 1000.0, 10.0) > 10.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moments_of_known_numbers),
        cmocka_unit_test(forgetting_keeps_mean_and_variance),
        cmocka_unit_test(variance_is_shrunk),
        cmocka_unit_test(beliefs_add_precisions),
        cmocka_unit_test(normal_distribution),
        cmocka_unit_test(cold_runs_by_factor),
        cmocka_unit_test(cold_runs_by_constant),
        cmocka_unit_test(account),
        cmocka_unit_test(slowness_comes_and_goes),
        cmocka_unit_test(slowness_needs_to_be_clear),
        cmocka_unit_test(slowness_is_forgotten),
        cmocka_unit_test(one_candidate_is_to_blame),
        cmocka_unit_test(probes_cost_a_bounded_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
