/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Agreeing and moving bytes.
 */
#include "world.h"

#include "lost.h"
#include "patient.h"

#include "liquid_engine/le_method.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { PIECE = 1 << 30, TEXT = 1024, TAG = 7 };

static le_status take(le__world *w, MPI_Comm parent, MPI_Comm made) {
    if (made != MPI_COMM_NULL)
        le__lost_ends_job(made);       /* a lost rank, */
    if (!le__lost_made(parent, &made)) /* or it is survived */
        return le_fail(LE_ERR_ARGUMENT, "the communicator cannot be used");
    w->comm = made;
    MPI_Comm_rank(made, &w->rank);
    MPI_Comm_size(made, &w->ranks);
    return LE_OK;
}

le_status le__world_open(le__world *w, MPI_Comm comm) {
    int begun = 0, ended = 0, between = 0;
    MPI_Comm copy = MPI_COMM_NULL;
    *w = (le__world){.comm = MPI_COMM_NULL};
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (!begun || ended)
        return le_fail(LE_ERR_UNSUPPORTED, "MPI is not running: call MPI_Init_thread first");
    comm = le__lost_survivors(comm);
    if (comm == MPI_COMM_NULL)
        return le_fail(LE_ERR_ARGUMENT, "there is no communicator");
    if (MPI_Comm_test_inter(comm, &between) != MPI_SUCCESS || between)
        return le_fail(LE_ERR_ARGUMENT, "the communicator is one between two groups of ranks; "
                                        "expected one of a group, as MPI_Intercomm_merge makes it");
    if (le__patient_dup(comm, &copy) != MPI_SUCCESS)
        copy = MPI_COMM_NULL;
    return take(w, comm, copy);
}

le_status le__world_part(le__world *part, const le__world *w, int color) {
    MPI_Comm made = MPI_COMM_NULL;
    *part = (le__world){.comm = MPI_COMM_NULL};
    if (le__patient_split(w->comm, color, w->rank, &made) != MPI_SUCCESS)
        made = MPI_COMM_NULL;
    return take(part, w->comm, made);
}

void le__world_close(le__world *w) {
    if (w->comm != MPI_COMM_NULL)
        le__lost_free(&w->comm);
}

bool le__world_all(const le__world *w, bool own) {
    int number = own;
    if (w->ranks > 1)
        le__patient_allreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MIN, w->comm);
    return number != 0 && !le__lost();
}

static le_status lost(void) {
    return le_fail(LE_ERR_INTERNAL, "a rank was lost");
}

/* As an error that has been agreed before does. */
static bool names_rank(const char *text) {
    const char *end = strrchr(text, '(');
    int rank, ranks;
    return end && sscanf(end, "(rank %d of %d)", &rank, &ranks) == 2;
}

le_status le__world_agree(const le__world *w, le_status status) {
    char text[TEXT] = "";
    int failed = status == LE_OK ? INT_MAX : w->rank, first = INT_MAX;
    if (w->ranks == 1)
        return status;
    le__patient_allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, w->comm);
    if (le__lost())
        return lost();
    if (first == INT_MAX)
        return LE_OK;
    int code = (int)status;
    if (w->rank == first)
        snprintf(text, sizeof text, "%s", le_error_message());
    le__patient_bcast(&code, 1, MPI_INT, first, w->comm);
    le__patient_bcast(text, sizeof text, MPI_CHAR, first, w->comm);
    if (le__lost())
        return lost();
    return names_rank(text) ? le_fail((le_status)code, "%s", text)
                            : le_fail((le_status)code, "%s (rank %d of %d)", text, first, w->ranks);
}

le_status le__world_same(const le__world *w, uint64_t hash, const char *what) {
    uint64_t root = hash;
    le__patient_bcast(&root, 1, MPI_UINT64_T, 0, w->comm);
    return le__world_agree(
        w, root == hash ? LE_OK : le_fail(LE_ERR_ARGUMENT, "%s are not those of rank 0", what));
}

static int piece_of(int64_t bytes) {
    return bytes < PIECE ? (int)bytes : PIECE;
}

void le__world_broadcast(const le__world *w, void *data, int64_t bytes) {
    for (char *at = data; bytes > 0; at += PIECE, bytes -= PIECE)
        if (le__patient_bcast(at, piece_of(bytes), MPI_BYTE, 0, w->comm) != MPI_SUCCESS && w->rank)
            memset(at, 0, (size_t)piece_of(bytes));
}

void le__world_send(le__world *w, const void *data, int64_t bytes, int to) {
    for (const char *at = data; bytes > 0; at += PIECE, bytes -= PIECE) {
        le__patient_send(at, piece_of(bytes), MPI_BYTE, to, TAG, w->comm);
        w->messages++;
        w->bytes += piece_of(bytes);
    }
}

void le__world_receive(const le__world *w, void *data, int64_t bytes, int from) {
    for (char *at = data; bytes > 0; at += PIECE, bytes -= PIECE)
        if (le__patient_recv(at, piece_of(bytes), MPI_BYTE, from, TAG, w->comm) != MPI_SUCCESS)
            memset(at, 0, (size_t)piece_of(bytes));
}
