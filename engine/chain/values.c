/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The values of a chain: inputs, constants, what steps write, and parts of these. Shapes without
 * data.
 */
#include "chain/chain.h"

#include "call/storage.h"
#include "core/array.h"

#include <stdlib.h>
#include <string.h>

le_status le__chain_keep_error(le_chain *chain, le_status status) {
    if (chain->status == LE_OK) {
        chain->status = status;
        chain->error = strdup(le_error_message());
    }
    return status;
}

le_work le__chain_work(const le_chain *c) {
    le_work all = {0, 0};
    for (int i = 0; i < c->n_steps; i++) {
        le_work one = {0, 0};
        c->steps[i]->entry->operation->work(&c->steps[i]->call, &one);
        all.operations += one.operations;
        all.bytes += one.bytes;
    }
    return all;
}

static le_value fail_value(le_chain *chain, le_status status) {
    le__chain_keep_error(chain, status);
    return LE_VALUE_NONE;
}

le_status le_chain_status(const le_chain *chain) {
    if (chain->status != LE_OK)
        return le_fail(chain->status, "%s", chain->error ? chain->error : "out of memory");
    return LE_OK;
}

bool le__value_has_shape(const le__chain_value *v) {
    return v->shape.dtype != 0;
}

bool le__value_is_counted_result(const le_chain *c, const le__chain_value *v) {
    return v->role == LE__VALUE_RESULT && v->arg >= 0 && c->call->args[v->arg].counted;
}

bool le__value_is_open(const le_chain *c, const le__chain_value *v) {
    return v->role == LE__VALUE_RESULT ? le__value_is_counted_result(c, v) : !v->declared;
}

/* NULL, with the error kept, when out of memory. The pointer is valid until the next value. */
static le__chain_value *new_value(le_chain *c, le__value_role role, const char *name) {
    if (c->status != LE_OK)
        return NULL;
    char *copy = name ? strdup(name) : NULL;
    if (!LE__ARRAY_ROOM(c->values, c->n_values, c->capacity) || (name && !copy)) {
        free(copy);
        le__chain_keep_error(c, le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", c->name));
        return NULL;
    }
    le__chain_value *v = &c->values[c->n_values];
    *v = (le__chain_value){.role = role,
                           .name = copy,
                           .arg = -1,
                           .root = c->n_values,
                           .parent = -1,
                           .after_step = c->n_steps,
                           .last_step = -1};
    c->n_values++;
    return v;
}

static le_value id_of(const le_chain *c, const le__chain_value *v) {
    return (le_value){(int32_t)(v - c->values)};
}

static le_status check_shape(const le_chain *c, const char *name, le_dtype dtype, int ndim,
                             const int64_t *shape, le_tensor *out) {
    if (!le_dtype_size(dtype))
        return le_fail(LE_ERR_DTYPE, "chain '%s': value '%s' has data type %d, which is unknown",
                       c->name, name, (int)dtype);
    if (ndim < 0 || ndim > LE_MAX_DIMS)
        return le_fail(LE_ERR_SHAPE,
                       "chain '%s': value '%s' has %d dimensions, 0 to %d are possible", c->name,
                       name, ndim, LE_MAX_DIMS);
    size_t bytes;
    *out = le_tensor_of(NULL, dtype, ndim, shape);
    if (!le__tensor_bytes(out, &bytes))
        return le_fail(LE_ERR_SHAPE, "chain '%s': value '%s' has a negative or too large shape",
                       c->name, name);
    return LE_OK;
}

int le__chain_find(const le_chain *c, const char *name, bool output) {
    for (int i = 0; i < c->n_values; i++) {
        const le__chain_value *v = &c->values[i];
        if (v->name && !strcmp(v->name, name) && (output ? v->output : v->role == LE__VALUE_INPUT))
            return i;
    }
    return -1;
}

le_value le_chain_input(le_chain *c, const char *name, le_dtype dtype, int ndim,
                        const int64_t *shape) {
    le_tensor t;
    if (c->status != LE_OK)
        return LE_VALUE_NONE;
    if (!name)
        return fail_value(
            c, le_fail(LE_ERR_ARGUMENT, "chain '%s': an input has no name, NULL given", c->name));
    if (le__chain_find(c, name, false) >= 0)
        return fail_value(
            c, le_fail(LE_ERR_ARGUMENT, "chain '%s': input '%s' is there already", c->name, name));
    le_status status = check_shape(c, name, dtype, ndim, shape, &t);
    if (status != LE_OK)
        return fail_value(c, status);
    le__chain_value *v = new_value(c, LE__VALUE_INPUT, name);
    if (!v)
        return LE_VALUE_NONE;
    v->shape = t;
    v->written = v->whole_written = true;
    return id_of(c, v);
}

le_value le_chain_constant(le_chain *c, const le_tensor *tensor) {
    le_tensor copy;
    le_status status = le__tensor_copy("le_chain_constant", "tensor", tensor, &copy);
    if (status != LE_OK)
        return fail_value(c, status);
    le__chain_value *v = new_value(c, LE__VALUE_CONSTANT, NULL);
    if (!v) {
        le_tensor_free(&copy);
        return LE_VALUE_NONE;
    }
    v->shape = le_tensor_of(NULL, copy.dtype, copy.ndim, copy.shape);
    v->constant = copy;
    v->written = v->whole_written = true;
    return id_of(c, v);
}

le_value le_chain_temp(le_chain *c) {
    le__chain_value *v = new_value(c, LE__VALUE_TEMP, NULL);
    return v ? id_of(c, v) : LE_VALUE_NONE;
}

le_value le_chain_temp_of(le_chain *c, le_dtype dtype, int ndim, const int64_t *shape) {
    le_tensor t;
    le_status status = c->status == LE_OK ? check_shape(c, "temp", dtype, ndim, shape, &t) : LE_OK;
    if (status != LE_OK)
        return fail_value(c, status);
    le__chain_value *v = new_value(c, LE__VALUE_TEMP, NULL);
    if (!v)
        return LE_VALUE_NONE;
    v->shape = t;
    v->declared = true;
    return id_of(c, v);
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Of a part: where it ends along its axis. */
static int64_t last_of(const le__chain_value *v) {
    return v->end < 0 ? v->begin + 1 : v->end;
}

/* Elements of the root that a value has: those from begin to before end along each of its axes.
 * axes: which of these the value still has; returns how many. */
static int find_box(const le_chain *c, int value, int64_t begin[], int64_t end[], int axes[]) {
    const le__chain_value *v = &c->values[value];
    if (v->parent < 0) {
        for (int i = 0; i < v->shape.ndim; i++) {
            begin[i] = 0;
            end[i] = v->dynamic && i == 0 ? INT64_MAX : v->shape.shape[i];
            axes[i] = i;
        }
        return v->shape.ndim;
    }
    int n = find_box(c, v->parent, begin, end, axes), axis = axes[v->axis];
    const int64_t first = begin[axis];
    begin[axis] = first + v->begin;
    end[axis] = least(end[axis], first + last_of(v));
    if (v->end < 0)
        memmove(axes + v->axis, axes + v->axis + 1, (size_t)(--n - v->axis) * sizeof *axes);
    return n;
}

bool le__values_overlap(const le_chain *c, int a, int b) {
    const le__chain_value *x = &c->values[a], *y = &c->values[b];
    if (x->root != y->root || a == b || x->parent < 0 || y->parent < 0)
        return x->root == y->root;
    if (x->parent == y->parent && x->axis == y->axis) /* as mostly, and of many */
        return x->begin < last_of(y) && y->begin < last_of(x);
    int64_t begin[2][LE_MAX_DIMS], end[2][LE_MAX_DIMS];
    int axes[LE_MAX_DIMS];
    bool overlap = true;
    find_box(c, a, begin[0], end[0], axes);
    find_box(c, b, begin[1], end[1], axes);
    for (int i = 0; i < c->values[x->root].shape.ndim; i++)
        overlap = overlap && begin[0][i] < end[1][i] && begin[1][i] < end[0][i];
    return overlap;
}

le_status le__chain_fail_part(const le_chain *c, const le_tensor *of, int axis, int64_t begin) {
    char text[256];
    le_tensor_describe(of, text, sizeof text);
    return le_fail(LE_ERR_SHAPE, "chain '%s': no part %lld along axis %d of %s", c->name,
                   (long long)begin, axis, text);
}

le_tensor le__chain_cut(le_tensor t, int axis, int64_t begin, int64_t end) {
    int64_t n = t.shape[axis], first = least(begin, n);
    t.offset += first * t.strides[axis];
    if (end >= 0) {
        t.shape[axis] = least(end, n) - first;
        return t;
    }
    for (int i = axis; i + 1 < t.ndim; i++) {
        t.shape[i] = t.shape[i + 1];
        t.strides[i] = t.strides[i + 1];
    }
    t.shape[--t.ndim] = 0;
    return t;
}

static bool is_part(const le__chain_value *of, int axis, int64_t begin, int64_t end) {
    int64_t last = end < 0 ? begin : end;
    if (axis < 0 || axis >= of->shape.ndim || begin < 0 || last < begin || end < -1)
        return false;
    bool open = of->dynamic && (axis == 0 || !of->counted); /* how long it is shows when it runs */
    return open || last <= of->shape.shape[axis] - (end < 0 ? 1 : 0);
}

static le_value part(le_chain *c, le_value of, int axis, int64_t begin, int64_t end) {
    if (c->status != LE_OK)
        return LE_VALUE_NONE;
    const le__chain_value *whole = of.id >= 0 && of.id < c->n_values ? &c->values[of.id] : NULL;
    if (!whole || !le__value_has_shape(whole))
        return fail_value(
            c, le_fail(LE_ERR_ARGUMENT, "chain '%s': a slice of a value without a shape", c->name));
    if (le__value_is_counted_result(c, whole) && !whole->written)
        return fail_value(c, le_fail(LE_ERR_UNSUPPORTED,
                                     "chain '%s': a part of an output that is counted cannot be "
                                     "written",
                                     c->name));
    if (!is_part(whole, axis, begin, end))
        return fail_value(c, le__chain_fail_part(c, &whole->shape, axis, begin));
    le__chain_value *v = new_value(c, whole->role, NULL);
    if (!v)
        return LE_VALUE_NONE;
    whole = &c->values[of.id];
    v->shape = le__chain_cut(whole->shape, axis, begin, end);
    v->dynamic = whole->dynamic;
    v->parent = of.id;
    v->root = whole->root;
    v->axis = axis;
    v->begin = begin;
    v->end = end;
    return id_of(c, v);
}

le_value le_chain_slice(le_chain *c, le_value of, int axis, int64_t index) {
    return part(c, of, axis, index, -1);
}

le_value le_chain_range(le_chain *c, le_value of, int axis, int64_t begin, int64_t end) {
    return part(c, of, axis, begin, end < 0 ? -2 : end);
}

le_tensor le_chain_shape(const le_chain *c, le_value value) {
    return value.id >= 0 && value.id < c->n_values ? c->values[value.id].shape : (le_tensor){0};
}

size_t le_chain_steps(const le_chain *c) {
    return (size_t)c->n_steps;
}

le_status le_chain_output(le_chain *c, const char *name, le_value value) {
    if (c->status != LE_OK)
        return le_chain_status(c);
    le__chain_value *v = value.id >= 0 && value.id < c->n_values ? &c->values[value.id] : NULL;
    const char *wrong = !v                          ? "there is no such value"
                        : v->parent >= 0            ? "it is a part of a value"
                        : v->role != LE__VALUE_TEMP ? "it is not written by the chain"
                        : v->output                 ? "it is an output already"
                        : !v->written               ? "no step writes it"
                                                    : NULL;
    if (!wrong && !name)
        wrong = "a name is expected";
    if (!wrong && le__chain_find(c, name, true) >= 0)
        wrong = "another output has this name";
    if (wrong)
        return le__chain_keep_error(c, le_fail(LE_ERR_ARGUMENT, "chain '%s': output '%s': %s",
                                               c->name, name ? name : "(null)", wrong));
    v->name = strdup(name);
    v->output = true;
    v->place = c->n_outputs++;
    return v->name ? LE_OK
                   : le__chain_keep_error(c, le_fail(LE_ERR_MEMORY, "chain: out of memory"));
}

le_value le_chain_arg(le_chain *c, int arg) {
    if (c->status != LE_OK)
        return LE_VALUE_NONE;
    if (!c->call || arg < 0 || (size_t)arg >= c->call->operation->n_args)
        return fail_value(
            c, le_fail(LE_ERR_INTERNAL, "chain '%s': there is no call argument %d", c->name, arg));
    for (int i = 0; i < c->n_values; i++)
        if (c->values[i].arg == arg)
            return (le_value){i};
    const le_arg_desc *d = &c->call->operation->args[arg];
    const le__bound_arg *b = &c->call->args[arg];
    if (!b->given || (d->type != LE_TYPE_IN && d->type != LE_TYPE_OUT))
        return LE_VALUE_NONE;
    bool in = d->type == LE_TYPE_IN;
    le__chain_value *v = new_value(c, in ? LE__VALUE_INPUT : LE__VALUE_RESULT, d->name);
    if (!v)
        return LE_VALUE_NONE;
    /* strided inputs are packed before the chain runs */
    v->shape = le_tensor_of(NULL, b->tensor.dtype, b->tensor.ndim, b->tensor.shape);
    v->arg = arg;
    v->output = !in;
    v->written = v->whole_written = in;
    return id_of(c, v);
}

le_arg le_chain_pass(const le_call *call, int arg, const char *name) {
    const le__bound_arg *b = &call->args[arg];
    const le_arg_type type = call->operation->args[arg].type;
    if (!b->given)
        return (le_arg){0};
    if (type == LE_TYPE_I64)
        return (le_arg){.name = name, .kind = LE_KIND_I64, .value.i64 = b->i64};
    if (type == LE_TYPE_F64S)
        return (le_arg){
            .name = name, .kind = LE_KIND_F64S, .value.f64s = b->f64s, .count = b->count};
    if (type == LE_TYPE_TABLE)
        return (le_arg){.name = name, .kind = LE_KIND_TABLE, .value.in = &b->tensor};
    if (type == LE_TYPE_STR || (type == LE_TYPE_STR_OR_F64 && b->str))
        return (le_arg){.name = name, .kind = LE_KIND_STR, .value.str = b->str};
    return (le_arg){.name = name, .kind = LE_KIND_F64, .value.f64 = b->f64};
}
