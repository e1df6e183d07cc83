/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Values whose shapes are known only when the chain runs: counted outputs, and what is made from
 * them. The chain is built for the room of the counted ones. Steps that read such values are bound
 * again, to what is expected when the chain is planned and to what there is when they run.
 */
#include "chain/chain.h"

#include "call/counted.h"
#include "call/problem.h"
#include "choose/dispatch.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdlib.h>
#include <string.h>

le_tensor *le__chain_shapes(const le_chain *c) {
    le_tensor *shapes = malloc(((size_t)c->n_values + 1) * sizeof *shapes);
    for (int i = 0; shapes && i < c->n_values; i++)
        shapes[i] = c->values[i].shape;
    return shapes;
}

uint64_t le__step_problem(const le__chain_step *s) {
    char text[LE__PROBLEM_TEXT];
    le__problem_text(&s->call, text, sizeof text);
    return XXH64(text, strlen(text), 0);
}

static void note_shapes(const le_chain *c, const le__chain_step *s, le_tensor *shapes) {
    for (size_t a = 0; a < s->entry->operation->n_args; a++) {
        int v = s->values[a];
        const le_tensor *t = &s->call.args[a].tensor;
        if (v >= 0 && s->entry->operation->args[a].type == LE_TYPE_OUT && c->values[v].dynamic)
            shapes[v] = le_tensor_of(NULL, t->dtype, t->ndim, t->shape);
    }
}

/* A part is cut from what its value is like. */
static le_status cut_part(const le_chain *c, int value, le_tensor *shapes) {
    const le__chain_value *v = &c->values[value];
    if (!v->dynamic || v->parent < 0)
        return LE_OK;
    le_status status = cut_part(c, v->parent, shapes);
    const le_tensor *of = &shapes[v->parent];
    if (status == LE_OK && v->end < 0 && v->begin >= of->shape[v->axis])
        status = le__chain_fail_part(c, of, v->axis, v->begin);
    if (status == LE_OK)
        shapes[value] = le__chain_cut(*of, v->axis, v->begin, v->end);
    return status;
}

static le_status cut_parts(const le_chain *c, const le__chain_step *s, le_tensor *shapes) {
    le_status status = LE_OK;
    for (size_t a = 0; status == LE_OK && a < s->entry->operation->n_args; a++)
        if (s->values[a] >= 0)
            status = cut_part(c, s->values[a], shapes);
    return status;
}

static le_status bind(le_chain *c, le__chain_step *s, le_tensor *shapes) {
    le_arg args[LE__STEP_ARGS];
    if (s->bound)
        le__call_unbind(&s->call);
    for (size_t i = 0, t = 0; i < s->n_args; i++) {
        args[i] = s->args[i];
        if (!le__is_value(&args[i]))
            continue;
        int64_t v = args[i].value.i64;
        bool given = args[i].kind == LE_KIND_VALUE_IN || !c->values[v].dynamic;
        args[i] = le__chain_stand_in(c, &s->args[i], shapes[v], given, &s->stand_ins[t++]);
    }
    le_status status = le__call_bind(&s->call, c->engine, s->entry, args, s->n_args);
    s->bound = status == LE_OK;
    s->call.user_args = s->args;
    s->call.n_user_args = s->n_args;
    if (s->bound)
        note_shapes(c, s, shapes);
    return status;
}

le_status le__chain_bind_again(le_chain *c, int step, le_tensor *shapes) {
    le_status status = cut_parts(c, c->steps[step], shapes);
    return status == LE_OK ? bind(c, c->steps[step], shapes) : status;
}

static void note_bytes(le__chain_value *v, const le_tensor *expected, int64_t room) {
    le_tensor most = *expected;
    if (v->counted)
        most.shape[0] = room;
    v->expected_bytes = le__tensor_size(expected);
    v->room_bytes = le__tensor_size(&most);
}

/* What earlier processes knew of its outputs. */
static void recall_shares(const le_chain *c, const le__chain_step *s) {
    const le__dispatch *d = c->engine->dispatch;
    char problem[LE__PROBLEM_TEXT];
    if (!s->call.counted)
        return;
    le__problem_text(&s->call, problem, sizeof problem);
    le__shares_recall(d->shares, d->store, &s->call, problem);
}

/* Rounded as elastic extents are, so that a plan holds for a while. */
static void expect_outputs(le_chain *c, const le__chain_step *s, le_tensor *shapes) {
    for (size_t a = 0; a < s->entry->operation->n_args; a++) {
        int v = s->values[a];
        if (v < 0 || s->entry->operation->args[a].type != LE_TYPE_OUT || !c->values[v].dynamic)
            continue;
        if (c->values[v].counted)
            shapes[v].shape[0] = le__elastic_extent(le__counted_expected(&s->call, a));
        int64_t room = c->values[v].counted ? le__counted_room(&s->call, a) : 0;
        note_bytes(&c->values[v], &shapes[v], room);
    }
}

/* Not every number of rows that is expected need be one that a step takes: the room is. */
static le_status expect_step(le_chain *c, int step, le_tensor *shapes) {
    le__chain_step *s = c->steps[step];
    if (!s->dynamic || le__chain_bind_again(c, step, shapes) == LE_OK)
        return LE_OK;
    for (size_t a = 0; a < s->entry->operation->n_args; a++)
        if (s->values[a] >= 0)
            shapes[s->values[a]] = c->values[s->values[a]].shape;
    return bind(c, s, shapes);
}

le_status le__chain_expect(le_chain *c) {
    le_status status = LE_OK;
    if (!c->dynamic)
        return LE_OK;
    le_tensor *shapes = le__chain_shapes(c);
    if (!shapes)
        return le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", c->name);
    for (int i = 0; status == LE_OK && i < c->n_steps; i++) {
        status = expect_step(c, i, shapes);
        if (status != LE_OK)
            break;
        recall_shares(c, c->steps[i]);
        expect_outputs(c, c->steps[i], shapes);
    }
    free(shapes);
    return status;
}
