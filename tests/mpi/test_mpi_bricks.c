/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Boxes of a volume over ranks, against the reference of volume_render in double precision, and the
 * exchange of parts against joining them one after the other. To be started by mpirun with 12
 * ranks, of which fewer take part in turn.
 */
#include "exchange.h"
#include "factors.h"
#include "liquid_engine/le_boxes.h"
#include "liquid_engine/le_io.h"
#include "liquid_engine/le_method.h"
#include "liquid_engine/le_mpi.h"
#include "ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { N = 48, SIZE = 32, VIEWS = 3, PIXELS = SIZE * SIZE, NUMBERS = VIEWS * PIXELS * 3 };
enum { RANKS = 12, MANY = 5000 };

static le_engine *engine;
static char place[256];
static double whole[NUMBERS]; /* on rank 0 */

static uint64_t seed;
static double uniform(void) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

/* --------------------------------------------------------------------------------- exchange -- */

/* What a rank has: runs of pixels, opacity to 1, colours beyond it. */
static void fill_part(int64_t r, float *part, int64_t pixels) {
    seed = 77 + (uint64_t)r;
    for (int64_t i = 0; i < pixels; i++) {
        double opacity = (i / 50 + r) % 3 ? uniform() : 0;
        for (int c = 0; c < 4; c++)
            part[4 * i + c] = (float)(opacity * (c == 3 ? 1 : 1.3 * uniform()));
    }
}

/* One after the other, in doubles. */
static void join_plainly(int64_t parts, const int64_t *order, double *out, int64_t pixels) {
    static float part[4 * MANY];
    memset(out, 0, (size_t)pixels * 4 * sizeof *out);
    for (int64_t k = 0; k < parts; k++) {
        fill_part(order[k], part, pixels);
        for (int64_t i = 0; i < pixels; i++)
            for (int c = 0; c < 4; c++) {
                double through = 1 - (double)part[4 * i + 3];
                out[4 * i + c] = (double)part[4 * i + c] + through * out[4 * i + c];
            }
    }
}

static double farthest(const float *a, const double *b, int64_t n) {
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs((double)a[i] - b[i]));
    return most;
}

static void shuffle(int64_t *order, int64_t n, uint64_t how) {
    seed = how;
    for (int64_t i = 0; i < n; i++)
        order[i] = i;
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t k = (int64_t)(uniform() * (double)(i + 1)), swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
}

static int64_t total(MPI_Comm comm, int64_t number) {
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_SUM, comm);
    return number;
}

/* messages: of all ranks; 0: not checked. */
static void check_exchange(MPI_Comm comm, const int *factors, size_t n, int64_t pixels,
                           int64_t messages) {
    static double wanted[4 * MANY];
    int64_t order[RANKS], backwards[RANKS] = {0};
    le__world w;
    le__exchange x;
    CHECK(le__world_open(&w, comm) == LE_OK);
    CHECK(le__exchange_open(&x, &w, factors, n, pixels) == LE_OK);
    shuffle(order, w.ranks, 5);
    fill_part(w.rank, x.part, pixels);
    le__exchange_join(&x, pixels, order);
    if (w.rank == 0) {
        join_plainly(w.ranks, order, wanted, pixels);
        CHECK(farthest(x.part, wanted, 4 * pixels) <= 1e-6);
        for (int i = 0; i < w.ranks; i++)
            backwards[i] = order[w.ranks - 1 - i];
        join_plainly(w.ranks, backwards, wanted, pixels);
        CHECK(w.ranks == 1 || farthest(x.part, wanted, 4 * pixels) > 0.05);
    }
    CHECK(total(w.comm, w.messages) == messages || !messages);
    le__exchange_close(&x);
    le__world_close(&w);
}

static void exchanges(MPI_Comm comm, int p) {
    static const struct {
        int p, k[4];
        size_t n;
        int64_t sum; /* of k - 1 */
    } lists[] = {{4, {2, 2}, 2, 2}, {6, {3, 2}, 2, 3},  {6, {2, 3}, 2, 3},     {8, {2, 2, 2}, 3, 3},
                 {8, {4, 2}, 2, 4}, {12, {3, 4}, 2, 5}, {12, {2, 2, 3}, 3, 4}, {5, {5}, 1, 4},
                 {7, {7}, 1, 6},    {11, {11}, 1, 10},  {12, {12}, 1, 11}};
    check_exchange(comm, NULL, 0, MANY, 0);
    check_exchange(comm, NULL, 0, 5, 0); /* fewer pixels than ranks */
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i].p == p)
            check_exchange(comm, lists[i].k, lists[i].n, MANY, p * lists[i].sum + p - 1);
    le__world w;
    le__exchange x;
    CHECK(le__world_open(&w, comm) == LE_OK);
    CHECK(le__exchange_open(&x, &w, (const int[]){5, 3}, 2, 10) == LE_ERR_ARGUMENT);
    le__world_close(&w);
}

static void factors(void) {
    static const struct {
        int ranks, left;
        int k[3];
    } wanted[] = {{1, 1, {0}},      {8, 8, {8}},      {12, 12, {6, 2}}, {11, 10, {5, 2}},
                  {64, 64, {8, 8}}, {13, 12, {6, 2}}, {22, 21, {7, 3}}, {4096, 4096, {8, 8, 8}}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const le__factors f = le__factors_of(wanted[i].ranks, LE__FACTOR);
        int product = 1;
        CHECK(wanted[i].ranks - f.pairs == wanted[i].left);
        for (int r = 0; r < f.n; r++)
            product *= f.list[r];
        CHECK(product == wanted[i].left && !memcmp(f.list, wanted[i].k, sizeof wanted[i].k));
    }
}

/* ------------------------------------------------------------------------------------- calls -- */

static double rotations[9 * VIEWS];

static void rotate(double *r, double x, double y, double z, double angle) {
    const double k[9] = {0, -z, y, z, 0, -x, -y, x, 0};
    for (int i = 0; i < 9; i++) {
        double square = 0;
        for (int j = 0; j < 3; j++)
            square += k[i / 3 * 3 + j] * k[3 * j + i % 3];
        r[i] = (i % 4 == 0) + sin(angle) * k[i] + (1 - cos(angle)) * square;
    }
}

static void make_volume(void) {
    static float density[N * N * N];
    le_tensor t = le_tensor_of(density, LE_F32, 3, (int64_t[]){N, N, N});
    le_tensor out = le_tensor_of(whole, LE_F64, 4, (int64_t[]){VIEWS, SIZE, SIZE, 3});
    rotate(rotations, 1, 0, 0, 0.6);
    rotate(rotations + 9, sqrt(1.0 / 14), sqrt(4.0 / 14), sqrt(9.0 / 14), 0.9);
    rotate(rotations + 18, 0, 0.6, -0.8, 2.5);
    for (int i = 0; i < N * N * N; i++) {
        double x = i / (N * N), y = i / N % N, z = i % N;
        double r = pow(x - 23.5, 2) + pow(y - 23.5, 2) + pow(z - 23.5, 2); /* a ball in nothing */
        density[i] = r > 15 * 15 ? 0
                                 : (float)exp(5 * sin(0.31 * x + 0.2 * y) +
                                              4 * cos(0.27 * y - 0.23 * z + 1) + 2 * sin(0.5 * z));
    }
    if (rank == 0) {
        const char *folder = getenv("TMPDIR");
        snprintf(place, sizeof place, "%s/le-bricks-%ld.npy", folder ? folder : "/tmp",
                 (long)getpid());
        CHECK(le_io_write(NULL, place, &t) == LE_OK);
        CHECK(
            le_call_run(engine, "volume_render",
                        (le_arg[]){LE_IN("volume", &t), LE_I64("size", SIZE), LE_F64("outside", 0),
                                   LE_F64S("rotation", rotations, 9 * VIEWS),
                                   LE_OUT("images", &out), LE_OPT_IMPLEMENTATION("reference")},
                        6) == LE_OK);
    }
    MPI_Bcast(place, sizeof place, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static le_status render(MPI_Comm comm, const le_mpi_options *o, int64_t limit, bool reproducible,
                        le_tensor *images, le_mpi_report *report) {
    le_arg args[] = {LE_STR("volume", place),    LE_I64("size", SIZE),
                     LE_F64("outside", 0),       LE_F64S("rotation", rotations, 9 * VIEWS),
                     LE_OUT("images", images),   LE_OPT_ATOL(1e-6),
                     LE_OPT_IMPLEMENTATION("c"), LE_OPT_MEMORY_LIMIT(limit),
                     LE_OPT_REPRODUCIBLE()};
    le_status status =
        le_mpi_call_run(engine, comm, o, "volume_render", args, reproducible ? 9 : 8);
    report->struct_size = sizeof *report;
    if (status == LE_OK)
        CHECK(le_mpi_last_run(report) == LE_OK);
    return status;
}

/* groups: that have the volume between them. */
static void check_call(MPI_Comm comm, int p, int64_t limit, int groups, const int *k, size_t n,
                       int64_t sum) {
    le_tensor images = {0};
    le_mpi_report r;
    const le_mpi_options o = {.struct_size = sizeof o, .factors = k, .n_factors = n};
    CHECK(render(comm, &o, limit, false, &images, &r) == LE_OK);
    CHECK(r.boxes == p / groups && r.samples_owned == (int64_t)VIEWS * SIZE * PIXELS);
    CHECK((images.data != NULL) == (rank == 0));
    CHECK(rank != 0 || farthest(images.data, whole, NUMBERS) <= 2e-6);
    double bytes = (double)total(comm, r.bytes), messages = (double)total(comm, r.messages);
    if (groups == 1) {
        CHECK(messages == (double)(VIEWS * (p * sum + p - 1)));
        CHECK(bytes <= 0.6 * (p - 1) * (1 + 1.0 / p) * VIEWS * PIXELS * 16);
    }
    le_tensor_free(&images);
}

static void calls(MPI_Comm comm, int p) {
    static const struct {
        int p, k[3];
        size_t n;
        int64_t sum;
    } lists[] = {{1, {0}, 0, 0}, {4, {2, 2}, 2, 2},    {5, {5}, 1, 4},        {6, {2, 3}, 2, 3},
                 {7, {7}, 1, 6}, {8, {2, 2, 2}, 3, 3}, {12, {2, 2, 3}, 3, 4}, {12, {12}, 1, 11}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (lists[i].p == p)
            check_call(comm, p, 120000, 1, lists[i].n ? lists[i].k : NULL, lists[i].n,
                       lists[i].sum);
    if (p == 8) /* four ranks have room for the volume */
        check_call(comm, p, 240000, 2, NULL, 0, 0);
    le_tensor images = {0};
    le_mpi_report r;
    CHECK(render(comm, NULL, 40000, false, &images, &r) == LE_ERR_MEMORY);
    const char *told = strstr(le_error_message(), "(rank 0");
    CHECK(p == 1 ? !told : told && !strstr(told + 1, "(rank"));
}

/* Rank 0 keeps the pictures of the first number of ranks. */
static void same_bits(MPI_Comm comm, int p) {
    static float first[NUMBERS];
    static bool any;
    le_tensor images = {0};
    le_mpi_report r;
    if (p != 1 && p != 5 && p != 8)
        return;
    CHECK(render(comm, NULL, 120000, true, &images, &r) == LE_OK);
    CHECK(r.boxes == 27 && r.samples_owned == (int64_t)VIEWS * SIZE * PIXELS);
    if (rank == 0 && images.data) {
        CHECK(farthest(images.data, whole, NUMBERS) <= 2e-6);
        CHECK(!any || !memcmp(first, images.data, sizeof first));
        memcpy(first, images.data, sizeof first);
        any = true;
    }
    le_tensor_free(&images);
}

/* Who waits for messages keeps a core busy, and nothing is learnt of times then. */
static void sleep_until_all(void) {
    int all = 0;
    MPI_Request request;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (MPI_Test(&request, &all, MPI_STATUS_IGNORE); !all;
         MPI_Test(&request, &all, MPI_STATUS_IGNORE))
        nanosleep(&(struct timespec){0, 10000000}, NULL);
}

/* Two ranks, one of which has the reference only: what has been learnt of that cuts the volume before the
 * first view. In one group of views the speed that shows is of no use any more. */
static void weighted(MPI_Comm comm) {
    enum { LARGE = 40 };
    const double patience = MPI_Wtime() + 60;
    le_engine *usual = engine;
    le_tensor expected = {0};
    le_options options;
    le_default_options(&options);
    options.db_path = ":memory:";
    options.devices = "cpu";
    options.implementation = rank == 1 ? "reference" : NULL;
    le_arg args[] = {LE_STR("volume", place), LE_I64("size", LARGE), LE_F64("outside", 0),
                     LE_F64S("rotation", rotations, 9), LE_OUT("images", &expected),
                     LE_OPT_IMPLEMENTATION("reference"), LE_OPT_MEMORY_LIMIT(440000)};
    CHECK(le_tensor_alloc(&expected, LE_F64, 4, (int64_t[]){1, LARGE, LARGE, 3}) == LE_OK);
    CHECK(le_boxes_run(engine, "volume_render", args, 6, NULL) == LE_OK);
    CHECK(le_mpi_open(&engine, comm, &options) == LE_OK);
    int64_t first = 0;
    bool apart = false; /* what other programs have slowed down is known better after more calls */
    for (int i = 0; !apart && total(comm, MPI_Wtime() < patience) > 0; i++) {
        le_mpi_report r = {.struct_size = sizeof r};
        le_tensor images = {0};
        args[4] = LE_OUT("images", &images);
        args[5] = LE_OPT_ATOL(1e-6);
        CHECK(le_mpi_call_run(engine, comm, NULL, "volume_render", args, 7) == LE_OK);
        CHECK(le_mpi_last_run(&r) == LE_OK && r.boxes == 2);
        CHECK(rank != 0 || farthest(images.data, expected.data, LARGE * LARGE * 3) <= 2e-6);
        CHECK(total(comm, r.own_samples) == r.samples_owned);
        int64_t own = r.own_samples;
        first = i == 0 ? own : first;
        apart = total(comm, rank == 1 ? 5 * own < 4 * first : 5 * own > 6 * first) == 2;
        le_tensor_free(&images);
    }
    CHECK(apart);
    le_tensor_free(&expected);
    le_mpi_close(&engine);
    engine = usual;
}

int main(int argc, char **argv) {
    static const int numbers[] = {1, 4, 5, 6, 7, 8, 11, RANKS};
    begin_ranks(&argc, &argv, NULL);
    setenv("LE_BOX_EDGE", "16", 1);
    CHECK(le_mpi_open(&engine, MPI_COMM_WORLD, NULL) == LE_OK);
    make_volume();
    factors();
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && numbers[i] <= ranks; i++) {
        MPI_Comm comm;
        MPI_Comm_split(MPI_COMM_WORLD, rank < numbers[i] ? 0 : MPI_UNDEFINED, rank, &comm);
        if (comm == MPI_COMM_NULL)
            continue;
        exchanges(comm, numbers[i]);
        calls(comm, numbers[i]);
        same_bits(comm, numbers[i]);
        MPI_Comm_free(&comm);
    }
    MPI_Comm two;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &two);
    if (two != MPI_COMM_NULL) {
        weighted(two);
        MPI_Comm_free(&two);
    }
    sleep_until_all();
    failures = end_ranks(NULL);
    le_mpi_close(&engine);
    if (rank == 0) {
        unlink(place);
        printf("boxes on up to %d ranks: %d failures\n", ranks, failures);
    }
    MPI_Finalize();
    return failures ? 1 : ranks == RANKS ? 0 : 2;
}
