/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What le-run needs to be one rank of many. Rank 0 alone prints.
 */
#include "liquid_engine/le_mpi.h"
#include "run_world.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int own_rank, all_ranks = 1;

/* However the program ends: ranks that leave without a word end the job with an error. */
static void leave(void) {
    int begun = 0, ended = 1;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (begun && !ended)
        MPI_Finalize();
}

static void check_launch(const run_launch *l) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int n;
    if (!l->launcher || all_ranks > 1)
        return;
    MPI_Get_library_version(version, &n);
    version[strcspn(version, ",\n")] = '\0';
    tool_message("started as rank %d of %d by %s, but the MPI part uses %s", l->rank, l->ranks,
                 l->launcher, version);
    exit(TOOL_FAILED);
}

void run_world_start(char **argv) {
    run_launch l = run_launched();
    int provided;
    (void)argv;
    if (!l.launcher)
        return;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    atexit(leave);
    MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &all_ranks);
    check_launch(&l);
    if (own_rank > 0 && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)))
        exit(TOOL_FAILED);
}

int run_world_ranks(void) {
    return all_ranks;
}

int run_world_rank(void) {
    return own_rank;
}

le_status run_world_open(le_engine **out, const le_options *options) {
    return all_ranks > 1 ? le_mpi_open(out, MPI_COMM_WORLD, options) : le_open(out, options);
}

le_status run_world_call(le_engine *engine, const char *operation, const le_arg *args, size_t n,
                         int64_t *left) {
    le_mpi_report r = {.struct_size = sizeof r};
    le_status status = le_mpi_call_run(engine, MPI_COMM_WORLD, NULL, operation, args, n);
    bool known = status == LE_OK && le_mpi_last_run(&r) == LE_OK;
    *left = known && r.left < r.items ? r.left : -1;
    return status;
}
