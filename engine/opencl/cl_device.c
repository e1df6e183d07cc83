/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A device's identity, context, queue and memory. Released buffers are kept for the next execution:
 * drivers take long to make fresh ones, and problems come again.
 */
#include "cl_device.h"

#include "call/keep.h"

#include <stdlib.h>
#include <string.h>

enum {
    GRANULE = 256, /* buffers are rounded up to it, so that spares fit more often */
    CPU_SPARE_BYTES = 16 << 20
};

le_status le__cl_fail(const le__cl_device *d, cl_int code, const char *what) {
    return le_fail(le__cl_code_status(code), "opencl: %s: %s: %s (%d)", d->name, what,
                   le__cl_code_name(code), (int)code);
}

/* --- identity --- */

static bool text(const le__cl_device *d, cl_device_info key, char *out, size_t size) {
    size_t n = 0;
    char buffer[1024] = "";
    if (d->api->clGetDeviceInfo(d->id, key, 0, NULL, &n) != CL_SUCCESS || n > sizeof buffer ||
        d->api->clGetDeviceInfo(d->id, key, n, buffer, NULL) != CL_SUCCESS)
        return false;
    const char *start = buffer + strspn(buffer, " ");
    n = strnlen(start, size - 1);
    memcpy(out, start, n);
    out[n] = '\0';
    return true;
}

static bool value(const le__cl_device *d, cl_device_info key, void *out, size_t size) {
    return d->api->clGetDeviceInfo(d->id, key, size, out, NULL) == CL_SUCCESS;
}

static bool query_limits(le__cl_device *d) {
    le_cl_info *info = &d->info;
    cl_ulong memory = 0, buffer = 0, local = 0;
    size_t group = 0;
    cl_uint units = 0, width = 0, alignment_bits = 0;
    bool ok = value(d, CL_DEVICE_GLOBAL_MEM_SIZE, &memory, sizeof memory) &&
              value(d, CL_DEVICE_MAX_MEM_ALLOC_SIZE, &buffer, sizeof buffer) &&
              value(d, CL_DEVICE_LOCAL_MEM_SIZE, &local, sizeof local) &&
              value(d, CL_DEVICE_MAX_WORK_GROUP_SIZE, &group, sizeof group) &&
              value(d, CL_DEVICE_MAX_COMPUTE_UNITS, &units, sizeof units) &&
              value(d, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, &width, sizeof width) &&
              value(d, CL_DEVICE_MEM_BASE_ADDR_ALIGN, &alignment_bits, sizeof alignment_bits);
    int64_t limit = d->cl->memory_limit_bytes;
    info->memory_bytes = limit > 0 ? limit : (int64_t)(memory / 5 * 4);
    info->max_buffer_bytes = (int64_t)(buffer < INT64_MAX ? buffer : INT64_MAX);
    info->local_bytes = (size_t)local;
    info->max_work_group = group;
    info->compute_units = units;
    info->vector_width_f32 = width;
    d->sub_buffer_alignment = alignment_bits >= 8 ? alignment_bits / 8 : 1;
    return ok;
}

static void query_features(le__cl_device *d) {
    le_cl_info *info = &d->info;
    cl_device_type type = 0;
    cl_bool images = CL_FALSE, unified = CL_FALSE;
    cl_device_fp_config f64 = 0;
    value(d, CL_DEVICE_TYPE, &type, sizeof type);
    value(d, CL_DEVICE_IMAGE_SUPPORT, &images, sizeof images);
    value(d, CL_DEVICE_HOST_UNIFIED_MEMORY, &unified, sizeof unified);
    value(d, CL_DEVICE_DOUBLE_FP_CONFIG, &f64, sizeof f64);
    static const cl_device_info sizes[3] = {
        CL_DEVICE_IMAGE3D_MAX_WIDTH, CL_DEVICE_IMAGE3D_MAX_HEIGHT, CL_DEVICE_IMAGE3D_MAX_DEPTH};
    for (int i = 0; images && i < 3; i++)
        value(d, sizes[i], &info->max_image3d[i], sizeof info->max_image3d[i]);
    info->is_cpu = (type & CL_DEVICE_TYPE_CPU) != 0;
    info->has_images = images == CL_TRUE;
    info->unified_memory = unified == CL_TRUE;
    info->has_f64 = f64 != 0;
}

bool le__cl_device_query(le__cl_device *d) {
    cl_bool available = CL_FALSE, compiler = CL_FALSE;
    bool ok = text(d, CL_DEVICE_NAME, d->name, sizeof d->name) &&
              text(d, CL_DEVICE_VENDOR, d->vendor, sizeof d->vendor) &&
              text(d, CL_DRIVER_VERSION, d->driver, sizeof d->driver) &&
              text(d, CL_DEVICE_VERSION, d->version, sizeof d->version) && query_limits(d) &&
              value(d, CL_DEVICE_AVAILABLE, &available, sizeof available) &&
              value(d, CL_DEVICE_COMPILER_AVAILABLE, &compiler, sizeof compiler);
    query_features(d);
    d->info.name = d->name;
    d->info.vendor = d->vendor;
    d->info.driver = d->driver;
    d->info.version = d->version;
    return ok && available && compiler;
}

/* --- life --- */

le_status le__cl_device_ready(le__cl_device *d) {
    cl_int code = CL_SUCCESS;
    if (d->queues[LE__CL_LANES])
        return LE_OK;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM,
                                                (cl_context_properties)d->platform, 0};
    if (!d->context)
        d->context = d->api->clCreateContext(properties, 1, &d->id, NULL, NULL, &code);
    if (!d->context)
        return le__cl_fail(d, code, "clCreateContext");
    for (int i = 0; i <= LE__CL_LANES; i++) {
        if (!d->queues[i])
            d->queues[i] =
                d->api->clCreateCommandQueue(d->context, d->id, CL_QUEUE_PROFILING_ENABLE, &code);
        if (!d->queues[i])
            return le__cl_fail(d, code, "clCreateCommandQueue");
    }
    return LE_OK;
}

le__cl_device *le__cl_device_retain(le__cl_device *d) {
    atomic_fetch_add(&d->references, 1);
    return d;
}

void le__cl_device_release(le__cl_device *d) {
    if (atomic_fetch_sub(&d->references, 1) != 1)
        return;
    le__cl_staging_close(d);
    for (int i = 0; i <= LE__CL_LANES; i++)
        if (d->queues[i])
            d->api->clReleaseCommandQueue(d->queues[i]);
    if (d->context)
        d->api->clReleaseContext(d->context);
    pthread_mutex_destroy(&d->mutex);
    pthread_cond_destroy(&d->left);
    pthread_mutex_destroy(&d->memory_mutex);
    free(d);
}

/* --- memory --- */

static size_t rounded(size_t bytes) {
    return bytes > SIZE_MAX - GRANULE ? bytes
                                      : (bytes / GRANULE + (bytes % GRANULE || !bytes)) * GRANULE;
}

/* memory_mutex is held in the functions below. */
static void drop_spares(le__cl_device *d) {
    while (d->n_spares > 0) {
        le__cl_spare *s = &d->spares[--d->n_spares];
        d->api->clReleaseMemObject(s->mem);
        d->allocated_bytes -= (int64_t)s->bytes;
    }
}

static cl_mem take_spare(le__cl_device *d, size_t bytes) {
    for (size_t i = 0; i < d->n_spares; i++)
        if (d->spares[i].bytes == bytes) {
            cl_mem mem = d->spares[i].mem;
            d->spares[i] = d->spares[--d->n_spares];
            return mem;
        }
    return NULL;
}

static le_status reserve(le__cl_device *d, size_t bytes) {
    if (d->allocated_bytes > d->info.memory_bytes - (int64_t)bytes)
        drop_spares(d);
    if (d->allocated_bytes > d->info.memory_bytes - (int64_t)bytes)
        return le_fail(LE_ERR_DEVICE_MEMORY,
                       "opencl: %s: %zu bytes are needed beside %lld in use, the limit is %lld",
                       d->name, bytes, (long long)d->allocated_bytes,
                       (long long)d->info.memory_bytes);
    d->allocated_bytes += (int64_t)bytes;
    return LE_OK;
}

static cl_mem create_buffer(le__cl_device *d, size_t bytes, cl_int *code) {
    cl_mem mem = d->api->clCreateBuffer(d->context, CL_MEM_READ_WRITE, bytes, NULL, code);
    if (!mem && d->n_spares > 0) { /* they may be what fills the device */
        drop_spares(d);
        mem = d->api->clCreateBuffer(d->context, CL_MEM_READ_WRITE, bytes, NULL, code);
    }
    return mem;
}

static le_status try_buffer(le__cl_device *d, size_t bytes, cl_mem *out) {
    cl_int code = CL_SUCCESS;
    bytes = rounded(bytes);
    if ((uint64_t)bytes > (uint64_t)d->info.max_buffer_bytes)
        return le_fail(LE_ERR_DEVICE_MEMORY,
                       "opencl: %s: a buffer of %zu bytes, at most %lld are possible", d->name,
                       bytes, (long long)d->info.max_buffer_bytes);
    pthread_mutex_lock(&d->memory_mutex);
    le_status status = LE_OK;
    *out = take_spare(d, bytes);
    if (!*out) {
        status = reserve(d, bytes);
        if (status == LE_OK && !(*out = create_buffer(d, bytes, &code))) {
            d->allocated_bytes -= (int64_t)bytes;
            status = le__cl_fail(d, code, "clCreateBuffer");
        }
    }
    pthread_mutex_unlock(&d->memory_mutex);
    return status;
}

le_status le__cl_buffer_new(le__cl_device *d, size_t bytes, cl_mem *out) {
    le_status status = try_buffer(d, bytes, out);
    if (status == LE_ERR_DEVICE_MEMORY && d->cl && d->cl->kept && le__keep_drop(d->cl->kept, d)) {
        le__cl_device_drop_spares(d, false);
        status = try_buffer(d, bytes, out);
    }
    return status;
}

void le__cl_buffer_free(le__cl_device *d, cl_mem mem, size_t bytes) {
    if (!mem)
        return;
    bytes = rounded(bytes);
    pthread_mutex_lock(&d->memory_mutex);
    int64_t spare_bytes = 0;
    for (size_t i = 0; i < d->n_spares; i++)
        spare_bytes += (int64_t)d->spares[i].bytes;
    /* a CPU's spares are host memory, which others want too */
    int64_t most = d->info.is_cpu ? CPU_SPARE_BYTES : d->info.memory_bytes / 4;
    bool keep = !d->closed && d->n_spares < LE__CL_SPARES && spare_bytes + (int64_t)bytes <= most;
    if (keep)
        d->spares[d->n_spares++] = (le__cl_spare){mem, bytes};
    else
        d->allocated_bytes -= (int64_t)bytes;
    pthread_mutex_unlock(&d->memory_mutex);
    if (!keep)
        d->api->clReleaseMemObject(mem);
}

void le__cl_device_drop_spares(le__cl_device *d, bool closed) {
    pthread_mutex_lock(&d->memory_mutex);
    d->closed = d->closed || closed;
    drop_spares(d);
    pthread_mutex_unlock(&d->memory_mutex);
}

/* --- images --- */

static size_t image_bytes(const int64_t shape[3]) {
    return (size_t)(shape[0] * shape[1] * shape[2]) * sizeof(float);
}

static le_status check_image(const le__cl_device *d, const int64_t shape[3]) {
    for (int i = 0; i < 3; i++)
        if (shape[i] < 1 || (uint64_t)shape[i] > d->info.max_image3d[2 - i])
            return le_fail(LE_ERR_UNSUPPORTED,
                           "opencl: %s: an image of [%lld,%lld,%lld], at least 1 and at most "
                           "[%zu,%zu,%zu] are possible",
                           d->name, (long long)shape[0], (long long)shape[1], (long long)shape[2],
                           d->info.max_image3d[2], d->info.max_image3d[1], d->info.max_image3d[0]);
    return LE_OK;
}

le_status le__cl_image_new(le__cl_device *d, const int64_t shape[3], cl_mem *out) {
    cl_int code = CL_SUCCESS;
    le_status status = check_image(d, shape);
    if (status != LE_OK)
        return status;
    const cl_image_format format = {CL_R, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = (size_t)shape[2],
                                .image_height = (size_t)shape[1],
                                .image_depth = (size_t)shape[0]};
    pthread_mutex_lock(&d->memory_mutex);
    status = reserve(d, image_bytes(shape));
    if (status == LE_OK) {
        *out = d->api->clCreateImage(d->context, CL_MEM_READ_ONLY, &format, &desc, NULL, &code);
        if (!*out) {
            d->allocated_bytes -= (int64_t)image_bytes(shape);
            status = le__cl_fail(d, code, "clCreateImage");
        }
    }
    pthread_mutex_unlock(&d->memory_mutex);
    return status;
}

void le__cl_image_free(le__cl_device *d, cl_mem mem, const int64_t shape[3]) {
    if (!mem)
        return;
    d->api->clReleaseMemObject(mem);
    pthread_mutex_lock(&d->memory_mutex);
    d->allocated_bytes -= (int64_t)image_bytes(shape);
    pthread_mutex_unlock(&d->memory_mutex);
}
