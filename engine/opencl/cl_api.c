/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Opening the OpenCL loader, and one list of error codes with their names and classes.
 */
#include "cl_api.h"

#include "core/os.h"
#include "opencl/opencl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NVIDIA_ILLEGAL_ACCESS  (-9999) /* a kernel read or wrote outside its buffers */
#define PLATFORM_NOT_FOUND_KHR (-1001)

#define CODES(X)                                                                                   \
    X(CL_DEVICE_NOT_FOUND, LE_ERR_UNSUPPORTED)                                                     \
    X(CL_DEVICE_NOT_AVAILABLE, LE_ERR_DEVICE_LOST)                                                 \
    X(CL_COMPILER_NOT_AVAILABLE, LE_ERR_UNSUPPORTED)                                               \
    X(CL_MEM_OBJECT_ALLOCATION_FAILURE, LE_ERR_DEVICE_MEMORY)                                      \
    X(CL_OUT_OF_RESOURCES, LE_ERR_DEVICE_MEMORY)                                                   \
    X(CL_OUT_OF_HOST_MEMORY, LE_ERR_MEMORY)                                                        \
    X(CL_PROFILING_INFO_NOT_AVAILABLE, LE_ERR_UNSUPPORTED)                                         \
    X(CL_MEM_COPY_OVERLAP, LE_ERR_INTERNAL)                                                        \
    X(CL_IMAGE_FORMAT_MISMATCH, LE_ERR_UNSUPPORTED)                                                \
    X(CL_IMAGE_FORMAT_NOT_SUPPORTED, LE_ERR_UNSUPPORTED)                                           \
    X(CL_BUILD_PROGRAM_FAILURE, LE_ERR_BUILD)                                                      \
    X(CL_MAP_FAILURE, LE_ERR_DEVICE_MEMORY)                                                        \
    X(CL_MISALIGNED_SUB_BUFFER_OFFSET, LE_ERR_UNSUPPORTED)                                         \
    X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, LE_ERR_DEVICE_LOST)                            \
    X(CL_COMPILE_PROGRAM_FAILURE, LE_ERR_BUILD)                                                    \
    X(CL_LINKER_NOT_AVAILABLE, LE_ERR_UNSUPPORTED)                                                 \
    X(CL_LINK_PROGRAM_FAILURE, LE_ERR_BUILD)                                                       \
    X(CL_DEVICE_PARTITION_FAILED, LE_ERR_UNSUPPORTED)                                              \
    X(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, LE_ERR_UNSUPPORTED)                                        \
    X(CL_INVALID_VALUE, LE_ERR_UNSUPPORTED)                                                        \
    X(CL_INVALID_DEVICE_TYPE, LE_ERR_UNSUPPORTED)                                                  \
    X(CL_INVALID_PLATFORM, LE_ERR_UNSUPPORTED)                                                     \
    X(CL_INVALID_DEVICE, LE_ERR_DEVICE_LOST)                                                       \
    X(CL_INVALID_CONTEXT, LE_ERR_DEVICE_LOST)                                                      \
    X(CL_INVALID_QUEUE_PROPERTIES, LE_ERR_UNSUPPORTED)                                             \
    X(CL_INVALID_COMMAND_QUEUE, LE_ERR_DEVICE_LOST)                                                \
    X(CL_INVALID_HOST_PTR, LE_ERR_INTERNAL)                                                        \
    X(CL_INVALID_MEM_OBJECT, LE_ERR_INTERNAL)                                                      \
    X(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, LE_ERR_UNSUPPORTED)                                      \
    X(CL_INVALID_IMAGE_SIZE, LE_ERR_UNSUPPORTED)                                                   \
    X(CL_INVALID_SAMPLER, LE_ERR_UNSUPPORTED)                                                      \
    X(CL_INVALID_BINARY, LE_ERR_BUILD)                                                             \
    X(CL_INVALID_BUILD_OPTIONS, LE_ERR_BUILD)                                                      \
    X(CL_INVALID_PROGRAM, LE_ERR_BUILD)                                                            \
    X(CL_INVALID_PROGRAM_EXECUTABLE, LE_ERR_BUILD)                                                 \
    X(CL_INVALID_KERNEL_NAME, LE_ERR_BUILD)                                                        \
    X(CL_INVALID_KERNEL_DEFINITION, LE_ERR_BUILD)                                                  \
    X(CL_INVALID_KERNEL, LE_ERR_INTERNAL)                                                          \
    X(CL_INVALID_ARG_INDEX, LE_ERR_UNSUPPORTED)                                                    \
    X(CL_INVALID_ARG_VALUE, LE_ERR_UNSUPPORTED)                                                    \
    X(CL_INVALID_ARG_SIZE, LE_ERR_UNSUPPORTED)                                                     \
    X(CL_INVALID_KERNEL_ARGS, LE_ERR_UNSUPPORTED)                                                  \
    X(CL_INVALID_WORK_DIMENSION, LE_ERR_UNSUPPORTED)                                               \
    X(CL_INVALID_WORK_GROUP_SIZE, LE_ERR_UNSUPPORTED)                                              \
    X(CL_INVALID_WORK_ITEM_SIZE, LE_ERR_UNSUPPORTED)                                               \
    X(CL_INVALID_GLOBAL_OFFSET, LE_ERR_UNSUPPORTED)                                                \
    X(CL_INVALID_EVENT_WAIT_LIST, LE_ERR_INTERNAL)                                                 \
    X(CL_INVALID_EVENT, LE_ERR_INTERNAL)                                                           \
    X(CL_INVALID_OPERATION, LE_ERR_UNSUPPORTED)                                                    \
    X(CL_INVALID_BUFFER_SIZE, LE_ERR_DEVICE_MEMORY)                                                \
    X(CL_INVALID_GLOBAL_WORK_SIZE, LE_ERR_UNSUPPORTED)                                             \
    X(CL_INVALID_PROPERTY, LE_ERR_UNSUPPORTED)                                                     \
    X(CL_INVALID_IMAGE_DESCRIPTOR, LE_ERR_UNSUPPORTED)                                             \
    X(CL_INVALID_COMPILER_OPTIONS, LE_ERR_BUILD)                                                   \
    X(CL_INVALID_LINKER_OPTIONS, LE_ERR_BUILD)                                                     \
    X(PLATFORM_NOT_FOUND_KHR, LE_ERR_UNSUPPORTED)                                                  \
    X(NVIDIA_ILLEGAL_ACCESS, LE_ERR_DEVICE_LOST)

static const struct {
    cl_int code;
    le_status status;
    const char *name;
} codes[] = {
#define LE_X(c, s) {c, s, #c},
    CODES(LE_X)
#undef LE_X
};

enum { N_CODES = sizeof codes / sizeof codes[0] };

const char *le__cl_code_name(cl_int code) {
    for (size_t i = 0; i < N_CODES; i++)
        if (codes[i].code == code)
            return codes[i].name;
    return "an unknown code";
}

le_status le__cl_code_status(cl_int code) {
    for (size_t i = 0; i < N_CODES; i++)
        if (codes[i].code == code)
            return codes[i].status;
    return code == CL_SUCCESS ? LE_OK : LE_ERR_UNSUPPORTED;
}

/* --- the loader --- */

static pthread_mutex_t tables_mutex = PTHREAD_MUTEX_INITIALIZER;
static le__cl_api *tables;
static _Atomic pid_t opened_by;

/* ISO C has no conversion from void * to a function pointer. */
static bool find(void *library, const char *name, void *function, size_t size) {
    void *p = dlsym(library, name);
    memcpy(function, &p, size);
    return p != NULL;
}

static le__cl_api *open_table(const char *file) {
    le__cl_api *api = calloc(1, sizeof *api);
    if (!api) {
        le_fail(LE_ERR_MEMORY, "OpenCL: out of memory");
        return NULL;
    }
    snprintf(api->file, sizeof api->file, "%s", file);
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    const char *missing = NULL;
    if (!library) {
        le_fail(LE_ERR_UNSUPPORTED, "OpenCL: the loader cannot be opened: %s", dlerror());
        free(api);
        return NULL;
    }
#define LE_X(name)                                                                                 \
    if (!find(library, #name, &api->name, sizeof api->name))                                       \
        missing = #name;
    LE__CL_FUNCTIONS(LE_X)
#undef LE_X
    if (missing) {
        le_fail(LE_ERR_UNSUPPORTED, "OpenCL: %s has no %s: version 1.2 is needed", file, missing);
        dlclose(library);
        free(api);
        return NULL;
    }
    return api;
}

static const char *wanted_file(void) {
    const char *file = secure_getenv("LE_OPENCL_LIBRARY");
    return file && *file ? file : "libOpenCL.so.1";
}

bool le__cl_was_opened(void) {
    le__os_lock(&tables_mutex);
    bool loaded = tables != NULL;
    pthread_mutex_unlock(&tables_mutex);
    void *library = loaded ? NULL : dlopen(wanted_file(), RTLD_NOW | RTLD_NOLOAD);
    if (library)
        dlclose(library);
    return loaded || library;
}

le_status le__cl_api_check_process(void) {
    pid_t by = atomic_load(&opened_by);
    if (by == 0 || by == getpid())
        return LE_OK;
    return le_fail(LE_ERR_UNSUPPORTED,
                   "OpenCL: this process was forked from one that had opened it; drivers do not "
                   "survive that");
}

const le__cl_api *le__cl_api_open(void) {
    const char *file = wanted_file();
    le__os_lock(&tables_mutex);
    if (tables && le__cl_api_check_process() != LE_OK) {
        pthread_mutex_unlock(&tables_mutex);
        return NULL;
    }
    atomic_store(&opened_by, getpid());
    le__cl_api *api = tables;
    while (api && strcmp(api->file, file) != 0)
        api = api->next;
    if (!api && (api = open_table(file)) != NULL) {
        api->next = tables;
        tables = api;
    }
    pthread_mutex_unlock(&tables_mutex);
    return api;
}
