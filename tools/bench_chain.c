/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * le-bench --suite=chain: a composite operation as a chain that is free to choose, beside the four
 * ways that one would force (steps all on the CPU, all on OpenCL, fused on either), from small to
 * large; in interleaved rounds after each way has been measured by the engine itself.
 */
#include "bench_chain.h"

#include "liquid_engine/le_bench.h"
#include "liquid_engine/le_chain.h"
#include "numbers.h"
#include "operation.h"
#include "stats.h"
#include "engine/report/svg.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 5, DEFAULT_RUNS = 9, LESSONS = 3 };
static const char default_operation[] = "esrrf";
static const char default_sizes[] = "16,32,64,128,256,512,1024";
static const double allowed_loss = 0.05;
/* A shorter run follows one of its own kind: the caches and the threads of the way before it would
 * count against it. */
static const double own_warm_up_s = 0.02;

typedef struct way {
    const char *name, *implementation, *run_type, *device; /* NULL: free */
} way;

static const way ways[WAYS] = {{"planned", NULL, NULL, NULL},
                               {"all on the CPU", "staged", NULL, "cpu"},
                               {"all on OpenCL", "staged_opencl", NULL, "opencl"},
                               {"fused on the CPU", NULL, "fused", "cpu"},
                               {"fused on OpenCL", NULL, "fused", "opencl"}};

typedef struct result {
    double *seconds;
    int n;
    double median; /* NaN: not possible */
    char candidate[256], reason[200];
} result;

typedef struct row { /* one size */
    int64_t size;
    result results[WAYS];
    le_chain_plan *plan;
    int best; /* of the forced ways; 0: none is possible */
    double loss;
} row;

typedef struct chain_suite {
    le_engine *engine;
    const char *operation;
    row rows[BENCH_MAX_LIST];
    size_t n;
    int runs;
} chain_suite;

/* --- a chain of the one step --- */

static le_status make_chain(le_chain **out, le_engine *engine, const char *operation,
                            const le_arg *args, size_t n) {
    le_arg step[LE_MAX_ARGS];
    le_value values[LE_MAX_ARGS];
    le_status status = le_chain_new(out, engine, operation);
    if (status != LE_OK)
        return status;
    for (size_t i = 0; i < n; i++) {
        const le_tensor *t = args[i].kind == LE_KIND_IN ? args[i].value.in : NULL;
        step[i] = args[i];
        if (t) {
            values[i] = le_chain_input(*out, args[i].name, t->dtype, t->ndim, t->shape);
            step[i] = LE_VALUE_IN(args[i].name, values[i]);
        } else if (args[i].kind == LE_KIND_OUT) {
            values[i] = le_chain_temp(*out);
            step[i] = LE_VALUE_OUT(args[i].name, values[i]);
        }
    }
    le_chain_add_args(*out, operation, step, n);
    for (size_t i = 0; i < n; i++)
        if (args[i].kind == LE_KIND_OUT)
            le_chain_output(*out, args[i].name, values[i]);
    return le_chain_status(*out);
}

static size_t add_options(const way *w, le_arg *to) {
    size_t n = 0;
    if (w->implementation)
        to[n++] = LE_OPT_IMPLEMENTATION(w->implementation);
    if (w->run_type)
        to[n++] = LE_OPT_RUN_TYPE(w->run_type);
    if (w->device)
        to[n++] = LE_OPT_DEVICE(w->device);
    return n;
}

static le_status run_chain(le_chain *c, const way *w, le_mode mode, const le_arg *args, size_t n,
                           double *seconds) {
    le_arg all[LE_MAX_ARGS + 4];
    le_tensor inputs[LE_MAX_ARGS], outputs[LE_MAX_ARGS] = {{0}};
    size_t used = 0;
    for (size_t i = 0; i < n; i++)
        if (args[i].kind == LE_KIND_IN) { /* borrowed: no run finds it on a device already */
            const le_tensor *t = args[i].value.in;
            inputs[i] = le_tensor_of(t->data, t->dtype, t->ndim, t->shape);
            all[used++] = LE_IN(args[i].name, &inputs[i]);
        } else if (args[i].kind == LE_KIND_OUT)
            all[used++] = LE_OUT(args[i].name, &outputs[i]);
    used += add_options(w, all + used);
    all[used++] = LE_OPT_MODE(mode);
    double start = tool_clock();
    le_status status = le_chain_run_args(c, all, used);
    *seconds = tool_clock() - start;
    for (size_t i = 0; i < n; i++)
        le_tensor_free(&outputs[i]);
    return status;
}

/* --- measuring --- */

static void give_up(result *r) {
    r->n = -1;
    snprintf(r->reason, sizeof r->reason, "%s", le_error_message());
}

/* Whether a forced way really ran so: options hold only for steps that have such a thing. */
static bool ran_as_forced(const way *w, const char *candidate) {
    return (!w->implementation ||
            !strncmp(candidate, w->implementation, strlen(w->implementation))) &&
           (!w->run_type || !strncmp(candidate, w->run_type, strlen(w->run_type))) &&
           (!w->device || strstr(candidate, w->device));
}

static void note_candidate(const le_chain *c, const way *w, result *r) {
    le_chain_report report;
    le_chain_last_run(c, &report);
    snprintf(r->candidate, sizeof r->candidate, "%s", report.steps[0].candidate);
    if (!ran_as_forced(w, r->candidate)) {
        le_fail(LE_ERR_UNSUPPORTED, "there is no such implementation");
        give_up(r);
    }
}

/* The forced ways first, so that the free one knows them all. */
static void teach(le_chain *c, row *r, const le_arg *args, size_t n) {
    for (int i = 0; i < WAYS * LESSONS && !bench_interrupted(); i++) {
        int k = (1 + i / LESSONS) % WAYS;
        double seconds;
        result *to = &r->results[k];
        if (to->n == 0 && run_chain(c, &ways[k], LE_MODE_MEASURE, args, n, &seconds) != LE_OK)
            give_up(to);
    }
}

static void measure_rounds(chain_suite *s, le_chain *c, row *r, const le_arg *args, size_t n) {
    for (int round = 0; round < s->runs && !bench_interrupted(); round++)
        for (int i = 0; i < WAYS; i++) {
            int k = (i + round) % WAYS;
            result *to = &r->results[k];
            if (to->n < 0)
                continue;
            double *seconds = &to->seconds[to->n];
            if (run_chain(c, &ways[k], LE_MODE_FROZEN, args, n, seconds) != LE_OK ||
                (*seconds < own_warm_up_s &&
                 run_chain(c, &ways[k], LE_MODE_FROZEN, args, n, seconds) != LE_OK)) {
                give_up(to);
                continue;
            }
            to->n++;
            note_candidate(c, &ways[k], to);
        }
}

static void judge(row *r) {
    r->best = 0;
    for (int k = 0; k < WAYS; k++) {
        result *to = &r->results[k];
        to->median = to->n > 0 ? le_stats_median(to->seconds, (size_t)to->n) : NAN;
        if (k && to->n > 0 && (!r->best || to->median < r->results[r->best].median))
            r->best = k;
    }
    r->loss = r->best ? r->results[0].median / r->results[r->best].median - 1 : NAN;
}

static bool measure_size(chain_suite *s, row *r, const bench_settings *settings) {
    le_sample *sample = NULL;
    le_chain *c = NULL;
    size_t n;
    le_case_request request = {
        .kind = LE_CASE_BENCH, .seed = settings->seed, .size = r->size, .dtype = LE_F32};
    le_status status = le_sample_make(&sample, s->engine, s->operation, &request);
    const le_arg *args = status == LE_OK ? le_sample_args(sample, &n) : NULL;
    if (status == LE_OK)
        status = make_chain(&c, s->engine, s->operation, args, n);
    for (int k = 0; status == LE_OK && k < WAYS; k++) {
        r->results[k].seconds = calloc((size_t)s->runs, sizeof(double));
        if (!r->results[k].seconds)
            status = le_fail(LE_ERR_MEMORY, "out of memory");
    }
    if (status == LE_OK) {
        teach(c, r, args, n);
        measure_rounds(s, c, r, args, n);
        judge(r);
        status = le_chain_explain(c, &r->plan, &LE_OPT_MODE(LE_MODE_FROZEN), 1);
    }
    if (status != LE_OK)
        bench_say_error();
    le_chain_free(&c);
    le_sample_free(&sample);
    return status == LE_OK;
}

/* --- showing --- */

static void print_row(const row *r) {
    char text[3][LE__TEXT];
    printf("%lldx%lld\n", (long long)r->size, (long long)r->size);
    for (int k = 0; k < WAYS; k++) {
        const result *to = &r->results[k];
        printf("  %c %-17s %9s  %s\n", k == r->best ? '*' : ' ', ways[k].name,
               le__seconds_text(to->median, text[0]), to->n < 0 ? to->reason : to->candidate);
    }
    if (r->plan)
        printf("    why: %s; predicted %s, on the CPU alone %s, on one device alone %s\n",
               r->plan->why, le__seconds_text(r->plan->predicted_s, text[0]),
               le__seconds_text(r->plan->cpu_s, text[1]),
               le__seconds_text(r->plan->device_s, text[2]));
    if (r->best)
        printf("    planned takes %+.1f %% of the best forced way: %s\n", 100 * r->loss,
               r->loss <= allowed_loss ? "ok" : "more than 5 %");
}

static void add_row(const row *r, cJSON *list) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    cJSON_AddNumberToObject(o, "size", (double)r->size);
    le__json_add_number(o, "loss", r->loss);
    cJSON_AddBoolToObject(o, "within", r->loss <= allowed_loss);
    cJSON_AddStringToObject(o, "best", r->best ? ways[r->best].name : "");
    cJSON *results = cJSON_AddArrayToObject(o, "ways");
    for (int k = 0; k < WAYS; k++) {
        const result *from = &r->results[k];
        cJSON *w = cJSON_CreateObject();
        cJSON_AddItemToArray(results, w);
        cJSON_AddStringToObject(w, "name", ways[k].name);
        cJSON_AddStringToObject(w, "candidate", from->candidate);
        cJSON_AddStringToObject(w, "failure", from->reason);
        le__json_add_number(w, "median_s", from->median);
        cJSON_AddItemToObject(w, "seconds",
                              cJSON_CreateDoubleArray(from->seconds, from->n > 0 ? from->n : 0));
    }
    char *plan = r->plan ? le_chain_plan_json(r->plan) : NULL;
    cJSON_AddItemToObject(o, "plan", plan ? cJSON_Parse(plan) : cJSON_CreateNull());
    free(plan);
}

static bool print_json(const chain_suite *s) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", 1);
    cJSON_AddStringToObject(root, "suite", "chain");
    cJSON_AddStringToObject(root, "operation", s->operation);
    cJSON_AddNumberToObject(root, "runs", s->runs);
    cJSON_AddNumberToObject(root, "threads", le_bench_threads(s->engine));
    cJSON *list = cJSON_AddArrayToObject(root, "sizes");
    for (size_t i = 0; i < s->n; i++)
        add_row(&s->rows[i], list);
    return tool_print_json(root, stdout);
}

static const char *edge(double v, char *out) {
    snprintf(out, LE__TEXT, "%.0f", v);
    return out;
}

static bool write_chart(const chain_suite *s, const char *path) {
    svg_point points[WAYS][BENCH_MAX_LIST];
    svg_series series[WAYS];
    char title[160];
    tool_file f;
    if (!tool_file_open(&f, path))
        return false;
    for (int k = 0; k < WAYS; k++) {
        series[k] =
            (svg_series){.label = ways[k].name, .points = points[k], .faint = k != 0, .colour = k};
        for (size_t i = 0; i < s->n; i++) {
            const result *r = &s->rows[i].results[k];
            if (r->n > 0)
                points[k][series[k].n++] =
                    (svg_point){(double)s->rows[i].size, r->median,
                                le_stats_quantile(r->seconds, (size_t)r->n, 0.25),
                                le_stats_quantile(r->seconds, (size_t)r->n, 0.75)};
        }
    }
    snprintf(title, sizeof title, "%.64s as a chain: planned, and forced", s->operation);
    svg_lines chart = {.title = title,
                       .x_axis = "edge of a frame",
                       .y_axis = "median time with its quartiles",
                       .x_format = edge,
                       .y_format = le__seconds_text,
                       .alone = true};
    le__svg_write_lines(f.stream, &chart, series, WAYS);
    return tool_file_close(&f, true);
}

static bool show(const chain_suite *s, const bench_settings *settings) {
    bool ok = true;
    for (size_t i = 0; !settings->json && i < s->n; i++)
        print_row(&s->rows[i]);
    if (settings->json)
        ok = print_json(s);
    return settings->output ? write_chart(s, settings->output) && ok : ok;
}

static int by_size(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void free_row(row *r) {
    for (int k = 0; k < WAYS; k++)
        free(r->results[k].seconds);
    le_chain_plan_free(&r->plan);
}

static void free_suite(chain_suite *s) {
    for (size_t i = 0; i < s->n; i++)
        free_row(&s->rows[i]);
    le_close(&s->engine);
    free(s);
}

/* False after a message: not every size could be measured. The others are there all the same. */
static bool measure_sizes(chain_suite *s, const int64_t *sizes, int n,
                          const bench_settings *settings) {
    bool ok = true;
    for (int i = 0; i < n && !bench_interrupted(); i++) {
        row *r = &s->rows[s->n];
        *r = (row){.size = sizes[i]};
        const bool good = measure_size(s, r, settings);
        if (good)
            s->n++;
        else
            free_row(r);
        ok = ok && good;
    }
    return ok;
}

int bench_chain(const bench_settings *settings) {
    int64_t sizes[BENCH_MAX_LIST];
    int n = bench_sizes(settings->sizes ? settings->sizes : default_sizes, sizes);
    chain_suite *s = n < 0 ? NULL : calloc(1, sizeof *s);
    if (!s)
        return n < 0 ? TOOL_USAGE : TOOL_FAILED;
    qsort(sizes, (size_t)n, sizeof *sizes, by_size);
    s->engine = bench_engine(settings, ":memory:", LE_MODE_LEARN);
    s->operation = settings->operations[0] ? settings->operations[0] : default_operation;
    s->runs = settings->repeat > 0 ? settings->repeat : DEFAULT_RUNS;
    const le_operation *op = s->engine ? tool_operation(s->engine, s->operation) : NULL;
    const bool unknown = s->engine && !op;
    bool ok = op && op->expand && op->make_case;
    if (op && !ok)
        tool_message("%s is no composite operation", s->operation);
    bench_catch_interrupts();
    ok = ok && measure_sizes(s, sizes, n, settings);
    if (s->n && !bench_interrupted())
        ok = show(s, settings) && ok;
    free_suite(s);
    return ok ? TOOL_OK : unknown ? TOOL_USAGE : TOOL_FAILED;
}
