/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A machine on which nobody else works unless a test says so, and a clock that implementations can
 * put forward: for tests of choices that no load may change. The linker wraps le__monitor_read and
 * clock_gettime.
 */
#ifndef LE_TEST_CALM_H
#define LE_TEST_CALM_H

#include "core/conditions.h"
#include "trial/trial_server.h"

#include <stdatomic.h>
#include <time.h>

static _Atomic int64_t calm_ns; /* by which the clock is ahead */
static float calm_load;         /* share of the cores that others use */

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t) {
    int failed = __real_clock_gettime(clock, t);
    if (clock == CLOCK_MONOTONIC) {
        int64_t ns = (int64_t)t->tv_sec * 1000000000 + t->tv_nsec + calm_ns;
        t->tv_sec = (time_t)(ns / 1000000000);
        t->tv_nsec = (long)(ns % 1000000000);
    }
    return failed;
}

le__conditions __wrap_le__monitor_read(le__monitor *m, double now);
le__conditions __wrap_le__monitor_read(le__monitor *m, double now) {
    (void)m;
    (void)now;
    return (le__conditions){.known = true, .load = calm_load};
}

/* Lets so many seconds pass; not in trials, which have a time limit. */
static inline void calm_pass(double seconds) {
    if (!le__trial_is_child())
        calm_ns += (int64_t)(1e9 * seconds);
}

#endif
