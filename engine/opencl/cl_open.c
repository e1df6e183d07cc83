/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Finding the devices of all platforms for an engine, and letting go of them.
 */
#include "cl_device.h"
#include "cl_program.h"
#include "call/engine.h"
#include "core/array.h"
#include "core/tick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_PLATFORMS = 32, MAX_DEVICES = 64 };

static void platform_text(const le__cl *cl, cl_platform_id platform, cl_platform_info key,
                          char *out, size_t size) {
    char buffer[1024] = "";
    size_t n = 0;
    if (cl->api->clGetPlatformInfo(platform, key, sizeof buffer - 1, buffer, &n) != CL_SUCCESS)
        buffer[0] = '\0';
    snprintf(out, size, "%.*s", (int)size - 1, buffer);
}

static le__cl_device *new_device(le__cl *cl, cl_platform_id platform, cl_device_id id) {
    le__cl_device *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->api = cl->api;
    d->cl = cl;
    d->log = cl->log;
    d->platform = platform;
    d->id = id;
    atomic_init(&d->references, 1);
    pthread_mutex_init(&d->mutex, NULL);
    le__ticker_cond_init(&d->left);
    pthread_mutex_init(&d->memory_mutex, NULL);
    le__cl_staging_open(&d->staging);
    platform_text(cl, platform, CL_PLATFORM_VERSION, d->platform_version,
                  sizeof d->platform_version);
    return d;
}

static bool append(le__cl *cl, le__cl_device *d) {
    if (!LE__ARRAY_RESIZE(cl->devices, cl->n_devices + 1))
        return false;
    cl->devices[cl->n_devices++] = d;
    return true;
}

static void add_device(le__cl *cl, cl_platform_id platform, cl_device_id id) {
    le__cl_device *d = new_device(cl, platform, id);
    if (!d)
        return;
    bool usable = le__cl_device_query(d);
    if (!usable)
        le__log_write(&cl->log, LE_LOG_INFO,
                      "OpenCL: device '%s' is left out: not available, or without a compiler",
                      d->name);
    if (!usable || !append(cl, d))
        le__cl_device_release(d);
}

static void add_platform(le__cl *cl, cl_platform_id platform) {
    cl_device_id ids[MAX_DEVICES];
    cl_uint n = 0;
    char name[128];
    platform_text(cl, platform, CL_PLATFORM_NAME, name, sizeof name);
    cl_int code = cl->api->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, ids, &n);
    if (code != CL_SUCCESS) {
        le__log_write(&cl->log, LE_LOG_INFO, "OpenCL: platform '%s' has no devices: %s", name,
                      le__cl_code_name(code));
        return;
    }
    for (cl_uint i = 0; i < n && i < MAX_DEVICES; i++)
        add_device(cl, platform, ids[i]);
}

static void find_devices(le__cl *cl) {
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint n = 0;
    cl_int code = cl->api->clGetPlatformIDs(MAX_PLATFORMS, platforms, &n);
    if (code != CL_SUCCESS || n == 0) {
        le__log_write(&cl->log, LE_LOG_INFO, "OpenCL: no platform: %s", le__cl_code_name(code));
        return;
    }
    for (cl_uint i = 0; i < n && i < MAX_PLATFORMS; i++)
        add_platform(cl, platforms[i]);
}

const bool le__cl_built = true;

static void check_folder(const le__cl *cl) {
    struct stat about;
    if (cl->cl_dir && (stat(cl->cl_dir, &about) != 0 || !S_ISDIR(about.st_mode)))
        le__log_write(&cl->log, LE_LOG_WARNING,
                      "OpenCL: there is no folder '%.256s' (LE_CL_DIR): the kernels that are built "
                      "in are used",
                      cl->cl_dir);
}

static void add_to_engine(le_engine *e, size_t i) {
    int n = e->n_devices;
    if (n == LE__MAX_DEVICES)
        return;
    le__device *d = &e->devices[n];
    d->cl = e->cl->devices[i];
    const le_cl_info *info = &d->cl->info;
    d->index = n;
    d->kind = LE_DEVICE_OPENCL;
    d->cpu_type = info->is_cpu;
    d->info = info;
    d->begin = le__cl_begin;
    d->end = le__cl_end;
    snprintf(d->id, sizeof d->id, "opencl:%zu", i);
    snprintf(d->name, sizeof d->name, "%s", info->name);
    snprintf(d->vendor, sizeof d->vendor, "%s", info->vendor);
    snprintf(d->driver, sizeof d->driver, "%s", info->driver);
    snprintf(d->version, sizeof d->version, "%s", info->version);
    e->n_devices = n + 1;
}

le_status le__cl_add_devices(le_engine *e) {
    const le_options *o = &e->options;
    le__cl *cl = calloc(1, sizeof *cl);
    if (!cl)
        return le_fail(LE_ERR_MEMORY, "OpenCL: out of memory");
    cl->log = e->log;
    cl->memory_limit_bytes = o->device_memory_limit_bytes;
    cl->pool = e->pool;
    cl->kept = e->kept;
    cl->cl_dir = o->cl_dir && *o->cl_dir ? strdup(o->cl_dir) : NULL;
    cl->cache_dir = le__cl_cache_dir(o->cache_dir);
    cl->api = le__cl_api_open();
    e->cl = cl;
    if (!cl->api)
        le__log_write(&cl->log, LE_LOG_INFO, "%s", le_error_message());
    else
        find_devices(cl);
    check_folder(cl);
    for (size_t i = 0; i < cl->n_devices; i++)
        add_to_engine(e, i);
    return LE_OK;
}

static void close_device(le__cl_device *d) {
    pthread_mutex_lock(&d->mutex);
    for (int i = 0; i <= LE__CL_LANES; i++)
        if (d->queues[i])
            d->api->clFinish(d->queues[i]);
    le__cl_programs_free(d);
    le__cl_device_drop_spares(d, true);
    d->cl = NULL;
    d->log = (le__log){0};
    pthread_mutex_unlock(&d->mutex);
    le__cl_device_release(d);
}

void le__cl_close(le__cl *cl) {
    if (!cl)
        return;
    for (size_t i = 0; i < cl->n_devices; i++)
        close_device(cl->devices[i]);
    free(cl->devices);
    free(cl->cache_dir);
    free(cl->cl_dir);
    free(cl);
}

size_t le__cl_objects(const le__cl_device *device) {
    cl_uint n = 0;
    if (!device || !device->context ||
        device->api->clGetContextInfo(device->context, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n,
                                      NULL) != CL_SUCCESS)
        return 0;
    return n - (device->staging.mem != NULL);
}

void le__cl_set_profile(le__cl *cl, struct le_profile *profile) {
    if (cl)
        cl->profile = profile;
}
