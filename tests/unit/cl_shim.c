/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A stand-in for the OpenCL loader: it is linked with the real one, so what is not defined here is
 * found there, and counts or fails the calls defined here as a test asks.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void le_shim_fail(const char *function, int code);
EXPORT int le_shim_calls(const char *function);

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
      (q, m, b, o, s, p, n, w, e))
#define OBJECT_FUNCTIONS(X)                                                                        \
    X(cl_context, clCreateContext,                                                                 \
      (const cl_context_properties *p, cl_uint n, const cl_device_id *d,                           \
       void(CL_CALLBACK * f)(const char *, const void *, size_t, void *), void *u, cl_int *code),  \
      (p, n, d, f, u, code))                                                                       \
    X(cl_command_queue, clCreateCommandQueue,                                                      \
      (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int * code),                \
      (c, d, p, code))                                                                             \
    X(cl_mem, clCreateBuffer, (cl_context c, cl_mem_flags f, size_t n, void *p, cl_int *code),     \
      (c, f, n, p, code))                                                                          \
    X(cl_program, clCreateProgramWithSource,                                                       \
      (cl_context c, cl_uint n, const char **s, const size_t *l, cl_int *code),                    \
      (c, n, s, l, code))                                                                          \
    X(cl_kernel, clCreateKernel, (cl_program p, const char *s, cl_int *code), (p, s, code))

enum function {
#define LE_X(name, ...)       F_##name,
#define LE_Y(type, name, ...) F_##name,
    CODE_FUNCTIONS(LE_X) OBJECT_FUNCTIONS(LE_Y) FUNCTIONS
#undef LE_X
#undef LE_Y
};

static const char *const names[] = {
#define LE_X(name, ...)       #name,
#define LE_Y(type, name, ...) #name,
    CODE_FUNCTIONS(LE_X) OBJECT_FUNCTIONS(LE_Y)
#undef LE_X
#undef LE_Y
};

static atomic_int failing[FUNCTIONS], calls[FUNCTIONS];

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

static int enter(int f) {
    atomic_fetch_add(&calls[f], 1);
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
