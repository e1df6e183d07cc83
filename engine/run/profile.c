/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Profiles: begun and ended, rows with statistics, a table, and a trace.
 */
#include "call/profile.h"

#include "engine.h"
#include "opencl/opencl.h"
#include "numbers.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {"run", "loop", "kernel", "upload", "download", "copy"};

le_status le_profile_start(le_engine *engine) {
    le_status opened = le__engine_or_default(&engine);
    if (opened != LE_OK)
        return opened;
    if (engine->profile)
        return le_fail(LE_ERR_ARGUMENT, "profile: one is under way already");
    le__engine_discover(engine);
    le_profile *p = le__profile_new();
    if (!p)
        return le_fail(LE_ERR_MEMORY, "profile: out of memory");
    engine->profile = p;
    le__cl_set_profile(engine->cl, p);
    return LE_OK;
}

void le_profile_free(le_profile **profile) {
    if (!profile)
        return;
    le__profile_free(*profile);
    *profile = NULL;
}

/* --- rows --- */

static int by_row(const void *a, const void *b) {
    const le__event *x = a, *y = b;
    int order = (int)x->kind - (int)y->kind;
    if (!order)
        order = x->depth - y->depth;
    if (!order)
        order = strcmp(x->place, y->place);
    if (!order)
        order = strcmp(x->name, y->name);
    return order ? order : (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static bool same_row(const le__event *a, const le__event *b) {
    return a->kind == b->kind && a->depth == b->depth && !strcmp(a->place, b->place) &&
           !strcmp(a->name, b->name);
}

/* Events [0, n) of one row, sorted by seconds. */
static le_profile_row make_row(const le__event *e, size_t n, double begin) {
    le_profile_row r = {.kind = kind_names[e->kind],
                        .depth = e->depth,
                        .start_s = INFINITY,
                        .name = e->name,
                        .place = e->place,
                        .count = (int64_t)n,
                        .min_s = e[0].seconds,
                        .max_s = e[n - 1].seconds,
                        .median_s = (e[(n - 1) / 2].seconds + e[n / 2].seconds) / 2};
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        r.total_s += e[i].seconds;
        r.start_s = fmin(r.start_s, e[i].start - begin);
        r.bytes += e[i].bytes;
    }
    r.mean_s = r.total_s / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (e[i].seconds - r.mean_s) * (e[i].seconds - r.mean_s);
    r.std_s = n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
    return r;
}

/* Runs before what they contain: a run and its first loop may begin in the same microsecond. */
static int by_nesting(const void *a, const void *b) {
    const le_profile_row *x = a, *y = b;
    if (fabs(x->start_s - y->start_s) < 1e-6 && x->depth != y->depth)
        return x->depth - y->depth;
    return (x->start_s > y->start_s) - (x->start_s < y->start_s);
}

static int by_start(const void *a, const void *b) {
    const le__event *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

static void make_rows(le_profile *p) {
    if (p->n)
        qsort(p->events, p->n, sizeof *p->events, by_row);
    p->rows = calloc(p->n + 1, sizeof *p->rows);
    for (size_t i = 0, n; p->rows && i < p->n; i += n) {
        for (n = 1; i + n < p->n && same_row(&p->events[i], &p->events[i + n]);)
            n++;
        p->rows[p->n_rows++] = make_row(&p->events[i], n, p->start);
    }
    double all = 0;
    for (size_t k = 0; k < p->n_rows; k++)
        all += p->rows[k].kind == kind_names[LE__EVENT_RUN] && p->rows[k].depth == 0
                   ? p->rows[k].total_s
                   : 0;
    for (size_t i = 0; i < p->n_rows; i++)
        p->rows[i].share = all > 0 ? p->rows[i].total_s / all : 0;
    if (p->n_rows)
        qsort(p->rows, p->n_rows, sizeof *p->rows, by_nesting);
}

le_status le_profile_stop(le_engine *engine, le_profile **out) {
    *out = NULL;
    le_status opened = le__engine_or_default(&engine);
    if (opened != LE_OK)
        return opened;
    if (!engine->profile)
        return le_fail(LE_ERR_ARGUMENT, "profile: none is under way");
    le__cl_set_profile(engine->cl, NULL);
    *out = engine->profile;
    engine->profile = NULL;
    make_rows(*out);
    return LE_OK;
}

const le_profile_row *le_profile_rows(const le_profile *p, size_t *count) {
    *count = p->n_rows;
    return p->rows;
}

/* --- texts --- */

char *le_profile_table(const le_profile *p) {
    enum { LINE = 400 };
    size_t size = (p->n_rows + 1) * LINE + 1, n = 0;
    char *text = malloc(size);
    if (!text)
        return NULL;
    n += (size_t)snprintf(text, size, "%-8s %-9s %6s %10s %10s %10s %10s %10s %10s %6s  %s\n",
                          "kind", "place", "count", "min ms", "median ms", "max ms", "mean ms",
                          "std ms", "MiB", "share", "name");
    for (size_t i = 0; i < p->n_rows; i++) {
        const le_profile_row *r = &p->rows[i];
        n += (size_t)le__number_print(
            text + n, size - n,
            "%-8s %-9.32s %6lld %10.3f %10.3f %10.3f %10.3f %10.3f %10.2f %5.1f%%  %*s%.200s\n",
            r->kind, r->place, (long long)r->count, 1e3 * r->min_s, 1e3 * r->median_s,
            1e3 * r->max_s, 1e3 * r->mean_s, 1e3 * r->std_s, (double)r->bytes / 1048576,
            100 * r->share, r->depth < 20 ? 2 * (int)r->depth : 40, "", r->name);
    }
    return text;
}

static int row_number(char names[][48], int *n, const char *name, int most) {
    for (int i = 0; i < *n; i++)
        if (!strcmp(names[i], name))
            return i;
    if (*n == most)
        return most - 1;
    snprintf(names[*n], sizeof names[0], "%s", name);
    return (*n)++;
}

static cJSON *new_event(cJSON *list, const char *name, const char *phase, int row) {
    cJSON *e = cJSON_CreateObject();
    cJSON_AddStringToObject(e, "name", name);
    cJSON_AddStringToObject(e, "ph", phase);
    cJSON_AddNumberToObject(e, "pid", 1);
    cJSON_AddNumberToObject(e, "tid", row + 1);
    cJSON_AddItemToArray(list, e);
    return e;
}

char *le_profile_trace_json(const le_profile *p) {
    enum { ROWS = 64 };
    char rows[ROWS][48];
    int n_rows = 0;
    le__event *events = malloc((p->n + 1) * sizeof *events);
    cJSON *root = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(root, "traceEvents");
    if (events && p->n) {
        memcpy(events, p->events, p->n * sizeof *events);
        qsort(events, p->n, sizeof *events, by_start);
    }
    for (size_t i = 0; events && i < p->n; i++) {
        char row[48], lane[16] = ""; /* those of two lanes may overlap */
        if (events[i].lane)
            snprintf(lane, sizeof lane, " (%d)", events[i].lane + 1);
        snprintf(row, sizeof row, "%s %s%s", events[i].place, kind_names[events[i].kind], lane);
        cJSON *e = new_event(list, events[i].name, "X", row_number(rows, &n_rows, row, ROWS));
        cJSON_AddNumberToObject(e, "ts", 1e6 * (events[i].start - p->start));
        cJSON_AddNumberToObject(e, "dur", 1e6 * events[i].seconds);
        cJSON_AddNumberToObject(cJSON_AddObjectToObject(e, "args"), "bytes",
                                (double)events[i].bytes);
    }
    for (int i = 0; i < n_rows; i++) {
        cJSON *e = new_event(list, "thread_name", "M", i);
        cJSON_AddStringToObject(cJSON_AddObjectToObject(e, "args"), "name", rows[i]);
    }
    cJSON_AddStringToObject(root, "displayTimeUnit", "ms");
    char *text = events ? le__json_print(root, 1) : NULL;
    cJSON_Delete(root);
    free(events);
    return text;
}
