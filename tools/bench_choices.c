/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * le-bench --suite=choices: how good the engine's choices are on this machine. Every operation at
 * its usual size and at sizes whose best candidate takes 0.05, 0.5 and 5 ms is measured into a
 * database of its own, as le-bench does, and learnt into another by 200 calls; each choice is then
 * timed against its rivals three times. Tells how far the choices are above the best, and how many
 * of the 90 % intervals contain the steady median. The yardstick is the best by each of these
 * comparisons, judged by the next one: what this machine lets anybody know. An operation has so
 * many seconds; what is known so far is told on interrupts, too.
 */
#include "bench_rivals.h"

#include <cjson/cJSON.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_ROUNDS = 31, REPEATS = 3, CALLS = 200, TRIALS = 20, STEPS = 8, MAX_SIZE = 1 << 16 };
enum { OPERATION_S = 20 }; /* for all sizes of an operation, unless --limit says otherwise */

static const double targets[] = {0, 0.05e-3, 0.5e-3, 5e-3}; /* seconds of the best; 0: usual size */
static const double each_limit = 0.03, median_limit = 0.005;
static const double near_enough = 1.5; /* times the target */

enum { TARGETS = sizeof targets / sizeof *targets };

typedef struct tally {
    double *above;          /* shares, of all choices */
    const char *name, *key; /* for people, and in JSON */
    size_t n, room;
    size_t inside, intervals;
} tally;

typedef struct subject {
    const bench_settings *settings;
    le_engine *engine; /* that knows the operations, and no choice */
    const char *operation;
    int64_t size; /* 0: usual */
    double until; /* no further size, or round, begins after that moment */
} subject;

/* --- one choice --- */

/* Of the rivals those that have been measured: does the steady median lie where it was said to? */
static void count_intervals(bench_target *t, const bench_rival *list, size_t n, tally *sum) {
    le_explanation *e = NULL;
    if (le_call_explain(t->engine, &e, t->operation, t->args, t->n_args) != LE_OK)
        return;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < e->n_candidates; k++) {
            const le_explained_candidate *c = &e->candidates[k];
            if (strcmp(c->candidate, list[i].text) != 0 || !(c->samples > 1))
                continue;
            sum->intervals++;
            sum->inside += c->low_s <= list[i].median && list[i].median <= c->high_s;
        }
    le_explanation_free(&e);
}

typedef struct distance { /* shares above the best; NaN: not known */
    double choice;
    double again; /* of the best by the comparison before */
} distance;

/* Where the candidate stands among the rivals; n: it is none. */
static size_t place_of(const bench_rival *list, size_t n, size_t candidate) {
    size_t i = 0;
    while (i < n && list[i].index != candidate)
        i++;
    return i;
}

/* The median of three comparisons with the rivals, fewer when time is over; NaN after a message. */
static distance compare(const subject *of, tally *sum) {
    int rounds = of->settings->repeat > 1 ? of->settings->repeat : DEFAULT_ROUNDS;
    double above[REPEATS], again[REPEATS];
    size_t n_again = 0, best = SIZE_MAX;
    bench_target t;
    if (bench_target_open(&t, of->settings, of->operation, of->size, (le_dtype)0) != TOOL_OK)
        return (distance){NAN, NAN};
    int done = 0;
    for (; done < REPEATS; done++) {
        bench_rival *list;
        size_t n;
        int run = rounds;
        if (!bench_rivals_run(&t, &run, of->until, true, &list, &n))
            break;
        above[done] = bench_rivals_above(list, n, run, 0);
        size_t place = place_of(list, n, best);
        if (place < n)
            again[n_again++] = bench_rivals_above(list, n, run, place);
        best = bench_rivals_best(list, n, run);
        if (done == 0)
            count_intervals(&t, list, n, sum);
        bench_rivals_free(list, n);
        if (tool_clock() > of->until) {
            done++;
            break;
        }
    }
    bench_target_close(&t);
    return (distance){le_stats_median(above, (size_t)done),
                      n_again ? le_stats_median(again, n_again) : NAN};
}

static bool keep(tally *sum, double above) {
    if (isnan(above))
        return false;
    if (sum->n == sum->room) {
        size_t room = sum->room ? 2 * sum->room : 64;
        double *bigger = realloc(sum->above, room * sizeof *bigger);
        if (!bigger)
            return false;
        sum->above = bigger;
        sum->room = room;
    }
    sum->above[sum->n++] = above;
    return true;
}

/* --- measuring and learning --- */

/* Whether a further race has more to measure. An interrupt does not wait for trials. */
static bool await_trials(le_engine *engine, const char *name, const le_arg *args, size_t n) {
    bool more = true;
    double end = tool_clock() + TRIALS;
    while (more && tool_clock() < end && !bench_interrupted())
        more = le_bench_is_unfinished(engine, name, args, n, 0.1);
    return more;
}

static bool measure(le_engine *engine, const char *name, le_sample *sample) {
    size_t n;
    const le_arg *args = le_sample_args(sample, &n);
    bool ok = le_call_run(engine, name, args, n) == LE_OK;
    for (int i = 0; ok && i < TRIALS && !bench_interrupted(); i++) {
        if (!await_trials(engine, name, args, n))
            break;
        le_sample_reset(sample);
        ok = le_call_run(engine, name, args, n) == LE_OK;
    }
    return ok;
}

/* Calls the operation's sample in this mode, into the settings' database. Each call gets new memory
 * for its outputs, as the rivals do. */
static bool prepare(const subject *of, le_mode mode) {
    le_engine *engine = bench_engine(of->settings, NULL, mode);
    le_sample *sample = NULL;
    le_case_request request = {.kind = LE_CASE_BENCH, .seed = of->settings->seed, .size = of->size};
    bool ok = engine && le_sample_make(&sample, engine, of->operation, &request) == LE_OK;
    size_t n = 0;
    bench_end_races_of(engine);
    const le_arg *args = ok ? le_sample_args(sample, &n) : NULL;
    if (ok && mode == LE_MODE_MEASURE) {
        le_bench_limit_races(engine, bench_limit(of->settings));
        ok = measure(engine, of->operation, sample);
    }
    for (int i = 0; ok && mode == LE_MODE_LEARN && i < CALLS && !bench_interrupted(); i++) {
        le_sample_reset(sample);
        ok = le_call_run(engine, of->operation, args, n) == LE_OK;
    }
    if (!ok && engine)
        bench_failed(of->operation);
    le_sample_free(&sample);
    bench_end_races_of(NULL);
    le_close(&engine);
    return ok && !bench_interrupted();
}

/* A database that lasts as long as this comparison. A problem is measured for as long as le-bench
 * does unless told otherwise: the limit that was given is the operation's. */
static distance choice_of(const subject *of, le_mode mode, tally *sum) {
    bench_settings own = *of->settings;
    subject there = *of;
    there.settings = &own;
    own.limit_s = 0;
    own.db = bench_scratch_begin();
    distance d = {NAN, NAN};
    if (own.db && prepare(&there, mode))
        d = compare(&there, sum);
    bench_scratch_end();
    return d;
}

/* --- sizes --- */

/* Seconds of the fastest candidate at a size, roughly; NaN: there is no such sample. */
static double best_at(const subject *of, int64_t size) {
    bench_target t;
    le_case_request request = {.kind = LE_CASE_BENCH, .seed = of->settings->seed, .size = size};
    le_sample *sample = NULL;
    bool made = le_sample_make(&sample, of->engine, of->operation, &request) == LE_OK;
    le_sample_free(&sample);
    if (!made || bench_target_open(&t, of->settings, of->operation, size, (le_dtype)0) != TOOL_OK)
        return NAN;
    double best = bench_rivals_fastest(&t);
    bench_target_close(&t);
    return best;
}

typedef struct bracket { /* logarithms of sizes */
    double low, high;
    double at, took; /* the last one tried, and of its seconds; NaN: none */
    double power;    /* of the size, by which the seconds grow */
} bracket;

/* Where the target would be if the seconds were a power of the size; the middle of what is left
 * where that is outside of it. */
static double next_try(const bracket *b, double target) {
    double x = b->at + (log(target) - b->took) / b->power;
    return x > b->low && x < b->high ? x : 0.5 * (b->low + b->high);
}

static void learn_power(bracket *b, double at, double took) {
    double power = (took - b->took) / (at - b->at);
    if (power > 0.25 && power < 4)
        b->power = power;
    b->at = at;
    b->took = took;
}

/* The size whose best takes the target; 0: none does. */
static int64_t size_for(const subject *of, double target) {
    bracket b = {.low = log(2), .high = log(MAX_SIZE), .at = log(64), .took = NAN, .power = 2};
    double nearest = INFINITY;
    int64_t found = 0;
    for (int i = 0; i < STEPS && !bench_interrupted() && nearest > log(1.1); i++) {
        int64_t size = (int64_t)lround(exp(isnan(b.took) ? b.at : next_try(&b, target)));
        double seconds = best_at(of, size), off = fabs(log(seconds / target));
        if (off < nearest) {
            nearest = off;
            found = size;
        }
        if (seconds > target ||
            isnan(seconds)) /* beyond what the operation makes, or memory holds */
            b.high = log((double)size);
        else
            b.low = log((double)size);
        if (isnan(seconds))
            b.took = NAN, b.at = 0.5 * (b.low + b.high);
        else
            learn_power(&b, log((double)size), log(seconds));
    }
    return nearest < log(near_enough) ? found : 0;
}

/* --- all --- */

typedef struct report {
    const bench_settings *settings;
    le_engine *engine;
    tally measured, learnt, again;
    cJSON *rows; /* with --json, else NULL: a line each is printed */
} report;

static void add_share(cJSON *row, const char *name, double above) {
    if (isnan(above))
        cJSON_AddNullToObject(row, name);
    else
        cJSON_AddNumberToObject(row, name, above);
}

static const char *share_text(double above, char text[16]) {
    if (isnan(above)) /* time was over */
        return "-";
    snprintf(text, 16, "%.1f %%", 100 * above);
    return text;
}

static void show(const report *r, const subject *of, double target, double measured, double learnt,
                 double again) {
    char time[LE__TEXT], size[32] = "usual";
    if (of->size)
        snprintf(size, sizeof size, "%lld", (long long)of->size);
    if (r->rows) {
        cJSON *row = cJSON_CreateObject();
        cJSON_AddItemToArray(r->rows, row);
        cJSON_AddStringToObject(row, "operation", of->operation);
        cJSON_AddStringToObject(row, "size", size);
        cJSON_AddNumberToObject(row, "target_s", target);
        add_share(row, "measured_above", measured);
        add_share(row, "learnt_above", learnt);
        add_share(row, "again_above", again);
        return;
    }
    char columns[3][16];
    printf("%-28s %8s %9s %10s %10s %8s\n", of->operation, size,
           target > 0 ? le__seconds_text(target, time) : "", share_text(measured, columns[0]),
           share_text(learnt, columns[1]), share_text(again, columns[2]));
    fflush(stdout);
}

static bool one_size(report *r, const subject *of, double target) {
    distance a = choice_of(of, LE_MODE_MEASURE, &r->measured), b = {NAN, NAN};
    if (!bench_interrupted())
        b = choice_of(of, LE_MODE_LEARN, &r->learnt);
    double again = isnan(a.again) ? b.again : isnan(b.again) ? a.again : (a.again + b.again) / 2;
    if (!isnan(a.choice) || !bench_interrupted())
        show(r, of, target, a.choice, b.choice, again);
    keep(&r->again, again); /* none where time was over */
    return keep(&r->measured, a.choice) && keep(&r->learnt, b.choice);
}

static bool is_over(const subject *of) {
    return bench_interrupted() || tool_clock() > of->until;
}

/* At the sizes that were given, else where the best takes the targets, as far as there is time. */
static bool one_operation(report *r, const char *name) {
    double limit_s = r->settings->limit_s > 0 ? r->settings->limit_s : OPERATION_S;
    subject of = {r->settings, r->engine, name, 0, tool_clock() + limit_s};
    int64_t sizes[BENCH_MAX_LIST];
    int given = r->settings->sizes ? bench_sizes(r->settings->sizes, sizes) : 0;
    bool ok = given >= 0;
    for (int i = 0; i < given && !is_over(&of); i++) {
        of.size = sizes[i];
        ok = one_size(r, &of, 0) && ok;
    }
    for (size_t i = 0; given == 0 && i < TARGETS && !is_over(&of); i++) {
        of.size = targets[i] > 0 ? size_for(&of, targets[i]) : 0;
        if (targets[i] > 0 && !of.size)
            continue; /* no size takes so long */
        ok = one_size(r, &of, targets[i]) && ok;
    }
    return ok;
}

typedef struct outcome {
    double median, worst;
    size_t within; /* the limit */
    bool kept;
} outcome;

static outcome sum_up(const tally *t) {
    outcome o = {NAN, NAN, 0, false};
    for (size_t i = 0; i < t->n; i++)
        o.within += t->above[i] <= each_limit;
    if (t->n) {
        o.median = le_stats_median(t->above, t->n);
        o.worst = le_stats_quantile(t->above, t->n, 1);
        o.kept = o.worst <= each_limit && o.median <= median_limit;
    }
    return o;
}

static void print_summary(const tally *t) {
    outcome o = sum_up(t);
    if (!t->n)
        return;
    printf("%s: %zu choices, median %.2f %% and at most %.1f %% above the best (limits %.1f %% "
           "and %.0f %%: %s), %zu of them within %.0f %%",
           t->name, t->n, 100 * o.median, 100 * o.worst, 100 * median_limit, 100 * each_limit,
           o.kept ? "kept" : "not kept", o.within, 100 * each_limit);
    if (t->intervals)
        printf("; %zu of %zu intervals (%.0f %%) contain the steady median", t->inside,
               t->intervals, 100.0 * (double)t->inside / (double)t->intervals);
    printf("\n");
}

static void add_summary(cJSON *root, const tally *t) {
    outcome o = sum_up(t);
    cJSON *row = cJSON_AddObjectToObject(root, t->key);
    cJSON_AddNumberToObject(row, "choices", (double)t->n);
    add_share(row, "median_above", o.median);
    add_share(row, "most_above", o.worst);
    cJSON_AddNumberToObject(row, "within", (double)o.within);
    cJSON_AddBoolToObject(row, "within_limits", o.kept);
    cJSON_AddNumberToObject(row, "intervals", (double)t->intervals);
    cJSON_AddNumberToObject(row, "intervals_right", (double)t->inside);
}

/* Frees the rows. */
static bool print_all(report *r, bool *kept) {
    const tally *const all[] = {&r->measured, &r->learnt, &r->again};
    cJSON *root = r->rows ? cJSON_CreateObject() : NULL;
    *kept = sum_up(&r->measured).kept && sum_up(&r->learnt).kept;
    if (root) {
        cJSON_AddNumberToObject(root, "schema", 1);
        cJSON_AddItemToObject(root, "choices", r->rows);
    }
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (root)
            add_summary(root, all[i]);
        else
            print_summary(all[i]);
    return !root || tool_print_json(root, stdout);
}

int bench_choices(const bench_settings *s) {
    bench_settings own = *s; /* no choice of before takes part */
    own.db = ":memory:";
    le_engine *engine = bench_engine(&own, NULL, LE_MODE_FROZEN);
    const le_operation **ops = engine ? bench_operations(&own, engine) : NULL;
    if (!ops) {
        const int status = engine ? TOOL_USAGE : TOOL_FAILED;
        le_close(&engine);
        return status;
    }
    report r = {.settings = &own,
                .engine = engine,
                .measured = {.name = "after le-bench", .key = "measured"},
                .learnt = {.name = "after 200 calls in learn", .key = "learnt"},
                .again = {.name = "the best by one comparison, in the next", .key = "again"},
                .rows = s->json ? cJSON_CreateArray() : NULL};
    bool ok = true, kept = false;
    bench_catch_interrupts();
    bench_end_calls();
    if (!r.rows)
        printf("%-28s %8s %9s %10s %10s %8s\n", "above the best of the rivals", "size", "best",
               "le-bench", "200 calls", "again");
    fflush(stdout);
    for (size_t i = 0; ok && ops[i] && !bench_interrupted(); i++)
        if (ops[i]->make_case)
            ok = one_operation(&r, ops[i]->name);
    ok = print_all(&r, &kept) && ok;
    free(r.measured.above);
    free(r.learnt.above);
    free(r.again.above);
    free(ops);
    le_close(&engine);
    return ok && kept ? TOOL_OK : TOOL_FAILED;
}
