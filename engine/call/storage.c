/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Storage of tensors and the movement of its newest copy to the host.
 */
#include "call/storage.h"

#include "call/engine.h"
#include "core/blocks.h"

#include <stdlib.h>
#include <sys/mman.h>

le_status le__storage_new(le_storage **out, size_t bytes, bool host, bool zero) {
    le_storage *s = calloc(1, sizeof *s);
    if (s && host) {
        s->host = le__block_new(bytes, zero);
        s->host_valid = true;
    }
    if (!s || (host && !s->host)) {
        free(s);
        return le_fail(LE_ERR_MEMORY, "out of memory: %zu bytes were needed for a tensor", bytes);
    }
    s->bytes = bytes;
    atomic_init(&s->references, 1);
    pthread_mutex_init(&s->mutex, NULL);
    *out = s;
    return LE_OK;
}

/* Memory that is there already. */
static le_status new_over(le_storage **out, void *host, size_t bytes, bool valid) {
    le_status status = le__storage_new(out, bytes, false, false);
    if (status == LE_OK) {
        (*out)->host = host;
        (*out)->host_valid = valid;
    }
    return status;
}

le_status le__storage_borrow(le_storage **out, void *host, size_t bytes, bool valid) {
    le_status status = new_over(out, host, bytes, valid);
    if (status == LE_OK)
        (*out)->borrowed = true;
    return status;
}

le_status le__storage_mapped(le_storage **out, void *map, size_t map_bytes, void *host,
                             size_t bytes) {
    le_status status = new_over(out, host, bytes, true);
    if (status == LE_OK) {
        (*out)->map = map;
        (*out)->map_bytes = map_bytes;
    }
    return status;
}

le_status le__storage_adopt(le_storage **out, void *host, size_t bytes,
                            void (*release)(void *cookie), void *cookie) {
    le_status status = new_over(out, host, bytes, true);
    if (status == LE_OK) {
        (*out)->release = release;
        (*out)->cookie = cookie;
    }
    return status;
}

static void free_host(le_storage *s) {
    if (s->map)
        munmap(s->map, s->map_bytes);
    else if (s->release)
        s->release(s->cookie);
    else if (!s->borrowed)
        le__block_free(s->host);
    s->host = s->map = NULL;
}

le_storage *le__storage_retain(le_storage *s) {
    if (s)
        atomic_fetch_add(&s->references, 1);
    return s;
}

static void release_copies(le__device_copy *c) {
    for (le__device_copy *next; c; c = next) {
        next = c->next;
        c->release(c);
    }
}

void le__storage_release(le_storage *s) {
    if (!s || atomic_fetch_sub(&s->references, 1) != 1)
        return;
    release_copies(s->copies);
    pthread_mutex_destroy(&s->mutex);
    free_host(s);
    free(s);
}

bool le__storage_is_on_device(le_storage *s) {
    bool on_device = false;
    pthread_mutex_lock(&s->mutex);
    for (le__device_copy *c = s->copies; c && !s->host_valid; c = c->next)
        on_device = on_device || c->valid;
    pthread_mutex_unlock(&s->mutex);
    return on_device;
}

bool le__storage_has_host(le_storage *s) {
    pthread_mutex_lock(&s->mutex);
    const bool has = s->host != NULL;
    pthread_mutex_unlock(&s->mutex);
    return has;
}

bool le__storage_is_plain(le_storage *s) {
    pthread_mutex_lock(&s->mutex);
    bool plain = s->host && !s->copies && !s->borrowed && !s->release && !s->map;
    pthread_mutex_unlock(&s->mutex);
    return plain;
}

uint32_t le__storage_places(le_storage *s, const le_engine *engine) {
    uint32_t places = 0;
    pthread_mutex_lock(&s->mutex);
    places = s->host_valid;
    for (const le__device_copy *c = s->copies; c; c = c->next)
        for (int i = 1; c->valid && i < engine->n_devices; i++)
            if (c->owner == (const void *)engine->devices[i].cl)
                places |= UINT32_C(1) << i;
    pthread_mutex_unlock(&s->mutex);
    return places ? places : 1;
}

bool le__storage_has_contents(le_storage *s) {
    pthread_mutex_lock(&s->mutex);
    bool any = s->host_valid;
    for (const le__device_copy *c = s->copies; c && !any; c = c->next)
        any = c->valid;
    pthread_mutex_unlock(&s->mutex);
    return any;
}

static le__device_copy *exchange_copies(le_storage *s, le__device_copy *copies) {
    pthread_mutex_lock(&s->mutex);
    le__device_copy *before = s->copies;
    s->copies = copies;
    pthread_mutex_unlock(&s->mutex);
    return before;
}

void le__storage_replace(le_storage *s, le_storage *by) {
    release_copies(exchange_copies(s, exchange_copies(by, NULL)));
}

static void drop_host(le_storage *s) {
    bool elsewhere = false;
    for (const le__device_copy *c = s->copies; c; c = c->next)
        elsewhere = elsewhere || (c->valid && !c->image_of);
    if (s->borrowed || s->release || !elsewhere)
        return;
    free_host(s);
    s->host_valid = false;
}

void le__storage_drop(le_storage *s, const void *owner) {
    le__device_copy *gone = NULL;
    pthread_mutex_lock(&s->mutex);
    if (!owner)
        drop_host(s);
    for (le__device_copy **c = &s->copies; owner && s->host_valid && *c;) {
        if ((*c)->owner != owner && (*c)->image_of != owner) {
            c = &(*c)->next;
            continue;
        }
        le__device_copy *next = (*c)->next;
        (*c)->next = gone;
        gone = *c;
        *c = next;
    }
    pthread_mutex_unlock(&s->mutex);
    release_copies(gone);
}

void le__storage_cut(le_storage *s, size_t bytes) {
    pthread_mutex_lock(&s->mutex);
    if (!s->host && bytes < s->bytes)
        s->bytes = bytes;
    pthread_mutex_unlock(&s->mutex);
}

static le_status download_newest(le_storage *s) {
    for (le__device_copy *c = s->copies; c; c = c->next)
        if (c->valid)
            return c->download(c, s->host, s->bytes);
    return LE_OK; /* never written: contents are unspecified */
}

static le_status make_host_valid(le_storage *s, bool discard) {
    if (!s->host) {
        s->host = le__block_new(s->bytes, false);
        if (!s->host)
            return le_fail(LE_ERR_MEMORY, "out of memory: %zu bytes were needed for a tensor",
                           s->bytes);
        s->borrowed = false; /* the caller gave none, of no elements */
    }
    if (s->host_valid || discard)
        return LE_OK;
    return download_newest(s);
}

le_status le__storage_host(le_storage *s, bool for_writing, bool discard, void **out) {
    pthread_mutex_lock(&s->mutex);
    le_status status = make_host_valid(s, discard);
    if (status == LE_OK) {
        s->host_valid = true;
        for (le__device_copy *c = s->copies; for_writing && c; c = c->next)
            c->valid = false;
        *out = s->host;
    }
    pthread_mutex_unlock(&s->mutex);
    return status;
}
