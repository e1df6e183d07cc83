/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The thread pool: every item exactly once, under every schedule, from several callers at once, and
 * nested.
 */
#include "core/pool.h"

#include "core/clock.h"
#include "core/os.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_ITEMS = 5000, CALLERS = 8, MANY = 40 /* threads: more than stretches */ };

typedef struct counted {
    _Atomic unsigned char times[MAX_ITEMS];
    _Atomic int bad_worker;
    int threads;
} counted;

static void count(void *context, size_t begin, size_t end, int worker) {
    counted *c = context;
    if (worker < 0 || worker >= c->threads)
        c->bad_worker = 1;
    for (size_t i = begin; i < end; i++)
        c->times[i]++;
}

static void run_once(le__pool *p, int threads, le__schedule s, size_t items) {
    static _Thread_local counted c;
    memset(&c, 0, sizeof c);
    c.threads = threads;
    le__pool_run(p, threads, s, items, count, &c);
    for (size_t i = 0; i < MAX_ITEMS; i++)
        assert_int_equal(c.times[i], i < items);
    assert_int_equal(c.bad_worker, 0);
}

static void every_item_once(void **state) {
    static const size_t sizes[] = {0, 1, 2, 3, 7, 64, 65, 1000, 4999};
    for (int threads = 1; threads <= 5; threads++)
        for (le__schedule s = LE__SCHEDULE_NONE; s <= LE__SCHEDULE_GUIDED; s++)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
                run_once(*state, threads, s, sizes[i]);
}

static void *caller(void *pool) {
    for (int i = 0; i < 200; i++)
        run_once(pool, 1 + i % 4, (le__schedule)(i % 4), (size_t)(i * 13 % 700));
    return NULL;
}

static void more_threads_than_stretches(void **state) {
    le__pool *p;
    (void)state;
    assert_int_equal(le__pool_open(&p, MANY), LE_OK);
    for (int threads = 15; threads <= MANY; threads += 5)
        for (le__schedule s = LE__SCHEDULE_STATIC; s <= LE__SCHEDULE_GUIDED; s++)
            for (size_t items = (size_t)threads; items < MAX_ITEMS; items = 3 * items + 1)
                run_once(p, threads, s, items);
    le__pool_close(p);
}

static void many_callers(void **state) {
    pthread_t t[CALLERS];
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, caller, *state), 0);
    for (int i = 0; i < CALLERS; i++)
        pthread_join(t[i], NULL);
}

static void mark(void *context, size_t begin, size_t end, int worker) {
    _Atomic int *parts = context;
    (void)begin;
    (void)end;
    parts[worker]++;
}

/* However brief it is; where the machine is busy, a worker may not come soon, and is not waited
 * for. */
static void each_worker_has_a_part(void **state) {
    le__pool *p;
    int both = 0;
    (void)state;
    assert_int_equal(le__pool_open(&p, 4), LE_OK);
    for (int i = 0; i < 200; i++) {
        _Atomic int parts[2] = {0};
        le__pool_gather(p, true);
        le__pool_run(p, 2, LE__SCHEDULE_DYNAMIC, 2, mark, parts);
        both += parts[0] == 1 && parts[1] == 1;
    }
    every_item_once((void *[]){p});
    many_callers((void *[]){p});
    le__pool_close(p);
    assert_true(both >= 20);
}

typedef struct nest {
    le__pool *pool;
    counted inner[8];
} nest;

static void nested(void *context, size_t begin, size_t end, int worker) {
    nest *n = context;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        le__pool_run(n->pool, 3, LE__SCHEDULE_DYNAMIC, 100, count, &n->inner[i]);
}

static void loops_in_loops(void **state) {
    static nest n;
    memset(&n, 0, sizeof n);
    n.pool = *state;
    for (int i = 0; i < 8; i++)
        n.inner[i].threads = 3;
    le__pool_run(n.pool, 4, LE__SCHEDULE_DYNAMIC, 8, nested, &n);
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 100; k++)
            assert_int_equal(n.inner[i].times[k], 1);
}

enum { PAIR = 2, FEW = 40 };

typedef struct meeting {
    _Atomic int here;
    _Atomic size_t first[PAIR]; /* where a worker began, plus 1 */
    _Atomic int parts;
} meeting;

static void meet(void *context, size_t begin, size_t end, int worker) {
    meeting *m = context;
    (void)end;
    m->parts++;
    if (m->first[worker])
        return;
    m->first[worker] = begin + 1;
    m->here++;
    while (m->here < PAIR)
        sched_yield();
}

/* Each worker begins with its own half, in the same one every time. */
static void own_stretches(void **state) {
    le__pool *p;
    (void)state;
    assert_int_equal(le__pool_open(&p, PAIR), LE_OK);
    for (int i = 0; i < 60; i++) {
        meeting m = {0};
        le__schedule s = (le__schedule)(LE__SCHEDULE_STATIC + i % 3);
        le__pool_run(p, PAIR, s, FEW, meet, &m);
        assert_int_equal(m.first[0], 1);
        assert_int_equal(m.first[1], FEW / PAIR + 1);
        if (s == LE__SCHEDULE_STATIC)
            assert_int_equal(m.parts, PAIR);
        else
            assert_in_range(m.parts, 2 * PAIR, FEW);
    }
    le__pool_close(p);
}

static int open_pool(void **state) {
    le__pool *p;
    *state = le__pool_open(&p, 5) == LE_OK ? p : NULL;
    return *state ? 0 : -1;
}

static int close_pool(void **state) {
    le__pool_close(*state);
    return 0;
}

/* The first processors that this thread may run on; false: there is one only. */
static bool two_processors(cpu_set_t *all, int at[2]) {
    int n = 0;
    if (sched_getaffinity(0, sizeof *all, all) != 0)
        return false;
    for (int i = 0; i < CPU_SETSIZE && n < 2; i++)
        if (CPU_ISSET((size_t)i, all))
            at[n++] = i;
    return n == 2;
}

static void stay_on(int cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

/* This thread, which may be anywhere afterwards. */
static void go_to(int cpu, const cpu_set_t *all) {
    stay_on(cpu);
    assert_int_equal(sched_setaffinity(0, sizeof *all, all), 0);
}

static void a_thread_leaves_a_processor(void **state) {
    enum { TIMES = 10 };
    cpu_set_t all, after;
    int at[2], away = 0;
    (void)state;
    if (!two_processors(&all, at))
        skip();
    for (int i = 0; i < TIMES; i++) {
        go_to(at[0], &all);
        le__os_leave_cpu(pthread_self(), at[0]);
        away += le__os_cpu() != at[0];
    }
    assert_true(away > TIMES / 2); /* the system may move it back */
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&all, &after));
    stay_on(at[0]);
    le__os_leave_cpu(pthread_self(), at[0]); /* there is nowhere to go */
    assert_int_equal(le__os_cpu(), at[0]);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

typedef struct crowded {
    cpu_set_t all;
    int caller; /* where it stays */
    int here, away;
} crowded;

/* The worker says where it began, and goes to the caller's processor. */
static void come_near(void *context, size_t begin, size_t end, int worker) {
    crowded *c = context;
    const int cpu = le__os_cpu();
    (void)begin, (void)end;
    for (double until = le__now() + 2e-3; le__now() < until;)
        ;
    if (worker != 1)
        return;
    ++*(cpu == c->caller ? &c->here : &c->away);
    go_to(c->caller, &c->all);
}

static void workers_keep_off_the_callers_processor(void **state) {
    enum { LOOPS = 40 };
    crowded c = {.here = 0};
    le__pool *p;
    int at[2];
    (void)state;
    if (!two_processors(&c.all, at))
        skip();
    assert_int_equal(le__pool_open(&p, 2), LE_OK);
    c.caller = at[0];
    run_once(p, 2, LE__SCHEDULE_STATIC, 2); /* the worker may be anywhere */
    stay_on(c.caller);
    for (int i = 0; i < LOOPS; i++)
        le__pool_run(p, 2, LE__SCHEDULE_STATIC, 2, come_near, &c);
    assert_int_equal(sched_setaffinity(0, sizeof c.all, &c.all), 0);
    le__pool_close(p);
    assert_true(c.away >= c.here); /* the system may move it, too, and back */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_item_once),
                                       cmocka_unit_test(more_threads_than_stretches),
                                       cmocka_unit_test(each_worker_has_a_part),
                                       cmocka_unit_test(many_callers),
                                       cmocka_unit_test(loops_in_loops),
                                       cmocka_unit_test(own_stretches),
                                       cmocka_unit_test(a_thread_leaves_a_processor),
                                       cmocka_unit_test(workers_keep_off_the_callers_processor)};
    return cmocka_run_group_tests(tests, open_pool, close_pool);
}
