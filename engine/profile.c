/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Profiles: events as they happen, then rows with statistics, a table, and a trace.
 */
#include "profile.h"

#include "core/clock.h"
#include "engine.h"
#include "liquid_engine/le_chain.h"
#include "opencl/opencl.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { RUN, LOOP, KERNEL, UPLOAD, DOWNLOAD, COPY } kind;
static const char *const kind_names[] = {"run", "loop", "kernel", "upload", "download", "copy"};

typedef struct event {
    kind kind;
    int depth; /* runs around it */
    int lane;  /* of the device */
    char name[224], place[32];
    double start, seconds;
    int64_t bytes;
} event;

struct le_profile {
    pthread_mutex_t mutex; /* while it records */
    double start;
    event *events;
    size_t n, capacity;
    le_profile_row *rows;
    size_t n_rows;
};

/* --- recording --- */

static _Thread_local int depth, loops; /* of the run under way on this thread */

static void record(le_profile *p, const event *e) {
    pthread_mutex_lock(&p->mutex);
    if (p->n == p->capacity) {
        size_t capacity = p->capacity ? 2 * p->capacity : 256;
        void *events = realloc(p->events, capacity * sizeof *p->events);
        if (events) {
            p->events = events;
            p->capacity = capacity;
        }
    }
    if (p->n < p->capacity) /* else it is lost: a profile is no reason to fail a call */
        p->events[p->n++] = *e;
    pthread_mutex_unlock(&p->mutex);
}

static void on_command(void *cookie, const le__cl_record *r) {
    static const kind kinds[] = {[LE__CL_RECORD_KERNEL] = KERNEL,
                                 [LE__CL_RECORD_UPLOAD] = UPLOAD,
                                 [LE__CL_RECORD_DOWNLOAD] = DOWNLOAD,
                                 [LE__CL_RECORD_COPY] = COPY};
    event e = {.kind = kinds[r->kind],
               .depth = depth,
               .lane = r->lane,
               .start = r->start,
               .seconds = r->end - r->start,
               .bytes = r->bytes};
    snprintf(e.name, sizeof e.name, "%s", r->name ? r->name : "");
    snprintf(e.place, sizeof e.place, "%s", r->device ? r->device : "");
    record(cookie, &e);
}

int le__profile_depth(void) {
    return depth;
}

void le__profile_set_depth(int runs) {
    depth = runs;
}

le__profile_span le__profile_begin(void) {
    le__profile_span s = {le__now(), loops};
    depth++;
    loops = 0;
    return s;
}

void le__profile_end(const le_call *call, const le__candidate *c, le__profile_span s) {
    depth--;
    loops = s.loops;
    if (!call->engine->profile)
        return;
    event e = {.kind = RUN,
               .depth = depth,
               .start = s.start,
               .seconds = le__now() - s.start,
               .bytes = call->stats.bytes_to_device + call->stats.bytes_from_device};
    snprintf(e.name, sizeof e.name, "%.30s %.190s", call->operation->name, c->text);
    snprintf(e.place, sizeof e.place, "%s", c->device->id);
    record(call->engine->profile, &e);
}

void le__profile_loop(const le_call *call, double start) {
    event e = {.kind = LOOP, .depth = depth, .start = start, .seconds = le__now() - start};
    snprintf(e.name, sizeof e.name, "%.60s %.100s loop %d", call->operation->name,
             call->implementation->name, ++loops);
    snprintf(e.place, sizeof e.place, "%s", call->device->id);
    record(call->engine->profile, &e);
}

le_status le_profile_start(le_engine *engine) {
    engine = le__engine_or_default(engine);
    if (!engine)
        return LE_ERR_MEMORY;
    if (engine->profile)
        return le_fail(LE_ERR_ARGUMENT, "profile: one is under way already");
    le_profile *p = calloc(1, sizeof *p);
    if (!p)
        return le_fail(LE_ERR_MEMORY, "profile: out of memory");
    pthread_mutex_init(&p->mutex, NULL);
    le__engine_discover(engine);
    p->start = le__now();
    engine->profile = p;
    le__cl_set_profile(engine->cl, on_command, p);
    return LE_OK;
}

void le_profile_free(le_profile **profile) {
    if (!profile || !*profile)
        return;
    pthread_mutex_destroy(&(*profile)->mutex);
    free((*profile)->events);
    free((*profile)->rows);
    free(*profile);
    *profile = NULL;
}

void le__profile_close(le_engine *engine) {
    le__cl_set_profile(engine->cl, NULL, NULL);
    le_profile_free(&engine->profile);
}

/* --- rows --- */

static int by_row(const void *a, const void *b) {
    const event *x = a, *y = b;
    int order = (int)x->kind - (int)y->kind;
    if (!order)
        order = x->depth - y->depth;
    if (!order)
        order = strcmp(x->place, y->place);
    if (!order)
        order = strcmp(x->name, y->name);
    return order ? order : (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static bool same_row(const event *a, const event *b) {
    return a->kind == b->kind && a->depth == b->depth && !strcmp(a->place, b->place) &&
           !strcmp(a->name, b->name);
}

/* Events [0, n) of one row, sorted by seconds. */
static le_profile_row make_row(const event *e, size_t n, double begin) {
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
    const event *x = a, *y = b;
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
        all += p->rows[k].kind == kind_names[RUN] && p->rows[k].depth == 0 ? p->rows[k].total_s : 0;
    for (size_t i = 0; i < p->n_rows; i++)
        p->rows[i].share = all > 0 ? p->rows[i].total_s / all : 0;
    if (p->n_rows)
        qsort(p->rows, p->n_rows, sizeof *p->rows, by_nesting);
}

le_status le_profile_stop(le_engine *engine, le_profile **out) {
    *out = NULL;
    engine = le__engine_or_default(engine);
    if (!engine)
        return LE_ERR_MEMORY;
    if (!engine->profile)
        return le_fail(LE_ERR_ARGUMENT, "profile: none is under way");
    le__cl_set_profile(engine->cl, NULL, NULL);
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
        n += (size_t)snprintf(
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
    event *events = malloc((p->n + 1) * sizeof *events);
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
    char *text = events ? cJSON_Print(root) : NULL;
    cJSON_Delete(root);
    free(events);
    return text;
}
