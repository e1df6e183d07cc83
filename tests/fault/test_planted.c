/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Implementations that misbehave, each with the highest claimed speed so that it is tried first:
 * the caller gets the right answer of another one, and the verdict names the reason, also after a
 * restart.
 */
#include "toy.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = 1000, BIG = 300000 };

static float *out_of(void *context) {
    return le_call_out(context, TOY_RESULT)->data;
}

static void crashes(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    abort();
}

static void hangs(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    for (;;)
        pause();
}

static void writes_before(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    out_of(context)[-1] = 1;
}

static void writes_behind(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    out_of(context)[le_tensor_count(le_call_out(context, TOY_RESULT))] = 1;
}

static void leaves_a_part(void *context, size_t begin, size_t end, int worker) {
    if (end > begin + 1)
        toy_range(context, begin, end - 1, worker);
}

static void is_wrong(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    for (size_t i = begin; i < end; i++)
        out_of(context)[i] += 1e-3f; /* the tolerance is 1e-5 of the largest value, about 7 */
}

static void is_wrong_when_large(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    if (le_tensor_count(le_call_out(context, TOY_RESULT)) > 100000)
        out_of(context)[begin] += 1;
}

static void gives_nan(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    if (begin == 0 && end > 0)
        out_of(context)[0] = NAN;
}

static void differs_each_time(void *context, size_t begin, size_t end, int worker) {
    static _Atomic int runs;
    toy_range(context, begin, end, worker);
    int run = runs++;
    for (size_t i = begin; i < end; i++)
        out_of(context)[i] += 0.01f * (float)(run % 7);
}

static le_status leaks(le_call *call) {
    char *lost = malloc(5000);
    if (lost)
        lost[0] = 1;
    le_parallel_for(call, toy_items(call), toy_range, call);
    call = NULL;
    return lost ? LE_OK : LE_ERR_MEMORY;
}

static le_status asks_for_too_much(le_call *call) {
    char *p = le_call_scratch(call, (size_t)1 << 45);
    if (!p)
        return le_fail(LE_ERR_MEMORY, "toy: out of memory");
    memset(p, 1, 4096);
    return LE_OK;
}

static le_status lies(le_call *call) {
    (void)call;
    return le_fail(LE_ERR_UNSUPPORTED, "toy: cannot do this after all");
}

typedef struct plant {
    const char *name;
    le_range_fn range;
    le_status (*run)(le_call *call);
    const char *reason; /* a part of it */
    int64_t n;
} plant;

static const plant plants[] = {
    {"crashes", crashes, NULL, "crashed", N},
    {"hangs", hangs, NULL, "did not end within", N},
    {"writes_before", writes_before, NULL, "before its output", N},
    {"writes_behind", writes_behind, NULL, "behind its output", N},
    {"leaves_a_part", leaves_a_part, NULL, "exceeds the tolerance", N},
    {"is_wrong", is_wrong, NULL, "exceeds the tolerance", N},
    {"is_wrong_when_large", is_wrong_when_large, NULL, "exceeds the tolerance", BIG},
    {"gives_nan", gives_nan, NULL, "exceeds the tolerance", N},
    {"differs_each_time", differs_each_time, NULL, "exceeds the tolerance", N},
    {"leaks", NULL, leaks, "leaks", N},
    {"asks_for_too_much", NULL, asks_for_too_much, "memory", N},
    {"lies", NULL, lies, "cannot do this", N},
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check_answer(le_engine *e, const plant *p, le_mode mode) {
    float *in = malloc((size_t)p->n * sizeof *in);
    for (int64_t i = 0; i < p->n; i++)
        in[i] = (float)(i % 17) - 8;
    le_tensor input = le_tensor_of(in, LE_F32, 1, &p->n), result = {0};
    le_status status = le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                                     LE_OUT("result", &result), LE_OPT_MODE(mode));
    if (status != LE_OK)
        fail_msg("%s: %s", p->name, le_error_message());
    for (int64_t i = 0; i < p->n; i++)
        if (((float *)result.data)[i] != 2 * in[i])
            fail_msg("%s: result[%lld] is %g, expected %g", p->name, (long long)i,
                     (double)((float *)result.data)[i], (double)(2 * in[i]));
    le_tensor_free(&result);
    free(in);
}

/* The verdict as le_explain tells it. */
static void check_verdict(le_engine *e, const plant *p) {
    float *in = calloc((size_t)p->n, sizeof *in);
    le_tensor input = le_tensor_of(in, LE_F32, 1, &p->n), result = {0};
    le_explanation *x;
    assert_int_equal(le_engine_explain(e, &x, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                                       LE_OUT("result", &result)),
                     LE_OK);
    bool found = false;
    for (size_t i = 0; i < x->n_candidates; i++) {
        const le_explained_candidate *c = &x->candidates[i];
        if (strcmp(c->implementation, p->name) != 0)
            continue;
        found = true;
        if (c->applicable || !strstr(c->left_out, p->reason))
            fail_msg("%s: %s, left out: '%s', expected '%s'", c->candidate, c->verdict, c->left_out,
                     p->reason);
    }
    assert_true(found);
    le_explanation_free(&x);
    free(in);
}

static le_engine *open_with(const plant *p, const char *db, le_implementation *impl) {
    setenv("LE_TRIAL_LIMIT", "0.3", 1);
    le_engine *e = toy_open(db, LE_MODE_LEARN);
    assert_non_null(e);
    *impl = (le_implementation){.abi = LE_METHOD_ABI,
                                .operation = "toy",
                                .name = p->name,
                                .run_type = "simd",
                                .speed = 50,
                                .range = p->range,
                                .run = p->run,
                                .items = p->range ? toy_items : NULL};
    assert_int_equal(le_register_implementation(e, impl), LE_OK);
    return e;
}

/* The sanitizers' allocators tell nothing of memory in use. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define COUNTS_MEMORY false
#elif defined(__has_feature)
#define COUNTS_MEMORY !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define COUNTS_MEMORY true
#endif

static void planted(le_mode mode) {
    for (size_t i = 0; i < sizeof plants / sizeof *plants; i++) {
        if (plants[i].run == leaks && !COUNTS_MEMORY)
            continue;
        char db[64];
        le_implementation impl;
        snprintf(db, sizeof db, "/tmp/le_planted_%d_%zu.sqlite3", (int)getpid(), i);
        unlink(db);
        le_engine *e = open_with(&plants[i], db, &impl);
        double start = now();
        check_answer(e, &plants[i], mode);
        assert_true(now() - start < 15); /* the limit is 0.3 s; the rest is for loaded machines */
        for (int k = 0; k < 30; k++)
            check_answer(e, &plants[i], mode);
        check_verdict(e, &plants[i]);
        le_close(&e);
        bool kept =
            strcmp(plants[i].name, "asks_for_too_much") != 0 && strcmp(plants[i].name, "lies") != 0;
        if (kept) { /* a restart remembers it, and does not try again */
            e = open_with(&plants[i], db, &impl);
            check_verdict(e, &plants[i]);
            check_answer(e, &plants[i], mode);
            le_close(&e);
        }
        unlink(db);
    }
}

static void in_learn(void **state) {
    (void)state;
    planted(LE_MODE_LEARN);
}

static void in_measure(void **state) {
    (void)state;
    planted(LE_MODE_MEASURE);
}

/* --- a smaller case instead of the whole --- */

enum { PIECE = 120000 };
static _Atomic int64_t largest_for_c;

static le_status piece(const le_call *call, uint64_t random, le_case *out, int64_t *first) {
    le_tensor view = *le_call_in(call, TOY_INPUT);
    (void)random;
    view.shape[0] = PIECE;
    *first = LE_PART_APART;
    le_case_borrow(out, "input", &view);
    le_case_like(out, call);
    return le_case_status(out);
}

static void counted_range(void *context, size_t begin, size_t end, int worker) {
    int64_t n = le_tensor_count(le_call_out(context, TOY_RESULT)), before = largest_for_c;
    while (n > before && !atomic_compare_exchange_weak(&largest_for_c, &before, n))
        ;
    toy_range(context, begin, end, worker);
}

/* It claims to be fifty times faster than c and takes 20 ms: c would take longer than a trial. */
static void linger(const le_call *call) {
    if (le_tensor_count(le_call_in(call, TOY_INPUT)) == BIG)
        nanosleep(&(struct timespec){0, 20000000}, NULL);
}

static void right_range(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    linger(context);
}

static void wrong_range(void *context, size_t begin, size_t end, int worker) {
    is_wrong_when_large(context, begin, end, worker);
    linger(context);
}

static void run_big(le_engine *e, const char *expected) {
    static float in[BIG];
    for (int i = 0; i < BIG; i++)
        in[i] = (float)(i % 17) - 8;
    le_tensor input = le_tensor_of(in, LE_F32, 1, &(int64_t){BIG}), result = {0};
    le_run_info info = {.struct_size = sizeof info};
    assert_int_equal(le_engine_run(e, "pieces", LE_IN("input", &input), LE_F64("factor", 2),
                                   LE_OUT("result", &result)),
                     LE_OK);
    le_last_run(&info);
    if (!strstr(info.candidate, expected))
        fail_msg("%s answered, expected %s", info.candidate, expected);
    for (int i = 0; i < BIG; i++)
        assert_true(((float *)result.data)[i] == 2 * in[i]);
    le_tensor_free(&result);
}

static void a_piece_stands_for_the_whole(void **state) {
    (void)state;
    for (int wrong = 0; wrong < 2; wrong++) {
        setenv("LE_TRIAL_LIMIT", "0.3", 1);
        le_engine *e = toy_open(NULL, LE_MODE_LEARN);
        assert_non_null(e);
        le_operation op = toy_operation;
        op.name = "pieces";
        op.part = piece;
        le_implementation reference = toy_reference, c = toy_c, quick = toy_c;
        reference.operation = c.operation = quick.operation = op.name;
        c.range = counted_range;
        quick.name = "quick";
        quick.run_type = "simd";
        quick.speed = 50;
        quick.flags = LE_IMPL_SERIAL;
        quick.range = wrong ? wrong_range : right_range;
        assert_int_equal(le_register_operation(e, &op), LE_OK);
        assert_int_equal(le_register_implementation(e, &reference), LE_OK);
        assert_int_equal(le_register_implementation(e, &c), LE_OK);
        assert_int_equal(le_register_implementation(e, &quick), LE_OK);
        largest_for_c = 0;
        run_big(e, wrong ? "c@cpu" : "quick@cpu");
        assert_int_equal(largest_for_c, wrong ? BIG : PIECE);
        le_close(&e);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_learn), cmocka_unit_test(in_measure),
                                       cmocka_unit_test(a_piece_stands_for_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
