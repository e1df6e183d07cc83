/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Which parts of the tensors of a call a slab of it has: ranges of items as le_slabs cuts them.
 */
#ifndef LE_CHAIN_SLAB_PARTS_H
#define LE_CHAIN_SLAB_PARTS_H

#include "liquid_engine/le_method.h"

/* A view of the items [begin, end) of t, or t where it is not cut. */
le_tensor le__slab_part(const le_slabs *slabs, size_t a, const le_tensor *t, int64_t begin,
                        int64_t end);
/* The shape of what a slab's call makes of the range, with t the whole output. */
le_tensor le__slab_made(const le_slabs *slabs, size_t a, const le_tensor *t,
                        const le_slab_range *r);
/* Whether that is the wanted items and nothing else. */
bool le__slab_makes_wanted(const le_slabs *slabs, const le_slab_range *r);
/* Between tensors of one shape and dtype in host memory. `name` says who in errors. */
le_status le__slab_copy(const char *name, const le_tensor *to, const le_tensor *from);

#endif
