/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * How far a scan was when it was stopped: a small file beside its results, FILE.scan.NUMBER.
 */
#ifndef LE_TOOLS_SCAN_STATE_H
#define LE_TOOLS_SCAN_STATE_H

#include "run.h"

/* Of a scan. Frames may have been added to its file: the last one that is done tells whether it is
 * the same. */
typedef struct scan_state {
    const run_options *options;
    const run_args *args;
    int64_t items, done;
    uint64_t last; /* what is stored of item done - 1, mixed */
} scan_state;

/* Fills done and last with what the same command has left; false: nothing. */
bool scan_state_read(scan_state *s);
/* false: it cannot be written, or another file has its name. */
bool scan_state_write(const scan_state *s);
/* What there is of a scan into the same place. */
void scan_state_remove(const run_args *a);

/* The place by which a result in f64 whose shape begins like this can be read again; that of a file
 * without a header says its layout. NULL: it cannot. Owned by the caller. */
char *scan_state_place(const char *file, int ndim, const int64_t *shape);

#endif
