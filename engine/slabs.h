/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Calls worked off in slabs, as their operation says that they can be (le_operation.slabs): one
 * slab after the other through a chain of one step that is kept, outputs cut or merged. Operations
 * that can be cut get implementations that do so, offered to calls that do not fit a memory limit.
 */
#ifndef LE_SLABS_H
#define LE_SLABS_H

#include "chain.h"

/* What the engine offers for such an operation, without its name; *n is 0 for others. */
const le_implementation *le__slabs_implementations(const le_operation *operation, size_t *n);

typedef le_status (*le__slab_source)(void *cookie, int64_t items, le_tensor *out);

/* Works a bound call off. Its outputs have memory on the host. source: gives the next `items` of
 * input `source_arg` in order, valid until it is asked again; NULL: all inputs are in the call.
 * device NULL: any. limit: bytes that the tensors of one slab may take; 0: a quarter of the items
 * in each slab. */
le_status le__slabs_run(le_call *call, const char *device, int64_t limit, int source_arg,
                        le__slab_source source, void *cookie);

#endif
