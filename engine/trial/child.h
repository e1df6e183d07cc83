/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The life of a child process for a trial: it is a copy of a program and must never go on as that
 * program, nor leave anything when it ends.
 */
#ifndef LE_TRIAL_CHILD_H
#define LE_TRIAL_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdnoreturn.h>
#include <sys/types.h>

/* In a child of fork(): runs it and ends, however that comes to its end: by returning, exit(),
 * pthread_exit() or an exception of C++ that nobody within it takes; nothing of what the program
 * has registered for its own end runs. Signals do what they do in a program that handles none;
 * there is no core file. Its process group is its own. */
noreturn void le__trial_child(void (*run)(void *context), void *context);

/* In its parent: whether it has ended, and how (as of waitpid). Then nothing is left of its process
 * group. */
bool le__trial_child_ended(pid_t pid, int *state);
/* Of one that did not end as it should. */
void le__trial_child_tell_end(int state, char *text, size_t size);

#endif
