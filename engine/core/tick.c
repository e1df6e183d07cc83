/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Ticks.
 */
#include "core/tick.h"

#include "core/clock.h"
#include "core/error.h"
#include "core/thread_local.h"

#include <math.h>
#include <string.h>
#include <time.h>

static const double every_s = 0.05;
enum { WAIT_NS = 20000000 };

static LE__THREAD_LOCAL struct {
    le__ticker *ticker;
    const le_tick *usual; /* of calls without one of their own */
} here;

const le_tick *le_set_tick(const le_tick *tick) {
    const le_tick *before = here.usual;
    here.usual = tick && tick->fn ? tick : NULL;
    return before;
}

static const le_tick *asked_by(const le_arg *args, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (args[i].kind == LE_KIND_OPTION && args[i].option == LE_OPTION_TICK)
            return args[i].value.tick && args[i].value.tick->fn ? args[i].value.tick : NULL;
    return here.ticker ? NULL : here.usual;
}

void le__ticker_begin(le__ticker *t, const le_arg *args, size_t n_args) {
    t->outer = here.ticker;
    t->asked = asked_by(args, n_args);
    if (!t->asked)
        return;
    t->home = &here;
    t->next = 0;
    t->low = 0;
    t->high = 1;
    t->shown = NAN;
    atomic_init(&t->over, false);
    here.ticker = t;
}

void le__ticker_end(le__ticker *t) {
    here.ticker = t->outer;
}

le__ticker *le__ticker_here(void) {
    return here.ticker;
}

le__ticker *le__ticker_set(le__ticker *t) {
    le__ticker *before = here.ticker;
    here.ticker = t;
    return before;
}

bool le__ticker_over(const le__ticker *t) {
    return t && atomic_load_explicit(&t->over, memory_order_relaxed);
}

void le__ticker_finish(le__ticker *t) {
    if (t)
        atomic_store(&t->over, true);
}

static double share_of_all(const le__ticker *t, double done) {
    double share = t->low + (t->high - t->low) * done;
    if (isnan(share) && t->low > 0)
        share = t->low;
    share = fmax(share, t->shown); /* the number beside a NaN */
    return share > 1 ? 1 : share;
}

/* What is called from within has no tick, or it would tick itself. */
static void tick(le__ticker *t, double done) {
    const le_tick *usual = here.usual;
    t->shown = share_of_all(t, done);
    here.ticker = NULL;
    here.usual = NULL;
    bool goes_on = t->asked->fn(t->asked->context, t->shown);
    here.ticker = t;
    here.usual = usual;
    if (!goes_on)
        le__ticker_finish(t);
    t->next = le__now() + every_s;
}

bool le__ticker_look(le__ticker *t, double done) {
    if (!t || le__ticker_over(t))
        return !t;
    if (t->home != &here || here.ticker != t)
        return true;
    double now = le__now();
    if (t->next == 0)
        t->next = now + every_s;
    else if (now >= t->next)
        tick(t, done);
    return !le__ticker_over(t);
}

bool le__ticker_fill(void *memory, int value, size_t bytes) {
    const size_t piece = (size_t)16 << 20;
    le__ticker *t = le__ticker_here();
    for (size_t at = 0; at < bytes; at += piece) {
        memset((char *)memory + at, value, bytes - at < piece ? bytes - at : piece);
        if (!le__ticker_look(t, NAN))
            return false;
    }
    return true;
}

le_status le__ticker_fail(const char *who) {
    return le_fail(LE_ERR_CANCELLED, "%s: cancelled by the caller's tick", who);
}

le__ticker_part le__ticker_narrow(le__ticker *t, double low, double high) {
    if (!t || t->home != &here)
        return (le__ticker_part){0, 1};
    le__ticker_part before = {t->low, t->high};
    t->low = before.low + (before.high - before.low) * low;
    t->high = before.low + (before.high - before.low) * high;
    return before;
}

void le__ticker_widen(le__ticker *t, le__ticker_part part) {
    if (!t || t->home != &here)
        return;
    t->low = part.low;
    t->high = part.high;
}

void le__ticker_cond_init(pthread_cond_t *c) {
    pthread_condattr_t a;
    pthread_condattr_init(&a);
    pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
    pthread_cond_init(c, &a);
    pthread_condattr_destroy(&a);
}

void le__ticker_wait(le__ticker *t, pthread_cond_t *c, pthread_mutex_t *m) {
    if (!t || t->home != &here) {
        pthread_cond_wait(c, m);
        return;
    }
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += WAIT_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(c, m, &until);
    pthread_mutex_unlock(m);
    le__ticker_look(t, NAN);
    pthread_mutex_lock(m);
}
