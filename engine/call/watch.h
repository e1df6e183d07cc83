/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * An execution that may end before it is done: when it has taken so long, or when the caller's tick
 * says so. It ends between items of its loops, and where the implementation asks.
 */
#ifndef LE_WATCH_H
#define LE_WATCH_H

#include "call/call.h"
#include "core/tick.h"

typedef struct le__watch {
    le__ticker *ticker; /* NULL: nobody wants to hear anything */
    double limit;       /* seconds that the execution may take; INFINITY */
    double until;       /* when they have passed */
    atomic_bool late;   /* they had, with something left to do */
} le__watch;

/* The clock of the limit starts now. */
void le__watch_start(le__watch *w);
/* What takes long now is set-up: no limit until it is given back. */
double le__watch_pause(le__watch *w);
void le__watch_resume(le__watch *w, double until, double seconds);
/* Whether the execution is to end here, asked where something is left to do; by any thread. */
bool le__watch_over(le__watch *w);
/* Whether it has been told to end. */
bool le__watch_ended(const le__watch *w);
/* LE_ERR_CANCELLED with its text. */
le_status le__watch_fail(const le_call *call);
/* le_parallel_for, which ends early. */
le_status le__watch_loop(le_call *call, size_t items, le_range_fn fn, void *context);

#endif
