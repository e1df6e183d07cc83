/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Building chains: steps bound to shapes without data.
 */
#include "chain/chain.h"

#include "call/engine.h"
#include "call/storage.h"
#include "core/array.h"

#include <stdlib.h>
#include <string.h>

le_status le__chain_new(le_chain **out, le_engine *engine, const char *name) {
    *out = NULL;
    le_chain *c = calloc(1, sizeof *c);
    char *copy = strdup(name ? name : "chain");
    le_storage *nothing = NULL;
    if (!c || !copy || le__storage_new(&nothing, 0, false, false) != LE_OK) {
        free(c);
        free(copy);
        return le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", name ? name : "");
    }
    c->engine = engine;
    c->name = copy;
    c->nothing = nothing;
    pthread_mutex_init(&c->mutex, NULL);
    *out = c;
    return LE_OK;
}

static void free_step(le__chain_step *s) {
    if (s->bound)
        le__call_unbind(&s->call);
    for (size_t i = 0; i < s->n_args; i++) {
        const le_arg *a = &s->args[i];
        const void *own = NULL; /* the step's copy */
        if (a->kind == LE_KIND_TABLE)
            own = a->value.in;
        else if (a->kind == LE_KIND_STR || (a->kind == LE_KIND_OPTION && a->count))
            own = a->value.str;
        else if (a->kind == LE_KIND_F64S)
            own = a->value.f64s;
        if (a->kind == LE_KIND_TABLE)
            le_tensor_free((le_tensor *)(uintptr_t)own);
        free((void *)(uintptr_t)own);
    }
    free(s->args);
    free(s->stand_ins);
    free(s);
}

static void forget_plan(le_chain *c) {
    for (int i = 0; c->choices && i < c->n_steps; i++)
        free(c->choices[i].own);
    free(c->choices);
    free(c->drops);
    free(c->step_reports);
    c->choices = NULL;
    c->drops = NULL;
    c->step_reports = NULL;
    c->n_drops = 0;
    c->plan_runs_left = 0;
    c->report = (le_chain_report){0};
    c->has_answered = false;
}

void le_chain_free(le_chain **chain) {
    if (!chain || !*chain)
        return;
    le_chain *c = *chain;
    *chain = NULL;
    for (int i = 0; i < c->n_steps; i++)
        free_step(c->steps[i]);
    for (int i = 0; i < c->n_values; i++) {
        free(c->values[i].name);
        le_tensor_free(&c->values[i].constant);
    }
    le__storage_release(c->nothing);
    free(c->steps);
    free(c->values);
    forget_plan(c);
    free(c->error);
    free(c->name);
    pthread_mutex_destroy(&c->mutex);
    free(c);
}

static le_status fail_memory(const char *who) {
    return le_fail(LE_ERR_MEMORY, "%s: out of memory", who);
}

/* Options whose value is a text. */
static bool has_text(const le_arg *a) {
    return a->kind == LE_KIND_STR ||
           (a->kind == LE_KIND_OPTION &&
            (a->option == LE_OPTION_RUN_TYPE || a->option == LE_OPTION_IMPLEMENTATION ||
             a->option == LE_OPTION_DEVICE));
}

static le_status keep_table(const char *who, const le_tensor *from, le_arg *to) {
    le_tensor *copy = calloc(1, sizeof *copy);
    to->value.in = copy;
    return copy ? le__tensor_copy(who, to->name, from, copy) : fail_memory(who);
}

static le_status keep_arg(le__chain_step *s, const le_arg *a) {
    const char *who = s->entry->operation->name;
    le_arg *to = &s->args[s->n_args++];
    *to = *a;
    if (has_text(a) && a->value.str) {
        to->value.str = strdup(a->value.str);
        to->count = 1;
        if (!to->value.str)
            return fail_memory(who);
    } else if (a->kind == LE_KIND_F64S && a->value.f64s) {
        double *copy = malloc((a->count ? a->count : 1) * sizeof *copy);
        to->value.f64s = copy;
        if (!copy)
            return fail_memory(who);
        memcpy(copy, a->value.f64s, a->count * sizeof *copy);
    } else if (a->kind == LE_KIND_TABLE && a->value.in) {
        return keep_table(who, a->value.in, to);
    } else if (a->kind == LE_KIND_OPTION) {
        to->count = 0;
    }
    return LE_OK;
}

static le_status check_read(const le_chain *c, const le_operation *op, const le_arg *a) {
    const le__chain_value *v = &c->values[a->value.i64];
    if (!le__value_has_shape(v) || !c->values[v->root].written)
        return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' is a value that no earlier step writes",
                       op->name, a->name);
    return LE_OK;
}

/* Whether an earlier step writes, or reads, some of the elements. */
static bool is_part_used(const le_chain *c, int value, bool written) {
    for (int i = 0; i < c->n_steps; i++) {
        const le__chain_step *s = c->steps[i];
        for (size_t a = 0; a < s->entry->operation->n_args; a++)
            if (s->values[a] >= 0 && le__values_overlap(c, s->values[a], value) &&
                (s->entry->operation->args[a].type == LE_TYPE_OUT) == written)
                return true;
    }
    return false;
}

static le_status check_write(const le_chain *c, const le_operation *op, const le_arg *a) {
    const le__chain_value *v = &c->values[a->value.i64], *root = &c->values[v->root];
    if (v->role == LE__VALUE_INPUT || v->role == LE__VALUE_CONSTANT)
        return le_fail(LE_ERR_ARGUMENT, "%s: output '%s' is an input of the chain", op->name,
                       a->name);
    if (root->whole_written || (v->parent < 0 && root->written) ||
        (root->written && is_part_used(c, (int)a->value.i64, true)))
        return le_fail(LE_ERR_ARGUMENT, "%s: output '%s' is a value that an earlier step writes",
                       op->name, a->name);
    if (root->written && is_part_used(c, (int)a->value.i64, false))
        return le_fail(LE_ERR_ARGUMENT, "%s: output '%s' is a value that an earlier step reads",
                       op->name, a->name);
    return LE_OK;
}

le_arg le__chain_stand_in(const le_chain *c, const le_arg *a, le_tensor shape, bool allocated,
                          le_tensor *t) {
    bool in = a->kind == LE_KIND_VALUE_IN;
    le_arg out = {.name = a->name, .kind = in ? LE_KIND_IN : LE_KIND_OUT};
    *t = allocated ? shape : (le_tensor){.dtype = shape.dtype};
    if (allocated)
        t->storage = c->nothing;
    if (in)
        out.value.in = t;
    else
        out.value.out = t;
    return out;
}

/* The argument with a stand-in tensor for the value. */
static le_status stand_in(const le_chain *c, const le_operation *op, const le_arg *a, le_tensor *t,
                          le_arg *out) {
    bool in = a->kind == LE_KIND_VALUE_IN;
    if (a->value.i64 >= c->n_values)
        return le_fail(LE_ERR_ARGUMENT, "%s: argument '%s' is no value of chain '%s'", op->name,
                       a->name, c->name);
    le_status status = in ? check_read(c, op, a) : check_write(c, op, a);
    if (status != LE_OK)
        return status;
    const le__chain_value *v = &c->values[a->value.i64];
    bool whole = le__value_has_shape(v) && (in || !le__value_is_counted_result(c, v));
    *out = le__chain_stand_in(c, a, v->shape, whole, t);
    return LE_OK;
}

/* The caller's names may end before the chain does: the operation's own take their place. */
static void keep_names(le__chain_step *s) {
    const le_operation *op = s->entry->operation;
    for (size_t i = 0; i < s->n_args; i++) {
        int d = s->args[i].kind == LE_KIND_OPTION ? -1 : le__arg_find(op, s->args[i].name, i);
        if (d >= 0)
            s->args[i].name = op->args[d].name;
    }
}

static le_status bind_step(le_chain *c, le__chain_step *s) {
    const le_operation *op = s->entry->operation;
    le_arg args[LE__STEP_ARGS];
    for (size_t i = 0, t = 0; i < s->n_args; i++) {
        args[i] = s->args[i];
        if (args[i].kind == LE_KIND_IN || args[i].kind == LE_KIND_OUT)
            return le_fail(LE_ERR_ARGUMENT,
                           "%s: argument '%s' was given as a tensor, a chain takes values "
                           "(LE_VALUE_IN, LE_VALUE_OUT)",
                           op->name, args[i].name);
        if (!le__is_value(&args[i]))
            continue;
        int d = le__arg_find(op, args[i].name, i);
        if (d >= 0)
            s->values[d] = (int)args[i].value.i64;
        if (t == LE_MAX_ARGS)
            return le_fail(LE_ERR_ARGUMENT, "%s: too many tensors", op->name);
        le_status status = stand_in(c, op, &s->args[i], &s->stand_ins[t++], &args[i]);
        if (status != LE_OK)
            return status;
    }
    le_status status = le__call_bind(&s->call, c->engine, s->entry, args, s->n_args);
    s->bound = status == LE_OK;
    if (s->bound)
        keep_names(s);
    s->call.user_args = s->args;
    s->call.n_user_args = s->n_args;
    s->reproducible = s->bound && s->call.want.reproducible;
    return status;
}

static void note_use(le_chain *c, const le__chain_step *s, size_t arg) {
    le__chain_value *v = &c->values[s->values[arg]], *root = &c->values[v->root];
    root->first_step = root->last_step < 0 ? c->n_steps : root->first_step;
    root->last_step = c->n_steps;
    if (s->entry->operation->args[arg].type != LE_TYPE_OUT)
        return;
    v->written = root->written = true;
    root->whole_written = root->whole_written || v == root;
    v->counted = s->call.args[arg].counted;
    v->dynamic = v->counted || (s->dynamic && v == root && le__value_is_open(c, v));
    c->dynamic = c->dynamic || v->dynamic;
    if (!le__value_has_shape(v) || le__value_is_counted_result(c, v)) {
        const le_tensor *t = &s->call.args[arg].tensor;
        v->shape = le_tensor_of(NULL, t->dtype, t->ndim, t->shape);
    }
}

/* Whether the step reads what is dynamic. A part of a value cannot be counted. */
static le_status look_at_counts(const le_chain *c, le__chain_step *s) {
    const le_operation *op = s->entry->operation;
    for (size_t a = 0; a < op->n_args; a++) {
        const le__chain_value *v = s->values[a] >= 0 ? &c->values[s->values[a]] : NULL;
        s->dynamic = s->dynamic || (v && op->args[a].type == LE_TYPE_IN && v->dynamic);
        if (!v || !s->call.args[a].counted)
            continue;
        bool fixed = v->role == LE__VALUE_RESULT && !le__value_is_open(c, v);
        if (fixed || v->parent >= 0)
            return le_fail(LE_ERR_UNSUPPORTED, "%s: output '%s' is counted, it cannot be %s",
                           op->name, op->args[a].name,
                           fixed ? "one that is not" : "written to a part of a value");
    }
    s->built = s->dynamic ? le__step_problem(s) : 0;
    return LE_OK;
}

static le_status reads_what_it_writes(const le_chain *c, const le__chain_step *s) {
    const le_operation *op = s->entry->operation;
    for (size_t i = 0; i < op->n_args; i++)
        for (size_t o = 0; o < op->n_args; o++)
            if (i != o && op->args[o].type == LE_TYPE_OUT && s->values[i] >= 0 &&
                s->values[o] >= 0 && le__values_overlap(c, s->values[i], s->values[o]))
                return le_fail(LE_ERR_ARGUMENT, "%s: output '%s' shares memory with '%s'", op->name,
                               op->args[o].name, op->args[i].name);
    return LE_OK;
}

static le_status take_step(le_chain *c, le__chain_step *s) {
    if (!LE__ARRAY_ROOM(c->steps, c->n_steps, c->step_capacity))
        return le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", c->name);
    le_status status = bind_step(c, s);
    if (status == LE_OK)
        status = reads_what_it_writes(c, s);
    if (status == LE_OK)
        status = look_at_counts(c, s);
    if (status != LE_OK)
        return status;
    for (size_t i = 0; i < s->entry->operation->n_args; i++)
        if (s->values[i] >= 0)
            note_use(c, s, i);
    forget_plan(c);
    c->steps[c->n_steps++] = s;
    return LE_OK;
}

/* What binding sets of its call is not touched here: of most of it, no memory is ever used. */
static le__chain_step *new_step(le__operation_entry *entry, const le_arg *args, size_t n_args,
                                size_t n_more) {
    size_t n_values = 0;
    for (size_t i = 0; i < n_args; i++)
        n_values += le__is_value(&args[i]);
    le__chain_step *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    memset(s, 0, offsetof(le__chain_step, call.args));
    s->entry = entry;
    for (size_t i = 0; i < LE_MAX_ARGS; i++)
        s->values[i] = -1;
    const size_t n = n_args + n_more;
    s->args = calloc(n < LE__STEP_ARGS ? n + 1 : LE__STEP_ARGS, sizeof *s->args);
    s->stand_ins = calloc(n_values + 1, sizeof *s->stand_ins);
    if (s->args && s->stand_ins)
        return s;
    free_step(s);
    return NULL;
}

static le_status keep_args(le__chain_step *s, const le_arg *args, size_t n_args) {
    le_status status = LE_OK;
    for (size_t i = 0; status == LE_OK && i < n_args; i++) {
        if (args[i].kind == 0 || (le__is_value(&args[i]) && args[i].value.i64 < 0))
            continue;
        if (s->n_args == LE__STEP_ARGS)
            status = le_fail(LE_ERR_ARGUMENT, "%s: too many arguments", s->entry->operation->name);
        else
            status = keep_arg(s, &args[i]);
    }
    return status;
}

static bool has_tolerance(const le__chain_step *s) {
    for (size_t i = 0; i < s->n_args; i++)
        if (s->args[i].kind == LE_KIND_OPTION &&
            (s->args[i].option == LE_OPTION_ATOL || s->args[i].option == LE_OPTION_RTOL))
            return true;
    return false;
}

le_status le__chain_add_step(le_chain *c, le__operation_entry *entry, const le_arg *args,
                             size_t n_args) {
    if (c->status != LE_OK)
        return le_chain_status(c);
    le__chain_step *s = new_step(entry, args, n_args, c->n_tolerance);
    if (!s)
        return le__chain_keep_error(c,
                                    le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", c->name));
    le_status status = keep_args(s, args, n_args);
    if (status == LE_OK && !has_tolerance(s))
        status = keep_args(s, c->tolerance, c->n_tolerance);
    if (status == LE_OK)
        status = take_step(c, s);
    if (status != LE_OK) {
        le__chain_keep_error(c, status);
        free_step(s);
    }
    return status;
}

le_status le_chain_add_args(le_chain *c, const char *operation, const le_arg *args, size_t n_args) {
    le__operation_entry *entry;
    if (c->status != LE_OK)
        return le_chain_status(c);
    le_status status = le__registry_get(&c->engine->registry, operation, &entry);
    return status == LE_OK ? le__chain_add_step(c, entry, args, n_args)
                           : le__chain_keep_error(c, status);
}
