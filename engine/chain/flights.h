/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Pieces of a job (slabs, batches), two of them under way: while one is computed the other comes or
 * goes. They are begun and ended in their order, one at a time.
 */
#ifndef LE_FLIGHTS_H
#define LE_FLIGHTS_H

#include "core/tick.h"

#include <pthread.h>

enum { LE__FLIGHTS = 2 };

/* flight: 0 or 1, whose turn it is; number: of the piece, from 0. */
typedef struct le__flight_kind {
    /* The next piece, for this flight; *any false: there is none. */
    le_status (*begin)(void *job, int flight, int64_t number, bool *any);
    le_status (*compute)(void *job, int flight); /* while the other flight does the same */
    le_status (*end)(void *job, int flight, int64_t number); /* of what has been computed */
    /* Whether there is enough left for two; asked once, after the first piece. */
    bool (*is_long)(const void *job);
} le__flight_kind;

typedef struct le__flights {
    const le__flight_kind *kind;
    void *job;
    bool beside;           /* two are under way: times are no measurements */
    int depth;             /* of runs around the job, for profiles */
    le__ticker *ticker;    /* of the thread that flies first */
    pthread_mutex_t mutex; /* held while a piece begins or ends; guards all below */
    pthread_cond_t turn;
    int64_t begun, ended;
    bool landed;      /* the second flight: it takes no further piece */
    le_status status; /* first failure, with its text */
    char error[512];
} le__flights;

void le__flights_open(le__flights *f, const le__flight_kind *kind, void *job);
void le__flights_close(le__flights *f);
/* Works all pieces off, the first one alone: what is learnt of its steps is learnt from it. At most
 * `flights` are under way then. May be called again, from the first piece on. */
le_status le__flights_run(le__flights *f, int flights);

#endif
