/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The first answer of a step's candidate in a new size class is compared with that of a trusted
 * one, as the answers of single calls are. The values stay where they are: what only a device has
 * is copied aside, so that the run moves and counts no more than without.
 */
#include "chain/chain.h"

#include "call/engine.h"
#include "call/storage.h"

#include <stdlib.h>

typedef struct look { /* a step's call with everything on the host */
    le_call call;
    le_arg args[2 * LE_MAX_ARGS + LE_OPTION_LAST];
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

static le_status make_look(const le_call *call, look *l) {
    const le_operation *op = call->operation;
    size_t n = 0;
    le_status status = LE_OK;
    l->call = *call;
    for (size_t i = 0; i < call->n_user_args; i++)
        if (call->user_args[i].kind == LE_KIND_TABLE ||
            (call->user_args[i].kind < LE_KIND_OPTION && call->user_args[i].kind > LE_KIND_OUT))
            l->args[n++] = call->user_args[i];
    for (size_t a = 0; status == LE_OK && a < op->n_args; a++) {
        le_arg_type type = op->args[a].type;
        if (!le__call_has_tensor(call, a))
            continue;
        status = view(&l->call.args[a].tensor, &l->copies[a]);
        if (type == LE_TYPE_IN)
            l->args[n++] = LE_IN(op->args[a].name, &l->call.args[a].tensor);
    }
    l->call.step = NULL;
    l->call.user_args = l->args;
    l->call.n_user_args = n;
    return status;
}

le_status le__step_view(const le_call *call, le_status (*fn)(void *context, le_call *view),
                        void *context) {
    if (call->want.memory_limit)
        return LE_OK;
    look *l = calloc(1, sizeof *l);
    if (!l)
        return LE_OK;
    le_status status = LE_OK;
    if (make_look(call, l) == LE_OK)
        status = fn(context, &l->call);
    for (int a = 0; a < LE_MAX_ARGS; a++)
        free(l->copies[a]);
    free(l);
    return status;
}
