/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Faults that show at some sizes only, of implementations that were right before in the same size
 * class: the caller gets right answers, the verdict names the reason, and looking for them is paid
 * for once.
 */
#include "core/sanitizer.h"
#include "liquid_engine/le_bench.h"
#include "toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST = 32000 };

static _Atomic int second_answers; /* of c and the reference */

static int64_t size_of(void *context) {
    return le_tensor_count(le_call_out(context, TOY_RESULT));
}

static float *first_of(void *context) {
    return le_call_out(context, TOY_RESULT)->data;
}

static void wrong_from_5000(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    if (size_of(context) >= 5000 && begin < end)
        first_of(context)[begin] += 1;
}

/* By a hundredth of the largest value. */
static void inexact_from_5000(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    if (size_of(context) >= 5000 && begin == 0)
        first_of(context)[0] += 0.16F;
}

static void wrong_when_odd(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    if (size_of(context) % 2 == 1 && size_of(context) > 3000 && begin < end)
        first_of(context)[end - 1] += 1;
}

static void wait_for(long milliseconds) {
    nanosleep(&(struct timespec){0, milliseconds * 1000000}, NULL);
}

static void waits_when_odd(void *context, size_t begin, size_t end, int worker) {
    wait_for(2);
    wrong_when_odd(context, begin, end, worker);
}

static void waits(void *context, size_t begin, size_t end, int worker) {
    wait_for(2);
    toy_range(context, begin, end, worker);
}

static void waits_long(void *context, size_t begin, size_t end, int worker) {
    second_answers += size_of(context) == 8000;
    wait_for(100);
    toy_range(context, begin, end, worker);
}

static bool hindered;

/* As by other programs, the first time. */
static void hindered_once_at_4000(void *context, size_t begin, size_t end, int worker) {
    if (size_of(context) == 4000 && !hindered) {
        hindered = true;
        wait_for(20);
    }
    toy_range(context, begin, end, worker);
}

static void writes_behind_from_5000(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    if (size_of(context) >= 5000 && end == (size_t)size_of(context))
        first_of(context)[end] = 1;
}

static void crashes_from_5000(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    if (size_of(context) >= 5000)
        abort();
}

static bool is_wrong, is_broken; /* now */

static void wrong_or_broken_at_times(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    if (is_broken)
        abort();
    if (is_wrong && size_of(context) >= 5000 && begin < end)
        first_of(context)[begin] += 1;
}

static void counted(void *context, size_t begin, size_t end, int worker) {
    if (begin == 0) {
        second_answers++;
        wait_for(1);
    }
    toy_range(context, begin, end, worker);
}

static le_status slow(le_call *call) {
    wait_for(1);
    toy_range(call, 0, toy_items(call), 0);
    return LE_OK;
}

static le_engine *open_with(const char *db, const le_implementation *impl, size_t n) {
    le_options o;
    le_engine *e = NULL;
    le_default_options(&o);
    o.db_path = db ? db : ":memory:";
    o.devices = "cpu";
    o.threads = 1;
    assert_int_equal(le_open(&e, &o), LE_OK);
    assert_int_equal(le_register_operation(e, &toy_operation), LE_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(le_register_implementation(e, &impl[i]), LE_OK);
    return e;
}

static le_implementation like_c(const char *name, le_range_fn range) {
    le_implementation i = toy_c;
    i.name = name;
    i.source = name;
    i.range = range;
    if (strcmp(name, "c") != 0) {
        i.run_type = "simd";
        i.speed = 50;
    }
    return i;
}

/* Whether the answer is right. */
static bool ask(le_engine *e, int64_t n, le_mode mode) {
    static float in[MOST], out[MOST];
    for (int64_t i = 0; i < n; i++) {
        in[i] = (float)(i % 17) - 8;
        out[i] = -1;
    }
    le_tensor input = le_tensor_of(in, LE_F32, 1, &n), result = le_tensor_of(out, LE_F32, 1, &n);
    if (le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                      LE_OUT("result", &result), LE_OPT_MODE(mode)) != LE_OK)
        return false;
    for (int64_t i = 0; i < n; i++)
        if (out[i] != 2 * in[i])
            return false;
    return true;
}

/* Whether each of its candidates is left out for this reason; else `other` says what one is. */
static bool is_left_out(le_engine *e, const char *name, int64_t n, const char *reason,
                        char other[512]) {
    float *in = calloc((size_t)n, sizeof *in);
    le_tensor input = le_tensor_of(in, LE_F32, 1, &n), result = {0};
    le_explanation *x;
    bool found = false, all = true;
    assert_int_equal(le_engine_explain(e, &x, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                                       LE_OUT("result", &result)),
                     LE_OK);
    for (size_t i = 0; i < x->n_candidates; i++) {
        const le_explained_candidate *c = &x->candidates[i];
        if (strcmp(c->implementation, name) != 0)
            continue;
        found = true;
        if (c->applicable || !strstr(c->left_out, reason)) {
            all = false;
            snprintf(other, 512, "%s: %s, left out: '%s'", c->candidate, c->verdict, c->left_out);
        }
    }
    assert_true(found);
    le_explanation_free(&x);
    free(in);
    return all;
}

static void must_be_left_out(le_engine *e, const char *name, int64_t n, const char *reason) {
    char other[512];
    if (!is_left_out(e, name, n, reason, other))
        fail_msg("%s", other);
}

/* Often enough to have been chosen and believed. */
static void ask_often(le_engine *e, int64_t n, le_mode mode) {
    for (int k = 0; k < 20; k++)
        assert_true(ask(e, n, mode));
}

/* The caller always gets right answers, and whoever is quick is left out in the end: beside busy
 * processes its rivals may look faster for a while. */
static void grow_from_4000_to_6000(le_engine *e, le_mode mode) {
    static const char reason[] = "exceeds the tolerance";
    char other[512];
    ask_often(e, 4000, mode);
    for (int k = 0; k < 3 || (k < 100 && !is_left_out(e, "quick", 6000, reason, other)); k++)
        assert_true(ask(e, 6000, mode));
    must_be_left_out(e, "quick", 6000, reason);
}

static const le_mode modes[] = {LE_MODE_LEARN, LE_MODE_ESTIMATE, LE_MODE_MEASURE};
enum { WITHOUT_RACE = 2, ALL_MODES };

static void right_at_4000_and_wrong_at_6000(void **state) {
    (void)state;
    for (size_t m = 0; m < WITHOUT_RACE; m++) {
        le_implementation all[] = {toy_reference, like_c("quick", wrong_from_5000), toy_c};
        le_engine *e = open_with(NULL, all, 3);
        grow_from_4000_to_6000(e, modes[m]);
        assert_true(ask(e, 4000, modes[m]));
        le_close(&e);
    }
}

static void two_that_are_wrong_alike(void **state) {
    (void)state;
    for (size_t m = 0; m < WITHOUT_RACE; m++) {
        le_implementation all[] = {toy_reference, like_c("quick", wrong_from_5000),
                                   like_c("c", wrong_from_5000)};
        le_engine *e = open_with(NULL, all, 3);
        grow_from_4000_to_6000(e, modes[m]);
        le_close(&e);
    }
}

/* The reference decides, also where it took long the last time. */
static void alike_beside_a_hindered_reference(void **state) {
    (void)state;
    for (size_t m = 0; m < WITHOUT_RACE; m++) {
        le_implementation all[] = {toy_reference, like_c("quick", wrong_from_5000),
                                   like_c("c", wrong_from_5000)};
        all[0].range = hindered_once_at_4000;
        hindered = false;
        le_engine *e = open_with(NULL, all, 3);
        grow_from_4000_to_6000(e, modes[m]);
        assert_true(hindered);
        le_close(&e);
    }
}

static void another_size_below_the_largest(void **state) {
    (void)state;
    for (size_t m = 0; m < ALL_MODES; m++) {
        le_implementation all[] = {toy_reference, like_c("quick", wrong_when_odd), toy_c};
        le_engine *e = open_with(NULL, all, 3);
        ask_often(e, 8000, modes[m]);
        assert_true(ask(e, 5001, modes[m]));
        must_be_left_out(e, "quick", 5001, "in size class");
        le_close(&e);
    }
}

static le_status ask_only(le_engine *e, const char *name, int64_t n) {
    static float in[MOST], out[MOST];
    le_tensor input = le_tensor_of(in, LE_F32, 1, &n), result = le_tensor_of(out, LE_F32, 1, &n);
    return le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                         LE_OUT("result", &result), LE_OPT_IMPLEMENTATION(name));
}

/* c is claimed to take fifty times as long as quick, and is known to take no longer. */
static void a_second_answer_takes_what_was_measured(void **state) {
    (void)state;
    le_implementation all[] = {toy_reference, like_c("quick", waits_when_odd), like_c("c", waits)};
    le_engine *e = open_with(NULL, all, 3);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(ask_only(e, "quick", 8000), LE_OK);
        assert_int_equal(ask_only(e, "c", 8000), LE_OK);
    }
    assert_int_equal(ask_only(e, "quick", 5001), LE_ERR_NO_CANDIDATE);
    must_be_left_out(e, "quick", 5001, "in size class");
    le_close(&e);
}

enum { DB_PATH = 64 };

static void no_database_yet(char db[DB_PATH]) {
    snprintf(db, DB_PATH, "/tmp/le_sizes_%d.sqlite3", (int)getpid());
    unlink(db);
}

/* In a process that has never timed it, what is claimed of a trusted candidate counts. */
static void who_was_never_timed_is_not_free(void **state) {
    char db[DB_PATH];
    (void)state;
    no_database_yet(db);
    for (int process = 0; process < 2; process++) {
        le_implementation all[] = {toy_reference, like_c("quick", waits), like_c("c", waits_long)};
        all[0].range = waits_long;
        le_engine *e = open_with(db, all, 3);
        second_answers = 0;
        assert_int_equal(ask_only(e, "quick", 8000), LE_OK);
        assert_int_equal(second_answers, process ? 0 : 1);
        le_close(&e);
    }
    unlink(db);
}

static void writes_behind_its_output(void **state) {
    static const struct {
        const char *trials, *reason;
    } rows[] = {{"fork", "reached behind its output"}, {"spawn", "wrote behind its output"}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        le_implementation all[] = {toy_reference, like_c("quick", writes_behind_from_5000), toy_c};
        setenv("LE_TRIALS", rows[i].trials, 1);
        le_engine *e = open_with(NULL, all, 3);
        ask_often(e, 4000, LE_MODE_LEARN);
        assert_true(ask(e, 6000, LE_MODE_LEARN));
        must_be_left_out(e, "quick", 6000, rows[i].reason);
        le_close(&e);
    }
    unsetenv("LE_TRIALS");
}

static void forget(le_engine *e, int64_t n) {
    static float in[MOST];
    le_tensor input = le_tensor_of(in, LE_F32, 1, &n), result = {0};
    const le_arg args[] = {LE_IN("input", &input), LE_F64("factor", 2), LE_OUT("result", &result)};
    assert_int_equal(le_bench_forget(e, "toy", args, 3), LE_OK);
}

static le_status ask_within(le_engine *e, const char *name, double tolerance) {
    static float in[6000], out[6000];
    int64_t n = 6000;
    for (int64_t i = 0; i < n; i++)
        in[i] = (float)(i % 17) - 8;
    le_tensor input = le_tensor_of(in, LE_F32, 1, &n), result = le_tensor_of(out, LE_F32, 1, &n);
    return le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                         LE_OUT("result", &result), LE_OPT_IMPLEMENTATION(name),
                         LE_OPT_ATOL(tolerance));
}

/* What one call refuses for its error another one may allow, before and after, in this process and
 * by what an earlier one has stored. */
static void who_is_inexact_answers_who_allows_it(void **state) {
    static const double strict = 1e-5, close = 5e-3, loose = 0.02;
    static const double asked[][4] = {
        {strict}, {close, strict, loose, close}, {strict, loose, strict, loose}};
    char db[DB_PATH];
    (void)state;
    no_database_yet(db);
    for (int process = 0; process < 3; process++) {
        le_implementation all[] = {toy_reference, like_c("inexact", inexact_from_5000), toy_c};
        le_engine *e = open_with(db, all, 3);
        for (int k = 0; k < 4 && asked[process][k] > 0; k++)
            assert_int_equal(ask_within(e, "inexact", asked[process][k]),
                             asked[process][k] == loose ? LE_OK : LE_ERR_NO_CANDIDATE);
        le_close(&e);
    }
    unlink(db);
}

/* Neither agreeing with one that is, nor being near enough once makes it exact. */
static void who_is_like_an_inexact_one_is_no_better(void **state) {
    (void)state;
    for (int alike = 0; alike < 2; alike++) {
        le_implementation all[] = {toy_reference, like_c("quick", inexact_from_5000),
                                   like_c("c", alike ? inexact_from_5000 : toy_range)};
        all[0].range = waits_long;
        le_engine *e = open_with(NULL, all, 3);
        assert_int_equal(ask_within(e, "c", 0.02), LE_OK);
        assert_int_equal(ask_within(e, "quick", 0.02), LE_OK);
        assert_int_equal(ask_within(e, "quick", 1e-5), LE_ERR_NO_CANDIDATE);
        assert_true(ask(e, 6000, LE_MODE_LEARN));
        le_close(&e);
    }
}

/* A verdict outlives what it came from, until somebody asks for another. */
static void what_failed_is_tried_again_when_asked_for(void **state) {
    static const struct {
        bool *fault;
        const char *reason;
    } rows[] = {{&is_wrong, "exceeds the tolerance"}, {&is_broken, "quarantined: crashed"}};
    static const struct {
        bool fault, asked_for, left_out;
    } processes[] = {{true, false, true},
                     {false, false, true},
                     {true, true, true},
                     {false, true, false},
                     {false, false, false}};
    char db[DB_PATH];
    (void)state;
    for (int i = 0; i < 2; i++) {
        le_implementation all[] = {toy_reference, like_c("quick", wrong_or_broken_at_times), toy_c};
        no_database_yet(db);
        for (int k = 0; k < 5; k++) {
            le_engine *e = open_with(db, all, 3);
            *rows[i].fault = processes[k].fault;
            if (processes[k].asked_for)
                forget(e, 6000);
            assert_true(ask(e, 6000, LE_MODE_MEASURE));
            if (!processes[k].left_out)
                assert_int_equal(ask_only(e, "quick", 6000), LE_OK);
            else
                must_be_left_out(e, "quick", 6000, rows[i].reason);
            le_close(&e);
        }
    }
    unlink(db);
}

static int process(const char *db, int64_t n, const char *reason) {
    int status = 0;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        le_implementation all[] = {toy_reference, like_c("quick", crashes_from_5000), toy_c};
        le_engine *e = open_with(db, all, 3);
        for (int k = 0; k < 10; k++)
            if (!ask(e, 4000, LE_MODE_LEARN) || (n && !ask(e, n, LE_MODE_LEARN)))
                _exit(3);
        if (n)
            must_be_left_out(e, "quick", n, reason);
        le_close(&e);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

/* A child, where there may be one, else one process. */
static void crashes_one_process_only(void **state) {
    char db[DB_PATH];
    (void)state;
    no_database_yet(db);
    assert_int_equal(process(db, 0, ""), 0);
    assert_int_equal(process(db, 6000, "crashed"), 0);
    unlink(db);
    setenv("LE_TRIALS", "spawn", 1);
    assert_int_equal(process(db, 0, ""), 0);
    assert_true(WIFSIGNALED(process(db, 6000, "")));
    assert_int_equal(process(db, 6000, "an earlier process ended"), 0);
    unsetenv("LE_TRIALS");
    unlink(db);
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of each size that is larger by an eighth, once, and of others within a twentieth of the time. */
static void growing_sizes_cost_few_second_answers(void **state) {
    char db[DB_PATH];
    (void)state;
    no_database_yet(db);
    for (int process = 0; process < 2; process++) {
        le_implementation all[] = {toy_reference, like_c("quick", NULL), like_c("c", counted)};
        all[1].run = slow;
        all[1].items = NULL;
        all[1].speed = 10;
        all[0].range = counted;
        le_engine *e = open_with(db, all, 3);
        assert_true(ask(e, 4000, LE_MODE_ESTIMATE));
        second_answers = 0;
        double start = seconds_now();
        for (int64_t n = 4000; n < 16000; n += process ? 60 : 40)
            assert_true(ask(e, n, LE_MODE_ESTIMATE));
        double earned = 0.01 + 0.05 * (seconds_now() - start); /* a second answer takes 1 ms */
        print_message("%d second answers, %g s earned\n", (int)second_answers, earned);
        assert_true(second_answers >= 3 || (process && LE__SANITIZED)); /* too slow to be earned */
        assert_true(second_answers <= 2 + 1000 * earned + (process ? 0 : 13));
        le_close(&e);
    }
    unlink(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(right_at_4000_and_wrong_at_6000),
                                       cmocka_unit_test(two_that_are_wrong_alike),
                                       cmocka_unit_test(alike_beside_a_hindered_reference),
                                       cmocka_unit_test(another_size_below_the_largest),
                                       cmocka_unit_test(a_second_answer_takes_what_was_measured),
                                       cmocka_unit_test(who_was_never_timed_is_not_free),
                                       cmocka_unit_test(writes_behind_its_output),
                                       cmocka_unit_test(who_is_inexact_answers_who_allows_it),
                                       cmocka_unit_test(who_is_like_an_inexact_one_is_no_better),
                                       cmocka_unit_test(crashes_one_process_only),
                                       cmocka_unit_test(what_failed_is_tried_again_when_asked_for),
                                       cmocka_unit_test(growing_sizes_cost_few_second_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
