/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Loops that end between blocks of items.
 */
#include "call/watch.h"

#include "call/engine.h"
#include "core/clock.h"

#include <math.h>
#include <stdlib.h>

/* The first block of a loop of ten minutes still ends in time. */
enum { FIRST_BLOCKS = 65536, GROWTH = 16, SLICES = 16, LOOKS = 16 };
static const double longest_slice = 0.01; /* seconds between two looks */

void le__watch_start(le__watch *w) {
    w->until = isfinite(w->limit) ? le__now() + w->limit : INFINITY;
}

double le__watch_pause(le__watch *w) {
    double until = w->until;
    w->until = INFINITY;
    return until;
}

void le__watch_resume(le__watch *w, double until, double seconds) {
    w->until = until + seconds;
}

bool le__watch_ended(const le__watch *w) {
    return atomic_load_explicit(&w->late, memory_order_relaxed) || le__ticker_over(w->ticker);
}

/* done: share of what there is to do, NaN: unknown. */
static bool over_at(le__watch *w, double now, double done) {
    if (now > w->until)
        atomic_store_explicit(&w->late, true, memory_order_relaxed);
    return !le__ticker_look(w->ticker, done) || le__watch_ended(w);
}

bool le__watch_over(le__watch *w) {
    return over_at(w, isfinite(w->until) ? le__now() : 0, NAN);
}

le_status le__watch_fail(const le_call *call) {
    return le_fail(LE_ERR_CANCELLED, "%s: ended before it was done", call->operation->name);
}

/* How far a worker goes between two looks at the clock. It keeps that from part to part, for parts
 * may be a few items each. */
typedef struct pace {
    double looked;                                         /* when; 0: not yet */
    size_t block;                                          /* items from one look to the next */
    size_t since;                                          /* items since the last one */
    char apart[128 - sizeof(double) - 2 * sizeof(size_t)]; /* from the next worker's cache lines */
} pace;

typedef struct loop {
    le__watch *watch;
    le_range_fn fn;
    void *context;
    size_t items;
    bool whole; /* there is no other loop in the run */
    double slice;
    pace *paces; /* by worker */
    _Atomic size_t done;
} loop;

static double share_done(loop *l) {
    return l->whole ? (double)atomic_load(&l->done) / (double)l->items : NAN;
}

/* Blocks grow while they are short beside the time between two looks, so that watching costs
 * nothing, but never so far that items that take longer than those before go on unseen for long. */
static bool over_after(loop *l, pace *p) {
    double now = le__now(), took = now - p->looked;
    size_t most = l->items / LOOKS + 1;
    if (!(p->looked > 0))
        p->block = l->items / FIRST_BLOCKS + 1;
    else if (took >= l->slice)
        p->block = (size_t)((double)p->block * l->slice / took / 2) + 1;
    else
        p->block *= took < l->slice / GROWTH ? (size_t)GROWTH : 2;
    if (p->block > most)
        p->block = most;
    atomic_fetch_add_explicit(&l->done, p->since, memory_order_relaxed);
    p->looked = now;
    p->since = 0;
    return over_at(l->watch, now, share_done(l));
}

static void watched(void *context, size_t begin, size_t end, int worker) {
    loop *l = context;
    pace *p = &l->paces[worker];
    while (begin < end && !le__watch_ended(l->watch)) {
        if (p->since >= p->block && over_after(l, p))
            return;
        size_t left = p->block - p->since, n = end - begin < left ? end - begin : left;
        l->fn(l->context, begin, begin + n, worker);
        begin += n;
        p->since += n;
    }
}

le_status le__watch_loop(le_call *call, size_t items, le_range_fn fn, void *context) {
    le__watch *w = call->watch;
    pace *paces = calloc((size_t)le_call_threads(call), sizeof *paces);
    if (!paces)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", call->operation->name);
    loop l = {.watch = w,
              .fn = fn,
              .context = context,
              .items = items,
              .whole = call->implementation->range,
              .slice = fmin(w->limit / SLICES, longest_slice),
              .paces = paces};
    if (!le__watch_ended(w))
        le__pool_run(call->engine->pool, call->threads, call->schedule, items, watched, &l);
    free(paces);
    return le__watch_ended(w) ? le__watch_fail(call) : LE_OK;
}
