/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Decisions: what is chosen, when exploring is allowed, what makes a choice change.
 */
#include "policy_test.h"

static void nothing_allowed_or_unknown(void **state)
{
    (void)state;
    fixture f = fixture_of(2, 1, NULL);
    le__policy_decision d;
    le__policy_question q = question_of(&f, problem_of(&f, 10.0), true);
    q.n_allowed = 0;
    assert_int_equal(le__policy_decide(f.policy, &q, &d), -1);
    q = question_of(&f, 99, true);
    assert_int_equal(le__policy_decide(f.policy, &q, &d), -1);
    assert_null(le__policy_race_new(f.policy, &q));
    assert_int_equal(le__policy_incumbent(f.policy, f.family, 99), -1);
    /* Nonsense is not learnt. */
    int p = problem_of(&f, 10.0);
    le__policy_sample s = {.family = f.family, .problem = p, .mean_log = NAN, .n = 1};
    le__policy_observe(f.policy, &s);
    s.mean_log = INFINITY;
    le__policy_observe(f.policy, &s);
    s.mean_log = 0.0;
    s.candidate = 77;
    le__policy_observe(f.policy, &s);
    q = question_of(&f, p, false);
    le__policy_view rows[2];
    le__policy_explain(f.policy, &q, rows);
    assert_near(rows[0].samples, 0.0, 0.0);
    le__policy_free(&f.policy);
    assert_null(f.policy);
    le__policy_free(&f.policy);
}

/* It is paid for, and nobody is believed to take as long. */
static void a_start_tells_nothing(void **state)
{
    (void)state;
    for (int start = 0; start < 2; start++) {
        fixture f = fixture_of(2, 1, NULL);
        int p = problem_of(&f, 10.0);
        le__policy_sample s = {.family = f.family, .problem = p, .mean_log = log(1.0), .n = 1,
                               .cold = true, .start = start};
        le__policy_observe(f.policy, &s);
        le__policy_question q = question_of(&f, p, false);
        le__policy_view rows[2];
        le__policy_explain(f.policy, &q, rows);
        assert_near(rows[0].samples, start ? 0.0 : 1.0, 0.0);
        s.mean_log = log(1e-3);
        s.cold = s.start = false;
        le__policy_observe(f.policy, &s);
        le__policy_explain(f.policy, &q, rows);
        assert_true(!start || rows[0].seconds < 1.1e-3);
        le__policy_free(&f.policy);
    }
}

static void ids_are_stable(void **state)
{
    (void)state;
    le__policy *policy = le__policy_new(NULL);
    int a = le__policy_family(policy, 11), b = le__policy_family(policy, 12);
    assert_int_not_equal(a, b);
    assert_int_equal(le__policy_family(policy, 11), a);
    le__policy_candidate c = {.resource = 1};
    int first = le__policy_add_candidate(policy, a, 5, &c);
    assert_int_equal(le__policy_add_candidate(policy, a, 5, &c), first);
    assert_int_not_equal(le__policy_add_candidate(policy, a, 6, &c), first);
    c.resource = -1;
    assert_int_equal(le__policy_add_candidate(policy, a, 7, &c), -1);
    assert_int_equal(le__policy_add_candidate(policy, 55, 7, &c), -1);
    le__policy_free(&policy);
}

static void first_answer_is_the_best_prior(void **state)
{
    (void)state;
    le__policy *policy = le__policy_new(NULL);
    int family = le__policy_family(policy, 1);
    const double speeds[] = {1.0, 8.0, 3.0};
    le__policy_allowed allowed[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        le__policy_candidate c = {.speed = speeds[i]};
        allowed[i].candidate = le__policy_add_candidate(policy, family, (uint64_t)i, &c);
    }
    le__policy_features work = {.work = 1e6};
    le__policy_question q = {.family = family, .allowed = allowed, .n_allowed = 3,
                             .problem = le__policy_add_problem(policy, family, 1, &work),
                             .may_explore = true};
    le__policy_decision d;
    assert_int_equal(le__policy_decide(policy, &q, &d), 0);
    assert_int_equal(d.candidate, 1);
    assert_int_equal(d.why, LE__WHY_EXPLOIT);
    assert_int_equal((int)d.reuse_calls, 0);
    q.n_allowed = 1;
    assert_int_equal(le__policy_decide(policy, &q, &d), 0);
    assert_int_equal(d.why, LE__WHY_ONLY);
    le__policy_free(&policy);
}

/* A speed for this problem stands before that of the candidate, for the first answer and for what
 * the others' times suggest. */
static void a_speed_for_one_problem(void **state)
{
    (void)state;
    fixture f = fixture_of(3, 1, NULL);
    int p = problem_of(&f, 10.0);
    le__policy_question q = question_of(&f, p, false);
    f.allowed[0].speed = 2.0;
    f.allowed[1].speed = 1.0;
    f.allowed[2].speed = 200.0;
    le__policy_decision d;
    assert_int_equal(le__policy_decide(f.policy, &q, &d), 0);
    assert_int_equal(d.index, 2);
    for (int i = 0; i < 4; i++) {
        le__policy_sample s = {.family = f.family, .problem = p, .n = 1};
        le__policy_observe(f.policy, &s);
    }
    le__policy_view rows[3];
    le__policy_explain(f.policy, &q, rows);
    assert_near(rows[0].seconds, 1.0, 0.1);
    assert_true(rows[1].seconds > 1.5 && rows[2].seconds < 0.1);
    assert_int_equal(le__policy_decide(f.policy, &q, &d), 0);
    assert_int_equal(d.index, 2);
    le__policy_free(&f.policy);
}

static void explores_and_finds_the_best(void **state)
{
    (void)state;
    uint64_t seed = seed_of_run();
    const double truth[] = {3.0, 1.5, 1.0, 2.0};
    fixture f = fixture_of(4, 2, NULL);
    int p = problem_of(&f, 1.0), explored = 0;
    for (int i = 0; i < 200; i++) {
        le__policy_decision d = decide_of(&f, p, true);
        explored += d.why == LE__WHY_EXPLORE;
        run_of(&f, p, d.candidate, d.why, false, truth[d.candidate] * exp(0.03 * normal_of(&seed)));
    }
    le__policy_decision d = decide_of(&f, p, false);
    assert_int_equal(d.candidate, 2);
    assert_true(explored >= 3 && explored <= 15);
    assert_true(d.low < 1.0 && d.high > 1.0 && d.high / d.low < 1.5);
    assert_true(d.alarm_seconds > d.high);
    assert_true(d.reuse_calls >= 10);
    le__policy_free(&f.policy);
}

/* At every moment: explored <= share * answered + one run, without each candidate's first run. */
static void account_holds_on_random_machines(void **state)
{
    (void)state;
    uint64_t seed = seed_of_run();
    for (int rep = 0; rep < 60; rep++) {
        double share = rep % 3 == 0 ? 1.0 : 0.1 + uniform_of(&seed);
        le__policy_options options = {.explore_share = share};
        int n = 2 + (int)(uniform_of(&seed) * 12.0);
        fixture f = fixture_of(n, 3, &options);
        double base[FIXTURE_MAX], answered = 0.0, explored = 0.0, first = 0.0;
        bool seen[FIXTURE_MAX] = {false};
        for (int c = 0; c < n; c++)
            base[c] = exp(2.0 * normal_of(&seed));
        for (int i = 0; i < 300; i++) {
            double work = floor(exp(uniform_of(&seed) * 6.0));
            int p = problem_of(&f, work);
            le__policy_decision d = decide_of(&f, p, true);
            double seconds = base[d.candidate] * (1.0 + 0.1 * work) * exp(0.1 * normal_of(&seed));
            if (d.why == LE__WHY_EXPLORE || d.why == LE__WHY_PROBE) {
                assert_true(!seen[d.candidate] || explored - first <= share * answered + 1e-9);
                explored += seconds;
                first += seen[d.candidate] ? 0.0 : seconds;
            } else {
                answered += seconds;
            }
            run_of(&f, p, d.candidate, d.why, false, seconds);
            seen[d.candidate] = true;
        }
        le__policy_account account;
        le__policy_get_account(f.policy, f.family, &account);
        assert_near(account.explored, explored, 1e-6 * explored);
        assert_near(account.answered, answered, 1e-6 * answered);
        assert_true(account.choice_regret <= account.answered);
        le__policy_free(&f.policy);
    }
}

static void never_explores_when_told(void **state)
{
    (void)state;
    le__policy_options never = {.explore_share = -1.0};
    fixture a = fixture_of(3, 1, &never), b = fixture_of(3, 1, NULL);
    for (int i = 0; i < 50; i++) {
        le__policy_decision d = decide_of(&a, problem_of(&a, 5.0), true);
        assert_int_equal(d.candidate, 0);
        run_of(&a, problem_of(&a, 5.0), d.candidate, d.why, false, 1.0);
        d = decide_of(&b, problem_of(&b, 5.0), false);
        assert_int_equal(d.candidate, 0);
        run_of(&b, problem_of(&b, 5.0), d.candidate, d.why, false, 1.0);
    }
    le__policy_free(&a.policy);
    le__policy_free(&b.policy);
}

static void one_exploring_run_at_a_time(void **state)
{
    (void)state;
    fixture f = fixture_of(3, 1, NULL);
    int p = problem_of(&f, 5.0);
    for (int i = 0; i < 5; i++)
        run_of(&f, p, 0, LE__WHY_EXPLOIT, i == 0, 1.0);
    assert_int_equal(decide_of(&f, p, true).why, LE__WHY_EXPLORE);
    assert_int_equal(decide_of(&f, p, true).why, LE__WHY_EXPLOIT);
    le__policy_cancel(f.policy, f.family);
    assert_int_equal(decide_of(&f, p, true).why, LE__WHY_EXPLORE);
    le__policy_free(&f.policy);
}

static void measure_all(fixture *f, int p, const double *seconds, int runs)
{
    for (int k = 0; k < runs; k++)
        for (int c = 0; c < f->n; c++)
            run_of(f, p, c, LE__WHY_MEASURE, false, seconds[c] * (k % 2 ? 1.002 : 0.998));
}

static void a_challenger_needs_margin_and_confidence(void **state)
{
    (void)state;
    fixture f = fixture_of(2, 1, NULL);
    int p = problem_of(&f, 5.0);
    measure_all(&f, p, (const double[]){1.0, 0.996}, 40);
    le__policy_set_incumbent(f.policy, f.family, p, 0);
    assert_int_equal(decide_of(&f, p, false).candidate, 0); /* 0.4 %: within the margin */
    int q = problem_of(&f, 6.0);
    measure_all(&f, q, (const double[]){1.0, 0.95}, 20);
    le__policy_set_incumbent(f.policy, f.family, q, 0);
    assert_int_equal(decide_of(&f, q, false).candidate, 1); /* 5 %, sure */
    assert_int_equal(le__policy_incumbent(f.policy, f.family, q), 1);
    fixture g = fixture_of(2, 1, NULL);
    int r = problem_of(&g, 7.0);
    run_of(&g, r, 0, LE__WHY_MEASURE, false, 1.0);
    run_of(&g, r, 1, LE__WHY_MEASURE, false, 0.98);
    le__policy_set_incumbent(g.policy, g.family, r, 0);
    assert_int_equal(decide_of(&g, r, false).candidate, 0); /* 2 % by one run: not sure */
    le__policy_free(&f.policy);
    le__policy_free(&g.policy);
}

static void ties_go_by_canonical_order(void **state)
{
    (void)state;
    fixture f = fixture_of(3, 1, NULL);
    int p = problem_of(&f, 5.0);
    measure_all(&f, p, (const double[]){1.0, 1.0, 0.9999}, 2);
    assert_int_equal(decide_of(&f, p, false).candidate, 0);
    le__policy_free(&f.policy);
}

static size_t chosen_for(fixture *f, int p, le_objective objective)
{
    le__policy_question q = question_of(f, p, false);
    le__policy_decision d;
    q.objective = objective;
    assert_int_equal(le__policy_decide(f->policy, &q, &d), 0);
    return d.index;
}

static void objectives(void **state)
{
    (void)state;
    fixture f = fixture_of(3, 1, NULL);
    int p = problem_of(&f, 5.0);
    /* 0: fast on average, erratic; 1: steady; 2: slow, small */
    for (int i = 0; i < 40; i++) {
        run_of(&f, p, 0, LE__WHY_MEASURE, false, i % 2 ? 1.4 : 0.7);
        run_of(&f, p, 1, LE__WHY_MEASURE, false, i % 2 ? 1.201 : 1.199);
        run_of(&f, p, 2, LE__WHY_MEASURE, false, i % 2 ? 1.901 : 1.899);
    }
    const double memory[] = {3e9, 2e9, 1e6}, cpu[] = {8.0, 8.0, 1.0};
    for (int i = 0; i < 3; i++) {
        f.allowed[i].memory_bytes = memory[i];
        f.allowed[i].cpu_factor = cpu[i];
    }
    assert_int_equal((int)chosen_for(&f, p, LE_OBJECTIVE_TIME), 0);
    assert_int_equal((int)chosen_for(&f, p, LE_OBJECTIVE_P99), 1);
    assert_int_equal((int)chosen_for(&f, p, LE_OBJECTIVE_MEMORY), 2);
    assert_int_equal((int)chosen_for(&f, p, LE_OBJECTIVE_CPU_TIME), 2);
    le__policy_sample hungry = {.family = f.family, .problem = p, .candidate = 2, .why = LE__WHY_MEASURE,
                                .mean_log = log(1.9), .weight = 1.0, .memory_bytes = 4e9, .now = f.now};
    le__policy_observe(f.policy, &hungry); /* more than it says of itself */
    assert_int_equal((int)chosen_for(&f, p, LE_OBJECTIVE_MEMORY), 1);
    f.allowed[0].extra_seconds = 1.0; /* a transfer */
    assert_int_equal((int)chosen_for(&f, p, LE_OBJECTIVE_TIME), 1);
    le__policy_free(&f.policy);
}

static void load_of(fixture *f, int p, int candidate, double seconds, double trust)
{
    le__policy_stats s = {.n = 20, .mean_log = log(seconds), .m2_log = 19 * 0.02 * 0.02};
    le__policy_load(f->policy, f->family, p, candidate, &s, trust);
}

static void stored_times_decide_at_once(void **state)
{
    (void)state;
    fixture f = fixture_of(3, 1, NULL);
    int p = problem_of(&f, 5.0);
    const double seconds[] = {2.0, 1.0, 3.0};
    for (int i = 0; i < 3; i++)
        load_of(&f, p, i, seconds[i], 1.0);
    for (int i = 0; i < 20; i++) {
        le__policy_decision d = decide_of(&f, p, true);
        assert_int_equal(d.why, LE__WHY_EXPLOIT);
        assert_int_equal(d.candidate, 1);
        run_of(&f, p, d.candidate, d.why, i == 0, 1.0);
    }
    le__policy_free(&f.policy);
}

static void stale_times_are_replaced_by_three_runs(void **state)
{
    (void)state;
    fixture f = fixture_of(2, 1, NULL);
    int p = problem_of(&f, 5.0);
    load_of(&f, p, 0, 1.0, 0.3);
    load_of(&f, p, 1, 1.3, 0.3);
    for (int k = 0; k < 3; k++) {
        run_of(&f, p, 0, LE__WHY_MEASURE, false, 1.25); /* the new driver is slower here */
        run_of(&f, p, 1, LE__WHY_MEASURE, false, 1.0);
    }
    le__policy_decision d = decide_of(&f, p, false);
    assert_int_equal(d.candidate, 1);
    assert_near(d.seconds, 1.0, 0.05);
    le__policy_free(&f.policy);
}

static void only_an_added_candidate_is_measured(void **state)
{
    (void)state;
    fixture f = fixture_of(4, 1, NULL);
    int p = problem_of(&f, 5.0), tried[4] = {0};
    const double seconds[] = {1.0, 2.0, 1.5, 0.7};
    for (int i = 0; i < 3; i++)
        load_of(&f, p, i, seconds[i], 1.0);
    for (int i = 0; i < 60; i++) {
        le__policy_decision d = decide_of(&f, p, true);
        tried[d.candidate]++;
        run_of(&f, p, d.candidate, d.why, tried[d.candidate] == 1, seconds[d.candidate]);
    }
    assert_int_equal(tried[1] + tried[2], 0);
    assert_true(tried[3] > 40);
    le__policy_free(&f.policy);
}

static void contended_samples_weigh_less(void **state)
{
    (void)state;
    fixture f = fixture_of(2, 2, NULL);
    int p = problem_of(&f, 5.0);
    measure_all(&f, p, (const double[]){1.0, 1.1}, 10);
    for (int i = 0; i < 10; i++) {
        le__policy_sample s = {.family = f.family, .problem = p, .candidate = 0, .n = 1,
                               .why = LE__WHY_MEASURE, .mean_log = log(1.25), .weight = 0.02,
                               .now = f.now += 1.0};
        le__policy_observe(f.policy, &s);
    }
    assert_int_equal(decide_of(&f, p, false).candidate, 0);
    le__policy_free(&f.policy);
}

static void bulk_is_as_good_as_single_runs(void **state)
{
    (void)state;
    fixture a = fixture_of(1, 1, NULL), b = fixture_of(1, 1, NULL);
    int p = problem_of(&a, 5.0), q = problem_of(&b, 5.0);
    double sum = 0.0, squares = 0.0, x[16];
    uint64_t seed = 3;
    for (int i = 0; i < 16; i++) {
        x[i] = 0.02 * normal_of(&seed);
        run_of(&a, p, 0, LE__WHY_ONLY, false, exp(x[i]));
        sum += x[i];
    }
    for (int i = 0; i < 16; i++)
        squares += (x[i] - sum / 16) * (x[i] - sum / 16);
    le__policy_sample s = {.family = b.family, .problem = q, .n = 16, .mean_log = sum / 16,
                           .m2_log = squares, .why = LE__WHY_ONLY, .now = 16.0};
    le__policy_observe(b.policy, &s);
    le__policy_view one, bulk;
    le__policy_question qa = question_of(&a, p, false), qb = question_of(&b, q, false);
    le__policy_explain(a.policy, &qa, &one);
    le__policy_explain(b.policy, &qb, &bulk);
    assert_near(one.measured, bulk.measured, 1e-9);
    assert_near(one.measured_sd, bulk.measured_sd, 1e-9);
    assert_near(one.samples, bulk.samples, 1e-9);
    le__policy_free(&a.policy);
    le__policy_free(&b.policy);
}

static void slowness_is_shared_by_families(void **state)
{
    (void)state;
    fixture f = fixture_of(2, 2, NULL); /* 0 on resource 0, 1 on resource 1 */
    int p = problem_of(&f, 5.0);
    measure_all(&f, p, (const double[]){1.0, 1.5}, 10);
    le__policy_set_incumbent(f.policy, f.family, p, 0);
    fixture g = f; /* another operation on the same machine */
    g.family = le__policy_family(f.policy, 8);
    for (int i = 0; i < 2; i++) {
        le__policy_candidate c = {.resource = i};
        g.allowed[i].candidate = le__policy_add_candidate(f.policy, g.family, (uint64_t)i, &c);
    }
    int q = problem_of(&g, 5.0);
    measure_all(&g, q, (const double[]){0.1, 0.15}, 10);
    run_of(&g, q, 0, LE__WHY_EXPLOIT, false, 0.5);
    f.now = g.now;
    assert_true(le__policy_slowness(f.policy, 0, f.now) > 4.0);
    assert_int_equal(decide_of(&f, p, false).candidate, 1);
    run_of(&g, q, 0, LE__WHY_PROBE, false, 0.1);
    assert_near(le__policy_slowness(f.policy, 0, g.now), 1.0, 1e-9);
    assert_int_equal(decide_of(&f, p, false).candidate, 0);
    /* A disturbance does not change the choice that is kept. */
    assert_int_equal(le__policy_incumbent(f.policy, f.family, p), 0);
    le__policy_free(&f.policy);
}

/* A run that was stopped while it was cold says little: where cold runs are known to be slow, the best
 * is found all the same. */
static void a_stopped_cold_run_does_not_decide(void **state)
{
    (void)state;
    const double warm[] = {1.0, 1.1, 0.5, 8.0, 1.3};
    fixture f = fixture_of(5, 1, NULL);
    int p = problem_of(&f, 5.0);
    bool cold[5] = {true, true, true, true, true};
    for (int i = 0; i < 80; i++) {
        double now[5];
        for (int c = 0; c < 5; c++)
            now[c] = warm[c] + (cold[c] ? 3.0 : 0.0);
        call_of(&f, p, now, cold);
    }
    assert_int_equal(decide_of(&f, p, false).candidate, 2);
    le__policy_free(&f.policy);
}

/* Of a brief operation the first run of each candidate is mostly code that is read: all are stopped,
 * and no pair of a cold and a warm run is known yet. */
static void a_stopped_cold_run_of_a_brief_one_says_least(void **state)
{
    (void)state;
    const double warm[] = {50e-6, 52e-6, 40e-6, 300e-6, 60e-6};
    fixture f = fixture_of(5, 1, NULL);
    int p = problem_of(&f, 5.0);
    bool cold[5] = {false, true, true, true, true};
    run_of(&f, p, 0, LE__WHY_EXPLOIT, false, warm[0]);
    for (int i = 0; i < 80; i++) {
        double now[5];
        for (int c = 0; c < 5; c++)
            now[c] = warm[c] + (cold[c] ? 250e-6 : 0.0);
        call_of(&f, p, now, cold);
    }
    assert_int_equal(decide_of(&f, p, false).candidate, 2);
    le__policy_free(&f.policy);
}

/* Of a brief one's cold run too much is thought to be its start. That its steady runs take longer is
 * not the resource's fault: another one has been faster. */
static void a_hopeful_cold_run_raises_no_alarm(void **state)
{
    (void)state;
    fixture f = fixture_of(2, 1, NULL);
    int p = problem_of(&f, 5.0);
    run_of(&f, p, 0, LE__WHY_EXPLOIT, false, 214e-6);
    run_of(&f, p, 1, LE__WHY_EXPLORE, true, 340e-6);
    run_of(&f, p, 1, LE__WHY_EXPLOIT, false, 310e-6);
    assert_near(le__policy_slowness(f.policy, 0, f.now), 1.0, 1e-9);
    bool cold[2] = {false, false};
    for (int i = 0; i < 30; i++)
        call_of(&f, p, (const double[]){180e-6, 310e-6}, cold);
    assert_near(le__policy_slowness(f.policy, 0, f.now), 1.0, 1e-9);
    assert_int_equal(decide_of(&f, p, false).candidate, 0);
    le__policy_free(&f.policy);
}

/* One of two on a resource becomes slow for good: the other one tells that the resource is not. */
static void lasting_slowness_is_doubted(void **state)
{
    (void)state;
    fixture f = fixture_of(2, 1, NULL);
    int p = problem_of(&f, 5.0), asked = 0;
    measure_all(&f, p, (const double[]){1.0, 1.2}, 10);
    bool cold[2] = {false, false};
    for (int i = 0; i < 20; i++)
        call_of(&f, p, (const double[]){2.0, 1.2}, cold);
    assert_near(le__policy_slowness(f.policy, 0, f.now), 1.0, 1e-9);
    assert_int_equal(decide_of(&f, p, false).candidate, 1);
    /* all of it: asking once an alarm is enough */
    for (int i = 0; i < 100; i++) {
        asked += decide_of(&f, p, true).why == LE__WHY_PROBE;
        call_of(&f, p, (const double[]){8.0, 4.8}, cold);
    }
    assert_int_equal(decide_of(&f, p, false).candidate, 1);
    assert_true(asked <= 1);
    le__policy_free(&f.policy);
}

/* Exploring that cost 1.5 ms keeps nobody from looking again where answers take 20 us; of longer ones
 * as many answers forbid it. */
static void brief_ones_get_a_second_look(void **state)
{
    (void)state;
    for (double unit = 20e-6; unit < 1.0; unit *= 100.0) {
        fixture f = fixture_of(2, 1, NULL);
        int p = problem_of(&f, 5.0), looked = 0;
        run_of(&f, p, 0, LE__WHY_EXPLOIT, false, unit);
        for (int i = 0; i < 75; i++)
            run_of(&f, p, 1, LE__WHY_EXPLORE, false, (0.7 + 0.2 * (i % 4)) * unit);
        for (int i = 0; i < 50; i++) {
            le__policy_decision d = decide_of(&f, p, true);
            looked += d.why == LE__WHY_EXPLORE;
            run_of(&f, p, d.candidate, d.why, false, (0.7 + 0.2 * (i % 4)) * unit);
        }
        assert_int_equal(looked > 0, unit < 1e-3);
        le__policy_free(&f.policy);
    }
}

/* Tells of one run of a look: the first of it is cold, and a start unless it was stopped. */
static void look_of(fixture *f, int p, const le__policy_decision *d, double seconds, bool cut)
{
    f->now += seconds;
    le__policy_sample s = {.family = f->family, .problem = p, .candidate = d->candidate,
                           .why = d->why, .cold = d->warming, .cut = cut,
                           .start = d->warming && !cut, .n = 1, .mean_log = log(seconds),
                           .seconds = seconds, .now = f->now};
    le__policy_observe(f->policy, &s);
}

/* After a trial the first runs of a candidate with two threads are as slow as with one. */
static void a_look_goes_on_while_runs_become_faster(void **state)
{
    (void)state;
    const double woken[] = {120e-6, 48e-6, 49e-6, 30e-6, 21e-6};
    fixture f = fixture_of(2, 1, NULL);
    int p = problem_of(&f, 5.0), looks = 0;
    for (int i = 0; i < 5; i++)
        run_of(&f, p, 0, LE__WHY_EXPLOIT, false, 30e-6);
    for (int i = 0; i < 12; i++) {
        le__policy_decision d = decide_of(&f, p, true);
        double seconds = d.candidate == 0 ? 30e-6 : woken[looks < 4 ? looks++ : 4];
        look_of(&f, p, &d, seconds, false);
    }
    le__policy_decision d = decide_of(&f, p, false);
    assert_int_equal(d.candidate, 1);
    assert_near(d.seconds, 21e-6, 0.5e-6);
    le__policy_free(&f.policy);
}

/* The first run of the faster one comes right after its trial, and is stopped for the page faults that
 * this left. Of one that is stopped again nothing more is seen. */
static void a_look_survives_its_first_stop(void **state)
{
    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        fixture f = fixture_of(2, 1, NULL);
        int p = problem_of(&f, 5.0), stops = 0;
        for (int i = 0; i < 5; i++)
            run_of(&f, p, 0, LE__WHY_EXPLOIT, false, 60e-6);
        for (int i = 0; i < 40; i++) {
            le__policy_decision d = decide_of(&f, p, true);
            double seconds = d.candidate == 0 ? 60e-6 : slow || d.warming ? 900e-6 : 40e-6;
            bool cut = seconds > d.stop_seconds;
            stops += cut;
            look_of(&f, p, &d, fmin(seconds, d.stop_seconds), cut);
            if (cut) /* another answers */
                run_of(&f, p, decide_of(&f, p, false).candidate, LE__WHY_EXPLOIT, false, 60e-6);
        }
        assert_int_equal(decide_of(&f, p, false).candidate, !slow);
        assert_in_range(stops, 1, 2);
        le__policy_free(&f.policy);
    }
}

/* The one that was stopped may no longer answer (it has failed, say): calls are not decided on one by one
 * for its sake. */
static void a_look_at_one_who_is_gone_ends(void **state)
{
    (void)state;
    fixture f = fixture_of(2, 1, NULL);
    int p = problem_of(&f, 5.0);
    bool cold[2] = {false, true};
    for (int i = 0; i < 50; i++)
        run_of(&f, p, 0, LE__WHY_EXPLOIT, false, 60e-6);
    for (int i = 0; i < 40 && cold[1]; i++)
        call_of(&f, p, (const double[]){60e-6, 900e-6}, cold);
    assert_false(cold[1]);
    le__policy_decision d = decide_of(&f, p, false);
    assert_true(d.goes_on);
    f.n = 1;
    d = decide_of(&f, p, true);
    assert_false(d.goes_on);
    assert_true(d.reuse_calls > 0);
    le__policy_free(&f.policy);
}

/* A guess that is better still, and may be anything, keeps nobody who is known from taking over. */
static void a_guess_shields_no_incumbent(void **state)
{
    (void)state;
    fixture f = fixture_of(3, 1, NULL);
    int p = problem_of(&f, 5.0);
    f.allowed[2].speed = 3.0;
    for (int i = 0; i < 10; i++) {
        run_of(&f, p, 0, LE__WHY_EXPLOIT, false, 1.0);
        run_of(&f, p, 1, LE__WHY_EXPLORE, false, 0.5);
    }
    le__policy_set_incumbent(f.policy, f.family, p, 0);
    assert_int_equal(decide_of(&f, p, false).candidate, 1);
    le__policy_free(&f.policy);
}

/* What moving takes is known: of a device that needs it the own time, of which little is known, hardly
 * counts. */
static void transfers_are_no_belief(void **state)
{
    (void)state;
    fixture f = fixture_of(2, 2, NULL);
    int p = problem_of(&f, 5.0);
    run_of(&f, p, 1, LE__WHY_EXPLORE, true, 30e-6);
    for (int i = 0; i < 10; i++)
        run_of(&f, p, 0, LE__WHY_EXPLOIT, false, 50e-3);
    le__policy_set_incumbent(f.policy, f.family, p, 1);
    f.allowed[1].extra_seconds = 70e-3;
    assert_int_equal(decide_of(&f, p, false).candidate, 0);
    le__policy_free(&f.policy);
}

/* One is known well and ahead by a little, but not surely: the other one has scattered. Its own runs
 * decide that, and answer meanwhile. */
static void what_is_known_well_is_not_explored(void **state)
{
    (void)state;
    fixture f = fixture_of(2, 1, NULL);
    int p = problem_of(&f, 5.0);
    for (int i = 0; i < 6; i++)
        run_of(&f, p, 0, LE__WHY_EXPLOIT, false, 22e-6 * (1.0 + 0.2 * (i % 3 - 1)));
    for (int i = 0; i < 40; i++)
        run_of(&f, p, 1, LE__WHY_EXPLORE, false, 21e-6 * (1.0 + 0.01 * (i % 2)));
    le__policy_set_incumbent(f.policy, f.family, p, 0);
    for (int i = 0; i < 20; i++) {
        le__policy_decision d = decide_of(&f, p, true);
        assert_int_equal(d.why, LE__WHY_EXPLOIT);
        run_of(&f, p, d.candidate, d.why, false, 22e-6 * (1.0 + 0.2 * (i % 3 - 1)));
    }
    le__policy_free(&f.policy);
}

/* One late run among many is noise, also when it happens again and another was as fast as ever. */
static void a_spike_changes_no_choice(void **state)
{
    (void)state;
    fixture f = fixture_of(2, 1, NULL);
    int p = problem_of(&f, 5.0);
    for (int i = 0; i < 200; i++) {
        bool late = i % 31 == 30;
        run_of(&f, p, 0, LE__WHY_EXPLOIT, i == 0, late ? 1.9 : 1.0 + 0.001 * (i % 3));
        if (late || i == 0)
            run_of(&f, p, 1, LE__WHY_EXPLORE, i == 0, 1.3);
        assert_int_equal(decide_of(&f, p, false).candidate, 0);
    }
    assert_near(decide_of(&f, p, false).seconds, 1.03, 0.05);
    run_of(&f, p, 0, LE__WHY_EXPLOIT, false, 1.9);
    run_of(&f, p, 1, LE__WHY_EXPLORE, false, 1.3); /* it was not the resource */
    run_of(&f, p, 0, LE__WHY_EXPLOIT, false, 1.9);
    assert_int_equal(decide_of(&f, p, false).candidate, 0);
    le__policy_free(&f.policy);
}

/* What was only seen being stopped may be thought fast, but does not answer. */
static void a_stopped_one_does_not_answer(void **state)
{
    (void)state;
    fixture f = fixture_of(2, 1, NULL);
    int p = problem_of(&f, 5.0);
    for (int i = 0; i < 6; i++)
        run_of(&f, p, 0, LE__WHY_EXPLOIT, i == 0, i == 0 ? 4.0 : 1.0);
    le__policy_sample s = {.family = f.family, .problem = p, .candidate = 1, .cold = true,
                           .why = LE__WHY_EXPLORE, .cut = true, .n = 1, .mean_log = log(1.2),
                           .seconds = 1.2, .now = f.now += 1.2};
    le__policy_observe(f.policy, &s);
    le__policy_view rows[2];
    le__policy_question q = question_of(&f, p, false);
    le__policy_explain(f.policy, &q, rows);
    assert_true(rows[1].seconds < rows[0].seconds);
    assert_int_equal(decide_of(&f, p, false).candidate, 0);
    le__policy_free(&f.policy);
}

/* What an earlier process stopped after three times the best is not tried; a stranger is. */
static void stored_stops_are_not_repeated(void **state)
{
    (void)state;
    for (int stored = 0; stored < 2; stored++) {
        fixture f = fixture_of(2, 1, NULL);
        int p = problem_of(&f, 5.0), tried = 0;
        load_of(&f, p, 0, 1.0, 1.0);
        if (stored)
            le__policy_load_cut(f.policy, f.family, p, 1, false, 1, 3.0);
        for (int i = 0; i < 60; i++) {
            le__policy_decision d = decide_of(&f, p, true);
            tried += d.candidate == 1;
            run_of(&f, p, d.candidate, d.why, false, d.candidate == 1 ? 4.0 : 1.0);
        }
        assert_int_equal(tried > 0, !stored);
        le__policy_free(&f.policy);
    }
}

/* Of one whose kin are known a single late run says little, and none at all is no riddle; but what
 * its own runs are sure of stands. */
static void kin_tell_of_each_other(void **state)
{
    (void)state;
    enum { KNOWN, LATE, SURE, NEVER, STRANGER, N };
    fixture f = fixture_of(N, 1, NULL);
    int p = problem_of(&f, 5.0);
    for (int i = 0; i < STRANGER; i++)
        f.allowed[i].kin = 7;
    for (int i = 0; i < 20; i++) {
        run_of(&f, p, KNOWN, LE__WHY_EXPLOIT, i == 0, i % 2 ? 1.02 : 0.98);
        run_of(&f, p, SURE, LE__WHY_EXPLORE, i == 0, i % 2 ? 1.53 : 1.47);
    }
    run_of(&f, p, LATE, LE__WHY_EXPLORE, true, 2.5);
    run_of(&f, p, STRANGER, LE__WHY_EXPLORE, true, 2.5);
    le__policy_view rows[N];
    le__policy_question q = question_of(&f, p, false);
    le__policy_explain(f.policy, &q, rows);
    assert_near(rows[KNOWN].seconds, 1.0, 0.02);
    assert_near(rows[SURE].seconds, 1.5, 0.03);
    assert_true(rows[LATE].seconds < 0.8 * rows[STRANGER].seconds);
    assert_true(rows[NEVER].low > 0.7 && rows[NEVER].high < 2.0);
    le__policy_free(&f.policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_allowed_or_unknown),
        cmocka_unit_test(a_start_tells_nothing), cmocka_unit_test(ids_are_stable),
        cmocka_unit_test(first_answer_is_the_best_prior),
        cmocka_unit_test(a_speed_for_one_problem),
        cmocka_unit_test(explores_and_finds_the_best),
        cmocka_unit_test(account_holds_on_random_machines),
        cmocka_unit_test(a_stopped_cold_run_does_not_decide),
        cmocka_unit_test(a_stopped_cold_run_of_a_brief_one_says_least),
        cmocka_unit_test(a_hopeful_cold_run_raises_no_alarm),
        cmocka_unit_test(lasting_slowness_is_doubted),
        cmocka_unit_test(brief_ones_get_a_second_look),
        cmocka_unit_test(a_guess_shields_no_incumbent),
        cmocka_unit_test(transfers_are_no_belief),
        cmocka_unit_test(a_look_goes_on_while_runs_become_faster),
        cmocka_unit_test(a_look_survives_its_first_stop),
        cmocka_unit_test(a_look_at_one_who_is_gone_ends),
        cmocka_unit_test(what_is_known_well_is_not_explored),
        cmocka_unit_test(a_spike_changes_no_choice),
        cmocka_unit_test(a_stopped_one_does_not_answer),
        cmocka_unit_test(never_explores_when_told),
        cmocka_unit_test(one_exploring_run_at_a_time),
        cmocka_unit_test(a_challenger_needs_margin_and_confidence),
        cmocka_unit_test(ties_go_by_canonical_order),
        cmocka_unit_test(kin_tell_of_each_other), cmocka_unit_test(objectives),
        cmocka_unit_test(stored_times_decide_at_once),
        cmocka_unit_test(stale_times_are_replaced_by_three_runs),
        cmocka_unit_test(only_an_added_candidate_is_measured),
        cmocka_unit_test(stored_stops_are_not_repeated),
        cmocka_unit_test(contended_samples_weigh_less),
        cmocka_unit_test(bulk_is_as_good_as_single_runs),
        cmocka_unit_test(slowness_is_shared_by_families),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
