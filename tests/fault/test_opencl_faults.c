/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Devices that disappear, run out of memory, change their driver or are not there at all: a line in
 * the log and the right answer, without hundreds of retries. A stand-in for the loader (cl_shim.c)
 * fails the calls; without it or without a device they are skipped.
 */
#include "chain_ops.h"
#include "choose/dispatch.h"
#include "core/clock.h"
#include "core/os.h"
#include "engine.h"
#include "toy_opencl.h"

#include <dlfcn.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { N = 1000 };

static void (*shim_fail)(const char *function, int code);
static int (*shim_calls)(const char *function);
static void (*shim_fail_enqueues)(int after, int code);
static void (*shim_largest_buffer)(long long bytes);
static void (*shim_driver)(const char *version);
static void (*shim_slow_transfers)(int milliseconds);
static bool has_device;
static char lines[64][512];
static int n_lines;

static void keep_log(void *cookie, le_log_level level, const char *text) {
    (void)cookie;
    if (level <= LE_LOG_INFO && n_lines < 64)
        snprintf(lines[n_lines++], sizeof lines[0], "%s", text);
}

static int lines_with(const char *text) {
    int n = 0;
    for (int i = 0; i < n_lines; i++)
        n += strstr(lines[i], text) != NULL;
    return n;
}

/* Slower than the device on any machine, so that the device is chosen. */
static void slow_range(void *context, size_t begin, size_t end, int worker) {
    if (begin == 0)
        nanosleep(&(struct timespec){0, 50000000}, NULL);
    toy_range(context, begin, end, worker);
}

static le_engine *open_engine(const char *db, int64_t device_memory) {
    static le_implementation slow;
    le_options o;
    le_engine *e = NULL;
    slow = toy_c;
    slow.range = slow_range;
    slow.flags = LE_IMPL_SERIAL;
    le_default_options(&o);
    o.db_path = db ? db : ":memory:";
    o.device_memory_limit_bytes = device_memory;
    o.threads = 2;
    o.log = keep_log;
    n_lines = 0;
    assert_int_equal(le_open(&e, &o), LE_OK);
    assert_int_equal(le_register_operation(e, &toy_operation), LE_OK);
    assert_int_equal(le_register_implementation(e, &toy_reference), LE_OK);
    assert_int_equal(le_register_implementation(e, &slow), LE_OK);
    assert_int_equal(le_register_implementation(e, &toy_opencl), LE_OK);
    assert_int_equal(chain_ops_register(e), LE_OK);
    return e;
}

static void find_function(void *library, const char *name, void *out) {
    void *p = dlsym(library, name);
    assert_non_null(p);
    memcpy(out, &p, sizeof p);
}

/* The process for trials is forked before the stand-in is loaded: trials meet no faults. */
static int set_up(void **state) {
    (void)state;
    const char *path = getenv("LE_TEST_CL_SHIM");
    if (!path) {
        print_message("no stand-in for the OpenCL loader: skipped\n");
        return 0;
    }
    setenv("LE_OPENCL_LIBRARY", path, 1);
    le_engine *e = open_engine(NULL, 0);
    le__engine_discover(e);
    has_device = e->n_devices > 1;
    le_close(&e);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    find_function(library, "le_shim_fail", &shim_fail);
    find_function(library, "le_shim_calls", &shim_calls);
    find_function(library, "le_shim_fail_enqueues", &shim_fail_enqueues);
    find_function(library, "le_shim_largest_buffer", &shim_largest_buffer);
    find_function(library, "le_shim_driver", &shim_driver);
    find_function(library, "le_shim_slow_transfers", &shim_slow_transfers);
    return 0;
}

#define NEEDS_DEVICE()                                                                             \
    if (!has_device)                                                                               \
    skip()

/* Runs toy and checks the answer; returns the implementation that gave it. */
static const char *answer(le_engine *e, int64_t n, le_mode mode) {
    static char who[64];
    le_run_info info = {.struct_size = sizeof info};
    float *in = malloc((size_t)n * sizeof *in);
    for (int64_t i = 0; i < n; i++)
        in[i] = (float)(i % 17) - 8;
    le_tensor input = le_tensor_of(in, LE_F32, 1, &n), result = {0};
    if (le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                      LE_OUT("result", &result), LE_OPT_MODE(mode)) != LE_OK)
        fail_msg("%s", le_error_message());
    for (int64_t i = 0; i < n; i++)
        assert_true(((float *)result.data)[i] == 2 * in[i]);
    assert_int_equal(le_last_run(&info), LE_OK);
    snprintf(who, sizeof who, "%.*s", (int)strcspn(info.candidate, "@"), info.candidate);
    le_tensor_free(&result);
    free(in);
    return who;
}

enum { TRIES = 20 };

/* An engine that has chosen the device. On a machine whose cores are taken a kernel takes tens of
 * milliseconds at times, and another is chosen, rightly: then once more. */
static le_engine *open_on_device(const char *db) {
    for (int i = 0; i < TRIES; i++) {
        le_engine *e = open_engine(db, 0);
        if (!strcmp(answer(e, N, LE_MODE_MEASURE), "right"))
            return e;
        le_close(&e);
        if (db)
            unlink(db);
    }
    fail_msg("the device was not chosen in %d tries", TRIES);
    return NULL;
}

static int enqueues(void) {
    return shim_calls("clEnqueueWriteBuffer") + shim_calls("clEnqueueNDRangeKernel") +
           shim_calls("clEnqueueReadBuffer") + shim_calls("clEnqueueCopyBuffer") +
           shim_calls("clEnqueueFillBuffer");
}

/* --- a device that disappears --- */

static void a_device_disappears(void **state) {
    (void)state;
    NEEDS_DEVICE();
    static const struct {
        int code;
        const char *name;
        bool lost;
    } codes[] = {{-2, "CL_DEVICE_NOT_AVAILABLE", true},
                 {-36, "CL_INVALID_COMMAND_QUEUE", true},
                 {-5, "CL_OUT_OF_RESOURCES", false}};
    for (int k = 0; k < 3; k++)
        for (int after = 0; after < 3; after++) { /* before the upload, the kernel, the download */
            le_engine *e = open_on_device(NULL);
            n_lines = 0;
            shim_fail_enqueues(after, codes[k].code);
            assert_string_not_equal(answer(e, N, LE_MODE_MEASURE), "right");
            assert_int_equal(lines_with(codes[k].name), 1);
            assert_int_equal(atomic_load(&e->devices[1].lost), codes[k].lost);
            enqueues();
            for (int i = 0; i < 10; i++)
                assert_string_not_equal(answer(e, N, LE_MODE_LEARN), "right");
            assert_true(enqueues() <= (codes[k].lost ? 0 : 4)); /* another question: once more */
            assert_true(lines_with(codes[k].name) <= 2);
            shim_fail_enqueues(0, 0);
            le_close(&e);
        }
}

static le_tensor on_the_device(le_engine *e) {
    float in[N] = {0};
    le_tensor input = le_tensor_of(in, LE_F32, 1, (int64_t[]){N}), result = {0};
    for (int i = 0; i < 2; i++) { /* the first answer is brought back to be compared */
        le_tensor_free(&result);
        assert_int_equal(le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                                       LE_OUT("result", &result), LE_OPT_DEVICE("opencl"),
                                       LE_OPT_KEEP_ON_DEVICE()),
                         LE_OK);
    }
    return result;
}

static void what_was_on_the_device_is_an_error(void **state) {
    (void)state;
    NEEDS_DEVICE();
    le_engine *e = open_engine(NULL, 0);
    le_tensor result = on_the_device(e);
    assert_null(result.data);
    shim_fail_enqueues(0, -2);
    assert_int_equal(le_tensor_to_host(&result), LE_ERR_DEVICE_LOST);
    assert_null(result.data);
    shim_fail_enqueues(0, 0);
    le_tensor_free(&result);
    le_close(&e);
}

/* Its driver's threads are not in the child: it would wait for ever. */
static void a_child_cannot_have_what_is_on_the_device(void **state) {
    (void)state;
    NEEDS_DEVICE();
    le_engine *e = open_engine(NULL, 0);
    le_tensor result = on_the_device(e);
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        alarm(60);
        le_status status = le_tensor_to_host(&result);
        _exit(status == LE_ERR_UNSUPPORTED && strstr(le_error_message(), "forked") ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(le_tensor_to_host(&result), LE_OK);
    le_tensor_free(&result);
    le_close(&e);
}

/* --- memory --- */

static void scale(le_engine *e, int64_t rows, const char *implementation, char *who, size_t size) {
    le_run_info info = {.struct_size = sizeof info};
    le_tensor x = {0}, y = {0};
    assert_int_equal(le_tensor_alloc(&x, LE_F32, 2, (int64_t[]){rows, 256}), LE_OK);
    for (int64_t i = 0; i < le_tensor_count(&x); i++)
        ((float *)x.data)[i] = (float)(i % 101);
    le_arg args[] = {LE_IN("x", &x), LE_OUT("result", &y), LE_F64("factor", 3),
                     LE_OPT_IMPLEMENTATION(implementation)};
    if (le_call_run(e, "chain_scale", args, implementation ? 4 : 3) != LE_OK)
        fail_msg("%s", le_error_message());
    for (int64_t i = 0; i < le_tensor_count(&x); i++)
        assert_true(((float *)y.data)[i] == 3 * (float)(i % 101));
    assert_int_equal(le_last_run(&info), LE_OK);
    snprintf(who, size, "%s", info.candidate);
    le_tensor_free(&x);
    le_tensor_free(&y);
}

/* 1024 rows of 1 KiB under a limit of 1 MiB; but others hold so much that a buffer of more than
 * 30 rows is refused. The first slab would have 409 rows: it is halved four times. */
static void slabs_are_halved(void **state) {
    (void)state;
    NEEDS_DEVICE();
    char who[256];
    le_engine *e = open_engine(NULL, 1 << 20);
    scale(e, 1024, "slabs_opencl", who, sizeof who); /* compiled, proven */
    assert_non_null(strstr(who, "slabs_opencl"));
    le_close(&e);
    e = open_engine(NULL, 1 << 20);
    shim_largest_buffer(30 * 1024);
    shim_calls("clCreateBuffer");
    scale(e, 1024, "slabs_opencl", who, sizeof who);
    int created = shim_calls("clCreateBuffer");
    assert_non_null(strstr(who, "slabs_opencl"));
    assert_true(created <= 2 * 5 + 2 * (1024 / 25 + 1) + 4);
    shim_largest_buffer(0);
    le_close(&e);
}

/* Not even a row: log2(1024) halvings at most, then the CPU answers. */
static void no_memory_at_all(void **state) {
    (void)state;
    NEEDS_DEVICE();
    char who[256];
    for (int measuring = 0; measuring < 2; measuring++) {
        le_engine *e = open_engine(NULL, 1 << 20);
        le__engine_discover(e);
        e->options.mode = measuring ? LE_MODE_MEASURE : LE_MODE_LEARN;
        shim_largest_buffer(512);
        shim_calls("clCreateBuffer");
        for (int i = 0; i < 20; i++) {
            scale(e, 1024, NULL, who, sizeof who);
            assert_non_null(strstr(who, "@cpu"));
        }
        int created = shim_calls("clCreateBuffer");
        if (created > 3 * 11 + 4)
            fail_msg("%d buffers were asked for", created);
        shim_largest_buffer(0);
        le_close(&e);
    }
}

/* --- where inputs lie --- */

/* Who answers a call on this input whose output may stay where it is made. */
static const char *kept_answer(le_engine *e, const le_tensor *input, le_mode mode, le_tensor *out) {
    static char who[64];
    le_run_info info = {.struct_size = sizeof info};
    if (le_engine_run(e, "toy", LE_IN("input", input), LE_F64("factor", 2), LE_OUT("result", out),
                      LE_OPT_KEEP_ON_DEVICE(), LE_OPT_MODE(mode)) != LE_OK)
        fail_msg("%s", le_error_message());
    assert_int_equal(le_last_run(&info), LE_OK);
    snprintf(who, sizeof who, "%.*s", (int)strcspn(info.candidate, "@"), info.candidate);
    return who;
}

/* The C implementation takes 50 ms, the device next to nothing, each transfer 150 ms: on the host C
 * is right, on the device the device, in whatever order they are asked for. */
static void where_inputs_lie_decides(void **state) {
    (void)state;
    NEEDS_DEVICE();
    le_engine *e = open_engine(NULL, 0);
    float in[N] = {1, 2, 3};
    e->options.trial_limit_s = 20; /* the machine may be busy */
    for (int k = 0; k < 4; k++) {
        le_tensor host = le_tensor_of(in, LE_F32, 1, (int64_t[]){N}), device = {0}, result = {0};
        assert_int_equal(le_engine_run(e, "toy", LE_IN("input", &host), LE_F64("factor", 2),
                                       LE_OUT("result", &device), LE_OPT_KEEP_ON_DEVICE(),
                                       LE_OPT_IMPLEMENTATION("right"),
                                       LE_OPT_MODE(LE_MODE_ESTIMATE)),
                         LE_OK);
        shim_slow_transfers(150);
        const char *who = kept_answer(e, k % 2 ? &device : &host,
                                      k < 2 ? LE_MODE_MEASURE : LE_MODE_ESTIMATE, &result);
        shim_slow_transfers(0);
        assert_int_equal(!strcmp(who, "right"), k % 2);
        assert_int_equal(le_tensor_to_host(&result), LE_OK);
        assert_true(((float *)result.data)[1] == (k % 2 ? 8 : 4));
        le_tensor_free(&result);
        le_tensor_free(&device);
    }
    le_close(&e);
}

/* --- a driver that changed --- */

static int64_t runs_of(le_engine *e, double *measured) {
    float in[N] = {0};
    le_tensor input = le_tensor_of(in, LE_F32, 1, (int64_t[]){N}), result = {0};
    le_explanation *x;
    int64_t runs = -1;
    assert_int_equal(le_engine_explain(e, &x, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                                       LE_OUT("result", &result)),
                     LE_OK);
    for (size_t i = 0; i < x->n_candidates; i++)
        if (!strcmp(x->candidates[i].implementation, "right")) {
            runs = x->candidates[i].samples;
            *measured = x->candidates[i].predicted_s;
        }
    le_explanation_free(&x);
    return runs;
}

/* False when the samples say that another is faster. */
static bool confirmed_after_a_change(const char *db) {
    double before = 0, after = 0;
    unlink(db);
    shim_driver("first driver");
    le_engine *e = open_on_device(db);
    for (int i = 0; i < 30; i++)
        answer(e, N, LE_MODE_MEASURE);
    assert_true(runs_of(e, &before) > 0);
    le_close(&e);
    shim_driver("second driver");
    e = open_engine(db, 0);
    runs_of(e, &after);
    assert_true(after >
                0); /* the old samples still say something: microseconds, whatever the load */
    shim_calls("clEnqueueNDRangeKernel");
    double waited = le__os_waited();
    const bool chosen = !strcmp(answer(e, N, LE_MODE_MEASURE), "right");
    int kernels = shim_calls("clEnqueueNDRangeKernel");
    /* A first run that mostly waited for a core is made again, twice at most. */
    bool busy = le__os_waited() - waited > LE__POLICY_FIRST_S / 2;
    int most = 3 + (busy ? 2 : 0) + 1; /* and the answer */
    if (chosen && (kernels < 1 || kernels > most))
        fail_msg("%d runs after the driver changed, at most %d were to confirm it", kernels, most - 1);
    le_close(&e);
    shim_driver(NULL);
    unlink(db);
    return chosen;
}

static void a_new_driver_makes_a_prior(void **state) {
    (void)state;
    NEEDS_DEVICE();
    char db[64];
    bool confirmed = false;
    snprintf(db, sizeof db, "/tmp/le_opencl_faults_%d.sqlite3", (int)getpid());
    for (int i = 0; i < TRIES && !confirmed; i++)
        confirmed = confirmed_after_a_change(db);
    assert_true(confirmed);
}

/* --- no devices --- */

static void answers_without_devices(const char *said) {
    le_engine *e = open_engine(NULL, 0);
    for (int i = 0; i < 3; i++)
        assert_string_not_equal(answer(e, N, LE_MODE_MEASURE), "right");
    assert_int_equal(e->n_devices, 1);
    if (lines_with("OpenCL") != 1 || lines_with(said) != 1)
        fail_msg("%d lines, the first '%s', expected one of OpenCL with '%s'", n_lines,
                 n_lines ? lines[0] : "", said);
    le_close(&e);
}

static void no_devices_no_platforms(void **state) {
    (void)state;
    NEEDS_DEVICE();
    shim_fail("clGetDeviceIDs", -1);
    answers_without_devices("CL_DEVICE_NOT_FOUND");
    shim_fail("clGetDeviceIDs", 0);
    shim_fail("clGetPlatformIDs", -1001);
    answers_without_devices("PLATFORM_NOT_FOUND_KHR");
    shim_fail("clGetPlatformIDs", 0);
}

static void no_library(void **state) {
    (void)state;
    char before[4096] = "";
    if (getenv("LE_OPENCL_LIBRARY"))
        snprintf(before, sizeof before, "%s", getenv("LE_OPENCL_LIBRARY"));
    setenv("LE_OPENCL_LIBRARY", "libNoSuchOpenCL.so.1", 1);
    answers_without_devices("libNoSuchOpenCL.so.1");
    setenv("LE_OPENCL_LIBRARY", before, 1);
}

/* The loader reads its list of drivers once a process. */
static void drivers_that_do_not_load(void **state) {
    (void)state;
    static const char *const drivers[] = {"libNoSuchDriver.so.1\n", "libm.so.6\n", ""};
    char folder[] = "/tmp/le_test_icd_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/broken.icd", folder);
    for (int i = 0; i < 3; i++) {
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        fputs(drivers[i], f);
        fclose(f);
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0) {
            setenv("OCL_ICD_VENDORS", folder, 1);
            unsetenv("LE_OPENCL_LIBRARY");
            execl("/proc/self/exe", "test_opencl_faults", "--broken-drivers", (char *)NULL);
            _exit(127);
        }
        int status;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_int_equal(status, 0);
    }
    unlink(path);
    rmdir(folder);
}

static void broken_drivers(void **state) {
    (void)state;
    answers_without_devices("OpenCL");
}

/* --- waiting for a device --- */

static bool end_it(void *context, double done) {
    (void)context;
    (void)done;
    return false;
}

static le_status ask_device(le_engine *e, const le_tick *tick) {
    static float in[N];
    le_tensor input = le_tensor_of(in, LE_F32, 1, (int64_t[]){N}), result = {0};
    le_status status =
        le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                      LE_OUT("result", &result), LE_OPT_IMPLEMENTATION("right"), LE_OPT_TICK(tick));
    le_tensor_free(&result);
    return status;
}

static void *use_device(void *engine) {
    return ask_device(engine, NULL) == LE_OK ? engine : NULL;
}

/* Who waits for another thread's run on the device hears as well. */
static void waiting_for_a_device_ends(void **state) {
    enum { SLOW_MS = 1500 };
    static const le_tick tick = {end_it, NULL};
    pthread_t thread;
    void *fine;
    (void)state;
    NEEDS_DEVICE();
    le_engine *e = open_engine(NULL, 0);
    le__engine_discover(e);
    assert_int_equal(ask_device(e, NULL), LE_OK);
    shim_slow_transfers(SLOW_MS);
    double start = le__now();
    assert_int_equal(pthread_create(&thread, NULL, use_device, e), 0);
    nanosleep(&(struct timespec){0, 300000000}, NULL);
    assert_int_equal(ask_device(e, &tick), LE_ERR_CANCELLED);
    double ended = le__now() - start;
    pthread_join(thread, &fine);
    double all = le__now() - start;
    shim_slow_transfers(0);
    assert_non_null(fine);
    if (!(ended < all - 1))
        fail_msg("ended after %g s, the device was free after %g s", ended, all);
    assert_int_equal(ask_device(e, NULL), LE_OK);
    le_close(&e);
}

/* --- what a call would have to move --- */

/* Seconds, before anything has run, for a candidate on the device. */
static double expected_to_move(le_engine *e, const le_tensor *in, le_tensor *out, bool keep) {
    const le_arg args[] = {LE_IN("input", in), LE_F64("factor", 2), LE_OUT("result", out),
                           LE_OPT_I64_(LE_OPTION_KEEP_ON_DEVICE, keep)};
    le_call *call = malloc(sizeof *call);
    le__question *q;
    double seconds = -1;
    assert_non_null(call);
    assert_int_equal(le__engine_bind(&e, "toy", args, 4, call), LE_OK);
    assert_int_equal(le__dispatch_question(e->dispatch, call, &q), LE_OK);
    assert_int_equal(le__dispatch_prepare(e->dispatch, q, call), LE_OK);
    for (size_t i = 0; i < q->n_arms; i++)
        if (q->op->arms[i]->candidate.device == &e->devices[1])
            seconds = le__transfers_expected(q, call, q->op->arms[i]);
    le__question_release(q);
    le__call_unbind(call);
    free(call);
    return seconds;
}

/* An output may stay on a device only where the caller has no memory for it on the host. */
static void outputs_that_cannot_stay_are_counted(void **state) {
    static float in[N], out[N];
    (void)state;
    NEEDS_DEVICE();
    le_engine *e = open_engine(NULL, 0);
    le__engine_discover(e);
    le_tensor input = le_tensor_of(in, LE_F32, 1, (int64_t[]){N}), none = {0};
    le_tensor host = le_tensor_of(out, LE_F32, 1, (int64_t[]){N});
    double up = expected_to_move(e, &input, &none, true);
    double both = expected_to_move(e, &input, &none, false);
    assert_true(up > 0);
    assert_true(both > 1.5 * up);
    assert_true(fabs(expected_to_move(e, &input, &host, false) - both) < 1e-9);
    assert_true(fabs(expected_to_move(e, &input, &host, true) - both) < 1e-9);
    le_close(&e);
}

/* --- the same bits --- */

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
/* As on a machine with a GPU. */
int __wrap_access(const char *path, int mode) {
    return strcmp(path, "/dev/nvidia0") ? __real_access(path, mode) : 0;
}

static le_engine *open_reproducible(const char *devices) {
    static le_implementation c, cl;
    le_options o;
    le_engine *e = NULL;
    c = toy_c;
    c.flags = LE_IMPL_SERIAL | LE_IMPL_REPRODUCIBLE;
    c.speed = 0.5;
    cl = toy_opencl;
    cl.flags = LE_IMPL_REPRODUCIBLE;
    cl.speed = 40;
    le_default_options(&o);
    o.db_path = ":memory:";
    o.devices = devices;
    o.threads = 2;
    assert_int_equal(le_open(&e, &o), LE_OK);
    assert_int_equal(le_register_operation(e, &toy_operation), LE_OK);
    assert_int_equal(le_register_implementation(e, &toy_reference), LE_OK);
    assert_int_equal(le_register_implementation(e, &c), LE_OK);
    assert_int_equal(le_register_implementation(e, &cl), LE_OK);
    return e;
}

static void expect_same_bits(le_engine *e) {
    static float in[N];
    le_run_info info = {.struct_size = sizeof info};
    le_tensor input = le_tensor_of(in, LE_F32, 1, (int64_t[]){N}), result = {0};
    if (le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                      LE_OUT("result", &result), LE_OPT_REPRODUCIBLE()) != LE_OK)
        fail_msg("%s", le_error_message());
    le_tensor_free(&result);
    le_last_run(&info);
    assert_string_equal(info.candidate, "c@cpu");
}

/* Whether somebody has opened OpenCL meanwhile changes no bits: a GPU is looked for at once, and
 * what OpenCL makes of the CPU's own cores does not answer where native code can. */
static void opening_opencl_changes_no_bits(void **state) {
    (void)state;
    NEEDS_DEVICE();
    le_engine *e = open_reproducible("cpu");
    expect_same_bits(e);
    le_close(&e);
    e = open_reproducible(NULL);
    expect_same_bits(e);
    assert_true(e->discovered);
    le__engine_discover(e);
    expect_same_bits(e);
    le_close(&e);
}

int main(int argc, char **argv) {
    const struct CMUnitTest one[] = {cmocka_unit_test(broken_drivers)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening_opencl_changes_no_bits),
        cmocka_unit_test(a_device_disappears),
        cmocka_unit_test(what_was_on_the_device_is_an_error),
        cmocka_unit_test(a_child_cannot_have_what_is_on_the_device),
        cmocka_unit_test(slabs_are_halved),
        cmocka_unit_test(no_memory_at_all),
        cmocka_unit_test(where_inputs_lie_decides),
        cmocka_unit_test(waiting_for_a_device_ends),
        cmocka_unit_test(outputs_that_cannot_stay_are_counted),
        cmocka_unit_test(a_new_driver_makes_a_prior),
        cmocka_unit_test(no_devices_no_platforms),
        cmocka_unit_test(no_library),
        cmocka_unit_test(drivers_that_do_not_load),
    };
    if (argc > 1 && !strcmp(argv[1], "--broken-drivers"))
        return cmocka_run_group_tests(one, NULL, NULL);
    return cmocka_run_group_tests(tests, set_up, NULL);
}
