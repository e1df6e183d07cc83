/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A candidate of a report timed once more: which one le-bench takes for it, and by what command.
 */
#ifndef LE_AGAIN_H
#define LE_AGAIN_H

#include "report.h"

#include "liquid_engine/le_bench.h"

/* The candidate that a text of a report means, one that applies if there is any; text NULL: the
 * first that applies. NULL: there is none. */
const le_bench_candidate *le__again_find(le_engine *engine, const le_bench *bench,
                                         const char *text);

/* From now on le__report_reproduce asks an engine of its own, which has what le-bench has. */
void le__again_begin(report *r);
/* Harmless without the former. */
void le__again_end(report *r);

/* The command whatever comes of it, for free(); NULL: out of memory. */
char *le__again_command(const report_problem *p, const report_candidate *c);

#endif
