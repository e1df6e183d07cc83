/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * How far a scan was when it was stopped: a small file beside its results.
 */
#ifndef LE_TOOLS_SCAN_STATE_H
#define LE_TOOLS_SCAN_STATE_H

#include "run_args.h"
#include "tool.h"

/* A file beside that of the first result. false: there is none. */
bool scan_state_name(const run_args *a, const char *ending, char *out, size_t size);
/* The command in words. */
void scan_state_describe(const run_args *a, int64_t items, tool_text *out);

/* Chunks that the same command has done already; 0: none, or it was another command. */
int64_t scan_state_read(const run_args *a, int64_t items);
/* false: it cannot be written. */
bool scan_state_write(const run_args *a, int64_t items, int64_t done);
void scan_state_remove(const run_args *a);

/* The place by which a result in f64 whose shape begins like this can be read again; that of a file
 * without a header says its layout. NULL: it cannot. Owned by the caller. */
char *scan_state_place(const char *file, int ndim, const int64_t *shape);

#endif
