/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Binding: the arguments of a call against the operation's descriptor.
 */
#include "call/call.h"

#include "call/dtype.h"
#include "call/engine.h"
#include "call/keep.h"
#include "call/shaped.h"
#include "core/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {
    [LE_KIND_IN] = "an input tensor (LE_IN)", [LE_KIND_OUT] = "an output tensor (LE_OUT)",
    [LE_KIND_F64] = "a number (LE_F64)",      [LE_KIND_I64] = "an integer (LE_I64)",
    [LE_KIND_STR] = "a text (LE_STR)",        [LE_KIND_F64S] = "a list of numbers (LE_F64S)",
    [LE_KIND_OPTION] = "an option",           [LE_KIND_TABLE] = "a table (LE_TABLE)"};
static const char *const type_names[] = {[LE_TYPE_IN] = "an input tensor",
                                         [LE_TYPE_OUT] = "an output tensor",
                                         [LE_TYPE_F64] = "a number",
                                         [LE_TYPE_I64] = "an integer",
                                         [LE_TYPE_STR] = "a text",
                                         [LE_TYPE_F64S] = "a list of numbers",
                                         [LE_TYPE_STR_OR_F64] = "a word or a number",
                                         [LE_TYPE_TABLE] = "a table"};

static le_status fail_kind(const le_operation *op, const le_arg_desc *d, const le_arg *a) {
    bool known = a->kind >= LE_KIND_IN && a->kind <= LE_KIND_TABLE;
    return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' was given as %s, expected %s", op->name,
                   d->name, known ? kind_names[a->kind] : "an unknown kind", type_names[d->type]);
}

static const char *name_at(const void *operation, size_t i) {
    return ((const le_operation *)operation)->args[i].name;
}

/* --- tensors --- */

static le_status check_dtype(const le_operation *op, const le_arg_desc *d, const le_tensor *t) {
    if (le__dtype_row_of(t->dtype)->size && d->dtypes & LE_DTYPE_BIT(t->dtype))
        return LE_OK;
    char names[96];
    le__dtype_list(d->dtypes, names, sizeof names);
    return le_fail(LE_ERR_DTYPE, "%s: argument '%s' has dtype %s, expected %s", op->name, d->name,
                   le_dtype_name(t->dtype), names);
}

static le_status check_layout(const le_operation *op, const le_arg_desc *d, const le_tensor *t) {
    if (t->ndim < d->min_ndim || t->ndim > d->max_ndim)
        return le_fail(LE_ERR_SHAPE, "%s: argument '%s' has %d dimensions, expected %s", op->name,
                       d->name, t->ndim,
                       d->shape && strcmp(d->shape, "any") != 0 ? d->shape : "another number");
    return le__tensor_check(op->name, d->name, t);
}

static le_status bind_input(le_call *call, const le_arg_desc *d, const le_arg *a,
                            le__bound_arg *b) {
    const le_operation *op = call->operation;
    const le_tensor *t = a->value.in;
    if (!t)
        return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' is NULL", op->name, d->name);
    if (!t->data && !t->storage && t->ndim == 0 && !t->dtype)
        return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' is an unallocated tensor", op->name,
                       d->name);
    le_status status = check_dtype(op, d, t);
    if (status == LE_OK)
        status = check_layout(op, d, t);
    b->tensor = *t;
    call->stored |= t->storage != NULL;
    return status;
}

static le_status bind_output(const le_operation *op, const le_arg_desc *d, const le_arg *a,
                             le__bound_arg *b) {
    le_tensor *t = a->value.out;
    if (!t)
        return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' is NULL", op->name, d->name);
    b->user_out = t;
    b->tensor = *t;
    if (!t->data && !t->storage) { /* unallocated; a dtype may be asked for */
        if (t->dtype)
            return check_dtype(op, d, t);
        return LE_OK;
    }
    le_status status = check_dtype(op, d, t);
    if (status == LE_OK)
        status = check_layout(op, d, t);
    if (status == LE_OK && !le__tensor_is_writable(t))
        status = le_fail(LE_ERR_ARGUMENT, "%s: elements of output '%s' overlap", op->name, d->name);
    return status;
}

static le_status check_alias(const le_call *call, size_t o) {
    const le_operation *op = call->operation;
    for (size_t i = 0; i < op->n_args; i++) {
        le_arg_type type = op->args[i].type;
        if ((type == LE_TYPE_IN || (type == LE_TYPE_OUT && i < o)) && call->args[i].given &&
            le__tensors_overlap(&call->args[o].tensor, &call->args[i].tensor))
            return le_fail(LE_ERR_ARGUMENT, "%s: output '%s' shares memory with '%s'", op->name,
                           op->args[o].name, op->args[i].name);
    }
    return LE_OK;
}

/* Only outputs that have memory already can share it. */
static le_status check_aliases(const le_call *call) {
    le_status status = LE_OK;
    for (size_t o = 0; status == LE_OK && o < call->operation->n_args; o++)
        if (call->operation->args[o].type == LE_TYPE_OUT && call->args[o].tensor.data)
            status = check_alias(call, o);
    return status;
}

/* --- scalars and texts --- */

/* Of a number in a message: large ones that lie side by side must not look alike. */
static int digits_of(double v) {
    return fabs(v) >= 1e6 && fabs(v) <= 9e15 ? 16 : 6;
}

static le_status check_number(const le_operation *op, const le_arg_desc *d, double v) {
    if (d->min < d->max && !(v >= d->min && v <= d->max))
        return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' is %.*g, expected %.*g to %.*g",
                       op->name, d->name, digits_of(v), v, digits_of(d->min), d->min,
                       digits_of(d->max), d->max);
    return LE_OK;
}

/* Of those that are one as doubles. */
static le_status check_integer(const le_operation *op, const le_arg_desc *d, int64_t v) {
    bool within =
        (d->min < -0x1p63 || v >= (int64_t)d->min) && (d->max >= 0x1p63 || v <= (int64_t)d->max);
    if (d->min < d->max && !within)
        return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' is %lld, expected %.*g to %.*g",
                       op->name, d->name, (long long)v, 16, d->min, 16, d->max);
    return LE_OK;
}

/* Cut off; 0 for what has no integer. */
static int64_t integer_of(double v) {
    return fabs(v) < 0x1p63 ? (int64_t)v : 0;
}

static le_status bind_number(const le_operation *op, const le_arg_desc *d, const le_arg *a,
                             le__bound_arg *b) {
    if (a->kind == LE_KIND_I64) {
        b->i64 = a->value.i64;
        b->f64 = (double)a->value.i64;
    } else {
        b->f64 = a->value.f64;
        if (d->type == LE_TYPE_I64 && (b->f64 != rint(b->f64) || fabs(b->f64) > 9e15))
            return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' is %.*g, expected an integer%s",
                           op->name, d->name, digits_of(b->f64), b->f64,
                           fabs(b->f64) > 9e15 ? " (so large a one by LE_I64)" : "");
        b->i64 = integer_of(b->f64);
    }
    le_status status = check_number(op, d, b->f64);
    return status == LE_OK && d->type == LE_TYPE_I64 ? check_integer(op, d, b->i64) : status;
}

static le_status bind_text(const le_operation *op, const le_arg_desc *d, const le_arg *a,
                           le__bound_arg *b) {
    if (!a->value.str)
        return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' is NULL", op->name, d->name);
    b->str = a->value.str;
    if (!d->words)
        return LE_OK;
    char words[256] = "";
    size_t n = 0;
    for (const char *const *w = d->words; *w; w++) {
        if (!strcmp(*w, b->str))
            return LE_OK;
        if (n < sizeof words)
            n += (size_t)snprintf(words + n, sizeof words - n, "%s'%s'", n ? ", " : "", *w);
    }
    return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' is '%.64s', expected %s%s", op->name,
                   d->name, b->str, words, d->type == LE_TYPE_STR_OR_F64 ? " or a number" : "");
}

static le_status check_count(const le_operation *op, const le_arg_desc *d, size_t count) {
    if (count < d->min_count && !d->max_count)
        return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' has %zu numbers, expected %zu or more",
                       op->name, d->name, count, d->min_count);
    if (d->max_count && count != d->max_count && d->min_count == d->max_count)
        return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' has %zu numbers, expected %zu", op->name,
                       d->name, count, d->min_count);
    if (count < d->min_count || (d->max_count && count > d->max_count))
        return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' has %zu numbers, expected %zu to %zu",
                       op->name, d->name, count, d->min_count, d->max_count);
    return LE_OK;
}

static le_status bind_list(const le_operation *op, const le_arg_desc *d, const le_arg *a,
                           le__bound_arg *b) {
    if (!a->value.f64s && a->count)
        return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' is NULL", op->name, d->name);
    le_status status = check_count(op, d, a->count);
    b->f64s = a->value.f64s;
    b->count = a->count;
    for (size_t i = 0; status == LE_OK && i < a->count; i++)
        status = check_number(op, d, a->value.f64s[i]);
    return status;
}

/* --- tables --- */

static le_status check_table(const le_operation *op, const le_arg_desc *d, const le_tensor *t) {
    if (!le_dtype_size(t->dtype) || le_dtype_kind_of(t->dtype) == LE_DTYPE_KIND_COMPLEX)
        return le_fail(LE_ERR_DTYPE, "%s: table '%s' has dtype %s, expected real numbers", op->name,
                       d->name, le_dtype_name(t->dtype));
    le_status status = check_layout(op, d, t);
    int64_t n = status == LE_OK ? le_tensor_count(t) : 0;
    if (n > LE_TABLE_MAX)
        return le_fail(LE_ERR_SHAPE, "%s: table '%s' has %lld elements, at most %d are possible",
                       op->name, d->name, (long long)n, LE_TABLE_MAX);
    return status == LE_OK ? check_count(op, d, (size_t)n) : status;
}

static le_status bind_table(const le_operation *op, const le_arg_desc *d, const le_arg *a,
                            le__bound_arg *b) {
    int64_t count = (int64_t)a->count;
    le_tensor list = le_tensor_of(a->value.f64s, LE_F64, 1, &count);
    if (!a->value.in && (a->kind == LE_KIND_TABLE || a->count))
        return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' is NULL", op->name, d->name);
    le_tensor from = a->kind == LE_KIND_TABLE ? *a->value.in : list;
    le_status status = check_table(op, d, &from);
    if (status == LE_OK)
        status = le_tensor_to_host(&from);
    if (status != LE_OK)
        return status;
    b->count = (size_t)le_tensor_count(&from);
    b->f64s = b->table = malloc((b->count + 1) * sizeof *b->table);
    if (!b->table)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory for table '%s'", op->name, d->name);
    b->tensor = le_tensor_of(b->table, LE_F64, from.ndim, from.shape);
    le__tensor_load(&from, 0, (int64_t)b->count, b->table);
    for (size_t i = 0; status == LE_OK && i < b->count; i++)
        status = check_number(op, d, b->table[i]);
    return status;
}

static le_status bind_one(le_call *call, const le_arg_desc *d, const le_arg *a, le__bound_arg *b) {
    const le_operation *op = call->operation;
    bool number = a->kind == LE_KIND_F64 || a->kind == LE_KIND_I64;
    switch (d->type) {
    case LE_TYPE_IN:
        return a->kind == LE_KIND_IN ? bind_input(call, d, a, b) : fail_kind(op, d, a);
    case LE_TYPE_OUT:
        return a->kind == LE_KIND_OUT ? bind_output(op, d, a, b) : fail_kind(op, d, a);
    case LE_TYPE_F64:
    case LE_TYPE_I64:
        return number ? bind_number(op, d, a, b) : fail_kind(op, d, a);
    case LE_TYPE_STR:
        return a->kind == LE_KIND_STR ? bind_text(op, d, a, b) : fail_kind(op, d, a);
    case LE_TYPE_STR_OR_F64:
        if (a->kind == LE_KIND_STR)
            return bind_text(op, d, a, b);
        return number ? bind_number(op, d, a, b) : fail_kind(op, d, a);
    case LE_TYPE_F64S:
        return a->kind == LE_KIND_F64S ? bind_list(op, d, a, b) : fail_kind(op, d, a);
    case LE_TYPE_TABLE:
        return a->kind == LE_KIND_TABLE || a->kind == LE_KIND_F64S ? bind_table(op, d, a, b)
                                                                   : fail_kind(op, d, a);
    }
    return fail_kind(op, d, a);
}

/* --- the whole call --- */

void le__constraint_begin(le__constraint *w, const le_engine *engine) {
    w->atol = w->rtol = NAN;
    w->mode = engine->options.mode;
}

size_t le__tolerance_options(const le__constraint *w, le_arg to[2]) {
    if (w->own_tolerance)
        return 0;
    to[0] = LE_OPT_ATOL(w->atol);
    to[1] = LE_OPT_RTOL(w->rtol);
    return 2;
}

le_status le__constraint_take(le__constraint *w, const le_engine *engine, const char *op,
                              const le_arg *a) {
    switch ((le_option)a->option) {
    case LE_OPTION_RTOL:
    case LE_OPTION_ATOL:
        if (!(a->value.f64 >= 0))
            return le_fail(LE_ERR_ARGUMENT, "%s: a tolerance of %g was given, expected 0 or more",
                           op, a->value.f64);
        *(a->option == LE_OPTION_RTOL ? &w->rtol : &w->atol) = a->value.f64;
        return LE_OK;
    case LE_OPTION_RUN_TYPE:
        w->run_type = a->value.str;
        return LE_OK;
    case LE_OPTION_IMPLEMENTATION:
        w->implementation = a->value.str;
        return LE_OK;
    case LE_OPTION_DEVICE:
        w->device = a->value.str;
        return LE_OK;
    case LE_OPTION_MODE:
        if (a->value.i64 < LE_MODE_DEFAULT || a->value.i64 > LE_MODE_FROZEN)
            return le_fail(LE_ERR_ARGUMENT, "%s: there is no mode %lld", op,
                           (long long)a->value.i64);
        w->mode = a->value.i64 ? (le_mode)a->value.i64 : engine->options.mode;
        return LE_OK;
    case LE_OPTION_OBJECTIVE:
        if (a->value.i64 < LE_OBJECTIVE_TIME || a->value.i64 > LE_OBJECTIVE_CPU_TIME)
            return le_fail(LE_ERR_ARGUMENT, "%s: there is no objective %lld", op,
                           (long long)a->value.i64);
        w->objective = (le_objective)a->value.i64;
        return LE_OK;
    case LE_OPTION_MEMORY_LIMIT:
        if (a->value.i64 < 0)
            return le_fail(LE_ERR_ARGUMENT,
                           "%s: a memory limit of %lld was given, expected 0 or more", op,
                           (long long)a->value.i64);
        w->memory_limit = a->value.i64;
        return LE_OK;
    case LE_OPTION_REPRODUCIBLE:
        w->reproducible = a->value.i64 != 0;
        return LE_OK;
    case LE_OPTION_KEEP_ON_DEVICE:
        w->keep_on_device = a->value.i64 != 0;
        return LE_OK;
    case LE_OPTION_TICK: /* the public function that was called has taken it */
        return LE_OK;
    }
    return le_fail(LE_ERR_ARGUMENT, "%s: there is no option %d", op, (int)a->option);
}

int le__arg_find(const le_operation *op, const char *name, size_t hint) {
    if (name && hint < op->n_args && !strcmp(op->args[hint].name, name))
        return (int)hint;
    for (size_t i = 0; name && i < op->n_args; i++)
        if (!strcmp(op->args[i].name, name))
            return (int)i;
    return -1;
}

void le__args_for_reference(const le_operation *op, le_arg *args, size_t n, le_tensor *outputs) {
    for (size_t i = 0; i < n; i++) {
        int d = args[i].kind == LE_KIND_OUT ? le__arg_find(op, args[i].name, i) : -1;
        if (d < 0)
            continue;
        le_dtype asked = args[i].value.out->dtype;
        outputs[i] = (le_tensor){.dtype = le__dtype_of_reference(&op->args[d], asked)};
        args[i].value.out = &outputs[i];
    }
}

static le_status bind_named(le_call *call, const le_arg *a, size_t hint) {
    const le_operation *op = call->operation;
    if (!a->name)
        return le_fail(LE_ERR_ARGUMENT, "%s: argument number %zu has no name", op->name, hint + 1);
    int i = le__arg_find(op, a->name, hint);
    if (i < 0)
        return le__fail_name(op->name, "argument", a->name, name_at, op, op->n_args);
    const le_arg_desc *d = &op->args[i];
    le__bound_arg *b = &call->args[i];
    if (b->given)
        return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' was given twice", op->name, d->name);
    b->given = true;
    return bind_one(call, d, a, b);
}

static le_status fill_defaults(le_call *call) {
    const le_operation *op = call->operation;
    for (size_t i = 0; i < op->n_args; i++) {
        const le_arg_desc *d = &op->args[i];
        le__bound_arg *b = &call->args[i];
        if (b->given)
            continue;
        if (!d->optional)
            return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' is missing (%s)", op->name, d->name,
                           d->doc ? d->doc : type_names[d->type]);
        b->f64 = d->default_f64;
        b->i64 = integer_of(d->default_f64);
        b->str = d->default_str;
    }
    return LE_OK;
}

/* Before check, which may ask for them. */
static void settle_tolerance(le__constraint *w, const le_operation *op) {
    w->own_tolerance = isnan(w->atol) && isnan(w->rtol);
    if (w->own_tolerance) {
        w->atol = op->atol;
        w->rtol = op->rtol;
    } else { /* one was given: the other is 0, as numpy.allclose(..., atol=0) has it */
        w->atol = isnan(w->atol) ? 0 : w->atol;
        w->rtol = isnan(w->rtol) ? 0 : w->rtol;
    }
}

le_status le__call_check(le_call *call) {
    const unsigned before = le__failures();
    le_status status =
        le__told(before, call->operation->check(call), call->operation->name, "its check");
    if (call->kept)
        le__keep_release(call);
    return status == LE_OK ? le__shaped_all(call) : status;
}

static le_status bind_all(le_call *call, const le_arg *args, size_t n_args) {
    for (size_t i = 0; i < n_args; i++) {
        le_status status =
            args[i].kind == LE_KIND_OPTION
                ? le__constraint_take(&call->want, call->engine, call->operation->name, &args[i])
                : bind_named(call, &args[i], i);
        if (status != LE_OK)
            return status;
    }
    settle_tolerance(&call->want, call->operation);
    le_status status = fill_defaults(call);
    if (status == LE_OK)
        status = check_aliases(call);
    if (status == LE_OK)
        status = le__call_check(call);
    return status;
}

le_status le__call_bind(le_call *call, le_engine *engine, le__operation_entry *entry,
                        const le_arg *args, size_t n_args) {
    memset(call, 0, offsetof(le_call, args) + entry->operation->n_args * sizeof(le__bound_arg));
    call->engine = engine;
    call->entry = entry;
    call->operation = entry->operation;
    call->user_args = args;
    call->n_user_args = n_args;
    call->poison = 0xff; /* no number, a far index: nobody takes it for what they want */
    le__constraint_begin(&call->want, engine);
    le_status status = bind_all(call, args, n_args);
    if (status != LE_OK) {
        le__call_unbind(call);
        return status;
    }
    return LE_OK;
}
