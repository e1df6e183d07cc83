/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Elements from tensors to memory, and blocks along an axis to their places in a whole.
 */
#ifndef LE_MPI_ROWS_H
#define LE_MPI_ROWS_H

#include "liquid_engine/le.h"

/* Row-major, whatever the strides are. */
void le__rows_pack(void *to, const le_tensor *from);
/* The other way round: from row-major memory, which is left as it is. */
void le__rows_unpack(const le_tensor *to, void *from);

/* Called for runs of bytes of a block, in order: `at` is where one begins in the whole. */
typedef le_status (*le__rows_fn)(void *cookie, const char *data, int64_t bytes, int64_t at);
/* The runs of a row-major block whose elements [first, first + its own count) along an axis belong
 * to a row-major whole with `total` of them. */
le_status le__rows_each(const le_tensor *block, const char *data, int axis, int64_t first,
                        int64_t total, le__rows_fn fn, void *cookie);

#endif
