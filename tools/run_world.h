/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * le-run or le-bench as one of several that a launcher started: run_alone.c in the tool itself,
 * which knows no MPI; mpi/le-run-mpi.c in the program that it becomes then.
 */
#ifndef LE_TOOLS_RUN_WORLD_H
#define LE_TOOLS_RUN_WORLD_H

#include "liquid_engine/le.h"

typedef struct run_launch {
    const char *launcher; /* "Open MPI's launcher"; NULL: not one of several */
    int rank, ranks;
} run_launch;

/* What the environment says; LE_MPI=off: nothing. */
run_launch run_launched(void);
/* Whether ranks have left something of a command that writes these outputs (FILE.h5.journal), which
 * one process continues as well. */
bool run_is_left(char **argv);

/* The first thing in main. Ends the program with 1 where several were started that cannot find each
 * other: each would compute everything and write the same files. */
void run_world_start(char **argv);
/* 1: there is nobody else. */
int run_world_ranks(void);
int run_world_rank(void);
/* Whether calls are shared out: among several, or with those who have left something of them. */
bool run_world_shares(void);
le_status run_world_open(le_engine **out, const le_options *options);
/* Tensors may be given as places (LE_STR); rank 0 gets outputs that are tensors. *left: items that
 * an earlier job had left to do; -1: it is not the continuation of one. */
le_status run_world_call(le_engine *engine, const char *operation, const le_arg *args, size_t n,
                         int64_t *left);

/* Boxes that the volume of the latest call was cut into; 0: it was not. */
int64_t run_world_boxes(void);

/* For what le-run shares out itself. Agreeing and telling are collective; alone they do nothing. */
/* The error of the lowest rank that has one, with its text, on all. */
le_status run_world_agree(le_status status);
/* Rank 0's number. */
int64_t run_world_tell(int64_t number);
/* Rank 0's bytes. */
void run_world_broadcast(void *data, int64_t bytes);
/* Around work that is begun anew when a rank dies meanwhile, by those who live. Collective. */
void run_world_begin(void);
/* Ends it: whether it is to be begun anew. Ends the program when rank 0 was lost, which writes. */
bool run_world_again(void);
/* So many items took so long: where tests let a rank be slow, or end. */
void run_world_done(int64_t items, double seconds);
/* Whether it is true for all. */
bool run_world_all(bool own);
/* A race as in mode measure, over all ranks. */
le_status run_world_race(le_engine *engine, const char *operation, const le_arg *args, size_t n);
/* What each rank believes of its speed, by rank, for free(); NULL: not all know theirs. */
double *run_world_speeds(double own);
/* After work that is no run_world_call: what the ranks have learnt, they tell each other.
 * Collective.
 */
void run_world_learn(le_engine *engine);
/* To rank 0, and there from another rank. */
void run_world_send(const void *data, int64_t bytes);
void run_world_receive(void *data, int64_t bytes, int from);

#endif
