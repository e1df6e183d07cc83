/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The ranks of a call among themselves.
 */
#ifndef LE_MPI_WORLD_H
#define LE_MPI_WORLD_H

#include "liquid_engine/le_mpi.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct le__world {
    MPI_Comm comm; /* of this call alone */
    int rank, ranks;
    int64_t messages, bytes; /* sent with results */
    int64_t asks;            /* messages about who does what */
} le__world;

le_status le__world_open(le__world *w, MPI_Comm comm);
/* The ranks of w that have the same color, in their order. Collective over w. */
le_status le__world_part(le__world *part, const le__world *w, int color);
void le__world_close(le__world *w);

/* All ranks return the status of the lowest one that failed, with its text. */
le_status le__world_agree(const le__world *w, le_status status);
/* Whether it is so on all ranks. */
bool le__world_all(const le__world *w, bool own);
/* LE_ERR_ARGUMENT on all ranks unless all have the same number. */
le_status le__world_same(const le__world *w, uint64_t hash, const char *what);

/* In pieces that an int can count. */
void le__world_broadcast(const le__world *w, void *data, int64_t bytes);
void le__world_send(le__world *w, const void *data, int64_t bytes, int to);
void le__world_receive(const le__world *w, void *data, int64_t bytes, int from);

#endif
