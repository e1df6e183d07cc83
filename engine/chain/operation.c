/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Chains as operations: a recipe is built again for the shapes of each call.
 */
#include "chain/chain.h"

#include "call/engine.h"

#include <stdlib.h>
#include <string.h>

typedef struct chain_operation {
    le_operation operation; /* first: a call leads back to it */
    le_arg_desc args[LE_MAX_ARGS];
    le__recipe *recipe;
    char *name, *summary;
} chain_operation;

static void free_recipe(le__recipe *r) {
    if (!r)
        return;
    for (int i = 0; i < LE_MAX_ARGS; i++)
        free(r->names[i]);
    if (r->release)
        r->release(r->data);
    free(r->name);
    free(r);
}

static void free_operation(void *chain_op) {
    chain_operation *o = chain_op;
    if (!o)
        return;
    free_recipe(o->recipe);
    free(o->name);
    free(o->summary);
    free(o);
}

static const le__recipe *recipe_of(const le_call *call) {
    return ((const chain_operation *)(const void *)call->operation)->recipe;
}

static void free_attached(void *chain) {
    le_chain *c = chain;
    le_chain_free(&c);
}

/* An output whose shape is known when the chain has run is as long as it is then. */
static le_status set_out(le_call *call, int arg, const le__chain_value *v) {
    const le_tensor *t = &v->shape;
    return v->dynamic && t->ndim > 0 ? le_call_set_out_upto(call, arg, t->dtype, t->ndim, t->shape)
                                     : le_call_set_out(call, arg, t->dtype, t->ndim, t->shape);
}

static le_status build(const le__recipe *r, const le_call *call, le_chain *to,
                       const le_value *inputs, const le_value *outputs) {
    to->n_tolerance = le__tolerance_options(&call->want, to->tolerance);
    return r->build(r, to, inputs, outputs);
}

/* The chain for the shapes of the call, with inputs and outputs of its own. */
static le_status check(le_call *call) {
    const le__recipe *r = recipe_of(call);
    le_value inputs[LE_MAX_ARGS], outputs[LE_MAX_ARGS];
    le_chain *c;
    le_status status = le__chain_new(&c, call->engine, r->name);
    if (status != LE_OK)
        return status;
    for (int i = 0; i < r->n_inputs; i++) {
        const le_tensor *t = le_call_in(call, i);
        inputs[i] = le_chain_input(c, r->names[i], t->dtype, t->ndim, t->shape);
    }
    for (int i = 0; i < r->n_outputs; i++)
        outputs[i] = LE_VALUE_NONE;
    status = build(r, call, c, inputs, outputs);
    for (int i = 0; status == LE_OK && i < r->n_outputs; i++) {
        int arg = r->n_inputs + i, v = le__chain_find(c, r->names[arg], true);
        if (v < 0)
            status =
                le_fail(LE_ERR_INTERNAL, "%s: output '%s' is not made", r->name, r->names[arg]);
        else if (call->args[arg].given)
            status = set_out(call, arg, &c->values[v]);
    }
    if (status == LE_OK)
        le_call_attach(call, c, free_attached);
    else
        le_chain_free(&c);
    return status;
}

static void work(const le_call *call, le_work *out) {
    *out = le__chain_work(le_call_attached(call));
}

static le_status expand(const le_call *call, le_chain *chain) {
    const le__recipe *r = recipe_of(call);
    le_value values[LE_MAX_ARGS];
    for (int i = 0; i < r->n_inputs + r->n_outputs; i++)
        values[i] = le_chain_arg(chain, i);
    return build(r, call, chain, values, values + r->n_inputs);
}

/* --- in slabs: as all of its steps can be cut --- */

enum { UNKNOWN = -1 };

static bool is_plain(const le_slabs *s, size_t a) { /* an element for each item */
    return !s->args[a].ends && s->args[a].scale <= 1 && s->args[a].divide <= 1;
}

/* What a step says of one of its values must be what others say of it; a merged one is ready only
 * after the last slab, so no step can read it. axes: by value. */
static bool join(const le_chain *c, int step, size_t a, const le_slabs *s, int8_t *axes) {
    int v = c->steps[step]->values[a];
    const le__chain_value *value = &c->values[v];
    int8_t axis = s->args[a].axis;
    bool appended = s->args[a].merge == LE_MERGE_APPEND; /* its scale is that of its places */
    if (value->root != v || (!appended && !is_plain(s, a)))
        return false;
    if (value->role == LE__VALUE_CONSTANT && axis)
        return false;
    bool output = c->steps[step]->entry->operation->args[a].type == LE_TYPE_OUT;
    if (output && !axis && value->last_step > step)
        return false;
    if (axes[v] != UNKNOWN && axes[v] != axis)
        return false;
    axes[v] = axis;
    return true;
}

typedef struct merge { /* of a value that is not cut */
    uint8_t how;
    int32_t scale; /* of places in appended rows */
    uint32_t places;
} merge;

/* Rows that are appended say whether they belong to a halo; a sum holds it. */
static bool may_have_halo(const le_chain *c, const merge *merges) {
    for (int v = 0; v < c->n_values; v++)
        if (merges[v].how != LE_MERGE_NONE && merges[v].how != LE_MERGE_APPEND)
            return false;
    return true;
}

/* merges: by value. Halos add up: the results of a step need those of the one before as far. */
static bool join_steps(const le_chain *c, le_slabs *out, int8_t *axes, merge *merges) {
    for (int i = 0; i < c->n_steps; i++) {
        const le_operation *op = c->steps[i]->entry->operation;
        le_slabs s = {0};
        if (!op->slabs || !op->slabs(&c->steps[i]->call, &s) || s.multiple > 1 || s.extent ||
            s.wraps || (i && s.items != out->items))
            return false;
        out->items = s.items;
        out->halo += s.halo;
        for (size_t a = 0; a < op->n_args; a++) {
            int v = c->steps[i]->values[a];
            if (v >= 0 && !join(c, i, a, &s, axes))
                return false;
            if (v >= 0 && op->args[a].type == LE_TYPE_OUT)
                merges[v] = (merge){s.args[a].merge, s.args[a].scale, s.args[a].places};
        }
    }
    return c->n_steps > 0 && (!out->halo || may_have_halo(c, merges));
}

static bool slabs(const le_call *call, le_slabs *out) {
    const le__recipe *r = recipe_of(call);
    const le_chain *c = le_call_attached(call);
    int8_t *axes = malloc((size_t)c->n_values + 1);
    merge *merges = calloc((size_t)c->n_values + 1, sizeof *merges);
    if (axes)
        memset(axes, UNKNOWN, (size_t)c->n_values + 1);
    bool ok = axes && merges && join_steps(c, out, axes, merges);
    for (int i = 0; ok && i < r->n_inputs + r->n_outputs; i++) {
        int v = le__chain_find(c, r->names[i], i >= r->n_inputs);
        ok = v >= 0;
        if (!ok || axes[v] == UNKNOWN) /* an input that no step reads */
            continue;
        out->args[i].axis = axes[v];
        out->args[i].merge = merges[v].how;
        if (merges[v].how == LE_MERGE_APPEND) {
            out->args[i].scale = merges[v].scale;
            out->args[i].places = merges[v].places;
        }
    }
    free(axes);
    free(merges);
    return ok;
}

/* Which of them a chain takes is its steps' affair. */
#define ANY_DTYPE                                                                                  \
    (LE_DTYPES_ALL | LE_DTYPES_COMPLEX | LE_DTYPE_BIT(LE_I8) | LE_DTYPE_BIT(LE_I64) |              \
     LE_DTYPE_BIT(LE_U64))

static void describe_args(chain_operation *o) {
    const le__recipe *r = o->recipe;
    for (int i = 0; i < r->n_inputs + r->n_outputs; i++)
        o->args[i] =
            (le_arg_desc){.name = r->names[i],
                          .doc = i < r->n_inputs ? "input of the chain" : "output of the chain",
                          .type = i < r->n_inputs ? LE_TYPE_IN : LE_TYPE_OUT,
                          .dtypes = ANY_DTYPE,
                          .optional = i >= r->n_inputs && r->n_outputs > 1,
                          .max_ndim = LE_MAX_DIMS,
                          .shape = "[...]",
                          .column = r->columns[i]};
}

static bool has_names(const le__recipe *r) {
    bool all = r->name;
    for (int i = 0; i < r->n_inputs + r->n_outputs; i++)
        all = all && r->names[i];
    return all;
}

le_status le__recipe_register(le_engine *engine, le__recipe *r, const char *name,
                              const char *summary) {
    chain_operation *o = has_names(r) ? calloc(1, sizeof *o) : NULL;
    if (!o) {
        free_recipe(r);
        return le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", name ? name : "");
    }
    o->recipe = r;
    o->name = strdup(name ? name : r->name);
    o->summary = strdup(summary ? summary : "a chain");
    describe_args(o);
    o->operation = (le_operation){.abi = LE_METHOD_ABI,
                                  .name = o->name,
                                  .family = "chains",
                                  .summary = o->summary,
                                  .args = o->args,
                                  .n_args = (size_t)(r->n_inputs + r->n_outputs),
                                  .check = check,
                                  .work = work,
                                  .atol = 1e-4,
                                  .rtol = 1e-4,
                                  .expand = expand,
                                  .slabs = slabs};
    le_status status = o->name && o->summary
                           ? le__registry_add_operation(&engine->registry, &o->operation)
                           : le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", r->name);
    if (status != LE_OK) {
        free_operation(o);
        return status;
    }
    le__operation_entry *entry = le__registry_find(&engine->registry, o->name);
    entry->data = o;
    entry->release = free_operation;
    return status;
}

/* --- a caller's chain as a recipe --- */

static le_value mapped(const le_value *map, int64_t id) {
    return id < 0 ? LE_VALUE_NONE : map[id];
}

static void repeat_value(const le_chain *from, int i, le_chain *to, const le_value *inputs,
                         const le_value *outputs, int *n_inputs, le_value *map) {
    const le__chain_value *v = &from->values[i];
    const le_tensor *t = &v->shape;
    if (v->parent >= 0)
        map[i] = v->end < 0 ? le_chain_slice(to, map[v->parent], v->axis, v->begin)
                            : le_chain_range(to, map[v->parent], v->axis, v->begin, v->end);
    else if (v->role == LE__VALUE_INPUT)
        map[i] = inputs[(*n_inputs)++];
    else if (v->role == LE__VALUE_CONSTANT)
        map[i] = le_chain_constant(to, &v->constant);
    else if (v->output && outputs[v->place].id >= 0)
        map[i] = outputs[v->place];
    else
        map[i] =
            v->declared ? le_chain_temp_of(to, t->dtype, t->ndim, t->shape) : le_chain_temp(to);
}

static void repeat_step(const le__chain_step *s, le_chain *to, const le_value *map) {
    le_arg args[LE__STEP_ARGS];
    for (size_t i = 0; i < s->n_args; i++) {
        args[i] = s->args[i];
        if (args[i].kind == LE_KIND_VALUE_IN || args[i].kind == LE_KIND_VALUE_OUT)
            args[i].value.i64 = mapped(map, args[i].value.i64).id;
    }
    le__chain_add_step(to, s->entry, args, s->n_args);
}

/* The value that was made an output after so many others. */
static int output_at(const le_chain *chain, int place) {
    int i = 0;
    while (!chain->values[i].output || chain->values[i].place != place)
        i++;
    return i;
}

static le_status repeat_chain(const le_chain *from, le_chain *to, const le_value *inputs,
                              const le_value *outputs) {
    int value = 0, n_inputs = 0;
    le_value *map = calloc((size_t)from->n_values + 1, sizeof *map);
    if (!map)
        return le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", from->name);
    for (int s = 0; to->status == LE_OK && s <= from->n_steps; s++) {
        for (; value < from->n_values && from->values[value].after_step == s; value++)
            repeat_value(from, value, to, inputs, outputs, &n_inputs, map);
        if (s < from->n_steps)
            repeat_step(from->steps[s], to, map);
    }
    for (int k = 0; k < from->n_outputs; k++) {
        int i = output_at(from, k);
        if (outputs[k].id < 0)
            le_chain_output(to, from->values[i].name, map[i]);
    }
    free(map);
    return le_chain_status(to);
}

static le_status build_again(const le__recipe *r, le_chain *to, const le_value *inputs,
                             const le_value *outputs) {
    return repeat_chain(r->data, to, inputs, outputs);
}

/* Names of columns of a value, by the step that makes it. */
static const char *(*columns_of(const le_chain *chain, int value))(int64_t, int64_t) {
    for (int i = 0; i < chain->n_steps; i++) {
        const le_operation *op = chain->steps[i]->entry->operation;
        for (size_t a = 0; a < op->n_args; a++)
            if (op->args[a].type == LE_TYPE_OUT && chain->steps[i]->values[a] == value)
                return op->args[a].column;
    }
    return NULL;
}

static bool is_input(const le__chain_value *v) {
    return v->role == LE__VALUE_INPUT && v->parent < 0;
}

static int count_inputs(const le_chain *chain) {
    int n = 0;
    for (int i = 0; i < chain->n_values; i++)
        n += is_input(&chain->values[i]);
    return n;
}

static le__recipe *recipe_from(const le_chain *chain) {
    le__recipe *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    for (int i = 0; i < chain->n_values; i++)
        if (is_input(&chain->values[i]))
            r->names[r->n_inputs++] = strdup(chain->values[i].name);
    for (; r->n_outputs < chain->n_outputs; r->n_outputs++) {
        int i = output_at(chain, r->n_outputs), arg = r->n_inputs + r->n_outputs;
        r->columns[arg] = columns_of(chain, i);
        r->names[arg] = strdup(chain->values[i].name);
    }
    r->build = build_again;
    r->name = strdup(chain->name);
    r->release = free_attached;
    return r;
}

le_status le__chain_copy(const le_chain *chain, const le_tensor *shapes, le_chain **out) {
    const int most = chain->n_values + 1;
    le_value *inputs = malloc(2 * (size_t)most * sizeof *inputs),
             *none = inputs ? inputs + most : NULL;
    le_status status = le__chain_new(out, chain->engine, chain->name);
    if (status == LE_OK && !inputs)
        status = le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", chain->name);
    int n = 0;
    for (int i = 0; status == LE_OK && i < chain->n_values; i++) {
        const le__chain_value *v = &chain->values[i];
        const le_tensor *t = shapes ? &shapes[i] : &v->shape;
        none[i] = LE_VALUE_NONE;
        if (is_input(v))
            inputs[n++] = le_chain_input(*out, v->name, t->dtype, t->ndim, t->shape);
    }
    if (status == LE_OK)
        status = repeat_chain(chain, *out, inputs, none);
    free(inputs);
    if (status != LE_OK)
        le_chain_free(out);
    return status;
}

le_status le_chain_as_operation(const le_chain *chain, const char *name, const char *summary) {
    if (chain->status != LE_OK)
        return le_chain_status(chain);
    const int n = chain->n_outputs + count_inputs(chain);
    if (!chain->n_outputs)
        return le_fail(LE_ERR_ARGUMENT, "chain '%s': it has no output", chain->name);
    if (n > LE_MAX_ARGS)
        return le_fail(LE_ERR_UNSUPPORTED,
                       "chain '%s': %d inputs and outputs; an operation has at most %d",
                       chain->name, n, LE_MAX_ARGS);
    le__recipe *r = recipe_from(chain);
    if (!r)
        return le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", chain->name);
    le_chain *copy = NULL;
    le_status status = le__chain_copy(chain, NULL, &copy);
    if (status != LE_OK) {
        r->release = NULL;
        free_recipe(r);
        return status;
    }
    r->data = copy;
    return le__recipe_register(chain->engine, r, name, summary);
}
