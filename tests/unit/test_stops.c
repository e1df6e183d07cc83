/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Exploring runs that take too long are stopped between two items: the best known answers, and the
 * caller's memory never holds a half-written result.
 */
#include "benchdb.h"
#include "toy.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = 4000 };

static atomic_int slow_items, slow_loops;
static atomic_bool seen_outside; /* the slow one wrote into the caller's memory */
static float input[N], output[N];

static void spin(double seconds) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    do
        clock_gettime(CLOCK_MONOTONIC, &b);
    while ((double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec) < seconds);
}

static void quick_range(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    spin(1e-6 * (double)(end - begin));
}

/* Two hundred times slower. */
static void slow_range(void *context, size_t begin, size_t end, int worker) {
    float *out = le_call_out(context, TOY_RESULT)->data;
    if (out == output)
        seen_outside = true;
    slow_loops += begin == 0;
    for (size_t i = begin; i < end; i++) {
        toy_range(context, i, i + 1, worker);
        out[i] += 1000;
        spin(200e-6);
        out[i] -= 1000;
        slow_items++;
    }
}

static const le_implementation quick = {.abi = LE_METHOD_ABI,
                                        .operation = "toy",
                                        .name = "quick",
                                        .run_type = "simd",
                                        .flags = LE_IMPL_REPRODUCIBLE,
                                        .speed = 10,
                                        .items = toy_items,
                                        .range = quick_range};
static const le_implementation slow = {.abi = LE_METHOD_ABI,
                                       .operation = "toy",
                                       .name = "slow",
                                       .run_type = "simd",
                                       .flags = LE_IMPL_REPRODUCIBLE,
                                       .speed = 9,
                                       .items = toy_items,
                                       .range = slow_range};

static le_engine *open_both(const char *db) {
    le_engine *e = toy_open(db, LE_MODE_LEARN);
    assert_non_null(e);
    assert_int_equal(le_register_implementation(e, &quick), LE_OK);
    assert_int_equal(le_register_implementation(e, &slow), LE_OK);
    for (int i = 0; i < N; i++)
        input[i] = (float)(i % 17);
    return e;
}

static void call_once(le_engine *e, char *who, size_t size) {
    int64_t n = N;
    le_run_info info = {.struct_size = sizeof info};
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = le_tensor_of(output, LE_F32, 1, &n);
    memset(output, 0, sizeof output);
    if (le_engine_run(e, "toy", LE_IN("input", &in), LE_F64("factor", 2), LE_OUT("result", &out)) !=
        LE_OK)
        fail_msg("%s", le_error_message());
    for (int i = 0; i < N; i++)
        if (output[i] != 2 * input[i])
            fail_msg("element %d is %g", i, (double)output[i]);
    assert_int_equal(le_last_run(&info), LE_OK);
    snprintf(who, size, "%.100s", info.candidate);
}

static void slow_ones_are_stopped(void **state) {
    (void)state;
    le_engine *e = open_both(NULL);
    char who[128];
    for (int i = 0; i < 100; i++) {
        call_once(e, who, sizeof who);
        assert_null(strstr(who, "slow@"));
    }
    print_message("%d loops of the slow one ran %d of %d items each\n", (int)slow_loops,
                  slow_loops ? (int)(slow_items / slow_loops) : 0, N);
    assert_true(slow_loops > 0); /* it was tried on a real call */
    assert_true(slow_items < slow_loops * N / 2);
    assert_false(seen_outside);
    le_close(&e);
}

/* Stopped runs of the slow one. */
static int64_t stopped_in(const char *path) {
    le_db_options o = {.path = path};
    le_db *db = le_db_open(&o);
    le_db_knowledge *k = NULL;
    int64_t n = 0;
    assert_int_equal(le_db_load(db, "toy", 0, &k), LE_DB_OK);
    for (size_t i = 0; i < k->n_samples; i++)
        if (!strcmp(k->candidates[k->samples[i].candidate_index].implementation, "slow"))
            n += k->samples[i].stopped.n + k->samples[i].stopped_cold.n;
    le_db_knowledge_free(&k);
    le_db_close(&db);
    return n;
}

/* Later processes know of them. */
static void stops_are_stored(void **state) {
    (void)state;
    char who[128], path[64];
    snprintf(path, sizeof path, "/tmp/le_stops_%d.sqlite3", (int)getpid());
    unlink(path);
    le_engine *e = open_both(path);
    slow_loops = 0;
    for (int i = 0; i < 60; i++)
        call_once(e, who, sizeof who);
    le_close(&e);
    assert_true(slow_loops > 0);
    assert_in_range(stopped_in(path), 1, slow_loops);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(slow_ones_are_stopped),
                                       cmocka_unit_test(stops_are_stored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
