/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What le-bench measures one by one: a bound call, made from a typical sample or from a problem's
 * text.
 */
#ifndef LE_BENCH_TARGET_H
#define LE_BENCH_TARGET_H

#include "bench.h"
#include "bench_volume.h"
#include "engine/report/problem_args.h"
#include "stats.h"

typedef struct bench_target {
    le_engine *engine;
    const char *operation;
    le_sample *sample;
    problem_args problem;
    bench_volume volume;
    const le_arg *args;
    size_t n_args;
    le_bench *bench;
} bench_target;

/* With an engine of its own that reads the settings' database and writes nothing. s->problem, where
 * given, describes the call; s->volume gives it a volume; else it is the operation's typical sample
 * of this size and dtype. TOOL_OK, or the status to end with after a message; then there is nothing
 * to close. */
int bench_target_open(bench_target *t, const bench_settings *s, const char *operation, int64_t size,
                      le_dtype dtype);
/* The same of the settings' size and dtype, where there are any. */
int bench_target_ask(bench_target *t, const bench_settings *s, const char *operation);
void bench_target_close(bench_target *t);
/* Index of the candidate with this text, or, for a text without parameters, the first that applies
 * and begins with it. text NULL: the one that the engine would choose. false after a message. */
bool bench_target_find(bench_target *t, const char *text, size_t *index);

#endif
