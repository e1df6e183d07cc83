/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Ranks that learn together: what rank 0's timings database knows all know, what each of them
 * measures is in rank 0's file in the end, once, and who has failed on one rank runs on none. To be
 * started by mpirun with any number of ranks.
 */
#include "liquid_engine/le_bench.h"
#include "liquid_engine/le_mpi.h"
#include "ranks.h"
#include "toy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static le_engine *engine;
static char folder[] = "/tmp/le-learn-XXXXXX", file[64];

/* Right, and faster by its own account; dies in its trial on the last rank, where it is asked for
 * first. */
static int wild_runs;
static void wild_range(void *context, size_t begin, size_t end, int worker) {
    if (getenv("LE_TEST_WILD"))
        abort();
    if (begin == 0)
        wild_runs++;
    toy_range(context, begin, end, worker);
}
static const le_implementation wild = {.abi = LE_METHOD_ABI,
                                       .operation = "toy",
                                       .name = "wild",
                                       .run_type = "c",
                                       .flags = LE_IMPL_REPRODUCIBLE,
                                       .speed = 50,
                                       .items = toy_items,
                                       .range = wild_range};

static void open_engine(void) {
    le_options o;
    le_default_options(&o);
    o.db_path = file;
    o.devices = "cpu";
    CHECK(le_mpi_open(&engine, MPI_COMM_WORLD, &o) == LE_OK);
    le_register_operation(engine, &toy_operation);
    le_register_implementation(engine, &toy_reference);
    le_register_implementation(engine, &toy_c);
}

/* A call of this rank alone; n tells its problem from others. */
static le_status run(int64_t n, const char *implementation) {
    le_tensor in = {0}, out = {0};
    CHECK(le_tensor_alloc(&in, LE_F32, 1, &n) == LE_OK);
    memset(in.data, 0, (size_t)n * sizeof(float));
    le_status status = implementation ? le_engine_run(engine, "toy", LE_IN("input", &in),
                                                      LE_F64("factor", 2), LE_OUT("result", &out),
                                                      LE_OPT_IMPLEMENTATION(implementation))
                                      : le_engine_run(engine, "toy", LE_IN("input", &in),
                                                      LE_F64("factor", 2), LE_OUT("result", &out));
    le_tensor_free(&in);
    le_tensor_free(&out);
    return status;
}

/* Any call of all ranks: what they have learnt is shared after it. */
static void share(void) {
    float x[4] = {1, 2, 3, 4};
    le_tensor in = le_tensor_of(x, LE_F32, 1, (int64_t[]){4}), out = {0};
    le_mpi_options o = {.struct_size = sizeof o, .in = LE_MPI_ALL};
    CHECK(le_mpi_run(engine, MPI_COMM_WORLD, &o, "toy", LE_IN("input", &in), LE_F64("factor", 1),
                     LE_OUT("result", &out), LE_OPT_IMPLEMENTATION("c")) == LE_OK);
    le_tensor_free(&out);
}

static char *knowledge(void) {
    char *text = NULL;
    size_t size = 0;
    CHECK(le_bench_hand_out(engine, LE_BENCH_ALL, &text, &size) == LE_OK);
    return text;
}

static int count(const char *text, const char *needle) {
    int n = 0;
    for (const char *p = text; p && (p = strstr(p, needle)); p++)
        n++;
    return n;
}

/* The id of the problem of n elements in an export. */
static bool problem_id(const char *text, int64_t n, char *id, size_t size) {
    char key[32];
    snprintf(key, sizeof key, "[%lld]", (long long)n);
    for (const char *row = strstr(text, "\"problems\""); row; row = strchr(row + 1, '\n')) {
        const char *end = strchr(row + 1, '\n'), *key_at = strstr(row, key);
        if (!key_at || !end || key_at > end || sscanf(row, " {\"id\":\"%31[^\"]\"", id) != 1)
            continue;
        (void)size;
        return true;
    }
    return false;
}

/* Samples of all rows of the problem of n elements, and how many rows there are. */
static int samples_of(const char *text, int64_t n, int *rows) {
    char id[32], needle[64];
    int samples = 0;
    *rows = 0;
    if (!problem_id(text, n, id, sizeof id))
        return 0;
    snprintf(needle, sizeof needle, "\"problem\":\"%s\"", id);
    const char *at = strstr(text, "\"samples\""), *end = strstr(text, "\"verdicts\"");
    while (at && (at = strstr(at + 1, needle)) && at < end) {
        static const char *const classes[] = {
            "\"clean\":{\"n\":", "\"contended\":{\"n\":", "\"cold\":{\"n\":"};
        ++*rows;
        for (int k = 0; k < 3; k++) {
            const char *c = strstr(at, classes[k]);
            samples += c ? atoi(c + strlen(classes[k])) : 0;
        }
    }
    return samples;
}

enum { FIRST = 1000, RUNS = 5 };

/* Each rank measures a problem of its own, and all of them one. */
static void timings_come_to_rank_0(void) {
    for (int i = 0; i < RUNS; i++) {
        CHECK(run(FIRST + rank, "c") == LE_OK);
        CHECK(run(FIRST - 1, "c") == LE_OK);
    }
    share();
    share(); /* nothing comes twice */
    char *text = knowledge();
    int rows;
    for (int r = 0; r < ranks && rank == 0; r++) {
        CHECK(samples_of(text, FIRST + r, &rows) == RUNS && rows >= 1);
        CHECK(samples_of(text, FIRST - 1, &rows) == RUNS * ranks);
    }
    if (rank == 0)
        CHECK(count(text, "\"kind\":\"machine\"") == 1);
    free(text);
}

static void nobody_else_has_the_file(void) {
    char name[64], target[4096];
    bool open = false;
    for (int fd = 0; fd < 256; fd++) {
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(name, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        open = open || !strncmp(target, folder, strlen(folder));
    }
    CHECK(!open || rank == 0);
}

/* A later job: what rank 0's file has is known to all. */
static void all_know_the_file(void) {
    le_mpi_close(&engine);
    MPI_Barrier(MPI_COMM_WORLD);
    open_engine();
    char *text = knowledge();
    int rows;
    for (int r = 0; r < ranks; r++)
        CHECK(samples_of(text, FIRST + r, &rows) == RUNS);
    free(text);
    nobody_else_has_the_file();
}

static const char *reason_of(const char *implementation, le_explanation **e) {
    int64_t n = 777;
    le_tensor in = {0}, out = {0};
    CHECK(le_tensor_alloc(&in, LE_F32, 1, &n) == LE_OK);
    const le_arg args[] = {LE_IN("input", &in), LE_F64("factor", 2), LE_OUT("result", &out)};
    CHECK(le_call_explain(engine, e, "toy", args, 3) == LE_OK);
    le_tensor_free(&in);
    for (size_t i = 0; *e && i < (*e)->n_candidates; i++)
        if (!strncmp((*e)->candidates[i].candidate, implementation, strlen(implementation)))
            return (*e)->candidates[i].left_out;
    return "";
}

/* It crashes in its trial on one rank, and is asked of no rank any more. */
static void who_crashes_is_known_to_all(void) {
    le_register_implementation(engine, &wild);
    if (rank == ranks - 1) {
        setenv("LE_TEST_WILD", "1", 1);
        CHECK(run(777, "wild") == LE_ERR_NO_CANDIDATE);
        unsetenv("LE_TEST_WILD");
    } else {
        CHECK(run(778, NULL) == LE_OK); /* the operation is loaded */
    }
    share();
    wild_runs = 0;
    le_explanation *e = NULL;
    const char *why = reason_of("wild", &e);
    CHECK(why && strstr(why, "quarantined"));
    le_explanation_free(&e);
    CHECK(run(779, NULL) == LE_OK && wild_runs == 0);
    le_mpi_close(&engine);
    MPI_Barrier(MPI_COMM_WORLD);
    open_engine(); /* in the file, too */
    le_register_implementation(engine, &wild);
    why = reason_of("wild", &e);
    CHECK(why && strstr(why, "quarantined"));
    le_explanation_free(&e);
}

/* ------------------------------------------------------------------------------------ shares -- */

enum { TOTAL_INPUT, TOTAL_RESULT, ROWS = 210 };

static const le_arg_desc total_args[] = {
    [TOTAL_INPUT] = {.name = "input",
                     .doc = "rows",
                     .type = LE_TYPE_IN,
                     .dtypes = LE_DTYPES_FLOAT,
                     .min_ndim = 2,
                     .max_ndim = 2,
                     .shape = "[n,m]"},
    [TOTAL_RESULT] = {.name = "result",
                      .doc = "their sum",
                      .type = LE_TYPE_OUT,
                      .dtypes = LE_DTYPES_FLOAT,
                      .min_ndim = 1,
                      .max_ndim = 1,
                      .shape = "[m]"},
};

static le_status check_total(le_call *call) {
    const le_tensor *in = le_call_in(call, TOTAL_INPUT);
    return le_call_set_out(call, TOTAL_RESULT, LE_F64, 1, &in->shape[1]);
}

static void work_of_total(const le_call *call, le_work *out) {
    const double n = (double)le_tensor_count(le_call_in(call, TOTAL_INPUT));
    *out = (le_work){.operations = 1000 * n, .bytes = 8 * n};
}

static bool slabs_of_total(const le_call *call, le_slabs *out) {
    out->items = le_call_in(call, TOTAL_INPUT)->shape[0];
    out->args[TOTAL_INPUT].axis = 1;
    out->args[TOTAL_RESULT].merge = LE_MERGE_SUM;
    return true;
}

static le_status case_of_total(le_case *c, const le_case_request *r) {
    const int64_t shape[2] = {3 + r->index % 3, 4};
    le_tensor *in = le_case_in(c, "input", LE_F64, 2, shape);
    for (int64_t i = 0; in && i < le_tensor_count(in); i++)
        le_tensor_set(in, i, (double)i);
    le_case_out(c, "result", LE_F64);
    return le_case_status(c);
}

static const le_operation total = {.abi = LE_METHOD_ABI,
                                   .name = "total",
                                   .family = "test",
                                   .summary = "sum of rows",
                                   .reference = "this line",
                                   .args = total_args,
                                   .n_args = 2,
                                   .check = check_total,
                                   .work = work_of_total,
                                   .norm = LE_NORM_MAX,
                                   .atol = 1e-9,
                                   .slabs = slabs_of_total,
                                   .make_case = case_of_total};

static size_t one_item(const le_call *call) {
    (void)call;
    return 1;
}

static void sum_rows(const le_call *call) {
    const le_tensor *in = le_call_in(call, TOTAL_INPUT);
    for (int64_t k = 0; k < in->shape[1]; k++) {
        double sum = 0;
        for (int64_t i = 0; i < in->shape[0]; i++)
            sum += le_tensor_get(in, i * in->shape[1] + k);
        le_tensor_set(le_call_out(call, TOTAL_RESULT), k, sum);
    }
}

static void total_reference_range(void *context, size_t begin, size_t end, int worker) {
    (void)begin, (void)end, (void)worker;
    sum_rows(context);
}

/* Other ranks than 0 take four times as long for a row. */
static void total_range(void *context, size_t begin, size_t end, int worker) {
    const long each = rank ? 400000 : 100000;
    const le_call *call = context;
    const long ns = each * (long)le_call_in(call, TOTAL_INPUT)->shape[0];
    (void)begin, (void)end, (void)worker;
    sum_rows(call);
    nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, NULL);
}

static const le_implementation total_reference = {.abi = LE_METHOD_ABI,
                                                  .operation = "total",
                                                  .name = "reference",
                                                  .run_type = "reference",
                                                  .flags = LE_IMPL_REFERENCE,
                                                  .speed = 0.01,
                                                  .items = one_item,
                                                  .range = total_reference_range};
static const le_implementation total_c = {.abi = LE_METHOD_ABI,
                                          .operation = "total",
                                          .name = "c",
                                          .run_type = "c",
                                          .speed = 1,
                                          .items = one_item,
                                          .range = total_range};

static le_status run_total(bool all, le_mpi_report *r) {
    const int64_t shape[2] = {ROWS, 4};
    le_mpi_options o = {.struct_size = sizeof o, .in = LE_MPI_ALL, .out = LE_MPI_ALL};
    le_tensor in = {0}, out = {0};
    CHECK(le_tensor_alloc(&in, LE_F64, 2, shape) == LE_OK);
    for (int64_t i = 0; i < ROWS * 4; i++)
        le_tensor_set(&in, i, (double)(i / 4));
    le_status status = all ? le_mpi_run(engine, MPI_COMM_WORLD, &o, "total", LE_IN("input", &in),
                                        LE_OUT("result", &out), LE_OPT_IMPLEMENTATION("c"))
                           : le_engine_run(engine, "total", LE_IN("input", &in),
                                           LE_OUT("result", &out), LE_OPT_IMPLEMENTATION("c"));
    for (int64_t k = 0; k < 4 && status == LE_OK; k++)
        CHECK(le_tensor_get(&out, k) == ROWS * (ROWS - 1) / 2);
    r->struct_size = sizeof *r;
    if (all)
        CHECK(le_mpi_last_run(r) == LE_OK);
    le_tensor_free(&in);
    le_tensor_free(&out);
    return status;
}

/* Machines that differ: each knows how long the call takes on its own, and the first shares of a
 * call whose parts are merged, which are all there are, follow that. */
static void shares_by_what_is_known(void) {
    char host[16];
    le_options o;
    le_mpi_report r = {0};
    snprintf(host, sizeof host, "machine %d", rank);
    le_mpi_close(&engine);
    le_default_options(&o);
    o.db_path = ":memory:";
    o.devices = "cpu";
    o.host = host;
    CHECK(le_mpi_open(&engine, MPI_COMM_WORLD, &o) == LE_OK);
    le_register_operation(engine, &total);
    le_register_implementation(engine, &total_reference);
    le_register_implementation(engine, &total_c);
    CHECK(run_total(true, &r) == LE_OK);
    CHECK(llabs(r.own - ROWS / ranks) <= 1); /* nothing is known */
    for (int i = 0; i < 4; i++)
        CHECK(run_total(false, &r) == LE_OK);
    CHECK(run_total(true, &r) == LE_OK);
    const double ideal = ROWS * (rank ? 0.25 : 1) / (1 + 0.25 * (ranks - 1));
    CHECK(fabs((double)r.own - ideal) < 0.3 * ideal);
}

int main(int argc, char **argv) {
    begin_ranks(&argc, &argv, folder);
    snprintf(file, sizeof file, "%s/timings.sqlite3", folder);
    open_engine();
    timings_come_to_rank_0();
    all_know_the_file();
    who_crashes_is_known_to_all();
    shares_by_what_is_known();
    le_mpi_close(&engine);
    return finish_ranks(folder);
}
