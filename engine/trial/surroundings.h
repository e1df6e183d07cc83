/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What of its process an implementation must leave as it found it.
 */
#ifndef LE_SURROUNDINGS_H
#define LE_SURROUNDINGS_H

#include "core/pool.h"

#include <locale.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>

enum { LE__FIRST_FILES = 1024, LE__TIMERS = 3, LE__LIMITS = 32 };

typedef struct le__thread_state { /* a worker's is as the caller's when it starts */
    int priority, policy;
    cpu_set_t cores; /* that it may use */
} le__thread_state;

typedef struct le__surroundings {
    uint64_t floating;  /* rounding, denormals, traps; of the calling thread */
    unsigned registers; /* of the x87 that are in use */
    sigset_t mask;
    struct sigaction handlers[65];
    char folder[4096], locale[512];
    locale_t thread_locale;
    mode_t umask;
    uint64_t environment; /* a hash of it */
    bool timers[LE__TIMERS];
    int posix_timers;
    struct rlimit limits[LE__LIMITS];
    le__thread_state thread; /* the calling one */
    bool children;
    uint64_t files[LE__FIRST_FILES], more_files; /* what is open there, in all the others */
} le__surroundings;

/* In a process with no other threads than the pool's. */
void le__surroundings_take(le__surroundings *s);
/* LE_ERR_WRONG_RESULT with a text that begins with "left " and names what was changed since, for
 * the pool's threads, too. process: what drivers may change is compared as well, all that belongs
 * to the process as a whole. */
le_status le__surroundings_check(const le__surroundings *before, le__pool *pool, bool process);

#endif
