/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Ticks: whoever called the library hears from time to time that it is still at work, on his own
 * thread, and may end it. One public call has one ticker, which everything below finds by its
 * thread; helpers of other threads may see that it is over, but never tick.
 */
#ifndef LE_TICK_H
#define LE_TICK_H

#include "liquid_engine/le.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct le__ticker {
    const le_tick *asked;
    const void *home; /* tells the thread that ticks */
    struct le__ticker *outer;
    double next;      /* when, on the monotonic clock; 0: not looked at yet */
    double low, high; /* the part of the whole that is under way */
    double shown;     /* share done that was told last; NaN: none */
    atomic_bool over;
} le__ticker;

/* Around a public call: the tick among its arguments, else that of the thread, unless a call that
 * encloses this one ticks already. */
void le__ticker_begin(le__ticker *t, const le_arg *args, size_t n_args);
void le__ticker_end(le__ticker *t);
/* Of this thread; NULL: nobody wants to hear anything. */
le__ticker *le__ticker_here(void);
/* Lets another take its place on this thread: that of the thread which started this one, or NULL
 * where nothing may end early. What was there before. */
le__ticker *le__ticker_set(le__ticker *t);

/* The ticker may be NULL in all below. */
bool le__ticker_over(const le__ticker *t);
/* Ticks if it is time to and this is the thread. done: share of the part under way, NaN: unknown.
 * False: it is over. */
bool le__ticker_look(le__ticker *t, double done);
/* memset that ticks: large memory that nobody has touched takes seconds. False: it is over. */
bool le__ticker_fill(void *memory, int value, size_t bytes);
/* The call is to end, as if its tick had said so. */
void le__ticker_finish(le__ticker *t);
/* LE_ERR_CANCELLED with its text. */
le_status le__ticker_fail(const char *who);

typedef struct le__ticker_part {
    double low, high;
} le__ticker_part;

/* From now on the part from low to high of what is under way is, NaN: what is no part of it. What
 * was, for le__ticker_widen. */
le__ticker_part le__ticker_narrow(le__ticker *t, double low, double high);
void le__ticker_widen(le__ticker *t, le__ticker_part part);

/* For conditions that are waited for with ticks. */
void le__ticker_cond_init(pthread_cond_t *c);
/* pthread_cond_wait, but returns from time to time and ticks with the mutex unlocked. */
void le__ticker_wait(le__ticker *t, pthread_cond_t *c, pthread_mutex_t *m);

#endif
