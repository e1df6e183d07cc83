/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Where file work gets its threads from.
 */
#include "files/io.h"

#include "call/engine.h"
#include "core/tick.h"

#include <stdatomic.h>
#include <stdio.h>

/* Pieces of a file, one after the other, until the caller's tick says that it is over. */
typedef struct ticking {
    le_range_fn fn;
    void *context;
    le__ticker *ticker;
    size_t items;
    _Atomic size_t done;
} ticking;

static void tick_between(void *context, size_t begin, size_t end, int worker) {
    ticking *t = context;
    for (size_t i = begin; i < end; i++) {
        if (!le__ticker_look(t->ticker, (double)t->done / (double)t->items))
            return;
        t->fn(t->context, i, i + 1, worker);
        t->done++;
    }
}

le_status le__io_run(const le__io_parallel *p, const char *file, size_t items, le_range_fn fn,
                     void *context) {
    ticking t = {.fn = fn, .context = context, .ticker = le__ticker_here(), .items = items};
    if (t.ticker) {
        fn = tick_between;
        context = &t;
    }
    if (p->pool)
        le__pool_run(p->pool, p->threads, LE__SCHEDULE_DYNAMIC, items, fn, context);
    else
        fn(context, 0, items, 0);
    return le__ticker_over(t.ticker) ? le__ticker_fail(file) : LE_OK;
}

void le__io_failure_note(le__io_failure *f, le_status status) {
    int none = LE_OK;
    if (status != LE_OK && atomic_compare_exchange_strong(&f->status, &none, status))
        snprintf(f->text, sizeof f->text, "%s", le_error_message());
}

le_status le__io_failure_of(const le__io_failure *f) {
    const le_status status = (le_status)f->status;
    return status == LE_OK ? LE_OK : le_fail(status, "%s", f->text);
}

le__io_parallel le__io_parallel_of(le_engine *engine) {
    return engine ? (le__io_parallel){engine->pool, le__pool_max_threads(engine->pool)}
                  : (le__io_parallel){NULL, 1};
}

le_status le__io_end_ticks(le__ticker *t, const char *file, le_status status) {
    bool over = status != LE_OK && le__ticker_over(le__ticker_here());
    le__ticker_end(t);
    return over ? le__ticker_fail(file) : status;
}
