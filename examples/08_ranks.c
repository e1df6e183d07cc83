/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A web of views of a volume, rendered by all processes of an MPI job:
 *     mpirun -n 4 08_ranks cube.h5:/density web.h5:/images
 */
#include <liquid_engine/le_mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
    int provided, rank;
    le_engine *engine;
    le_mpi_report report = {.struct_size = sizeof report};
    if (argc != 3) {
        fprintf(stderr, "usage: %s VOLUME.h5:/DATASET IMAGES.h5:/DATASET\n", argv[0]);
        return 2;
    }
    double angles[24];
    for (int i = 0; i < 24; i++)
        angles[i] = 15 * i;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    le_status status = le_mpi_open(&engine, MPI_COMM_WORLD, NULL);
    if (status == LE_OK)
        status =
            le_mpi_run(engine, MPI_COMM_WORLD, NULL, "volume_render", LE_STR("volume", argv[1]),
                       LE_I64("size", 64), LE_F64S("angles", angles, 24), LE_F64("outside", 0),
                       LE_STR("images", argv[2]));
    if (status != LE_OK && rank == 0)
        fprintf(stderr, "%s\n", le_error_message());
    else if (rank == 0 && le_mpi_last_run(&report) == LE_OK)
        printf("%lld views on %d ranks in %.3f s\n", (long long)report.items, report.ranks,
               report.seconds);
    le_mpi_close(&engine);
    MPI_Finalize();
    return status != LE_OK;
}
