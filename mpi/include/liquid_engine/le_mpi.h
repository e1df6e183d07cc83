/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Calls over the processes of an MPI communicator: libliquid_engine_mpi, built with LE_WITH_MPI.
 *
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
 *     le_engine *e;
 *     le_mpi_open(&e, MPI_COMM_WORLD, NULL);
 *     le_mpi_run(e, MPI_COMM_WORLD, NULL, "volume_render", LE_STR("volume", "cube.h5:/density"),
 *                LE_I64("size", 1024), LE_F64S("angles", angles, 3600),
 *                LE_STR("images", "web.h5:/images"));
 *     le_mpi_close(&e);
 *
 * Every function is collective: all ranks of the communicator call it, with the same arguments.
 * What a rank is given otherwise than rank 0 is an error of le_mpi_run on all, which names it: an
 * argument, a dtype or shape, an element of a table, an option; but elements of inputs are not
 * compared. A call is cut as its operation's `slabs` says (le_method.h): views of a volume, frames
 * of a movie, rows along an axis; each rank begins with a part of the items, by what the timings
 * database knows of its machine, and is given more of them by its measured speed; results are put
 * together in order. What cannot be cut is worked off by rank 0. A volume at a place that does not
 * fit a rank's memory limit is cut into boxes (le_boxes.h), one a rank, of which each reads its
 * own; rank 0 gets the pictures.
 *
 * Where all outputs are HDF5 places, a job that ends before its time leaves FILE.part and
 * FILE.journal: the same call, over any number of ranks, does what is left. Another call, input
 * file or tensor begins anew, and so do calls on numbered files, of which none is left. What others
 * write into FILE meanwhile stays; a second job into it is refused (LE_ERR_IO). A FILE.part of
 * another origin is refused, beside such a FILE.journal none is kept.
 *
 * A rank that dies ends the job. With ULFM (Open MPI 5, mpirun --with-ft ulfm) the others go on
 * without it, unless it is rank 0: they begin the call anew, and where there is a journal do what is
 * left of it. This communicator serves for further calls.
 *
 * Errors are agreed: the lowest rank that fails gives its status and text, with its number, to all;
 * no output has been changed then. At a deadline all return LE_ERR_CANCELLED; a rank that has not
 * come back half a minute later is named on stderr, and the job ends by MPI_Abort. All of this is
 * for the thread that called MPI_Init_thread.
 */
#ifndef LE_MPI_H
#define LE_MPI_H

#include "liquid_engine/le.h"

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where tensors are that are given as tensors, tables among them. An input, table or output that is
 * given as text (LE_STR) is a place (le_io.h): each rank reads what it needs of it (of a table rank
 * 0, for all), and writes its own part into an HDF5 file; other formats are written by rank 0. */
typedef enum le_mpi_where {
    LE_MPI_ROOT = 0, /* rank 0 has or gets it; the others give {0}, which is not looked at, and get
                        nothing */
    LE_MPI_ALL       /* all ranks have the whole, or get it */
} le_mpi_where;

typedef struct le_mpi_options {
    size_t struct_size; /* sizeof(le_mpi_options) */
    le_mpi_where in, out;
    double deadline_s; /* for the whole call; 0: LE_MPI_DEADLINE in the environment, or none */
    /* Of calls in boxes: in a round so many ranks exchange their pictures; the product is the
     * number of ranks. NULL: the largest ones up to 8. */
    const int *factors;
    size_t n_factors;
    uint64_t reserved[6];
} le_mpi_options;

typedef struct le_mpi_report {
    size_t struct_size; /* set by the caller */
    int ranks, nodes;   /* of the communicator; nodes share memory */
    int64_t items;      /* of the whole call; 0: it was not cut */
    int64_t left;       /* of these, to be done by this job: an earlier one may have done others */
    int64_t own;        /* that this rank has done */
    int64_t messages, bytes; /* sent by this rank with results */
    int64_t asks;            /* messages of this rank about who does what */
    double seconds;          /* of the whole call, here */
    double waited_s;         /* of these, for an answer, or as rank 0 for the others */
    int64_t boxes;           /* that the volume was cut into; 0: it was not */
    int64_t samples_owned;   /* of all boxes: the samples of all views */
    int64_t own_samples;     /* of these, of this rank's boxes */
    int failed_ranks;        /* that have died until now; ranks are the others */
    const char *why_whole;   /* rank 0 has made it alone: why, a literal; NULL: it was cut */
} le_mpi_report;

/* As le_open; rank 0 alone opens the timings database, the others begin with what it knows. After a
 * call, timings of all ranks are in it, and who has failed on one rank is left out on all. Machines
 * that are alike in all but their names are one in it (le_options.host). Threads are the
 * cores that a rank may use, divided by the ranks of its node that may use the same ones. */
LE_API le_status le_mpi_open(le_engine **engine, MPI_Comm comm, const le_options *options);
LE_API void le_mpi_close(le_engine **engine);

/* Use the macro le_mpi_run. engine: of le_mpi_open. options NULL: the defaults. With
 * LE_OPT_REPRODUCIBLE the result has the same bits for any number of ranks. */
LE_API le_status le_mpi_call_run(le_engine *engine, MPI_Comm comm, const le_mpi_options *options,
                                 const char *operation, const le_arg *args, size_t n_args);
#ifndef __cplusplus
#define le_mpi_run(engine, comm, options, operation, ...)                                          \
    le_mpi_call_run((engine), (comm), (options), (operation), LE_ARGS_(__VA_ARGS__),               \
                    sizeof LE_ARGS_(__VA_ARGS__) / sizeof(le_arg))
#endif

/* Measures ahead of need, as mode measure does: ranks on machines that are alike divide the
 * candidates of the call, and all run the best four. The choice is in rank 0's database when its
 * machine took part in it. The call is not answered; its tensors lie on all ranks. */
LE_API le_status le_mpi_race(le_engine *engine, MPI_Comm comm, const char *operation,
                             const le_arg *args, size_t n_args);

/* Of the latest call of this process that succeeded; LE_ERR_ARGUMENT: there was none. */
LE_API le_status le_mpi_last_run(le_mpi_report *report);

#ifdef __cplusplus
}
#endif
#endif
