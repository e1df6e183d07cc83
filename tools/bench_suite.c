/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * le-bench --suite FAMILY: every implementation of each of the family's operations, the composite
 * one and its steps first, on one problem, in interleaved rounds: mean and standard deviation,
 * stages, and the comparison with the reference. The form of P. Mocz's study of a volume
 * renderer: bars of means with deviations beside the errors.
 */
#include "bench_target.h"
#include "place.h"
#include "engine/report/colours.h"
#include "numbers.h"
#include "liquid_engine/le_chain.h"
#include "engine/report/svg.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_RUNS = 10, MAX_ENTRIES = 48, LABEL = 96, MAX_STAGES = 24 };

static const double patience_s = 10; /* an implementation that has run this long is run no more */

typedef struct stage {
    char name[120];
    double seconds;
    int count;
} stage;

typedef struct entry { /* one implementation on one device */
    size_t index;      /* of its candidate */
    const le_bench_candidate *candidate;
    char label[LABEL];
    double *seconds;
    int n;
    double spent, mean, deviation;
    int64_t peak_bytes;
    bool failed, compared, within;
    double max_abs;
    char reason[200];
    stage stages[MAX_STAGES];
    size_t n_stages;
} entry;

typedef struct suite {
    bench_target target;
    const char *volume; /* the place that it was read from; NULL: made up */
    entry entries[MAX_ENTRIES];
    size_t n;
    int runs;
} suite;

/* --- what runs --- */

/* The composite operation of the family, else its first; or the operation of that name. */
static const le_operation *main_operation(le_engine *engine, const char *family) {
    size_t n;
    const le_operation *const *all = le_engine_operations(engine, &n);
    const le_operation *found = le_engine_operation(engine, family);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(all[i]->family, family) && all[i]->make_case &&
            (!found || (all[i]->expand && !found->expand)))
            found = all[i];
    return found;
}

static entry *find_entry(suite *s, const le_bench_candidate *c) {
    for (size_t i = 0; i < s->n; i++)
        if (s->entries[i].candidate->implementation == c->implementation &&
            !strcmp(s->entries[i].candidate->device, c->device))
            return &s->entries[i];
    return NULL;
}

/* Of each implementation on each device the first candidate that applies: its default parameters.
 */
static bool list_entries(suite *s) {
    size_t n;
    const le_bench_candidate *list = le_bench_candidates(s->target.bench, &n);
    for (size_t i = 0; i < n && s->n < MAX_ENTRIES; i++) {
        if (!list[i].applies || find_entry(s, &list[i]))
            continue;
        entry *e = &s->entries[s->n++];
        *e = (entry){.index = i,
                     .candidate = &list[i],
                     .max_abs = NAN,
                     .seconds = calloc((size_t)s->runs, sizeof *e->seconds)};
        snprintf(e->label, sizeof e->label, "%.50s@%.30s", list[i].implementation->name,
                 list[i].device);
        if (!e->seconds)
            return false;
    }
    return true;
}

/* --- running --- */

static void give_up(entry *e) {
    e->failed = true;
    snprintf(e->reason, sizeof e->reason, "%s", le_error_message());
}

static void compare(suite *s, entry *e) {
    le_bench_comparison r = {.struct_size = sizeof r};
    if (le_bench_check(s->target.bench, e->index, 0xff, &r) != LE_OK) {
        give_up(e);
        return;
    }
    e->compared = true;
    e->max_abs = r.max_abs;
    e->within = r.within;
}

static void run_once(suite *s, entry *e) {
    le_bench_stats stats = {.struct_size = sizeof stats};
    if (le_bench_run(s->target.bench, e->index, &stats) != LE_OK) {
        give_up(e);
        return;
    }
    e->seconds[e->n++] = stats.seconds;
    e->spent += stats.seconds;
    if (stats.peak_bytes > e->peak_bytes)
        e->peak_bytes = stats.peak_bytes;
}

/* Steps of a chain, and loops, kernels and transfers, of one run. */
static void record_stages(suite *s, entry *e) {
    le_bench_stats stats = {.struct_size = sizeof stats};
    le_profile *profile = NULL;
    size_t n = 0;
    if (le_profile_start(s->target.engine) != LE_OK)
        return;
    bool good = le_bench_run(s->target.bench, e->index, &stats) == LE_OK;
    le_profile_stop(s->target.engine, &profile);
    const le_profile_row *rows = profile && good ? le_profile_rows(profile, &n) : NULL;
    for (size_t i = 0; i < n && e->n_stages < MAX_STAGES; i++) {
        stage *to = &e->stages[e->n_stages];
        if (rows[i].depth == 0)
            continue;
        snprintf(to->name, sizeof to->name, "%s", rows[i].name);
        to->seconds = rows[i].total_s;
        to->count = (int)rows[i].count;
        e->n_stages++;
    }
    le_profile_free(&profile);
}

static void summarize(entry *e) {
    le_moments m = {0};
    for (int i = 0; i < e->n; i++)
        le_moments_add(&m, e->seconds[i]);
    e->mean = e->n ? m.mean : NAN;
    e->deviation = e->n > 1 ? sqrt(le_moments_variance(&m)) : 0;
}

/* The comparison is the warm-up; then rounds that begin with another implementation each time. */
static bool measure(suite *s, bool quiet) {
    bench_progress p;
    bool reference = le_bench_reference(s->target.bench) == LE_OK;
    if (!reference)
        tool_message("no comparison: %s", le_error_message());
    bench_progress_begin(&p, (size_t)s->runs + 1, quiet);
    for (size_t i = 0; i < s->n && reference && !bench_interrupted(); i++) {
        bench_progress_show(&p, 0, s->entries[i].label, 0, 0);
        compare(s, &s->entries[i]);
    }
    for (int round = 0; round < s->runs && !bench_interrupted(); round++)
        for (size_t k = 0; k < s->n && !bench_interrupted(); k++) {
            entry *e = &s->entries[(k + (size_t)round) % s->n];
            bench_progress_show(&p, (size_t)round + 1, e->label, 0, 0);
            if (!e->failed && e->spent < patience_s)
                run_once(s, e);
        }
    bench_progress_end(&p);
    for (size_t i = 0; i < s->n && !bench_interrupted(); i++) {
        if (!s->entries[i].failed && s->entries[i].spent < patience_s)
            record_stages(s, &s->entries[i]);
        summarize(&s->entries[i]);
    }
    return !bench_interrupted();
}

static int by_mean(const void *x, const void *y) {
    const entry *a = x, *b = y;
    bool no_a = isnan(a->mean), no_b = isnan(b->mean);
    return no_a != no_b ? no_a - no_b : (a->mean > b->mean) - (a->mean < b->mean);
}

static double reference_mean(const suite *s) {
    for (size_t i = 0; i < s->n; i++)
        if (s->entries[i].candidate->implementation->flags & LE_IMPL_REFERENCE)
            return s->entries[i].mean;
    return NAN;
}

/* --- showing --- */

static void print_text(const suite *s) {
    char a[LE__TEXT], b[LE__TEXT], c[LE__TEXT], d[LE__TEXT];
    if (s->volume)
        printf("%s\n", s->volume);
    printf("%s  %s\n%s%-34s %-10s %9s %9s %5s %9s %9s %10s  %s%s\n", s->target.operation,
           le_bench_problem(s->target.bench), tool_begin(stdout, TOOL_BOLD), "implementation",
           "run type", "mean", "std", "runs", "reference", "error", "memory", "result",
           tool_begin(stdout, TOOL_PLAIN));
    for (size_t i = 0; i < s->n; i++) {
        const entry *e = &s->entries[i];
        char peak[LE__TEXT];
        printf("%-34s %-10s %9s %9s %5d %9s %9s %10s  %s\n", e->label,
               e->candidate->implementation->run_type, le__seconds_text(e->mean, a),
               le__seconds_text(e->deviation, b), e->n,
               le__ratio_text(reference_mean(s) / e->mean, c), le__error_text(e->max_abs, d),
               le__bytes_text((double)e->peak_bytes, peak),
               e->failed      ? e->reason
               : !e->compared ? "not compared"
               : e->within    ? "ok"
                              : "beyond tolerance");
    }
}

static void add_entry(const suite *s, const entry *e, cJSON *list) {
    const le_implementation *impl = e->candidate->implementation;
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    cJSON_AddStringToObject(o, "implementation", impl->name);
    cJSON_AddStringToObject(o, "run_type", impl->run_type);
    cJSON_AddStringToObject(o, "device", e->candidate->device);
    cJSON_AddStringToObject(o, "candidate", e->candidate->text);
    le__json_add_number(o, "mean_s", e->mean);
    le__json_add_number(o, "std_s", e->deviation);
    le__json_add_number(o, "median_s", le_stats_median(e->seconds, (size_t)e->n));
    le__json_add_number(o, "min_s", le_stats_quantile(e->seconds, (size_t)e->n, 0));
    le__json_add_number(o, "reference_ratio", reference_mean(s) / e->mean);
    le__json_add_number(o, "error_max_abs", e->max_abs);
    cJSON_AddBoolToObject(o, "within_tolerance", e->compared && e->within);
    cJSON_AddNumberToObject(o, "peak_bytes", (double)e->peak_bytes);
    cJSON_AddStringToObject(o, "failure", e->reason);
    cJSON_AddItemToObject(o, "seconds", cJSON_CreateDoubleArray(e->seconds, e->n));
    cJSON *stages = cJSON_AddArrayToObject(o, "stages");
    for (size_t i = 0; i < e->n_stages; i++) {
        cJSON *t = cJSON_CreateObject();
        cJSON_AddItemToArray(stages, t);
        cJSON_AddStringToObject(t, "name", e->stages[i].name);
        cJSON_AddNumberToObject(t, "count", e->stages[i].count);
        cJSON_AddNumberToObject(t, "seconds", e->stages[i].seconds);
    }
}

static bool print_json(const suite *s) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", 1);
    cJSON_AddStringToObject(root, "operation", s->target.operation);
    cJSON_AddStringToObject(root, "problem", le_bench_problem(s->target.bench));
    if (s->volume)
        cJSON_AddStringToObject(root, "volume", s->volume);
    else
        cJSON_AddNullToObject(root, "volume");
    cJSON_AddNumberToObject(root, "threads", le_bench_threads(s->target.engine));
    cJSON *list = cJSON_AddArrayToObject(root, "implementations");
    for (size_t i = 0; i < s->n; i++)
        add_entry(s, &s->entries[i], list);
    return tool_print_json(root, stdout);
}

/* A place without its folders. */
static const char *short_place(const char *place) {
    char file[4096];
    const char *dataset, *slash;
    const size_t n = place_split(place, file, sizeof file, &dataset) ? strlen(file) : strlen(place);
    slash = memrchr(place, '/', n);
    return slash ? slash + 1 : place;
}

static bool write_chart(const suite *s, const char *path) {
    svg_bar bars[MAX_ENTRIES];
    static colours all;
    char notes[MAX_ENTRIES][64], title[192];
    tool_file f;
    if (!tool_file_open(&f, path))
        return false;
    le__colours_make(&all, s->target.engine);
    for (size_t i = 0; i < s->n; i++) {
        const entry *e = &s->entries[i];
        char ratio[LE__TEXT], error[LE__TEXT];
        bool good = e->compared && e->within && !e->failed;
        snprintf(notes[i], sizeof notes[i], "%s, error %s",
                 le__ratio_text(reference_mean(s) / e->mean, ratio),
                 le__error_text(e->max_abs, error));
        bars[i] = (svg_bar){e->label,
                            e->mean,
                            fmax(e->mean - e->deviation, e->mean / 100),
                            e->mean + e->deviation,
                            e->failed ? "failed" : notes[i],
                            i == 0 && good,
                            !good,
                            le__colours_of(&all, e->candidate->implementation->name,
                                           e->candidate->implementation->run_type)};
    }
    snprintf(title, sizeof title, "%.64s: every implementation on %.64s", s->target.operation,
             s->volume ? short_place(s->volume) : "one problem");
    svg_bars chart = {
        .title = title,
        .subtitle = le_bench_problem(s->target.bench),
        .format = le__seconds_text,
        .limit = NAN,
        .alone = true,
        .axis = "mean time with its standard deviation; ratio to the reference, largest error"};
    le__svg_write_bars(f.stream, &chart, bars, s->n);
    return tool_file_close(&f, true);
}

static bool show(suite *s, const bench_settings *settings) {
    qsort(s->entries, s->n, sizeof *s->entries, by_mean);
    bool ok = true;
    if (settings->json)
        ok = print_json(s);
    else
        print_text(s);
    if (settings->output)
        ok = write_chart(s, settings->output) && ok;
    for (size_t i = 0; i < s->n; i++) {
        const entry *e = &s->entries[i];
        bool lossy = e->candidate->implementation->flags & LE_IMPL_LOSSY;
        ok = ok && !e->failed && (!e->compared || e->within || lossy);
    }
    return ok;
}

static const le_operation *operation_of(const bench_settings *s) {
    le_engine *engine = bench_engine(s, ":memory:", LE_MODE_FROZEN);
    const le_operation *op = engine ? main_operation(engine, s->suite) : NULL;
    if (engine && !op)
        tool_message("there is no family and no operation '%s'", s->suite);
    le_close(&engine);
    return op; /* built in: it outlives the engine */
}

/* What the suite runs on: asked for, else the library's own cube where nothing else is. */
static const char *volume_of(const bench_settings *s, const le_operation *op, char out[PATH_MAX]) {
    if (s->volume || s->sizes || s->dtypes || s->problem || !bench_takes_volume(op))
        return s->volume;
    return bench_default_volume(out);
}

/* Operations that a composite one consists of, as its staged implementation has run them. */
typedef struct steps {
    const le_operation *list[MAX_STAGES];
    size_t n;
} steps;

static void add_step(steps *all, const le_operation *op) {
    for (size_t i = 0; i < all->n; i++)
        if (all->list[i] == op)
            return;
    if (all->n < MAX_STAGES)
        all->list[all->n++] = op;
}

/* Stages of a chain's steps are "operation candidate". */
static void find_steps(const suite *s, steps *all) {
    for (size_t i = 0; i < s->n; i++)
        for (size_t k = 0; k < s->entries[i].n_stages; k++) {
            char name[120];
            snprintf(name, sizeof name, "%s", s->entries[i].stages[k].name);
            name[strcspn(name, " ")] = '\0';
            const le_operation *op = le_engine_operation(s->target.engine, name);
            if (op && op->make_case && strcmp(name, s->target.operation) != 0)
                add_step(all, op);
        }
}

/* The operations of a family but one. */
static void find_others(const bench_settings *s, const le_operation *but, steps *all) {
    size_t n = 0;
    le_engine *engine = bench_engine(s, ":memory:", LE_MODE_FROZEN);
    const le_operation *const *list = engine ? le_engine_operations(engine, &n) : NULL;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i]->family, but->family) && list[i]->make_case && list[i] != but)
            add_step(all, list[i]);
    le_close(&engine);
}

/* One operation; its steps are added where they are asked for. */
static bool run_suite(const bench_settings *settings, const le_operation *op, int64_t size,
                      le_dtype dtype, steps *all) {
    suite *s = calloc(1, sizeof *s);
    bool ok = s && bench_target_open(&s->target, settings, op->name, size, dtype) == TOOL_OK;
    if (ok) {
        s->volume = settings->volume;
        s->runs = settings->repeat > 0 ? settings->repeat : DEFAULT_RUNS;
        ok = list_entries(s) && measure(s, settings->quiet) && show(s, settings);
        if (all)
            find_steps(s, all);
        bench_target_close(&s->target);
        for (size_t i = 0; i < s->n; i++)
            free(s->entries[i].seconds);
    }
    free(s);
    return ok;
}

int bench_suite(const bench_settings *settings) {
    int64_t size;
    le_dtype dtype;
    if (!bench_one_problem(settings, &size, &dtype))
        return TOOL_USAGE;
    const le_operation *op = operation_of(settings);
    if (!op)
        return TOOL_USAGE;
    char place[PATH_MAX];
    bench_settings own = *settings;
    steps all = {.n = 0};
    own.volume = volume_of(settings, op, place);
    bench_catch_interrupts();
    /* the steps and what else the family has get tables of their own where there is room for them
     * and their input is made up */
    const bool with_others = !own.json && !own.output && !own.volume && !own.problem &&
                             strcmp(settings->suite, op->name) != 0;
    bool ok = run_suite(&own, op, size, dtype, with_others ? &all : NULL);
    if (ok && with_others)
        find_others(settings, op, &all);
    for (size_t i = 0; ok && i < all.n && !bench_interrupted(); i++) {
        printf("\n");
        ok = run_suite(&own, all.list[i], size, dtype, NULL);
    }
    return ok ? TOOL_OK : TOOL_FAILED;
}
