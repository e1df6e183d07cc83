/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Choosing in its modes, tolerance as a constraint, what the database keeps, errors of a call.
 */
#include "benchdb.h"
#include "toy.h"

#include "choose/observe.h"
#include "choose/race.h"
#include "core/clock.h"
#include "core/os.h"
#include "engine.h"
#include "liquid_engine/le_bench.h"

#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = 20000 };

static _Atomic int runs_of_fast;

static void nap(long ns) {
    struct timespec t = {0, ns};
    nanosleep(&t, NULL);
}

static void slow_range(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    nap(15000000); /* far beyond what a sanitizer costs the others */
}

static void fast_range(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    runs_of_fast++;
}

/* Off by 3e-6 of the largest value: within the default tolerance, not within a strict one. */
static void rough_range(void *context, size_t begin, size_t end, int worker) {
    toy_range(context, begin, end, worker);
    float *out = le_call_out(context, TOY_RESULT)->data;
    for (size_t i = begin; i < end; i++)
        out[i] += 1.5e-5f;
}

/* As long as a worker may need to wake, and no longer again. */
static _Atomic int runs_of_late;

static void brief_range(void *context, size_t begin, size_t end, int worker) {
    const le_call *call = context;
    (void)worker;
    const le_tensor *in = le_call_in(call, TOY_INPUT), *out = le_call_out(call, TOY_RESULT);
    float factor = (float)le_call_f64(call, TOY_FACTOR),
          offset = (float)le_call_f64(call, TOY_OFFSET);
    if (in->dtype != LE_F32 || out->dtype != LE_F32) {
        toy_range(context, begin, end, worker);
        return;
    }
    for (size_t i = begin; i < end; i++)
        ((float *)out->data)[i] = factor * ((const float *)in->data)[i] + offset;
}

static void late_range(void *context, size_t begin, size_t end, int worker) {
    if (begin == 0 && runs_of_late++ == 0)
        nap(300000);
    brief_range(context, begin, end, worker);
}

static void steady_range(void *context, size_t begin, size_t end, int worker) {
    for (double until = le__now() + 15e-6; le__now() < until;)
        ;
    brief_range(context, begin, end, worker);
}

/* Other processes on the same core have most of its first run. */
static _Atomic int runs_of_crowded;

enum { OTHERS = 3 };

typedef struct signs {
    _Atomic int wanted, over;
} signs;

static signs *others; /* shared with them */

static void stay_on(int cpu) {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET((size_t)cpu, &here);
    sched_setaffinity(0, sizeof here, &here);
}

static void be_another(int cpu, pid_t parent) {
    stay_on(cpu);
    while (!others->over && getppid() == parent) /* a failed test tells nobody */
        if (!others->wanted)
            nap(200000);
    _exit(0);
}

/* Waits for the core for 30 ms, where the machine says how long that is. */
static bool crowd(int cpu) {
    cpu_set_t before;
    double waited = le__os_waited(), until = le__now() + 0.09;
    sched_getaffinity(0, sizeof before, &before);
    stay_on(cpu);
    others->wanted = 1;
    while (le__os_waited() - waited < 0.03 && le__now() < until)
        sched_yield();
    others->wanted = 0;
    sched_setaffinity(0, sizeof before, &before);
    return le__now() < until;
}

static int crowded_cpu;

static void crowded_range(void *context, size_t begin, size_t end, int worker) {
    if (runs_of_crowded++ == 0)
        crowd(crowded_cpu);
    brief_range(context, begin, end, worker);
}

static const le_implementation slow = {.abi = LE_METHOD_ABI,
                                       .operation = "toy",
                                       .name = "slow",
                                       .run_type = "simd",
                                       .flags = LE_IMPL_SERIAL,
                                       .speed = 10,
                                       .items = toy_items,
                                       .range = slow_range};
static const le_implementation fast = {.abi = LE_METHOD_ABI,
                                       .operation = "toy",
                                       .name = "fast",
                                       .run_type = "simd",
                                       .flags = LE_IMPL_SERIAL,
                                       .speed = 5,
                                       .items = toy_items,
                                       .range = fast_range};
static const le_implementation rough = {.abi = LE_METHOD_ABI,
                                        .operation = "toy",
                                        .name = "rough",
                                        .run_type = "simd",
                                        .flags = LE_IMPL_SERIAL,
                                        .speed = 20,
                                        .items = toy_items,
                                        .range = rough_range};

static const le_implementation late = {.abi = LE_METHOD_ABI,
                                       .operation = "toy",
                                       .name = "late",
                                       .run_type = "simd",
                                       .speed = 10,
                                       .items = toy_items,
                                       .range = late_range};
static const le_implementation steady = {.abi = LE_METHOD_ABI,
                                         .operation = "toy",
                                         .name = "steady",
                                         .run_type = "simd",
                                         .flags = LE_IMPL_SERIAL,
                                         .speed = 20,
                                         .items = toy_items,
                                         .range = steady_range};

static const le_implementation crowded = {.abi = LE_METHOD_ABI,
                                          .operation = "toy",
                                          .name = "crowded",
                                          .run_type = "simd",
                                          .flags = LE_IMPL_SERIAL,
                                          .speed = 10,
                                          .items = toy_items,
                                          .range = crowded_range};

static float input[N];

static const char *run(le_engine *e, le_mode mode, double atol) {
    static le_run_info info;
    int64_t n = N;
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = {0};
    le_status status = le_engine_run(e, "toy", LE_IN("input", &in), LE_F64("factor", 2),
                                     LE_OUT("result", &out), LE_OPT_MODE(mode), LE_OPT_ATOL(atol));
    if (status != LE_OK)
        fail_msg("%s", le_error_message());
    for (int i = 0; i < N; i++)
        if (!(fabs((double)((float *)out.data)[i] - 2.0 * (double)input[i]) <= 1e-5 * 5))
            fail_msg("element %d is %g", i, (double)((float *)out.data)[i]);
    le_tensor_free(&out);
    info.struct_size = sizeof info;
    le_last_run(&info);
    return info.candidate;
}

static le_engine *open_pair(const char *db, le_mode mode) {
    le_engine *e = toy_open(db, mode);
    assert_non_null(e);
    assert_int_equal(le_register_implementation(e, &slow), LE_OK);
    assert_int_equal(le_register_implementation(e, &fast), LE_OK);
    return e;
}

static void path_of(char *out, size_t size, const char *name) {
    snprintf(out, size, "/tmp/le_dispatch_%s_%d.sqlite3", name, (int)getpid());
    unlink(out);
}

static void measure_finds_the_fast_one(void **state) {
    (void)state;
    le_engine *e = open_pair(NULL, LE_MODE_LEARN);
    const char *chosen = run(e, LE_MODE_MEASURE, 1e-5);
    assert_string_not_equal(chosen, "slow@cpu");
    assert_null(strstr(chosen, "reference"));
    le_close(&e);
}

/* A millisecond more than others that take microseconds is what a first run may cost: neither the
 * variant that had it nor those of the same code are left out for it. */
static void a_late_first_run_leaves_nobody_out(void **state) {
    (void)state;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    assert_non_null(e);
    assert_int_equal(le_register_implementation(e, &late), LE_OK);
    assert_int_equal(le_register_implementation(e, &steady), LE_OK);
    run(e, LE_MODE_MEASURE, 1e-5);
    assert_true(runs_of_late > 8);
    le_close(&e);
}

/* It takes hundreds of times as long as the best one's, and not by its own fault. */
static void a_first_run_without_a_core_leaves_nobody_out(void **state) {
    (void)state;
    pid_t pids[OTHERS], parent = getpid();
    others = mmap(NULL, sizeof *others, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(others, MAP_FAILED);
    crowded_cpu = sched_getcpu();
    for (int i = 0; i < OTHERS; i++)
        if ((pids[i] = fork()) == 0)
            be_another(crowded_cpu, parent);
    bool tells = crowd(crowded_cpu);
    if (tells) {
        le_engine *e = toy_open(NULL, LE_MODE_LEARN);
        assert_non_null(e);
        assert_int_equal(le_register_implementation(e, &crowded), LE_OK);
        assert_int_equal(le_register_implementation(e, &steady), LE_OK);
        run(e, LE_MODE_MEASURE, 1e-5);
        le_close(&e);
    }
    others->over = 1;
    for (int i = 0; i < OTHERS; i++)
        waitpid(pids[i], NULL, 0);
    munmap(others, sizeof *others);
    if (!tells)
        skip(); /* the machine does not say who waited */
    assert_true(runs_of_crowded > 8);
}

static void learn_finds_it_too(void **state) {
    (void)state;
    le_engine *e = open_pair(NULL, LE_MODE_LEARN);
    assert_string_equal(run(e, LE_MODE_LEARN, 1e-5), "slow@cpu"); /* the better claim comes first */
    int on_slow = 0;
    for (int i = 0; i < 60; i++)
        on_slow += !strcmp(run(e, LE_MODE_LEARN, 1e-5), "slow@cpu");
    assert_true(on_slow < 30);
    le_close(&e);
}

/* What is learnt may change threads and schedules, never the implementation. */
static void reproducible_calls_stay_with_one(void **state) {
    (void)state;
    le_engine *e = open_pair(NULL, LE_MODE_LEARN);
    int64_t n = N;
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = {0};
    const le_mode modes[] = {LE_MODE_LEARN, LE_MODE_MEASURE};
    for (int i = 0; i < 60; i++) {
        le_run_info info = {.struct_size = sizeof info};
        assert_int_equal(le_engine_run(e, "toy", LE_IN("input", &in), LE_F64("factor", 2),
                                       LE_OUT("result", &out), LE_OPT_MODE(modes[i % 2]),
                                       LE_OPT_REPRODUCIBLE()),
                         LE_OK);
        le_last_run(&info);
        assert_string_equal(info.candidate, "slow@cpu");
    }
    le_explanation *why;
    assert_int_equal(le_engine_explain(e, &why, "toy", LE_IN("input", &in), LE_F64("factor", 2),
                                       LE_OUT("result", &out), LE_OPT_REPRODUCIBLE()),
                     LE_OK);
    assert_string_equal(why->choice, "slow@cpu");
    assert_true(why->candidates[0].applicable && !why->candidates[1].applicable);
    assert_non_null(strstr(why->candidates[1].left_out, "reproducible"));
    le_explanation_free(&why);
    le_tensor_free(&out);
    le_close(&e);
}

static void estimate_measures_nothing(void **state) {
    (void)state;
    le_engine *e = open_pair(NULL, LE_MODE_LEARN);
    le_run_info info = {.struct_size = sizeof info};
    for (int i = 0; i < 10; i++) {
        run(e, LE_MODE_ESTIMATE, 1e-5);
        le_last_run(&info);
        assert_string_not_equal(info.why, "explore");
        assert_string_not_equal(info.why, "probe");
    }
    le_close(&e);
}

static void choices_survive_and_freeze(void **state) {
    (void)state;
    char db[128];
    path_of(db, sizeof db, "frozen");
    le_engine *e = open_pair(db, LE_MODE_LEARN);
    run(e, LE_MODE_MEASURE, 1e-5);
    le_close(&e);
    struct stat before, after;
    assert_int_equal(stat(db, &before), 0);
    e = open_pair(db, LE_MODE_FROZEN);
    for (int i = 0; i < 5; i++) {
        int runs = runs_of_fast;
        assert_string_not_equal(run(e, LE_MODE_FROZEN, 1e-5), "slow@cpu");
        assert_true(runs_of_fast - runs <= 1); /* the answer itself */
    }
    le_close(&e);
    assert_int_equal(stat(db, &after), 0);
    assert_int_equal(before.st_size, after.st_size);
    assert_int_equal(before.st_mtim.tv_sec, after.st_mtim.tv_sec);
    assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    unlink(db);
}

typedef bool (*ask_bench)(le_engine *e, const char *operation, const le_arg *args, size_t n);

static bool says(ask_bench ask, le_engine *e) {
    int64_t n = N;
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = {0};
    const le_arg args[] = {LE_IN("input", &in), LE_F64("factor", 2), LE_OUT("result", &out),
                           LE_OPT_ATOL(1e-5)};
    return ask(e, "toy", args, sizeof args / sizeof *args);
}

/* Calls have met with those only that seemed worth a run. On a busy machine the race's choice bears
 * its mark, or waits for trials that had no time. */
static void learnt_choices_are_measured(void **state) {
    (void)state;
    char db[128];
    path_of(db, sizeof db, "learnt");
    le_engine *e = open_pair(db, LE_MODE_LEARN);
    for (int i = 0; i < 60; i++)
        run(e, LE_MODE_LEARN, 1e-5);
    assert_false(says(le_bench_is_known, e));
    le_close(&e);
    bool known = false, marked = false;
    for (int process = 0; process < 2; process++) {
        e = open_pair(db, LE_MODE_MEASURE);
        assert_int_equal(says(le_bench_is_known, e), known);
        assert_int_equal(says(le_bench_is_under_load, e), marked);
        for (int k = 0; k < 20 && !known && (k == 0 || !marked); k++) {
            run(e, LE_MODE_MEASURE, 1e-5);
            known = says(le_bench_is_known, e);
            marked = says(le_bench_is_under_load, e);
        }
        assert_true(known || marked);
        le_close(&e);
    }
    unlink(db);
}

static void tolerance_is_a_constraint(void **state) {
    (void)state;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    assert_int_equal(le_register_implementation(e, &rough), LE_OK);
    assert_string_equal(run(e, LE_MODE_LEARN, 1e-5), "rough@cpu");
    for (int i = 0; i < 20; i++)
        assert_string_not_equal(run(e, LE_MODE_LEARN, 1e-7), "rough@cpu");
    le_close(&e);
}

static void unknown_database_folder(void **state) {
    (void)state;
    le_engine *e = open_pair("/proc/no/such/folder/t.sqlite3", LE_MODE_LEARN);
    run(e, LE_MODE_LEARN, 1e-5);
    le_close(&e);
}

static void outputs_stay_on_error(void **state) {
    (void)state;
    le_engine *e = toy_open(NULL, LE_MODE_LEARN);
    float result[4] = {7, 7, 7, 7};
    int64_t n = 4;
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = le_tensor_of(result, LE_F32, 1, &n);
    assert_int_equal(le_engine_run(e, "toy", LE_IN("input", &in), LE_F64("factor", 2),
                                   LE_OUT("result", &out), LE_OPT_DEVICE("opencl:77")),
                     LE_ERR_NO_CANDIDATE);
    for (int i = 0; i < 4; i++)
        assert_float_equal(result[i], 7, 0);
    le_close(&e);
}

static void default_engine(void **state) {
    (void)state;
    assert_non_null(le_engine_operation(NULL, "volume_render"));
    assert_null(le_engine_operation(NULL, "toy"));
    le_shutdown();
    le_shutdown();
}

static int warnings;

static void count_warnings(void *cookie, le_log_level level, const char *text) {
    (void)cookie;
    (void)text;
    warnings += level <= LE_LOG_WARNING;
}

/* Of seven elements it makes more than any machine has memory for. */
static le_status huge_check(le_call *call) {
    const le_tensor *in = le_call_in(call, TOY_INPUT);
    int64_t n = in->shape[0] == 7 ? INT64_C(1) << 44 : in->shape[0];
    return le_call_set_out(call, TOY_RESULT, in->dtype, 1, &n);
}

static size_t choices_in(const char *path) {
    le_db_options o = {.path = path};
    le_db *db = le_db_open(&o);
    le_db_knowledge *k = NULL;
    assert_int_equal(le_db_load(db, "huge", 0, &k), LE_DB_OK);
    size_t n = k->n_choices;
    le_db_knowledge_free(&k);
    le_db_close(&db);
    return n;
}

/* A race that nobody could run has chosen nobody. */
static void an_output_too_large_is_one_error(void **state) {
    (void)state;
    if (sizeof(size_t) < 8)
        skip(); /* no shape: its bytes cannot be counted */
    le_operation op = toy_operation;
    le_implementation reference = toy_reference, c = toy_c, other = toy_c;
    le_options o;
    le_engine *e;
    le_default_options(&o);
    char db[128];
    path_of(db, sizeof db, "huge");
    o.db_path = db;
    o.devices = "cpu";
    o.log = count_warnings;
    op.name = reference.operation = c.operation = other.operation = "huge";
    op.check = huge_check;
    other.name = "other";
    assert_int_equal(le_open(&e, &o), LE_OK);
    assert_int_equal(le_register_operation(e, &op), LE_OK);
    assert_int_equal(le_register_implementation(e, &reference), LE_OK);
    assert_int_equal(le_register_implementation(e, &c), LE_OK);
    assert_int_equal(le_register_implementation(e, &other), LE_OK);
    for (le_mode mode = LE_MODE_LEARN; mode <= LE_MODE_MEASURE; mode++) {
        int64_t n = 7;
        le_tensor in = le_tensor_of(input, LE_F32, 1, &n), result = {0};
        warnings = 0;
        assert_int_equal(le_engine_run(e, "huge", LE_IN("input", &in), LE_F64("factor", 2),
                                       LE_OUT("result", &result), LE_OPT_MODE(mode)),
                         LE_ERR_MEMORY);
        if (!strstr(le_error_message(), "output 'result'") ||
            !strstr(le_error_message(), "65536.0 GiB"))
            fail_msg("%s", le_error_message());
        assert_true(warnings <= (mode == LE_MODE_MEASURE)); /* a race's first and last */
        assert_null(result.data);
    }
    le_close(&e);
    assert_int_equal(choices_in(db), 0);
    unlink(db);
}

static bool takes_odd(const le_call *call, const char **why) {
    *why = "the count is even";
    return toy_items(call) % 2 == 1;
}

static _Atomic int even_runs;

static void odd_range(void *context, size_t begin, size_t end, int worker) {
    even_runs += toy_items(context) % 2 == 0;
    if (toy_items(context) % 2 == 1)
        toy_range(context, begin, end, worker);
}

/* Who cannot take a call is not asked for a second answer to it, either. */
static void second_answers_are_of_those_who_can(void **state) {
    (void)state;
    le_options o;
    le_engine *e = NULL;
    le_implementation odd = toy_c;
    odd.name = "odd";
    odd.speed = 50;
    odd.range = odd_range;
    odd.applicable = takes_odd;
    le_default_options(&o);
    o.db_path = ":memory:";
    o.devices = "cpu";
    o.log = count_warnings;
    assert_int_equal(le_open(&e, &o), LE_OK);
    assert_int_equal(le_register_operation(e, &toy_operation), LE_OK);
    assert_int_equal(le_register_implementation(e, &toy_reference), LE_OK);
    assert_int_equal(le_register_implementation(e, &odd), LE_OK);
    assert_int_equal(le_register_implementation(e, &fast), LE_OK);
    warnings = 0;
    even_runs = 0;
    for (int64_t n = N - 1; n <= N; n++) {
        le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = {0};
        const char *who = n < N ? "odd" : "fast";
        if (le_engine_run(e, "toy", LE_IN("input", &in), LE_F64("factor", 2),
                          LE_OUT("result", &out), LE_OPT_IMPLEMENTATION(who)) != LE_OK)
            fail_msg("%s: %s", who, le_error_message());
        le_tensor_free(&out);
    }
    assert_int_equal(even_runs, 0);
    assert_int_equal(warnings, 0);
    le_close(&e);
}

static bool takes_nothing(const le_call *call, const char **why) {
    (void)call;
    *why = NULL;
    return false;
}

/* Who says no without a word is left out all the same. */
static void an_unsaid_reason(void **state) {
    (void)state;
    int64_t n = N;
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = {0};
    le_implementation silent = toy_c;
    le_explanation *x = NULL;
    int found = 0;
    silent.name = "silent";
    silent.speed = 50;
    silent.applicable = takes_nothing;
    le_engine *e = open_pair(NULL, LE_MODE_LEARN);
    assert_int_equal(le_register_implementation(e, &silent), LE_OK);
    if (strstr(run(e, LE_MODE_LEARN, 1e-5), "silent"))
        fail_msg("who does not apply answered");
    assert_int_equal(le_engine_explain(e, &x, "toy", LE_IN("input", &in), LE_F64("factor", 2),
                                       LE_OUT("result", &out)),
                     LE_OK);
    for (size_t k = 0; k < x->n_candidates; k++)
        if (!strcmp(x->candidates[k].implementation, "silent")) {
            found++;
            assert_false(x->candidates[k].applicable);
            assert_string_equal(x->candidates[k].left_out, "not applicable");
        }
    assert_true(found > 0);
    le_explanation_free(&x);
    le_close(&e);
}

/* Runs by a known choice, which the policy is told of by and by, are shown at once. Nobody
 * explores: what is stopped, and what answers then, may tell nothing. */
static void the_newest_runs_are_explained(void **state) {
    enum { KNOWN = 60, SHOWN = 20 };
    int64_t n = N;
    le_tensor in = le_tensor_of(input, LE_F32, 1, &n), out = {0};
    const le_arg args[] = {LE_IN("input", &in), LE_F64("factor", 2), LE_OUT("result", &out)};
    (void)state;
    setenv("LE_EXPLORE_SHARE", "0", 1);
    le_engine *e = open_pair(NULL, LE_MODE_LEARN);
    unsetenv("LE_EXPLORE_SHARE");
    for (int i = 0; i < KNOWN; i++)
        run(e, LE_MODE_LEARN, 1e-5);
    for (int i = 0; i < SHOWN; i++) {
        le_explanation *x = NULL;
        double before = le__now();
        const char *candidate = run(e, LE_MODE_LEARN, 1e-5);
        assert_int_equal(le_call_explain(e, &x, "toy", args, 3), LE_OK);
        for (size_t k = 0; k < x->n_candidates; k++)
            if (!strcmp(x->candidates[k].candidate, candidate))
                assert_true(x->candidates[k].age_s <= le__now() - before);
        le_explanation_free(&x);
    }
    le_close(&e);
}

typedef struct asked { /* a bound call points into it */
    le_tensor in, out;
    le_arg args[3];
    le_call call;
} asked;

static le__question *question_of(le_engine *e, asked *a) {
    int64_t n = N;
    le__question *q;
    *a = (asked){.in = le_tensor_of(input, LE_F32, 1, &n),
                 .args = {LE_IN("input", &a->in), LE_F64("factor", 2), LE_OUT("result", &a->out)}};
    assert_int_equal(le__engine_bind(&e, "toy", a->args, 3, &a->call), LE_OK);
    assert_int_equal(le__dispatch_question(e->dispatch, &a->call, &q), LE_OK);
    return q;
}

/* Another caller has found it at fault while it gave a right answer here, after which it would be
 * the known choice. */
static void who_broke_things_meanwhile_is_not_kept(void **state) {
    asked a;
    le__decision c;
    double granted;
    (void)state;
    le_engine *e = open_pair(NULL, LE_MODE_LEARN);
    for (int i = 0; i < 3; i++)
        run(e, LE_MODE_LEARN, 1e-5);
    le__question *q = question_of(e, &a);
    assert_int_equal(le__dispatch_decide(e->dispatch, q, &a.call, false, &c), LE_OK);
    c.of.why = LE__WHY_EXPLOIT;
    c.of.reuse_calls = 100;
    c.of.reuse_until = INFINITY;
    le__observe_choice(e->dispatch, q, &a.call, &c);
    assert_ptr_equal(le__question_known(q, &granted), c.arm);
    le_fail(LE_ERR_CRASH, "broke things");
    le__dispatch_failed(e->dispatch, q, c.arm, LE_ERR_CRASH);
    assert_null(le__question_known(q, &granted));
    le__observe_choice(e->dispatch, q, &a.call, &c);
    assert_null(le__question_known(q, &granted));
    le__question_release(q);
    le__call_unbind(&a.call);
    le_close(&e);
}

/* What is stored answers, too, though runs among others' say little against whoever answered so
 * far. */
static void who_wins_under_load_answers(void **state) {
    asked a;
    le__slate slate;
    (void)state;
    le_engine *e = open_pair(NULL, LE_MODE_LEARN);
    run(e, LE_MODE_MEASURE, 1e-5);
    le__question *q = question_of(e, &a);
    assert_int_equal(le__dispatch_slate(e->dispatch, q, &a.call, &slate), LE_OK);
    for (size_t i = 0; i < slate.n; i++) {
        le__policy_race_result r = {
            .index = i, .candidate = slate.arms[i]->policy, .seconds = 1e-5, .runs = 3};
        le__race_keep(e->dispatch, q, &slate, true, &r);
        assert_int_equal(le__policy_incumbent(e->dispatch->policy, q->op->family, q->policy),
                         slate.arms[i]->policy);
        assert_int_equal(q->stored, slate.arms[i]->index);
    }
    le__slate_free(&slate);
    le__question_release(q);
    le__call_unbind(&a.call);
    le_close(&e);
}

int main(void) {
    for (int i = 0; i < N; i++)
        input[i] = (float)(i % 101) / 40.0f;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(measure_finds_the_fast_one),
        cmocka_unit_test(a_late_first_run_leaves_nobody_out),
        cmocka_unit_test(a_first_run_without_a_core_leaves_nobody_out),
        cmocka_unit_test(learn_finds_it_too),
        cmocka_unit_test(reproducible_calls_stay_with_one),
        cmocka_unit_test(estimate_measures_nothing),
        cmocka_unit_test(choices_survive_and_freeze),
        cmocka_unit_test(learnt_choices_are_measured),
        cmocka_unit_test(tolerance_is_a_constraint),
        cmocka_unit_test(unknown_database_folder),
        cmocka_unit_test(outputs_stay_on_error),
        cmocka_unit_test(an_output_too_large_is_one_error),
        cmocka_unit_test(second_answers_are_of_those_who_can),
        cmocka_unit_test(an_unsaid_reason),
        cmocka_unit_test(the_newest_runs_are_explained),
        cmocka_unit_test(who_broke_things_meanwhile_is_not_kept),
        cmocka_unit_test(who_wins_under_load_answers),
        cmocka_unit_test(default_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
