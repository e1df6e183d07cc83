/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What callers may give to calls over ranks: memory of their own of every dtype that a call can
 * answer in, and with rows to spare; inputs that are on a device, empty, or not there; and other
 * things on one rank than on the others. Against single calls and numbers made here. To be started
 * by mpirun with any number of ranks.
 */
#include "liquid_engine/le_io.h"
#include "liquid_engine/le_mpi.h"
#include "ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static le_engine *engine;
static char folder[] = "/tmp/le-mpi-given-XXXXXX";

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

/* Of all elements, in row-major order, whatever the strides and dtypes are. NaN is like NaN. */
static double largest_difference(const le_tensor *a, const le_tensor *b) {
    double most = 0;
    if (!a->data || !b->data || le_tensor_count(a) != le_tensor_count(b))
        return INFINITY;
    for (int64_t i = 0; i < le_tensor_count(b); i++) {
        const double x = le_tensor_get(a, i), y = le_tensor_get(b, i);
        if (isnan(x) != isnan(y))
            return INFINITY;
        most = isnan(x) ? most : fmax(most, fabs(x - y));
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

/* As a tensor is whose elements are on a device. */
static void take_from_host(le_tensor *t) {
    t->data = NULL;
}

enum { EDGE = 64, BOXED_VIEWS = 8, SIDE = 8 };

static const double turns[BOXED_VIEWS] = {0, 10, 20, 30, 40, 50, 60, 70};

/* A rank has memory for half of the volume, as boxes use it. */
static le_status render_boxes(const le_mpi_options *o, const le_tensor *volume, le_tensor *images) {
    return le_mpi_run(engine, MPI_COMM_WORLD, o, "volume_render", LE_IN("volume", volume),
                      LE_I64("size", SIDE), LE_F64S("angles", turns, BOXED_VIEWS),
                      LE_F64("outside", 0), LE_OUT("images", images), LE_OPT_MEMORY_LIMIT(1050000));
}

/* The others do not know what rank 0 asks for, where several groups of ranks have boxes; or the
 * last one asks for something else. */
static void doubles_of_boxes(void) {
    static double memory[BOXED_VIEWS * SIDE * SIDE * 3];
    const le_mpi_options root = {.struct_size = sizeof root, .in = LE_MPI_ALL};
    const le_mpi_options all = {.struct_size = sizeof all, .in = LE_MPI_ALL, .out = LE_MPI_ALL};
    le_mpi_report r = {.struct_size = sizeof r};
    le_tensor volume = numbers(LE_F32, 3, (int64_t[]){EDGE, EDGE, EDGE}), alone = {0}, got = {0};
    if (rank == 0)
        got = le_tensor_of(memory, LE_F64, 4, (int64_t[]){BOXED_VIEWS, SIDE, SIDE, 3});
    take_from_host(&volume);
    CHECK(render_boxes(&root, &volume, &got) == LE_OK);
    CHECK(le_mpi_last_run(&r) == LE_OK && (ranks == 1 || r.boxes > 0));
    CHECK(le_engine_run(engine, "volume_render", LE_IN("volume", &volume), LE_I64("size", SIDE),
                        LE_F64S("angles", turns, BOXED_VIEWS), LE_F64("outside", 0),
                        LE_OUT("images", &alone)) == LE_OK);
    if (rank == 0)
        CHECK(largest_difference(&got, &alone) <= 1e-3);
    else
        CHECK(!got.data);
    got = (le_tensor){.dtype = rank == ranks - 1 ? LE_F64 : LE_F32};
    CHECK(render_boxes(&all, &volume, &got) == (ranks > 1 ? LE_ERR_ARGUMENT : LE_OK));
    if (ranks > 1)
        CHECK(strstr(le_error_message(), "'images' is f64[8,8,8,3], and f32[8,8,8,3] on rank 0"));
    le_tensor_free(&got);
    le_tensor_free(&alone);
    le_tensor_free(&volume);
}

/* ------------------------------------------------------------------------------------- rooms -- */

/* Two sources on waves. */
static le_tensor sky(void) {
    enum { N = 48 };
    le_tensor t;
    CHECK(le_tensor_alloc(&t, LE_F32, 2, (int64_t[]){N, N}) == LE_OK);
    for (int i = 0; i < N * N; i++) {
        const int y = i / N, x = i % N;
        const bool first = abs(y - 11) < 2 && abs(x - 21) < 2,
                   second = abs(y - 31) < 2 && abs(x - 6) < 2;
        ((float *)t.data)[i] = 0.5F * sinf((float)i * 12.9898F) + (first    ? 50.0F
                                                                   : second ? 40.0F
                                                                            : 0.0F);
    }
    return t;
}

static le_status find(const le_mpi_options *o, const le_tensor *image, le_tensor *catalogue) {
    return le_mpi_run(engine, MPI_COMM_WORLD, o, "find_sources", LE_IN("image", image),
                      LE_OUT("catalogue", catalogue), LE_F64("k", 5));
}

/* Rows that a counted output does not need keep what they have; too few of them, on the last rank
 * alone, are an error on all. */
static void rooms(void) {
    static const int64_t spare[] = {0, 1, 500, 100000};
    const le_mpi_options o = {.struct_size = sizeof o, .in = LE_MPI_ALL, .out = LE_MPI_ALL};
    le_tensor image = sky(), alone = {0};
    CHECK(le_engine_run(engine, "find_sources", LE_IN("image", &image), LE_OUT("catalogue", &alone),
                        LE_F64("k", 5)) == LE_OK);
    CHECK(alone.ndim == 2 && alone.shape[0] == 2);
    for (size_t k = 0; k < sizeof spare / sizeof *spare; k++) {
        const int64_t rows = alone.shape[0], columns = alone.shape[1];
        const int64_t room = rows + spare[k], numbers_given = room * columns;
        double *memory = malloc((size_t)numbers_given * sizeof *memory);
        for (int64_t i = 0; memory && i < numbers_given; i++)
            memory[i] = -1;
        le_tensor got = le_tensor_of(memory, LE_F64, 2, (int64_t[]){room, columns});
        CHECK(find(&o, &image, &got) == LE_OK);
        CHECK(got.shape[0] == rows && got.shape[1] == columns && got.data == memory);
        CHECK(largest_difference(&got, &alone) <= 1e-3);
        int64_t changed = 0;
        for (int64_t i = rows * columns; i < numbers_given; i++)
            changed += memory[i] != -1;
        CHECK(changed == 0);
        free(memory);
    }
    double row[64] = {0};
    le_tensor small = {0};
    if (rank == ranks - 1)
        small = le_tensor_of(row, LE_F64, 2, (int64_t[]){1, alone.shape[1]});
    CHECK(find(&o, &image, &small) == LE_ERR_SHAPE);
    CHECK(strstr(le_error_message(), "output 'catalogue' needs 2 rows, 1 given"));
    CHECK(row[0] == 0 && (rank == ranks - 1 || !small.data));
    le_tensor_free(&alone);
    le_tensor_free(&image);
}

/* ------------------------------------------------------------------------------------- inputs --
 */

static le_status threshold(const le_mpi_options *o, const le_tensor *image, le_tensor *mask) {
    le_tensor none = {0};
    const bool here = rank == 0 || o->in == LE_MPI_ALL;
    return le_mpi_run(engine, MPI_COMM_WORLD, o, "threshold", LE_IN("image", here ? image : &none),
                      LE_F64("level", 0), LE_OUT("mask", mask));
}

static const le_mpi_options wheres[] = {
    {.struct_size = sizeof wheres[0], .in = LE_MPI_ROOT, .out = LE_MPI_ALL},
    {.struct_size = sizeof wheres[0], .in = LE_MPI_ALL, .out = LE_MPI_ALL}};

/* One that is cut and one that is not; which stays where it is. */
static void inputs_on_devices(void) {
    for (int k = 0; k < 4; k++) {
        le_tensor image = numbers(LE_F32, 3, (int64_t[]){k / 2 ? 1 : 9, 6, 5}), mask = {0};
        take_from_host(&image);
        CHECK(threshold(&wheres[k % 2], &image, &mask) == LE_OK);
        CHECK(!image.data && mask.data && le_tensor_count(&mask) == le_tensor_count(&image));
        int64_t wrong = 0;
        for (int64_t i = 0; mask.data && i < le_tensor_count(&mask); i++)
            wrong += (le_tensor_get(&mask, i) != 0) != (value_at(i) > 0);
        CHECK(wrong == 0);
        le_tensor_free(&mask);
        le_tensor_free(&image);
    }
}

static void inputs_without_elements(void) {
    static const int64_t shapes[][3] = {{0, 4, 5}, {4, 0, 5}, {1, 5, 0}};
    for (int k = 0; k < 6; k++) {
        const le_tensor image = le_tensor_of(NULL, LE_F32, 3, shapes[k / 2]);
        le_tensor mask = {0};
        CHECK(threshold(&wheres[k % 2], &image, &mask) == LE_OK);
        CHECK(mask.ndim == 3 && !memcmp(mask.shape, shapes[k / 2], sizeof shapes[0]));
        le_tensor_free(&mask);
    }
}

static void inputs_without_data(void) {
    const le_tensor lost = le_tensor_of(NULL, LE_F32, 3, (int64_t[]){9, 6, 5});
    const le_tensor negative = le_tensor_of(&lost, LE_F32, 3, (int64_t[]){9, -6, 5});
    const le_tensor unallocated = {0};
    le_tensor flat = numbers(LE_F32, 3, (int64_t[]){9, 6, 5}), mask = {0};
    flat.ndim = LE_MAX_DIMS + 1;
    for (int k = 0; k < 2; k++) {
        CHECK(threshold(&wheres[k], &lost, &mask) == LE_ERR_ARGUMENT);
        CHECK(strstr(le_error_message(), "argument 'image' has no data"));
        CHECK(threshold(&wheres[k], &unallocated, &mask) == LE_ERR_ARGUMENT);
        CHECK(strstr(le_error_message(), "argument 'image' is an unallocated tensor"));
        CHECK(threshold(&wheres[k], &negative, &mask) == LE_ERR_SHAPE);
        CHECK(threshold(&wheres[k], &flat, &mask) == LE_ERR_SHAPE);
        CHECK(strstr(le_error_message(), "argument 'image' has 9 dimensions"));
        CHECK(!mask.data);
    }
    le_tensor_free(&flat);
}

/* -------------------------------------------------------------------------- ranks that differ --
 */

enum other {
    NOTHING,
    FRAMES,
    ROWS,
    AXES,
    DTYPE,
    OUTPUT,
    WHERE_IN,
    WHERE_OUT,
    ROUNDS,
    OPERATION,
    FEWER,
    NUMBER,
    OPTION,
    OTHERS
};

static const char *const differences[OTHERS] = {
    [FRAMES] = "argument 'volume' is f32[8,6,5], and f32[9,6,5] on rank 0",
    [ROWS] = "argument 'volume' is f32[9,5,5], and f32[9,6,5] on rank 0",
    [AXES] = "argument 'volume' is f32[9,6], and f32[9,6,5] on rank 0",
    [DTYPE] = "argument 'volume' is f64[9,6,5], and f32[9,6,5] on rank 0",
    [OUTPUT] = "argument 'image' is f64[6,5], and f32[6,5] on rank 0",
    [WHERE_IN] = "le_mpi_options.in is LE_MPI_ROOT, and LE_MPI_ALL on rank 0",
    [WHERE_OUT] = "le_mpi_options.out is LE_MPI_ROOT, and LE_MPI_ALL on rank 0",
    [ROUNDS] = "le_mpi_options.factors are not those of rank 0",
    [OPERATION] = "roberts_cross: the operation is not that of rank 0",
    [FEWER] = "project: 6 arguments are given, and 7 on rank 0",
    [NUMBER] = "argument number 3, 'axis', is not that of rank 0",
    [OPTION] = "argument number 7, LE_OPT_RTOL, is not that of rank 0"};

enum { DEEP = 9, HIGH = 6, WIDE = 5 };

static le_status add_up(enum other other, le_tensor *image) {
    static float floats[DEEP * HIGH * WIDE];
    static double doubles[DEEP * HIGH * WIDE];
    le_mpi_options o = wheres[1];
    const int64_t shape[] = {other == FRAMES ? DEEP - 1 : DEEP, other == ROWS ? HIGH - 1 : HIGH,
                             WIDE};
    const int ndim = other == AXES ? 2 : 3;
    const le_tensor volume = other == DTYPE ? le_tensor_of(doubles, LE_F64, ndim, shape)
                                            : le_tensor_of(floats, LE_F32, ndim, shape);
    for (int i = 0; i < DEEP * HIGH * WIDE; i++)
        floats[i] = (float)value_at(i);
    if (other == OUTPUT)
        image->dtype = LE_F64;
    o.in = other == WHERE_IN ? LE_MPI_ROOT : o.in;
    o.out = other == WHERE_OUT ? LE_MPI_ROOT : o.out;
    o.factors = other == ROUNDS ? &ranks : NULL;
    o.n_factors = other == ROUNDS;
    const le_arg args[] = {LE_IN("volume", &volume),
                           LE_OUT("image", image),
                           LE_I64("axis", other == NUMBER ? 1 : 0),
                           LE_STR("reduce", "sum"),
                           LE_STR("scale", "linear"),
                           LE_STR("colormap", "none"),
                           LE_OPT_RTOL(other == OPTION ? 0.5 : 1e-3)};
    return le_mpi_call_run(engine, MPI_COMM_WORLD, &o,
                           other == OPERATION ? "roberts_cross" : "project", args,
                           sizeof args / sizeof *args - (other == FEWER));
}

static void check_sums(const le_tensor *image) {
    int wrong = 0;
    CHECK(image->data && le_tensor_count(image) == HIGH * WIDE);
    for (int64_t i = 0; image->data && i < HIGH * WIDE; i++) {
        double sum = 0;
        for (int64_t k = 0; k < DEEP; k++)
            sum += (double)(float)value_at(k * HIGH * WIDE + i);
        wrong += !(fabs(le_tensor_get(image, i) - sum) <= 1e-3);
    }
    CHECK(wrong == 0);
}

/* The last rank; all are told, and the next call is like any other. */
static void ranks_that_differ(void) {
    for (int k = NOTHING + 1; ranks > 1 && k < OTHERS; k++) {
        le_tensor image = {0};
        CHECK(add_up(rank == ranks - 1 ? (enum other)k : NOTHING, &image) == LE_ERR_ARGUMENT);
        CHECK(!image.data && strstr(le_error_message(), differences[k]));
        image = (le_tensor){0};
        CHECK(add_up(NOTHING, &image) == LE_OK);
        check_sums(&image);
        le_tensor_free(&image);
    }
}

/* ------------------------------------------------------------------------------------ tables -- */

enum { ROWS_OF_IMAGE = 150, COLUMNS_OF_IMAGE = 7, TAPS = 3 };

static le_status convolve_into(const le_mpi_options *o, le_arg kernel, le_arg result) {
    le_tensor image = numbers(LE_F32, 2, (int64_t[]){ROWS_OF_IMAGE, COLUMNS_OF_IMAGE});
    const le_status status =
        le_mpi_run(engine, MPI_COMM_WORLD, o, "convolve2d", LE_IN("image", &image), kernel,
                   LE_STR("mode", "same"), result);
    le_tensor_free(&image);
    return status;
}

static le_status convolve(const le_mpi_options *o, le_arg kernel, le_tensor *result) {
    return convolve_into(o, kernel, LE_OUT("result", result));
}

static double image_at(int row, int column) {
    const bool inside = row >= 0 && row < ROWS_OF_IMAGE && column >= 0 && column < COLUMNS_OF_IMAGE;
    return inside ? (double)(float)value_at(row * COLUMNS_OF_IMAGE + column) : 0;
}

static void check_convolution(const double *taps, const le_tensor *result) {
    int wrong = 0;
    CHECK(result->data && le_tensor_count(result) == ROWS_OF_IMAGE * COLUMNS_OF_IMAGE);
    for (int i = 0; result->data && i < ROWS_OF_IMAGE * COLUMNS_OF_IMAGE; i++) {
        double sum = 0;
        for (int k = 0; k < TAPS * TAPS; k++)
            sum += taps[k] * image_at(i / COLUMNS_OF_IMAGE + TAPS / 2 - k / TAPS,
                                      i % COLUMNS_OF_IMAGE + TAPS / 2 - k % TAPS);
        wrong += !(fabs(le_tensor_get(result, i) - sum) <= 1e-3);
    }
    CHECK(wrong == 0);
}

static void write_taps(const char *place, const double *taps) {
    le_tensor kernel = le_tensor_of(taps, LE_F64, 2, (int64_t[]){TAPS, TAPS});
    if (rank == 0)
        CHECK(le_io_write(engine, place, &kernel) == LE_OK);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0's, whatever the others give; packed and column-major; at a place. */
static void tables_of_one(void) {
    static const double taps[TAPS * TAPS] = {1, 2, 3, 4, 5, 6, 7, 8, 9.5};
    static const double columns[TAPS * TAPS] = {1, 4, 7, 2, 5, 8, 3, 6, 9.5};
    static const double others[TAPS * TAPS] = {1, 0, 0, 0, -3};
    const int64_t shape[] = {TAPS, TAPS};
    const le_tensor given[] = {
        le_tensor_of(taps, LE_F64, 2, shape), {0}, le_tensor_of(others, LE_F64, 2, shape)};
    le_tensor turned = le_tensor_of(columns, LE_F64, 2, shape);
    turned.strides[0] = 1;
    turned.strides[1] = TAPS;
    le_mpi_options o = {.struct_size = sizeof o, .in = LE_MPI_ROOT, .out = LE_MPI_ALL};
    for (int k = 0; k < 4; k++) {
        const le_tensor *own = rank > 0 ? &given[1 + k / 2] : k % 2 ? &turned : &given[0];
        le_tensor result = {0};
        CHECK(convolve(&o, LE_TABLE("kernel", own), &result) == LE_OK);
        check_convolution(taps, &result);
        le_tensor_free(&result);
    }
    char place[64];
    snprintf(place, sizeof place, "%s/kernel.h5:/taps", folder);
    write_taps(place, taps);
    for (int k = 0; k < 2; k++) {
        le_tensor result = {0};
        CHECK(convolve(&wheres[k], LE_STR("kernel", place), &result) == LE_OK);
        check_convolution(taps, &result);
        le_tensor_free(&result);
    }
}

/* What a job has left is continued with the same elements only, wherever they come from. */
static void tables_of_later_jobs(void) {
    static const double taps[2][TAPS * TAPS] = {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {9, 1, 2}};
    char in[64], out[64];
    snprintf(in, sizeof in, "%s/taps.h5:/taps", folder);
    snprintf(out, sizeof out, "%s/left.h5:/result", folder);
    for (int changed = 0; ranks > 1 && changed < 2; changed++) {
        le_mpi_options o = {.struct_size = sizeof o, .in = LE_MPI_ALL, .deadline_s = 2};
        le_mpi_report r = {.struct_size = sizeof r};
        le_tensor result = {0};
        write_taps(in, taps[0]);
        setenv("LE_TEST_CUT", "equal", 1);
        setenv("LE_TEST_SLOW", "1e9", 1); /* rank 0 is held after its first block */
        CHECK(convolve_into(&o, LE_STR("kernel", in), LE_STR("result", out)) == LE_ERR_CANCELLED);
        unsetenv("LE_TEST_SLOW");
        unsetenv("LE_TEST_CUT");
        write_taps(in, taps[changed]);
        o.deadline_s = 0;
        CHECK(convolve_into(&o, LE_STR("kernel", in), LE_STR("result", out)) == LE_OK);
        CHECK(le_mpi_last_run(&r) == LE_OK && r.items == ROWS_OF_IMAGE);
        CHECK((r.left < r.items) == !changed);
        CHECK(le_io_read(engine, out, NULL, &result) == LE_OK);
        check_convolution(taps[changed], &result);
        le_tensor_free(&result);
    }
}

/* On all ranks, or on the last one another. */
static void tables_of_all(void) {
    double taps[TAPS * (TAPS + 1)] = {1, 2, 3, 4, 5, 6, 7, 8, 9.5};
    le_tensor kernel = le_tensor_of(taps, LE_F64, 2, (int64_t[]){TAPS, TAPS}), result = {0};
    CHECK(convolve(&wheres[1], LE_TABLE("kernel", &kernel), &result) == LE_OK);
    check_convolution(taps, &result);
    le_tensor_free(&result);
    if (ranks == 1)
        return;
    taps[4] = rank == ranks - 1 ? 5.5 : 5;
    CHECK(convolve(&wheres[1], LE_TABLE("kernel", &kernel), &result) == LE_ERR_ARGUMENT);
    CHECK(strstr(le_error_message(), "elements of table 'kernel' are not those of rank 0"));
    taps[4] = 5;
    if (rank == ranks - 1)
        kernel = le_tensor_of(taps, LE_F64, 2, (int64_t[]){TAPS, TAPS + 1});
    CHECK(convolve(&wheres[1], LE_TABLE("kernel", &kernel), &result) == LE_ERR_ARGUMENT);
    CHECK(strstr(le_error_message(), "argument 'kernel' is f64[3,4], and f64[3,3] on rank 0"));
    CHECK(!result.data);
}

static void tables_that_are_none(void) {
    static const double one;
    const le_tensor lost = le_tensor_of(NULL, LE_F64, 2, (int64_t[]){TAPS, TAPS}), none = {0};
    const le_tensor large = le_tensor_of(&one, LE_F64, 2, (int64_t[]){1, LE_TABLE_MAX + 1});
    const le_tensor *nothing = NULL;
    const char *no_place = NULL;
    char missing[64];
    le_tensor result = {0};
    snprintf(missing, sizeof missing, "%s/missing.h5:/taps", folder);
    for (int k = 0; k < 2; k++) {
        const le_mpi_options *o = &wheres[k];
        CHECK(convolve(o, LE_TABLE("kernel", &lost), &result) == LE_ERR_ARGUMENT);
        CHECK(strstr(le_error_message(), "argument 'kernel' has no data"));
        CHECK(convolve(o, LE_TABLE("kernel", &none), &result) == LE_ERR_DTYPE);
        CHECK(convolve(o, LE_TABLE("kernel", &large), &result) == LE_ERR_SHAPE);
        CHECK(strstr(le_error_message(), "table 'kernel' has 1048577 elements"));
        CHECK(convolve(o, LE_TABLE("kernel", nothing), &result) == LE_ERR_ARGUMENT);
        CHECK(convolve(o, LE_STR("kernel", no_place), &result) == LE_ERR_ARGUMENT);
        CHECK(strstr(le_error_message(), "argument 'kernel' is NULL"));
        CHECK(convolve(o, LE_STR("kernel", missing), &result) == LE_ERR_IO);
        CHECK(strstr(le_error_message(), "missing.h5") && !result.data);
    }
}

/* ----------------------------------------------------------------------------------- nothing -- */

/* On the last rank alone: nobody waits for it. */
static void calls_of_nothing(void) {
    le_tensor image = {0};
    const bool last = rank == ranks - 1;
    le_tensor volume = numbers(LE_F32, 3, (int64_t[]){DEEP, HIGH, WIDE});
    const le_arg args[] = {LE_IN("volume", &volume), LE_OUT("image", &image)};
    le_engine *some = last ? NULL : engine;
    CHECK(le_mpi_call_run(some, MPI_COMM_WORLD, &wheres[1], "project", args, 2) == LE_ERR_ARGUMENT);
    CHECK(strstr(le_error_message(), "le_mpi_run: no engine is given"));
    CHECK(le_mpi_call_run(engine, MPI_COMM_WORLD, &wheres[1], last ? NULL : "project", args, 2) ==
          LE_ERR_ARGUMENT);
    CHECK(strstr(le_error_message(), "le_mpi_run: no operation is given"));
    CHECK(le_mpi_race(some, MPI_COMM_WORLD, "project", args, 2) == LE_ERR_ARGUMENT);
    CHECK(strstr(le_error_message(), "le_mpi_race: no engine is given"));
    CHECK(!image.data && add_up(NOTHING, &image) == LE_OK);
    check_sums(&image);
    le_tensor_free(&image);
    le_tensor_free(&volume);
}

/* Between the first rank and all others. */
static void two_groups(void) {
    MPI_Comm own, both;
    le_engine *none = NULL;
    le_tensor volume = numbers(LE_F32, 3, (int64_t[]){DEEP, HIGH, WIDE}), image = {0};
    if (ranks > 1) {
        MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &own);
        MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, rank == 0, 0, &both);
        CHECK(le_mpi_open(&none, both, NULL) == LE_ERR_ARGUMENT && !none);
        CHECK(strstr(le_error_message(), "two groups of ranks"));
        CHECK(le_mpi_run(engine, both, &wheres[1], "project", LE_IN("volume", &volume),
                         LE_OUT("image", &image)) == LE_ERR_ARGUMENT);
        CHECK(strstr(le_error_message(), "two groups of ranks") && !image.data);
        MPI_Comm_free(&both);
        MPI_Comm_free(&own);
    }
    le_tensor_free(&volume);
}

/* Inputs as outputs, and the other way round. */
static void kinds_that_are_wrong(void) {
    le_tensor volume = numbers(LE_F32, 3, (int64_t[]){DEEP, HIGH, WIDE}), image = {0};
    for (int k = 0; k < 2; k++) {
        CHECK(le_mpi_run(engine, MPI_COMM_WORLD, &wheres[k], "project", LE_OUT("volume", &volume),
                         LE_OUT("image", &image)) == LE_ERR_ARGUMENT);
        CHECK(strstr(le_error_message(), "argument 'volume' was given as an output tensor"));
        CHECK(le_mpi_run(engine, MPI_COMM_WORLD, &wheres[k], "project", LE_IN("volume", &volume),
                         LE_IN("image", &image)) == LE_ERR_ARGUMENT);
        CHECK(strstr(le_error_message(), "argument 'image' was given as an input tensor"));
    }
    CHECK(!image.data);
    le_tensor_free(&volume);
}

int main(int argc, char **argv) {
    begin_ranks(&argc, &argv, folder);
    le_options options;
    le_default_options(&options);
    options.db_path = ":memory:";
    options.devices = "cpu";
    CHECK(le_mpi_open(&engine, MPI_COMM_WORLD, &options) == LE_OK);
    doubles_of_floats();
    doubles_of_boxes();
    rooms();
    inputs_on_devices();
    inputs_without_elements();
    inputs_without_data();
    ranks_that_differ();
    tables_of_one();
    tables_of_later_jobs();
    tables_of_all();
    tables_that_are_none();
    calls_of_nothing();
    two_groups();
    kinds_that_are_wrong();
    le_mpi_close(&engine);
    return finish_ranks(folder);
}
