/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Who may answer a call: each layout asks anew, what the caller or a moment's lack of memory is to
 * blame for is not held against an implementation, what breaks things answers nowhere, and what a
 * call forces goes before what its engine is told to use, and that before variables.
 */
#include "liquid_engine/le_bench.h"
#include "toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = 6000 };

static float input[2 * N], output[2 * N];

static le_engine *open_for(const le_operation *operation, const le_implementation *impl, size_t n) {
    le_options o;
    le_engine *e = NULL;
    le_default_options(&o);
    o.db_path = ":memory:";
    o.devices = "cpu";
    o.threads = 2;
    assert_int_equal(le_open(&e, &o), LE_OK);
    assert_int_equal(le_register_operation(e, operation), LE_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(le_register_implementation(e, &impl[i]), LE_OK);
    return e;
}

static le_engine *open_with(const le_implementation *impl, size_t n) {
    return open_for(&toy_operation, impl, n);
}

static le_implementation quick_by(le_range_fn range) {
    le_implementation quick = toy_c;
    quick.name = "quick";
    quick.run_type = "simd";
    quick.flags = LE_IMPL_SERIAL;
    quick.speed = 50;
    quick.range = range;
    return quick;
}

/* The status of a call; *who: which implementation answered. */
static le_status ask(le_engine *e, const le_tensor *in, le_tensor *out, le_mode mode,
                     const char *implementation, char who[16]) {
    le_run_info info = {.struct_size = sizeof info};
    le_status status =
        le_engine_run(e, "toy", LE_IN("input", in), LE_F64("factor", 2), LE_OUT("result", out),
                      LE_OPT_MODE(mode), LE_OPT_IMPLEMENTATION(implementation));
    le_last_run(&info);
    snprintf(who, 16, "%.*s", (int)strcspn(info.candidate, "@"), info.candidate);
    return status;
}

/* An answer to n numbers in a row, looked at. */
static void ask_row(le_engine *e, int64_t n, le_mode mode, char who[16]) {
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = le_tensor_of(output, LE_F32, 1, &n);
    memset(output, 0, sizeof output);
    if (ask(e, &in, &out, mode, NULL, who) != LE_OK)
        fail_msg("%s", le_error_message());
    for (int64_t i = 0; i < n; i++)
        assert_true(output[i] == 2 * input[i]);
}

/* --- layouts --- */

static bool has_dense_rows(const le_call *call, const char **why) {
    const le_tensor *in = le_call_in(call, TOY_INPUT);
    *why = "the rows have gaps";
    return in->strides[in->ndim - 1] == 1;
}

static le_status by_dense_rows(le_call *call) {
    const le_tensor *in = le_call_in(call, TOY_INPUT);
    float *out = le_call_out(call, TOY_RESULT)->data;
    const int64_t columns = in->shape[in->ndim - 1], rows = in->ndim > 1 ? in->shape[0] : 1;
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++)
            *out++ = (float)le_call_f64(call, TOY_FACTOR) *
                     ((const float *)in->data)[r * in->strides[0] + c];
    return LE_OK;
}

/* Both are views, of the same shape: with rows that are padded, and of each second column. */
static void each_layout_asks_who_takes_it(void **state) {
    enum { ROWS = 30, COLUMNS = 40 };
    const int64_t shape[] = {ROWS, COLUMNS};
    (void)state;
    for (le_mode mode = LE_MODE_LEARN; mode <= LE_MODE_MEASURE; mode++) {
        le_implementation quick = quick_by(NULL);
        quick.items = NULL;
        quick.run = by_dense_rows;
        quick.applicable = has_dense_rows;
        le_implementation all[] = {toy_reference, toy_c, quick};
        le_engine *e = open_with(all, 3);
        le_tensor in = le_tensor_of(input, LE_F32, 2, shape);
        le_tensor out = le_tensor_of(output, LE_F32, 2, shape);
        in.strides[0] = 2 * COLUMNS;
        for (int k = 0; k < 12; k++) {
            char who[16];
            in.strides[1] = k < 6 ? 1 : 2;
            assert_int_equal(ask(e, &in, &out, mode, NULL, who), LE_OK);
            for (int i = 0; i < ROWS * COLUMNS; i++)
                assert_true(output[i] ==
                            2 * input[i / COLUMNS * in.strides[0] + i % COLUMNS * in.strides[1]]);
        }
        le_close(&e);
    }
}

static bool has_dense_result(const le_call *call, const char **why) {
    *why = "the result has gaps";
    return le_tensor_is_contiguous(le_call_out(call, TOY_RESULT));
}

/* What implementations write is always row by row, wherever it goes then. */
static void results_with_gaps_are_as_others(void **state) {
    int64_t n = N;
    char who[16];
    (void)state;
    le_implementation quick = quick_by(toy_range);
    quick.applicable = has_dense_result;
    le_implementation all[] = {toy_reference, toy_c, quick};
    le_engine *e = open_with(all, 3);
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = le_tensor_of(output, LE_F32, 1, &n);
    for (out.strides[0] = 2; out.strides[0] > 0; out.strides[0]--) {
        assert_int_equal(ask(e, &in, &out, LE_MODE_LEARN, "quick", who), LE_OK);
        for (int i = 0; i < N; i++)
            assert_true(output[i * out.strides[0]] == 2 * input[i]);
    }
    le_close(&e);
}

/* --- who is to blame --- */

static le_status refuse_negative(le_call *call, void **context) {
    *context = call;
    return ((const float *)le_call_in(call, TOY_INPUT)->data)[0] < 0
               ? le_fail(LE_ERR_DATA, "toy: a negative number")
               : LE_OK;
}

static void bad_data_are_their_givers_fault(void **state) {
    static float bad[N];
    int64_t n = N;
    char who[16];
    (void)state;
    for (le_mode mode = LE_MODE_LEARN; mode <= LE_MODE_MEASURE; mode++) {
        le_implementation all[] = {toy_reference, toy_c, quick_by(toy_range)};
        for (int i = 0; i < 3; i++)
            all[i].prepare = refuse_negative;
        le_engine *e = open_with(all, 3);
        le_tensor in = le_tensor_of(bad, LE_F32, 1, &n), out = le_tensor_of(output, LE_F32, 1, &n);
        for (int k = 0; k < 6; k++) {
            bad[0] = k % 3 ? 1 : -1;
            assert_int_equal(ask(e, &in, &out, mode, "c", who), k % 3 ? LE_OK : LE_ERR_DATA);
        }
        le_close(&e);
    }
}

static bool memory_is_short;

static le_status need_memory(le_call *call, void **context) {
    *context = call;
    return memory_is_short ? le_fail(LE_ERR_MEMORY, "toy: no memory for scratch") : LE_OK;
}

/* At once where there is nobody else, else after a second. */
static void who_was_short_of_memory_is_asked_again(void **state) {
    int64_t n = N;
    char who[16];
    (void)state;
    le_implementation quick = quick_by(toy_range), all[] = {quick, toy_c};
    all[0].prepare = need_memory;
    for (size_t others = 0; others < 2; others++) {
        le_engine *e = open_with(all, 1 + others);
        le_tensor in = le_tensor_of(input, LE_F32, 1, &n);
        le_tensor out = le_tensor_of(output, LE_F32, 1, &n);
        ask_row(e, N, LE_MODE_ESTIMATE, who);
        assert_string_equal(who, "quick");
        memory_is_short = true;
        le_status status = ask(e, &in, &out, LE_MODE_ESTIMATE, NULL, who);
        memory_is_short = false;
        if (others) {
            assert_int_equal(status, LE_OK);
            assert_string_equal(who, "c");
            nanosleep(&(struct timespec){1, 100000000}, NULL);
            for (int k = 0; k < 1000 && !strcmp(who, "c"); k++) /* a known choice stays a while */
                ask_row(e, N, LE_MODE_ESTIMATE, who);
        } else {
            assert_int_equal(status, LE_ERR_NO_CANDIDATE);
            assert_non_null(strstr(le_error_message(), "no memory for scratch"));
            ask_row(e, N, LE_MODE_ESTIMATE, who);
        }
        assert_string_equal(who, "quick");
        le_close(&e);
    }
}

static _Atomic int *said; /* how often something was told, in all processes */

static le_status need_memory_in_trials(le_call *call, void **context) {
    *context = call;
    if (!memory_is_short)
        return LE_OK;
    ++*said;
    return le_fail(LE_ERR_MEMORY, "toy: no memory for scratch");
}

/* Longer than what a first run of the others may wait for a core on a busy machine, which in
 * estimate, where nobody explores, would stand for their time. */
static void wait_a_little(void *context, size_t begin, size_t end, int worker) {
    nanosleep(&(struct timespec){0, 2000000}, NULL);
    toy_range(context, begin, end, worker);
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const char *who_of(le_engine *e, int64_t n, le_mode mode, char who[16]) {
    ask_row(e, n, mode, who);
    return who;
}

/* Asks again once the pause of who lacked memory is over, until quick answers. */
static void ask_until_quick(le_engine *e, le_mode mode, char who[16]) {
    double until = seconds_now() + 30;
    nanosleep(&(struct timespec){1, 100000000}, NULL);
    for (int k = 0; strcmp(who, "quick") != 0 && seconds_now() < until; k++)
        ask_row(e, N - k % 4, mode, who);
}

/* A trial that had no memory has shown nothing. It is made again, by whatever call comes a second
 * later, and before that by one that nobody else may answer. */
static void a_trial_without_memory_is_made_again(void **state) {
    static const le_mode modes[] = {LE_MODE_LEARN, LE_MODE_ESTIMATE, LE_MODE_MEASURE};
    char who[16];
    (void)state;
    for (size_t i = 0; i < 2 * sizeof modes / sizeof *modes; i++) {
        le_mode mode = modes[i / 2];
        bool forced = i % 2;
        le_implementation all[] = {toy_reference, toy_c, quick_by(toy_range)};
        int64_t n = N;
        all[1].range = wait_a_little;
        all[2].prepare = need_memory_in_trials;
        le_engine *e = open_with(all, 3);
        le_tensor in = le_tensor_of(input, LE_F32, 1, &n),
                  out = le_tensor_of(output, LE_F32, 1, &n);
        double start = seconds_now();
        *said = 0;
        memory_is_short = true;
        for (int k = 0; k < 20; k++)
            assert_string_not_equal(who_of(e, N - k % 4, mode, who), "quick");
        assert_in_range(*said, 1, 1 + (int)(seconds_now() - start));
        if (forced) {
            int before = *said;
            assert_int_equal(ask(e, &in, &out, mode, "quick", who), LE_ERR_NO_CANDIDATE);
            assert_non_null(strstr(le_error_message(), "no memory for scratch"));
            assert_in_range(*said, before + 1, before + 2); /* in a race, and to answer */
        }
        memory_is_short = false;
        if (forced)
            assert_int_equal(ask(e, &in, &out, mode, "quick", who), LE_OK);
        else
            ask_until_quick(e, mode, who);
        assert_string_equal(who, "quick");
        le_close(&e);
    }
}

enum { SAMPLES = 1000 }; /* trials are smaller */

static le_status need_memory_in_samples(le_call *call, void **context) {
    *context = call;
    return memory_is_short && toy_items(call) < SAMPLES
               ? le_fail(LE_ERR_MEMORY, "toy: no memory for scratch")
               : LE_OK;
}

static le_status no_memory_for_samples(le_case *c, const le_case_request *r) {
    return memory_is_short ? le_fail(LE_ERR_MEMORY, "toy: no memory for a sample")
                           : toy_operation.make_case(c, r);
}

/* What there was no memory to compare with, or to try it on, is not taken for right. */
static void a_sample_without_memory_proves_nothing(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        char who[16];
        const bool no_sample = k % 2;
        le_mode mode = k / 2 ? LE_MODE_LEARN : LE_MODE_ESTIMATE;
        le_operation operation = toy_operation;
        le_implementation all[] = {toy_reference, quick_by(toy_range)};
        all[0].range = wait_a_little;
        if (no_sample)
            operation.make_case = no_memory_for_samples;
        else
            all[0].prepare = need_memory_in_samples;
        le_engine *e = open_for(&operation, all, 2);
        memory_is_short = true;
        for (int i = 0; i < 20; i++)
            assert_string_equal(who_of(e, N - i % 4, mode, who), "reference");
        memory_is_short = false;
        ask_until_quick(e, mode, who);
        assert_string_equal(who, "quick");
        le_close(&e);
    }
}

static le_status says;    /* of those from so many items on */
static int64_t says_from; /* 0: in trials, too */

static le_status say_it(le_call *call, void **context) {
    *context = call;
    if ((int64_t)toy_items(call) < says_from)
        return LE_OK;
    ++*said;
    return le_fail(says, "toy: so it says");
}

/* Nobody has ended the call, no device is lost, and files and names are none of its business. */
static void what_it_cannot_know_is_not_believed(void **state) {
    static const le_status all_said[] = {LE_ERR_CANCELLED, LE_ERR_DEVICE_LOST, LE_ERR_IO,
                                         LE_ERR_UNKNOWN};
    (void)state;
    for (size_t i = 0; i < 4 * sizeof all_said / sizeof *all_said; i++) {
        char who[16];
        le_implementation all[] = {toy_reference, toy_c, quick_by(toy_range)};
        all[2].prepare = say_it;
        says = all_said[i / 4];
        says_from = i % 4 / 2 ? 0 : 4000;
        *said = 0;
        le_engine *e = open_with(all, 3);
        for (int k = 0; k < 8; k++) {
            ask_row(e, N - k / 4, i % 2 ? LE_MODE_LEARN : LE_MODE_MEASURE, who);
            assert_string_not_equal(who, "quick");
        }
        assert_in_range(*said, 1, 20);
        le_close(&e);
    }
}

/* The reference takes what it refuses. */
static void who_refuses_good_data_does_not_answer(void **state) {
    static const le_status all_said[] = {LE_ERR_DATA, LE_ERR_ARGUMENT, LE_ERR_SHAPE, LE_ERR_DTYPE};
    static const le_mode modes[] = {LE_MODE_LEARN, LE_MODE_MEASURE, LE_MODE_ESTIMATE};
    (void)state;
    for (size_t i = 0; i < 3 * sizeof all_said / sizeof *all_said; i++) {
        char who[16];
        le_implementation all[] = {toy_reference, toy_c, quick_by(toy_range)};
        all[1].range = wait_a_little;
        all[2].prepare = say_it;
        says = all_said[i / 3];
        says_from = INT64_MAX;
        *said = 0;
        le_engine *e = open_with(all, 3);
        for (int k = 0; k < 40 && i % 2; k++) /* it may have become the known choice */
            ask_row(e, 5000, modes[i % 3], who);
        says_from = 3900;
        ask_row(e, 5000, modes[i % 3], who);
        assert_string_not_equal(who, "quick");
        /* in the child of a first run, too; again after a race's run that was told to end */
        int first = *said;
        assert_in_range(first, 1, modes[i % 3] == LE_MODE_MEASURE ? 4 : 2);
        for (int k = 0; k < 8; k++) {
            ask_row(e, 5000 - k / 2 * 500, modes[i % 3], who);
            assert_string_not_equal(who, "quick");
        }
        assert_int_equal(*said, first);
        le_close(&e);
    }
}

/* --- calls within calls --- */

static le_engine *asked_engine;
static le_mode asked_mode;

static le_status asks_itself(le_call *call) {
    const le_tensor *result = le_call_out(call, TOY_RESULT);
    le_tensor in = *le_call_in(call, TOY_INPUT), out = {0};
    ++*said;
    le_status status = le_engine_run(asked_engine, "toy", LE_IN("input", &in),
                                     LE_F64("factor", le_call_f64(call, TOY_FACTOR)),
                                     LE_OUT("result", &out), LE_OPT_MODE(asked_mode));
    if (status == LE_OK)
        memcpy(result->data, out.data, (size_t)le_tensor_count(result) * sizeof(float));
    le_tensor_free(&out);
    return status;
}

/* It would wait for its own race, or go on without an end. */
static void who_asks_itself_is_no_trap(void **state) {
    static const le_mode modes[] = {LE_MODE_LEARN, LE_MODE_MEASURE, LE_MODE_ESTIMATE};
    static const char *const trials[] = {"spawn", "fork"};
    (void)state;
    setenv("LE_TRIAL_LIMIT", "0.5", 1);
    for (size_t i = 0; i < 2 * sizeof modes / sizeof *modes; i++) {
        char who[16];
        le_implementation all[] = {toy_reference, toy_c, quick_by(NULL)};
        all[2].items = NULL;
        all[2].run = asks_itself;
        setenv("LE_TRIALS", trials[i % 2], 1);
        *said = 0;
        asked_mode = modes[i / 2];
        asked_engine = open_with(all, 3);
        for (int k = 0; k < 8; k++)
            ask_row(asked_engine, 5000 - k / 4, asked_mode, who);
        assert_in_range(*said, 1, 200);
        le_close(&asked_engine);
    }
    unsetenv("LE_TRIALS");
    unsetenv("LE_TRIAL_LIMIT");
}

static bool strays;

static void strays_at_4000(void *context, size_t begin, size_t end, int worker) {
    const le_tensor *out = le_call_out(context, TOY_RESULT);
    toy_range(context, begin, end, worker);
    if (strays && out->shape[0] == 4000 && end == 4000)
        ((float *)out->data)[end] = 1;
}

static void what_breaks_things_answers_nowhere(void **state) {
    char who[16];
    (void)state;
    le_implementation all[] = {toy_reference, toy_c, quick_by(strays_at_4000)};
    le_engine *e = open_with(all, 3);
    strays = false;
    for (int k = 0; k < 500; k++) /* until it is a known choice */
        ask_row(e, 5000, LE_MODE_ESTIMATE, who);
    assert_string_equal(who, "quick");
    strays = true;
    ask_row(e, 4000, LE_MODE_ESTIMATE, who);
    assert_string_not_equal(who, "quick");
    ask_row(e, 5000, LE_MODE_ESTIMATE, who);
    assert_string_not_equal(who, "quick");
    le_close(&e);
}

static _Atomic size_t done; /* items of the run under way */

static void in_order(void *context, size_t begin, size_t end, int worker) {
    toy_reference.range(context, begin, end, worker);
    if (begin != (begin ? done : 0))
        ((float *)le_call_out(context, TOY_RESULT)->data)[begin] += 1;
    done = end;
}

/* Its parts come one after the other, or who is compared with it would be at fault. */
static void a_serial_reference_is_run_serially(void **state) {
    char who[16];
    (void)state;
    le_implementation all[] = {toy_reference, toy_c};
    all[0].range = in_order;
    all[0].flags |= LE_IMPL_SERIAL;
    le_engine *e = open_with(all, 2);
    for (int64_t n = 1000; n < N; n += 1000) {
        ask_row(e, n, LE_MODE_LEARN, who);
        assert_string_equal(who, "c");
    }
    le_close(&e);
}

/* --- what an engine is told --- */

/* A choice among some is none for an engine that may use all. */
static void choices_say_what_was_forced(void **state) {
    char db[64], who[16];
    (void)state;
    snprintf(db, sizeof db, "/tmp/le_who_answers_%d.sqlite3", (int)getpid());
    unlink(db);
    for (int forced = 1; forced >= 0; forced--) {
        le_options o;
        le_engine *e = NULL;
        le_default_options(&o);
        o.db_path = db;
        o.devices = "cpu";
        o.run_type = forced ? "c" : NULL;
        assert_int_equal(le_open(&e, &o), LE_OK);
        assert_int_equal(le_register_operation(e, &toy_operation), LE_OK);
        assert_int_equal(le_register_implementation(e, &toy_reference), LE_OK);
        assert_int_equal(le_register_implementation(e, &toy_c), LE_OK);
        le_implementation quick = quick_by(toy_range);
        assert_int_equal(le_register_implementation(e, &quick), LE_OK);
        int64_t n = N;
        le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = {0};
        const le_arg args[] = {LE_IN("input", &in), LE_F64("factor", 2), LE_OUT("result", &out),
                               LE_OPT_MODE(LE_MODE_MEASURE)};
        for (int k = 0; forced && k < 2; k++) {
            ask_row(e, N, LE_MODE_MEASURE, who);
            assert_string_equal(who, "c");
        }
        bool stored = le_bench_is_known(e, "toy", args, 4);
        assert_true((stored || le_bench_is_under_load(e, "toy", args, 4)) == forced);
        le_close(&e);
    }
    unlink(db);
}

/* --- what is forced --- */

typedef struct wish {
    const char *run_type, *implementation;
} wish;

static const wish wishes[] = {{"reference", NULL}, {NULL, "reference"}, {"c", NULL},
                              {NULL, "c"},         {"simd", NULL},      {NULL, "quick"}};

static const char *name_of(const wish *w) {
    return w->implementation              ? w->implementation
           : !strcmp(w->run_type, "simd") ? "quick"
                                          : w->run_type;
}

static void set_variables(const wish *w) {
    if (w && w->run_type)
        setenv("LE_RUN_TYPE", w->run_type, 1);
    if (w && w->implementation)
        setenv("LE_IMPLEMENTATION", w->implementation, 1);
}

/* Of a new engine, so that nothing is proven yet. options, call: NULL: these force nothing. */
static void expect_who(const wish *variables, const wish *options, const wish *call) {
    const le_implementation quick = quick_by(toy_range);
    const le_implementation *all[] = {&toy_reference, &toy_c, &quick};
    const wish *first = call ? call : options ? options : variables, none = {NULL, NULL};
    int64_t n = 100;
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = {0};
    le_run_info info = {.struct_size = sizeof info};
    le_options o;
    le_engine *e = NULL;
    set_variables(variables);
    le_default_options(&o);
    o.db_path = ":memory:";
    o.run_type = options ? options->run_type : NULL;
    o.implementation = options ? options->implementation : NULL;
    assert_int_equal(le_open(&e, &o), LE_OK);
    unsetenv("LE_RUN_TYPE");
    unsetenv("LE_IMPLEMENTATION");
    assert_int_equal(le_register_operation(e, &toy_operation), LE_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(le_register_implementation(e, all[i]), LE_OK);
    call = call ? call : &none;
    if (le_engine_run(e, "toy", LE_IN("input", &in), LE_F64("factor", 2), LE_OUT("result", &out),
                      LE_OPT_RUN_TYPE(call->run_type),
                      LE_OPT_IMPLEMENTATION(call->implementation)) != LE_OK)
        fail_msg("%s was forced: %s", name_of(first), le_error_message());
    le_last_run(&info);
    assert_true(strcspn(info.candidate, "@") == strlen(name_of(first)));
    assert_memory_equal(info.candidate, name_of(first), strlen(name_of(first)));
    le_tensor_free(&out);
    le_close(&e);
}

static void calls_force_before_engines_before_variables(void **state) {
    enum { N_WISHES = sizeof wishes / sizeof *wishes };
    (void)state;
    for (int a = 0; a < N_WISHES; a++)
        for (int apart = 1; apart < 4; apart += 2) { /* a run type, and an implementation */
            const wish *w = &wishes[a], *other = &wishes[(a + apart) % N_WISHES];
            expect_who(w, NULL, other);
            expect_who(w, other, NULL);
            expect_who(NULL, w, other);
        }
}

int main(void) {
    for (int i = 0; i < 2 * N; i++)
        input[i] = (float)(i % 101);
    said = mmap(NULL, sizeof *said, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (said == MAP_FAILED)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_layout_asks_who_takes_it),
        cmocka_unit_test(results_with_gaps_are_as_others),
        cmocka_unit_test(bad_data_are_their_givers_fault),
        cmocka_unit_test(who_was_short_of_memory_is_asked_again),
        cmocka_unit_test(a_trial_without_memory_is_made_again),
        cmocka_unit_test(a_sample_without_memory_proves_nothing),
        cmocka_unit_test(what_it_cannot_know_is_not_believed),
        cmocka_unit_test(who_refuses_good_data_does_not_answer),
        cmocka_unit_test(who_asks_itself_is_no_trap),
        cmocka_unit_test(what_breaks_things_answers_nowhere),
        cmocka_unit_test(a_serial_reference_is_run_serially),
        cmocka_unit_test(choices_say_what_was_forced),
        cmocka_unit_test(calls_force_before_engines_before_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
