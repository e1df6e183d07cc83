/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Memory for outputs whose surroundings tell when something was written there: edges of a known
 * pattern on both sides, and in the child of a trial walls beyond them that end the process at the
 * first touch. The same walls stand around copies of inputs; behind scratch memory are edges.
 */
#ifndef LE_GUARD_H
#define LE_GUARD_H

#include "call/call.h"

/* Memory for output `arg`, of so many bytes, in one of the ways from LE__OUTPUTS_EDGED on. Where a
 * wall cannot be made there are wide edges. */
le_status le__guard_output(le_call *call, int arg, size_t bytes, le__outputs outputs);

/* Whether the execution under way has such outputs: all that it can write to is looked at. */
bool le__guard_watches(const le_call *call);
/* Whether memory that it gets is to be filled, beside outputs with edges. */
bool le__guard_fills(const le_call *call);
/* Of so many bytes so many are filled. */
size_t le__guard_filled(size_t bytes);
/* Bytes that are to be behind scratch memory of the execution under way; 0: none. */
size_t le__guard_edge_of_scratch(const le_call *call);
/* Scratch memory of so many bytes and its edge get their contents. */
void le__guard_scratch(const le_call *call, void *memory, size_t bytes, size_t edge);
bool le__guard_strayed(const le_call *call, const void *edge, size_t bytes);

/* After a run with such outputs, host copies valid: LE_ERR_WRONG_RESULT when an edge was written
 * to; the text names the output and says "wrote before" or "wrote behind". */
le_status le__guard_check(const le_call *call);

typedef enum le__guard_place {
    LE__GUARD_BEGINS, /* at a wall */
    LE__GUARD_ENDS,   /* at one */
    LE__GUARD_ODD,    /* with the alignment of an element and no more */
    LE__GUARD_PLACES
} le__guard_place;

/* A copy of so many bytes, of elements of that size, that nobody can write to, between walls. For
 * the life of the process; NULL without memory. */
const void *le__guard_copy(const void *data, size_t bytes, size_t element, le__guard_place place);
/* Makes such a copy the data of input `arg`. */
void le__guard_use_copy(le_call *call, int arg, const void *copy, size_t bytes);

/* Of a process with one trial: what touching an address means for an output or input, whose name
 * becomes *name; NULL: nothing. May be called in a signal handler. */
const char *le__guard_fault_at(const void *address, const char **name);

#endif
