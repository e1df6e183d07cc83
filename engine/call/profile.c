/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Events of a profile as they happen.
 */
#include "call/profile.h"

#include "call/engine.h"
#include "core/array.h"
#include "core/clock.h"
#include "core/thread_local.h"

#include <stdio.h>
#include <stdlib.h>

struct le_profile *le__profile_new(void) {
    le_profile *p = calloc(1, sizeof *p);
    if (p) {
        pthread_mutex_init(&p->mutex, NULL);
        p->start = le__now();
    }
    return p;
}

void le__profile_free(le_profile *p) {
    if (!p)
        return;
    pthread_mutex_destroy(&p->mutex);
    free(p->events);
    free(p->rows);
    free(p);
}

static LE__THREAD_LOCAL int depth, loops; /* of the run under way on this thread */

void le__profile_record(le_profile *p, const le__event *e) {
    pthread_mutex_lock(&p->mutex);
    if (LE__ARRAY_ROOM(p->events, p->n, p->capacity))
        p->events[p->n++] = *e; /* else it is lost: a profile is no reason to fail a call */
    pthread_mutex_unlock(&p->mutex);
}

int le__profile_depth(void) {
    return depth;
}

void le__profile_set_depth(int runs) {
    depth = runs;
}

le__profile_span le__profile_begin(double now) {
    le__profile_span s = {now, loops};
    depth++;
    loops = 0;
    return s;
}

void le__profile_end(const le_call *call, const le__candidate *c, le__profile_span s) {
    depth--;
    loops = s.loops;
    if (!call->engine->profile)
        return;
    le__event e = {.kind = LE__EVENT_RUN,
                   .depth = depth,
                   .start = s.start,
                   .seconds = le__now() - s.start,
                   .bytes = call->stats.bytes_to_device + call->stats.bytes_from_device};
    snprintf(e.name, sizeof e.name, "%.30s %.190s", call->operation->name, c->text);
    snprintf(e.place, sizeof e.place, "%s", c->device->id);
    le__profile_record(call->engine->profile, &e);
}

void le__profile_loop(const le_call *call, double start) {
    le__event e = {
        .kind = LE__EVENT_LOOP, .depth = depth, .start = start, .seconds = le__now() - start};
    snprintf(e.name, sizeof e.name, "%.60s %.100s loop %d", call->operation->name,
             call->implementation->name, ++loops);
    snprintf(e.place, sizeof e.place, "%s", call->device->id);
    le__profile_record(call->engine->profile, &e);
}
