/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Pre-warming: typical calls of operations in `measure` mode, so that later calls find their choice
 * in the database. What the database knows already is skipped, so an interrupted run goes on where
 * it was. Ranks measure together: each decision about what comes next is that of all.
 */
#include "bench.h"
#include "run_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    const le_operation *operation;
    int64_t size;
    le_dtype dtype;
    bool unfinished; /* trials went on when its call was answered */
} job;

typedef struct plan {
    job *jobs;
    size_t n;
} plan;

static bool add_jobs(plan *p, const le_operation *op, const bench_settings *s, int64_t size) {
    le_dtype dtypes[BENCH_MAX_LIST];
    int n = bench_dtypes(s->dtypes, op, dtypes);
    for (int i = 0; i < n; i++) {
        job *jobs = realloc(p->jobs, (p->n + 1) * sizeof *jobs);
        if (!jobs)
            return false;
        p->jobs = jobs;
        p->jobs[p->n++] = (job){.operation = op, .size = size, .dtype = dtypes[i]};
    }
    return n >= 0;
}

/* Size by size over all operations, so that a budget that ends early has served all of them. */
static bool make_plan(plan *p, const bench_settings *s, le_engine *engine) {
    int64_t sizes[BENCH_MAX_LIST];
    int n = bench_sizes(s->sizes, sizes);
    const le_operation **ops = n < 0 ? NULL : bench_operations(s, engine);
    bool ok = ops != NULL;
    for (int i = 0; ok && i < n; i++)
        for (size_t k = 0; ok && ops[k]; k++)
            if (ops[k]->make_case)
                ok = add_jobs(p, ops[k], s, sizes[i]);
    free(ops);
    return ok;
}

/* The sample's arguments and the options of the call. */
static size_t call_args(const le_sample *sample, const bench_settings *s, le_arg *out) {
    size_t n;
    const le_arg *args = le_sample_args(sample, &n);
    memcpy(out, args, n * sizeof *out);
    if (!isnan(s->atol))
        out[n++] = LE_OPT_ATOL(s->atol);
    if (!isnan(s->rtol))
        out[n++] = LE_OPT_RTOL(s->rtol);
    out[n++] = LE_OPT_MODE(LE_MODE_MEASURE);
    return n;
}

typedef enum kept { KEPT_BEFORE, KEPT, KEPT_UNDER_LOAD, KEPT_NOT } kept;

static kept how_kept(le_engine *engine, const char *name, const le_arg *args, size_t n,
                     bool known) {
    return known                                           ? KEPT_BEFORE
           : le_bench_is_known(engine, name, args, n)      ? KEPT
           : le_bench_is_under_load(engine, name, args, n) ? KEPT_UNDER_LOAD
                                                           : KEPT_NOT;
}

static void print_result(const char *operation, const le_explanation *e, const le_run_info *info,
                         kept how) {
    static const char *const notes[] = {
        [KEPT] = "",
        [KEPT_UNDER_LOAD] = "; measured under load: stored as such, to be measured again",
        [KEPT_NOT] = "; not decided in time: not stored, to be measured again"};
    char time[LE__TEXT];
    const le_explained_candidate *c = NULL;
    size_t measured = 0;
    for (size_t i = 0; i < e->n_candidates; i++) {
        measured += e->candidates[i].samples > 0;
        if (!c && !strcmp(e->candidates[i].candidate, e->choice))
            c = &e->candidates[i];
    }
    double seconds = c && c->samples > 0 ? c->measured_s : info->seconds;
    if (c && !(seconds > 0)) /* a race of several ranks answers no call */
        seconds = c->predicted_s;
    printf("%s  %s\n    %s  %s", operation, e->problem, e->choice, le__seconds_text(seconds, time));
    if (how == KEPT_BEFORE)
        printf("  (known already)\n");
    else
        printf("  (%zu candidates measured%s)\n", measured, notes[how]);
    fflush(stdout);
}

enum { MAX_REFERENCE_S = 5 };

/* The reference takes no part in races; one run of it gives the report its ratio, where it is
 * quick. */
static void time_reference(le_engine *engine, const char *name, const le_arg *args, size_t n,
                           const le_explanation *e) {
    le_arg forced[LE_MAX_ARGS + 8];
    double least = INFINITY;
    bool done = false;
    for (size_t i = 0; e && i < e->n_candidates; i++)
        if (!strcmp(e->candidates[i].run_type, "reference") && e->candidates[i].applicable) {
            done = done || e->candidates[i].samples > 0;
            least = fmin(least, e->candidates[i].predicted_s);
        }
    if (done || !(least < MAX_REFERENCE_S) || bench_interrupted() || run_world_rank() > 0)
        return;
    memcpy(forced, args, n * sizeof *forced);
    forced[n++] = LE_OPT_RUN_TYPE("reference");
    if (le_call_run(engine, name, forced, n) != LE_OK)
        bench_failed(name);
}

typedef enum outcome {
    OUTCOME_MEASURED,
    OUTCOME_KNOWN,
    OUTCOME_NO_SAMPLE,
    OUTCOME_FAILED,
    OUTCOME_UNFINISHED
} outcome;

typedef struct progress {
    const bench_settings *settings;
    le_engine *engine;
    bench_progress shown;
    size_t count[OUTCOME_UNFINISHED + 1], done;
} progress;

static bool run_measured(bool again, le_engine *engine, const char *name, const le_arg *args,
                         size_t n) {
    le_status status = again ? le_bench_forget(engine, name, args, n) : LE_OK;
    status = run_world_agree(status);
    if (status == LE_OK && run_world_race(engine, name, args, n) == LE_OK)
        return true;
    bench_failed(name);
    return false;
}

enum { MAX_TRIALS_S = 20 };

/* False: failed. *known: nothing had to be measured. */
static bool call_if_needed(const job *j, const bench_settings *s, le_engine *engine,
                           const le_arg *args, size_t n, bool *known) {
    const char *name = j->operation->name;
    *known = false;
    if (j->unfinished)
        return run_world_all(!le_bench_is_unfinished(engine, name, args, n, MAX_TRIALS_S)) ||
               run_measured(false, engine, name, args, n);
    *known = run_world_all(!s->again && le_bench_is_known(engine, name, args, n));
    return *known || run_measured(s->again, engine, name, args, n);
}

/* A problem is told of once, when nothing goes on behind its call; last: at any rate. */
static outcome measure(job *j, progress *p, const le_arg *args, size_t n, bool last) {
    const bench_settings *s = p->settings;
    le_engine *engine = p->engine;
    le_explanation *e = NULL;
    le_run_info info = {.struct_size = sizeof info};
    const char *name = j->operation->name;
    bool known;
    if (!call_if_needed(j, s, engine, args, n, &known)) {
        j->unfinished = false;
        return OUTCOME_FAILED;
    }
    le_last_run(&info);
    j->unfinished = !run_world_all(known || !le_bench_is_unfinished(engine, name, args, n, 0));
    if (j->unfinished && !last)
        return OUTCOME_UNFINISHED;
    j->unfinished = false;
    bool explained = le_call_explain(engine, &e, name, args, n) == LE_OK;
    if (explained && !known && s->budget_s <= 0)
        time_reference(engine, name, args, n, e);
    bench_progress_end(&p->shown);
    if (explained && !s->quiet)
        print_result(name, e, &info, how_kept(engine, name, args, n, known));
    le_explanation_free(&e);
    return known ? OUTCOME_KNOWN : OUTCOME_MEASURED;
}

static outcome run_job(job *j, progress *p, bool last) {
    const bench_settings *s = p->settings;
    le_sample *sample;
    le_arg args[LE_MAX_ARGS + 4];
    le_case_request request = {
        .kind = LE_CASE_BENCH, .seed = s->seed, .size = j->size, .dtype = j->dtype};
    le_status status = le_sample_make(&sample, p->engine, j->operation->name, &request);
    status = run_world_agree(status);
    if (status != LE_OK) {
        tool_message("%s: no sample of size %lld%s%s: %s", j->operation->name, (long long)j->size,
                     j->dtype ? ", " : "", j->dtype ? le_dtype_name(j->dtype) : "",
                     le_error_message());
        return status == LE_ERR_MEMORY ? OUTCOME_FAILED : OUTCOME_NO_SAMPLE;
    }
    size_t n = call_args(sample, s, args);
    outcome result = measure(j, p, args, n, last);
    run_world_done(1, 0);
    le_sample_free(&sample);
    return result;
}

static void describe(const job *j, char *out, size_t size) {
    int n = snprintf(out, size, "%s", j->operation->name);
    if (j->size && n > 0 && (size_t)n < size)
        n += snprintf(out + n, size - (size_t)n, " size %lld", (long long)j->size);
    if (j->dtype && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, " %s", le_dtype_name(j->dtype));
}

static bool is_over(const progress *p) {
    double budget_s = p->settings->budget_s;
    return !run_world_all(!bench_interrupted() &&
                          !(budget_s > 0 && tool_clock() - p->shown.start > budget_s));
}

/* Each problem has an end, however busy the machine is. */
static void limit_race(const progress *p) {
    const bench_settings *s = p->settings;
    double limit = bench_limit(s);
    double left = s->budget_s > 0 ? s->budget_s - (tool_clock() - p->shown.start) : limit;
    le_bench_limit_races(p->engine, fmax(fmin(left, limit), 0));
}

enum { ROUNDS = 20 };

typedef struct visit { /* to all problems that are left */
    int number;        /* 0: the first */
    double until;
} visit;

static bool is_last(const visit *v) {
    return v->number > 0 && !run_world_all(v->number < ROUNDS && tool_clock() <= v->until);
}

static outcome show_job(progress *p, job *j, const visit *v) {
    char what[128];
    describe(j, what, sizeof what);
    bench_progress_show(&p->shown, p->done, what, p->settings->budget_s, bench_limit(p->settings));
    limit_race(p);
    outcome o = run_job(j, p, is_last(v));
    bench_progress_end(&p->shown);
    return o;
}

/* False: nothing more is to be begun. Over ranks: once more by the others when one is lost. */
static bool run_one(progress *p, job *j, const visit *v) {
    outcome o = OUTCOME_UNFINISHED;
    bool over;
    do {
        run_world_begin();
        over = is_over(p);
        if (!over)
            o = show_job(p, j, v);
    } while (run_world_again());
    p->count[o] += !over;
    p->done += o != OUTCOME_UNFINISHED;
    return !over;
}

/* Calls do not wait for trials beyond their time limit: le-bench comes back for what they prove,
 * when all else is done. */
static void run_rest(progress *p, const plan *all) {
    size_t left = 1;
    visit v = {0, tool_clock() + bench_limit(p->settings)};
    while (left && v.number++ < ROUNDS) {
        left = 0;
        for (size_t i = 0; i < all->n; i++)
            if (all->jobs[i].unfinished) {
                if (!run_one(p, &all->jobs[i], &v))
                    return;
                left += all->jobs[i].unfinished;
            }
    }
}

static int run_plan(const plan *all, const bench_settings *s, le_engine *engine) {
    progress p = {.settings = s, .engine = engine};
    bench_progress_begin(&p.shown, all->n, s->quiet);
    bool more = true;
    for (size_t i = 0; i < all->n && more; i++)
        more = run_one(&p, &all->jobs[i], &(visit){0, 0});
    if (more)
        run_rest(&p, all);
    if (p.done < all->n)
        tool_message("%s: %zu of %zu problems are done; the same command %s",
                     bench_interrupted() ? "interrupted" : "the budget is spent", p.done, all->n,
                     s->again ? "begins with the first of them" : "goes on with the rest");
    if (!s->quiet)
        fprintf(stderr, "%zu measured, %zu known already, %zu without a sample, %zu failed\n",
                p.count[OUTCOME_MEASURED], p.count[OUTCOME_KNOWN], p.count[OUTCOME_NO_SAMPLE],
                p.count[OUTCOME_FAILED]);
    const bool stored = !p.count[OUTCOME_MEASURED] || le_bench_flush(engine) == LE_OK;
    if (!stored)
        tool_message("%s", le_error_message());
    return stored && !p.count[OUTCOME_FAILED] ? TOOL_OK : TOOL_FAILED;
}

int bench_warm(const bench_settings *s) {
    le_engine *engine = bench_engine(s, NULL, LE_MODE_MEASURE);
    plan p = {0};
    if (!engine)
        return TOOL_FAILED;
    bench_end_races_of(engine);
    bench_catch_interrupts();
    int status = make_plan(&p, s, engine) ? run_plan(&p, s, engine) : TOOL_USAGE;
    bench_end_races_of(NULL);
    free(p.jobs);
    le_close(&engine);
    return status;
}
