/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Which items of a call are whose.
 */
#ifndef LE_MPI_CUT_H
#define LE_MPI_CUT_H

#include "liquid_engine/le_method.h"

typedef struct le__blocks { /* worked off one by one */
    le_slab_range *list;
    int64_t n;
} le__blocks;

typedef enum le__cutting {
    LE__CUT_EVENLY,       /* a block a rank, by its speed where that is known */
    LE__CUT_REPRODUCIBLY, /* of so many items that merged outputs have the same bits for any number
                             of ranks */
    LE__CUT_SMALL         /* many a rank, to be handed out by speed; what is lost with a rank is
                             little */
} le__cutting;

/* Blocks of all items but those that are done already (a byte an item; NULL: none). speeds: of the
 * ranks, relative; NULL: they are alike. list is malloc'ed; LE_ERR_MEMORY. */
le_status le__cut(const le_slabs *slabs, le__cutting how, int ranks, const double *speeds,
                  const unsigned char *done, le__blocks *out);

#endif
