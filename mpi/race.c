/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Races that ranks on machines that are alike run together.
 */
#include "learn.h"

#include "liquid_engine/le_mpi.h"
#include "lost.h"

static void gather(void *context, const void *own, size_t bytes, void *all) {
    const le__world *w = context;
    MPI_Allgather(own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, w->comm);
}

static bool is_true_for_all(void *context, bool own) {
    return le__world_all(context, own);
}

le_status le__learn_as_team(le__world *w, le_engine *engine, le__team_fn work,
                            const char *operation, const le_arg *args, size_t n_args) {
    le__world kind;
    MPI_Comm comm = le__learn_team(w);
    le_status status = le__world_open(&kind, comm);
    if (comm != MPI_COMM_NULL)
        MPI_Comm_free(&comm);
    if (status != LE_OK)
        return status;
    const le_bench_team team = {.struct_size = sizeof team,
                                .rank = kind.rank,
                                .ranks = kind.ranks,
                                .context = &kind,
                                .gather = gather,
                                .all = is_true_for_all};
    status = work(engine, operation, args, n_args, &team);
    le__world_close(&kind);
    return status;
}

le_status le_mpi_race(le_engine *engine, MPI_Comm comm, const char *operation, const le_arg *args,
                      size_t n_args) {
    le__world w;
    le_status status = le__world_open(&w, comm);
    if (status != LE_OK)
        return status;
    status = le__learn_as_team(&w, engine, le_bench_race, operation, args, n_args);
    status = le__world_agree(&w, status);
    if (!le__lost())
        le__learn_share(&w, engine);
    le__world_close(&w);
    return status;
}
