/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What callers may give to calls over ranks: memory of their own of every dtype that a call can
 * answer in. Against single calls. To be started by mpirun with any number of ranks.
 */
#include "liquid_engine/le_mpi.h"
#include "ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static le_engine *engine;

static double value_at(int64_t i) {
    return (double)((i * 7919) % 1009) / 7 - 60;
}

static le_tensor numbers(le_dtype dtype, int ndim, const int64_t *shape) {
    le_tensor t;
    CHECK(le_tensor_alloc(&t, dtype, ndim, shape) == LE_OK);
    for (int64_t i = 0; i < le_tensor_count(&t); i++)
        le_tensor_set(&t, i, value_at(i));
    return t;
}

/* Of all elements, in row-major order, whatever the strides and dtypes are. */
static double largest_difference(const le_tensor *a, const le_tensor *b) {
    double most = 0;
    if (!a->data || !b->data || le_tensor_count(a) != le_tensor_count(b))
        return INFINITY;
    for (int64_t i = 0; i < le_tensor_count(b); i++) {
        const double difference = fabs(le_tensor_get(a, i) - le_tensor_get(b, i));
        most = difference <= most ? most : difference;
    }
    return most;
}

/* ------------------------------------------------------------------------------------ dtypes -- */

enum way {
    PACKED,  /* the caller's memory */
    STRIDED, /* every second element of it */
    ASKED,   /* none; a dtype is named */
    WAYS
};

enum { MOST = 4096 }; /* elements of an output, with those between them */

static le_tensor output(enum way way, double *memory, int ndim, const int64_t *shape) {
    le_tensor t = le_tensor_of(way == ASKED ? NULL : memory, LE_F64, ndim, shape);
    for (int i = 0; way == STRIDED && i < ndim; i++)
        t.strides[i] *= 2;
    return way == ASKED ? (le_tensor){.dtype = LE_F64} : t;
}

/* Over all ranks and here, into doubles. args: all but inputs and the output, which is `last`. */
static void compare(const char *operation, const le_tensor *in, const le_arg *args, size_t n,
                    const le_tensor *like, double tolerance) {
    for (int k = 0; k < 2 * WAYS; k++) {
        static double memory[2 * MOST];
        const enum way way = (enum way)(k / 2);
        const bool all = k % 2, here = all || rank == 0;
        const le_mpi_options o = {.struct_size = sizeof o,
                                  .in = all ? LE_MPI_ALL : LE_MPI_ROOT,
                                  .out = all ? LE_MPI_ALL : LE_MPI_ROOT};
        le_tensor alone = {.dtype = LE_F64}, none = {0}, got = {0};
        le_arg own[8], shared[8];
        for (size_t i = 0; i < n; i++)
            own[i] = shared[i] = args[i];
        if (here)
            got = output(way, memory, like->ndim, like->shape);
        own[0].value.in = in;
        shared[0].value.in = here ? in : &none;
        own[n - 1].value.out = &alone;
        shared[n - 1].value.out = &got;
        CHECK(le_call_run(engine, operation, own, n) == LE_OK);
        CHECK(le_mpi_call_run(engine, MPI_COMM_WORLD, &o, operation, shared, n) == LE_OK);
        if (here)
            CHECK(got.dtype == LE_F64 && largest_difference(&got, &alone) <= tolerance);
        else
            CHECK(!got.data);
        if (way == ASKED)
            le_tensor_free(&got);
        le_tensor_free(&alone);
    }
}

/* Cut, merged and not cut. */
static void doubles_of_floats(void) {
    enum { H = 40, W = 30, VIEWS = 5, N = 8 };
    const double angles[VIEWS] = {0, 10, 20, 30, 40};
    le_tensor image = numbers(LE_F32, 2, (int64_t[]){H, W}), any = {0};
    le_tensor volume = numbers(LE_F32, 3, (int64_t[]){10, 12, 10});
    le_tensor kernel = numbers(LE_F64, 2, (int64_t[]){3, 3});
    const le_tensor same = le_tensor_of(NULL, LE_F64, 2, (int64_t[]){H, W});
    const le_tensor views = le_tensor_of(NULL, LE_F64, 4, (int64_t[]){VIEWS, N, N, 3});
    const le_tensor view = le_tensor_of(NULL, LE_F64, 4, (int64_t[]){1, N, N, 3});
    const le_tensor sides = le_tensor_of(NULL, LE_F64, 2, (int64_t[]){12, 10});
    compare("convolve2d", &image,
            (le_arg[]){LE_IN("image", &image), LE_TABLE("kernel", &kernel), LE_STR("mode", "same"),
                       LE_OUT("result", &any)},
            4, &same, 0.1);
    compare("project", &volume,
            (le_arg[]){LE_IN("volume", &volume), LE_I64("axis", 0), LE_STR("scale", "linear"),
                       LE_STR("colormap", "none"), LE_OUT("image", &any)},
            5, &sides, 1e-5);
    for (int one = 0; one < 2; one++)
        compare("volume_render", &volume,
                (le_arg[]){LE_IN("volume", &volume), LE_I64("size", N),
                           LE_F64S("angles", angles, one ? 1 : VIEWS), LE_F64("outside", 0),
                           LE_OUT("images", &any)},
                5, one ? &view : &views, 1e-5);
    le_tensor_free(&image);
    le_tensor_free(&volume);
    le_tensor_free(&kernel);
}

/* The others do not know what rank 0 asks for; several groups of ranks have boxes. */
static void doubles_of_boxes(void) {
    enum { EDGE = 64, VIEWS = 8, N = 8, LIMIT = 1050000 };
    static double memory[VIEWS * N * N * 3];
    const double angles[VIEWS] = {0, 10, 20, 30, 40, 50, 60, 70};
    const le_mpi_options o = {.struct_size = sizeof o, .in = LE_MPI_ALL};
    le_mpi_report r = {.struct_size = sizeof r};
    le_tensor volume = numbers(LE_F32, 3, (int64_t[]){EDGE, EDGE, EDGE}), alone = {0}, got = {0};
    if (rank == 0)
        got = le_tensor_of(memory, LE_F64, 4, (int64_t[]){VIEWS, N, N, 3});
    CHECK(le_mpi_run(engine, MPI_COMM_WORLD, &o, "volume_render", LE_IN("volume", &volume),
                     LE_I64("size", N), LE_F64S("angles", angles, VIEWS), LE_F64("outside", 0),
                     LE_OUT("images", &got), LE_OPT_MEMORY_LIMIT(LIMIT)) == LE_OK);
    CHECK(le_engine_run(engine, "volume_render", LE_IN("volume", &volume), LE_I64("size", N),
                        LE_F64S("angles", angles, VIEWS), LE_F64("outside", 0),
                        LE_OUT("images", &alone)) == LE_OK);
    CHECK(le_mpi_last_run(&r) == LE_OK && (ranks == 1 || r.boxes > 0));
    if (rank == 0)
        CHECK(largest_difference(&got, &alone) <= 1e-3);
    else
        CHECK(!got.data);
    le_tensor_free(&alone);
    le_tensor_free(&volume);
}

int main(int argc, char **argv) {
    begin_ranks(&argc, &argv, NULL);
    le_options options;
    le_default_options(&options);
    options.db_path = ":memory:";
    options.devices = "cpu";
    CHECK(le_mpi_open(&engine, MPI_COMM_WORLD, &options) == LE_OK);
    doubles_of_floats();
    doubles_of_boxes();
    le_mpi_close(&engine);
    const int sum = end_ranks(NULL);
    if (rank == 0)
        printf("%d ranks: %d failures\n", ranks, sum);
    MPI_Finalize();
    return sum ? 1 : 0;
}
