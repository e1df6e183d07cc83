/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Replaying recorded or modelled timings through the engine's policy with a virtual clock. A trace
 * (JSON, schema 1) has:
 *
 *     schema      1
 *     name        of the trace; source: where the numbers come from
 *     candidates  [{name, resource}]       resource: what it runs on; slowness is shared on it
 *     problems    [{name, work}]           work: operations, all that the policy may know of it
 *     samples     {problem: {candidate: [seconds, ...]}}  index 0 is a cold first run; the others
 *                 follow in an order of the seed's (a permutation of its own for each problem and
 *                 candidate), again and again
 *     models      {candidate: {overhead, per_work, exponent, cv}}  where samples has no entry:
 *                 seconds = (overhead + per_work * work^exponent) * log-normal noise with this
 *                 coefficient of variation, drawn from the seed
 *     slow        [{resource, first_call, last_call, factor}]  calls are numbered from 0 over the
 *                 whole trace, both ends included
 *     calls       [{problem, count}]       in this order
 *
 * Output, a JSON object a line: for each call
 *     {"call":i,"problem":p,"candidate":c,"seconds":t,"why":"exploit|explore|probe|only"}
 * where a run that was stopped has "cut":true and the seconds until then, and is followed by the run
 * that answers, with the same "call";
 * last {"calls":n,"total_seconds":s,"choice":{problem:candidate,...}}. In measure mode each
 * problem is raced before its first call; these runs have "why":"measure", the number of the call
 * that waits for them, and are not part of the totals.
 */
#ifndef LE_ENGINE_REPLAY_H
#define LE_ENGINE_REPLAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "liquid_engine/le.h"
#include "policy/policy.h"

typedef struct le__trace le__trace;

/* NULL on error, with one line on err that names the file and what is wrong where. */
le__trace *le__trace_read(const char *path, FILE *err);
/* The same from memory; name is used in messages. */
le__trace *le__trace_parse(const char *name, const char *text, FILE *err);
void le__trace_free(le__trace *trace);

int le__trace_candidates(const le__trace *trace);
int le__trace_problems(const le__trace *trace);
/* Expected seconds of a steady run, without slowness: the model's, or the mean of the warm samples. */
double le__trace_truth(const le__trace *trace, int problem, int candidate);

/* One run of the virtual machine. */
typedef struct le__replay_event {
    long call;
    int problem, candidate;
    bool cold, cut;            /* cut: stopped after `seconds`; another event answers the call */
    double seconds;
    double best_seconds;       /* truth of the best candidate, with the slowness of the moment */
    double low, high;          /* predicted interval; 0, 0 when nothing was predicted */
    le__why why;
} le__replay_event;
typedef void (*le__replay_fn)(void *cookie, const le__replay_event *event);

typedef struct le__replay_sum {
    long calls;
    double seconds, best_seconds;
    int *choice;               /* by problem, -1: never called; owned by the caller: free() */
} le__replay_sum;

/* Drives the policy; fn (may be NULL) sees every run. LE_MODE_DEFAULT is learn; estimate and frozen
 * never explore. */
le_status le__replay(const le__trace *trace, uint64_t seed, le_mode mode, le__replay_fn fn,
                     void *cookie, le__replay_sum *sum);

/* Reads a trace and prints as described above. Returns 0, or 1 after one line on err. */
int le__replay_file(const char *path, uint64_t seed, le_mode mode, FILE *out, FILE *err);

#endif
