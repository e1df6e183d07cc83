/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The policy scored by replay, on the recorded traces and on generated ones: a policy change that
 * loses shows here. Limits on generated traces are on means over many seeds.
 */
#include <dirent.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "../unit/policy_test.h"

#include "generate.h"
#include "policy/replay.h"

/* ---------------------------------------------------------------------------- scoring --------- */

typedef struct score {
    const le__trace *trace;
    double answered, explored, cold_seconds;
    double slow_seconds;      /* calls 150 to 249 */
    long slow, after, right;  /* right: of the 150 calls after, on candidate 0 */
    long measured;
    bool overdrawn;           /* explored more than answered when another exploring run began */
} score;

static void on_run(void *cookie, const le__replay_event *e)
{
    score *s = cookie;
    bool exploring = e->why == LE__WHY_EXPLORE || e->why == LE__WHY_PROBE;
    if (e->why == LE__WHY_MEASURE) {
        s->measured++;
        return;
    }
    if (exploring && s->explored > s->answered + 1e-9)
        s->overdrawn = true;
    if (exploring)
        s->explored += e->seconds;
    else
        s->answered += e->seconds;
    if (e->call >= 150 && e->call < 250) {
        s->slow_seconds += e->seconds;
        s->slow++;
    } else if (e->call >= 250 && e->call < 400) {
        s->after++;
        s->right += e->candidate == 0;
    }
}

static le__replay_sum replay(const le__trace *trace, le_mode mode, uint64_t seed, score *out)
{
    le__replay_sum sum;
    *out = (score){.trace = trace};
    assert_int_equal(le__replay(trace, seed, mode, on_run, out, &sum), LE_OK);
    assert_false(out->overdrawn);
    return sum;
}

typedef struct pool_score {
    double regret, runs, over_first; /* of the choice; a candidate; of learning, beyond first runs */
} pool_score;

/* Seconds of one cold run of each, beyond the best, found by measuring in frozen order. */
static void on_first(void *cookie, const le__replay_event *e)
{
    score *s = cookie;
    if (e->cold && e->why == LE__WHY_MEASURE)
        s->cold_seconds += e->seconds - e->best_seconds;
}

static pool_score score_pool(const le__trace *trace)
{
    int n = le__trace_candidates(trace);
    double best = INFINITY;
    for (int c = 0; c < n; c++)
        best = fmin(best, le__trace_truth(trace, 0, c));
    score s;
    le__replay_sum m = replay(trace, LE_MODE_MEASURE, 1, &s);
    pool_score p = {.regret = le__trace_truth(trace, 0, m.choice[0]) / best - 1.0,
                    .runs = (double)s.measured / n};
    free(m.choice);
    score first = {0};
    assert_int_equal(le__replay(trace, 1, LE_MODE_MEASURE, on_first, &first, &m), LE_OK);
    free(m.choice);
    le__replay_sum l = replay(trace, LE_MODE_LEARN, 1, &s);
    p.over_first = (l.seconds - first.cold_seconds) / l.best_seconds - 1.0;
    free(l.choice);
    return p;
}

static void add(pool_score *sum, pool_score p)
{
    sum->regret += p.regret;
    sum->runs += p.runs;
    sum->over_first += p.over_first;
}

static le__trace *take(char *text)
{
    assert_non_null(text);
    le__trace *trace = le__trace_parse("generated", text, stderr);
    free(text);
    assert_non_null(trace);
    return trace;
}

/* ------------------------------------------------------------------------- generated ---------- */

static void pools(uint64_t seed, bool near, int n, pool_score limit)
{
    pool_score mean = {0};
    for (int i = 0; i < n; i++) {
        le__trace *t = take(generate_pool(seed * 1000 + (uint64_t)i, near));
        pool_score p = score_pool(t);
        p.over_first = fmin(p.over_first, 0.5);
        add(&mean, p);
        le__trace_free(t);
    }
    print_message("%d %s pools: regret of the choice %.3f %%, runs a candidate %.2f, learning %.2f "
                  "points above first runs\n",
                  n, near ? "near" : "wide", 100.0 * mean.regret / n, mean.runs / n,
                  100.0 * mean.over_first / n);
    assert_true(mean.regret / n <= limit.regret);
    assert_true(mean.runs / n <= limit.runs);
    assert_true(mean.over_first / n <= limit.over_first);
}

static void generated_pools(void **state)
{
    (void)state;
    uint64_t seed = seed_of_run();
    /* Harder than the recorded pools: spikes and late drifts move the truth (a mean of 31 runs) by more
     * than the limit on those. */
    pools(seed, true, 60, (pool_score){0.0060, 3.6, 0.04});
    pools(seed, false, 60, (pool_score){0.0030, 2.6, 0.05});
}

static void generated_delays(void **state)
{
    (void)state;
    static const double factors[] = {1.8, 3.0, 10.0}, limits[] = {1.60, 1.62, 1.75},
                        shares[] = {0.95, 0.92, 0.80};
    uint64_t seed = seed_of_run();
    for (int f = 0; f < 3; f++) {
        double seconds = 0.0, share = 0.0;
        for (int i = 0; i < 30; i++) {
            le__trace *t = take(generate_delay(seed * 1000 + (uint64_t)i, factors[f]));
            score s;
            le__replay_sum sum = replay(t, LE_MODE_LEARN, 1, &s);
            seconds += s.slow_seconds / (double)s.slow / 30.0;
            share += (double)s.right / (double)s.after / 30.0;
            free(sum.choice);
            le__trace_free(t);
        }
        print_message("delay x%g: %.3f a call, %.1f %% right afterwards\n", factors[f], seconds,
                      100.0 * share);
        assert_true(seconds <= limits[f]);
        assert_true(share >= shares[f]);
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void generated_sizes(void **state)
{
    (void)state;
    uint64_t seed = seed_of_run();
    double regret[40], mean = 0.0;
    for (int i = 0; i < 40; i++) {
        le__trace *t = take(generate_sizes(seed * 1000 + (uint64_t)i));
        score s;
        le__replay_sum sum = replay(t, LE_MODE_LEARN, seed + (uint64_t)i, &s);
        regret[i] = sum.seconds / sum.best_seconds - 1.0;
        mean += fmin(regret[i], 1.0) / 40.0;
        free(sum.choice);
        le__trace_free(t);
    }
    qsort(regret, 40, sizeof regret[0], ascending);
    print_message("sizes: regret median %.1f %%, mean (of at most 100 %% each) %.1f %%\n",
                  100.0 * regret[20], 100.0 * mean);
    assert_true(regret[20] <= 0.20);
    assert_true(mean <= 0.30);
}

static void the_same_seed_gives_the_same_run(void **state)
{
    (void)state;
    le__trace *t = take(generate_sizes(4));
    le__replay_sum a, b;
    assert_int_equal(le__replay(t, 9, LE_MODE_LEARN, NULL, NULL, &a), LE_OK);
    assert_int_equal(le__replay(t, 9, LE_MODE_DEFAULT, NULL, NULL, &b), LE_OK);
    assert_near(a.seconds, b.seconds, 0.0);
    assert_memory_equal(a.choice, b.choice, sizeof *a.choice * (size_t)le__trace_problems(t));
    free(a.choice);
    free(b.choice);
    le__trace_free(t);
}

/* -------------------------------------------------------------------------- recorded ---------- */

static const char *shared_folder(void)
{
    static char path[1024];
    const char *shared = getenv("LE_SHARED"), *source = getenv("LE_SOURCE_DIR");
    if (shared && *shared)
        snprintf(path, sizeof path, "%s/traces", shared);
    else
        snprintf(path, sizeof path, "%s/../shared/traces", source ? source : ".");
    return access(path, R_OK) == 0 ? path : NULL;
}

typedef struct recorded {
    pool_score near, wide;
    int n_near, n_wide, others;
} recorded;

static void score_recorded(const char *name, const le__trace *t, recorded *r)
{
    if (strncmp(name, "hub_", 4) == 0) {
        bool near = strstr(name, "_near_") != NULL;
        add(near ? &r->near : &r->wide, score_pool(t));
        *(near ? &r->n_near : &r->n_wide) += 1;
        return;
    }
    score s;
    le__replay_sum sum = replay(t, LE_MODE_LEARN, 1, &s);
    r->others++;
    if (strncmp(name, "sizes_", 6) == 0) {
        print_message("%s: regret %.1f %%\n", name, 100.0 * (sum.seconds / sum.best_seconds - 1.0));
        assert_true(sum.seconds <= 1.15 * sum.best_seconds);
    } else if (strncmp(name, "delay_3x", 8) == 0) {
        print_message("%s: %.3f a call, %ld of %ld right\n", name, s.slow_seconds / (double)s.slow,
                      s.right, s.after);
        assert_true(s.slow_seconds <= 1.62 * (double)s.slow);
        assert_true((double)s.right >= 0.92 * (double)s.after);
    }
    free(sum.choice);
}

static void check_means(const recorded *r)
{
    double near = r->n_near, wide = r->n_wide;
    print_message("recorded near: regret %.3f %%, runs %.2f, learning %+.2f points\n",
                  100.0 * r->near.regret / near, r->near.runs / near,
                  100.0 * r->near.over_first / near);
    print_message("recorded wide: regret %.3f %%, runs %.2f, learning %+.2f points\n",
                  100.0 * r->wide.regret / wide, r->wide.runs / wide,
                  100.0 * r->wide.over_first / wide);
    assert_true(r->near.regret / near <= 0.0025 && r->near.runs / near <= 3.6);
    assert_true(r->wide.regret / wide <= 0.0010 && r->wide.runs / wide <= 2.6);
    assert_true((r->near.over_first + r->wide.over_first) / (near + wide) <= 0.02);
}

static void recorded_traces(void **state)
{
    (void)state;
    const char *folder = shared_folder();
    DIR *dir = folder ? opendir(folder) : NULL;
    if (!dir) {
        print_message("no recorded traces (LE_SHARED)\n");
        skip();
    }
    recorded r;
    memset(&r, 0, sizeof r);
    for (struct dirent *e; (e = readdir(dir));) {
        char path[2048];
        if (!strstr(e->d_name, ".json"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        le__trace *t = le__trace_read(path, stderr);
        assert_non_null(t);
        score_recorded(e->d_name, t, &r);
        le__trace_free(t);
    }
    closedir(dir);
    assert_true(r.n_near + r.n_wide + r.others > 0);
    if (r.n_near && r.n_wide)
        check_means(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_pools),
        cmocka_unit_test(generated_delays),
        cmocka_unit_test(generated_sizes),
        cmocka_unit_test(the_same_seed_gives_the_same_run),
        cmocka_unit_test(recorded_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
