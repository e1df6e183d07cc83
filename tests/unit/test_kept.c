/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kept data: built once, by whom and for whom, what goes when there is no room, what happens when
 * building fails; on the host and on a device. The operation multiplies by weights that depend on a
 * scalar.
 */
#include "operation_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum { ARG_IN, ARG_ORDER, ARG_OUT, WEIGHTS = 25000 }; /* 100 kB of floats */

static _Atomic int builds; /* in this process: trials have others; not those of `other`, which may
                              be asked for a second answer */
static atomic_bool failing, slow, nested;

static const le_arg_desc args[] = {FLOATS("in", LE_TYPE_IN, 1),
                                   {.name = "order", .type = LE_TYPE_I64},
                                   FLOATS("out", LE_TYPE_OUT, 1)};

static le_status check(le_call *call) {
    return le_call_set_out(call, ARG_OUT, LE_F32, 1, le_call_in(call, ARG_IN)->shape);
}

static void work(const le_call *call, le_work *out) {
    double n = (double)le_call_in(call, ARG_IN)->shape[0];
    *out = (le_work){n + 1, 8 * n};
}

static le_status make_case(le_case *c, const le_case_request *r) {
    int64_t n = 500;
    le_tensor *in = le_case_in(c, "in", LE_F32, 1, &n);
    for (int64_t i = 0; in && i < n; i++)
        le_tensor_set(in, i, (double)i);
    le_case_like(c, r->like);
    if (!r->like)
        le_case_i64(c, "order", 3);
    le_case_out(c, "out", LE_F32);
    return le_case_status(c);
}

static const le_operation weighted = {.abi = LE_METHOD_ABI,
                                      .name = "weighted",
                                      .family = "test",
                                      .reference = "school",
                                      .args = args,
                                      .n_args = 3,
                                      .check = check,
                                      .work = work,
                                      .atol = 1e-3,
                                      .make_case = make_case};

static float weight(int64_t order, int64_t i) {
    return (float)((i + order) % 97);
}

static size_t items(const le_call *call) {
    return (size_t)le_call_in(call, ARG_IN)->shape[0];
}

static void directly(void *context, size_t begin, size_t end, int worker) {
    (void)worker;
    for (size_t i = begin; i < end; i++)
        le_tensor_set(le_call_out(context, ARG_OUT), (int64_t)i,
                      le_tensor_get(le_call_in(context, ARG_IN), (int64_t)i) *
                          (double)weight(le_call_i64(context, ARG_ORDER), (int64_t)i));
}

static void name_weights(const le_call *call, char *key, size_t size) {
    snprintf(key, size, "weights %lld", (long long)le_call_i64(call, ARG_ORDER));
}

static le_status fill(le_call *call, void *data, size_t bytes, void *cookie) {
    const int64_t *order = cookie;
    float *w = data;
    const void *other;
    assert_int_equal(bytes, WEIGHTS * sizeof *w);
    assert_int_equal((uintptr_t)data % 64, 0);
    builds++;
    if (slow)
        nanosleep(&(struct timespec){0, 300000000}, NULL);
    if (nested) {
        char key[64];
        name_weights(call, key, sizeof key);
        return le_call_keep(call, key, bytes, fill, cookie, &other);
    }
    for (int64_t i = 0; i < WEIGHTS; i++)
        w[i] = weight(*order, i);
    return failing ? le_fail(LE_ERR_DATA, "weighted: no weights today") : LE_OK;
}

typedef struct context {
    const le_call *call;
    const float *weights;
} context;

static void range(void *cookie, size_t begin, size_t end, int worker) {
    const context *c = cookie;
    (void)worker;
    for (size_t i = begin; i < end; i++)
        le_tensor_set(le_call_out(c->call, ARG_OUT), (int64_t)i,
                      le_tensor_get(le_call_in(c->call, ARG_IN), (int64_t)i) *
                          (double)c->weights[i]);
}

static le_status run_with(le_call *call, le_keep_fn fill_with) {
    char key[64];
    int64_t order = le_call_i64(call, ARG_ORDER);
    const void *weights;
    name_weights(call, key, sizeof key);
    le_status status =
        le_call_keep(call, key, WEIGHTS * sizeof(float), fill_with, &order, &weights);
    if (status == LE_OK)
        le_parallel_for(call, items(call), range, &(context){call, weights});
    return status;
}

static le_status run(le_call *call) {
    return run_with(call, fill);
}

static _Atomic int other_builds;

static le_status fill_other(le_call *call, void *to, size_t bytes, void *cookie) {
    float *w = to;
    (void)call;
    other_builds++;
    for (size_t i = 0; i < bytes / sizeof *w; i++)
        w[i] = weight(*(const int64_t *)cookie, (int64_t)i);
    return LE_OK;
}

static le_status run_other(le_call *call) {
    return run_with(call, fill_other);
}

static const char text[] = "__kernel void weighted(__global const float *in, __global float *out,\n"
                           "                       __global const float *w, int n) {\n"
                           "    int i = get_global_id(0);\n"
                           "    if (i < n) out[i] = w[i] * in[i];\n"
                           "}\n"
                           "__kernel void weights(__global float *w, int order, int n) {\n"
                           "    int i = get_global_id(0);\n"
                           "    if (i < n) w[i] = (float)((i + order) % 97);\n"
                           "}\n";
static const le_cl_source source = {"test/weighted", text, sizeof text - 1, NULL};
static const le_cl_source *const sources[] = {&source, NULL};

static le_status fill_on_device(le_call *call, le_cl_buffer *buffer, size_t bytes, void *cookie) {
    const int64_t *order = cookie;
    size_t n = bytes / sizeof(float);
    le_cl_kernel *kernel;
    builds++;
    if (failing)
        return le_fail(LE_ERR_DATA, "weighted: no weights today");
    le_status status = le_cl_get_kernel(call, &source, "weights", "", &kernel);
    const le_cl_karg kargs[] = {LE_CL_BUF(buffer), LE_CL_I32((int32_t)*order),
                                LE_CL_I32((int32_t)n)};
    return status == LE_OK ? le_cl_launch(call, kernel, 1, &n, NULL, kargs, 3) : status;
}

static le_status run_opencl(le_call *call) {
    char key[64];
    int64_t order = le_call_i64(call, ARG_ORDER);
    size_t n = items(call);
    le_cl_buffer *weights;
    le_cl_kernel *kernel;
    name_weights(call, key, sizeof key);
    le_status status =
        le_cl_keep(call, key, WEIGHTS * sizeof(float), fill_on_device, &order, &weights);
    if (status == LE_OK)
        status = le_cl_get_kernel(call, &source, "weighted", "", &kernel);
    const le_cl_karg kargs[] = {LE_CL_ARG(ARG_IN), LE_CL_ARG(ARG_OUT), LE_CL_BUF(weights),
                                LE_CL_I32((int32_t)n)};
    return status == LE_OK ? le_cl_launch(call, kernel, 1, &n, NULL, kargs, 4) : status;
}

static const le_implementation reference = {.abi = LE_METHOD_ABI,
                                            .operation = "weighted",
                                            .name = "reference",
                                            .run_type = "reference",
                                            .flags = LE_IMPL_REFERENCE,
                                            .speed = 0.1,
                                            .items = items,
                                            .range = directly};
static const le_implementation kept = {.abi = LE_METHOD_ABI,
                                       .operation = "weighted",
                                       .name = "kept",
                                       .run_type = "c",
                                       .source = "one",
                                       .run = run};
static const le_implementation other = {.abi = LE_METHOD_ABI,
                                        .operation = "weighted",
                                        .name = "other",
                                        .run_type = "c",
                                        .source = "two",
                                        .run = run_other};
static const le_implementation twin = {.abi = LE_METHOD_ABI,
                                       .operation = "weighted",
                                       .name = "twin",
                                       .run_type = "c",
                                       .source = "two",
                                       .run = run};
static const le_implementation opencl = {.abi = LE_METHOD_ABI,
                                         .operation = "weighted",
                                         .name = "opencl",
                                         .run_type = "opencl",
                                         .device = LE_DEVICE_OPENCL,
                                         .sources = sources,
                                         .run = run_opencl};
static const le_implementation *const all[] = {&reference, &kept, &other, &opencl, NULL};

/* --- tests --- */

static float data[4000];

static int fill_data(void **state) {
    (void)state;
    for (int i = 0; i < 4000; i++)
        data[i] = (float)(i % 13);
    return 0;
}

static le_tensor input(void) {
    return le_tensor_of(data, LE_F32, 1, (int64_t[]){4000});
}

static void assert_weighted(le_engine *e, int64_t order, const char *implementation) {
    le_tensor in = input(), out = {0};
    assert_ok(le_engine_run(e, "weighted", LE_IN("in", &in), LE_I64("order", order),
                            LE_OUT("out", &out), LE_OPT_IMPLEMENTATION(implementation)));
    for (int i = 0; i < 4000; i++)
        assert_true(le_tensor_get(&out, i) == (double)(data[i] * weight(order, i)));
    le_tensor_free(&out);
}

static int builds_of(le_engine *e, int64_t order, const char *implementation) {
    int before = builds;
    assert_weighted(e, order, implementation);
    return builds - before;
}

static void built_once(void **state) {
    (void)state;
    le_engine *e = operation_open(&weighted, all, NULL, LE_MODE_LEARN);
    assert_int_equal(builds_of(e, 1, "kept"), 1);
    for (int i = 0; i < 5; i++)
        assert_int_equal(builds_of(e, 1, "kept"), 0);
    assert_int_equal(builds_of(e, 2, "kept"), 1); /* another key */
    assert_weighted(e, 1, "other");               /* another version of the code has its own */
    assert_int_equal(other_builds, 1);
    assert_int_equal(builds_of(e, 1, "kept"), 0);
    le_explanation *x = NULL;
    le_tensor in = input(), out = {0};
    assert_ok(le_engine_explain(e, &x, "weighted", LE_IN("in", &in), LE_I64("order", 1),
                                LE_OUT("out", &out)));
    assert_string_equal(explained(x, "kept")->verdict, "proven");
    le_explanation_free(&x);
    le_close(&e);
    e = operation_open(&weighted, all, NULL, LE_MODE_LEARN);
    assert_int_equal(builds_of(e, 1, "kept"), 1); /* another engine */
    le_close(&e);
}

static void shared_by_twins(void **state) {
    static const le_implementation *const both[] = {&reference, &kept, &twin, NULL};
    (void)state;
    le_engine *e = operation_open(&weighted, both, NULL, LE_MODE_LEARN);
    assert_int_equal(builds_of(e, 1, "kept"), 1);
    assert_int_equal(builds_of(e, 1, "twin"), 0);
    assert_int_equal(builds_of(e, 2, "twin"), 1);
    assert_int_equal(builds_of(e, 2, "kept"), 0);
    le_close(&e);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Building sleeps 0.3 s; the run's own time has none of it. */
static void counted_as_set_up(void **state) {
    (void)state;
    le_engine *e = operation_open(&weighted, all, NULL, LE_MODE_LEARN);
    assert_weighted(e, 1, "kept");
    slow = true;
    double start = now();
    assert_int_equal(builds_of(e, 2, "kept"), 1);
    double took = now() - start;
    slow = false;
    le_run_info info = {.struct_size = sizeof info};
    assert_ok(le_last_run(&info));
    assert_true(took >= 0.3);
    assert_true(info.seconds < took - 0.29);
    le_close(&e);
}

typedef struct caller {
    le_engine *engine;
    int64_t first;
} caller;

static void *call_many(void *cookie) {
    const caller *c = cookie;
    for (int i = 0; i < 30; i++)
        assert_weighted(c->engine, 10 + (c->first + i) % 5, "kept");
    return NULL;
}

/* Everybody waits for the first one to build. */
static void threads(void **state) {
    (void)state;
    le_engine *e = operation_open(&weighted, all, NULL, LE_MODE_LEARN);
    pthread_t ids[4];
    caller callers[4];
    assert_weighted(e, 1, "kept"); /* proven before: no trial beside the threads */
    int before = builds;
    for (int i = 0; i < 4; i++) {
        callers[i] = (caller){e, i};
        assert_int_equal(pthread_create(&ids[i], NULL, call_many, &callers[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(ids[i], NULL);
    assert_int_equal(builds - before, 5);
    le_close(&e);
}

/* A quarter of 1 MiB holds two of 100 kB. */
static void least_recently_used(void **state) {
    (void)state;
    assert_int_equal(setenv("LE_MEMORY_LIMIT", "1048576", 1), 0);
    le_engine *e = operation_open(&weighted, all, NULL, LE_MODE_LEARN);
    assert_int_equal(unsetenv("LE_MEMORY_LIMIT"), 0);
    assert_weighted(e, 9, "kept"); /* proven: `other` is not asked again */
    assert_int_equal(builds_of(e, 1, "kept"), 1);
    assert_int_equal(builds_of(e, 2, "kept"), 1);
    assert_int_equal(builds_of(e, 1, "kept"), 0);
    assert_int_equal(builds_of(e, 3, "kept"), 1); /* 2 goes */
    assert_int_equal(builds_of(e, 1, "kept"), 0);
    assert_int_equal(builds_of(e, 2, "kept"), 1);
    assert_int_equal(builds_of(e, 3, "kept"), 1);
    le_close(&e);
    assert_int_equal(setenv("LE_MEMORY_LIMIT", "200000", 1), 0);
    e = operation_open(&weighted, all, NULL, LE_MODE_LEARN);
    assert_int_equal(unsetenv("LE_MEMORY_LIMIT"), 0);
    assert_int_equal(builds_of(e, 1, "kept"), 1); /* too large to stay, not to be used */
    assert_int_equal(builds_of(e, 1, "kept"), 1);
    le_close(&e);
}

static _Atomic int checked;

static le_status fill_in_check(le_call *call, void *to, size_t bytes, void *cookie) {
    (void)call;
    assert_int_equal(bytes, WEIGHTS * sizeof(float));
    checked++;
    *(int64_t *)to = 7 * *(const int64_t *)cookie;
    return LE_OK;
}

static le_status check_with_kept(le_call *call) {
    const int64_t order = le_call_i64(call, ARG_ORDER);
    const void *numbers;
    char key[64];
    name_weights(call, key, sizeof key);
    le_status status =
        le_call_keep(call, key, WEIGHTS * sizeof(float), fill_in_check, (void *)&order, &numbers);
    if (status != LE_OK)
        return status;
    assert_int_equal(*(const int64_t *)numbers, 7 * order);
    return check(call);
}

static int checked_of(le_engine *e, int64_t order) {
    int before = checked;
    assert_weighted(e, order, "reference");
    return checked - before;
}

/* What a check asked for is in nobody's use when it has returned. */
static void in_a_check(void **state) {
    static const le_implementation *const one[] = {&reference, NULL};
    le_operation o = weighted;
    (void)state;
    o.check = check_with_kept;
    assert_int_equal(setenv("LE_MEMORY_LIMIT", "1048576", 1), 0);
    le_engine *e = operation_open(&o, one, NULL, LE_MODE_LEARN);
    assert_int_equal(unsetenv("LE_MEMORY_LIMIT"), 0);
    assert_int_equal(checked_of(e, 1), 1);
    assert_int_equal(checked_of(e, 2), 1);
    assert_int_equal(checked_of(e, 1), 0);
    assert_int_equal(checked_of(e, 3), 1); /* 2 goes */
    assert_int_equal(checked_of(e, 1), 0);
    assert_int_equal(checked_of(e, 2), 1);
    le_tensor in = input(), out = {0};
    le_explanation *x = NULL;
    assert_ok(le_engine_explain(e, &x, "weighted", LE_IN("in", &in), LE_I64("order", 4),
                                LE_OUT("out", &out)));
    le_explanation_free(&x);
    assert_int_equal(checked_of(e, 4), 0);
    assert_int_equal(checked_of(e, 5), 1);
    assert_int_equal(checked_of(e, 6), 1);
    assert_int_equal(checked_of(e, 4), 1);
    le_close(&e);
}

static void not_more_than_can_be_looked_through(void **state) {
    enum { MOST = 256 };
    (void)state;
    le_engine *e = operation_open(&weighted, all, NULL, LE_MODE_LEARN);
    for (int order = 0; order <= MOST; order++)
        assert_weighted(e, order, "kept");
    assert_int_equal(builds_of(e, 1, "kept"), 0);
    assert_int_equal(builds_of(e, MOST, "kept"), 0);
    assert_int_equal(builds_of(e, 0, "kept"), 1);
    assert_int_equal(builds_of(e, 2, "kept"), 1);
    le_close(&e);
}

static le_status try_it(le_engine *e, const char *implementation) {
    le_tensor in = input(), out = {0};
    le_status status = le_engine_run(e, "weighted", LE_IN("in", &in), LE_I64("order", 77),
                                     LE_OUT("out", &out), LE_OPT_IMPLEMENTATION(implementation));
    if (status != LE_OK)
        assert_null(out.data);
    le_tensor_free(&out);
    return status;
}

static void failures(void **state) {
    (void)state;
    le_engine *e = operation_open(&weighted, all, NULL, LE_MODE_LEARN);
    assert_weighted(e, 1, "kept");
    failing = true;
    assert_int_equal(try_it(e, "kept"), LE_ERR_DATA);
    assert_says("no weights today");
    failing = false;
    assert_ok(try_it(e, "kept")); /* nothing half built is left */
    le_close(&e);
    e = operation_open(&weighted, all, NULL, LE_MODE_LEARN);
    assert_weighted(e, 1, "kept");
    nested = true;
    assert_int_not_equal(try_it(e, "kept"), LE_OK); /* and not a deadlock */
    nested = false;
    le_close(&e);
}

static void on_devices(void **state) {
    (void)state;
    le_engine *e = operation_open(&weighted, all, NULL, LE_MODE_LEARN);
    le_tensor in = input(), out = {0};
    const le_arg list[] = {LE_IN("in", &in), LE_I64("order", 1), LE_OUT("out", &out)};
    if (has_opencl(e, "weighted", list, 3)) {
        assert_weighted(e, 1, "opencl"); /* and perhaps by another one, for a second answer */
        assert_int_equal(builds_of(e, 1, "opencl"), 0);
        assert_int_equal(builds_of(e, 2, "opencl"), 1);
        assert_int_equal(builds_of(e, 1, "opencl"), 0);
        assert_int_equal(builds_of(e, 3, "kept"), 1);
        assert_int_equal(builds_of(e, 3, "opencl"), 1); /* the device has its own */
        failing = true;
        assert_int_equal(try_it(e, "opencl"), LE_ERR_DATA);
        failing = false;
        assert_ok(try_it(e, "opencl"));
    }
    le_close(&e);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_once),
        cmocka_unit_test(shared_by_twins),
        cmocka_unit_test(counted_as_set_up),
        cmocka_unit_test(threads),
        cmocka_unit_test(least_recently_used),
        cmocka_unit_test(in_a_check),
        cmocka_unit_test(failures),
        cmocka_unit_test(on_devices),
        cmocka_unit_test(not_more_than_can_be_looked_through),
    };
    return cmocka_run_group_tests(tests, fill_data, NULL);
}
