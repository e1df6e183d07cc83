/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Where file work gets its threads from.
 */
#include "files/io.h"

#include "call/engine.h"

static void run_here(void *context, size_t items, le_range_fn fn, void *fn_context) {
    (void)context;
    fn(fn_context, 0, items, 0);
}

static void run_pool(void *context, size_t items, le_range_fn fn, void *fn_context) {
    le__pool *pool = context;
    le__pool_run(pool, le__pool_max_threads(pool), LE__SCHEDULE_DYNAMIC, items, fn, fn_context);
}

le__io_parallel le__io_parallel_of(le_engine *engine) {
    if (!engine)
        return (le__io_parallel){.run = run_here, .threads = 1};
    return (le__io_parallel){
        .run = run_pool, .context = engine->pool, .threads = le__pool_max_threads(engine->pool)};
}
