/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Ticks: whoever calls hears on his own thread that the call is under way, and ends it. Items are
 * counted, no time is judged but that between two ticks, which is never shorter than promised.
 */
#include "benchdb.h"
#include "liquid_engine/le_bench.h"
#include "liquid_engine/le_chain.h"
#include "toy.h"

#include <math.h>
#include <pthread.h>
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

enum { N = 300 };
static atomic_int items, items_at_end; /* done; when the tick said that it is over */
static float input[N];

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_a_millisecond(void) {
    nanosleep(&(struct timespec){0, 1000000}, NULL);
}

/* A millisecond an item, where the work is large: trials have less of it. */
static void item(const le_call *call, size_t i) {
    union {
        const le_call *in;
        void *out;
    } context = {call};
    toy_range(context.out, i, i + 1, 0);
    if (toy_items(call) == N) {
        items++;
        wait_a_millisecond();
    }
}

static void slow_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    for (size_t i = begin; i < end; i++)
        item(context, i);
}

/* One part of a static schedule is done at once, mostly that of the caller, who waits then. */
static void uneven_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    for (size_t i = begin; i < end; i++)
        if (i < N / 2)
            toy_range(context, i, i + 1, 0);
        else
            item(context, i);
}

static le_status in_loops(le_call *call) {
    le_status status = le_parallel_for(call, toy_items(call) / 2, slow_range, call);
    return status == LE_OK ? le_parallel_for(call, toy_items(call), slow_range, call) : status;
}

static le_status asking(le_call *call) {
    for (size_t i = 0; i < toy_items(call) && !le_call_cancelled(call); i++)
        item(call, i);
    return LE_OK;
}

static int fills;

static void fill_range(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    for (size_t i = begin; i < end; i++) {
        ((float *)context)[i] = 1;
        items++;
        wait_a_millisecond();
    }
}

static le_status fill(le_call *call, void *data, size_t bytes, void *cookie) {
    (void)bytes;
    (void)cookie;
    fills++;
    le_parallel_for(call, N, fill_range, data);
    return LE_OK; /* the engine knows better */
}

static le_status keeping(le_call *call) {
    const void *data;
    le_status status = LE_OK;
    if (toy_items(call) == N)
        status = le_call_keep(call, "ones", N * sizeof(float), fill, NULL, &data);
    for (int i = 0; status == LE_OK && toy_items(call) == N && i < N; i++)
        if (((const float *)data)[i] != 1)
            return le_fail(LE_ERR_INTERNAL, "half-built data");
    return status == LE_OK ? le_parallel_for(call, toy_items(call), toy_range, call) : status;
}

#define IMPLEMENTATION(...)                                                                        \
    { .abi = LE_METHOD_ABI, .operation = "toy", .run_type = "c", __VA_ARGS__ }
static const le_implementation all[] = {
    IMPLEMENTATION(.name = "ranges", .items = toy_items, .range = slow_range),
    IMPLEMENTATION(.name = "uneven", .items = toy_items, .range = uneven_range),
    IMPLEMENTATION(.name = "serial", .flags = LE_IMPL_SERIAL, .items = toy_items,
                   .range = slow_range),
    IMPLEMENTATION(.name = "loops", .run = in_loops),
    IMPLEMENTATION(.name = "asking", .flags = LE_IMPL_SERIAL, .run = asking),
    IMPLEMENTATION(.name = "keeping", .run = keeping)};

static le_engine *open_all(const char *db, le_mode mode) {
    le_engine *e = toy_open(db, mode);
    assert_non_null(e);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        assert_int_equal(le_register_implementation(e, &all[i]), LE_OK);
    for (int i = 0; i < N; i++)
        input[i] = (float)(i % 17);
    items = items_at_end = fills = 0;
    return e;
}

/* --- the tick of the tests --- */

typedef struct hearing {
    int ticks, end_at; /* end_at: the tick that ends the call; 0: none */
    double first, last, shortest, shown;
    bool elsewhere, backwards;
    pthread_t thread;
} hearing;

static bool hear(void *context, double done) {
    hearing *h = context;
    double t = now();
    h->elsewhere = h->elsewhere || !pthread_equal(pthread_self(), h->thread);
    h->backwards = h->backwards || done < h->shown || done < 0 || done > 1;
    h->shortest = fmin(h->shortest, t - h->last);
    h->last = t;
    if (h->ticks++ == 0)
        h->first = done;
    h->shown = done;
    if (h->ticks == h->end_at)
        items_at_end = items;
    return h->ticks != h->end_at;
}

static hearing listen(int end_at) {
    return (hearing){.end_at = end_at,
                     .last = now(),
                     .shortest = INFINITY,
                     .shown = NAN,
                     .thread = pthread_self()};
}

static void check_hearing(const hearing *h) {
    assert_false(h->elsewhere);
    assert_false(h->backwards);
    assert_true(h->shortest >= 0.049);
}

static le_status call(le_engine *e, const char *who, const le_tick *tick, le_tensor *out) {
    le_tensor in = le_tensor_of(input, LE_F32, 1, &(int64_t){N});
    const le_arg args[] = {LE_IN("input", &in), LE_F64("factor", 2), LE_OUT("result", out),
                           LE_OPT_IMPLEMENTATION(who), LE_OPT_TICK(tick)};
    return le_call_run(e, "toy", args, tick ? 5 : 4);
}

static void check_result(const le_tensor *out) {
    for (int i = 0; i < N; i++)
        assert_true(((const float *)out->data)[i] == 2 * input[i]);
}

/* --- tests --- */

static void heard_to_the_end(le_engine *e, const char *who, bool share_known) {
    hearing h = listen(0);
    le_tick tick = {hear, &h};
    le_tensor out = {0};
    if (call(e, who, &tick, &out) != LE_OK)
        fail_msg("%s: %s", who, le_error_message());
    check_hearing(&h);
    if (h.ticks < 2)
        fail_msg("%s: %d ticks", who, h.ticks);
    /* of fixed shares the caller's may have been over before the first tick */
    bool fixed = strstr(who, "static") != NULL;
    if (!fixed && isnan(h.shown) == share_known)
        fail_msg("%s: the share done is %g", who, h.shown);
    check_result(&out);
    le_tensor_free(&out);
}

static const char *const forms[] = {"ranges[threads=1]",
                                    "ranges[threads=2,schedule=static]",
                                    "ranges[threads=2,schedule=dynamic]",
                                    "ranges[threads=2,schedule=guided]",
                                    "uneven[threads=2,schedule=static]",
                                    "serial",
                                    "loops[threads=2,schedule=dynamic]",
                                    "asking",
                                    "reference"};
enum { FORMS = sizeof forms / sizeof *forms, SHARE_KNOWN = 6 };

static void whoever_asks_hears(void **state) {
    (void)state;
    le_engine *e = open_all(NULL, LE_MODE_LEARN);
    for (int i = 0; i < FORMS - 1; i++)
        heard_to_the_end(e, forms[i], i < SHARE_KNOWN);
    le_close(&e);
}

/* Runs of the sample itself are all that is there of an implementation. */
static void expect_nothing_held_against(le_engine *e, const char *who) {
    le_explanation *x;
    le_tensor in = le_tensor_of(input, LE_F32, 1, &(int64_t){N}), out = {0};
    assert_int_equal(le_engine_explain(e, &x, "toy", LE_IN("input", &in), LE_F64("factor", 2),
                                       LE_OUT("result", &out)),
                     LE_OK);
    for (size_t i = 0; i < x->n_candidates; i++) {
        const le_explained_candidate *c = le_explanation_candidate(x, i);
        if (strcmp(c->implementation, who) != 0)
            continue;
        assert_true(!strcmp(c->verdict, "proven") || !strcmp(c->verdict, "unproven"));
        assert_string_equal(c->left_out, "");
        assert_int_equal(c->samples, 0);
    }
    le_explanation_free(&x);
}

static void ends(le_engine *e, const char *who) {
    hearing h = listen(2);
    le_tick tick = {hear, &h};
    le_tensor out = {0};
    items = 0;
    le_status status = call(e, who, &tick, &out);
    if (status != LE_ERR_CANCELLED)
        fail_msg("%s: %d: %s", who, status, le_error_message());
    assert_non_null(strstr(le_error_message(), "cancelled"));
    check_hearing(&h);
    assert_int_equal(h.ticks, 2);
    assert_null(out.data);
    if (items >= N || items - items_at_end > N / 4)
        fail_msg("%s: %d items, %d of them after the end", who, (int)items, items - items_at_end);
}

static void whoever_asks_ends_it(void **state) {
    (void)state;
    le_engine *e = open_all(NULL, LE_MODE_LEARN);
    for (int i = 0; i < FORMS - 1; i++)
        ends(e, forms[i]);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        expect_nothing_held_against(e, all[i].name);
    for (int i = 0; i < FORMS; i++) {
        le_tensor out = {0};
        assert_int_equal(call(e, forms[i], NULL, &out), LE_OK); /* the next call is answered */
        check_result(&out);
        le_tensor_free(&out);
    }
    le_close(&e);
}

static void nothing_is_stored(void **state) {
    (void)state;
    char path[64];
    le_db *db;
    le_db_knowledge *k = NULL;
    snprintf(path, sizeof path, "/tmp/le_tick_%d.sqlite3", (int)getpid());
    unlink(path);
    le_engine *e = open_all(path, LE_MODE_LEARN);
    for (int i = 0; i < FORMS - 1; i++)
        ends(e, forms[i]);
    le_close(&e);
    db = le_db_open(&(le_db_options){.path = path});
    assert_int_equal(le_db_load(db, "toy", 0, &k), LE_DB_OK);
    assert_int_equal(k->n_samples, 0);
    assert_int_equal(k->n_choices, 0);
    for (size_t i = 0; i < k->n_verdicts; i++)
        assert_true(k->verdicts[i].state == LE_DB_PROVEN || k->verdicts[i].state == LE_DB_UNPROVEN);
    le_db_knowledge_free(&k);
    le_db_close(&db);
    unlink(path);
}

static void no_half_built_data_are_kept(void **state) {
    (void)state;
    setenv("LE_TRIALS", "spawn", 1); /* no first runs in children, whose data are gone with them */
    le_engine *e = open_all(NULL, LE_MODE_LEARN);
    unsetenv("LE_TRIALS");
    le_tensor out = {0};
    ends(e, "keeping");
    ends(e, "keeping");
    assert_int_equal(fills, 2);
    for (int i = 0; i < 2; i++) {
        if (call(e, "keeping", NULL, &out) != LE_OK)
            fail_msg("%s", le_error_message());
        check_result(&out);
        le_tensor_free(&out);
    }
    assert_int_equal(fills, 3);
    le_close(&e);
}

/* In measuring, too: no choice comes of it. */
static void a_race_ends(void **state) {
    (void)state;
    le_engine *e = open_all(NULL, LE_MODE_MEASURE);
    hearing h = listen(3);
    le_tick tick = {hear, &h};
    le_tensor in = le_tensor_of(input, LE_F32, 1, &(int64_t){N}), out = {0};
    const le_arg args[] = {LE_IN("input", &in), LE_F64("factor", 2), LE_OUT("result", &out),
                           LE_OPT_TICK(&tick)};
    assert_int_equal(le_call_run(e, "toy", args, 4), LE_ERR_CANCELLED);
    assert_int_equal(h.ticks, 3);
    assert_false(le_bench_is_known(e, "toy", args, 3));
    assert_int_equal(le_call_run(e, "toy", args, 3), LE_OK);
    check_result(&out);
    le_tensor_free(&out);
    le_close(&e);
}

/* Some seconds of it. */
static void *race_to_the_end(void *engine) {
    le_tensor out = {0};
    le_status status = call(engine, NULL, NULL, &out);
    le_tensor_free(&out);
    return status == LE_OK ? engine : NULL;
}

/* Who waits for the race of another thread hears as well. */
static void waiting_for_a_race_ends(void **state) {
    (void)state;
    le_engine *e = open_all(NULL, LE_MODE_MEASURE);
    pthread_t thread;
    void *fine;
    assert_int_equal(pthread_create(&thread, NULL, race_to_the_end, e), 0);
    while (items == 0)
        wait_a_millisecond();
    int before = items;
    hearing h = listen(2);
    le_tick tick = {hear, &h};
    le_tensor out = {0};
    assert_int_equal(call(e, NULL, &tick, &out), LE_ERR_CANCELLED);
    assert_null(out.data);
    assert_int_equal(h.ticks, 2);
    check_hearing(&h);
    int meanwhile = items - before;
    pthread_join(thread, &fine);
    assert_non_null(fine);
    if (meanwhile > (items - before) / 2)
        fail_msg("%d items of %d until the call ended", meanwhile, items - before);
    le_close(&e);
}

static void short_calls_do_not_tick(void **state) {
    (void)state;
    le_engine *e = open_all(NULL, LE_MODE_LEARN);
    hearing h = listen(1);
    le_tick tick = {hear, &h};
    le_tensor out = {0};
    assert_int_equal(call(e, "c", NULL, &out), LE_OK); /* with its trial */
    le_tensor_free(&out);
    double start = now();
    le_status status = call(e, "c", &tick, &out);
    if (now() - start < 0.05)
        assert_true(status == LE_OK && h.ticks == 0);
    le_tensor_free(&out);
    le_close(&e);
}

static void a_thread_has_one_too(void **state) {
    (void)state;
    le_engine *e = open_all(NULL, LE_MODE_LEARN);
    hearing usual = listen(2), own = listen(0);
    le_tick of_thread = {hear, &usual}, of_call = {hear, &own};
    le_tensor out = {0};
    assert_null(le_set_tick(&of_thread));
    assert_int_equal(call(e, "serial", &of_call, &out), LE_OK);
    le_tensor_free(&out);
    assert_int_equal(usual.ticks, 0);
    assert_true(own.ticks > 1);
    usual.last = now();
    assert_int_equal(call(e, "serial", NULL, &out), LE_ERR_CANCELLED);
    assert_int_equal(usual.ticks, 2);
    check_hearing(&usual);
    assert_ptr_equal(le_set_tick(NULL), &of_thread);
    assert_int_equal(call(e, "serial", NULL, &out), LE_OK);
    le_tensor_free(&out);
    assert_int_equal(usual.ticks, 2);
    le_close(&e);
}

/* --- chains --- */

static le_chain *chain_of(le_engine *e, int steps, const char *who) {
    le_chain *c;
    int64_t n = N;
    assert_int_equal(le_chain_new(&c, e, "steps"), LE_OK);
    le_value last = le_chain_input(c, "input", LE_F32, 1, &n);
    for (int i = 0; i < steps; i++) {
        le_value next = le_chain_temp(c);
        le_chain_add(c, "toy", LE_VALUE_IN("input", last), LE_F64("factor", 1),
                     LE_VALUE_OUT("result", next), LE_OPT_IMPLEMENTATION(who));
        last = next;
    }
    le_chain_output(c, "result", last);
    assert_int_equal(le_chain_status(c), LE_OK);
    return c;
}

static void chains_end_too(void **state) {
    (void)state;
    le_engine *e = open_all(NULL, LE_MODE_LEARN);
    le_tensor in = le_tensor_of(input, LE_F32, 1, &(int64_t){N}), out = {0};
    le_chain *c = chain_of(e, 3, "serial");
    hearing h = listen(0);
    le_tick tick = {hear, &h};
    assert_int_equal(
        le_chain_run(c, LE_IN("input", &in), LE_OUT("result", &out), LE_OPT_TICK(&tick)), LE_OK);
    check_hearing(&h);
    assert_true(h.shown > 0.7 && !(h.first >= 0.7)); /* the first may come in a trial */
    le_tensor_free(&out);
    h = listen(2);
    items = 0;
    assert_int_equal(
        le_chain_run(c, LE_IN("input", &in), LE_OUT("result", &out), LE_OPT_TICK(&tick)),
        LE_ERR_CANCELLED);
    assert_true(items < 2 * N);
    assert_null(out.data);
    assert_int_equal(le_chain_run(c, LE_IN("input", &in), LE_OUT("result", &out)), LE_OK);
    for (int i = 0; i < N; i++)
        assert_true(((const float *)out.data)[i] == input[i]);
    le_tensor_free(&out);
    le_chain_free(&c);
    le_close(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(whoever_asks_hears),
                                       cmocka_unit_test(whoever_asks_ends_it),
                                       cmocka_unit_test(nothing_is_stored),
                                       cmocka_unit_test(no_half_built_data_are_kept),
                                       cmocka_unit_test(a_race_ends),
                                       cmocka_unit_test(waiting_for_a_race_ends),
                                       cmocka_unit_test(short_calls_do_not_tick),
                                       cmocka_unit_test(a_thread_has_one_too),
                                       cmocka_unit_test(chains_end_too)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
