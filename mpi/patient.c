/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Waiting with rests.
 */
#include "patient.h"

#include "lost.h"

#include <time.h>

/* Answers that come at once are not slept through; a rest is short beside the least share of work
 * that is handed out. */
enum { BUSY_ROUNDS = 200, LEAST_NS = 20000, MOST_NS = 500000 };

typedef struct rests {
    int rounds;
    long ns;
} rests;

static void rest(rests *r) {
    if (r->rounds++ < BUSY_ROUNDS)
        return;
    r->ns = r->ns ? r->ns + r->ns / 4 : LEAST_NS;
    if (r->ns > MOST_NS)
        r->ns = MOST_NS;
    const struct timespec t = {.tv_nsec = r->ns};
    nanosleep(&t, NULL);
}

int le__patient_wait(MPI_Request *request) {
    rests r = {0};
    int done = 0, code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
    while (code == MPI_SUCCESS && !done) {
        rest(&r);
        code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
    return code;
}

/* Open MPI 5.0 does not come back from a collective of several steps that is asked whether it is
 * done when a rank dies meanwhile; from one that waits it does. */
static bool must_wait(void) {
    return le__lost_survivable();
}

static int begun(int code, MPI_Request *request) {
    return code == MPI_SUCCESS ? le__patient_wait(request) : code;
}

int le__patient_barrier(MPI_Comm comm) {
    MPI_Request r;
    if (must_wait())
        return MPI_Barrier(comm);
    return begun(MPI_Ibarrier(comm, &r), &r);
}

int le__patient_bcast(void *data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    MPI_Request r;
    if (must_wait())
        return MPI_Bcast(data, count, type, root, comm);
    return begun(MPI_Ibcast(data, count, type, root, comm, &r), &r);
}

int le__patient_allreduce(const void *own, void *all, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm) {
    MPI_Request r;
    if (must_wait())
        return MPI_Allreduce(own, all, count, type, op, comm);
    return begun(MPI_Iallreduce(own, all, count, type, op, comm, &r), &r);
}

int le__patient_allgather(const void *own, void *all, int count, MPI_Datatype type, MPI_Comm comm) {
    MPI_Request r;
    if (must_wait())
        return MPI_Allgather(own, count, type, all, count, type, comm);
    return begun(MPI_Iallgather(own, count, type, all, count, type, comm, &r), &r);
}

int le__patient_send(const void *data, int count, MPI_Datatype type, int to, int tag,
                     MPI_Comm comm) {
    MPI_Request r;
    return begun(MPI_Isend(data, count, type, to, tag, comm, &r), &r);
}

int le__patient_recv(void *data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm) {
    MPI_Request r;
    return begun(MPI_Irecv(data, count, type, from, tag, comm, &r), &r);
}

int le__patient_probe(int from, int tag, MPI_Comm comm, MPI_Status *status) {
    rests r = {0};
    int there = 0, code = MPI_Iprobe(from, tag, comm, &there, status);
    while (code == MPI_SUCCESS && !there) {
        rest(&r);
        code = MPI_Iprobe(from, tag, comm, &there, status);
    }
    return code;
}

int le__patient_dup(MPI_Comm comm, MPI_Comm *copy) {
    MPI_Request r;
    if (must_wait())
        return MPI_Comm_dup(comm, copy);
    return begun(MPI_Comm_idup(comm, copy, &r), &r);
}

int le__patient_split(MPI_Comm comm, int color, int key, MPI_Comm *part) {
    const int code = le__patient_barrier(comm);
    return code == MPI_SUCCESS ? MPI_Comm_split(comm, color, key, part) : code;
}

int le__patient_node(MPI_Comm comm, MPI_Comm *node) {
    const int code = le__patient_barrier(comm);
    return code == MPI_SUCCESS
               ? MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node)
               : code;
}
