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
#include "policy/draw.h"
#include "policy/replay.h"

/* ---------------------------------------------------------------------------- scoring --------- */

#define MOST 64               /* candidates of a trace */

typedef struct score {
    const le__trace *trace;
    double answered, explored; /* explored: without each candidate's first run */
    double mean[MOST];         /* seconds of whole runs of problem 0 */
    int runs[MOST];
    int met[MOST];
    long call;
    double call_seconds, best_before, longest; /* longest: call over the best mean before it */
    double slow_seconds;       /* calls 150 to 249 */
    long slow, after, right;   /* right: of the 150 calls after, on candidate 0 */
    long measured, cuts;
    bool overdrawn;            /* explored 3 ms more than answered when another exploring run began */
    bool cut_answer;           /* a stopped run was not followed by one that answers */
} score;

static void begin_call(score *s, long call)
{
    s->call = call;
    s->call_seconds = 0.0;
    s->best_before = INFINITY;
    for (int c = 0; c < le__trace_candidates(s->trace); c++)
        if (s->runs[c])
            s->best_before = fmin(s->best_before, s->mean[c]);
}

static void account_for(score *s, const le__replay_event *e)
{
    bool exploring = e->why == LE__WHY_EXPLORE || e->why == LE__WHY_PROBE;
    /* the first look at a candidate, which is owed nothing for: runs of brief ones, by what the
     * policy expects of the best, which may be less than what was seen */
    int look = s->best_before < 2e-4 ? 4 : s->best_before < 1e-3 ? 2 : 1;
    if (!exploring)
        s->answered += e->seconds;
    else if (s->met[e->candidate] >= look) {
        s->overdrawn = s->overdrawn || s->explored > s->answered + 3e-3;
        s->explored += e->seconds;
    }
    s->met[e->candidate]++;
}

static void on_run(void *cookie, const le__replay_event *e)
{
    score *s = cookie;
    if (e->why == LE__WHY_MEASURE) {
        s->measured++;
        return;
    }
    bool second = s->cuts && e->call == s->call;
    s->cut_answer = s->cut_answer || (second && e->cut);
    if (e->call != s->call)
        begin_call(s, e->call);
    account_for(s, e);
    s->cuts += e->cut;
    s->call_seconds += e->seconds;
    s->longest = fmax(s->longest, s->call_seconds / s->best_before);
    if (!e->cut)
        s->mean[e->candidate] += (e->seconds - s->mean[e->candidate]) / ++s->runs[e->candidate];
    if (e->call >= 150 && e->call < 250) {
        s->slow_seconds += e->seconds;
        s->slow += !e->cut;
    } else if (e->call >= 250 && e->call < 400 && !e->cut) {
        s->after++;
        s->right += e->candidate == 0;
    }
}

static le__replay_sum replay(const le__trace *trace, le_mode mode, uint64_t seed, score *out)
{
    le__replay_sum sum;
    assert_true(le__trace_candidates(trace) <= MOST);
    *out = (score){.trace = trace, .call = -1};
    assert_int_equal(le__replay(trace, seed, mode, on_run, out, &sum), LE_OK);
    assert_false(out->overdrawn);
    assert_false(out->cut_answer);
    return sum;
}

/* Shares of the best candidate's time for all calls. */
typedef struct pool_score {
    double regret, runs;          /* of a race's choice; a candidate */
    double learn, above, longest; /* beyond the best; above the floor; the longest call */
} pool_score;

static int best_of(const le__trace *t)
{
    int best = 0;
    for (int c = 1; c < le__trace_candidates(t); c++)
        if (le__trace_truth(t, 0, c) < le__trace_truth(t, 0, best))
            best = c;
    return best;
}

/* One run of each in the pool's own order, stopped at three times the best seen before it and then
 * answered by that one; the best candidate for all other calls. */
static double floor_of(const le__trace *t, uint64_t seed, long calls)
{
    int n = le__trace_candidates(t);
    double sum = 0.0, best = INFINITY, answer = 0.0;
    le__draw *draw = le__draw_new(t, seed);
    assert_non_null(draw);
    for (int c = 0; c < n; c++) {
        bool cold;
        double seconds = le__draw_next(draw, 0, c, &cold);
        sum += seconds > 3.0 * best ? 3.0 * best + answer : seconds;
        if (seconds < best) {
            best = seconds;
            answer = le__trace_truth(t, 0, c);
        }
    }
    le__draw_free(draw);
    return sum + (double)(calls - n) * le__trace_truth(t, 0, best_of(t));
}

static pool_score score_pool(const le__trace *trace, uint64_t seed)
{
    double best = le__trace_truth(trace, 0, best_of(trace));
    score s;
    le__replay_sum m = replay(trace, LE_MODE_MEASURE, seed, &s);
    pool_score p = {.regret = le__trace_truth(trace, 0, m.choice[0]) / best - 1.0,
                    .runs = (double)s.measured / le__trace_candidates(trace)};
    free(m.choice);
    le__replay_sum l = replay(trace, LE_MODE_LEARN, seed, &s);
    p.learn = l.seconds / ((double)l.calls * best) - 1.0;
    p.above = (l.seconds - floor_of(trace, seed, l.calls)) / ((double)l.calls * best);
    p.longest = s.longest;
    free(l.choice);
    return p;
}

/* Means; of the rest the worst. */
typedef struct pool_sum {
    pool_score of;
    double worst_above;
    int n;
} pool_sum;

static void add(pool_sum *sum, pool_score p)
{
    double k = 1.0 / ++sum->n;
    sum->of.regret += (p.regret - sum->of.regret) * k;
    sum->of.runs += (p.runs - sum->of.runs) * k;
    sum->of.learn += (p.learn - sum->of.learn) * k;
    sum->of.above += (p.above - sum->of.above) * k;
    sum->of.longest = fmax(sum->of.longest, p.longest);
    sum->worst_above = fmax(sum->worst_above, p.above);
}

static void show(const char *name, const pool_sum *s)
{
    print_message("%d %s pools: a race loses %.3f %% in %.2f runs a candidate; learning costs "
                  "%.2f %%, %+.2f above the floor (worst %+.2f), longest call %.2f\n",
                  s->n, name, 100.0 * s->of.regret, s->of.runs, 100.0 * s->of.learn,
                  100.0 * s->of.above, 100.0 * s->worst_above, s->of.longest);
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

static pool_sum pools(uint64_t seed, const char *name, bool near, bool other)
{
    pool_sum sum = {0};
    for (int i = 0; i < 60; i++) {
        uint64_t own = seed * 1000 + (uint64_t)i;
        le__trace *t = take(other ? generate_other(own, near) : generate_pool(own, near));
        add(&sum, score_pool(t, own));
        le__trace_free(t);
    }
    show(name, &sum);
    return sum;
}

static void generated_pools(void **state)
{
    (void)state;
    uint64_t seed = seed_of_run();
    pool_sum near = pools(seed, "near", true, false), wide = pools(seed, "wide", false, false);
    assert_true(near.of.regret <= 0.0040 && near.of.runs <= 6.0);
    assert_true(wide.of.regret <= 0.0025 && wide.of.runs <= 4.5);
    assert_true(near.of.above <= 0.02 && wide.of.above <= 0.02);
    assert_true(near.worst_above <= 0.25 && wide.worst_above <= 0.25);
    assert_true(near.of.longest <= 4.5 && wide.of.longest <= 4.5);
}

/* Other numbers of candidates, ratios and kinds of noise than those that were recorded. */
static void other_pools(void **state)
{
    (void)state;
    uint64_t seed = seed_of_run();
    pool_sum near = pools(seed, "other near", true, true);
    pool_sum wide = pools(seed, "other wide", false, true);
    assert_true(near.of.regret <= 0.0040 && near.of.runs <= 6.5);
    assert_true(wide.of.regret <= 0.0020 && wide.of.runs <= 4.0);
    assert_true(near.of.above <= 0.02 && wide.of.above <= 0.02);
    assert_true(near.worst_above <= 0.25 && wide.worst_above <= 0.25);
    assert_true(near.of.longest <= 4.5 && wide.of.longest <= 4.5);
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
    enum { FAMILIES = 120 };
    uint64_t seed = seed_of_run();
    double regret[FAMILIES], mean = 0.0;
    for (int i = 0; i < FAMILIES; i++) {
        le__trace *t = take(generate_sizes(seed * 1000 + (uint64_t)i));
        score s;
        le__replay_sum sum = replay(t, LE_MODE_LEARN, seed + (uint64_t)i, &s);
        regret[i] = sum.seconds / sum.best_seconds - 1.0;
        mean += fmin(regret[i], 1.0) / FAMILIES;
        free(sum.choice);
        le__trace_free(t);
    }
    qsort(regret, FAMILIES, sizeof regret[0], ascending);
    print_message("sizes: regret median %.1f %%, mean (of at most 100 %% each) %.1f %%\n",
                  100.0 * regret[FAMILIES / 2], 100.0 * mean);
    assert_true(regret[FAMILIES / 2] <= 0.20);
    assert_true(mean <= 0.30);
}

/* The cold run first, then all others in an order that hangs on the seed, again and again. */
static void the_seed_orders_the_samples(void **state)
{
    (void)state;
    static const char text[] =
        "{\"schema\":1,\"name\":\"t\",\"source\":\"t\",\"models\":{},\"slow\":[],"
        "\"candidates\":[{\"name\":\"a\",\"resource\":\"r\"},{\"name\":\"b\",\"resource\":\"r\"}],"
        "\"problems\":[{\"name\":\"p\",\"work\":1}],\"calls\":[{\"problem\":\"p\",\"count\":1}],"
        "\"samples\":{\"p\":{\"a\":[9,1,2,3,4,5,6,7,8],\"b\":[9,1,2,3,4,5,6,7,8]}}}";
    le__trace *t = le__trace_parse("text", text, stderr);
    assert_non_null(t);
    int different = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        le__draw *d = le__draw_new(t, seed);
        double first[8];
        bool cold, seen[9] = {false};
        assert_near(le__draw_next(d, 0, 0, &cold), 9.0, 0.0);
        assert_true(cold);
        for (int i = 0; i < 16; i++) {
            double x = le__draw_next(d, 0, 0, &cold);
            assert_false(cold);
            if (i < 8) {
                assert_false(seen[(int)x]);
                seen[(int)x] = true;
                first[i] = x;
                different += x != i + 1;
            } else {
                assert_near(x, first[i - 8], 0.0);
            }
        }
        le__draw_next(d, 0, 1, &cold);
        for (int i = 0; i < 8; i++)
            different += le__draw_next(d, 0, 1, &cold) != first[i];
        le__draw_free(d);
    }
    assert_true(different > 200); /* of 320, by chance 280 */
    le__trace_free(t);
}

/* A trace whose candidate a has this model, on a problem of this work, in a phase so slow. */
static le__trace *trace_of(const char *model, const char *work, const char *slow, FILE *err)
{
    char text[1024];
    snprintf(text, sizeof text,
             "{\"schema\":1,\"name\":\"t\",\"samples\":{},"
             "\"candidates\":[{\"name\":\"a\",\"resource\":\"r\"}],"
             "\"models\":{\"a\":{%s}},\"problems\":[{\"name\":\"p\",\"work\":%s}],"
             "\"slow\":[{\"resource\":\"r\",\"first_call\":0,\"last_call\":9,\"factor\":%s}],"
             "\"calls\":[{\"problem\":\"p\",\"count\":6}]}",
             model, work, slow);
    return le__trace_parse("text", text, err);
}

/* Seconds that are 0, infinite or no number; the last two are times, and draws of them too. */
static void every_run_takes_a_time(void **state)
{
    static const struct {
        const char *model, *work, *slow, *said;
    } traces[] = {
        {"\"overhead\":0,\"per_work\":1,\"exponent\":-1,\"cv\":0", "0", "1", "inf seconds"},
        {"\"overhead\":0,\"per_work\":1,\"exponent\":1,\"cv\":0", "0", "1", "takes 0 to 0 seconds"},
        {"\"overhead\":1e200,\"per_work\":1,\"exponent\":1,\"cv\":0", "10", "1e200", "seconds for"},
        {"\"overhead\":1,\"per_work\":0,\"exponent\":1,\"cv\":1e300", "10", "1", "\"cv\" is 1e+300"},
        {"\"overhead\":0,\"per_work\":1,\"exponent\":10,\"cv\":0", "1e300", "1", "inf seconds"},
        {"\"overhead\":1e-9,\"per_work\":0,\"exponent\":1,\"cv\":0", "10", "1e-6", NULL},
        {"\"overhead\":1e9,\"per_work\":0,\"exponent\":1,\"cv\":100", "10", "1e6", NULL}};
    (void)state;
    for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
        char *said = NULL;
        size_t n;
        FILE *err = open_memstream(&said, &n);
        le__trace *t = trace_of(traces[i].model, traces[i].work, traces[i].slow, err);
        fclose(err);
        if (traces[i].said) {
            assert_null(t);
            assert_non_null(strstr(said, traces[i].said));
        } else {
            le__replay_sum sum;
            assert_non_null(t);
            assert_int_equal(le__replay(t, 3, LE_MODE_MEASURE, NULL, NULL, &sum), LE_OK);
            assert_true(sum.seconds > 0 && isfinite(sum.seconds));
            free(sum.choice);
        }
        le__trace_free(t);
        free(said);
    }
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
    pool_sum near, wide, all;
    int others;
} recorded;

enum { SEEDS = 5 };

static void score_recorded(const char *name, const le__trace *t, recorded *r)
{
    double mean = 0.0, slow = 0.0, right = 0.0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        if (strncmp(name, "hub_", 4) == 0) {
            pool_score p = score_pool(t, seed);
            add(strstr(name, "_near_") ? &r->near : &r->wide, p);
            add(&r->all, p);
            continue;
        }
        score s;
        le__replay_sum sum = replay(t, LE_MODE_LEARN, seed, &s);
        r->others++;
        mean += (sum.seconds / sum.best_seconds - 1.0) / SEEDS;
        slow += s.slow_seconds / (double)s.slow / SEEDS;
        right += (double)s.right / (double)s.after / SEEDS;
        free(sum.choice);
    }
    if (strncmp(name, "sizes_", 6) == 0) {
        print_message("%s: %.1f %% beyond the best\n", name, 100.0 * mean);
        assert_true(mean <= 0.05);
    } else if (strncmp(name, "delay_3x", 8) == 0) {
        print_message("%s: %.3f a call, %.1f %% right afterwards\n", name, slow, 100.0 * right);
        assert_true(slow <= 1.62);
        assert_true(right >= 0.92);
    }
}

static void check_means(const recorded *r)
{
    show("recorded near", &r->near);
    show("recorded wide", &r->wide);
    assert_true(r->near.of.regret <= 0.0010 && r->near.of.runs <= 6.0);
    assert_true(r->wide.of.regret <= 0.0010 && r->wide.of.runs <= 4.0);
    assert_true(r->all.of.learn <= 0.10);
    assert_true(r->near.of.above <= 0.02 && r->wide.of.above <= 0.02);
    assert_true(r->all.worst_above <= 0.25);
    assert_true(r->all.of.longest <= 4.5);
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
    assert_true(r.all.n + r.others > 0);
    if (r.near.n && r.wide.n)
        check_means(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_pools),
        cmocka_unit_test(other_pools),
        cmocka_unit_test(generated_delays),
        cmocka_unit_test(generated_sizes),
        cmocka_unit_test(the_seed_orders_the_samples),
        cmocka_unit_test(every_run_takes_a_time),
        cmocka_unit_test(the_same_seed_gives_the_same_run),
        cmocka_unit_test(recorded_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
