/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reading a problem's text. Words that name no argument are results of others ("axis0") and
 * ignored.
 */
#include "problem_args.h"

#include "benchdb.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    problem_args *out;
    le_engine *engine;
    const le_operation *op;
    problem_data data;
    bool sampled;
    uint64_t random;
    char *why;
    size_t size;
} reader;

static _Alignas(64) unsigned char no_contents[64];

static bool refuse(reader *r, const char *what, const char *word) {
    snprintf(r->why, r->size, *word ? "%s: '%.128s'" : "%s", what, word);
    return false;
}

static const le_arg_desc *find(const le_operation *op, const char *word, size_t n) {
    for (size_t i = 0; i < op->n_args; i++)
        if (strlen(op->args[i].name) == n && !strncmp(op->args[i].name, word, n))
            return &op->args[i];
    return NULL;
}

static bool has(const problem_args *a, const char *name) {
    for (size_t i = 0; i < a->n; i++)
        if (!strcmp(a->args[i].name, name))
            return true;
    return false;
}

static double uniform(reader *r) {
    return (double)(le_stats_random(&r->random) >> 11) * 0x1p-53;
}

/* --- tensors: "f32[64,64,64]" --- */

static bool parse_tensor(const char *text, le_dtype *dtype, int *ndim, int64_t *shape) {
    char name[8] = "";
    size_t n = strcspn(text, "[");
    *ndim = 0;
    if (n >= sizeof name || !text[n])
        return false;
    memcpy(name, text, n);
    if (!le_dtype_from_name(name, dtype))
        return false;
    text += n + 1;
    while (*text && *text != ']' && *ndim < LE_MAX_DIMS) {
        char *end;
        shape[*ndim] = strtoll(text, &end, 10);
        if (end == text || shape[*ndim] < 0)
            return false;
        ++*ndim;
        text = end + (*end == ',');
    }
    return *text == ']';
}

static bool fill(reader *r, le_tensor *t, le_dtype dtype, int ndim, const int64_t *shape) {
    if (r->data == PROBLEM_SHAPES) {
        *t = le_tensor_of(no_contents, dtype, ndim, shape);
        return true;
    }
    if (le_tensor_alloc(t, dtype, ndim, shape) != LE_OK)
        return refuse(r, le_error_message(), "");
    int64_t n = le_tensor_count(t);
    for (int64_t i = 0; i < n; i++) {
        double v = exp(4 * uniform(r) - 2);
        bool integer = le_dtype_kind_of(dtype) < LE_DTYPE_KIND_FLOAT;
        le_tensor_set_complex(t, i, integer ? 16 * v : v, v);
    }
    return true;
}

static bool add_tensor(reader *r, const le_arg_desc *d, const char *text) {
    problem_args *a = r->out;
    le_dtype dtype;
    int ndim;
    int64_t shape[LE_MAX_DIMS];
    if (!parse_tensor(text, &dtype, &ndim, shape))
        return refuse(r, "expected a tensor like f32[64,64]", text);
    le_tensor *t = &a->tensors[a->n];
    if (d->type == LE_TYPE_OUT) {
        *t = (le_tensor){.dtype = dtype};
        a->args[a->n++] = LE_OUT(d->name, t);
        return true;
    }
    if (!fill(r, t, dtype, ndim, shape))
        return false;
    a->args[a->n++] = LE_IN(d->name, t);
    return true;
}

/* --- numbers, texts, lists --- */

/* Made when the text leaves something open: some take longer than all else here. */
static const le_arg *in_sample(reader *r, const char *name) {
    size_t n = 0;
    if (r->op->make_case && !r->sampled)
        le_sample_make(&r->out->sample, r->engine, r->op->name,
                       &(le_case_request){.kind = LE_CASE_TRIAL, .seed = 1});
    r->sampled = true;
    const le_arg *args = r->out->sample ? le_sample_args(r->out->sample, &n) : NULL;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(args[i].name, name))
            return &args[i];
    return NULL;
}

/* The list of a typical call, repeated or cut to the length. */
static bool add_list(reader *r, const le_arg_desc *d, const char *text) {
    problem_args *a = r->out;
    const le_arg *like = in_sample(r, d->name);
    size_t n = (size_t)strtoull(text, NULL, 10);
    if (n > 1u << 20)
        return refuse(r, "the list is too long", text);
    double *list = calloc(n ? n : 1, sizeof *list);
    if (!list)
        return refuse(r, "out of memory", text);
    for (size_t i = 0; i < n; i++) {
        list[i] = like && like->count ? like->value.f64s[i % like->count] : (double)i;
        if (d->min < d->max)
            list[i] = fmin(fmax(list[i], d->min), d->max);
    }
    a->lists[a->n] = list;
    a->args[a->n++] = LE_F64S(d->name, list, n);
    return true;
}

/* Texts have the number that stands for it; where it is given, "(given)" is behind it. */
static bool is_absent(const le_arg_desc *d, double number) {
    return d->cost && d->optional && !d->has_default && number == d->default_f64;
}

static bool add_scalar(reader *r, const le_arg_desc *d, const char *text) {
    problem_args *a = r->out;
    char *end;
    double v = strtod(text, &end);
    bool given = end != text && !strcmp(end, "(given)");
    bool number = given || (end != text && !*end);
    if (d->type == LE_TYPE_STR || (d->type == LE_TYPE_STR_OR_F64 && !number)) {
        if (!strcmp(text, "number")) {
            a->args[a->n++] = LE_F64(d->name, 0);
            return true;
        }
        a->texts[a->n] = strdup(text);
        if (!a->texts[a->n])
            return refuse(r, "out of memory", text);
        a->args[a->n] = (le_arg){.name = d->name, .kind = LE_KIND_STR, .value.str = a->texts[a->n]};
        a->n++;
        return true;
    }
    if (!number)
        return refuse(r, "expected a number", text);
    if (d->type == LE_TYPE_I64 && !(v == floor(v) && fabs(v) < 0x1p63))
        return refuse(r, "expected a whole number", text);
    if (!given && is_absent(d, v))
        return true;
    a->args[a->n++] = d->type == LE_TYPE_I64 ? LE_I64(d->name, (int64_t)v) : LE_F64(d->name, v);
    return true;
}

static bool read_word(reader *r, char *word) {
    size_t n = strcspn(word, "=#");
    const le_arg_desc *d = word[n] ? find(r->op, word, n) : NULL;
    if (!d)
        return true;
    if (has(r->out, d->name))
        return refuse(r, "given twice", word);
    const char *value = word + n + 1;
    if (word[n] == '#')
        return d->type == LE_TYPE_F64S ? add_list(r, d, value) : refuse(r, "no list", word);
    switch (d->type) {
    case LE_TYPE_IN:
    case LE_TYPE_OUT:
        return add_tensor(r, d, value);
    case LE_TYPE_F64S:
        return add_list(r, d, "1");
    default:
        return add_scalar(r, d, value);
    }
}

/* Required scalars that the text does not show do not change the cost: a typical call's will do. */
static bool add_rest(reader *r) {
    for (size_t i = 0; i < r->op->n_args; i++) {
        const le_arg_desc *d = &r->op->args[i];
        if (d->optional || has(r->out, d->name))
            continue;
        if (d->type == LE_TYPE_OUT) { /* its shape follows from the rest */
            r->out->args[r->out->n] = LE_OUT(d->name, &r->out->tensors[r->out->n]);
            r->out->n++;
            continue;
        }
        const le_arg *like = d->type == LE_TYPE_IN ? NULL : in_sample(r, d->name);
        if (!like)
            return refuse(r, "the problem lacks an argument", d->name);
        r->out->args[r->out->n++] = *like;
    }
    return true;
}

bool le__problem_args_make(problem_args *out, le_engine *engine, const char *operation,
                           const char *text, problem_data data, char *why, size_t size) {
    *out = (problem_args){0};
    why[0] = '\0';
    reader r = {.out = out,
                .engine = engine,
                .op = le_engine_operation(engine, operation),
                .data = data,
                .random = 1,
                .why = why,
                .size = size};
    if (!r.op)
        return refuse(&r, "there is no operation", operation);
    char *copy = strdup(text), *rest = copy;
    bool ok = copy || refuse(&r, "out of memory", text);
    for (char *word; ok && (word = strtok_r(rest, " ", &rest));)
        ok = read_word(&r, word);
    free(copy);
    return ok && add_rest(&r);
}

void le__problem_args_free(problem_args *a) {
    for (size_t i = 0; i < a->n; i++) {
        le_tensor_free(&a->tensors[i]);
        free(a->texts[i]);
        free(a->lists[i]);
    }
    le_sample_free(&a->sample);
    *a = (problem_args){0};
}
