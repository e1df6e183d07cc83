/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Two threads that take pieces in turns.
 */
#include "chain/flights.h"

#include "call/profile.h"

#include <stdio.h>

void le__flights_open(le__flights *f, const le__flight_kind *kind, void *job) {
    *f = (le__flights){.kind = kind, .job = job};
    pthread_mutex_init(&f->mutex, NULL);
    le__ticker_cond_init(&f->turn);
}

void le__flights_close(le__flights *f) {
    pthread_mutex_destroy(&f->mutex);
    pthread_cond_destroy(&f->turn);
}

/* Mutex held. */
static void note(le__flights *f, le_status status) {
    if (f->status == LE_OK && status != LE_OK) {
        f->status = status;
        snprintf(f->error, sizeof f->error, "%s", le_error_message());
    }
    pthread_cond_broadcast(&f->turn);
}

/* false when there is no further piece, or one has failed. */
static bool begin(le__flights *f, int flight, int64_t *number) {
    bool any = false;
    pthread_mutex_lock(&f->mutex);
    *number = f->begun;
    if (f->status == LE_OK)
        note(f, f->kind->begin(f->job, flight, *number, &any));
    any = any && f->status == LE_OK;
    f->begun += any;
    pthread_mutex_unlock(&f->mutex);
    return any;
}

static void end(le__flights *f, int flight, int64_t number, le_status status) {
    pthread_mutex_lock(&f->mutex);
    while (status == LE_OK && f->status == LE_OK && f->ended != number)
        le__ticker_wait(f->ticker, &f->turn, &f->mutex);
    if (status == LE_OK && f->status == LE_OK)
        status = f->kind->end(f->job, flight, number);
    f->ended = number + 1;
    note(f, status);
    pthread_mutex_unlock(&f->mutex);
}

static bool fly_once(le__flights *f, int flight) {
    int64_t number;
    if (!begin(f, flight, &number))
        return false;
    end(f, flight, number, f->kind->compute(f->job, flight));
    return true;
}

static void *fly_second(void *flights) {
    le__flights *f = flights;
    le__profile_set_depth(f->depth);
    le__ticker_set(f->ticker);
    while (fly_once(f, 1))
        ;
    pthread_mutex_lock(&f->mutex);
    f->landed = true;
    pthread_cond_broadcast(&f->turn);
    pthread_mutex_unlock(&f->mutex);
    return NULL;
}

static void await_second(le__flights *f, pthread_t second) {
    pthread_mutex_lock(&f->mutex);
    while (!f->landed)
        le__ticker_wait(f->ticker, &f->turn, &f->mutex);
    pthread_mutex_unlock(&f->mutex);
    pthread_join(second, NULL);
}

le_status le__flights_run(le__flights *f, int flights) {
    pthread_t second;
    f->begun = f->ended = 0;
    f->status = LE_OK;
    f->beside = f->landed = false;
    f->ticker = le__ticker_here();
    f->depth = le__profile_depth();
    bool two = fly_once(f, 0) && flights > 1 && f->kind->is_long(f->job);
    f->beside = two;
    two = two && pthread_create(&second, NULL, fly_second, f) == 0;
    while (fly_once(f, 0))
        ;
    if (two)
        await_second(f, second);
    return f->status == LE_OK ? LE_OK : le_fail(f->status, "%s", f->error);
}
