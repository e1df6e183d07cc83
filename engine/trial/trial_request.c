/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Requests for trials, packed and unpacked.
 */
#include "trial/trial_request.h"

#include "call/engine.h"
#include "call/problem.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static uint64_t add_text(uint64_t h, const char *text) {
    return text ? XXH64(text, strlen(text) + 1, h) : h;
}

uint64_t le__trial_descriptor(const le__operation_entry *entry, const le_implementation *impl,
                              const char *source_hash) {
    const le_operation *op = entry->operation;
    if (le__registry_is_builtin(entry, impl))
        return add_text(add_text(add_text(0, op->name), impl->name), source_hash);
    return XXH64(op, sizeof *op, XXH64(impl, sizeof *impl, 0));
}

uint64_t le__trial_identity(void) {
    uint64_t h = add_text(sizeof(le__trial_request), le_maker_hash);
    for (const le_builtin_operation *b = le_builtin_operations; b->operation; b++)
        h = add_text(add_text(h, b->operation->name), b->made_hash);
    for (size_t i = 0; le_builtin_implementations[i].implementation; i++)
        h = add_text(add_text(h, le_builtin_implementations[i].implementation->name),
                     le_builtin_implementations[i].source_hash);
    return add_text(h, __VERSION__);
}

uint64_t le__trial_key(const le__candidate *c, const le_call *like) {
    char kind[256] = "";
    if (like)
        le__problem_kind(like, kind, sizeof kind);
    uint64_t code = XXH64(c->implementation, sizeof *c->implementation, c->id);
    return XXH64(kind, strlen(kind), code) | 1;
}

static int32_t keep(le__trial_request *r, const void *data, size_t size) {
    size_t rounded = (size + 7) / 8 * 8;
    if (!data || rounded > LE__TRIAL_TEXTS - r->used)
        return -1;
    int32_t at = (int32_t)r->used;
    memcpy(r->texts + at, data, size);
    r->used += rounded;
    return at;
}

static int32_t keep_text(le__trial_request *r, const char *text) {
    return keep(r, text, text ? strlen(text) + 1 : 0);
}

static void pack_engine(le__trial_request *r, const le_engine *e) {
    r->isa = e->isa;
    r->seed = e->options.seed;
    r->limit_s = e->options.trial_limit_s;
    r->memory_limit = e->options.memory_limit_bytes;
    r->device_memory_limit = e->options.device_memory_limit_bytes;
    r->cl_dir = keep_text(r, e->options.cl_dir);
    r->cache_dir = keep_text(r, e->options.cache_dir);
    r->library = keep_text(r, secure_getenv("LE_OPENCL_LIBRARY"));
}

static bool pack_like(le__trial_request *r, const le_call *like) {
    r->atol = like->want.atol;
    r->rtol = like->want.rtol;
    for (size_t i = 0; i < like->operation->n_args; i++) {
        const le__bound_arg *b = &like->args[i];
        le__trial_arg *a = &r->args[i];
        *a = (le__trial_arg){.given = b->given,
                             .tensor = b->tensor,
                             .f64 = b->f64,
                             .i64 = b->i64,
                             .count = b->count};
        a->tensor.data = NULL;
        a->tensor.storage = NULL;
        a->str = keep_text(r, b->str);
        a->f64s = keep(r, b->f64s, b->count * sizeof *b->f64s);
        if ((b->str && a->str < 0) || (b->count && a->f64s < 0))
            return false;
    }
    return true;
}

void le__trial_pack(le__trial_request *r, const le__operation_entry *entry, const le__candidate *c,
                    const le_call *like, const char *rehearsal, const le_engine *engine) {
    memset(r, 0, offsetof(le__trial_request, texts));
    r->key = le__trial_key(c, like) ^ (rehearsal ? 2 : 0);
    r->descriptor = le__trial_descriptor(entry, c->implementation, c->source_hash);
    r->pool_threads = le__pool_max_threads(engine->pool);
    snprintf(r->operation, sizeof r->operation, "%s", entry->operation->name);
    snprintf(r->implementation, sizeof r->implementation, "%s", c->implementation->name);
    r->device = c->device->index;
    r->threads = c->threads;
    r->schedule = (int32_t)c->schedule;
    memcpy(r->params, c->params, sizeof r->params);
    pack_engine(r, engine);
    r->rehearsal = keep_text(r, rehearsal);
    size_t used = r->used;
    r->has_like = like && !rehearsal && pack_like(r, like);
    if (!r->has_like)
        r->used = used;
}

const char *le__trial_text(const le__trial_request *r, int32_t at) {
    return at >= 0 ? r->texts + at : NULL;
}

le_status le__trial_unpack(const le__trial_request *r, le_engine *engine,
                           le__operation_entry *entry, le_call *like) {
    memset(like, 0, sizeof *like);
    like->engine = engine;
    like->entry = entry;
    like->operation = entry->operation;
    like->want.atol = r->atol;
    like->want.rtol = r->rtol;
    for (size_t i = 0; i < entry->operation->n_args; i++) {
        const le__trial_arg *a = &r->args[i];
        like->args[i] = (le__bound_arg){.given = a->given,
                                        .tensor = a->tensor,
                                        .f64 = a->f64,
                                        .i64 = a->i64,
                                        .count = a->count};
        like->args[i].str = le__trial_text(r, a->str);
        const void *list = le__trial_text(r, a->f64s);
        like->args[i].f64s = list;
        if (entry->operation->args[i].type == LE_TYPE_TABLE && a->given)
            like->args[i].tensor = le_tensor_of(list, LE_F64, a->tensor.ndim, a->tensor.shape);
    }
    return le__call_check(like);
}

bool le__trial_transfer(int fd, void *data, size_t size, bool writing) {
    char *p = data;
    while (size) {
        ssize_t n = writing ? send(fd, p, size, MSG_NOSIGNAL) : recv(fd, p, size, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

bool le__trial_transfer_request(int fd, le__trial_request *r, bool writing) {
    return le__trial_transfer(fd, r, offsetof(le__trial_request, texts), writing) &&
           r->used <= LE__TRIAL_TEXTS && le__trial_transfer(fd, r->texts, r->used, writing);
}
