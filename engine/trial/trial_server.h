/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Trials of OpenCL candidates outside this process. A process that has opened OpenCL cannot use it
 * in a forked child; so a server is forked just before OpenCL is opened, and it forks a child for
 * each trial, which opens OpenCL for itself. The server knows what was registered until then, in
 * the engine that was the first of the process to open OpenCL.
 */
#ifndef LE_TRIAL_SERVER_H
#define LE_TRIAL_SERVER_H

#include "trial/trial.h"

enum { LE__TRIALS_AT_ONCE = 4 };

typedef struct le__trial_server le__trial_server;

/* The server of this process, forked when there is none yet. clean: nobody has opened OpenCL here;
 * else, or when no process can be made, NULL: trials then run in this process. Lives until the
 * process ends. */
le__trial_server *le__trial_server_open(le_engine *engine, bool clean);
/* The helper program, which knows what is built in; NULL: there is none. */
le__trial_server *le__trial_helper_open(void);
/* false when there is no server, or no helper any more, or when what is tried was registered after
 * the server was forked: no process that has OpenCL open can fork another. A trial that is not over
 * after wait_s goes on there, and until it ends the result is `pending`; it is waited for once, by
 * the one who began it, unless wait_s is INFINITY. Thread-safe; nobody waits for another one's
 * trial. rehearsal: a file (rehearse.h) instead of what is registered; NULL: none. */
bool le__trial_server_try(le__trial_server *s, const le__operation_entry *entry,
                          const le__candidate *candidate, const le_call *like,
                          const char *rehearsal, double wait_s, le__trial_result *out);
/* Whether candidates of OpenCL are registered that no helper program knows. */
bool le__trial_needs_fork(const le_engine *engine);
/* The result of a trial that was pending; starts nothing and waits for nobody. */
typedef enum le__late { LE__LATE_UNKNOWN, LE__LATE_PENDING, LE__LATE_THERE } le__late;
le__late le__trial_look_late(const le_engine *engine, const le__operation_entry *entry,
                             const le__candidate *candidate, const le_call *like,
                             le__trial_result *out);
le__late le__trial_server_look(le__trial_server *s, const le__candidate *candidate,
                               const le_call *like, le__trial_result *out);

/* The server process; does not return. */
void le__trial_serve(le_engine *engine, int fd);

/* For a child forked from this process itself. */
void le__trial_mark_child(void);
/* Whether this process is the child of a trial. */
bool le__trial_is_child(void);

#endif
