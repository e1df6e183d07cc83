/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The first answer of a step's candidate in a new size class is compared with that of a trusted
 * one, as the answers of single calls are. The values stay where they are: what only a device has
 * is copied aside, so that the run moves and counts no more than without.
 */
#include "chain/chain.h"

#include "choose/dispatch.h"
#include "engine.h"
#include "call/storage.h"
#include "proof/trial_server.h"

#include <stdlib.h>

typedef struct look { /* a step's call with everything on the host */
    le_call call;
    le_arg args[2 * LE_MAX_ARGS + LE_OPTION_KEEP_ON_DEVICE];
    void *copies[LE_MAX_ARGS]; /* owned */
} look;

/* Makes *t a view on the host; *copy, if any, is owned by the caller. */
static le_status view(le_tensor *t, void **copy) {
    le_storage *s = t->storage;
    le_status status = LE_OK;
    *copy = NULL;
    if (!s)
        return LE_OK;
    pthread_mutex_lock(&s->mutex);
    char *host = s->host_valid ? s->host : NULL;
    le__device_copy *c = s->copies;
    while (c && !c->valid)
        c = c->next;
    if (!host && c) {
        *copy = host = malloc(s->bytes ? s->bytes : 1);
        status = host ? c->download(c, host, s->bytes)
                      : le_fail(LE_ERR_MEMORY, "out of memory: %zu bytes to compare", s->bytes);
    }
    pthread_mutex_unlock(&s->mutex);
    t->data = host ? host + t->offset * (int64_t)le_dtype_size(t->dtype) : NULL;
    t->storage = NULL;
    t->offset = 0;
    return status;
}

static le_status make_look(const le__chain_step *s, look *l) {
    const le_operation *op = s->entry->operation;
    size_t n = 0;
    le_status status = LE_OK;
    l->call = s->call;
    for (size_t i = 0; i < s->n_args; i++)
        if (s->args[i].kind < LE_KIND_OPTION && s->args[i].kind > LE_KIND_OUT)
            l->args[n++] = s->args[i];
    for (size_t a = 0; status == LE_OK && a < op->n_args; a++) {
        if (s->values[a] < 0)
            continue;
        status = view(&l->call.args[a].tensor, &l->copies[a]);
        if (op->args[a].type == LE_TYPE_IN)
            l->args[n++] = LE_IN(op->args[a].name, &l->call.args[a].tensor);
    }
    l->call.step = false;
    l->call.user_args = l->args;
    l->call.n_user_args = n;
    return status;
}

le_status le__step_verify(le_chain *c, int step, const le__chain_want *want) {
    le__step_choice *choice = &c->choices[step];
    le__dispatch *d = c->engine->dispatch;
    if (!choice->arm || want->beside || want->memory_limit || le__trial_is_child() ||
        !le__dispatch_is_new(choice->question, choice->arm))
        return LE_OK;
    look *l = calloc(1, sizeof *l);
    if (!l)
        return LE_OK; /* as in dispatch: no second answer */
    le_status status = LE_OK;
    if (make_look(c->steps[step], l) == LE_OK)
        status = le__dispatch_compare(d, choice->question, &l->call, choice->arm, &choice->spent);
    for (int a = 0; a < LE_MAX_ARGS; a++)
        free(l->copies[a]);
    free(l);
    return status;
}
