/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Ranks that die during a call. With ULFM (Open MPI 5, mpirun --with-ft ulfm) the others hear of it
 * by an error of whatever message they wait for, leave the call, and begin it anew among
 * themselves; else the job ends.
 *
 * A communicator of a call is watched: who hears first revokes all of them, so that everybody hears
 * with the next message. Nothing that has been received since is to be believed.
 */
#ifndef LE_MPI_LOST_H
#define LE_MPI_LOST_H

#include <mpi.h>
#include <stdbool.h>

/* Of `comm` those who live: comm itself while nobody has died. */
MPI_Comm le__lost_survivors(MPI_Comm comm);
/* Of a call of `comm`. Communicators that are opened until the end are watched. */
void le__lost_begin(MPI_Comm comm);
/* Whether a rank has been lost, as far as this one has heard. */
bool le__lost(void);
/* Whether a rank was lost for some survivor of a call of `comm`: those who live are the survivors
 * of `comm` then. Collective over them. */
bool le__lost_end(MPI_Comm comm, MPI_Comm used);
/* How many of comm's have died; whether its rank 0 is one of them. */
int le__lost_number(MPI_Comm comm);
bool le__lost_root(MPI_Comm comm);

void le__lost_watch(MPI_Comm comm);
void le__lost_unwatch(MPI_Comm comm);

#endif
