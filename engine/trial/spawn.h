/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Starting the helper program for trials, le-trial: a process of its own and no copy of this one,
 * which may be large, have threads and graphics, or be one of many under MPI.
 */
#ifndef LE_SPAWN_H
#define LE_SPAWN_H

/* A socket to a le-trial that has all that is built into this library, or -1. LE_TRIAL_PROGRAM,
 * else it is looked for beside this library or program and where it is installed. */
int le__trial_spawn(void);
/* What LE_TRIAL_PROGRAM names where that cannot be run; NULL: it can, or names nothing. */
const char *le__trial_program_missing(int *error);

enum { LE__TRIAL_FD = 3 }; /* of le-trial: the socket */

#endif
