/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Survivors of a communicator are kept as its attribute. Only where Open MPI has ULFM and its
 * launcher was told to use it.
 */
#include "lost.h"

#include <stdlib.h>

#if defined OMPI_MAJOR_VERSION && defined __has_include
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

#if defined MPIX_ERR_PROC_FAILED && defined OMPI_MAJOR_VERSION /* MPICH has the name alone */

enum { WATCHED = 16 };

static MPI_Comm watched[WATCHED];
static int n_watched;
static MPI_Comm parted[WATCHED]; /* of a call that has lost a rank */
static int n_parted;
static bool within, lost;
static void (*leave)(void);
static int key = MPI_KEYVAL_INVALID;
static MPI_Errhandler handler = MPI_ERRHANDLER_NULL, ending = MPI_ERRHANDLER_NULL;
static MPI_Errhandler usual = MPI_ERRHANDLER_NULL; /* of the communicator of the call */

bool le__lost_survivable(void) {
    int *value = NULL, found = 0, begun = 0, ended = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (begun && !ended)
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &value, &found);
    return found && value && *value;
}

static void end_job(MPI_Comm *comm, int *code, ...) {
    (void)code;
    if (leave)
        leave();
    MPI_Abort(*comm, 1);
}

void le__lost_on_end(void (*how)(void)) {
    leave = how;
}

void le__lost_ends_job(MPI_Comm comm) {
    if (!le__lost_survivable()) {
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
        return;
    }
    if (ending == MPI_ERRHANDLER_NULL)
        MPI_Comm_create_errhandler(end_job, &ending);
    MPI_Comm_set_errhandler(comm, ending);
}

static void hear(MPI_Comm *comm, int *code, ...) {
    int class = MPI_SUCCESS;
    MPI_Error_class(*code, &class);
    const bool dead = class == MPIX_ERR_PROC_FAILED || class == MPIX_ERR_PROC_FAILED_PENDING ||
                      class == MPIX_ERR_REVOKED;
    if (!dead && !lost)
        end_job(comm, code);
    if (lost)
        return;
    lost = true;
    for (int i = 0; i < n_watched; i++)
        MPIX_Comm_revoke(watched[i]);
}

MPI_Comm le__lost_survivors(MPI_Comm comm) {
    MPI_Comm *kept = NULL;
    int found = 0;
    if (key != MPI_KEYVAL_INVALID && comm != MPI_COMM_NULL)
        MPI_Comm_get_attr(comm, key, (void *)&kept, &found);
    return found ? *kept : comm;
}

void le__lost_begin(MPI_Comm comm) {
    within = comm != MPI_COMM_NULL && le__lost_survivable();
    lost = false;
    if (!within)
        return;
    if (handler == MPI_ERRHANDLER_NULL)
        MPI_Comm_create_errhandler(hear, &handler);
    MPI_Comm_get_errhandler(le__lost_survivors(comm), &usual);
    MPI_Comm_set_errhandler(le__lost_survivors(comm), handler); /* it is copied, and meets its dead */
}

static void end(MPI_Comm survivors) {
    MPI_Comm_set_errhandler(survivors, usual);
    MPI_Errhandler_free(&usual);
    within = lost = false;
}

bool le__lost(void) {
    return lost;
}

static int forget(MPI_Comm comm, int number, void *kept, void *extra) {
    (void)comm;
    (void)number;
    (void)extra;
    free(kept);
    return MPI_SUCCESS;
}

bool le__lost_end(MPI_Comm comm, MPI_Comm used) {
    int good = !lost;
    MPI_Comm *kept = NULL;
    const MPI_Comm before = used != MPI_COMM_NULL ? used : le__lost_survivors(comm);
    if (!within)
        return false;
    lost = true; /* errors of what follows are no news */
    if (MPIX_Comm_agree(before, &good) == MPI_SUCCESS && good) {
        end(le__lost_survivors(comm));
        return false;
    }
    MPI_Comm_set_errhandler(le__lost_survivors(comm), usual);
    if (key == MPI_KEYVAL_INVALID)
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL);
    kept = malloc(sizeof *kept);
    if (!kept || MPIX_Comm_shrink(before, kept) != MPI_SUCCESS)
        MPI_Abort(comm, 1);
    MPI_Comm_set_attr(comm, key, kept);
    while (n_parted > 0) /* everybody has come this far */
        MPI_Comm_free(&parted[--n_parted]);
    end(*kept);
    return true;
}

int le__lost_number(MPI_Comm comm) {
    int all = 0, left = 0;
    MPI_Comm_size(comm, &all);
    MPI_Comm_size(le__lost_survivors(comm), &left);
    return all - left;
}

bool le__lost_root(MPI_Comm comm) {
    MPI_Group all, left;
    const int root = 0;
    int there = 0;
    MPI_Comm_group(comm, &all);
    MPI_Comm_group(le__lost_survivors(comm), &left);
    MPI_Group_translate_ranks(all, 1, &root, left, &there);
    MPI_Group_free(&all);
    MPI_Group_free(&left);
    return there == MPI_UNDEFINED;
}

/* Those of the communicator that this rank has heard to be dead, as its numbers: mark[rank]. */
static void mark_dead(MPI_Comm comm, bool *mark, int ranks) {
    MPI_Group all, dead;
    MPI_Comm_group(comm, &all);
    MPIX_Comm_failure_ack(comm);
    MPIX_Comm_failure_get_acked(comm, &dead);
    for (int rank = 0; rank < ranks; rank++) {
        int there = MPI_UNDEFINED;
        MPI_Group_translate_ranks(all, 1, &rank, dead, &there);
        mark[rank] = there != MPI_UNDEFINED;
    }
    MPI_Group_free(&all);
    MPI_Group_free(&dead);
}

bool le__lost_speaks(MPI_Comm comm) {
    const MPI_Comm left = le__lost_survivors(comm);
    int ranks, own, first = 0;
    MPI_Comm_size(left, &ranks);
    MPI_Comm_rank(left, &own);
    bool *dead = calloc((size_t)ranks, sizeof *dead);
    if (dead)
        mark_dead(left, dead, ranks);
    while (dead && first < own && dead[first])
        first++;
    free(dead);
    return first == own;
}

static bool is_watched(MPI_Comm comm) {
    for (int i = 0; i < n_watched; i++)
        if (watched[i] == comm)
            return true;
    return false;
}

void le__lost_watch(MPI_Comm comm) {
    if (!within || n_watched == WATCHED || is_watched(comm))
        return;
    MPI_Comm_set_errhandler(comm, handler);
    watched[n_watched++] = comm;
    if (lost)
        MPIX_Comm_revoke(comm);
}

void le__lost_unwatch(MPI_Comm comm) {
    for (int i = 0; i < n_watched; i++)
        if (watched[i] == comm)
            watched[i--] = watched[--n_watched];
}

void le__lost_free(MPI_Comm *comm) {
    le__lost_unwatch(*comm);
    if (!lost || n_parted == WATCHED) {
        MPI_Comm_free(comm);
        return;
    }
    parted[n_parted++] = *comm;
    *comm = MPI_COMM_NULL;
}

/* One that is not watched cannot be revoked, and its members are found to agree by other means. */
bool le__lost_made(MPI_Comm parent, MPI_Comm *child) {
    int all = *child != MPI_COMM_NULL;
    if (!within)
        return all;
    if (all)
        le__lost_watch(*child);
    const int code = is_watched(parent)
                         ? MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, parent)
                         : MPIX_Comm_agree(parent, &all);
    if (code == MPI_SUCCESS && all && !lost)
        return true;
    lost = true;
    if (*child != MPI_COMM_NULL)
        le__lost_free(child);
    return false;
}

#else

bool le__lost_survivable(void) {
    return false;
}

void le__lost_on_end(void (*how)(void)) {
    (void)how;
}

void le__lost_ends_job(MPI_Comm comm) {
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
}

MPI_Comm le__lost_survivors(MPI_Comm comm) {
    return comm;
}

void le__lost_begin(MPI_Comm comm) {
    (void)comm;
}

bool le__lost(void) {
    return false;
}

bool le__lost_end(MPI_Comm comm, MPI_Comm used) {
    (void)comm;
    (void)used;
    return false;
}

int le__lost_number(MPI_Comm comm) {
    (void)comm;
    return 0;
}

bool le__lost_root(MPI_Comm comm) {
    (void)comm;
    return false;
}

bool le__lost_speaks(MPI_Comm comm) {
    int own;
    MPI_Comm_rank(comm, &own);
    return own == 0;
}

bool le__lost_made(MPI_Comm parent, MPI_Comm *child) {
    (void)parent;
    return *child != MPI_COMM_NULL;
}

void le__lost_watch(MPI_Comm comm) {
    (void)comm;
}

void le__lost_unwatch(MPI_Comm comm) {
    (void)comm;
}

void le__lost_free(MPI_Comm *comm) {
    MPI_Comm_free(comm);
}

#endif
