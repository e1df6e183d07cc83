/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The trial of an unproven candidate: a small sample call of the same kind, compared with the
 * reference, on guarded and poisoned outputs. It runs in a child process with a time limit (OpenCL:
 * a child of the trial server), so that a crash or a hang costs a verdict and nothing else.
 */
#ifndef LE_TRIAL_H
#define LE_TRIAL_H

#include "call/candidate.h"
#include "call/case.h"
#include "trial/verify.h"

#include <sys/types.h>

typedef struct le__trial_result {
    le_status status; /* LE_OK: proven, `error` is its error */
    le__error_profile error;
    double seconds;     /* that the trial took the caller */
    double run_s;       /* least of its runs, without transfers; 0: unknown */
    double work;        /* operations of such a run */
    double reference_s; /* that the reference took for it */
    double starved;     /* of these: seconds for which the trial's process had no core */
    bool tested;        /* false: the operation makes no sample calls, nothing was run */
    bool pending;       /* no result yet: it goes on, or is to be asked for again */
    bool idle;          /* it did not end, and used no processor time while it was waited for */
    char reason[256];
} le__trial_result;

/* like: the call that the candidate is wanted for; NULL for a general sample. wait_s: seconds that
 * the caller waits at most; with less than the time limit, or for drivers that compile longer, the
 * result may be `pending`. INFINITY: it never is. */
void le__trial(le_engine *engine, le__operation_entry *entry, const le__candidate *candidate,
               const le_call *like, double wait_s, le__trial_result *out);
/* One run of a bound call by a CPU candidate, at its real size, in a child; the call is left as it
 * was. Its inputs, which lie on the host, and its surroundings must be what they were.
 * LE_ERR_TIMEOUT after limit_s, or idle_s without use of the processor (`idle`); LE_ERR_MEMORY
 * also when no child could begin. False when there may be none. */
bool le__trial_run(const le__candidate *c, const le_call *call, double limit_s, double idle_s,
                   le__trial_result *out);
/* What a process that is watched has done of late: whoever hangs without using the processor may be
 * the victim of a lock that no longer has an owner, and not at fault. */
typedef struct le__trial_watch {
    double last_s; /* of processor time */
    double since;  /* le__now() when that last grew */
} le__trial_watch;
void le__trial_look(le__trial_watch *w, pid_t pid);
/* Whether the process has used nothing for that long. */
bool le__trial_idle(const le__trial_watch *w, double seconds);
/* le__sanitizer_rest, the writer of the engine's database included. */
void le__trial_rest(le_engine *engine);
/* For CPU candidates: no more address space than the machine can bear. */
void le__trial_limit_memory(void);
/* In a child, before le__trial_here: who touches a wall of an output (guard.h) ends the process
 * with that as the result. */
void le__trial_watch_walls(le__trial_result *result, _Atomic int *there);
/* The same in this process, which is its own, without a time limit. */
void le__trial_here(le_engine *engine, le__operation_entry *entry, const le__candidate *candidate,
                    const le_call *like, le__trial_result *out);
/* The same in two parts: the sample call and the reference's answer to it, to be freed (NULL is
 * allowed), and what the candidate makes of it, perhaps in a child. NULL: *out says why. */
typedef struct le__trial_sample le__trial_sample;
le__trial_sample *le__trial_sample_make(le_engine *engine, le__operation_entry *entry,
                                        const le__candidate *candidate, const le_call *like,
                                        le__trial_result *out);
void le__trial_sample_try(le__trial_sample *sample, bool alone, le__trial_result *out);
const le_case *le__trial_sample_case(const le__trial_sample *sample);
void le__trial_sample_free(le__trial_sample *sample);
#endif
