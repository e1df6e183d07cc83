/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Races that ranks run together, asked for and before a call over ranks: each runs few of the
 * candidates, all find the same choice, and it is in rank 0's file. Calls in mode learn begin with
 * trials that are divided, too.
 */
#include "liquid_engine/le_bench.h"
#include "liquid_engine/le_mpi.h"
#include "ranks.h"
#include "toy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { CANDIDATES = 13, BEST = 7, WRONG = 5, SIZE = 100, ROWS = 24 /* fewer than trials have */ };

static le_engine *engine;
static char folder[] = "/tmp/le-race-XXXXXX", file[64];
static bool has_run[CANDIDATES];
static int *trials; /* of each, in child processes of this one, where first runs are made, too */
static pid_t own;

/* The best one takes a fifth of what the next one does; the wrong one would be faster yet. */
static void answer(const le_call *call, int which, size_t begin, size_t end) {
    const long ms = which == WRONG ? 0 : which == BEST ? 1 : 5 + which;
    if (begin == 0)
        nanosleep(&(struct timespec){0, 1000000 * ms}, NULL);
    has_run[which] = true;
    if (begin == 0 && getpid() != own && toy_items(call) > ROWS)
        trials[which] = 1;
    toy_range((void *)(uintptr_t)call, begin, end, 0);
    if (which == WRONG)
        le_tensor_set(le_call_out(call, TOY_RESULT), (int64_t)begin, 1e6);
}

#define CANDIDATE(n)                                                                               \
    static void range_##n(void *context, size_t begin, size_t end, int worker) {                   \
        (void)worker;                                                                              \
        answer(context, n, begin, end);                                                            \
    }
CANDIDATE(0)
CANDIDATE(1)
CANDIDATE(2)
CANDIDATE(3)
CANDIDATE(4)
CANDIDATE(5)
CANDIDATE(6)
CANDIDATE(7)
CANDIDATE(8)
CANDIDATE(9)
CANDIDATE(10)
CANDIDATE(11)
CANDIDATE(12)

static void (*const ranges[])(void *, size_t, size_t, int) = {
    range_0, range_1, range_2, range_3,  range_4,  range_5, range_6,
    range_7, range_8, range_9, range_10, range_11, range_12};
static char names[CANDIDATES][16];
static le_implementation candidates[CANDIDATES];

static bool by_rows(const le_call *call, le_slabs *out) {
    *out = (le_slabs){.items = le_call_in(call, TOY_INPUT)->shape[0]};
    out->args[TOY_INPUT].axis = out->args[TOY_RESULT].axis = 1;
    return true;
}

static void open_engine(const char *db) {
    static le_operation operation;
    le_options o;
    le_default_options(&o);
    o.db_path = db;
    o.explore_share = 1e-9;
    o.devices = "cpu";
    o.threads = 1; /* no variants */
    CHECK(le_mpi_open(&engine, MPI_COMM_WORLD, &o) == LE_OK);
    operation = toy_operation;
    operation.slabs = by_rows;
    le_register_operation(engine, &operation);
    le_register_implementation(engine, &toy_reference);
    for (int i = 0; i < CANDIDATES; i++) {
        snprintf(names[i], sizeof names[i], "t%d", i);
        candidates[i] = toy_c;
        candidates[i].name = names[i];
        candidates[i].range = ranges[i];
        candidates[i].flags = 0;
        CHECK(le_register_implementation(engine, &candidates[i]) == LE_OK);
    }
}

static bool is_kept(const le_arg *args, size_t n) {
    return le_bench_is_known(engine, "toy", args, n) ||
           le_bench_is_under_load(engine, "toy", args, n); /* others use this machine */
}

static void check_choice(const le_arg *args, size_t n) {
    le_explanation *e = NULL;
    CHECK(le_call_explain(engine, &e, "toy", args, n) == LE_OK);
    CHECK(e && !strncmp(e->choice, "t7@", 3));
    for (size_t i = 0; e && i < e->n_candidates; i++)
        if (!strcmp(le_explanation_candidate(e, i)->implementation, "t5"))
            CHECK(!le_explanation_candidate(e, i)->applicable);
    le_explanation_free(&e);
}

/* As long as the machine is as a test finds it, runs of all are about as long as they should be. */
static void all_race(void) {
    const int64_t n = SIZE;
    int count = 0;
    le_tensor in = {0}, out = {0};
    CHECK(le_tensor_alloc(&in, LE_F32, 1, &n) == LE_OK);
    memset(in.data, 0, (size_t)n * sizeof(float));
    const le_arg args[] = {LE_IN("input", &in), LE_F64("factor", 2), LE_OUT("result", &out),
                           LE_OPT_MODE(LE_MODE_MEASURE)};
    CHECK(!is_kept(args, 4));
    CHECK(le_mpi_race(engine, MPI_COMM_WORLD, "toy", args, 4) == LE_OK);
    for (int i = 0; i < CANDIDATES; i++)
        count += has_run[i];
    CHECK(count <= (CANDIDATES + ranks - 1) / ranks + 5);
    CHECK(!has_run[WRONG]); /* but in a trial */
    CHECK(is_kept(args, 4));
    check_choice(args, 4);
    le_mpi_close(&engine);
    MPI_Barrier(MPI_COMM_WORLD);
    open_engine(file); /* by rank 0's file */
    CHECK(is_kept(args, 4));
    check_choice(args, 4);
    le_tensor_free(&in);
}

static le_status call(le_mode mode, le_tensor *in, le_tensor *out) {
    const le_mpi_options o = {.struct_size = sizeof o, .in = LE_MPI_ALL, .out = LE_MPI_ALL};
    return le_mpi_run(engine, MPI_COMM_WORLD, &o, "toy", LE_IN("input", in), LE_F64("factor", 2),
                      LE_OUT("result", out), LE_OPT_MODE(mode));
}

/* Rows of which each is a block. */
static void call_over(le_mode mode) {
    le_tensor in = {0}, out = {0};
    CHECK(le_tensor_alloc(&in, LE_F32, 1, (int64_t[]){ROWS}) == LE_OK);
    for (int i = 0; i < ROWS; i++)
        le_tensor_set(&in, i, i);
    le_mpi_close(&engine);
    open_engine(":memory:");
    memset(has_run, 0, sizeof has_run);
    memset(trials, 0, CANDIDATES * sizeof *trials);
    CHECK(call(mode, &in, &out) == LE_OK);
    for (int i = 0; i < ROWS && out.data; i++)
        CHECK(le_tensor_get(&out, i) == 2 * i);
    le_tensor_free(&in);
    le_tensor_free(&out);
}

static void call_races(void) {
    int count = 0;
    call_over(LE_MODE_MEASURE);
    for (int i = 0; i < CANDIDATES; i++)
        count += has_run[i];
    CHECK(count <= (CANDIDATES + ranks - 1) / ranks + 5 && has_run[BEST]);
}

/* As many candidates as there are ranks are tried, each by one of them. */
static void call_learns(void) {
    int all[CANDIDATES];
    call_over(LE_MODE_LEARN);
    MPI_Allreduce(trials, all, CANDIDATES, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < ranks && i < WRONG; i++)
        CHECK(all[i] == 1);
}

/* Nobody waits for a rank whose call is wrong. */
static void one_fails(void) {
    float x[2] = {1, 2};
    le_tensor in = le_tensor_of(x, LE_F32, 1, (int64_t[]){2}), out = {0};
    const le_arg args[] = {LE_IN("input", &in), LE_F64("factor", 2), LE_OUT("result", &out)};
    CHECK(le_mpi_race(engine, MPI_COMM_WORLD, "toy", args, rank == ranks - 1 ? 1 : 3) != LE_OK);
}

int main(int argc, char **argv) {
    begin_ranks(&argc, &argv, folder);
    snprintf(file, sizeof file, "%s/timings.sqlite3", folder);
    trials = mmap(NULL, CANDIDATES * sizeof *trials, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    own = getpid();
    open_engine(file);
    all_race();
    call_races();
    call_learns();
    one_fails();
    le_mpi_close(&engine);
    return finish_ranks(folder);
}
