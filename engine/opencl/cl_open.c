/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Finding the devices of all platforms, and letting go of them.
 */
#include "cl_device.h"
#include "cl_program.h"
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

bool le__cl_was_opened(void) {
    return le__cl_api_is_loaded();
}

static void check_folder(const le__cl *cl) {
    struct stat about;
    if (cl->cl_dir && (stat(cl->cl_dir, &about) != 0 || !S_ISDIR(about.st_mode)))
        le__log_write(&cl->log, LE_LOG_WARNING,
                      "OpenCL: there is no folder '%.256s' (LE_CL_DIR): the kernels that are built "
                      "in are used",
                      cl->cl_dir);
}

le_status le__cl_open(le__cl **out, const le__cl_options *options, const le__log *log) {
    *out = NULL;
    le__cl *cl = calloc(1, sizeof *cl);
    if (!cl)
        return le_fail(LE_ERR_MEMORY, "OpenCL: out of memory");
    cl->log = *log;
    cl->memory_limit_bytes = options->memory_limit_bytes;
    cl->pool = options->pool;
    cl->cl_dir = options->cl_dir && *options->cl_dir ? strdup(options->cl_dir) : NULL;
    cl->cache_dir = le__cl_cache_dir(options->cache_dir);
    cl->api = le__cl_api_open(NULL);
    *out = cl;
    if (!cl->api)
        le__log_write(log, LE_LOG_INFO, "%s", le_error_message());
    else
        find_devices(cl);
    check_folder(cl);
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

size_t le__cl_count(const le__cl *cl) {
    return cl ? cl->n_devices : 0;
}

le__cl_device *le__cl_device_at(le__cl *cl, size_t i) {
    return cl->devices[i];
}

const le_cl_info *le__cl_device_info(const le__cl_device *device) {
    return device ? &device->info : NULL;
}

size_t le__cl_objects(const le__cl_device *device) {
    cl_uint n = 0;
    if (!device || !device->context ||
        device->api->clGetContextInfo(device->context, CL_CONTEXT_REFERENCE_COUNT, sizeof n, &n,
                                      NULL) != CL_SUCCESS)
        return 0;
    return n - (device->staging.mem != NULL);
}

void le__cl_set_kept(le__cl *cl, struct le__keep *kept) {
    cl->kept = kept;
}

void le__cl_set_profile(le__cl *cl, le__cl_profile_fn fn, void *cookie) {
    if (!cl)
        return;
    cl->profile = fn;
    cl->profile_cookie = cookie;
}
