/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kept data: a list with the latest used first, and the host's side of building.
 */
#include "call/keep.h"

#include "call/call.h"
#include "call/engine.h"
#include "call/guard.h"
#include "call/watch.h"
#include "core/clock.h"
#include "core/os.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct item {
    struct item *next;
    le__keep_place place;
    uint32_t operation; /* the entry's number: names are given again */
    char *name;         /* the operation's and the key */
    size_t bytes;
    void *data;
    const le_call *builder; /* NULL: built */
    int users;
    bool spoiled; /* nobody is to find it any more */
} item;

struct le__keep_use {
    item *of;
    uint64_t hash; /* of the data and what lies behind them; 0: nobody looks */
    struct le__keep_use *next;
};

struct le__keep {
    pthread_mutex_t mutex; /* guards all below */
    pthread_cond_t built;  /* or given up */
    item *items;
};

le_status le__keep_open(le__keep **out) {
    *out = calloc(1, sizeof **out);
    if (!*out)
        return le_fail(LE_ERR_MEMORY, "le_open: out of memory");
    pthread_mutex_init(&(*out)->mutex, NULL);
    le__ticker_cond_init(&(*out)->built);
    return LE_OK;
}

void le__keep_in_child(le__keep *k) {
    pthread_mutex_init(&k->mutex, NULL);
    le__ticker_cond_init(&k->built);
    k->items = NULL;
}

static void free_item(item *i) {
    if (i->data)
        i->place.release(i->place.owner, i->data, i->bytes);
    free(i->name);
    free(i);
}

static bool free_all(item *gone) {
    bool any = gone != NULL;
    for (item *next; gone; gone = next) {
        next = gone->next;
        free_item(gone);
    }
    return any;
}

void le__keep_close(le__keep *k) {
    if (!k)
        return;
    free_all(k->items);
    pthread_mutex_destroy(&k->mutex);
    pthread_cond_destroy(&k->built);
    free(k);
}

/* --- the list; mutex held --- */

static item **find(le__keep *k, const le_call *call, const le__keep_place *place,
                   const char *name) {
    item **i = &k->items;
    while (*i && ((*i)->spoiled || (*i)->operation != call->entry->id ||
                  (*i)->place.owner != place->owner || (*i)->place.fill != place->fill ||
                  strcmp((*i)->name, name) != 0))
        i = &(*i)->next;
    return i;
}

static void unlink_item(le__keep *k, const item *gone) {
    item **i = &k->items;
    while (*i != gone)
        i = &(*i)->next;
    *i = gone->next;
}

static void to_front(le__keep *k, item *i) {
    unlink_item(k, i);
    i->next = k->items;
    k->items = i;
}

enum { MOST_ITEMS = 256 }; /* at a place; who looks for one goes through all */

/* Takes those out that nobody uses, the longest unused first, until the rest fits. */
static item *take_surplus(le__keep *k, const void *owner, int64_t limit) {
    item *gone = NULL;
    for (;;) {
        int64_t sum = 0;
        int items = 0;
        item *last = NULL;
        for (item *i = k->items; i; i = i->next) {
            if (i->place.owner != owner)
                continue;
            sum += (int64_t)i->bytes;
            items++;
            last = i->users == 0 ? i : last;
        }
        if ((sum <= limit && items <= MOST_ITEMS) || !last)
            return gone;
        unlink_item(k, last);
        last->next = gone;
        gone = last;
    }
}

bool le__keep_drop(le__keep *k, const void *owner) {
    pthread_mutex_lock(&k->mutex);
    item *gone = take_surplus(k, owner, 0);
    pthread_mutex_unlock(&k->mutex);
    return free_all(gone);
}

/* --- one call --- */

static char *name_of(const le_call *call, const char *key) {
    char *name;
    return asprintf(&name, "%s/%s", call->operation->name, key) < 0 ? NULL : name;
}

static item *add_item(le__keep *k, const le_call *call, char *name, size_t bytes,
                      const le__keep_place *place) {
    item *i = calloc(1, sizeof *i);
    if (!i)
        return NULL;
    *i = (item){.next = k->items,
                .place = *place,
                .operation = call->entry->id,
                .name = name,
                .bytes = bytes,
                .builder = call};
    k->items = i;
    return i;
}

/* The item, ready or to be built by this call; *name is taken over by a new one. */
static le_status claim(le__keep *k, const le_call *call, char **name, size_t bytes,
                       const le__keep_place *place, item **out) {
    le_status status = LE_OK;
    pthread_mutex_lock(&k->mutex);
    item *i = *find(k, call, place, *name);
    while (i && i->builder && i->builder != call && !le__ticker_over(le__ticker_here())) {
        le__ticker_wait(le__ticker_here(), &k->built, &k->mutex);
        i = *find(k, call, place, *name); /* given up: perhaps gone */
    }
    if (i && i->builder && i->builder != call)
        status = le__ticker_fail(call->operation->name);
    else if (i && i->builder)
        status = le_fail(LE_ERR_INTERNAL, "%s: kept data '%s' need themselves to be built",
                         call->operation->name, *name);
    else if (i && i->bytes != bytes)
        status = le_fail(LE_ERR_INTERNAL, "%s: kept data '%s' have %zu bytes, %zu were asked for",
                         call->operation->name, *name, i->bytes, bytes);
    else if (i)
        to_front(k, i);
    else if ((i = add_item(k, call, *name, bytes, place)))
        *name = NULL;
    else
        status = le_fail(LE_ERR_MEMORY, "%s: out of memory", call->operation->name);
    if (status == LE_OK)
        i->users++;
    pthread_mutex_unlock(&k->mutex);
    *out = i;
    return status;
}

static le_status build(le__keep *k, le_call *call, item *i, void *cookie) {
    le__run_stats before = call->stats;
    double start = le__now();
    void *data = NULL;
    le_status status = i->place.build(call, i->bytes, cookie, &data);
    if (status == LE_OK && call->watch && le__watch_ended(call->watch))
        status = le__watch_fail(call); /* perhaps they are there in part only */
    call->stats.kernel_seconds = before.kernel_seconds;
    call->stats.bytes_to_device = before.bytes_to_device;
    call->stats.bytes_from_device = before.bytes_from_device;
    call->stats.setup_seconds = before.setup_seconds + le__now() - start;
    pthread_mutex_lock(&k->mutex);
    i->data = data;
    i->builder = NULL;
    item *gone = status == LE_OK ? take_surplus(k, i->place.owner, i->place.limit) : i;
    if (status != LE_OK) {
        unlink_item(k, i);
        i->next = NULL;
    }
    pthread_cond_broadcast(&k->built);
    pthread_mutex_unlock(&k->mutex);
    free_all(gone);
    return status;
}

static le_status build_on_host(le_call *call, size_t bytes, void *cookie, void **out);

enum { ALIGNMENT = 64 }; /* on the host */

/* Of an allocation there, which is longer than the data. */
static size_t rounded(size_t bytes) {
    return (bytes / ALIGNMENT + 1) * ALIGNMENT;
}

/* Not 0, but for data on another device. Takes none of the run's time. */
static uint64_t hash_for(le_call *call, const item *i) {
    double start = le__now();
    uint64_t hash = i->place.build == build_on_host ? XXH64(i->data, rounded(i->bytes), 0) | 1 : 0;
    call->stats.setup_seconds += le__now() - start;
    return hash;
}

static le_status take(le_call *call, const char *key, size_t bytes, const le__keep_place *place,
                      void *cookie, void **out) {
    le__keep *k = call->engine->kept;
    char *name = name_of(call, key);
    struct le__keep_use *use = malloc(sizeof *use);
    item *i = NULL;
    double start = le__now();
    le_status status = name && use
                           ? claim(k, call, &name, bytes, place, &i)
                           : le_fail(LE_ERR_MEMORY, "%s: out of memory", call->operation->name);
    if (status == LE_OK && !i->builder)
        call->stats.setup_seconds += le__now() - start; /* another call built it meanwhile */
    else if (status == LE_OK)
        status = build(k, call, i, cookie);
    free(name);
    if (status != LE_OK) {
        free(use);
        return status;
    }
    *use = (struct le__keep_use){i, le__guard_watches(call) ? hash_for(call, i) : 0, call->kept};
    call->kept = use;
    *out = i->data;
    return LE_OK;
}

/* Data are not given up because the run that wants them first takes too long. */
le_status le__keep_take(le_call *call, const char *key, size_t bytes, const le__keep_place *place,
                        void *cookie, void **out) {
    le__watch *w = call->watch;
    if (!w)
        return take(call, key, bytes, place, cookie, out);
    if (le__watch_ended(w)) /* what the data would be made of may be there in part only */
        return le__watch_fail(call);
    double start = le__now(), until = le__watch_pause(w);
    le_status status = take(call, key, bytes, place, cookie, out);
    le__watch_resume(w, until, le__now() - start);
    return status;
}

void le__keep_release(le_call *call) {
    le__keep *k = call->engine->kept;
    for (struct le__keep_use *u = call->kept, *next; u; u = next) {
        next = u->next;
        bool spoiled = u->hash && hash_for(call, u->of) != u->hash;
        if (spoiled)
            call->strayed = "to data that are kept";
        pthread_mutex_lock(&k->mutex);
        const le__keep_place place = u->of->place;
        u->of->spoiled = u->of->spoiled || spoiled;
        u->of->users--;
        item *gone = take_surplus(k, place.owner, place.limit);
        pthread_mutex_unlock(&k->mutex);
        free_all(gone);
        free(u);
    }
    call->kept = NULL;
}

/* --- on the host --- */

enum { SHARE_OF_LIMIT = 4, SHARE_OF_MACHINE = 8 };

typedef struct host_fill {
    le_keep_fn fn;
    void *cookie;
} host_fill;

static le_status build_on_host(le_call *call, size_t bytes, void *cookie, void **out) {
    const host_fill *fill = cookie;
    void *data = bytes > SIZE_MAX / 2 ? NULL : aligned_alloc(ALIGNMENT, rounded(bytes));
    if (!data)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory: %zu bytes to be kept",
                       call->operation->name, bytes);
    le__os_large_pages(data, rounded(bytes));
    le_status status = fill->fn(call, data, bytes, fill->cookie);
    if (status == LE_OK)
        *out = data;
    else
        free(data);
    return status;
}

static void release_on_host(const void *owner, void *data, size_t bytes) {
    (void)owner;
    (void)bytes;
    free(data);
}

static int64_t host_limit(const le_engine *e) {
    if (e->options.memory_limit_bytes > 0)
        return e->options.memory_limit_bytes / SHARE_OF_LIMIT;
    return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / SHARE_OF_MACHINE;
}

le_status le_call_keep(le_call *call, const char *key, size_t bytes, le_keep_fn fill, void *cookie,
                       const void **out) {
    const le__keep_place place = {.owner = &call->engine->devices[0],
                                  .limit = host_limit(call->engine),
                                  .fill = (void (*)(void))fill,
                                  .build = build_on_host,
                                  .release = release_on_host};
    host_fill how = {fill, cookie};
    void *data = NULL;
    le_status status = le__keep_take(call, key, bytes, &place, &how, &data);
    *out = data;
    return status;
}
