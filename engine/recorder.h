/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What one run did, stage by stage and kernel by kernel, for the thread that asked for it. Costs a
 * thread-local look-up where nobody asked.
 */
#ifndef LE_RECORDER_H
#define LE_RECORDER_H

#include "liquid_engine/le_bench.h"

typedef struct le__recorder {
    le_bench_record *records;
    size_t n, capacity;
    double start;  /* le__now() when the run began */
    int32_t depth; /* stages under way */
    int loops;     /* parallel loops of the stage under way */
    bool failed;   /* out of memory: records are missing */
} le__recorder;

/* The profile that this thread fills; NULL: none. */
extern _Thread_local le__recorder *le__recorder_current;

/* Adds a record; start as le__now() gives it. Only while le__recorder_current is set. */
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
void le__recorder_add(le_bench_record_kind kind, double start, double seconds, int64_t bytes,
                     const char *format, ...);

#endif
