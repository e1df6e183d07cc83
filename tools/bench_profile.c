/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * le-bench --profile: where the time of a call goes, by run, loop, kernel and transfer, as a table,
 * as JSON and as a trace for chrome://tracing or Perfetto.
 */
#include "bench_target.h"
#include "liquid_engine/le_chain.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

enum { WARM_UP = 2, DEFAULT_RUNS = 20 };

typedef struct profile {
    le_profile *events;
    double total_s; /* of all runs */
    int64_t peak_bytes;
    int runs;
} profile;

static bool run(bench_target *t, size_t index, int runs, profile *p) {
    for (int i = 0; i < runs && !bench_interrupted(); i++) {
        le_bench_stats stats = {.struct_size = sizeof stats};
        if (le_bench_run(t->bench, index, &stats) != LE_OK) {
            bench_say_error();
            return false;
        }
        p->runs++;
        p->total_s += stats.seconds;
        if (stats.peak_bytes > p->peak_bytes)
            p->peak_bytes = stats.peak_bytes;
    }
    return !bench_interrupted();
}

static bool collect(profile *p, bench_target *t, size_t index, int runs) {
    if (!run(t, index, WARM_UP, p))
        return false;
    *p = (profile){0};
    if (le_profile_start(t->engine) != LE_OK) {
        bench_say_error();
        return false;
    }
    bool ok = run(t, index, runs, p);
    return le_profile_stop(t->engine, &p->events) == LE_OK && ok;
}

/* --- showing --- */

static bool print_text(const profile *p, const bench_target *t, const char *candidate) {
    char mean[LE__TEXT], peak[LE__TEXT];
    char *table = le_profile_table(p->events);
    printf("%s  %s\n%s\n%d runs, mean %s, peak working memory %s\n\n", t->operation,
           le_bench_problem(t->bench), candidate, p->runs,
           le__seconds_text(p->total_s / p->runs, mean),
           le__bytes_text((double)p->peak_bytes, peak));
    if (table)
        fputs(table, stdout);
    free(table);
    return table != NULL;
}

static void add_row(const profile *p, const le_profile_row *r, cJSON *list) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    cJSON_AddStringToObject(o, "name", r->name);
    cJSON_AddStringToObject(o, "kind", r->kind);
    cJSON_AddStringToObject(o, "place", r->place);
    cJSON_AddNumberToObject(o, "depth", r->depth);
    cJSON_AddNumberToObject(o, "count", (double)r->count);
    cJSON_AddNumberToObject(o, "min_s", r->min_s);
    cJSON_AddNumberToObject(o, "median_s", r->median_s);
    cJSON_AddNumberToObject(o, "max_s", r->max_s);
    cJSON_AddNumberToObject(o, "mean_s", r->mean_s);
    cJSON_AddNumberToObject(o, "std_s", r->std_s);
    cJSON_AddNumberToObject(o, "bytes", (double)r->bytes / p->runs);
    cJSON_AddNumberToObject(o, "share", r->share);
}

static bool print_json(const profile *p, const bench_target *t, const char *candidate) {
    size_t n;
    const le_profile_row *rows = le_profile_rows(p->events, &n);
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", 1);
    cJSON_AddStringToObject(root, "operation", t->operation);
    cJSON_AddStringToObject(root, "problem", le_bench_problem(t->bench));
    cJSON_AddStringToObject(root, "candidate", candidate);
    cJSON_AddNumberToObject(root, "runs", p->runs);
    cJSON_AddNumberToObject(root, "mean_s", p->total_s / p->runs);
    cJSON_AddNumberToObject(root, "peak_bytes", (double)p->peak_bytes);
    cJSON *list = cJSON_AddArrayToObject(root, "records");
    for (size_t i = 0; i < n; i++)
        add_row(p, &rows[i], list);
    return tool_print_json(root, stdout);
}

static bool write_trace(const profile *p, const char *path) {
    char *text = le_profile_trace_json(p->events);
    bool ok = text && tool_write(path, text);
    free(text);
    return ok;
}

static bool profile_target(bench_target *t, const bench_settings *s) {
    profile p = {0};
    size_t index, n;
    if (!bench_target_find(t, s->candidate, &index))
        return false;
    const char *candidate = le_bench_candidates(t->bench, &n)[index].text;
    bool ok = collect(&p, t, index, s->repeat > 0 ? s->repeat : DEFAULT_RUNS);
    if (ok)
        ok = s->json ? print_json(&p, t, candidate) : print_text(&p, t, candidate);
    if (ok && s->trace)
        ok = write_trace(&p, s->trace);
    le_profile_free(&p.events);
    return ok;
}

int bench_profile(const bench_settings *s) {
    bench_target t;
    int status = TOOL_OK;
    for (char **op = s->operations; *op && status == TOOL_OK; op++) {
        status = bench_target_ask(&t, s, *op);
        if (status == TOOL_OK) {
            status = profile_target(&t, s) ? TOOL_OK : TOOL_FAILED;
            bench_target_close(&t);
        }
    }
    return status;
}
