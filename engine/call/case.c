/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Sample calls: owned arguments and deterministic random numbers.
 */
#include "call/case.h"

#include "call/call.h"
#include "call/storage.h"
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static le_arg *next(le_case *c, const char *name, le_kind kind) {
    if (c->status == LE_OK && c->n == LE_MAX_ARGS)
        c->status = le_fail(LE_ERR_ARGUMENT, "case: more than %d arguments", LE_MAX_ARGS);
    if (c->status != LE_OK)
        return NULL;
    c->args[c->n] = (le_arg){.name = name, .kind = (int32_t)kind};
    return &c->args[c->n++];
}

le_tensor *le_case_in(le_case *c, const char *name, le_dtype dtype, int ndim,
                      const int64_t *shape) {
    le_arg *a = next(c, name, LE_KIND_IN);
    if (!a)
        return NULL;
    le_tensor *t = &c->tensors[a - c->args];
    a->value.in = t;
    c->status = le_tensor_alloc(t, dtype, ndim, shape);
    return c->status == LE_OK ? t : NULL;
}

void le_case_borrow(le_case *c, const char *name, const le_tensor *t) {
    le_arg *a = next(c, name, LE_KIND_IN);
    if (!a)
        return;
    c->tensors[a - c->args] = *t;
    c->tensors[a - c->args].storage = le__storage_retain(t->storage);
    a->value.in = &c->tensors[a - c->args];
}

void le_case_out(le_case *c, const char *name, le_dtype dtype) {
    le_arg *a = next(c, name, LE_KIND_OUT);
    if (!a)
        return;
    a->value.out = &c->tensors[a - c->args];
    a->value.out->dtype = dtype;
}

void le_case_f64(le_case *c, const char *name, double value) {
    le_arg *a = next(c, name, LE_KIND_F64);
    if (a)
        a->value.f64 = value;
}

void le_case_i64(le_case *c, const char *name, int64_t value) {
    le_arg *a = next(c, name, LE_KIND_I64);
    if (a)
        a->value.i64 = value;
}

void le_case_str(le_case *c, const char *name, const char *value) {
    le_arg *a = next(c, name, LE_KIND_STR);
    if (!a)
        return;
    char *copy = strdup(value);
    c->texts[a - c->args] = copy;
    a->value.str = copy;
    if (!copy)
        c->status = le_fail(LE_ERR_MEMORY, "case: out of memory");
}

void le_case_f64s(le_case *c, const char *name, const double *values, size_t count) {
    le_arg *a = next(c, name, LE_KIND_F64S);
    if (!a)
        return;
    double *copy = malloc((count ? count : 1) * sizeof *copy);
    c->lists[a - c->args] = copy;
    a->value.f64s = copy;
    a->count = count;
    if (copy)
        memcpy(copy, values, count * sizeof *copy);
    else
        c->status = le_fail(LE_ERR_MEMORY, "case: out of memory");
}

void le_case_table(le_case *c, const char *name, int ndim, const int64_t *shape,
                   const double *values) {
    le_tensor *t = le_case_in(c, name, LE_F64, ndim, shape);
    if (!t)
        return;
    c->args[c->n - 1].kind = LE_KIND_TABLE;
    memcpy(t->data, values, (size_t)le_tensor_count(t) * sizeof *values);
}

static bool has(const le_case *c, const char *name) {
    for (size_t i = 0; i < c->n; i++)
        if (!strcmp(c->args[i].name, name))
            return true;
    return false;
}

void le_case_like(le_case *c, const le_call *like) {
    for (size_t i = 0; like && i < like->operation->n_args; i++) {
        const le_arg_desc *d = &like->operation->args[i];
        const le__bound_arg *b = &like->args[i];
        if (!b->given || d->type == LE_TYPE_IN || d->type == LE_TYPE_OUT || has(c, d->name))
            continue;
        if (d->type == LE_TYPE_TABLE)
            le_case_table(c, d->name, b->tensor.ndim, b->tensor.shape, b->f64s);
        else if (d->type == LE_TYPE_F64S)
            le_case_f64s(c, d->name, b->f64s, b->count);
        else if (b->str)
            le_case_str(c, d->name, b->str);
        else if (d->type == LE_TYPE_I64)
            le_case_i64(c, d->name, b->i64);
        else
            le_case_f64(c, d->name, b->f64);
    }
}

le_status le_case_status(const le_case *c) {
    return c->status;
}

void *le_case_user(const le_case *c) {
    return c->user;
}

uint64_t le_case_random(le_case *c) {
    return le_stats_random(&c->random);
}

double le_case_uniform(le_case *c) {
    return (double)(le_case_random(c) >> 11) * 0x1p-53;
}

double le_case_normal(le_case *c) {
    double u = 1 - le_case_uniform(c), v = le_case_uniform(c);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v); /* Box-Muller */
}

le_status le__case_make(le_case *out, const le_operation *op, const le_case_request *request) {
    memset(out, 0, sizeof *out);
    out->user = op->user;
    if (!op->make_case)
        return le_fail(LE_ERR_UNSUPPORTED, "%s: the operation makes no sample calls", op->name);
    out->random =
        request->seed * 1000003u + (uint64_t)request->index * 7919u + (uint64_t)request->kind;
    le_status status = op->make_case(out, request);
    if (status == LE_OK)
        status = out->status;
    if (status != LE_OK)
        le__case_free(out);
    return status;
}

void le__case_free(le_case *c) {
    for (size_t i = 0; i < c->n; i++) {
        le_tensor_free(&c->tensors[i]);
        free(c->texts[i]);
        free(c->lists[i]);
    }
    c->n = 0;
}

void le__case_reset_outputs(le_case *c) {
    for (size_t i = 0; i < c->n; i++)
        if (c->args[i].kind == LE_KIND_OUT) {
            le_dtype dtype = c->tensors[i].dtype;
            le_tensor_free(&c->tensors[i]);
            c->tensors[i].dtype = dtype;
        }
}
