/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Operations on stored frames in le-run: `frames` is a dataset, or a group of them, and the file
 * says what the other arguments about its chunks are.
 */
#ifndef LE_TOOLS_RUN_SCAN_H
#define LE_TOOLS_RUN_SCAN_H

#include "run.h"

#include <stdbool.h>

/* Whether the ranks of a job share the frames; else they are rank 0's alone. */
bool run_scan_shared(const run_options *o);
/* For arguments that are such a call (run_args_scan), all of whose other tensors are read: runs,
 * and writes all outputs. Collective where frames are shared; rank 0 writes, and when another rank
 * dies the others go on. */
le_status run_scan(le_engine *engine, const run_options *o, run_args *a);

#endif
