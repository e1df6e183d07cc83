/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * le-bench --profile: where the time of a call goes, by stage and by kernel, as a table, as JSON
 * and as a trace for chrome://tracing or Perfetto.
 */
#include "bench_target.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WARM_UP = 2, DEFAULT_RUNS = 20 };

static const char *const kind_names[] = {"stage",     "loop",        "kernel",
                                         "to device", "from device", "on device"};

typedef struct event {
    le_bench_record record;
    double run_start_s;
} event;

typedef struct group { /* records of one kind, depth and name */
    const le_bench_record *like;
    double *seconds;
    size_t n;
    double bytes, first_start_s;
} group;

typedef struct profile {
    event *events;
    size_t n_events;
    group *groups;
    size_t n_groups;
    double total_s; /* of all runs */
    int64_t peak_bytes;
    int runs;
} profile;

/* --- collecting --- */

static bool keep(profile *p, const le_bench_record *records, size_t n, double start) {
    event *events = realloc(p->events, (p->n_events + n + 1) * sizeof *events);
    if (!events) {
        tool_message("out of memory");
        return false;
    }
    p->events = events;
    for (size_t i = 0; i < n; i++)
        p->events[p->n_events++] = (event){records[i], start};
    return true;
}

static bool collect(profile *p, bench_target *t, size_t index, int runs) {
    double start = tool_clock();
    for (int i = -WARM_UP; i < runs && !bench_interrupted(); i++) {
        const le_bench_record *records;
        le_bench_stats stats;
        size_t n;
        double now = tool_clock() - start;
        if (le_bench_profile(t->bench, index, &stats, &records, &n) != LE_OK) {
            tool_message("%s", le_error_message());
            return false;
        }
        if (i < 0)
            continue;
        if (!keep(p, records, n, now))
            return false;
        p->runs++;
        p->total_s += stats.seconds;
        if (stats.peak_bytes > p->peak_bytes)
            p->peak_bytes = stats.peak_bytes;
    }
    return !bench_interrupted();
}

static group *find_group(profile *p, const le_bench_record *r) {
    for (size_t i = 0; i < p->n_groups; i++) {
        const le_bench_record *like = p->groups[i].like;
        if (like->kind == r->kind && like->depth == r->depth && !strcmp(like->name, r->name))
            return &p->groups[i];
    }
    group *g = &p->groups[p->n_groups++];
    *g = (group){
        .like = r, .seconds = calloc(p->n_events, sizeof *g->seconds), .first_start_s = r->start_s};
    return g;
}

/* Stages before what they contain, in the order of the first run. */
static int by_start(const void *x, const void *y) {
    const group *a = x, *b = y;
    if (a->first_start_s != b->first_start_s &&
        (a->like->depth == b->like->depth || fabs(a->first_start_s - b->first_start_s) > 1e-9))
        return a->first_start_s < b->first_start_s ? -1 : 1;
    return a->like->depth - b->like->depth;
}

static bool group_events(profile *p) {
    p->groups = calloc(p->n_events ? p->n_events : 1, sizeof *p->groups);
    for (size_t i = 0; p->groups && i < p->n_events; i++) {
        const le_bench_record *r = &p->events[i].record;
        group *g = find_group(p, r);
        if (!g->seconds)
            return false;
        g->seconds[g->n++] = r->seconds;
        g->bytes += (double)r->bytes;
    }
    if (p->groups)
        qsort(p->groups, p->n_groups, sizeof *p->groups, by_start);
    return p->groups != NULL;
}

static void free_profile(profile *p) {
    for (size_t i = 0; i < p->n_groups; i++)
        free(p->groups[i].seconds);
    free(p->groups);
    free(p->events);
}

/* --- showing --- */

typedef struct summary {
    double min, median, max, mean, deviation, sum;
} summary;

static summary summarize(const group *g) {
    le_moments m = {0};
    for (size_t i = 0; i < g->n; i++)
        le_moments_add(&m, g->seconds[i]);
    return (summary){le_stats_quantile(g->seconds, g->n, 0),      le_stats_median(g->seconds, g->n),
                     le_stats_quantile(g->seconds, g->n, 1),      m.mean,
                     m.n > 1 ? sqrt(le_moments_variance(&m)) : 0, m.mean * (double)g->n};
}

static void print_group(const profile *p, const group *g) {
    char text[5][TOOL_NUMBER], bytes[TOOL_NUMBER], name[160];
    summary s = summarize(g);
    snprintf(name, sizeof name, "%*s%s", 2 * g->like->depth, "", g->like->name);
    printf("%-48s %-11s %6zu %9s %9s %9s %9s %9s %9s %6.1f %%\n", name, kind_names[g->like->kind],
           g->n, tool_seconds(s.min, text[0]), tool_seconds(s.median, text[1]),
           tool_seconds(s.max, text[2]), tool_seconds(s.mean, text[3]),
           tool_seconds(s.deviation, text[4]), tool_bytes(g->bytes / p->runs, bytes),
           p->total_s > 0 ? 100 * s.sum / p->total_s : 0);
}

static void print_text(const profile *p, const bench_target *t, const char *candidate) {
    char mean[TOOL_NUMBER], peak[TOOL_NUMBER];
    printf("%s  %s\n%s\n%d runs, mean %s, peak working memory %s\n\n", t->operation,
           le_bench_problem(t->bench), candidate, p->runs, tool_seconds(p->total_s / p->runs, mean),
           tool_bytes((double)p->peak_bytes, peak));
    printf("%s%-48s %-11s %6s %9s %9s %9s %9s %9s %9s %8s%s\n", tool_begin(stdout, TOOL_BOLD),
           "name", "kind", "count", "min", "median", "max", "mean", "std", "bytes", "share",
           tool_begin(stdout, TOOL_PLAIN));
    for (size_t i = 0; i < p->n_groups; i++)
        print_group(p, &p->groups[i]);
}

static void add_group(const profile *p, const group *g, cJSON *list) {
    summary s = summarize(g);
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    cJSON_AddStringToObject(o, "name", g->like->name);
    cJSON_AddStringToObject(o, "kind", kind_names[g->like->kind]);
    cJSON_AddNumberToObject(o, "depth", g->like->depth);
    cJSON_AddNumberToObject(o, "count", (double)g->n);
    cJSON_AddNumberToObject(o, "min_s", s.min);
    cJSON_AddNumberToObject(o, "median_s", s.median);
    cJSON_AddNumberToObject(o, "max_s", s.max);
    cJSON_AddNumberToObject(o, "mean_s", s.mean);
    cJSON_AddNumberToObject(o, "std_s", s.deviation);
    cJSON_AddNumberToObject(o, "bytes", g->bytes / p->runs);
    cJSON_AddNumberToObject(o, "share", p->total_s > 0 ? s.sum / p->total_s : 0);
}

static bool print_json(const profile *p, const bench_target *t, const char *candidate) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", 1);
    cJSON_AddStringToObject(root, "operation", t->operation);
    cJSON_AddStringToObject(root, "problem", le_bench_problem(t->bench));
    cJSON_AddStringToObject(root, "candidate", candidate);
    cJSON_AddNumberToObject(root, "runs", p->runs);
    cJSON_AddNumberToObject(root, "mean_s", p->total_s / p->runs);
    cJSON_AddNumberToObject(root, "peak_bytes", (double)p->peak_bytes);
    cJSON *list = cJSON_AddArrayToObject(root, "records");
    for (size_t i = 0; i < p->n_groups; i++)
        add_group(p, &p->groups[i], list);
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    if (text)
        puts(text);
    free(text);
    return text != NULL;
}

/* Trace Event Format, "complete" events in microseconds. */
static bool write_trace(const profile *p, const char *path) {
    tool_file f;
    if (!tool_file_open(&f, path))
        return false;
    fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", f.stream);
    for (size_t i = 0; i < p->n_events; i++) {
        const le_bench_record *r = &p->events[i].record;
        cJSON *name = cJSON_CreateString(r->name);
        char *quoted = name ? cJSON_PrintUnformatted(name) : NULL;
        bool device = r->kind > LE_RECORD_LOOP;
        fprintf(f.stream,
                "%s\n{\"ph\":\"X\",\"name\":%s,\"cat\":\"%s\",\"ts\":%.3f,\"dur\":%.3f,"
                "\"pid\":1,\"tid\":%d,\"args\":{\"bytes\":%lld}}",
                i ? "," : "", quoted ? quoted : "\"\"", kind_names[r->kind],
                1e6 * (p->events[i].run_start_s + r->start_s), 1e6 * r->seconds, device ? 2 : 1,
                (long long)r->bytes);
        free(quoted);
        cJSON_Delete(name);
    }
    fputs("\n]}\n", f.stream);
    return tool_file_close(&f, true);
}

static bool profile_target(bench_target *t, const bench_settings *s) {
    profile p = {0};
    size_t index, n;
    if (!bench_target_find(t, s->candidate, &index))
        return false;
    const char *candidate = le_bench_candidates(t->bench, &n)[index].text;
    bool ok = collect(&p, t, index, s->repeat > 0 ? s->repeat : DEFAULT_RUNS) && group_events(&p);
    if (ok && s->json)
        ok = print_json(&p, t, candidate);
    else if (ok)
        print_text(&p, t, candidate);
    if (ok && s->trace)
        ok = write_trace(&p, s->trace);
    free_profile(&p);
    return ok;
}

int bench_profile(const bench_settings *s) {
    int64_t sizes[BENCH_MAX_LIST];
    le_dtype dtypes[BENCH_MAX_LIST];
    bench_target t;
    if (bench_sizes(s->sizes, sizes) < 0 || bench_dtypes(s->dtypes, NULL, dtypes) < 0)
        return TOOL_USAGE;
    bool ok = true;
    for (char **op = s->operations; *op && ok; op++) {
        ok = bench_target_open(&t, s, *op, sizes[0], dtypes[0]);
        if (ok) {
            ok = profile_target(&t, s);
            bench_target_close(&t);
        }
    }
    return ok ? TOOL_OK : TOOL_FAILED;
}
