/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the ranks of a job learn, they learn together. Rank 0 alone has the timings database.
 */
#ifndef LE_MPI_LEARN_H
#define LE_MPI_LEARN_H

#include "liquid_engine/le_bench.h"
#include "world.h"

enum { LE__HOST_TEXT = 24 };

/* Who this rank's machine is, for le_options.host: several machines that are alike in all but their
 * names are one. false: it is itself. Collective. */
bool le__learn_host(const le__world *w, char *out);
typedef le_status (*le__team_fn)(le_engine *engine, const char *operation, const le_arg *args,
                                 size_t n_args, const le_bench_team *team);
/* le_bench_race or le_bench_prove by each team; the status is this rank's. Collective. */
le_status le__learn_as_team(le__world *w, le_engine *engine, le__team_fn work,
                            const char *operation, const le_arg *args, size_t n_args);
/* What rank 0 knows, to all. Collective. */
le_status le__learn_begin(le__world *w, le_engine *engine);
/* What each rank believes of its own speed, by rank, for free(); NULL on all where one of them
 * knows nothing (own is no positive number). Collective. */
double *le__learn_speeds(const le__world *w, double own);
/* What is new: verdicts to all, timings to rank 0. Nothing that fails here is an error of a call.
 * Collective. */
void le__learn_share(le__world *w, le_engine *engine);

#endif
