/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Forks and libraries with locks: see forks.h. Without a mutex here, for a fork leaves it as the
 * other threads have it.
 */
#include "forks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static atomic_int inside[LE__LIBRARIES], forking; /* threads */
static _Thread_local int depth[LE__LIBRARIES];
static atomic_bool broke[LE__LIBRARIES];

static void nap(void) {
    nanosleep(&(struct timespec){0, 100000}, NULL);
}

static bool others_are_inside(void) {
    bool any = false;
    for (int i = 0; i < LE__LIBRARIES; i++)
        any = any || inside[i] > (depth[i] > 0);
    return any;
}

/* Who is inside may wait for what the forking thread holds, such as Python's lock: not for ever. */
static void before_fork(void) {
    enum { NAPS = 10000 };
    forking++;
    for (int i = 0; i < NAPS && others_are_inside(); i++)
        nap();
}

static void in_parent(void) {
    forking--;
}

static void in_child(void) {
    forking = 0;
    for (int i = 0; i < LE__LIBRARIES; i++) {
        if (inside[i] > (depth[i] > 0))
            broke[i] = true;
        inside[i] = depth[i] > 0;
    }
}

static void watch(void) {
    pthread_atfork(before_fork, in_parent, in_child);
}

void le__forks_hold(le__library in) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch);
    if (depth[in]++ > 0)
        return;
    for (inside[in]++; forking; inside[in]++) {
        inside[in]--;
        nap();
    }
}

void le__forks_let(le__library in) {
    if (--depth[in] == 0)
        inside[in]--;
}

bool le__forks_broke(le__library in) {
    return broke[in];
}
