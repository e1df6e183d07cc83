/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The engine's thread pool. Workers start at the first parallel run and sleep between runs, except
 * for the first 0.1 ms where runs follow each other as quickly. Several
 * threads may run loops at once: each loop takes the workers that are idle and always its caller,
 * so no loop waits for another.
 */
#ifndef LE_POOL_H
#define LE_POOL_H

#include "liquid_engine/le_method.h"

#include <signal.h>

typedef struct le__pool le__pool;

typedef enum le__schedule {
    LE__SCHEDULE_NONE = 0, /* the caller alone */
    LE__SCHEDULE_STATIC,   /* one contiguous part a worker */
    LE__SCHEDULE_DYNAMIC,  /* small parts of its stretch, then of what others have left */
    LE__SCHEDULE_GUIDED    /* half of what is left of its stretch, then of others' */
} le__schedule;

extern const char *const le__schedule_names[4];

/* max_threads counts the caller. */
le_status le__pool_open(le__pool **out, int max_threads);
void le__pool_close(le__pool *pool);
int le__pool_max_threads(const le__pool *pool);
/* Signals that its threads leave to the program's own: all but those of their own faults, which
 * would end the process past its handlers. */
void le__pool_blocked_signals(sigset_t *out);
/* Whether loops wait for their workers, each of which has its own part then: brief loops would else
 * be over before the others come. Ends when some do not come soon. For who looks for mistakes. */
void le__pool_gather(le__pool *pool, bool all);
/* Runs fn over [0, items) with at most `threads` workers, the caller being worker 0. */
void le__pool_run(le__pool *pool, int threads, le__schedule schedule, size_t items, le_range_fn fn,
                  void *context);

#endif
