/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Loops that end between blocks of items.
 */
#include "call/watch.h"

#include "call/engine.h"
#include "core/clock.h"

#include <math.h>

/* The first block of a loop of ten minutes still ends in time. */
enum { FIRST_BLOCKS = 65536, GROWTH = 16, SLICES = 16 };
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

static bool over_at(le__watch *w, double now, double done) {
    if (now > w->until)
        atomic_store_explicit(&w->late, true, memory_order_relaxed);
    return !le__ticker_look(w->ticker, done) || le__watch_ended(w);
}

bool le__watch_over(le__watch *w, double done) {
    return over_at(w, isfinite(w->until) ? le__now() : 0, done);
}

le_status le__watch_fail(const le_call *call) {
    return le_fail(LE_ERR_CANCELLED, "%s: ended before it was done", call->operation->name);
}

/* Blocks grow while they are short beside the time between two looks, so that watching costs
 * nothing. */
typedef struct loop {
    le__watch *watch;
    le_range_fn fn;
    void *context;
    size_t items, first; /* first: items of the first block of a part */
    bool whole;          /* there is no other loop in the run */
    double slice;
    _Atomic size_t done;
} loop;

static double share_done(loop *l) {
    return l->whole ? (double)atomic_load(&l->done) / (double)l->items : NAN;
}

static void watched(void *context, size_t begin, size_t end, int worker) {
    loop *l = context;
    size_t block = l->first;
    double before = le__now();
    while (begin < end && !over_at(l->watch, before, share_done(l))) {
        size_t n = end - begin < block ? end - begin : block;
        l->fn(l->context, begin, begin + n, worker);
        begin += n;
        atomic_fetch_add_explicit(&l->done, n, memory_order_relaxed);
        double now = le__now();
        if (now - before >= l->slice)
            block = block > 1 ? block / 2 : 1;
        else if (n == block)
            block *= now - before < l->slice / GROWTH ? (size_t)GROWTH : 2;
        before = now;
    }
}

le_status le__watch_loop(le_call *call, size_t items, le_range_fn fn, void *context) {
    le__watch *w = call->watch;
    loop l = {.watch = w,
              .fn = fn,
              .context = context,
              .items = items,
              .first = items / FIRST_BLOCKS + 1,
              .whole = call->implementation->range,
              .slice = fmin(w->limit / SLICES, longest_slice)};
    if (!le__watch_ended(w))
        le__pool_run(call->engine->pool, call->threads, call->schedule, items, watched, &l);
    return le__watch_ended(w) ? le__watch_fail(call) : LE_OK;
}
