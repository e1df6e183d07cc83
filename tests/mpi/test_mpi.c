/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Calls over ranks, against sums made here and against single calls: tensors and places, outputs
 * that are cut and merged, halos, errors of one rank, ranks of different speeds. To be started by
 * mpirun with any number of ranks.
 */
#include "cut.h"
#include "liquid_engine/le_io.h"
#include "liquid_engine/le_mpi.h"
#include "ranks.h"
#include "shares.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static le_engine *engine;

/* ------------------------------------------------------------------------------------ ranges -- */

/* some: a third of the items is done already, from a multiple on. */
static void check_blocks(const le_slabs *s, le__cutting how, int n, const double *speeds,
                         bool some) {
    unsigned char done[1000] = {0}, seen[1000] = {0};
    int64_t multiple = s->multiple ? s->multiple : 1, from = s->items / 3 / multiple * multiple;
    le__blocks blocks;
    if (some)
        memset(done + from, 1, (size_t)(s->items / 3));
    CHECK(le__cut(s, how, n, speeds, some ? done : NULL, &blocks) == LE_OK);
    for (int64_t b = 0; b < blocks.n; b++) {
        le_slab_range i = blocks.list[b];
        const int64_t extent = s->extent ? s->extent : s->items;
        CHECK(i.end > i.begin && i.low <= i.begin && i.high > i.low);
        CHECK(s->wraps ? i.low == i.begin - s->halo && i.high == i.end + s->halo
                       : i.low >= 0 && i.high <= extent && i.begin - i.low <= s->halo + 2);
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
                                     {.items = 7, .multiple = 9},
                                     {.items = 43, .halo = 2, .extent = 41},
                                     {.items = 39, .halo = 60, .extent = 41},
                                     {.items = 41, .halo = 50, .wraps = true}};
    static const double speeds[] = {1, 1e-9, 3, 1e9, 2, 1, 1, 1, 5, 1, 1, 1};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int n = 1; n < 12; n++)
            for (int how = LE__CUT_EVENLY; how <= LE__CUT_SMALL; how++)
                for (int some = 0; some < 2; some++)
                    for (int uneven = 0; uneven < 2; uneven++)
                        check_blocks(&kinds[k], (le__cutting)how, n, uneven ? speeds : NULL, some);
    /* a block a rank, as long as it is fast: within an item */
    le__blocks blocks;
    CHECK(le__cut(&kinds[3], LE__CUT_EVENLY, 3, (double[]){4, 2, 1}, NULL, &blocks) == LE_OK);
    CHECK(blocks.n == 3 && llabs(blocks.list[0].end - 571) <= 1 &&
          llabs(blocks.list[1].end - 857) <= 1);
    free(blocks.list);
}

/* ------------------------------------------------------------------------------------ shares -- */

enum { MOST_RANKS = 64 };

/* In virtual time: a rank asks when it begins the last block of its range and is answered at once.
 * Returns by how much the last one ends later than were all equally long at work. */
static double makespan(int n, int64_t blocks, bool all, const double *speeds, const double *beliefs,
                       int *messages) {
    double asks[MOST_RANKS], free_at[MOST_RANKS], sum = 0, last = 0;
    int64_t done = 0;
    le__rank_share each[MOST_RANKS] = {{0}};
    le__shares s = {.n = n, .ranks = each};
    for (int r = 0; r < n; r++)
        each[r].belief = beliefs[r];
    le__shares_begin(&s, blocks, all, 0);
    for (int r = 0; r < n; r++) {
        le__range head = le__shares_head(&s, blocks, all, r);
        done += head.end - head.begin;
        sum += speeds[r];
        free_at[r] = (double)(head.end - head.begin) / speeds[r];
        last = fmax(last, free_at[r]);
        asks[r] = fmax(0, free_at[r] - 1 / speeds[r]);
    }
    CHECK(done == s.left.begin && s.left.end == blocks);
    for (int out = 0; out < n;) {
        int next = 0;
        for (int r = 1; r < n; r++)
            next = asks[r] < asks[next] ? r : next;
        le__range more =
            le__shares_more(&s, next, free_at[next] > 0 ? speeds[next] : 0, asks[next]);
        int64_t some = more.end - more.begin;
        CHECK(more.begin == done || some == 0);
        done += some;
        *messages += next ? 2 + (some == 0) : 0;
        free_at[next] += (double)some / speeds[next];
        last = fmax(last, free_at[next]);
        asks[next] = some ? free_at[next] - 1 / speeds[next] : INFINITY;
        out += some == 0;
    }
    CHECK(done == blocks);
    return last / ((double)blocks / sum);
}

static double uniform(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static void shares_by_speed(void) {
    double speeds[MOST_RANKS], beliefs[MOST_RANKS];
    uint64_t state = 1;
    for (int k = 0; k < 100; k++) {
        int messages = 0;
        for (int r = 0; r < MOST_RANKS; r++) {
            speeds[r] = 0.65 + 0.7 * uniform(&state);
            beliefs[r] = k % 2 ? 1 : speeds[r] * (0.7 + 0.6 * uniform(&state));
        }
        CHECK(makespan(MOST_RANKS, 200 * MOST_RANKS, false, speeds, beliefs, &messages) <= 1.03);
        CHECK(messages <= 40 * MOST_RANKS);
    }
    /* one of the slowest is 12 % of the ideal; beliefs: right, up to 30 % off, all alike */
    for (int k = 0; k < 300; k++) {
        int messages = 0;
        for (int r = 0; r < 3; r++) {
            const int who = (r + k) % 3;
            speeds[who] = r == 0 ? 4 : r == 1 ? 2 : 1;
            beliefs[who] = k < 3     ? speeds[who]
                           : k < 297 ? speeds[who] * (0.7 + 0.6 * uniform(&state))
                                     : 1;
        }
        CHECK(makespan(3, 60, false, speeds, beliefs, &messages) <= 1.03); /* 35 + 17 + 8 */
        CHECK(messages <= 40);
    }
    for (int n = 1; n < 12; n++) /* more ranks than blocks, and none at all */
        for (int64_t blocks = 0; blocks < 30; blocks++) {
            int messages = 0;
            for (int r = 0; r < n; r++)
                speeds[r] = beliefs[r] = 1 + r;
            makespan(n, blocks, blocks % 2, speeds, beliefs, &messages);
        }
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
    double most = 0;
    for (int64_t i = 0; images.data && i < le_tensor_count(&whole); i++)
        most = fmax(most, fabs(le_tensor_get(&images, i) - le_tensor_get(&whole, i)));
    CHECK(most <= 1e-4);
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

/* -------------------------------------------------------------------------------- convolutions --
 */

/* One call over all ranks and one here, both reproducible: the same bits. in: a tensor, or a place.
 * whole: it cannot be cut, which the report says. */
static void convolve(const char *in, const le_tensor *image, const le_tensor *kernel,
                     const char *mode, const char *boundary, bool whole) {
    le_mpi_options o = {.struct_size = sizeof o, .in = LE_MPI_ALL, .out = LE_MPI_ALL};
    le_mpi_report r = {.struct_size = sizeof r};
    le_tensor result = {0}, alone = {0};
    const le_arg source = in ? LE_STR("image", in) : LE_IN("image", image);
    CHECK(le_mpi_run(engine, MPI_COMM_WORLD, &o, "convolve2d", source, LE_TABLE("kernel", kernel),
                     LE_STR("mode", mode), LE_STR("boundary", boundary), LE_F64("fillvalue", 2.5),
                     LE_OUT("result", &result), LE_OPT_REPRODUCIBLE()) == LE_OK);
    CHECK(le_engine_run(engine, "convolve2d", LE_IN("image", image), LE_TABLE("kernel", kernel),
                        LE_STR("mode", mode), LE_STR("boundary", boundary),
                        LE_F64("fillvalue", 2.5), LE_OUT("result", &alone),
                        LE_OPT_REPRODUCIBLE()) == LE_OK);
    CHECK(le_mpi_last_run(&r) == LE_OK && r.items == (whole ? 0 : alone.shape[0]));
    CHECK(!r.why_whole == !whole);
    if (!whole && alone.shape[0] >= ranks && ranks > 1)
        CHECK(r.own < r.items);
    const bool same = result.data && result.dtype == alone.dtype &&
                      result.shape[0] == alone.shape[0] && result.shape[1] == alone.shape[1] &&
                      !memcmp(result.data, alone.data,
                              (size_t)le_tensor_count(&alone) * le_dtype_size(alone.dtype));
    if (!same)
        fprintf(stderr, "%lldx%lld taps, %s, %s: other bits\n", (long long)kernel->shape[0],
                (long long)kernel->shape[1], mode, boundary);
    CHECK(same);
    le_tensor_free(&result);
    le_tensor_free(&alone);
}

static le_tensor noise(le_dtype dtype, int64_t rows, int64_t cols) {
    le_tensor t;
    CHECK(le_tensor_alloc(&t, dtype, 2, (int64_t[]){rows, cols}) == LE_OK);
    for (int64_t i = 0; i < rows * cols; i++)
        le_tensor_set(&t, i, value_at(i));
    return t;
}

/* Slabs whose inputs have more or fewer rows than the result, and that wrap around: kernels of
 * fewer and of more rows than a rank's part, some that reach around the image several times. */
static void convolutions(void) {
    static const char *const modes[] = {"full", "same", "valid"};
    static const char *const boundaries[] = {"fill", "wrap", "symm"};
    static const int64_t kernels[][2] = {{3, 4}, {4, 1}, {21, 2}, {90, 1}};
    char place[64];
    setenv("LE_TEST_CUT", "equal", 1); /* else one may have done all before another begins */
    snprintf(place, sizeof place, "%s/image.h5:/pixels", folder);
    le_tensor image = noise(LE_F32, 41, 19);
    if (rank == 0)
        CHECK(le_io_write(engine, place, &image) == LE_OK);
    MPI_Barrier(MPI_COMM_WORLD);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        le_tensor kernel = noise(LE_F64, kernels[k][0], kernels[k][1]);
        for (int mode = 0; mode < (kernels[k][0] > 41 ? 2 : 3); mode++)
            for (int b = 0; b < 3; b++)
                for (int read = 0; read < 2; read++)
                    convolve(read ? place : NULL, &image, &kernel, modes[mode], boundaries[b],
                             false);
        le_tensor_free(&kernel);
    }
    unsetenv("LE_TEST_CUT");
    le_tensor_free(&image);
}

/* Fourier transforms of tiles have other bits for an image that begins elsewhere. */
static void transforms(void) {
    le_tensor image = noise(LE_F32, 300, 300), kernel = noise(LE_F64, 33, 33);
    convolve(NULL, &image, &kernel, "same", "wrap", true);
    le_tensor_free(&kernel);
    le_tensor_free(&image);
}

/* ------------------------------------------------------------------------------ stored frames --
 */

/* Chunks of two frames, as they are; where they begin is a place. The sum of each frame, in one
 * bin, and the bits of one call. */
static void stored_frames(void) {
    enum { CHUNKS = 11, OF_CHUNK = 2, H = 9, W = 7, FRAMES = CHUNKS * OF_CHUNK };
    static uint16_t frames[FRAMES * H * W];
    le_mpi_options o = {.struct_size = sizeof o, .in = LE_MPI_ALL, .out = LE_MPI_ALL};
    le_mpi_report r = {.struct_size = sizeof r};
    int64_t offsets[CHUNKS + 1], size = sizeof frames, n = CHUNKS, ends = CHUNKS + 1;
    uint32_t ones[CHUNKS];
    char place[64];
    for (int i = 0; i < FRAMES * H * W; i++)
        frames[i] = (uint16_t)((i * 31 + i / 63 * 7) % 500);
    for (int k = 0; k <= CHUNKS; k++)
        offsets[k] = k * OF_CHUNK * H * W * 2;
    for (int k = 0; k < CHUNKS; k++)
        ones[k] = 1;
    le_tensor bytes = le_tensor_of(frames, LE_U8, 1, &size),
              at = le_tensor_of(offsets, LE_I64, 1, &ends),
              skipped = le_tensor_of(ones, LE_U32, 1, &n), sums[2] = {{0}}, radial[2] = {{0}};
    snprintf(place, sizeof place, "%s/offsets.h5:/at", folder);
    if (rank == 0)
        CHECK(le_io_write(engine, place, &at) == LE_OK);
    MPI_Barrier(MPI_COMM_WORLD);
#define CALL(the_offsets, k)                                                                       \
    LE_IN("frames", &bytes), the_offsets, LE_IN("skipped", &skipped), LE_F64("distance", 0.1),     \
        LE_F64("poni1", 0), LE_F64("poni2", 0), LE_F64("pixel1", 1e-4), LE_F64("pixel2", 1e-4),    \
        LE_I64("npt", 1), LE_STR("unit", "r_mm"), LE_STR("splitting", "no"),                       \
        LE_I64("solid_angle", 0), LE_F64S("chunk", ((double[]){OF_CHUNK, H, W}), 3),               \
        LE_STR("type", "u16"), LE_OUT("sum_signal", &sums[k]), LE_OUT("radial", &radial[k]),       \
        LE_OPT_REPRODUCIBLE()
    CHECK(le_mpi_run(engine, MPI_COMM_WORLD, &o, "integrate_stored",
                     CALL(LE_STR("offsets", place), 0)) == LE_OK);
    CHECK(le_engine_run(engine, "integrate_stored", CALL(LE_IN("offsets", &at), 1)) == LE_OK);
#undef CALL
    CHECK(le_mpi_last_run(&r) == LE_OK && r.items == CHUNKS);
    CHECK(sums[0].data && sums[0].shape[0] == FRAMES && radial[0].data);
    for (int f = 0; sums[0].data && f < FRAMES; f++) {
        double sum = 0;
        for (int i = f * H * W; i < (f + 1) * H * W; i++)
            sum += frames[i];
        CHECK(fabs(le_tensor_get(&sums[0], f) - sum) <= 1e-5 * sum);
        CHECK(le_tensor_get(&sums[0], f) == le_tensor_get(&sums[1], f));
    }
    CHECK(le_tensor_get(&radial[0], 0) == le_tensor_get(&radial[1], 0));
    for (int k = 0; k < 2; k++) {
        le_tensor_free(&sums[k]);
        le_tensor_free(&radial[k]);
    }
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

/* -------------------------------------------------------------------------- uneven and broken --
 */

enum { VIEWS = 120 };

static le_status render(const le_mpi_options *o, le_tensor *images) {
    double angles[VIEWS];
    le_tensor volume = volume_here(true);
    for (int i = 0; i < VIEWS; i++)
        angles[i] = 3 * i;
    le_status status =
        le_mpi_run(engine, MPI_COMM_WORLD, o, "volume_render", LE_IN("volume", &volume),
                   LE_I64("size", 5), LE_F64S("angles", angles, VIEWS), LE_F64("outside", 0),
                   LE_OUT("images", images), LE_OPT_IMPLEMENTATION("c"));
    le_tensor_free(&volume);
    return status;
}

/* A rank that takes long for each block gets fewer of them, and the result is the same. */
static void slow_rank(void) {
    le_mpi_options o = {.struct_size = sizeof o, .in = LE_MPI_ALL, .out = LE_MPI_ALL};
    le_tensor even = {0}, uneven = {0};
    int64_t own[2] = {0}, sum;
    for (int slow = 0; slow < 2; slow++) {
        le_mpi_report r = {.struct_size = sizeof r};
        setenv("LE_TEST_CUT", slow ? "" : "equal", 1);
        setenv("LE_TEST_SLOW", slow ? "1,60" : "1", 1);
        CHECK(render(&o, slow ? &uneven : &even) == LE_OK);
        CHECK(le_mpi_last_run(&r) == LE_OK);
        own[slow] = r.own;
        MPI_Allreduce(&r.own, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
        CHECK(sum == VIEWS && r.items == VIEWS);
    }
    unsetenv("LE_TEST_CUT");
    unsetenv("LE_TEST_SLOW");
    CHECK(llabs(own[0] - VIEWS / ranks) <= 2 + VIEWS / (32 * ranks));
    if (rank == 1)
        CHECK(own[1] < 2 * own[0] / 3);
    CHECK(even.data && uneven.data &&
          !memcmp(even.data, uneven.data, (size_t)le_tensor_count(&even) * sizeof(float)));
    le_tensor_free(&even);
    le_tensor_free(&uneven);
}

/* Messages that take their time: each is waited for, and the result is the same. */
static void slow_messages(void) {
    const double each = 0.005;
    le_mpi_options o = {.struct_size = sizeof o, .in = LE_MPI_ALL, .out = LE_MPI_ALL};
    le_mpi_report r = {.struct_size = sizeof r};
    le_tensor usual = {0}, delayed = {0};
    int64_t own, asks;
    CHECK(render(&o, &usual) == LE_OK);
    setenv("LE_TEST_DELAY", "5", 1);
    CHECK(render(&o, &delayed) == LE_OK);
    unsetenv("LE_TEST_DELAY");
    CHECK(le_mpi_last_run(&r) == LE_OK && r.items == VIEWS);
    if (rank > 0) /* one question after the other, there and back, and the word that it has ended */
        CHECK(r.seconds >= 2 * each * (double)(r.asks - 1));
    MPI_Allreduce(&r.own, &own, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&r.asks, &asks, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(own == VIEWS && asks >= 3 * (ranks - 1)); /* each has asked, been answered, and ended */
    CHECK(usual.data && delayed.data &&
          !memcmp(usual.data, delayed.data, (size_t)le_tensor_count(&usual) * sizeof(float)));
    le_tensor_free(&usual);
    le_tensor_free(&delayed);
}

/* Rank 0 is held in its first block until the journal says that so many views are made. */
typedef struct held {
    char journal[64];
    int64_t made;
    double until; /* on MPI_Wtime: given up */
    bool over;
} held;

enum {
    ENOUGH = VIEWS / 2 + 4, /* heads are a half at most, a block two views */
    HEAD = 24
}; /* bytes of a journal before those of its items */

static bool hold(void *context, double done) {
    held *h = context;
    unsigned char bytes[HEAD + VIEWS] = {0};
    (void)done;
    FILE *f = rank == 0 && !h->over ? fopen(h->journal, "rb") : NULL;
    if (!f)
        return true;
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    h->made = 0;
    for (size_t k = HEAD; k < n; k++)
        h->made += bytes[k];
    const bool first_is_made = bytes[HEAD] != 0;
    h->over = first_is_made && (h->made >= ENOUGH || MPI_Wtime() > h->until);
    if (h->over)
        setenv("LE_TEST_SLOW", "1", 1);
    return !h->over;
}

static le_status render_into(const char *place, le_tensor *volume, double deadline) {
    le_mpi_options o = {.struct_size = sizeof o, .in = LE_MPI_ALL, .deadline_s = deadline};
    double angles[VIEWS];
    for (int i = 0; i < VIEWS; i++)
        angles[i] = 3 * i;
    return le_mpi_run(engine, MPI_COMM_WORLD, &o, "volume_render", LE_IN("volume", volume),
                      LE_I64("size", 5), LE_F64S("angles", angles, VIEWS), LE_F64("outside", 0),
                      LE_STR("images", place), LE_OPT_IMPLEMENTATION("c"));
}

/* A call on a tensor is continued with the same numbers only. */
static void left_of_tensors(void) {
    char out[64], fresh[64];
    le_tensor volume = volume_here(true), got = {0}, wanted = {0};
    snprintf(out, sizeof out, "%s/left.h5:/images", folder);
    snprintf(fresh, sizeof fresh, "%s/fresh.h5:/images", folder);
    for (int changed = 0; ranks > 1 && changed < 2; changed++) {
        le_mpi_report r = {.struct_size = sizeof r};
        setenv("LE_TEST_SLOW", "1e9", 1); /* rank 0 is held after its first block */
        CHECK(render_into(out, &volume, 2) == LE_ERR_CANCELLED);
        unsetenv("LE_TEST_SLOW");
        for (int64_t i = 0; changed && i < le_tensor_count(&volume); i++)
            le_tensor_set(&volume, i, le_tensor_get(&volume, i) * 2 + 1);
        CHECK(render_into(out, &volume, 0) == LE_OK);
        CHECK(le_mpi_last_run(&r) == LE_OK && (r.left < VIEWS) == !changed);
        CHECK(render_into(fresh, &volume, 0) == LE_OK);
        if (rank == 0) {
            CHECK(le_io_read(engine, out, NULL, &got) == LE_OK);
            CHECK(le_io_read(engine, fresh, NULL, &wanted) == LE_OK);
            CHECK(got.data && wanted.data &&
                  !memcmp(got.data, wanted.data, (size_t)le_tensor_count(&got) * sizeof(float)));
        }
        le_tensor_free(&got);
        le_tensor_free(&wanted);
    }
    le_tensor_free(&volume);
}

static le_status copy_check(le_call *call) {
    const le_tensor *in = le_call_in(call, 0);
    return le_call_set_out(call, 1, in->dtype, in->ndim, in->shape);
}

static bool copy_slabs(const le_call *call, le_slabs *out) {
    out->items = le_call_in(call, 0)->shape[0];
    out->args[0].axis = out->args[1].axis = 1;
    return true;
}

static void copy_work(const le_call *call, le_work *out) {
    out->operations = out->bytes = (double)le_tensor_count(le_call_in(call, 0)) + 1;
}

static le_status copy_run(le_call *call) {
    const le_tensor *out = le_call_out(call, 1);
    memcpy(out->data, le_call_contiguous(call, 0),
           (size_t)le_tensor_count(out) * le_dtype_size(out->dtype));
    return LE_OK;
}

/* Into the caller's memory, whatever its strides are: every bit, also of what no double holds. */
static void exact_outputs(void) {
    enum { H = 9, W = 5, TYPES = LE_DTYPES_COMPLEX | LE_DTYPE_BIT(LE_I64) | LE_DTYPE_BIT(LE_U64) };
    static const le_arg_desc args[] = {
        {.name = "in", .type = LE_TYPE_IN, .dtypes = TYPES, .min_ndim = 2, .max_ndim = 2},
        {.name = "out", .type = LE_TYPE_OUT, .dtypes = TYPES, .min_ndim = 2, .max_ndim = 2}};
    static const le_operation whole = {.abi = LE_METHOD_ABI, .name = "copied", .family = "test",
                                 .args = args, .n_args = 2, .check = copy_check, .work = copy_work};
    static le_implementation of[2];
    static le_operation cut;
    const le_mpi_options o = {.struct_size = sizeof o, .in = LE_MPI_ALL, .out = LE_MPI_ALL};
    cut = whole;
    cut.name = "copied_in_slabs";
    cut.slabs = copy_slabs;
    for (int k = 0; k < 2; k++) {
        of[k] = (le_implementation){.abi = LE_METHOD_ABI, .operation = k ? cut.name : whole.name,
                                    .name = "reference", .run_type = "reference", .run = copy_run,
                                    .flags = LE_IMPL_REFERENCE | LE_IMPL_SERIAL};
        CHECK(le_register_operation(engine, k ? &cut : &whole) == LE_OK);
        CHECK(le_register_implementation(engine, &of[k]) == LE_OK);
    }
    static const le_dtype dtypes[] = {LE_I64, LE_U64, LE_C64, LE_C128};
    for (int k = 0; k < 16; k++) {
        const le_dtype dtype = dtypes[k / 4];
        const size_t size = le_dtype_size(dtype);
        uint64_t given[2 * H * W], got[2 * H * W] = {0}, back[2 * H * W] = {0};
        for (int i = 0; i < 2 * H * W; i++) /* whole numbers beyond 2^53, finite as floats */
            given[i] = 0x3ffc3fb1d5a3c19b + 0x0000001100000013 * (uint64_t)i;
        le_tensor in = le_tensor_of(given, dtype, 2, (int64_t[]){H, W});
        le_tensor out = le_tensor_of(got, dtype, 2, (int64_t[]){H, W});
        if (k % 2) /* column-major */
            out.strides[0] = 1, out.strides[1] = H;
        CHECK(le_mpi_run(engine, MPI_COMM_WORLD, &o, k & 2 ? cut.name : whole.name, LE_IN("in", &in),
                         LE_OUT("out", &out)) == LE_OK);
        for (int64_t i = 0; i < H * W; i++)
            memcpy((char *)back + (size_t)i * size,
                   (char *)got + (size_t)(i / W * out.strides[0] + i % W * out.strides[1]) * size, size);
        CHECK(!memcmp(back, given, H * W * size));
    }
}

/* As le_run says it, on all ranks; nobody waits. */
static void null_arguments(void) {
    le_tensor volume = volume_here(true), image = {0};
    le_mpi_options o = {.struct_size = sizeof o, .in = LE_MPI_ALL, .out = LE_MPI_ALL};
    const le_tensor *no_input = NULL;
    le_tensor *no_output = NULL;
    const char *no_text = NULL;
    const le_arg given[][2] = {{LE_IN("volume", no_input), LE_OUT("image", &image)},
                               {LE_STR("volume", no_text), LE_OUT("image", &image)},
                               {LE_IN("volume", &volume), LE_OUT("image", no_output)},
                               {LE_IN("volume", &volume), LE_STR("image", no_text)}};
    for (int k = 0; k < 4; k++) {
        CHECK(le_mpi_call_run(engine, MPI_COMM_WORLD, &o, "project", given[k], 2) ==
              LE_ERR_ARGUMENT);
        CHECK(same_text(k < 2 ? "argument 'volume' is NULL" : "argument 'image' is NULL"));
    }
    CHECK(!image.data);
    le_tensor_free(&volume);
}

/* The others are given more while rank 0 is in the midst of a block, however long that takes. */
static void slow_root(void) {
    double angles[VIEWS];
    char in[64], out[64];
    held h = {.until = MPI_Wtime() + 100};
    const le_tick tick = {hold, &h};
    le_mpi_report r = {.struct_size = sizeof r};
    if (ranks == 1)
        return;
    snprintf(in, sizeof in, "%s/in.h5:/v", folder);
    snprintf(out, sizeof out, "%s/held.h5:/images", folder);
    snprintf(h.journal, sizeof h.journal, "%s/held.h5.journal", folder);
    for (int i = 0; i < VIEWS; i++)
        angles[i] = 3 * i;
    setenv("LE_TEST_SLOW", "1e9", 1);
    CHECK(le_mpi_run(engine, MPI_COMM_WORLD, NULL, "volume_render", LE_STR("volume", in),
                     LE_I64("size", 5), LE_F64S("angles", angles, VIEWS), LE_F64("outside", 0),
                     LE_STR("images", out), LE_OPT_IMPLEMENTATION("c"),
                     LE_OPT_TICK(&tick)) == LE_OK);
    unsetenv("LE_TEST_SLOW");
    CHECK(le_mpi_last_run(&r) == LE_OK && r.items == VIEWS);
    if (rank == 0)
        CHECK(h.made >= ENOUGH && r.own <= VIEWS - ENOUGH + 2);
}

static void too_late(void) {
    le_mpi_options o = {
        .struct_size = sizeof o, .in = LE_MPI_ALL, .out = LE_MPI_ALL, .deadline_s = 0.05};
    le_tensor images = {0};
    setenv("LE_TEST_SLOW", "2000", 1); /* rank 0, which has blocks to do then */
    CHECK(render(&o, &images) == LE_ERR_CANCELLED);
    unsetenv("LE_TEST_SLOW");
    CHECK(same_text("deadline") && !images.data);
    o.deadline_s = 1000;
    CHECK(render(&o, &images) == LE_OK);
    le_tensor_free(&images);
}

/* Blocks that fail: all hear of the same error, and nobody waits. */
static void failing(void) {
    le_mpi_options o = {.struct_size = sizeof o, .in = LE_MPI_ALL, .out = LE_MPI_ALL};
    int failed = 0, seed = 0, late = 0;
    const int enough = 30, seeds = ranks == 4 ? 1000 : enough;
    const double end = MPI_Wtime() + 60; /* where other programs keep ranks from the processors */
    for (; seed < seeds && (seed < enough || !late); seed++) {
        char text[16];
        int least, most, own = MPI_Wtime() > end;
        le_tensor images = {0};
        snprintf(text, sizeof text, "%d:%d", seed, seed % 4 ? 8 : 200);
        setenv("LE_TEST_FAIL", text, 1);
        int status = (int)render(&o, &images);
        MPI_Allreduce(&status, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
        MPI_Allreduce(&status, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        MPI_Allreduce(&own, &late, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        CHECK(least == most && (status == LE_OK || status == LE_ERR_INTERNAL));
        if (status != LE_OK)
            CHECK(same_text("made to fail") && !images.data);
        failed += status != LE_OK;
        le_tensor_free(&images);
    }
    unsetenv("LE_TEST_FAIL");
    CHECK(failed > 0 && failed < seed);
}

int main(int argc, char **argv) {
    begin_ranks(&argc, &argv, folder);
    le_options options;
    le_default_options(&options);
    options.db_path = ":memory:";
    options.devices = "cpu";
    CHECK(le_mpi_open(&engine, MPI_COMM_WORLD, &options) == LE_OK);
    every_item_once();
    shares_by_speed();
    merged();
    reproducible();
    views_to_a_file();
    frames();
    convolutions();
    transforms();
    stored_frames();
    one_rank_differs();
    files_that_fail();
    slow_rank();
    slow_root();
    left_of_tensors();
    exact_outputs();
    null_arguments();
    slow_messages();
    too_late();
    failing();
    le_mpi_close(&engine);
    const int sum = end_ranks(folder);
    le_mpi_report r = {.struct_size = sizeof r};
    le_mpi_last_run(&r);
    if (rank == 0)
        printf("%d ranks on %d nodes: %d failures\n", ranks, r.nodes, sum);
    MPI_Finalize();
    return sum ? 1 : 0;
}
