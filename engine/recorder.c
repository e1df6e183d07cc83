/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Collecting the records of one run.
 */
#include "recorder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

_Thread_local le__recorder *le__recorder_current;

void le__recorder_add(le_bench_record_kind kind, double start, double seconds, int64_t bytes,
                      const char *format, ...) {
    le__recorder *p = le__recorder_current;
    if (p->n == p->capacity) {
        size_t capacity = p->capacity ? 2 * p->capacity : 64;
        void *records = realloc(p->records, capacity * sizeof *p->records);
        p->failed = p->failed || !records;
        if (!records)
            return;
        p->records = records;
        p->capacity = capacity;
    }
    le_bench_record *r = &p->records[p->n++];
    *r = (le_bench_record){.kind = kind,
                           .depth = p->depth,
                           .start_s = start - p->start,
                           .seconds = seconds,
                           .bytes = bytes};
    va_list ap;
    va_start(ap, format);
    vsnprintf(r->name, sizeof r->name, format, ap);
    va_end(ap);
}
