/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The rows of a counted output, slab after slab: their places become those in the whole, and rows
 * that belong to neighbours are dropped.
 */
#ifndef LE_APPEND_H
#define LE_APPEND_H

#include "liquid_engine/le_method.h"

typedef struct le__appended {
    char *rows; /* owned */
    size_t bytes, capacity;
    int64_t n;
} le__appended;

typedef struct le__slab { /* the slab that rows come from */
    int64_t low;          /* its first item, halo included */
    int64_t begin, end;   /* the items whose rows are wanted */
    bool halo;
    uint32_t places; /* as in le_slabs, as is the scale */
    int64_t scale;
} le__slab;

/* Places of rows count from the first item of all. rows: row-major, on the host, as below. */
void le__move_places(le_tensor *rows, const le__slab *slab);
le_status le__append(le__appended *to, const le_tensor *rows, const le__slab *slab);
/* A tensor like `rows` with all that was appended; it owns its memory. */
le_status le__appended_rows(const le__appended *from, const le_tensor *rows, le_tensor *out);

#endif
