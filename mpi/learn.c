/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Learning together: after a call whom one rank has found wrong is so on all, and rank 0 keeps the
 * timings of all, of so many ranks of a kind of machine as are needed to know it well.
 */
#include "learn.h"

#include "liquid_engine/le_bench.h"
#include "lost.h"
#include "patient.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS_A_KIND = 64 };

typedef struct about { /* a rank */
    uint64_t kind, machine;
    int64_t samples, verdicts; /* bytes of what is new */
} about;

/* One of each rank, of the calling rank *own; NULL without memory, on all ranks then. */
static about *of_all(const le__world *w, const about *own) {
    about *all = calloc((size_t)w->ranks, sizeof *all);
    if (!le__world_all(w, all != NULL)) {
        free(all);
        return NULL;
    }
    le__patient_allgather(own, all, (int)sizeof *all, MPI_BYTE, w->comm);
    return all;
}

bool le__learn_host(const le__world *w, char *out) {
    const about own = {.kind = le_bench_machine(false), .machine = le_bench_machine(true)};
    about *all = of_all(w, &own);
    bool several = false;
    for (int r = 0; all && r < w->ranks; r++)
        several = several || (all[r].kind == own.kind && all[r].machine != own.machine);
    free(all);
    snprintf(out, LE__HOST_TEXT, "like %016" PRIx64, own.kind);
    return several;
}

/* Those whose machines are alike; without memory each is alone. */
static le_status make_team(const le__world *w, le__world *team) {
    const about own = {.kind = le_bench_machine(false)};
    about *all = of_all(w, &own);
    int first = all ? 0 : w->rank;
    while (first < w->rank && all[first].kind != own.kind)
        first++;
    free(all);
    return le__world_part(team, w, first);
}

static void gather(void *context, const void *own, size_t bytes, void *all) {
    const le__world *w = context;
    if (le__patient_allgather(own, all, (int)bytes, MPI_BYTE, w->comm) != MPI_SUCCESS)
        memset(all, 0, bytes * (size_t)w->ranks);
}

static bool is_true_for_all(void *context, bool own) {
    return le__world_all(context, own);
}

le_status le__learn_as_team(le__world *w, le_engine *engine, le__team_fn work,
                            const char *operation, const le_arg *args, size_t n_args) {
    le__world kind;
    le_status status = make_team(w, &kind);
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

/* ---------------------------------------------------------------------------------- beginning --
 */

le_status le__learn_begin(le__world *w, le_engine *engine) {
    char *text = NULL;
    size_t size = 0;
    int64_t bytes = 0;
    if (w->ranks < 2)
        return LE_OK;
    if (w->rank == 0 && le_bench_hand_out(engine, LE_BENCH_ALL, &text, &size) == LE_OK)
        bytes = (int64_t)size;
    le__world_broadcast(w, &bytes, sizeof bytes);
    if (w->rank > 0)
        text = malloc((size_t)bytes + 1);
    le_status status = le__world_agree(
        w, text || !bytes ? LE_OK : le_fail(LE_ERR_MEMORY, "le_mpi_open: out of memory"));
    if (status == LE_OK) {
        le__world_broadcast(w, text, bytes);
        if (w->rank > 0)
            le_bench_hand_in(engine, LE_BENCH_ALL, text, (size_t)bytes);
        free(text);
        text = NULL;
        le_bench_hand_out(engine, LE_BENCH_VERDICTS, &text, &size); /* from now on they are kept */
    }
    free(text);
    return status;
}

/* ------------------------------------------------------------------------------------- speeds --
 */

double *le__learn_speeds(const le__world *w, double own) {
    double *all = malloc((size_t)w->ranks * sizeof *all);
    const double given = all && own > 0 && isfinite(own) ? own : 0;
    double least;
    le__patient_allreduce(&given, &least, 1, MPI_DOUBLE, MPI_MIN, w->comm);
    if (least <= 0) {
        free(all);
        return NULL;
    }
    le__patient_allgather(&given, all, 1, MPI_DOUBLE, w->comm);
    return all;
}

/* ------------------------------------------------------------------------------------ sharing --
 */

static void hear_verdicts(const le__world *w, le_engine *engine, const about *all, char *own) {
    for (int r = 0; r < w->ranks; r++) {
        if (!all[r].verdicts)
            continue;
        char *text = r == w->rank ? own : malloc((size_t)all[r].verdicts);
        bool everywhere = le__world_all(w, text != NULL);
        if (everywhere)
            le__patient_bcast(text, (int)all[r].verdicts, MPI_BYTE, r, w->comm);
        if (everywhere && r != w->rank && !le__lost())
            le_bench_hand_in(engine, LE_BENCH_VERDICTS, text, (size_t)all[r].verdicts);
        if (r != w->rank)
            free(text);
    }
}

/* Whether enough others are there that stand before it and are of its kind. */
static bool is_one_too_many(const about *all, int rank) {
    int before = 0;
    for (int r = 0; r < rank; r++)
        before += all[r].kind == all[rank].kind;
    return before >= RANKS_A_KIND;
}

static void keep_samples(le__world *w, le_engine *engine, const about *all, const char *own) {
    for (int r = 1; r < w->ranks; r++) {
        if (!all[r].samples || is_one_too_many(all, r) || (w->rank > 0 && w->rank != r))
            continue;
        if (w->rank == r) {
            le__world_send(w, own, all[r].samples, 0);
            continue;
        }
        char *text = malloc((size_t)all[r].samples);
        if (!text) /* the message is to be taken, and nothing else can be */
            MPI_Abort(w->comm, 1);
        le__world_receive(w, text, all[r].samples, r);
        le_bench_hand_in(engine, LE_BENCH_SAMPLES, text, (size_t)all[r].samples);
        free(text);
    }
}

/* Calls of milliseconds do not hand out their timings each: sharing takes a twentieth of the time
 * at most, and what is new waits. */
static double next_s;
static const double twentieth = 20;

void le__learn_share(le__world *w, le_engine *engine) {
    const double begun = MPI_Wtime();
    char *samples = NULL, *verdicts = NULL;
    size_t n_samples = 0, n_verdicts = 0;
    about own = {.kind = le_bench_machine(false), .machine = le_bench_machine(true)};
    if (w->ranks < 2)
        return;
    if (le_bench_hand_out(engine, LE_BENCH_VERDICTS, &verdicts, &n_verdicts) == LE_OK)
        own.verdicts = (int64_t)n_verdicts;
    if (begun >= next_s && w->rank > 0 &&
        le_bench_hand_out(engine, LE_BENCH_SAMPLES, &samples, &n_samples) == LE_OK)
        own.samples = (int64_t)n_samples;
    about *all = of_all(w, &own);
    if (all) {
        hear_verdicts(w, engine, all, verdicts);
        keep_samples(w, engine, all, samples);
    }
    if (own.samples)
        next_s = MPI_Wtime() + twentieth * (MPI_Wtime() - begun);
    free(all);
    free(samples);
    free(verdicts);
}
