/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What tests of ranks have in common: a beginning, a folder, a check that says which rank it failed
 * on, and an end.
 */
#ifndef LE_TEST_RANKS_H
#define LE_TEST_RANKS_H

#include "liquid_engine/le_method.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, failures;

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "rank %d, line %d: %s (%s)\n", rank, __LINE__, #x,                     \
                    le_error_message());                                                           \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

/* folder: a template as of mkdtemp, made by rank 0 and named on all; NULL: none. */
static void begin_ranks(int *argc, char ***argv, char *folder) {
    int provided;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!folder)
        return;
    if (rank == 0 && !mkdtemp(folder))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Bcast(folder, (int)strlen(folder) + 1, MPI_CHAR, 0, MPI_COMM_WORLD);
}

/* The failures of all; the folder goes, by rank 0, where that it cannot counts as one more. */
static int end_ranks(const char *folder) {
    int sum;
    char command[64];
    MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (folder && rank == 0) {
        snprintf(command, sizeof command, "rm -rf '%s'", folder);
        sum += system(command) != 0;
    }
    return sum;
}

/* The same as the end of a program: returns what main does. */
static inline int finish_ranks(const char *folder) {
    const int sum = end_ranks(folder);
    if (rank == 0)
        printf("%d ranks: %d failures\n", ranks, sum);
    MPI_Finalize();
    return sum ? 1 : 0;
}

#endif
