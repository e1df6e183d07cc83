/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Programs and drivers: builds, binaries on disk, kernels from a folder, and every way a driver can
 * fail, by a stand-in for the loader (cl_shim.c). Without that stand-in or without a device they
 * are skipped.
 */
#include "opencl_fixture.h"

#include <dirent.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void (*shim_fail)(const char *function, int code);
static int (*shim_calls)(const char *function);
static char folder[] = "/tmp/le_test_opencl_XXXXXX";
static bool has_device;
static char log_text[1 << 16];

static void find_function(void *library, const char *name, void *out) {
    void *p = dlsym(library, name);
    memcpy(out, &p, sizeof p);
}

static int set_up(void **state) {
    (void)state;
    assert_non_null(mkdtemp(folder));
    const char *path = getenv("LE_TEST_CL_SHIM");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        print_message("no stand-in for the OpenCL loader: skipped\n");
        return 0;
    }
    find_function(library, "le_shim_fail", &shim_fail);
    find_function(library, "le_shim_calls", &shim_calls);
    setenv("LE_OPENCL_LIBRARY", path, 1);
    le_engine *e = fixture_open("", NULL, 0);
    has_device = fixture_has_device(e);
    le_close(&e);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? 0 : -1;
}

#define NEEDS_DEVICE()                                                                             \
    if (!has_device)                                                                               \
    skip()

static void keep_log(void *cookie, le_log_level level, const char *text) {
    (void)cookie;
    (void)level;
    strncat(log_text, text, sizeof log_text - strlen(log_text) - 2);
    strcat(log_text, "\n");
}

static le_status run_once(le_engine *e) {
    le_tensor a = fixture_tensor(1, (int64_t[]){100}, 1), b = {0};
    le_status status = fixture_run(e, "buffers", NULL, &a, 2, &b, false);
    if (status == LE_OK)
        fixture_expect(&a, 2, &b);
    else
        assert_null(b.storage);
    le_tensor_free(&a);
    le_tensor_free(&b);
    return status;
}

/* --- builds --- */

static void a_build_failure_tells_why(void **state) {
    (void)state;
    NEEDS_DEVICE();
    le_options o;
    le_default_options(&o);
    o.cache_dir = "";
    o.log = keep_log;
    log_text[0] = '\0';
    setenv("LE_LOG", "debug", 1);
    le_engine *e = fixture_open_with(&o);
    unsetenv("LE_LOG");
    le_tensor a = fixture_tensor(1, (int64_t[]){10}, 1), b = {0};
    assert_int_equal(fixture_run(e, "broken", NULL, &a, 2, &b, false), LE_ERR_BUILD);
    assert_non_null(strstr(le_error_message(), "test/broken"));
    assert_non_null(strstr(log_text, "undeclared_name"));
    assert_null(b.storage);
    assert_int_equal(run_once(e), LE_OK);
    le_tensor_free(&a);
    le_close(&e);
}

static void kernels_are_built_once(void **state) {
    (void)state;
    NEEDS_DEVICE();
    le_engine *e = fixture_open("", NULL, 0);
    shim_calls("clBuildProgram");
    shim_calls("clCreateKernel");
    for (int i = 0; i < 3; i++)
        assert_int_equal(run_once(e), LE_OK);
    assert_int_equal(shim_calls("clBuildProgram"), 1);
    assert_int_equal(shim_calls("clCreateKernel"), 1);
    le_close(&e);
}

/* --- binaries on disk --- */

static int sources_built(const char *cache_dir) {
    le_engine *e = fixture_open(cache_dir, NULL, 0);
    shim_calls("clCreateProgramWithSource");
    assert_int_equal(run_once(e), LE_OK);
    int n = shim_calls("clCreateProgramWithSource");
    le_close(&e);
    return n;
}

/* Path of the only file in dir. */
static void only_file(const char *dir, char *path, size_t size) {
    DIR *d = opendir(dir);
    assert_non_null(d);
    int n = 0;
    for (struct dirent *f; (f = readdir(d)) != NULL;)
        if (f->d_name[0] != '.') {
            snprintf(path, size, "%s/%s", dir, f->d_name);
            n++;
        }
    closedir(d);
    assert_int_equal(n, 1);
}

static void binaries_are_used_again(void **state) {
    (void)state;
    NEEDS_DEVICE();
    char dir[128], path[512];
    snprintf(dir, sizeof dir, "%s/deep/cache", folder);
    assert_int_equal(sources_built(dir), 1);
    only_file(dir, path, sizeof path);
    assert_int_equal(sources_built(dir), 0);
}

static void damaged_binaries_are_rebuilt(void **state) {
    (void)state;
    NEEDS_DEVICE();
    char dir[128], path[512];
    snprintf(dir, sizeof dir, "%s/damaged", folder);
    assert_int_equal(sources_built(dir), 1);
    only_file(dir, path, sizeof path);
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    for (int kind = 0; kind < 3; kind++) {
        if (kind == 0)
            assert_int_equal(truncate(path, s.st_size / 2), 0);
        if (kind == 1)
            assert_int_equal(truncate(path, 0), 0);
        if (kind == 2) { /* one bit of the binary */
            FILE *f = fopen(path, "r+b");
            fseek(f, (long)s.st_size - 100, SEEK_SET);
            int c = fgetc(f);
            fseek(f, (long)s.st_size - 100, SEEK_SET);
            fputc(c ^ 1, f);
            fclose(f);
        }
        assert_int_equal(sources_built(dir), 1);
        assert_int_equal(sources_built(dir), 0);
    }
}

static void an_unwritable_cache_does_no_harm(void **state) {
    (void)state;
    NEEDS_DEVICE();
    assert_int_equal(sources_built("/proc/no/such/folder"), 1);
}

/* --- kernels from a folder --- */

static void write_text(const char *dir, const char *name, const char *text) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void a_folder_replaces_embedded_kernels(void **state) {
    (void)state;
    NEEDS_DEVICE();
    char dir[128], sub[160], cache[160];
    snprintf(dir, sizeof dir, "%s/cl", folder);
    snprintf(sub, sizeof sub, "%s/test", dir);
    snprintf(cache, sizeof cache, "%s/cl_cache", folder);
    assert_int_equal(mkdir(dir, 0700) + mkdir(sub, 0700), 0);
    le_tensor a = fixture_tensor(1, (int64_t[]){10}, 1);
    ((float *)a.data)[0] = 1;
    for (int term = 5; term < 7;
         term++) { /* the second is not answered by the first one's binary */
        char text[64];
        le_tensor b = {0};
        snprintf(text, sizeof text, "#define TERM %d.0f\n", term);
        write_text(sub, "term.clh", text);
        write_text(
            sub, "scale.cl",
            "#include \"test/term.clh\"\n#include \"test/term.clh\"\n"
            "__kernel void scale(__global const float *in, __global float *out, float f, int n) {\n"
            "    int i = get_global_id(0);\n    if (i < n) out[i] = f * in[i] + TERM;\n}\n");
        le_engine *e = fixture_open(cache, dir, 0);
        assert_int_equal(fixture_run(e, "buffers", NULL, &a, 2, &b, false), LE_OK);
        assert_float_equal(*(float *)b.data, (float)(2 + term), 0);
        le_tensor_free(&b);
        le_close(&e);
    }
    le_tensor b = {0};
    write_text(sub, "scale.cl", "#include \"test/missing.clh\"\n");
    le_engine *e = fixture_open(cache, dir, 0);
    assert_int_equal(fixture_run(e, "buffers", NULL, &a, 2, &b, false), LE_ERR_BUILD);
    assert_non_null(strstr(le_error_message(), "missing.clh"));
    le_close(&e);
    le_tensor_free(&a);
}

/* --- failing drivers --- */

static const struct {
    const char *function;
    int code;
    le_status expected;
    const char *text;
} faults[] = {
    {"clCreateContext", -2, LE_ERR_DEVICE_LOST, "CL_DEVICE_NOT_AVAILABLE"},
    {"clCreateCommandQueue", -6, LE_ERR_MEMORY, "CL_OUT_OF_HOST_MEMORY"},
    {"clCreateBuffer", -4, LE_ERR_DEVICE_MEMORY, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {"clCreateBuffer", -61, LE_ERR_DEVICE_MEMORY, "CL_INVALID_BUFFER_SIZE"},
    {"clBuildProgram", -11, LE_ERR_BUILD, "CL_BUILD_PROGRAM_FAILURE"},
    {"clBuildProgram", -5, LE_ERR_DEVICE_MEMORY, "CL_OUT_OF_RESOURCES"},
    {"clCreateKernel", -46, LE_ERR_BUILD, "CL_INVALID_KERNEL_NAME"},
    {"clSetKernelArg", -51, LE_ERR_UNSUPPORTED, "CL_INVALID_ARG_SIZE"},
    {"clEnqueueWriteBuffer", -5, LE_ERR_DEVICE_MEMORY, "CL_OUT_OF_RESOURCES"},
    {"clEnqueueNDRangeKernel", -5, LE_ERR_DEVICE_MEMORY, "CL_OUT_OF_RESOURCES"},
    {"clEnqueueNDRangeKernel", -54, LE_ERR_UNSUPPORTED, "CL_INVALID_WORK_GROUP_SIZE"},
    {"clEnqueueNDRangeKernel", -9999, LE_ERR_DEVICE_LOST, "NVIDIA_ILLEGAL_ACCESS"},
    {"clEnqueueNDRangeKernel", -12345, LE_ERR_UNSUPPORTED, "-12345"},
    {"clFinish", -36, LE_ERR_DEVICE_LOST, "CL_INVALID_COMMAND_QUEUE"},
    {"clEnqueueReadBuffer", -5, LE_ERR_DEVICE_MEMORY, "CL_OUT_OF_RESOURCES"},
};

static void failures_are_classified(void **state) {
    (void)state;
    NEEDS_DEVICE();
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        le_engine *e = fixture_open("", NULL, 0);
        shim_fail(faults[i].function, faults[i].code);
        le_status status = run_once(e);
        shim_fail(faults[i].function, 0);
        if (status != faults[i].expected || !strstr(le_error_message(), faults[i].text))
            fail_msg("%s %d: status %d: %s", faults[i].function, faults[i].code, status,
                     le_error_message());
        assert_int_equal(atomic_load(&e->devices[1].lost), status == LE_ERR_DEVICE_LOST);
        if (status != LE_ERR_DEVICE_LOST)
            assert_int_equal(run_once(e), LE_OK);
        le_close(&e);
    }
}

/* An upload that was queued before the failure is not taken for a good copy afterwards. */
static void a_failed_run_leaves_no_copies(void **state) {
    (void)state;
    NEEDS_DEVICE();
    le_engine *e = fixture_open("", NULL, 0);
    le_tensor a = fixture_tensor(1, (int64_t[]){100}, 2), b = {0};
    le__run_stats stats;
    shim_fail("clEnqueueNDRangeKernel", -5);
    assert_int_equal(fixture_run(e, "buffers", NULL, &a, 2, &b, false), LE_ERR_DEVICE_MEMORY);
    shim_fail("clEnqueueNDRangeKernel", 0);
    assert_int_equal(fixture_run(e, "buffers", &stats, &a, 2, &b, false), LE_OK);
    assert_int_equal(stats.bytes_to_device, 400);
    fixture_expect(&a, 2, &b);
    le_tensor_free(&a);
    le_tensor_free(&b);
    le_close(&e);
}

static void a_broken_platform_means_no_devices(void **state) {
    (void)state;
    NEEDS_DEVICE();
    static const char *const functions[] = {"clGetPlatformIDs", "clGetDeviceIDs"};
    for (int i = 0; i < 2; i++) {
        shim_fail(functions[i], -1001);
        le_engine *e = fixture_open("", NULL, 0);
        shim_fail(functions[i], 0);
        assert_false(fixture_has_device(e));
        le_close(&e);
    }
}

/* --- no OpenCL --- */

static void answers_without_opencl(void) {
    le_options o;
    le_default_options(&o);
    o.cache_dir = "";
    o.log = keep_log;
    log_text[0] = '\0';
    le_engine *e = fixture_open_with(&o);
    le_tensor a = fixture_tensor(1, (int64_t[]){10}, 1), b = {0};
    assert_false(fixture_has_device(e));
    assert_non_null(strstr(log_text, "OpenCL"));
    assert_int_equal(le_engine_run(e, "test_scale", LE_IN("input", &a), LE_OUT("result", &b),
                                   LE_OPT_DEVICE("opencl")),
                     LE_ERR_NO_CANDIDATE);
    assert_int_equal(le_engine_run(e, "test_scale", LE_IN("input", &a), LE_OUT("result", &b)),
                     LE_OK);
    fixture_expect(&a, 2, &b);
    le_tensor_free(&a);
    le_tensor_free(&b);
    le_close(&e);
}

static void a_missing_loader_means_no_devices(void **state) {
    (void)state;
    char before[4096] = "";
    if (getenv("LE_OPENCL_LIBRARY"))
        snprintf(before, sizeof before, "%s", getenv("LE_OPENCL_LIBRARY"));
    setenv("LE_OPENCL_LIBRARY", "libNoSuchOpenCL.so.1", 1);
    answers_without_opencl();
    setenv("LE_OPENCL_LIBRARY", "libm.so.6", 1); /* opens, but is no OpenCL */
    answers_without_opencl();
    setenv("LE_OPENCL_LIBRARY", before, 1);
}

/* The loader reads its list of drivers once a process. */
static void no_drivers_means_no_devices(void **state) {
    (void)state;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        setenv("OCL_ICD_VENDORS", "/nonexistent", 1);
        unsetenv("LE_OPENCL_LIBRARY");
        execl("/proc/self/exe", "test_opencl_programs", "--without-drivers", (char *)NULL);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void without_drivers(void **state) {
    (void)state;
    answers_without_opencl();
}

int main(int argc, char **argv) {
    const struct CMUnitTest one[] = {cmocka_unit_test(without_drivers)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_build_failure_tells_why),
        cmocka_unit_test(kernels_are_built_once),
        cmocka_unit_test(binaries_are_used_again),
        cmocka_unit_test(damaged_binaries_are_rebuilt),
        cmocka_unit_test(an_unwritable_cache_does_no_harm),
        cmocka_unit_test(a_folder_replaces_embedded_kernels),
        cmocka_unit_test(failures_are_classified),
        cmocka_unit_test(a_failed_run_leaves_no_copies),
        cmocka_unit_test(a_broken_platform_means_no_devices),
        cmocka_unit_test(a_missing_loader_means_no_devices),
        cmocka_unit_test(no_drivers_means_no_devices),
    };
    if (argc > 1 && !strcmp(argv[1], "--without-drivers"))
        return cmocka_run_group_tests(one, NULL, NULL);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
