/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Writes a small timings database with known contents: report_fixture FILE [several]. Two
 * operations; `blur` on three sizes where scalar code, SIMD and OpenCL change places, a reference,
 * a quarantined and a too inaccurate implementation; `fold` without a stored choice. "several" adds
 * `warp` on two OpenCL devices, of which one is there with two drivers, with one choice for each of
 * several constraints, and `tardy`, whose only run was stopped.
 */
#include "benchdb.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct candidate {
    const char *implementation, *run_type, *params;
    bool opencl;
    double error;
    le_db_state state;
    const char *reason;
    double seconds[3]; /* by size; 0: not measured */
} candidate;

static const candidate blur[] = {
    {"reference",
     "reference",
     "threads=1,schedule=none",
     false,
     0,
     LE_DB_PROVEN,
     "",
     {1e-3, 8e-3, 64e-3}},
    {"c",
     "c",
     "threads=2,schedule=static",
     false,
     1e-7,
     LE_DB_PROVEN,
     "",
     {50e-6, 800e-6, 12.8e-3}},
    {"c", "c", "threads=1,schedule=none", false, 1e-7, LE_DB_PROVEN, "", {60e-6, 1500e-6, 25e-3}},
    {"avx2",
     "simd",
     "threads=2,schedule=static",
     false,
     2e-6,
     LE_DB_PROVEN,
     "",
     {80e-6, 400e-6, 4e-3}},
    {"cl_tiled", "opencl", "tile=8", true, 3e-6, LE_DB_PROVEN, "", {900e-6, 1000e-6, 2e-3}},
    {"fast",
     "simd",
     "threads=2,schedule=static",
     false,
     5e-3,
     LE_DB_PROVEN,
     "",
     {20e-6, 200e-6, 1.9e-3}},
    {"wild",
     "simd",
     "threads=1,schedule=none",
     false,
     NAN,
     LE_DB_QUARANTINED,
     "crashed with signal 11 (Segmentation fault)",
     {0, 0, 0}}};

static const int64_t date_ms = INT64_C(1790000000000);

/* Three runs at t/2, t and 2t: their geometric mean is t. */
static void add_samples(le_db *db, int64_t problem, int64_t id, double t) {
    static const double factors[] = {0.5, 1, 2};
    for (int i = 0; t > 0 && i < 3; i++)
        le_db_add_samples(
            db, problem, id,
            &(le_db_sample){.seconds = t * factors[i], .date_ms = date_ms, .peak_bytes = 1 << 20},
            1);
}

static int64_t add_candidate(le_db *db, const candidate *c, int64_t device) {
    le_db_candidate_key key = {.operation = "blur",
                               .implementation = c->implementation,
                               .run_type = c->run_type,
                               .device = c->opencl ? device : 0,
                               .params = c->params,
                               .source_hash = "abc"};
    int64_t id = le_db_candidate(db, &key);
    key.params = c->opencl ? c->params : ""; /* a proof leaves threads and schedule out */
    le_db_verdict v = {.candidate = le_db_candidate(db, &key),
                       .size_class = "image=f32|-1",
                       .state = c->state,
                       .reason = c->reason,
                       .date_ms = date_ms,
                       .attempts = 1};
    v.errors[0] = c->error;
    for (int k = 1; k < LE_DB_ERRORS; k++)
        v.errors[k] = c->error > pow(10, 1 - k) ? 1 : 0;
    le_db_add_verdict(db, &v);
    return id;
}

static void add_choice(le_db *db, int64_t problem, int64_t id, const char *constraint) {
    le_db_add_choice(db, &(le_db_choice){.problem = problem,
                                         .candidate = id,
                                         .constraint = constraint,
                                         .evidence = "{\"by\":\"race\",\"runs\":7}",
                                         .date_ms = date_ms});
}

static void add_blur(le_db *db, int64_t device) {
    static const char *const keys[] = {"image=f32[64,64] radius=2", "image=f32[256,256] radius=2",
                                       "image=f32[1024,1024] radius=2"};
    static const double work[] = {1e5, 1.6e6, 2.56e7};
    static const size_t chosen[] = {1, 3, 4};
    int64_t ids[sizeof blur / sizeof *blur];
    for (size_t i = 0; i < sizeof blur / sizeof *blur; i++)
        ids[i] = add_candidate(db, &blur[i], device);
    for (int s = 0; s < 3; s++) {
        int64_t problem = le_db_problem(db, "blur", keys[s], work[s], 8 * work[s]);
        for (size_t i = 0; i < sizeof blur / sizeof *blur; i++)
            add_samples(db, problem, ids[i], blur[i].seconds[s]);
        add_choice(db, problem, ids[chosen[s]], "atol=1e-05 rtol=0");
    }
}

static void add_fold(le_db *db) {
    int64_t problem = le_db_problem(db, "fold", "a=f64[10] mode=\"odd, <b>\"", 10, 80);
    le_db_candidate_key key = {.operation = "fold", .implementation = "c", .run_type = "c"};
    add_samples(db, problem, le_db_candidate(db, &key), 3e-6);
}

static int64_t add_gpu(le_db *db, const char *name, const char *driver) {
    const le_db_part parts[] = {{"name", name},
                                {"vendor", "none"},
                                {"driver", driver},
                                {"platform", "OpenCL 3.0"},
                                {"units", "4"}};
    return le_db_device(db, parts, sizeof parts / sizeof *parts);
}

static int64_t add_warp_candidate(le_db *db, int64_t problem, const char *implementation,
                                  const char *run_type, int64_t device, double seconds) {
    le_db_candidate_key key = {.operation = "warp",
                               .implementation = implementation,
                               .run_type = run_type,
                               .device = device,
                               .params = device ? "tile=8" : "threads=2,schedule=static",
                               .source_hash = "abc"};
    int64_t id = le_db_candidate(db, &key);
    add_samples(db, problem, id, seconds);
    return id;
}

/* The fastest of all is on Planted GPU, then come Other GPU, avx2, c. */
static void add_warp(le_db *db) {
    int64_t problem = le_db_problem(db, "warp", "image=f32[99,99]", 1e6, 8e6);
    int64_t gpu =
        add_warp_candidate(db, problem, "opencl", "opencl", add_gpu(db, "Planted GPU", "1"), 1e-3);
    add_warp_candidate(db, problem, "opencl", "opencl", add_gpu(db, "Other GPU", "1"), 2e-3);
    add_warp_candidate(db, problem, "opencl", "opencl", add_gpu(db, "Other GPU", "2"), 3e-3);
    int64_t avx2 = add_warp_candidate(db, problem, "avx2", "simd", 0, 4e-3);
    int64_t c = add_warp_candidate(db, problem, "c", "c", 0, 5e-3);
    add_warp_candidate(db, problem, "avx512", "simd", 0, 6e-3);
    le_db_add_samples(
        db, problem, add_warp_candidate(db, problem, "tardy", "c", 0, 0),
        &(le_db_sample){.seconds = 0.25, .date_ms = date_ms, .flags = LE_SAMPLE_STOPPED}, 1);
    add_choice(db, problem, gpu, "atol=1e-05 rtol=0");
    add_choice(db, problem, avx2, "atol=1e-05 rtol=0 device=cpu");
    add_choice(db, problem, avx2, "atol=1e-05 rtol=0 run_type=simd");
    add_choice(db, problem, c, "atol=1e-05 rtol=0 implementation=c");
    add_choice(db, problem, gpu, "atol=1e-05 rtol=0 device=planted gpu");
    add_choice(db, problem, avx2, "atol=1e-05 rtol=0 reproducible");
    add_choice(db, problem, c, "atol=1e-05 rtol=0 memory=1000");
    le_db_add_choice(db, &(le_db_choice){.problem = problem,
                                         .candidate = c,
                                         .constraint = "atol=2e-05 rtol=0",
                                         .evidence = "{\"by\":\"race\",\"under_load\":true}",
                                         .date_ms = date_ms});
    le_db_add_account(db, &(le_db_account){.operation = "warp",
                                           .answered_s = 0.001,
                                           .explored_s = 0.57182,
                                           .regret_s = 0.0001,
                                           .calls = 4});
}

int main(int argc, char **argv) {
    if (argc < 2)
        return 2;
    static const le_db_part parts[] = {{"name", "Planted GPU"},
                                       {"vendor", "none"},
                                       {"driver", "1"},
                                       {"platform", "OpenCL 3.0"},
                                       {"units", "4"}};
    le_db *db = le_db_open(&(le_db_options){.path = argv[1]});
    add_blur(db, le_db_device(db, parts, sizeof parts / sizeof *parts));
    add_fold(db);
    if (argc > 2)
        add_warp(db);
    le_db_add_account(db, &(le_db_account){.operation = "blur",
                                           .answered_s = 2,
                                           .explored_s = 0.5,
                                           .regret_s = 0.1,
                                           .calls = 400});
    bool ok = le_db_flush(db, 10);
    le_db_close(&db);
    return !ok;
}
