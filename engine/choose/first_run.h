/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The first run of a candidate at the real size, which a small trial says nothing about. What was
 * registered at run time runs in a child first. Of everybody a marker in the database tells later
 * processes when it ended this one; whoever was caught so once runs in a child first.
 */
#ifndef LE_FIRST_RUN_H
#define LE_FIRST_RUN_H

#include "choose/dispatch.h"

typedef struct le__first_run {
    bool first; /* nobody has seen it end in this size class */
    bool marked;
    bool watched; /* what it wrote elsewhere was looked for, or nobody can: it is the last first run
                   */
    le__dispatch *dispatch;
    le__question *question;
    le__arm *arm;
} le__first_run;

/* Before a run of the question's call by the arm. Not LE_OK: it must not be run, and is at fault
 * (LE_ERR_UNSUPPORTED: somebody else has found that, in the meantime too); or call->stopped: it
 * takes longer than call->stop_after, of which the try in a child has used up a part. call: bound,
 * for such a try; NULL: there can be none. again: smaller runs of the size class have ended well.
 */
le_status le__first_run_begin(le__first_run *f, le__dispatch *d, le__question *q, le__arm *arm,
                              le_call *call, bool again);
/* After it, whatever came of it, and also when it was not run. */
void le__first_run_end(le__first_run *f);

#endif
