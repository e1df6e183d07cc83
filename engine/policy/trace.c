/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reading a replay trace and refusing what is not one.
 */
#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "policy/trace.h"
#include "numbers.h"

#define MAX_BYTES (256L << 20)
#define MAX_CALLS 100000000.0
#define LEAST_S 1e-15
#define MOST_S 1e15
#define MAX_CV 100.0

typedef struct reader {
    const char *file;
    FILE *err;
    le__trace *trace;
} reader;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool bad(const reader *r, const char *format, ...) {
    va_list args;
    if (!r->err)
        return false;
    fprintf(r->err, "%s: ", r->file);
    va_start(args, format);
    vfprintf(r->err, format, args);
    va_end(args);
    fputc('\n', r->err);
    return false;
}

/* A finite number of at least `least` in an object. where: for the message. */
static bool number(const reader *r, const cJSON *object, const char *name, const char *where,
                   double least, double *out) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!item)
        return bad(r, "%s: \"%s\" is missing", where, name);
    if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
        return bad(r, "%s: \"%s\" is not a finite number", where, name);
    if (item->valuedouble < least)
        return bad(r, "%s: \"%s\" is %g, expected at least %g", where, name, item->valuedouble,
                   least);
    *out = item->valuedouble;
    return true;
}

static const char *text(const reader *r, const cJSON *object, const char *name, const char *where) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!item)
        bad(r, "%s: \"%s\" is missing", where, name);
    else if (!cJSON_IsString(item) || item->valuestring[0] == '\0')
        bad(r, "%s: \"%s\" is not a text", where, name);
    else
        return item->valuestring;
    return NULL;
}

/* A member that must be there with this type, else NULL and a message. */
static const cJSON *member(const reader *r, const cJSON *root, const char *name, bool array) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(root, name);
    if (!item)
        bad(r, "\"%s\" is missing", name);
    else if (array ? !cJSON_IsArray(item) : !cJSON_IsObject(item))
        bad(r, "\"%s\" is not %s", name, array ? "a list" : "an object");
    else
        return item;
    return NULL;
}

static void *zeroed(const reader *r, size_t count, size_t size) {
    void *p = calloc(count ? count : 1, size);
    if (!p)
        bad(r, "out of memory");
    return p;
}

static int find(char *const *names, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static bool add_name(const reader *r, char **names, int *n, const char *name,
                     const char *what) {
    if (find(names, *n, name) >= 0)
        return bad(r, "%s \"%s\" is there twice", what, name);
    names[*n] = strdup(name);
    if (!names[*n])
        return bad(r, "out of memory");
    ++*n;
    return true;
}

static bool read_candidates(reader *r, const cJSON *root) {
    le__trace *t = r->trace;
    const cJSON *list = member(r, root, "candidates", true), *item;
    if (!list)
        return false;
    size_t count = (size_t)cJSON_GetArraySize(list);
    if (count == 0)
        return bad(r, "\"candidates\" is empty");
    t->candidates = zeroed(r, count, sizeof *t->candidates);
    t->resources = zeroed(r, count, sizeof *t->resources);
    t->resource_of = zeroed(r, count, sizeof *t->resource_of);
    t->models = zeroed(r, count, sizeof *t->models);
    if (!t->candidates || !t->resources || !t->resource_of || !t->models)
        return false;
    cJSON_ArrayForEach(item, list) {
        const char *name = text(r, item, "name", "candidates");
        const char *resource = name ? text(r, item, "resource", name) : NULL;
        if (!resource || !add_name(r, t->candidates, &t->n_candidates, name, "candidate"))
            return false;
        int at = find(t->resources, t->n_resources, resource);
        if (at < 0 && !add_name(r, t->resources, &t->n_resources, resource, "resource"))
            return false;
        t->resource_of[t->n_candidates - 1] = at < 0 ? t->n_resources - 1 : at;
    }
    return true;
}

static bool read_problems(reader *r, const cJSON *root) {
    le__trace *t = r->trace;
    const cJSON *list = member(r, root, "problems", true), *item;
    if (!list)
        return false;
    size_t count = (size_t)cJSON_GetArraySize(list);
    t->problems = zeroed(r, count, sizeof *t->problems);
    t->work = zeroed(r, count, sizeof *t->work);
    if (!t->problems || !t->work)
        return false;
    cJSON_ArrayForEach(item, list) {
        const char *name = text(r, item, "name", "problems");
        double *work = &t->work[t->n_problems];
        if (!name || !number(r, item, "work", name, 0.0, work) ||
            !add_name(r, t->problems, &t->n_problems, name, "problem"))
            return false;
    }
    t->series = zeroed(r, count * (size_t)t->n_candidates, sizeof *t->series);
    return t->series != NULL;
}

static bool read_series(reader *r, const cJSON *list, const char *problem, le__trace_series *out) {
    if (out->seconds)
        return bad(r, "samples: %s/%s is there twice", problem, list->string);
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) == 0)
        return bad(r, "samples: %s/%s is not a list of seconds", problem, list->string);
    out->seconds = zeroed(r, (size_t)cJSON_GetArraySize(list), sizeof *out->seconds);
    if (!out->seconds)
        return false;
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) || item->valuedouble <= 0.0)
            return bad(r, "samples: %s/%s[%d] is not a positive finite number", problem,
                       list->string, out->n);
        out->seconds[out->n++] = item->valuedouble;
    }
    return true;
}

static bool read_samples(reader *r, const cJSON *root) {
    le__trace *t = r->trace;
    const cJSON *all = member(r, root, "samples", false), *problem, *list;
    if (!all)
        return false;
    cJSON_ArrayForEach(problem, all) {
        int p = find(t->problems, t->n_problems, problem->string);
        if (p < 0)
            return bad(r, "samples: unknown problem \"%s\"", problem->string);
        if (!cJSON_IsObject(problem))
            return bad(r, "samples: \"%s\" is not an object", problem->string);
        cJSON_ArrayForEach(list, problem) {
            int c = find(t->candidates, t->n_candidates, list->string);
            if (c < 0)
                return bad(r, "samples: %s: unknown candidate \"%s\"", problem->string,
                           list->string);
            if (!read_series(r, list, problem->string, &t->series[p * t->n_candidates + c]))
                return false;
        }
    }
    return true;
}

static bool read_models(reader *r, const cJSON *root) {
    le__trace *t = r->trace;
    const cJSON *all = member(r, root, "models", false), *item;
    if (!all)
        return false;
    cJSON_ArrayForEach(item, all) {
        int c = find(t->candidates, t->n_candidates, item->string);
        if (c < 0)
            return bad(r, "models: unknown candidate \"%s\"", item->string);
        le__trace_model *m = &t->models[c];
        if (!number(r, item, "overhead", item->string, 0.0, &m->overhead) ||
            !number(r, item, "per_work", item->string, 0.0, &m->per_work) ||
            !number(r, item, "exponent", item->string, -10.0, &m->exponent) ||
            !number(r, item, "cv", item->string, 0.0, &m->cv))
            return false;
        if (m->cv > MAX_CV)
            return bad(r, "models: %s: \"cv\" is %g, expected at most %g", item->string, m->cv, MAX_CV);
        m->given = true;
    }
    return true;
}

static bool read_slow(reader *r, const cJSON *root) {
    le__trace *t = r->trace;
    const cJSON *list = member(r, root, "slow", true), *item;
    if (!list)
        return false;
    t->slow = zeroed(r, (size_t)cJSON_GetArraySize(list), sizeof *t->slow);
    if (!t->slow)
        return false;
    cJSON_ArrayForEach(item, list) {
        le__trace_slow *s = &t->slow[t->n_slow++];
        const char *resource = text(r, item, "resource", "slow");
        if (!resource || !number(r, item, "first_call", "slow", 0.0, &s->first) ||
            !number(r, item, "last_call", "slow", 0.0, &s->last) ||
            !number(r, item, "factor", "slow", 1e-6, &s->factor))
            return false;
        s->resource = find(t->resources, t->n_resources, resource);
        if (s->resource < 0)
            return bad(r, "slow: unknown resource \"%s\"", resource);
    }
    return true;
}

static bool read_calls(reader *r, const cJSON *root) {
    le__trace *t = r->trace;
    const cJSON *list = member(r, root, "calls", true), *item;
    double total = 0.0;
    if (!list)
        return false;
    t->calls = zeroed(r, (size_t)cJSON_GetArraySize(list), sizeof *t->calls);
    if (!t->calls)
        return false;
    cJSON_ArrayForEach(item, list) {
        const char *problem = text(r, item, "problem", "calls");
        double count = 0.0;
        if (!problem || !number(r, item, "count", "calls", 0.0, &count))
            return false;
        int p = find(t->problems, t->n_problems, problem);
        if (p < 0)
            return bad(r, "calls: unknown problem \"%s\"", problem);
        total += count;
        if (count != floor(count) || total > MAX_CALLS)
            return bad(r, "calls: \"count\" is %g, expected whole numbers of at most %g in all",
                       count, MAX_CALLS);
        t->calls[t->n_calls++] = (le__trace_calls){p, (long)count};
    }
    return true;
}

/* The largest and the least that slow phases make of one second. */
static void phases(const le__trace *t, int candidate, double *most, double *least) {
    *most = *least = 1.0;
    for (int i = 0; i < t->n_slow; i++) {
        if (t->slow[i].resource != t->resource_of[candidate])
            continue;
        *(t->slow[i].factor > 1.0 ? most : least) *= t->slow[i].factor;
    }
}

/* So that sums and draws of them stay finite. */
static bool is_time(double seconds) {
    return seconds >= LEAST_S && seconds <= MOST_S;
}

static bool has_time(const reader *r, int problem, int candidate) {
    const le__trace *t = r->trace;
    const le__trace_series *s = &t->series[problem * t->n_candidates + candidate];
    const char *name = t->candidates[candidate], *of = t->problems[problem];
    double most, least, longest = 0.0, shortest = INFINITY;
    if (!t->models[candidate].given && !s->n)
        return bad(r, "candidate \"%s\" has neither samples for problem \"%s\" nor a model", name,
                   of);
    for (int i = 0; i < s->n; i++) {
        longest = fmax(longest, s->seconds[i]);
        shortest = fmin(shortest, s->seconds[i]);
    }
    if (!s->n)
        longest = shortest = le__trace_truth(t, problem, candidate);
    phases(t, candidate, &most, &least);
    if (!is_time(longest * most) || !is_time(shortest * least))
        return bad(r, "candidate \"%s\" takes %g to %g seconds for problem \"%s\", expected %g "
                      "to %g",
                   name, shortest * least, longest * most, of, LEAST_S, MOST_S);
    return true;
}

/* Every candidate must have a time for every problem that is called, in slow phases too. */
static bool complete(reader *r) {
    const le__trace *t = r->trace;
    for (int i = 0; i < t->n_calls; i++)
        for (int c = 0; c < t->n_candidates; c++)
            if (!has_time(r, t->calls[i].problem, c))
                return false;
    return true;
}

static bool read_all(reader *r, const cJSON *root) {
    double schema = 0.0;
    if (!cJSON_IsObject(root))
        return bad(r, "a trace is a JSON object");
    if (!number(r, root, "schema", "trace", 0.0, &schema))
        return false;
    if (schema != 1.0)
        return bad(r, "schema is %g, expected 1", schema);
    return text(r, root, "name", "trace") && read_candidates(r, root) && read_problems(r, root) &&
           read_samples(r, root) && read_models(r, root) && read_slow(r, root) &&
           read_calls(r, root) && complete(r);
}

le__trace *le__trace_parse(const char *name, const char *json, FILE *err) {
    reader r = {name, err, NULL};
    const char *end = NULL;
    cJSON *root = le__json_parse(json, strlen(json) + 1, &end);
    if (!root) {
        long line = 1;
        for (const char *c = json; end && c < end; c++)
            line += *c == '\n';
        bad(&r, "line %ld: not JSON", line);
        return NULL;
    }
    r.trace = zeroed(&r, 1, sizeof *r.trace);
    if (r.trace && !read_all(&r, root)) {
        le__trace_free(r.trace);
        r.trace = NULL;
    }
    cJSON_Delete(root);
    return r.trace;
}

static char *slurp(const reader *r) {
    FILE *in = fopen(r->file, "rb");
    if (!in) {
        bad(r, "cannot be opened: %s", strerror(errno));
        return NULL;
    }
    char *data = NULL;
    if (fseek(in, 0, SEEK_END) == 0) {
        long size = ftell(in);
        rewind(in);
        data = size >= 0 && size < MAX_BYTES ? calloc((size_t)size + 1, 1) : NULL;
        if (data && fread(data, 1, (size_t)size, in) != (size_t)size) {
            free(data);
            data = NULL;
        }
    }
    fclose(in);
    if (!data)
        bad(r, "cannot be read");
    return data;
}

le__trace *le__trace_read(const char *path, FILE *err) {
    reader r = {path, err, NULL};
    char *json = slurp(&r);
    le__trace *trace = json ? le__trace_parse(path, json, err) : NULL;
    free(json);
    return trace;
}

static void free_names(char **names, int n) {
    for (int i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

void le__trace_free(le__trace *t) {
    if (!t)
        return;
    for (int i = 0; t->series && i < t->n_problems * t->n_candidates; i++)
        free(t->series[i].seconds);
    free_names(t->candidates, t->n_candidates);
    free_names(t->problems, t->n_problems);
    free_names(t->resources, t->n_resources);
    free(t->resource_of);
    free(t->work);
    free(t->series);
    free(t->models);
    free(t->slow);
    free(t->calls);
    free(t);
}

int le__trace_candidates(const le__trace *trace) {
    return trace->n_candidates;
}

int le__trace_problems(const le__trace *trace) {
    return trace->n_problems;
}

double le__trace_truth(const le__trace *t, int problem, int candidate) {
    const le__trace_series *s = &t->series[problem * t->n_candidates + candidate];
    if (s->n == 0) {
        const le__trace_model *m = &t->models[candidate];
        return m->overhead + m->per_work * pow(t->work[problem], m->exponent);
    }
    double sum = 0.0;
    for (int i = 1; i < s->n; i++)
        sum += s->seconds[i];
    return s->n > 1 ? sum / (s->n - 1) : s->seconds[0];
}
