/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the engine adds to a call whose choice is known: an operation that does nothing, called by
 * name and called directly, in interleaved rounds; and to a step of a chain of such calls.
 */
#include "bench.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "liquid_engine/le_chain.h"

#include <cjson/cJSON.h>

enum { CALLS = 20000, ROUNDS = 21, MAX_THREADS = 8, STEPS = 10, RUNS = CALLS / STEPS };

static const double limit_s = 1e-6;      /* promised for the known-choice road */
static const double step_limit_s = 2e-6; /* ... of a step */

/* --- the operation --- */

static const le_arg_desc empty_args[] = {
    {.name = "x",
     .doc = "a number",
     .type = LE_TYPE_IN,
     .dtypes = LE_DTYPE_BIT(LE_F32),
     .max_ndim = 1},
    {.name = "n", .doc = "any number", .type = LE_TYPE_I64, .cost = true, .optional = true},
    {.name = "y",
     .doc = "the number",
     .type = LE_TYPE_OUT,
     .dtypes = LE_DTYPE_BIT(LE_F32),
     .max_ndim = 1}};

static le_status check(le_call *call) {
    return le_call_set_out(call, 2, LE_F32, 1, (int64_t[]){1});
}

static void work(const le_call *call, le_work *out) {
    (void)call;
    *out = (le_work){1, 8};
}

static le_status make_case(le_case *c, const le_case_request *request) {
    (void)request;
    le_tensor *x = le_case_in(c, "x", LE_F32, 1, (int64_t[]){1});
    if (x)
        le_tensor_set(x, 0, 1);
    le_case_out(c, "y", LE_F32);
    return le_case_status(c);
}

static void copy_one(const float *x, float *y) {
    *y = *x;
}

static void (*volatile const direct)(const float *, float *) = copy_one;

static le_status run(le_call *call) {
    direct(le_call_in(call, 0)->data, le_call_out(call, 2)->data);
    return LE_OK;
}

static const le_operation operation = {.abi = LE_METHOD_ABI,
                                       .name = "le_bench_empty",
                                       .family = "test",
                                       .summary = "copies one number",
                                       .args = empty_args,
                                       .n_args = 3,
                                       .check = check,
                                       .work = work,
                                       .make_case = make_case};
static const le_implementation implementation = {.abi = LE_METHOD_ABI,
                                                 .operation = "le_bench_empty",
                                                 .name = "empty",
                                                 .run_type = "reference",
                                                 .summary = "copies one number",
                                                 .flags = LE_IMPL_REFERENCE | LE_IMPL_SERIAL,
                                                 .run = run};

/* --- timing --- */

typedef struct worker {
    le_engine *engine; /* NULL: call directly */
    pthread_barrier_t *barrier;
    double cpu_s; /* of the thread */
    bool failed;
} worker;

static double thread_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *call_often(void *cookie) {
    worker *w = cookie;
    float in = 1, out = 0;
    le_tensor x = le_tensor_of(&in, LE_F32, 1, (int64_t[]){1});
    le_tensor y = le_tensor_of(&out, LE_F32, 1, (int64_t[]){1});
    pthread_barrier_wait(w->barrier);
    double start = thread_clock();
    for (int i = 0; i < CALLS; i++) {
        if (!w->engine)
            direct(&in, &out);
        else if (le_engine_run(w->engine, "le_bench_empty", LE_IN("x", &x), LE_I64("n", 3),
                               LE_OUT("y", &y)) != LE_OK)
            w->failed = true;
    }
    w->cpu_s = thread_clock() - start;
    return NULL;
}

/* Mean CPU seconds a call over `threads` threads at once; negative when a call failed. */
static double round_s(le_engine *engine, int threads) {
    pthread_t ids[MAX_THREADS];
    worker workers[MAX_THREADS];
    pthread_barrier_t barrier;
    double sum = 0;
    bool failed = false;
    pthread_barrier_init(&barrier, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        workers[i] = (worker){.engine = engine, .barrier = &barrier};
        if (pthread_create(&ids[i], NULL, call_often, &workers[i]) != 0)
            abort(); /* the others would wait for ever */
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        sum += workers[i].cpu_s;
        failed = failed || workers[i].failed;
    }
    pthread_barrier_destroy(&barrier);
    return failed ? -1 : sum / threads / CALLS;
}

static int by_value(const void *x, const void *y) {
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

/* Median of what the engine adds, over rounds of both; negative when a call failed. */
static double added_s(le_engine *engine, int threads) {
    double added[ROUNDS];
    round_s(engine, threads);
    for (int i = 0; i < ROUNDS; i++) {
        double plain = round_s(NULL, threads), called = round_s(engine, threads);
        if (called < 0)
            return -1;
        added[i] = called - plain;
    }
    qsort(added, ROUNDS, sizeof *added, by_value);
    return added[ROUNDS / 2];
}

/* --- a chain --- */

static le_chain *ten_steps(le_engine *engine) {
    le_chain *c;
    if (le_chain_new(&c, engine, "ten empty steps") != LE_OK)
        return NULL;
    le_value v = le_chain_input(c, "x", LE_F32, 1, (int64_t[]){1});
    for (int i = 0; i < STEPS; i++) {
        le_value next = le_chain_temp(c);
        le_chain_add(c, "le_bench_empty", LE_VALUE_IN("x", v), LE_I64("n", 3),
                     LE_VALUE_OUT("y", next));
        v = next;
    }
    le_chain_output(c, "y", v);
    if (le_chain_status(c) != LE_OK)
        le_chain_free(&c);
    return c;
}

/* CPU seconds of a step; negative when a run failed. */
static double step_round_s(le_chain *c) {
    float in = 1, out = 0;
    le_tensor x = le_tensor_of(&in, LE_F32, 1, (int64_t[]){1});
    le_tensor y = le_tensor_of(&out, LE_F32, 1, (int64_t[]){1});
    double start = thread_clock();
    for (int i = 0; i < RUNS; i++)
        if (le_chain_run(c, LE_IN("x", &x), LE_OUT("y", &y)) != LE_OK)
            return -1;
    return (thread_clock() - start) / RUNS / STEPS;
}

/* Median of what the engine adds to a step, on one thread; negative when a run failed. */
static double step_added_s(le_engine *engine) {
    double added[ROUNDS];
    le_chain *c = ten_steps(engine);
    bool ok = c && step_round_s(c) >= 0;
    for (int i = 0; ok && i < ROUNDS; i++) {
        double plain = round_s(NULL, 1), called = step_round_s(c);
        ok = called >= 0;
        added[i] = called - plain;
    }
    le_chain_free(&c);
    if (!ok)
        return -1;
    qsort(added, ROUNDS, sizeof *added, by_value);
    return added[ROUNDS / 2];
}

static bool print_json(const int *threads, const double *added, size_t n, double step_s) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "schema", 1);
    cJSON *list = cJSON_AddArrayToObject(root, "overhead");
    for (size_t i = 0; i < n; i++) {
        cJSON *o = cJSON_CreateObject();
        cJSON_AddItemToArray(list, o);
        cJSON_AddNumberToObject(o, "threads", threads[i]);
        cJSON_AddNumberToObject(o, "added_s", added[i]);
    }
    cJSON_AddNumberToObject(root, "chain_step_s", step_s);
    return tool_print_json(root, stdout);
}

int bench_overhead(const bench_settings *s) {
    static const int threads[] = {1, 2, 8};
    double added[3];
    bool ok = true;
    le_engine *engine = bench_engine(s, ":memory:", s->mode ? s->mode : LE_MODE_LEARN);
    if (!engine)
        return TOOL_FAILED;
    ok = le_register_operation(engine, &operation) == LE_OK &&
         le_register_implementation(engine, &implementation) == LE_OK;
    for (int i = 0; ok && i < 3; i++) {
        char text[LE__TEXT];
        added[i] = added_s(engine, threads[i]);
        ok = added[i] >= 0;
        if (ok && !s->json)
            printf("%d thread%s: %s CPU time added a call (median of %d rounds of %d calls)%s\n",
                   threads[i], i ? "s" : "", le__seconds_text(added[i], text), ROUNDS, CALLS,
                   added[i] <= limit_s ? "" : ", more than 1 us");
    }
    double step_s = ok ? step_added_s(engine) : -1;
    ok = ok && step_s >= 0;
    if (ok && !s->json) {
        char text[LE__TEXT];
        printf("1 thread: %s CPU time added a step (chain of %d, median of %d rounds)%s\n",
               le__seconds_text(step_s, text), STEPS, ROUNDS,
               step_s <= step_limit_s ? "" : ", more than 2 us");
    }
    if (!ok)
        bench_say_error();
    le_close(&engine);
    ok = ok && (!s->json || print_json(threads, added, 3, step_s));
    for (int i = 0; ok && i < 3; i++)
        ok = added[i] <= limit_s;
    ok = ok && step_s <= step_limit_s;
    return ok ? TOOL_OK : TOOL_FAILED;
}
