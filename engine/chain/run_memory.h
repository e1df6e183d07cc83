/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The memory of the values of one run of a chain: given before the step that writes a value, taken
 * back after the last one that reads it, handed on to later values of the same size, and counted.
 */
#ifndef LE_RUN_MEMORY_H
#define LE_RUN_MEMORY_H

#include "chain/chain.h"

typedef struct le__run_bytes {
    int64_t host, device;
} le__run_bytes;

typedef struct le__run_memory {
    le_chain *chain;
    le_tensor *tensors; /* by value; roots only */
    le_tensor *shapes;  /* by value, as they are in this run; NULL: as they were built */
    le_storage **spares;
    int n_spares;
    le__run_bytes *counted; /* by value, roots: when a step last used it */
    le__run_bytes all;      /* their sum */
    int *begins, *ends;     /* by step: a value whose use begins or ends there, -1: none */
    int *next_begin, *next_end; /* by value: another one of the same step, -1: none */
} le__run_memory;

/* tensors: as le__chain_execute has them. What is open must be closed, also after a failure. */
le_status le__run_memory_open(le__run_memory *m, le_chain *chain, le_tensor *tensors);
/* Values keep what they have. */
void le__run_memory_close(le__run_memory *m);

static inline const le_tensor *le__run_shape_of(const le__run_memory *m, int value) {
    return m->shapes ? &m->shapes[value] : &m->chain->values[value].shape;
}

/* Memory for a value that has none. host: a spare one with memory on the host is preferred. */
le_status le__run_memory_give(le__run_memory *m, int root, const le_tensor *shape, bool host);
/* For the rows of a counted value; an earlier run of its step may have made room for fewer. */
le_status le__run_memory_give_room(le__run_memory *m, int root, const le_tensor *shape, bool host);
/* Notes what there is after a step, and its working memory, in the chain's report. */
void le__run_memory_count(le__run_memory *m, int step, int64_t scratch_bytes);
/* After a step: values that no later one uses lose their memory. */
void le__run_memory_end_values(le__run_memory *m, int step);

#endif
