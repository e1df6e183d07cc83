/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * For tests of the policy: cmocka, random numbers, and a family with candidates.
 */
#ifndef LE_TESTS_POLICY_TEST_H
#define LE_TESTS_POLICY_TEST_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "policy/policy.h"

/* cmocka compares floats only. */
#define assert_near(a, b, eps) assert_true(fabs((double)(a) - (double)(b)) <= (eps))

/* SplitMix64. */
static inline double uniform_of(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

static inline double normal_of(uint64_t *state)
{
    double u = uniform_of(state), v = uniform_of(state);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

static inline uint64_t seed_of_run(void)
{
    const char *text = getenv("LE_TEST_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : 20261121u;
    print_message("seed %llu (LE_TEST_SEED)\n", (unsigned long long)seed);
    return seed;
}

#define FIXTURE_MAX 16

typedef struct fixture {
    le__policy *policy;
    int family, n;
    le__policy_allowed allowed[FIXTURE_MAX];
    double now;
} fixture;

/* n candidates; resource i % resources. */
static inline fixture fixture_of(int n, int resources, const le__policy_options *options)
{
    fixture f = {.n = n};
    f.policy = le__policy_new(options);
    assert_non_null(f.policy);
    f.family = le__policy_family(f.policy, 7);
    for (int i = 0; i < n; i++) {
        le__policy_candidate c = {.resource = i % resources};
        f.allowed[i].candidate =
            le__policy_add_candidate(f.policy, f.family, (uint64_t)i + 100, &c);
        assert_int_equal(f.allowed[i].candidate, i);
    }
    return f;
}

static inline int problem_of(fixture *f, double work)
{
    le__policy_features features = {.work = work};
    int p = le__policy_add_problem(f->policy, f->family, (uint64_t)work, &features);
    assert_true(p >= 0);
    return p;
}

static inline le__policy_question question_of(const fixture *f, int problem, bool explore)
{
    return (le__policy_question){.family = f->family, .problem = problem, .allowed = f->allowed,
                                 .n_allowed = (size_t)f->n, .may_explore = explore, .now = f->now};
}

static inline le__policy_decision decide_of(fixture *f, int problem, bool explore)
{
    le__policy_decision d;
    le__policy_question q = question_of(f, problem, explore);
    assert_int_equal(le__policy_decide(f->policy, &q, &d), 0);
    return d;
}

static inline le__policy_decision decide_after_stop(fixture *f, int problem)
{
    le__policy_decision d;
    le__policy_question q = question_of(f, problem, true);
    q.stopped = true;
    assert_int_equal(le__policy_decide(f->policy, &q, &d), 0);
    return d;
}

static inline void run_of(fixture *f, int problem, int candidate, le__why why, bool cold,
                          double seconds)
{
    f->now += seconds;
    le__policy_sample s = {.family = f->family, .problem = problem, .candidate = candidate,
                           .why = why, .cold = cold, .n = 1, .mean_log = log(seconds),
                           .seconds = seconds, .weight = 1.0, .now = f->now};
    le__policy_observe(f->policy, &s);
}

/* Runs what is decided, stopping it when it should be, until the call is answered. Returns what the
 * caller waited. */
static inline double call_of(fixture *f, int p, const double *truth, bool cold[])
{
    le__policy_decision d = decide_of(f, p, true);
    double waited = 0.0, seconds = truth[d.candidate];
    if (seconds > d.stop_seconds) {
        waited = d.stop_seconds;
        f->now += waited;
        le__policy_sample s = {.family = f->family, .problem = p, .candidate = d.candidate,
                               .why = d.why, .cold = cold[d.candidate], .cut = true, .n = 1,
                               .mean_log = log(waited), .seconds = waited, .now = f->now};
        le__policy_observe(f->policy, &s);
        cold[d.candidate] = false;
        d = decide_after_stop(f, p);
        assert_true(isinf(d.stop_seconds));
        seconds = truth[d.candidate];
    }
    run_of(f, p, d.candidate, d.why, cold[d.candidate], seconds);
    cold[d.candidate] = false;
    return waited + seconds;
}

#endif
