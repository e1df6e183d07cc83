/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Keys of problems: as a hash for every call, as text for the database.
 */
#include "call/problem.h"

#include "core/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { KEY_BYTES = 2048 };

typedef struct key {
    size_t n;
    unsigned char bytes[KEY_BYTES];
} key;

static void put(key *k, const void *data, size_t size) {
    size_t room = KEY_BYTES - k->n;
    if (size > room) { /* very long texts: fold them */
        uint64_t h = XXH3_64bits(data, size);
        memmove(k->bytes, &h, sizeof h);
        k->n = k->n < sizeof h ? sizeof h : k->n;
        return;
    }
    memcpy(k->bytes + k->n, data, size);
    k->n += size;
}

static void put_text(key *k, const char *s) {
    put(k, s ? s : "", s ? strlen(s) + 1 : 1);
}

static void put_tensor(key *k, const le_tensor *t, bool input) {
    int32_t head[3] = {(int32_t)t->dtype, t->ndim, input && !le_tensor_is_contiguous(t)};
    put(k, head, sizeof head);
    put(k, t->shape, (size_t)t->ndim * sizeof t->shape[0]);
}

/* Words are few and change the work; free texts and numbers only where the descriptor says so. */
static bool counts(const le_arg_desc *d) {
    return d->cost || d->words;
}

static void put_arg(key *k, const le_arg_desc *d, const le__bound_arg *b) {
    switch (d->type) {
    case LE_TYPE_IN:
    case LE_TYPE_OUT:
        put(k, &b->given, sizeof b->given);
        if (b->given)
            put_tensor(k, &b->tensor, d->type == LE_TYPE_IN);
        break;
    case LE_TYPE_F64S:
        put(k, &b->count, sizeof b->count);
        if (d->cost)
            put(k, b->f64s, b->count * sizeof *b->f64s);
        break;
    case LE_TYPE_F64:
    case LE_TYPE_I64:
        if (d->cost)
            put(k, &b->f64, sizeof b->f64);
        break;
    case LE_TYPE_STR:
    case LE_TYPE_STR_OR_F64:
        if (counts(d))
            put_text(k, b->str);
        break;
    }
}

static void put_shape(key *k, const le_call *call) {
    const le_operation *op = call->operation;
    put(k, &call->entry->id, sizeof call->entry->id);
    for (size_t i = 0; i < op->n_args; i++)
        put_arg(k, &op->args[i], &call->args[i]);
    if (op->key) {
        char text[128] = "";
        op->key(call, text, sizeof text);
        put_text(k, text);
    }
}

uint64_t le__problem_shape_hash(const le_call *call) {
    key k;
    k.n = 0;
    put_shape(&k, call);
    return XXH3_64bits(k.bytes, k.n);
}

uint64_t le__problem_hash(const le_call *call) {
    key k;
    k.n = 0;
    const le__constraint *w = &call->want;
    put_shape(&k, call);
    put(&k, &w->atol, sizeof w->atol);
    put(&k, &w->rtol, sizeof w->rtol);
    put(&k, &w->memory_limit, sizeof w->memory_limit);
    int32_t flags[5] = {(int32_t)w->mode, (int32_t)w->objective, w->reproducible, w->keep_on_device,
                        call->step};
    put(&k, flags, sizeof flags);
    put_text(&k, w->run_type);
    put_text(&k, w->implementation);
    put_text(&k, w->device);
    return XXH3_64bits(k.bytes, k.n);
}

/* --- texts --- */

static void add_tensor(le__text *t, const le_arg_desc *d, const le__bound_arg *b, bool shape) {
    char described[256];
    le_tensor_describe(&b->tensor, described, sizeof described);
    le__text_add(t, "%s=%s", d->name, shape ? described : le_dtype_name(b->tensor.dtype));
    if (shape && d->type == LE_TYPE_IN && !le_tensor_is_contiguous(&b->tensor))
        le__text_add(t, "(strided)");
    le__text_add(t, " ");
}

static void add_arg(le__text *t, const le_arg_desc *d, const le__bound_arg *b, bool shape) {
    switch (d->type) {
    case LE_TYPE_IN:
    case LE_TYPE_OUT:
        if (b->given)
            add_tensor(t, d, b, shape);
        break;
    case LE_TYPE_F64S:
        if (shape && b->count)
            le__text_add(t, "%s#%zu ", d->name, b->count);
        break;
    case LE_TYPE_F64:
    case LE_TYPE_I64:
        if (shape && d->cost)
            le__text_add(t, "%s=%g ", d->name, b->f64);
        break;
    case LE_TYPE_STR:
    case LE_TYPE_STR_OR_F64:
        if (counts(d))
            le__text_add(t, "%s=%.48s ", d->name, b->str ? b->str : "number");
        break;
    }
}

static void add_all(le__text *t, const le_call *call, bool shape) {
    const le_operation *op = call->operation;
    for (size_t i = 0; i < op->n_args; i++)
        add_arg(t, &op->args[i], &call->args[i], shape);
    char extra[128] = "";
    if (op->key)
        op->key(call, extra, sizeof extra);
    le__text_add(t, "%s", extra);
    le__text_trim(t);
}

void le__problem_text(const le_call *call, char *out, size_t size) {
    le__text t = le__text_in(out, size);
    add_all(&t, call, true);
}

void le__problem_kind(const le_call *call, char *out, size_t size) {
    le__text t = le__text_in(out, size);
    add_all(&t, call, false);
}

int le__size_class(double work) {
    double c = work > 1 ? log2(work) / 3 : 0;
    return c < LE__SIZE_CLASSES - 1 ? (int)c : LE__SIZE_CLASSES - 1;
}

static const char *const objectives[] = {"time", "p99", "memory", "cpu_time"};

void le__constraint_text(const le_call *call, char *out, size_t size) {
    const le__constraint *w = &call->want;
    le__text t = le__text_in(out, size);
    le__text_add(&t, "atol=%g rtol=%g", w->atol, w->rtol);
    if (w->objective)
        le__text_add(&t, " objective=%s", objectives[w->objective]);
    if (w->run_type)
        le__text_add(&t, " run_type=%.32s", w->run_type);
    if (w->implementation)
        le__text_add(&t, " implementation=%.128s", w->implementation);
    if (w->device)
        le__text_add(&t, " device=%.64s", w->device);
    if (w->memory_limit)
        le__text_add(&t, " memory=%lld", (long long)w->memory_limit);
    if (w->reproducible)
        le__text_add(&t, " reproducible");
}
