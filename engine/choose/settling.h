/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * When an operation's runs begin to tell of themselves: the first ones of a process tell of threads
 * that start and code that is read, and those after a trial of caches that others have filled while
 * the call waited for it. What is short becomes faster for a few runs then.
 */
#ifndef LE_SETTLING_H
#define LE_SETTLING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct le__settling { /* zero: nothing has run */
    int runs;                 /* since the process began, or since the last trial */
    int fastest;              /* of them the last, from 1, that was faster than those before */
    double least_s, last_s;   /* of the fastest and of the newest of them */
    bool tried;               /* there was a trial */
    bool over;                /* runs tell of themselves; one that is faster is another candidate's */
} le__settling;

/* Whether what came right before such a run can slow it down. */
bool le__is_brief(double seconds);
/* A run; tried: the call had waited for a trial. Whether it tells of itself. */
bool le__settling_note(le__settling *s, double seconds, bool tried);
/* So many that nobody timed one by one. */
void le__settling_skip(le__settling *s, int64_t runs);
/* After a trial: whether the next run, if it takes as long as the newest, tells nothing. A process
 * that has only begun may be one of many that make one call each, and learns nevertheless. */
bool le__settling_goes_on(const le__settling *s);

#endif
