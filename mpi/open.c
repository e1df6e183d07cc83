/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Engines of a job.
 */
#include "deadline.h"
#include "learn.h"
#include "patient.h"

#include "liquid_engine/le_method.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Ranks of this node that may use the very same cores: they divide them. */
static int sharers(const le__world *w, const cpu_set_t *own) {
    MPI_Comm node;
    int ranks, same = 0;
    le__patient_node(w->comm, &node);
    MPI_Comm_size(node, &ranks);
    for (int i = 0; i < ranks; i++) {
        cpu_set_t other = *own;
        le__patient_bcast(&other, sizeof other, MPI_BYTE, i, node);
        same += CPU_EQUAL(&other, own);
    }
    MPI_Comm_free(&node);
    return same;
}

static int threads_of(const le__world *w) {
    cpu_set_t own;
    CPU_ZERO(&own);
    int cores = sched_getaffinity(0, sizeof own, &own) == 0 ? CPU_COUNT(&own) : 1;
    int threads = cores / sharers(w, &own);
    return threads > 0 ? threads : 1;
}

le_status le_mpi_open(le_engine **engine, MPI_Comm comm, const le_options *options) {
    le__world w;
    le_options own;
    char host[LE__HOST_TEXT];
    *engine = NULL;
    le_status status = le__world_open(&w, comm);
    if (status != LE_OK)
        return status;
    le_default_options(&own);
    if (options)
        memcpy(&own, options,
               options->struct_size < sizeof own ? options->struct_size : sizeof own);
    own.struct_size = sizeof own;
    int threads = threads_of(&w);
    if (own.threads <= 0 && !getenv("LE_THREADS"))
        own.threads = threads;
    if (w.rank > 0)
        own.db_path = ":memory:";
    if (le__learn_host(&w, host) && !own.host)
        own.host = host;
    double deadline; /* which calls look up */
    status = le__deadline_given(&deadline);
    status = le__world_agree(&w, status == LE_OK ? le_open(engine, &own) : status);
    if (status == LE_OK)
        status = le__learn_begin(&w, *engine);
    if (status != LE_OK)
        le_close(engine);
    le__world_close(&w);
    return status;
}

void le_mpi_close(le_engine **engine) {
    le_close(engine);
}
