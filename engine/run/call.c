/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Single calls, and how they can be cut.
 */
#include "choose/dispatch.h"
#include "core/tick.h"
#include "engine.h"

#include <string.h>

/* Of an output that has been bound: what it will be like. */
static le_tensor shape_of(const le_call *call, const char *name) {
    const le__bound_arg *b = &call->args[le__arg_find(call->operation, name, 0)];
    le_tensor t = le_tensor_of(NULL, b->tensor.dtype, b->tensor.ndim, b->tensor.shape);
    if (b->counted)
        t.shape[0] = -1;
    return t;
}

le_status le_call_shapes(le_engine *engine, const char *operation, const le_arg *args,
                         size_t n_args, le_tensor *out) {
    le_call call;
    le_status status = le__engine_bind(&engine, operation, args, n_args, &call);
    if (status != LE_OK)
        return status;
    for (size_t i = 0; i < n_args; i++)
        out[i] = args[i].kind == LE_KIND_OUT ? shape_of(&call, args[i].name) : (le_tensor){0};
    le__call_unbind(&call);
    return LE_OK;
}

static le_status run(le_engine *engine, const char *operation, const le_arg *args, size_t n_args) {
    le_call call;
    le_status status = le__engine_bind(&engine, operation, args, n_args, &call);
    if (status != LE_OK)
        return status;
    le__answered answered;
    status = le__dispatch_answer(engine->dispatch, &call, &answered);
    if (status == LE_OK) {
        le__last_run_set(&call, &answered);
        status = le__call_commit(&call);
    }
    le__call_unbind(&call);
    return status;
}

le_status le_call_run(le_engine *engine, const char *operation, const le_arg *args, size_t n_args) {
    le__ticker ticker;
    le__ticker_begin(&ticker, args, n_args);
    le_status status = run(engine, operation, args, n_args);
    le__ticker_end(&ticker);
    return status;
}

/* Whether who answers the whole call gives a part of it other bits. */
static bool answers_by_place(const le_call *call, const le_explanation *e) {
    bool by_place = false;
    for (size_t i = 0; i < e->n_candidates; i++) {
        const le_explained_candidate *c = le_explanation_candidate(e, i);
        for (size_t k = 0; !strcmp(c->candidate, e->choice) && k < call->entry->n_implementations;
             k++)
            by_place |= !strcmp(call->entry->implementations[k]->name, c->implementation) &&
                        call->entry->implementations[k]->flags & LE_IMPL_BY_PLACE;
    }
    return by_place;
}

typedef bool (*cut_fn)(const le_call *call, le_slabs *out);

static void ask(cut_fn cut, const le_call *call, const char *objection, le_slabs *out) {
    if (!out)
        return;
    *out = (le_slabs){0};
    if (!cut || !cut(call, out) || objection) {
        const char *why = objection && out->items > 0 ? objection : out->why;
        *out = (le_slabs){.why = why};
    }
}

le_status le_call_cut(le_engine *engine, const char *operation, const le_arg *args, size_t n_args,
                      le_slabs *slabs, le_slabs *tiles) {
    const char *objection = NULL;
    le_explanation *e = NULL;
    le_call call;
    le_status status = le__engine_bind(&engine, operation, args, n_args, &call);
    if (status != LE_OK)
        return status;
    if (call.want.reproducible)
        status = le_call_explain(engine, &e, operation, args, n_args);
    if (status == LE_OK && e && answers_by_place(&call, e))
        objection = "what answers this reproducible call gives a part of it other bits";
    le_explanation_free(&e);
    ask(call.operation->slabs, &call, objection, slabs);
    ask(call.operation->tiles, &call, objection, tiles);
    le__call_unbind(&call);
    return status;
}
