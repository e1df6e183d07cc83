/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Messages whose waiting leaves the core to those who work. What MPI itself waits in turns without
 * a rest: ranks that share cores with others, or with the threads of another, then take the time
 * that the work needs (with MPICH 4.0, which does not even yield, 30 times as long).
 *
 * As MPI's functions of these names, and with their results.
 */
#ifndef LE_MPI_PATIENT_H
#define LE_MPI_PATIENT_H

#include <mpi.h>

int le__patient_wait(MPI_Request *request);
int le__patient_barrier(MPI_Comm comm);
int le__patient_bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int le__patient_allreduce(const void *own, void *all, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm);
int le__patient_allgather(const void *own, void *all, int count, MPI_Datatype type, MPI_Comm comm);
int le__patient_send(const void *data, int count, MPI_Datatype type, int to, int tag,
                     MPI_Comm comm);
int le__patient_recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm);
int le__patient_probe(int from, int tag, MPI_Comm comm, MPI_Status *status);
int le__patient_dup(MPI_Comm comm, MPI_Comm *copy);
/* The others are waited for before, as MPI has no split that could be asked whether it is done. */
int le__patient_split(MPI_Comm comm, int color, int key, MPI_Comm *part);
/* Those whose memory is this one's. */
int le__patient_node(MPI_Comm comm, MPI_Comm *node);

#endif
