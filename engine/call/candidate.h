/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A candidate: implementation x device x parameter values. The list of an operation is made once
 * per engine (and again when devices are found); whether one may answer a call is asked per
 * problem.
 */
#ifndef LE_CANDIDATE_H
#define LE_CANDIDATE_H

#include "call/call.h"
#include "call/device.h"

enum { LE__CANDIDATE_TEXT = 192 };

typedef struct le__candidate {
    const le_implementation *implementation;
    const char *source_hash;
    le__device *device;
    int64_t params[LE__MAX_TUNABLES];
    int threads;
    le__schedule schedule;
    uint64_t id;                   /* stable hash of operation, text and device identity */
    char text[LE__CANDIDATE_TEXT]; /* "avx2@cpu[threads=2,schedule=dynamic]" */
} le__candidate;

/* All candidates of an operation on the devices known now. *out is owned by the caller (free). */
le_status le__candidates_make(le_engine *engine, const le__operation_entry *entry,
                              le__candidate **out, size_t *n);
typedef struct le__forced {
    const char *run_type, *implementation; /* or a candidate; NULL: any */
} le__forced;

/* What the call forces; where it forces nothing, what its engine does, but for steps of chains. */
le__forced le__call_forces(const le_call *call);
/* Whether an implementation can answer this call on a device of its kind (ISA, the device's
 * features, applicable, which sees the device in the call); on false *why is the reason. */
bool le__implementation_takes(const le_implementation *implementation, le__device *device,
                              const le_call *call, const char **why);
/* Whether the device is among those that are asked for. */
bool le__device_wanted(const le__device *d, const le__constraint *want);
/* Whether the candidate can answer this call as far as descriptors tell (ISA, device, memory,
 * applicable), whoever is asked for by name; on false *why is the reason. */
bool le__candidate_can(const le__candidate *c, const le_call *call, const char **why);
/* Threads that a run of it has for the host's part. */
int le__candidate_threads(const le__candidate *c, const le_call *call);
/* Bytes of working memory that a run of it takes, as its implementation says. */
int64_t le__candidate_memory(const le__candidate *c, const le_call *call);
/* Whether it may, too: nobody else is forced. Says nothing about errors and verdicts. */
bool le__candidate_applies(const le__candidate *c, const le_call *call, const char **why);
/* Whether "avx2", "avx2[threads=2]" or "avx2@cpu[...]" speaks of it. */
bool le__implementation_is_named(const le_implementation *implementation, const char *want);
/* Whether it is what is asked for as "avx2", "avx2[threads=2]" or "avx2@cpu[...]": a name, then
 * parts that must all be in the candidate's text. */
bool le__candidate_is_named(const le__candidate *c, const char *want);
/* Whether this reason, as given there, is that something else is asked for by name. */
bool le__candidate_is_unwanted(const char *why);

/* The reference of an operation as a candidate; false when it has none. */
bool le__reference_candidate(le_engine *engine, const le__operation_entry *entry,
                             le__candidate *out);

/* Runs the call by a candidate into call->args[].tensor and fills call->stats. Commits nothing. */
/* LE_ERR_CANCELLED with call->stopped: call->stop_after has passed; runs on the CPU can be stopped
 * (le__can_be_stopped). Without it: the caller's tick has ended the call. */
le_status le__execute(le_call *call, const le__candidate *c, le__outputs outputs);
bool le__can_be_stopped(const le__candidate *c);
/* What it returns then; call->stopped is set. */
le_status le__execution_stopped(le_call *call, const le__candidate *c);

#endif
