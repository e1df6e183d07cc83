/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Recording events for a profile. Nothing is done, and next to nothing paid, while none is under
 * way.
 */
#ifndef LE_PROFILE_H
#define LE_PROFILE_H

#include "call/candidate.h"
#include "liquid_engine/le_chain.h"

#include <pthread.h>

typedef enum le__event_kind {
    LE__EVENT_RUN,
    LE__EVENT_LOOP,
    LE__EVENT_KERNEL,
    LE__EVENT_UPLOAD,
    LE__EVENT_DOWNLOAD,
    LE__EVENT_COPY
} le__event_kind;

typedef struct le__event {
    le__event_kind kind;
    int depth; /* runs around it */
    int lane;  /* of the device */
    char name[224], place[32];
    double start, seconds;
    int64_t bytes;
} le__event;

struct le_profile {
    pthread_mutex_t mutex; /* while it records */
    double start;
    le__event *events;
    size_t n, capacity;
    le_profile_row *rows;
    size_t n_rows;
};

/* NULL when out of memory. */
struct le_profile *le__profile_new(void);
void le__profile_free(struct le_profile *profile); /* may be NULL */
void le__profile_record(struct le_profile *profile, const le__event *event);

typedef struct le__profile_span {
    double start;
    int loops; /* of the run around it */
} le__profile_span;

/* Around one run of a candidate; runs may contain others (steps of chains). */
le__profile_span le__profile_begin(double now);
void le__profile_end(const le_call *call, const le__candidate *candidate, le__profile_span span);
/* Runs around what this thread does; for a thread that does a part of another one's run. */
int le__profile_depth(void);
void le__profile_set_depth(int depth);
/* A parallel loop that began at `start` (le__now). Only while call->engine->profile is set. */
void le__profile_loop(const le_call *call, double start);

#endif
