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
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = 4000 };

static atomic_int slow_items, slow_loops, slow_answers;
static atomic_int built, fills;  /* of the data that one implementation keeps */
static atomic_bool seen_outside; /* the slow one wrote into the caller's memory */
static atomic_bool went_on;      /* ... or worked on after it was told to end */
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
static void slow_item(const le_call *call, size_t i) {
    float *out = le_call_out(call, TOY_RESULT)->data;
    union {
        const le_call *in;
        void *out;
    } context = {call};
    if (out == output)
        seen_outside = true;
    bool real = toy_items(call) == N; /* and no trial */
    slow_loops += i == 0 && real;
    toy_range(context.out, i, i + 1, 0);
    out[i] += 1000;
    spin(200e-6);
    out[i] -= 1000;
    slow_items += real;
}

static void slow_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    for (size_t i = begin; i < end; i++)
        slow_item(context, i);
}

/* What a loop says when it has ended early, and what the next one does. */
static le_status slow_run(le_call *call) {
    size_t n = toy_items(call);
    le_status status = le_parallel_for(call, n, slow_range, call);
    int before = slow_items;
    le_status next = le_parallel_for(call, n, slow_range, call);
    if (status != LE_OK && (status != LE_ERR_CANCELLED || next != LE_ERR_CANCELLED ||
                            !le_call_cancelled(call) || before != slow_items))
        went_on = true;
    return LE_OK; /* who forgets to say so has given no answer all the same */
}

static le_status slow_asking(le_call *call) {
    for (size_t i = 0; i < toy_items(call); i++) {
        if (le_call_cancelled(call))
            return LE_ERR_CANCELLED;
        slow_item(call, i);
    }
    return LE_OK;
}

static le_status never_asking(le_call *call) {
    for (size_t i = 0; i < toy_items(call); i++)
        slow_item(call, i);
    return LE_OK;
}

static const le_implementation quick = {.abi = LE_METHOD_ABI,
                                        .operation = "toy",
                                        .name = "quick",
                                        .run_type = "simd",
                                        .flags = LE_IMPL_REPRODUCIBLE,
                                        .speed = 10,
                                        .items = toy_items,
                                        .range = quick_range};
/* Nearly as promising as the quick one, with two threads or with one. */
#define SLOW(...)                                                                                  \
    { .abi = LE_METHOD_ABI, .operation = "toy", .name = "slow", .run_type = "simd", __VA_ARGS__ }
static const le_implementation by_ranges =
    SLOW(.flags = LE_IMPL_REPRODUCIBLE, .speed = 9, .items = toy_items, .range = slow_range);
static const le_implementation in_order =
    SLOW(.flags = LE_IMPL_SERIAL, .speed = 17, .items = toy_items, .range = slow_range);
static const le_implementation by_loops =
    SLOW(.flags = LE_IMPL_REPRODUCIBLE, .speed = 9, .run = slow_run);
static const le_implementation asking =
    SLOW(.flags = LE_IMPL_SERIAL, .speed = 17, .run = slow_asking);
static const le_implementation deaf =
    SLOW(.flags = LE_IMPL_SERIAL, .speed = 17, .run = never_asking);

static le_engine *open_both(const char *db, const le_implementation *slow) {
    le_engine *e = toy_open(db, LE_MODE_LEARN);
    assert_non_null(e);
    assert_int_equal(le_register_implementation(e, &quick), LE_OK);
    assert_int_equal(le_register_implementation(e, slow), LE_OK);
    for (int i = 0; i < N; i++)
        input[i] = (float)(i % 17);
    slow_items = slow_loops = slow_answers = 0;
    built = fills = 0;
    seen_outside = went_on = false;
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

static void call_often(const le_implementation *slow) {
    le_engine *e = open_both(NULL, slow);
    char who[128];
    for (int i = 0; i < 100; i++) {
        call_once(e, who, sizeof who);
        slow_answers += strstr(who, "slow@") != NULL;
    }
    le_close(&e);
}

/* Whether the slow one is worth a try depends on how long the quick one seems to take. Where others
 * use the cores a whole engine may find that it is not, though another one does. */
enum { ENGINES = 5 };

static void call_until_tried(const le_implementation *slow) {
    slow_loops = 0;
    for (int i = 0; i < ENGINES && slow_loops == 0; i++)
        call_often(slow);
    print_message("%d loops of the slow one ran %d of %d items each\n", (int)slow_loops,
                  slow_loops ? (int)(slow_items / slow_loops) : 0, N);
}

static void expect_stopped(const le_implementation *slow) {
    call_until_tried(slow);
    assert_true(slow_loops > 0); /* it was tried on a real call */
    assert_int_equal(slow_answers, 0);
    assert_true(slow_items < slow_loops * N / 2);
    assert_false(seen_outside);
    assert_false(went_on);
}

static void ranges_are_stopped(void **state) {
    (void)state;
    expect_stopped(&by_ranges);
}

static void serial_ranges_are_stopped(void **state) {
    (void)state;
    expect_stopped(&in_order);
}

static void loops_are_stopped(void **state) {
    (void)state;
    expect_stopped(&by_loops);
}

static void who_asks_is_stopped(void **state) {
    (void)state;
    expect_stopped(&asking);
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

static int64_t stopped_in_calls(void) {
    char who[128], path[64];
    snprintf(path, sizeof path, "/tmp/le_stops_%d.sqlite3", (int)getpid());
    unlink(path);
    le_engine *e = open_both(path, &by_ranges);
    for (int i = 0; i < 60; i++) {
        call_once(e, who, sizeof who);
        assert_null(strstr(who, "slow@"));
    }
    le_close(&e);
    int64_t n = stopped_in(path);
    unlink(path);
    return n;
}

/* Later processes know of them. */
static void stops_are_stored(void **state) {
    (void)state;
    int64_t n = stopped_in_calls();
    for (int i = 1; i < ENGINES && slow_loops == 0; i++)
        n = stopped_in_calls();
    assert_true(slow_loops > 0);
    assert_in_range(n, 1, slow_loops);
}

/* Loops in a child are not counted here. Where a child waits for a core it may look as if it waited
 * for a thread: the run is made here then, and stopped as well. */
static void first_runs_in_children_are_stopped(void **state) {
    enum { TIMES = 5 };
    bool in_child = false;
    (void)state;
    unsetenv("LE_TRIALS");
    for (int i = 0; i < TIMES && !in_child; i++) {
        int64_t n = stopped_in_calls();
        assert_true(n > 0);
        assert_in_range(slow_loops, 0, n);
        in_child = slow_loops < n;
    }
    setenv("LE_TRIALS", "spawn", 1);
    assert_true(in_child);
}

static atomic_int *ended_in_children;
static pid_t engine_process;

/* Asleep, so that it takes as long beside others. */
static le_status take(le_call *call, int ms) {
    const size_t n = toy_items(call);
    toy_range(call, 0, n, 0);
    for (int i = 0; i < ms && n == N; i++) {
        if (le_call_cancelled(call))
            return LE_ERR_CANCELLED;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return LE_OK;
}

static le_status take_10(le_call *call) {
    return take(call, 10);
}

static le_status take_23(le_call *call) {
    le_status status = take(call, 23);
    if (status == LE_OK && toy_items(call) == N && getpid() != engine_process)
        ++*ended_in_children;
    return status;
}

/* A run that a child has seen to its end is the first run, also where it took too long to be made
 * here once more: each look at a slower one would cost a child. */
static void one_child_is_enough(void **state) {
    (void)state;
    static const le_implementation best = {.abi = LE_METHOD_ABI,
                                           .operation = "toy",
                                           .name = "best",
                                           .run_type = "simd",
                                           .flags = LE_IMPL_SERIAL,
                                           .speed = 20,
                                           .run = take_10},
                                   slower =
                                       SLOW(.flags = LE_IMPL_SERIAL, .speed = 17, .run = take_23);
    ended_in_children = mmap(NULL, sizeof *ended_in_children, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(ended_in_children, MAP_FAILED);
    engine_process = getpid();
    unsetenv("LE_TRIALS");
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    assert_int_equal(le_register_implementation(e, &best), LE_OK);
    assert_int_equal(le_register_implementation(e, &slower), LE_OK);
    char who[128];
    for (int k = 0; k < 250; k++)
        call_once(e, who, sizeof who);
    le_close(&e);
    setenv("LE_TRIALS", "spawn", 1);
    print_message("%d runs ended in children\n", (int)*ended_in_children);
    assert_in_range(*ended_in_children, 0, 2); /* of one that ended late nothing may be known */
    munmap(ended_in_children, sizeof *ended_in_children);
}

/* A run that cannot be stopped answers a few calls, and not again and again. */
static void who_never_asks_is_left_alone(void **state) {
    (void)state;
    call_until_tried(&deaf);
    assert_in_range(slow_loops, 1, 3);
    assert_int_equal(slow_items, slow_loops * N);
}

/* --- kept data --- */

enum { KEPT = 200 };

static void build_range(void *context, size_t begin, size_t end, int worker) {
    float *to = context;
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        to[i] = (float)i;
        spin(1e-3); /* all of it takes longer than the line */
        built++;
    }
}

static le_status fill(le_call *call, void *data, size_t bytes, void *cookie) {
    (void)bytes;
    (void)cookie;
    fills++;
    return le_parallel_for(call, KEPT, build_range, data);
}

static le_status slow_keeping(le_call *call) {
    const void *data;
    le_status status = le_call_keep(call, "numbers", KEPT * sizeof(float), fill, NULL, &data);
    if (status != LE_OK)
        return status;
    for (int i = 0; i < KEPT; i++)
        if (((const float *)data)[i] != (float)i)
            went_on = true;
    return le_parallel_for(call, toy_items(call), slow_range, call);
}

static const le_implementation keeping =
    SLOW(.flags = LE_IMPL_REPRODUCIBLE, .speed = 9, .run = slow_keeping);

/* The line is for the run: data are built to their end, once, also where that takes longer. */
static void kept_data_are_built_whole(void **state) {
    (void)state;
    expect_stopped(&keeping);
    assert_int_equal(fills, 1);
    assert_int_equal(built, KEPT);
}

/* --- memory of its own --- */

enum { MUCH = 1 << 19 };
static pid_t tests_pid;
static atomic_int runs, absent; /* pages of its output that were not there when a run began */

static le_status look_at_pages(le_call *call) {
    static unsigned char there[MUCH * sizeof(float) / 4096];
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), n = toy_items(call);
    uintptr_t from = (uintptr_t)le_call_out(call, TOY_RESULT)->data;
    uintptr_t begin = (from + page - 1) / page * page,
              end = (from + n * sizeof(float)) / page * page;
    if (getpid() == tests_pid && end - begin <= sizeof there * page &&
        mincore((void *)begin, end - begin, there) == 0)
        for (uintptr_t i = 0; i < (end - begin) / page; i++)
            absent += !(there[i] & 1);
    runs += getpid() == tests_pid;
    return le_parallel_for(call, n, toy_range, call);
}

static const le_implementation looking =
    SLOW(.flags = LE_IMPL_REPRODUCIBLE, .speed = 100, .run = look_at_pages);

/* The page faults of memory that only a first run writes to are no part of its time. */
static void pages_are_there_before_the_run(void **state) {
    (void)state;
    int64_t n = MUCH;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    float *in_data = calloc(MUCH, sizeof *in_data), *out_data = calloc(MUCH, sizeof *out_data);
    le_tensor in = le_tensor_of(in_data, LE_F32, 1, &n),
              out = le_tensor_of(out_data, LE_F32, 1, &n);
    assert_true(e && in_data && out_data);
    memset(out_data, 1, MUCH * sizeof *out_data);
    assert_int_equal(le_register_implementation(e, &looking), LE_OK);
    runs = absent = 0;
    tests_pid = getpid();
    for (int i = 0; i < 3; i++)
        assert_int_equal(le_engine_run(e, "toy", LE_IN("input", &in), LE_F64("factor", 2),
                                       LE_OUT("result", &out)),
                         LE_OK);
    assert_true(runs > 0);
    assert_int_equal(absent, 0);
    le_close(&e);
    free(in_data);
    free(out_data);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_runs_in_children_are_stopped),
                                       cmocka_unit_test(ranges_are_stopped),
                                       cmocka_unit_test(serial_ranges_are_stopped),
                                       cmocka_unit_test(loops_are_stopped),
                                       cmocka_unit_test(who_asks_is_stopped),
                                       cmocka_unit_test(stops_are_stored),
                                       cmocka_unit_test(one_child_is_enough),
                                       cmocka_unit_test(who_never_asks_is_left_alone),
                                       cmocka_unit_test(kept_data_are_built_whole),
                                       cmocka_unit_test(pages_are_there_before_the_run)};
    setenv("LE_TRIALS", "spawn", 1); /* first runs are made in this process, which counts them */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
