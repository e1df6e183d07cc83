/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A stand-in for the OpenCL loader: it is linked with the real one, so what is not defined here is
 * found there, and counts or fails the calls defined here as a test asks. With LE_SHIM_WITHOUT_F64
 * in the environment no device has double precision, and kernels that name its type are not built.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void le_shim_fail(const char *function, int code);
EXPORT int le_shim_calls(const char *function);
EXPORT void le_shim_fail_enqueues(int after, int code);
EXPORT void le_shim_largest_buffer(long long bytes);
EXPORT void le_shim_driver(const char *version);
EXPORT void le_shim_slow_transfers(int milliseconds);

/* name, parameters, arguments, where the code goes for functions that return an object */
#define CODE_FUNCTIONS(X)                                                                          \
    X(clGetPlatformIDs, (cl_uint n, cl_platform_id * out, cl_uint * count), (n, out, count))       \
    X(clGetDeviceIDs,                                                                              \
      (cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id * out, cl_uint * count),        \
      (p, t, n, out, count))                                                                       \
    X(clBuildProgram,                                                                              \
      (cl_program p, cl_uint n, const cl_device_id *d, const char *o,                              \
       void(CL_CALLBACK * f)(cl_program, void *), void *u),                                        \
      (p, n, d, o, f, u))                                                                          \
    X(clSetKernelArg, (cl_kernel k, cl_uint i, size_t n, const void *v), (k, i, n, v))             \
    X(clFinish, (cl_command_queue q), (q))                                                         \
    X(clEnqueueNDRangeKernel,                                                                      \
      (cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g,               \
       const size_t *l, cl_uint n, const cl_event *w, cl_event *e),                                \
      (q, k, d, o, g, l, n, w, e))                                                                 \
    X(clEnqueueReadBuffer,                                                                         \
      (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t s, void *p, cl_uint n,            \
       const cl_event *w, cl_event *e),                                                            \
      (q, m, b, o, s, p, n, w, e))                                                                 \
    X(clEnqueueWriteBuffer,                                                                        \
      (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t s, const void *p, cl_uint n,      \
       const cl_event *w, cl_event *e),                                                            \
      (q, m, b, o, s, p, n, w, e))                                                                 \
    X(clEnqueueCopyBuffer,                                                                         \
      (cl_command_queue q, cl_mem m, cl_mem to, size_t o, size_t p, size_t s, cl_uint n,           \
       const cl_event *w, cl_event *e),                                                            \
      (q, m, to, o, p, s, n, w, e))                                                                \
    X(clEnqueueFillBuffer,                                                                         \
      (cl_command_queue q, cl_mem m, const void *p, size_t ps, size_t o, size_t s, cl_uint n,      \
       const cl_event *w, cl_event *e),                                                            \
      (q, m, p, ps, o, s, n, w, e))
#define OBJECT_FUNCTIONS(X)                                                                        \
    X(cl_context, clCreateContext,                                                                 \
      (const cl_context_properties *p, cl_uint n, const cl_device_id *d,                           \
       void(CL_CALLBACK * f)(const char *, const void *, size_t, void *), void *u, cl_int *code),  \
      (p, n, d, f, u, code))                                                                       \
    X(cl_command_queue, clCreateCommandQueue,                                                      \
      (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int * code),                \
      (c, d, p, code))                                                                             \
    X(cl_kernel, clCreateKernel, (cl_program p, const char *s, cl_int *code), (p, s, code))

enum function {
#define LE_X(name, ...)       F_##name,
#define LE_Y(type, name, ...) F_##name,
    CODE_FUNCTIONS(LE_X) OBJECT_FUNCTIONS(LE_Y) F_clCreateBuffer,
    F_clCreateProgramWithSource,
    F_clGetDeviceInfo,
    FUNCTIONS
#undef LE_X
#undef LE_Y
};

static const char *const names[] = {
#define LE_X(name, ...)       #name,
#define LE_Y(type, name, ...) #name,
    CODE_FUNCTIONS(LE_X) OBJECT_FUNCTIONS(LE_Y) "clCreateBuffer",
    "clCreateProgramWithSource",
    "clGetDeviceInfo",
#undef LE_X
#undef LE_Y
};

static atomic_int failing[FUNCTIONS], calls[FUNCTIONS];

static atomic_int enqueues_left, enqueue_code; /* 0: they do not fail */
static atomic_llong largest_buffer;            /* 0: any */
static const char *_Atomic driver;             /* NULL: its own */
static atomic_int slowness;                    /* of transfers, in milliseconds */

static int find(const char *function) {
    for (int i = 0; i < FUNCTIONS; i++)
        if (!strcmp(names[i], function))
            return i;
    return 0;
}

/* From now on the function fails with this code; 0: no more. */
void le_shim_fail(const char *function, int code) {
    atomic_store(&failing[find(function)], code);
}

/* Calls since the last question. */
int le_shim_calls(const char *function) {
    return atomic_exchange(&calls[find(function)], 0);
}

/* After so many more enqueues, all of them fail with this code, as those of a device that is gone;
 * code 0: no more. */
void le_shim_fail_enqueues(int after, int code) {
    atomic_store(&enqueues_left, after);
    atomic_store(&enqueue_code, code);
}

/* Larger buffers are refused for want of memory; 0: none. */
void le_shim_largest_buffer(long long bytes) {
    atomic_store(&largest_buffer, bytes);
}

/* Every device's driver version, a static text; NULL: its own. */
void le_shim_driver(const char *version) {
    atomic_store(&driver, version);
}

/* Each transfer takes so much longer. */
void le_shim_slow_transfers(int milliseconds) {
    atomic_store(&slowness, milliseconds);
}

static int enter(int f) {
    int wait =
        f == F_clEnqueueWriteBuffer || f == F_clEnqueueReadBuffer ? atomic_load(&slowness) : 0;
    atomic_fetch_add(&calls[f], 1);
    if (wait)
        nanosleep(&(struct timespec){wait / 1000, wait % 1000 * 1000000L}, NULL);
    int code = strncmp(names[f], "clEnqueue", 9) ? 0 : atomic_load(&enqueue_code);
    if (code && atomic_fetch_sub(&enqueues_left, 1) <= 0)
        return code;
    return atomic_load(&failing[f]);
}

static void next(int f, void *out) {
    void *p = dlsym(RTLD_NEXT, names[f]);
    memcpy(out, &p, sizeof p);
}

#define LE_X(name, parameters, arguments)                                                          \
    EXPORT cl_int name parameters {                                                                \
        int fail = enter(F_##name);                                                                \
        cl_int(*real) parameters;                                                                  \
        next(F_##name, &real);                                                                     \
        cl_int code = fail && F_##name != F_clFinish ? fail : real arguments;                      \
        return fail ? fail : code; /* a failing clFinish has waited too: memory may be freed */    \
    }
CODE_FUNCTIONS(LE_X)
#define LE_Y(type, name, parameters, arguments)                                                    \
    EXPORT type name parameters {                                                                  \
        int fail = enter(F_##name);                                                                \
        type(*real) parameters;                                                                    \
        next(F_##name, &real);                                                                     \
        if (!fail)                                                                                 \
            return real arguments;                                                                 \
        *code = fail;                                                                              \
        return NULL;                                                                               \
    }
OBJECT_FUNCTIONS(LE_Y)

EXPORT cl_mem clCreateBuffer(cl_context c, cl_mem_flags f, size_t n, void *p, cl_int *code) {
    cl_mem (*real)(cl_context, cl_mem_flags, size_t, void *, cl_int *);
    int fail = enter(F_clCreateBuffer);
    long long most = atomic_load(&largest_buffer);
    if (!fail && most && n > (size_t)most)
        fail = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    next(F_clCreateBuffer, &real);
    if (!fail)
        return real(c, f, n, p, code);
    *code = fail;
    return NULL;
}

/* The real compiler knows doubles; the texts are those of the engine, which end with 0. */
EXPORT cl_program clCreateProgramWithSource(cl_context c, cl_uint n, const char **s,
                                            const size_t *l, cl_int *code) {
    enum { MOST = 8 };
    const char *texts[MOST + 1] = {"#define double double_precision_is_not_here\n#line 1\n"};
    cl_program (*real)(cl_context, cl_uint, const char **, const size_t *, cl_int *);
    int fail = enter(F_clCreateProgramWithSource);
    next(F_clCreateProgramWithSource, &real);
    if (!fail && n > MOST)
        fail = CL_OUT_OF_HOST_MEMORY;
    if (fail) {
        *code = fail;
        return NULL;
    }
    if (!getenv("LE_SHIM_WITHOUT_F64") || l)
        return real(c, n, s, l, code);
    memcpy(texts + 1, s, n * sizeof *s);
    return real(c, n + 1, texts, NULL, code);
}

EXPORT cl_int clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t size, void *value,
                              size_t *needed) {
    cl_int (*real)(cl_device_id, cl_device_info, size_t, void *, size_t *);
    const char *own = atomic_load(&driver);
    next(F_clGetDeviceInfo, &real);
    if (what == CL_DEVICE_DOUBLE_FP_CONFIG && getenv("LE_SHIM_WITHOUT_F64")) {
        if (value && size >= sizeof(cl_device_fp_config))
            memset(value, 0, sizeof(cl_device_fp_config));
        if (needed)
            *needed = sizeof(cl_device_fp_config);
        return CL_SUCCESS;
    }
    if (what != CL_DRIVER_VERSION || !own)
        return real(d, what, size, value, needed);
    if (needed)
        *needed = strlen(own) + 1;
    if (value && size <= strlen(own))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, own, strlen(own) + 1);
    return CL_SUCCESS;
}
