/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Libraries that a fork() must not find in the middle of something. SQLite and HDF5 have locks of
 * the whole process, SQLite's allocator takes one each time; whichever a thread holds at the fork is
 * held in the child for ever, and the child would wait for it at its first use of the library. So a
 * fork waits until no other thread is inside, a second at most.
 */
#ifndef LE_BENCHDB_FORKS_H
#define LE_BENCHDB_FORKS_H

#include <stdbool.h>

typedef enum le__library { LE__SQLITE, LE__FORMATS, LE__LIBRARIES } le__library;

/* This thread is inside from now on; waits while another one forks. May be nested. */
void le__forks_hold(le__library in);
/* No longer inside, or at rest: nothing of the library is under way. */
void le__forks_let(le__library in);
/* In a child: whether the fork waited in vain. */
bool le__forks_broke(le__library in);

#endif
