/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Memory for outputs whose surroundings tell when something was written there: edges of a known
 * pattern on both sides, and in the child of a trial walls beyond them that end the process at the
 * first touch. The same walls stand around copies of inputs.
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

/* A copy of so many bytes that nobody can write to, between walls: at_end: its end at the one
 * behind it, else its beginning at the other. For the life of the process; NULL without memory. */
const void *le__guard_copy(const void *data, size_t bytes, bool at_end);
/* Makes such a copy the data of input `arg`. */
void le__guard_use_copy(le_call *call, int arg, const void *copy, size_t bytes);

/* Of a process with one trial: what touching an address means for an output or input, whose name
 * becomes *name; NULL: nothing. May be called in a signal handler. */
const char *le__guard_fault_at(const void *address, const char **name);

#endif
