/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Races that ranks on machines that are alike run together.
 */
#include "learn.h"

#include "liquid_engine/le_mpi.h"
#include "lost.h"

le_status le_mpi_race(le_engine *engine, MPI_Comm comm, const char *operation, const le_arg *args,
                      size_t n_args) {
    le__world w;
    le_status status = le__world_open(&w, comm);
    if (status != LE_OK)
        return status;
    if (!engine)
        status = le_fail(LE_ERR_ARGUMENT, "le_mpi_race: no engine is given, expected one of "
                                          "le_mpi_open");
    status = le__world_agree(&w, status);
    if (status != LE_OK) {
        le__world_close(&w);
        return status;
    }
    status = le__learn_as_team(&w, engine, le_bench_race, operation, args, n_args);
    status = le__world_agree(&w, status);
    if (!le__lost())
        le__learn_share(&w, engine);
    le__world_close(&w);
    return status;
}
