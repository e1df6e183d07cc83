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

/* Whether others than the dead go on at all. */
bool le__lost_survivable(void);
/* An error of this communicator ends the job: with a rank lost outside of calls there is none. */
void le__lost_ends_job(MPI_Comm comm);
/* By a function that leaves the program, as all ranks do then. MPI_Abort (without one) is not to be
 * relied upon once a rank was lost: of 40 jobs the launcher of Open MPI 5.0.11 hung twice and told
 * of success once. */
void le__lost_on_end(void (*how)(void));

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
/* Whether this rank is the lowest of comm's that is not known to be dead: it speaks for all. */
bool le__lost_speaks(MPI_Comm comm);

/* Whether all have made `child` of `parent`, where some may have heard of a loss instead; within a
 * call it is watched. false: it is freed. Collective over the parent. */
bool le__lost_made(MPI_Comm parent, MPI_Comm *child);

void le__lost_watch(MPI_Comm comm);
void le__lost_unwatch(MPI_Comm comm);
/* Watches it no longer and frees it: at the end of the call once a rank is lost, for whoever still
 * sends in a communicator that its receiver has freed is never told. */
void le__lost_free(MPI_Comm *comm);

#endif
