/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Memory for outputs whose surroundings tell when something was written there: edges of a known
 * pattern on both sides, and in the child of a trial walls beyond them that end the process at the
 * first touch.
 */
#ifndef LE_GUARD_H
#define LE_GUARD_H

#include "call/call.h"

/* Memory for output `arg`, of so many bytes, in one of the ways from LE__OUTPUTS_EDGED on. Where a
 * wall cannot be made there are wide edges. */
le_status le__guard_output(le_call *call, int arg, size_t bytes, le__outputs outputs);

/* After a run with such outputs, host copies valid: LE_ERR_WRONG_RESULT when an edge was written
 * to; the text names the output and says "wrote before" or "wrote behind". */
le_status le__guard_check(const le_call *call);

/* Of a process with one trial: the output behind or before whose wall an address lies; NULL: it
 * lies in none. May be called in a signal handler. */
const char *le__guard_wall_at(const void *address, bool *behind);

#endif
