/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Calls worked off in slabs, as their operation says that they can be (le_operation.slabs, .tiles):
 * through chains of one step that are kept, outputs cut or merged. On a device, and from a stream,
 * two slabs are under way, each with half the memory: one comes and goes while the other is
 * computed. A slab of one item that does not fit is cut into tiles. Operations that can be cut get
 * implementations that do so, offered to calls that do not fit a memory limit.
 */
#ifndef LE_SLABS_H
#define LE_SLABS_H

#include "chain/chain.h"
#include "liquid_engine/le_stream.h"

/* What the engine offers for such an operation, without its name; *n is 0 for others. */
const le_implementation *le__slabs_implementations(const le_operation *operation, size_t *n);

/* Whether a bound call can be cut, and into how many items at first; false: *why says why not. */
bool le__slabs_cut(const le_call *call, int64_t *items, const char **why);

/* Works a bound call off. Its outputs have memory on the host. source: its
 * first part gives input `source_arg`; NULL: all inputs are in the call. device NULL: any. limit:
 * bytes that the tensors of the slabs under way may take; 0: a quarter of the items in each slab.
 */
le_status le__slabs_run(le_call *call, const char *device, int64_t limit, int source_arg,
                        le_source *source);

#endif
