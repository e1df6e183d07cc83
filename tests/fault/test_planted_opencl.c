/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * OpenCL implementations that misbehave, beside a right one. Without an OpenCL device they are
 * skipped.
 */
#include "planted.h"

#include "engine.h"
#include "opencl/opencl.h"
#include "toy_opencl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PLANT(name, options)                                                                       \
    static le_status name(le_call *call) {                                                         \
        return toy_opencl_launch(call, options);                                                   \
    }
PLANT(does_not_build, "-DBROKEN")
PLANT(is_wrong, "-DFAULT=out[i]+=1e-3f") /* the tolerance is 1e-5 of the largest value, about 7 */
PLANT(is_wrong_when_large, "-DFAULT=if(first&&n>100000)out[0]+=1")
PLANT(gives_nan, "-DFAULT=if(first)out[0]=NAN")
PLANT(differs_each_time, "-DFAULT=out[i]+=0.01f*(run%7)")
PLANT(writes_before, "-DFAULT=if(first)out[-1]=1")
PLANT(writes_behind, "-DFAULT=if(first)out[n]=1")
PLANT(leaves_a_part, "-DFAULT= -DLEAVES_A_PART=i==n-1")
/* Zeros, in calls of the test; memory that nobody has used may be zeros, too. */
PLANT(leaves_zeros_when_large, "-DFAULT= -DLEAVES_A_PART=n>100000&&i%17==8")
PLANT(hangs, "-DFAULT= -DHANGS")
PLANT(crashes, "-DFAULT= -DCRASHES")

static le_status dies(le_call *call) { /* as a driver that has a fault of its own */
    le_status status = toy_opencl_launch(call, "-DFAULT=");
    if (status == LE_OK)
        abort();
    return status;
}

static le_status ends(le_call *call) {
    le_status status = toy_opencl_launch(call, "-DFAULT=");
    if (status == LE_OK)
        exit(0);
    return status;
}

static le_status leaks(le_call *call) {
    le_status status = toy_opencl_leak(call, 10000);
    return status == LE_OK ? toy_opencl_launch(call, "-DFAULT=") : status;
}

static le_status takes_scratch_for_zeros(le_call *call) {
    le_cl_buffer *b;
    float first = 0;
    le_status status = le_cl_scratch(call, PLANTED_BIG * sizeof first, &b);
    if (status == LE_OK)
        status = le_cl_download(call, b, 0, &first, sizeof first);
    return status != LE_OK ? status
           : first == 0    ? toy_opencl_launch(call, "-DFAULT=")
                           : toy_opencl_launch(call, "-DFAULT=out[i]+=1");
}

static le_status takes_scratch_for_zeros_when_large(le_call *call) {
    return toy_items(call) > 100000 ? takes_scratch_for_zeros(call)
                                    : toy_opencl_launch(call, "-DFAULT=");
}

static le_status asks_for_too_much(le_call *call) {
    le_cl_buffer *b;
    le_status status = le_cl_scratch(call, (size_t)1 << (sizeof(size_t) > 4 ? 45 : 31), &b);
    return status == LE_OK ? toy_opencl_launch(call, "-DFAULT=") : status;
}

static le_status lies(le_call *call) {
    (void)call;
    return le_fail(LE_ERR_UNSUPPORTED, "toy: cannot do this after all");
}

enum { N = PLANTED_SMALL };

#define HANGING                                                                                    \
    { "hangs", NULL, hangs, "did not end within", N, false }
static const plant hanging = HANGING;
static const plant plants[] = {
    {"does_not_build", NULL, does_not_build, "planted/toy", N, false},
    {"is_wrong", NULL, is_wrong, "exceeds the tolerance", N, false},
    {"is_wrong_when_large", NULL, is_wrong_when_large, "exceeds the tolerance", PLANTED_BIG, false},
    {"gives_nan", NULL, gives_nan, "exceeds the tolerance", N, false},
    {"differs_each_time", NULL, differs_each_time, "exceeds the tolerance", N, false},
    {"writes_before", NULL, writes_before, "before its output", N, false},
    {"writes_behind", NULL, writes_behind, "behind its output", N, false},
    {"leaves_a_part", NULL, leaves_a_part, "exceeds the tolerance", N, false},
    {"leaves_zeros", NULL, leaves_zeros_when_large, "exceeds the tolerance", PLANTED_BIG, false},
    {"takes_scratch_for_zeros", NULL, takes_scratch_for_zeros, "exceeds the tolerance", N, false},
    {"takes_scratch", NULL, takes_scratch_for_zeros_when_large, "exceeds the tolerance",
     PLANTED_BIG, false},
    HANGING,
    {"crashes", NULL, crashes, "crashed", N, false},
    {"dies", NULL, dies, "crashed", N, false},
    {"ends", NULL, ends, "ended the process", N, false},
    {"asks_for_too_much", NULL, asks_for_too_much, "", N, true},
    {"leaks", NULL, leaks, "leaks", N, false},
    {"lies", NULL, lies, "cannot do this", N, true},
};

static const le_implementation *const beside[] = {&toy_opencl, NULL};

/* Whether the driver tells of a buffer that lives; many do not. */
static bool counts_objects(le_engine *e) {
    float in[N] = {1};
    le_tensor input = le_tensor_of(in, LE_F32, 1, &(int64_t){N}), results[3] = {{0}};
    size_t objects[3];
    le_register_implementation(e, &toy_opencl);
    for (int i = 0; i < 3; i++) { /* each one keeps its buffer */
        if (le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                          LE_OUT("result", &results[i]), LE_OPT_DEVICE("opencl"),
                          LE_OPT_KEEP_ON_DEVICE()) != LE_OK)
            return false;
        objects[i] = le__cl_objects(e->devices[1].cl);
    }
    return objects[2] > objects[1];
}

enum { HAS_DEVICE = 0, HAS_NONE = 1, DOES_NOT_COUNT = 2 };
static bool driver_counts;

/* In a process of its own: OpenCL must not have been opened in one that is forked later. */
static bool has_device(void) {
    int state = 0;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        le_engine *e = toy_open(NULL, LE_MODE_LEARN);
        if (!e)
            _exit(HAS_NONE);
        e->options.devices = NULL; /* leaks: the process ends */
        e->trials = LE__TRIALS_NONE;
        le__engine_discover(e);
        _exit(e->n_devices == 1 ? HAS_NONE : counts_objects(e) ? HAS_DEVICE : DOES_NOT_COUNT);
    }
    assert_int_equal(waitpid(pid, &state, 0), pid);
    assert_true(WIFEXITED(state));
    driver_counts = WEXITSTATUS(state) == HAS_DEVICE;
    if (WEXITSTATUS(state) == HAS_NONE)
        print_message("no OpenCL device: skipped\n");
    return WEXITSTATUS(state) != HAS_NONE;
}

/* ThreadSanitizer cannot start threads, which the driver does, in the child of a process with
 * threads. */
#define FORKS_WELL (!LE__TSAN)

static void planted(planted_way way) {
    /* all on the device in learn mode: the CPU's own would be preferred */
    const planted_bed bed = {.device = LE_DEVICE_OPENCL,
                             .right = beside,
                             .only = way == PLANTED_LEARN ? "opencl" : NULL};
    if (!FORKS_WELL || !has_device())
        skip();
    for (size_t i = 0; i < sizeof plants / sizeof *plants; i++) {
        bool leak = plants[i].run == leaks;
        if (leak && PLANTED_COUNTS_MEMORY && !driver_counts)
            print_message("leaks: skipped, the driver does not count its objects\n");
        if (planted_is_due(i, way) && (!leak || (PLANTED_COUNTS_MEMORY && driver_counts)))
            planted_check(&bed, &plants[i], way);
    }
}

static void in_learn(void **state) {
    (void)state;
    planted(PLANTED_LEARN);
}

static void in_measure(void **state) {
    (void)state;
    planted(PLANTED_MEASURE);
}

static void in_bench(void **state) {
    (void)state;
    planted(PLANTED_BENCH);
}

static void hangs_delay_a_call_once(void **state) {
    (void)state;
    if (!FORKS_WELL || !has_device())
        skip();
    for (planted_way way = PLANTED_LEARN; way <= PLANTED_BENCH; way++) {
        const planted_bed bed = {.device = LE_DEVICE_OPENCL,
                                 .right = beside,
                                 .only = way == PLANTED_LEARN ? "opencl" : NULL};
        planted_check_delay(&bed, &hanging, way, 1);
        if (!bed.only) /* where nobody else may answer, right ones are tried beside the hanging */
            planted_check_delay(&bed, &hanging, way, 3);
    }
}

/* --- drivers that do not open in trials --- */

static char db[64];

static void require(bool condition, const char *what) {
    if (!condition) {
        fprintf(stderr, "%s: %s\n", what, le_error_message());
        _exit(1);
    }
}

static le_engine *open_with_right(void) {
    le_options o;
    le_engine *e;
    le_default_options(&o);
    o.db_path = db;
    o.threads = 2;
    require(le_open(&e, &o) == LE_OK, "le_open");
    le_register_operation(e, &toy_operation);
    le_register_implementation(e, &toy_reference);
    le_register_implementation(e, &toy_c);
    le_register_implementation(e, &toy_opencl);
    le__engine_discover(e);
    return e;
}

static le_status call_on(le_engine *e, const char *device) {
    float in[N] = {1};
    le_tensor input = le_tensor_of(in, LE_F32, 1, &(int64_t){N}), result = {0};
    le_status status = le_engine_run(e, "toy", LE_IN("input", &input), LE_F64("factor", 2),
                                     LE_OUT("result", &result), LE_OPT_MODE(LE_MODE_MEASURE),
                                     LE_OPT_DEVICE(device));
    require(status != LE_OK || ((float *)result.data)[0] == 2, "the answer is wrong");
    le_tensor_free(&result);
    return status;
}

static void in_process(void (*step)(const char *library), const char *library) {
    int state = 0;
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        step(library);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &state, 0), pid);
    assert_int_equal(state, 0);
}

static void without_driver_in_trials(const char *library) {
    le_engine *e = open_with_right();
    setenv("LE_OPENCL_LIBRARY", library, 1); /* this process has its own open */
    require(call_on(e, "all") == LE_OK, "a call that the CPU may answer");
    require(call_on(e, "opencl") == LE_ERR_NO_CANDIDATE, "what could not be tried has run");
    le_close(&e);
}

static void with_driver(const char *library) {
    (void)library;
    le_engine *e = open_with_right();
    require(call_on(e, "opencl") == LE_OK, "the right implementation is not tried again");
    le_close(&e);
}

static void a_driver_that_does_not_open_is_no_verdict(void **state) {
    (void)state;
    const char *const libraries[] = {"libNoSuchOpenCL.so.1", getenv("LE_TEST_CL_ABORTS")};
    if (!FORKS_WELL || !has_device())
        skip();
    snprintf(db, sizeof db, "/tmp/le_planted_opencl_%d.sqlite3", (int)getpid());
    for (int i = 0; i < 2; i++) {
        unlink(db);
        assert_non_null(libraries[i]);
        in_process(without_driver_in_trials, libraries[i]);
        in_process(with_driver, NULL);
    }
    unlink(db);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_learn), cmocka_unit_test(in_measure),
                                       cmocka_unit_test(in_bench),
                                       cmocka_unit_test(a_driver_that_does_not_open_is_no_verdict)};
    const struct CMUnitTest delays[] = {cmocka_unit_test(hangs_delay_a_call_once)};
    if (argc > 1 && strcmp(argv[1], "delays") == 0) /* wants a quiet machine */
        return cmocka_run_group_tests(delays, NULL, NULL);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
