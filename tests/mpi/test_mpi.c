/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Calls over ranks, against sums made here and against single calls: tensors and places, outputs
 * that are cut and merged, halos, errors of one rank. To be started by mpirun with any number of
 * ranks.
 */
#include "cut.h"
#include "liquid_engine/le_io.h"
#include "liquid_engine/le_mpi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, ranks, failures;
static le_engine *engine;

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "rank %d, line %d: %s (%s)\n", rank, __LINE__, #x,                     \
                    le_error_message());                                                           \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

/* ------------------------------------------------------------------------------------ ranges -- */

/* some: a third of the items is done already, from a multiple on. */
static void check_blocks(const le_slabs *s, le__cutting how, int n, bool some) {
    unsigned char done[1000] = {0}, seen[1000] = {0};
    int64_t multiple = s->multiple ? s->multiple : 1, from = s->items / 3 / multiple * multiple;
    le__blocks blocks;
    if (some)
        memset(done + from, 1, (size_t)(s->items / 3));
    CHECK(le__cut(s, how, n, some ? done : NULL, &blocks) == LE_OK);
    CHECK(le__cut_first(blocks.n, 0, n) == 0 && le__cut_first(blocks.n, n, n) == blocks.n);
    for (int64_t b = 0; b < blocks.n; b++) {
        le__items i = blocks.list[b];
        CHECK(i.end > i.begin && i.low >= 0 && i.low <= i.begin && i.begin - i.low <= s->halo);
        CHECK(i.high <= s->items && i.high >= i.end);
        for (int64_t k = i.begin; k < i.end; k++)
            seen[k]++;
    }
    for (int64_t k = 0; k < s->items; k++)
        CHECK(seen[k] + done[k] == 1);
    free(blocks.list);
}

static void every_item_once(void) {
    static const le_slabs kinds[] = {{.items = 1},
                                     {.items = 60},
                                     {.items = 61, .multiple = 4},
                                     {.items = 1000, .halo = 3},
                                     {.items = 7, .multiple = 9}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int n = 1; n < 12; n++)
            for (int how = LE__CUT_EVENLY; how <= LE__CUT_SMALL; how++)
                for (int some = 0; some < 2; some++)
                    check_blocks(&kinds[k], (le__cutting)how, n, some);
}

/* ----------------------------------------------------------------------------------- volumes -- */

enum { X = 37, Y = 11, Z = 13 };

static double value_at(int64_t i) {
    return (double)((i * 7919) % 1009) / 7 + 1;
}

static le_tensor volume_here(bool here) {
    le_tensor t = {0};
    if (!here)
        return t;
    CHECK(le_tensor_alloc(&t, LE_F32, 3, (int64_t[]){X, Y, Z}) == LE_OK);
    for (int64_t i = 0; i < X * Y * Z; i++)
        ((float *)t.data)[i] = (float)value_at(i);
    return t;
}

static double expected(const char *how, int64_t i) {
    double sum = 0, most = -INFINITY, least = INFINITY;
    for (int64_t x = 0; x < X; x++) {
        double v = (double)(float)value_at(x * Y * Z + i);
        sum += v;
        most = fmax(most, v);
        least = fmin(least, v);
    }
    return !strcmp(how, "sum")    ? sum
           : !strcmp(how, "mean") ? sum / X
           : !strcmp(how, "max")  ? most
                                  : least;
}

static void check_projection(const char *how, const le_tensor *image) {
    CHECK(image->ndim == 2 && image->shape[0] == Y && image->shape[1] == Z);
    for (int64_t i = 0; image->data && i < Y * Z; i++) {
        double v = le_tensor_get(image, i), e = expected(how, i);
        if (fabs(v - e) > 1e-6 * fabs(e)) {
            fprintf(stderr, "%s[%d] is %.9g, not %.9g\n", how, (int)i, v, e);
            failures++;
            return;
        }
    }
}

static void merged(void) {
    static const char *const hows[] = {"sum", "mean", "max", "min"};
    for (int k = 0; k < 16; k++) {
        le_mpi_options o = {.struct_size = sizeof o,
                            .in = k & 4 ? LE_MPI_ALL : LE_MPI_ROOT,
                            .out = k & 8 ? LE_MPI_ALL : LE_MPI_ROOT};
        le_tensor volume = volume_here(rank == 0 || o.in == LE_MPI_ALL), image = {0};
        CHECK(le_mpi_run(engine, MPI_COMM_WORLD, &o, "project", LE_IN("volume", &volume),
                         LE_I64("axis", 0), LE_STR("reduce", hows[k & 3]),
                         LE_STR("scale", "linear"), LE_STR("colormap", "none"),
                         LE_OUT("image", &image)) == LE_OK);
        if (rank == 0 || o.out == LE_MPI_ALL)
            check_projection(hows[k & 3], &image);
        else
            CHECK(!image.data);
        le_mpi_report r = {.struct_size = sizeof r};
        CHECK(le_mpi_last_run(&r) == LE_OK && r.items == X && r.ranks == ranks && r.nodes >= 1);
        le_tensor_free(&image);
        le_tensor_free(&volume);
    }
}

/* The same bits for any number of ranks: of this job, and of each rank alone. */
static void reproducible(void) {
    le_mpi_options o = {.struct_size = sizeof o, .in = LE_MPI_ALL, .out = LE_MPI_ALL};
    le_tensor volume = volume_here(true), all = {0}, alone = {0};
    MPI_Comm comms[2] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    le_tensor *images[2] = {&all, &alone};
    for (int k = 0; k < 2; k++)
        CHECK(le_mpi_run(engine, comms[k], &o, "project", LE_IN("volume", &volume),
                         LE_I64("axis", 0), LE_STR("reduce", "mean"), LE_STR("scale", "linear"),
                         LE_STR("colormap", "none"), LE_OUT("image", images[k]),
                         LE_OPT_REPRODUCIBLE()) == LE_OK);
    CHECK(all.data && alone.data && !memcmp(all.data, alone.data, sizeof(float) * Y * Z));
    le_tensor_free(&all);
    le_tensor_free(&alone);
    le_tensor_free(&volume);
}

/* ------------------------------------------------------------------------------------- places --
 */

static char folder[] = "/tmp/le-mpi-XXXXXX";

static void views_to_a_file(void) {
    enum { VIEWS = 10, N = 9 };
    double angles[VIEWS];
    char in[64], out[64];
    le_tensor images = {0}, whole = {0}, volume = volume_here(true);
    snprintf(in, sizeof in, "%s/in.h5:/v", folder);
    snprintf(out, sizeof out, "%s/out.h5:/deep/images", folder);
    for (int i = 0; i < VIEWS; i++)
        angles[i] = 33 * i;
    if (rank == 0)
        CHECK(le_io_write(engine, in, &volume) == LE_OK);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(le_mpi_run(engine, MPI_COMM_WORLD, NULL, "volume_render", LE_STR("volume", in),
                     LE_I64("size", N), LE_F64S("angles", angles, VIEWS), LE_F64("outside", 0),
                     LE_STR("images", out), LE_OPT_IMPLEMENTATION("c")) == LE_OK);
    CHECK(le_engine_run(engine, "volume_render", LE_IN("volume", &volume), LE_I64("size", N),
                        LE_F64S("angles", angles, VIEWS), LE_F64("outside", 0),
                        LE_OUT("images", &whole), LE_OPT_IMPLEMENTATION("reference")) == LE_OK);
    CHECK(le_io_read(engine, out, NULL, &images) == LE_OK);
    CHECK(images.ndim == 4 && images.shape[0] == VIEWS && images.dtype == LE_F32);
    for (int64_t i = 0; images.data && i < le_tensor_count(&whole); i++)
        if (fabs(le_tensor_get(&images, i) - le_tensor_get(&whole, i)) > 1e-4) {
            CHECK(!"a view in the file is another one");
            break;
        }
    le_tensor_free(&images);
    le_tensor_free(&whole);
    le_tensor_free(&volume);
}

/* Frames of a movie, cut along the first axis on both sides, gathered by rank 0. */
static void frames(void) {
    enum { T = 14, H = 12, W = 10 };
    le_tensor movie = {0}, result = {0}, whole = {0};
    le_mpi_options o = {.struct_size = sizeof o, .in = LE_MPI_ALL};
    CHECK(le_tensor_alloc(&movie, LE_F32, 3, (int64_t[]){T, H, W}) == LE_OK);
    for (int64_t i = 0; i < T * H * W; i++)
        ((float *)movie.data)[i] = (float)value_at(i);
    CHECK(le_mpi_run(engine, MPI_COMM_WORLD, &o, "shift_magnify", LE_IN("image", &movie),
                     LE_I64("magnification_row", 2), LE_I64("magnification_col", 3),
                     LE_OUT("result", &result)) == LE_OK);
    if (rank == 0) {
        CHECK(le_engine_run(engine, "shift_magnify", LE_IN("image", &movie),
                            LE_I64("magnification_row", 2), LE_I64("magnification_col", 3),
                            LE_OUT("result", &whole), LE_OPT_RUN_TYPE("reference")) == LE_OK);
        CHECK(result.ndim == 3 && result.shape[0] == T && result.shape[1] == 2 * H);
        double most = 0;
        for (int64_t i = 0; result.data && i < le_tensor_count(&whole); i++)
            most = fmax(most, fabs(le_tensor_get(&result, i) - le_tensor_get(&whole, i)));
        CHECK(most <= 1e-3);
    }
    le_tensor_free(&result);
    le_tensor_free(&whole);
    le_tensor_free(&movie);
}

/* ------------------------------------------------------------------------------------- errors --
 */

static bool same_text(const char *needle) {
    char first[512] = "", own[512];
    snprintf(own, sizeof own, "%s", le_error_message());
    memcpy(first, own, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
    return !strcmp(first, own) && strstr(own, needle);
}

static void one_rank_differs(void) {
    le_mpi_options o = {.struct_size = sizeof o, .in = LE_MPI_ALL};
    le_tensor volume = volume_here(true), image = {0};
    int last = ranks - 1;
    le_status status =
        le_mpi_run(engine, MPI_COMM_WORLD, &o, "project", LE_IN("volume", &volume),
                   LE_I64("axis", rank == last && last ? 1 : 0), LE_OUT("image", &image));
    CHECK(status == (last ? LE_ERR_ARGUMENT : LE_OK));
    if (last)
        CHECK(!image.data && same_text("rank"));
    le_tensor_free(&image);
    CHECK(le_mpi_run(engine, MPI_COMM_WORLD, &o, "no_such_thing", LE_IN("volume", &volume)) ==
          LE_ERR_UNKNOWN);
    CHECK(same_text("no_such_thing"));
    CHECK(le_mpi_run(engine, MPI_COMM_WORLD, &o, "volume_render", LE_IN("volume", &volume),
                     LE_I64("size", 0), LE_OUT("images", &image)) != LE_OK);
    CHECK(same_text("size") && !image.data);
    le_tensor_free(&volume);
}

/* A file that one rank cannot read, and one that nobody can write. */
static void files_that_fail(void) {
    char in[64], out[64];
    double angles[5] = {0, 1, 2, 3, 4};
    snprintf(in, sizeof in, "%s/missing.h5:/v", folder);
    snprintf(out, sizeof out, "%s/out2.h5:/images", folder);
    CHECK(le_mpi_run(engine, MPI_COMM_WORLD, NULL, "volume_render", LE_STR("volume", in),
                     LE_I64("size", 4), LE_F64S("angles", angles, 5),
                     LE_STR("images", out)) == LE_ERR_IO);
    CHECK(same_text("missing.h5"));
    snprintf(in, sizeof in, "%s/in.h5:/v", folder);
    CHECK(le_mpi_run(engine, MPI_COMM_WORLD, NULL, "volume_render", LE_STR("volume", in),
                     LE_I64("size", 4), LE_F64S("angles", angles, 5), LE_F64("outside", 0),
                     LE_STR("images", "/proc/nobody/out.h5:/images")) != LE_OK);
    CHECK(same_text("/proc"));
    /* the volume is too small for this view, which shows when it is computed */
    CHECK(le_mpi_run(engine, MPI_COMM_WORLD, NULL, "volume_render", LE_STR("volume", in),
                     LE_I64("size", 64), LE_F64S("angles", angles, 5),
                     LE_STR("images", out)) != LE_OK);
    snprintf(out, sizeof out, "%s/out2.h5", folder);
    CHECK(access(out, F_OK) != 0);
    snprintf(out, sizeof out, "%s/out2.h5.part", folder);
    CHECK(access(out, F_OK) != 0);
}

int main(int argc, char **argv) {
    int provided, sum;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank == 0 && !mkdtemp(folder))
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    le_options options;
    le_default_options(&options);
    options.db_path = ":memory:";
    options.devices = "cpu";
    CHECK(le_mpi_open(&engine, MPI_COMM_WORLD, &options) == LE_OK);
    every_item_once();
    merged();
    reproducible();
    views_to_a_file();
    frames();
    one_rank_differs();
    files_that_fail();
    le_mpi_close(&engine);
    MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    char command[64];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (rank == 0)
        printf("%d ranks: %d failures\n", ranks, sum + (system(command) != 0));
    MPI_Finalize();
    return sum ? 1 : 0;
}
