/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Composite calls as chains. A chain that is no longer used is kept for a call that says the same.
 */
#include "chain/state.h"

#include "call/engine.h"
#include "call/problem.h"

#include <string.h>

enum { MAX_IDLE = 16 };

static le_status expand(le_chain **out, const le_call *call) {
    le_status status = le__chain_new(out, call->engine, call->operation->name);
    if (status != LE_OK)
        return status;
    (*out)->call = call;
    status = call->operation->expand(call, *out);
    if ((*out)->status != LE_OK)
        status = le_chain_status(*out);
    for (size_t i = 0; status == LE_OK && i < call->operation->n_args; i++) {
        if (call->operation->args[i].type != LE_TYPE_OUT || !call->args[i].given)
            continue;
        le_value v = le_chain_arg(*out, (int)i);
        if (v.id < 0 || !(*out)->values[v.id].written)
            status = le_fail(LE_ERR_INTERNAL, "%s: no step of its chain writes '%s'",
                             call->operation->name, call->operation->args[i].name);
    }
    (*out)->call = NULL;
    if (status != LE_OK)
        le_chain_free(out);
    return status;
}

/* Tables are a call's own, and may be large. */
static bool has_tables(const le_call *call) {
    bool any = false;
    for (size_t i = 0; i < call->operation->n_args; i++)
        any = any || call->args[i].table;
    return any;
}

/* Takes it out of the list; NULL: there is none. */
static le_chain *take_idle(le__chains *state, const uint64_t asked[2]) {
    pthread_mutex_lock(&state->mutex);
    le_chain **at = &state->idle;
    while (*at && memcmp((*at)->asked, asked, sizeof (*at)->asked) != 0)
        at = &(*at)->next_idle;
    le_chain *c = *at;
    if (c)
        *at = c->next_idle;
    pthread_mutex_unlock(&state->mutex);
    return c;
}

le_status le__chain_borrow(le_chain **out, const le_call *call) {
    uint64_t asked[2];
    if (has_tables(call))
        return expand(out, call);
    le__call_fingerprint(call, asked);
    *out = take_idle(call->engine->chains, asked);
    le_status status = *out ? LE_OK : expand(out, call);
    if (status == LE_OK) {
        (*out)->reusable = true;
        memcpy((*out)->asked, asked, sizeof asked);
    }
    return status;
}

/* The one that was used longest ago, when there are too many; else NULL. */
static le_chain *take_surplus(le__chains *state) {
    int n = 0;
    le_chain **last = &state->idle;
    while (*last && (++n <= MAX_IDLE))
        last = &(*last)->next_idle;
    le_chain *surplus = *last;
    *last = NULL;
    return surplus;
}

void le__chain_give_back(le_chain *c, le_status run) {
    le__chains *state = c->engine->chains;
    le_chain *gone = c;
    if (run == LE_OK && c->reusable) {
        pthread_mutex_lock(&state->mutex);
        c->next_idle = state->idle;
        state->idle = c;
        gone = take_surplus(state);
        pthread_mutex_unlock(&state->mutex);
    }
    le_chain_free(&gone);
}
