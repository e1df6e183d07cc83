/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The trial of an unproven candidate: a small sample call of the same kind, compared with the
 * reference, on guarded and poisoned outputs. It runs in a child process with a time limit (OpenCL:
 * a child of the trial server), so that a crash or a hang costs a verdict and nothing else.
 */
#ifndef LE_TRIAL_H
#define LE_TRIAL_H

#include "choose/candidate.h"
#include "proof/verify.h"

#include <sys/types.h>

typedef struct le__trial_result {
    le_status status; /* LE_OK: proven, `error` is its error */
    le__error_profile error;
    double seconds; /* that the trial took the caller */
    double starved; /* of these: seconds for which the trial's process had no core */
    bool tested;    /* false: the operation makes no sample calls, nothing was run */
    bool pending;   /* no result yet: it goes on, or is to be asked for again */
    char reason[256];
} le__trial_result;

/* like: the call that the candidate is wanted for; NULL for a general sample. wait_s: seconds that
 * the caller waits at most; with less than the time limit, or for drivers that compile longer, the
 * result may be `pending`. INFINITY: it never is. */
void le__trial(le_engine *engine, le__operation_entry *entry, const le__candidate *candidate,
               const le_call *like, double wait_s, le__trial_result *out);
/* Seconds that a process (the worst of its threads) stood ready but had no core: a busy machine is
 * not the candidate's fault. */
double le__trial_starved(pid_t pid);
/* le__sanitizer_rest, the writer of the engine's database included. */
void le__trial_rest(le_engine *engine);
/* In a child: no core file, and signals do what they do in a program that handles none. */
void le__trial_limit_child(void);
/* The same in this process, without a time limit: for the child that a trial server forked. */
void le__trial_here(le_engine *engine, le__operation_entry *entry, const le__candidate *candidate,
                    const le_call *like, le__trial_result *out);
/* The reference of an operation as a candidate; false when it has none. */
bool le__reference_candidate(le_engine *engine, const le__operation_entry *entry,
                             le__candidate *out);

#endif
