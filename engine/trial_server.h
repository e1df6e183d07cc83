/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Trials of OpenCL candidates outside this process. A process that has opened OpenCL cannot use it
 * in a forked child; so a server is forked just before OpenCL is opened, and it forks a child for
 * each trial, which opens OpenCL for itself. The server knows what was registered until then.
 */
#ifndef LE_TRIAL_SERVER_H
#define LE_TRIAL_SERVER_H

#include "trial.h"

typedef struct le__trial_server le__trial_server;

/* *out is NULL when no server can be made; trials then run in this process. */
void le__trial_server_open(le__trial_server **out, le_engine *engine);
void le__trial_server_close(le__trial_server *s);
/* false when the server does not know the candidate or is gone. Thread-safe. */
bool le__trial_server_try(le__trial_server *s, const le__operation_entry *entry,
                          const le__candidate *candidate, const le_call *like,
                          le__trial_result *out);

/* For a child forked from this process itself. */
void le__trial_mark_child(void);
/* Whether this process is the child of a trial. */
bool le__trial_is_child(void);
/* In the child of a trial: building kernels does not count against the time limit. */
void le__trial_building(bool building);

#endif
