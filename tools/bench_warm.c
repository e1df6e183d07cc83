/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Pre-warming: typical calls of operations in `measure` mode, so that later calls find their choice
 * in the database. What the database knows already is skipped, so an interrupted run goes on where
 * it was.
 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    const le_operation *operation;
    int64_t size;
    le_dtype dtype;
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
        p->jobs[p->n++] = (job){op, size, dtypes[i]};
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

static void print_result(const char *operation, const le_explanation *e, const le_run_info *info,
                         bool known, bool stored) {
    char time[TOOL_NUMBER];
    const le_explained_candidate *c = NULL;
    size_t measured = 0;
    for (size_t i = 0; i < e->n_candidates; i++) {
        measured += e->candidates[i].samples > 0;
        if (!c && !strcmp(e->candidates[i].candidate, e->choice))
            c = &e->candidates[i];
    }
    double seconds = c && c->samples > 0 ? c->measured_s : info->seconds;
    printf("%s  %s\n    %s  %s", operation, e->problem, e->choice, tool_seconds(seconds, time));
    if (known)
        printf("  (known already)\n");
    else
        printf("  (%zu candidates measured%s)\n", measured,
               stored ? "" : "; the machine was busy: not stored, to be measured again");
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
    if (done || !(least < MAX_REFERENCE_S) || bench_interrupted())
        return;
    memcpy(forced, args, n * sizeof *forced);
    forced[n++] = LE_OPT_RUN_TYPE("reference");
    if (le_call_run(engine, name, forced, n) != LE_OK)
        tool_message("%s: %s", name, le_error_message());
}

typedef enum outcome { OUTCOME_MEASURED, OUTCOME_KNOWN, OUTCOME_NO_SAMPLE, OUTCOME_FAILED } outcome;

static bool run_measured(const bench_settings *s, le_engine *engine, const char *name,
                         const le_arg *args, size_t n) {
    if ((!s->again || le_bench_forget(engine, name, args, n) == LE_OK) &&
        le_call_run(engine, name, args, n) == LE_OK)
        return true;
    tool_message("%s: %s", name, le_error_message());
    return false;
}

static outcome measure(const job *j, const bench_settings *s, le_engine *engine, const le_arg *args,
                       size_t n) {
    le_explanation *e = NULL;
    le_run_info info = {.struct_size = sizeof info};
    const char *name = j->operation->name;
    bool known = !s->again && le_bench_is_known(engine, name, args, n);
    if (!known) {
        if (!run_measured(s, engine, name, args, n))
            return OUTCOME_FAILED;
        le_last_run(&info);
    }
    bool explained = le_call_explain(engine, &e, name, args, n) == LE_OK;
    if (explained && !known && s->budget_s <= 0)
        time_reference(engine, name, args, n, e);
    if (explained && !s->quiet)
        print_result(name, e, &info, known, known || le_bench_is_known(engine, name, args, n));
    le_explanation_free(&e);
    return known ? OUTCOME_KNOWN : OUTCOME_MEASURED;
}

static outcome run_job(const job *j, const bench_settings *s, le_engine *engine) {
    le_sample *sample;
    le_arg args[LE_MAX_ARGS + 4];
    le_case_request request = {
        .kind = LE_CASE_BENCH, .seed = s->seed, .size = j->size, .dtype = j->dtype};
    le_status status = le_sample_make(&sample, engine, j->operation->name, &request);
    if (status != LE_OK) {
        tool_message("%s: no sample of size %lld%s%s: %s", j->operation->name, (long long)j->size,
                     j->dtype ? ", " : "", j->dtype ? le_dtype_name(j->dtype) : "",
                     le_error_message());
        return status == LE_ERR_MEMORY ? OUTCOME_FAILED : OUTCOME_NO_SAMPLE;
    }
    size_t n = call_args(sample, s, args);
    outcome result = measure(j, s, engine, args, n);
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

static int run_plan(const plan *p, const bench_settings *s, le_engine *engine) {
    size_t count[4] = {0}, i = 0;
    bench_progress progress;
    bench_progress_begin(&progress, p->n, s->quiet);
    if (s->budget_s > 0)
        le_bench_limit_races(engine, s->budget_s);
    for (; i < p->n && !bench_interrupted(); i++) {
        char what[128];
        if (s->budget_s > 0 && tool_clock() - progress.start > s->budget_s)
            break;
        describe(&p->jobs[i], what, sizeof what);
        bench_progress_show(&progress, i, what, s->budget_s);
        count[run_job(&p->jobs[i], s, engine)]++;
        bench_progress_end(&progress);
    }
    if (i < p->n)
        tool_message("%s: %zu of %zu problems are done; the same command goes on with the rest",
                     bench_interrupted() ? "interrupted" : "the budget is spent", i, p->n);
    if (!s->quiet)
        fprintf(stderr, "%zu measured, %zu known already, %zu without a sample, %zu failed\n",
                count[OUTCOME_MEASURED], count[OUTCOME_KNOWN], count[OUTCOME_NO_SAMPLE],
                count[OUTCOME_FAILED]);
    return count[OUTCOME_FAILED] ? TOOL_FAILED : bench_interrupted() ? 130 : TOOL_OK;
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
