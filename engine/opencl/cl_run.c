/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * One execution on an OpenCL device: what implementations call between begin and end. The queue is
 * in order and nothing waits for it before the end, except blocking copies that the implementation
 * asks for, and launches that are cut (cl_launch.c).
 */
#include "cl_call.h"

#include "call/guard.h"
#include "call/watch.h"
#include "core/clock.h"

#include <stdlib.h>
#include <string.h>

enum { STAGED_UPLOAD = 1 << 20 }; /* smaller uploads are copied aside instead of waited for */

le_status le__cl_no_execution(void) {
    return le_fail(LE_ERR_INTERNAL, "opencl: called outside an OpenCL implementation's run");
}

/* --- begin and end --- */

static void note_lost(le_call *call, le_status status) {
    if (status == LE_ERR_DEVICE_LOST)
        atomic_store(&call->device->lost, true);
}

static bool has_lane(const le__cl_device *d, bool beside) {
    const unsigned all = (1u << LE__CL_LANES) - 1;
    return !d->lanes || (beside && d->shared && !d->waiting && d->lanes != all);
}

/* Mutex held. Who wants the device alone goes before further ones that would share it. False: the
 * call was ended meanwhile. */
static bool take_lane(le__cl_device *d, le__cl_call *c, bool beside) {
    le__ticker *t = le__ticker_here();
    d->waiting += !beside;
    while (!has_lane(d, beside) && !le__ticker_over(t))
        le__ticker_wait(t, &d->left, &d->mutex);
    d->waiting -= !beside;
    if (le__ticker_over(t)) {
        pthread_cond_broadcast(&d->left);
        return false;
    }
    d->shared = beside;
    while (d->lanes & 1u << c->lane)
        c->lane++;
    d->lanes |= 1u << c->lane;
    return true;
}

static void leave_lane(le__cl_device *d, const le__cl_call *c) {
    d->lanes &= ~(1u << c->lane);
    pthread_cond_broadcast(&d->left);
}

le_status le__cl_begin(le_call *call) {
    le__cl_device *d = call->device->cl;
    le__cl_call *c = calloc(1, sizeof *c);
    if (!c)
        return le_fail(LE_ERR_MEMORY, "opencl: out of memory");
    pthread_mutex_lock(&d->mutex);
    if (!take_lane(d, c, call->beside)) {
        pthread_mutex_unlock(&d->mutex);
        free(c);
        return le__ticker_fail(call->operation->name);
    }
    double start = le__now();
    le_status status = le__cl_device_ready(d);
    call->stats.setup_seconds += le__now() - start;
    if (status != LE_OK) {
        note_lost(call, status);
        leave_lane(d, c);
        pthread_mutex_unlock(&d->mutex);
        free(c);
        return status;
    }
    c->device = d;
    c->queue = d->queues[c->lane];
    c->info = d->info;
    if (call->want.memory_limit > 0 && call->want.memory_limit < c->info.memory_bytes)
        c->info.memory_bytes = call->want.memory_limit;
    c->profile = d->cl->profile != NULL;
    pthread_mutex_unlock(&d->mutex);
    call->cl = c;
    return LE_OK;
}

le_status le__cl_end(le_call *call, le_status status) {
    le__cl_call *c = call->cl;
    if (status == LE_OK) {
        status = le__cl_collect(call);
        if (status == LE_OK && call->counted)
            status = le__cl_read_counts(call);
        if (status == LE_OK)
            status = le__cl_deliver(call);
    }
    if (status != LE_OK) { /* keeps the text of the first error */
        c->device->api->clFinish(c->queue);
        for (size_t i = 0; i < c->n_events; i++)
            if (c->events[i].event)
                c->device->api->clReleaseEvent(c->events[i].event);
    }
    le__cl_release_arguments(call, status != LE_OK);
    note_lost(call, status);
    call->cl = NULL;
    pthread_mutex_lock(&c->device->mutex);
    leave_lane(c->device, c);
    pthread_mutex_unlock(&c->device->mutex);
    free(c->events);
    free(c);
    return status;
}

const le_cl_info *le_cl_device(const le_call *call) {
    if (call->cl)
        return &call->cl->info;
    return call->device ? call->device->info : NULL;
}

le_status le_cl_finish(le_call *call) {
    return call->cl ? le__cl_collect(call) : le__cl_no_execution();
}

/* --- kernels --- */

le_status le_cl_get_kernel(le_call *call, const le_cl_source *source, const char *kernel,
                           const char *options, le_cl_kernel **out) {
    if (!call->cl)
        return le__cl_no_execution();
    double start = le__now();
    pthread_mutex_lock(&call->cl->device->mutex);
    le_status status = le__cl_program_kernel(call->cl->device, source, kernel, options, out);
    pthread_mutex_unlock(&call->cl->device->mutex);
    call->stats.setup_seconds += le__now() - start;
    return status;
}

/* --- buffers --- */

/* Takes none of the run's time. Buffers are longer than what is asked for (GRANULE). */
le_status le__cl_poison(le_call *call, cl_mem mem, size_t bytes) {
    const le__cl_device *d = call->cl->device;
    cl_command_queue queue = call->cl->queue;
    uint32_t pattern;
    if (!le__guard_fills(call) || bytes == 0)
        return LE_OK;
    memset(&pattern, call->poison, sizeof pattern);
    size_t filled = (le__guard_filled(bytes) + sizeof pattern - 1) / sizeof pattern;
    cl_int code = d->api->clFinish(queue);
    double start = le__now();
    if (code == CL_SUCCESS)
        code = d->api->clEnqueueFillBuffer(queue, mem, &pattern, sizeof pattern, 0,
                                           filled * sizeof pattern, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = d->api->clFinish(queue);
    call->stats.setup_seconds += le__now() - start;
    return code == CL_SUCCESS ? LE_OK : le__cl_fail(d, code, "clEnqueueFillBuffer");
}

le_status le__cl_hold(le__cl_call *c, le_cl_buffer buffer, le_cl_buffer **out) {
    le_cl_buffer *b = malloc(sizeof *b);
    if (!b)
        return le_fail(LE_ERR_MEMORY, "opencl: out of memory");
    buffer.next = c->buffers;
    *b = buffer;
    *out = c->buffers = b;
    return LE_OK;
}

le_status le_cl_scratch(le_call *call, size_t bytes, le_cl_buffer **out) {
    le_cl_buffer b = {.bytes = bytes};
    *out = NULL;
    if (!call->cl)
        return le__cl_no_execution();
    le_status status = le__cl_buffer_new(call->cl->device, bytes, &b.mem);
    if (status != LE_OK)
        return status;
    status = le__cl_hold(call->cl, b, out);
    if (status == LE_OK)
        return le__cl_poison(call, b.mem, bytes);
    le__cl_buffer_free(call->cl->device, b.mem, bytes);
    return status;
}

static le_status check_part(const le_call *call, const le_cl_buffer *b, size_t offset,
                            size_t bytes) {
    if (!call->cl)
        return le__cl_no_execution();
    if (!b->image && offset <= b->bytes && bytes <= b->bytes - offset)
        return LE_OK;
    return le_fail(LE_ERR_INTERNAL, "opencl: %zu bytes at %zu are not inside the buffer", bytes,
                   offset);
}

/* Of the command queued last. */
static void note_called(le_call *call) {
    le__cl_call *c = call->cl;
    if (c->moving && c->n_events)
        c->events[c->n_events - 1].called = le__now() - c->events[c->n_events - 1].queued;
}

/* --- portions --- */

static const size_t portion = (size_t)32 << 20;
static const double slow_bytes = 4e8; /* a second, where memory is touched for the first time */

double le__cl_moving_seconds(size_t bytes) {
    return (double)bytes / slow_bytes;
}

size_t le__cl_portion(const le_call *call, size_t n, size_t bytes) {
    size_t units = bytes < portion ? portion / bytes : 1;
    return call->watch && call->watch->ticker && units < n ? units : n;
}

/* One portion, to the device (up) or from it. */
static le_status move_portion(le_call *call, cl_mem mem, size_t offset, void *host, size_t bytes,
                              bool blocking, bool up) {
    const char *what = up ? "clEnqueueWriteBuffer" : "clEnqueueReadBuffer";
    const le__event_kind kind = up ? LE__EVENT_UPLOAD : LE__EVENT_DOWNLOAD;
    le__cl_device *d = call->cl->device;
    cl_command_queue queue = call->cl->queue;
    cl_int code = CL_SUCCESS;
    double start;
    *(up ? &call->stats.bytes_to_device : &call->stats.bytes_from_device) += (int64_t)bytes;
    if (le__cl_stage(d, queue, mem, offset, host, bytes, up, &code, &start)) {
        le__cl_note_staged(call, kind, start, (int64_t)bytes);
    } else { /* the driver does it */
        cl_event *event = le__cl_event_slot(call, kind, up ? "upload" : "download", (int64_t)bytes);
        code = up ? d->api->clEnqueueWriteBuffer(queue, mem, blocking, offset, bytes, host, 0, NULL,
                                                 event)
                  : d->api->clEnqueueReadBuffer(queue, mem, blocking, offset, bytes, host, 0, NULL,
                                                event);
        note_called(call);
    }
    return code == CL_SUCCESS ? LE_OK : le__cl_fail(d, code, what);
}

static le_status move(le_call *call, cl_mem mem, size_t offset, void *host, size_t bytes,
                      bool blocking, bool up) {
    le_status status = LE_OK;
    for (size_t at = 0, n; status == LE_OK && at < bytes; at += n) {
        n = le__cl_portion(call, bytes - at, 1);
        if (n < bytes)
            status = le__cl_turn(call, le__cl_moving_seconds(n));
        if (status == LE_OK)
            status = move_portion(call, mem, offset + at, (char *)host + at, n, blocking, up);
        call->cl->ahead += le__cl_moving_seconds(n);
    }
    return status;
}

le_status le__cl_write(le_call *call, cl_mem mem, size_t offset, const void *host, size_t bytes,
                       bool blocking) {
    return move(call, mem, offset, (void *)(uintptr_t)host, bytes, blocking, true);
}

le_status le__cl_read(le_call *call, cl_mem mem, size_t offset, void *host, size_t bytes,
                      bool blocking) {
    return move(call, mem, offset, host, bytes, blocking, false);
}

le_status le__cl_copy_buffer(le_call *call, cl_mem from, cl_mem to, size_t from_offset,
                             size_t to_offset, size_t bytes) {
    const le__cl_device *d = call->cl->device;
    cl_event *event = le__cl_event_slot(call, LE__EVENT_COPY, "copy", (int64_t)bytes);
    cl_int code = d->api->clEnqueueCopyBuffer(call->cl->queue, from, to, from_offset, to_offset,
                                              bytes, 0, NULL, event);
    return code == CL_SUCCESS ? LE_OK : le__cl_fail(d, code, "clEnqueueCopyBuffer");
}

le_status le_cl_upload(le_call *call, le_cl_buffer *buffer, size_t offset, const void *host,
                       size_t bytes) {
    le_status status = check_part(call, buffer, offset, bytes);
    if (status != LE_OK)
        return status;
    void *aside = bytes <= STAGED_UPLOAD ? le_call_scratch(call, bytes) : NULL;
    if (aside)
        memcpy(aside, host, bytes);
    return le__cl_write(call, buffer->mem, offset, aside ? aside : host, bytes, !aside);
}

le_status le_cl_upload_elements(le_call *call, le_cl_buffer *buffer, size_t offset,
                                const le_tensor *tensor, int64_t begin, int64_t count) {
    enum { PIECE = 1 << 22 };
    le_tensor t = *tensor;
    const int64_t size = (int64_t)le_dtype_size(t.dtype), each = PIECE / size;
    le_status status = le_tensor_to_host(&t);
    if (status == LE_OK && le_tensor_is_contiguous(&t))
        return le_cl_upload(call, buffer, offset, (const char *)t.data + begin * size,
                            (size_t)(count * size));
    char *room = malloc((size_t)((count < each ? count : each) * size));
    if (status == LE_OK && !room)
        status = le_fail(LE_ERR_MEMORY, "opencl: no memory to bring elements together");
    for (int64_t at = 0, n; status == LE_OK && at < count; at += n) {
        n = count - at < each ? count - at : each;
        status = le_cl_upload(call, buffer, offset + (size_t)(at * size),
                              le_tensor_elements(&t, begin + at, n, room), (size_t)(n * size));
    }
    free(room);
    return status;
}

le_status le_cl_download(le_call *call, le_cl_buffer *buffer, size_t offset, void *host,
                         size_t bytes) {
    le_status status = check_part(call, buffer, offset, bytes);
    return status == LE_OK ? le__cl_read(call, buffer->mem, offset, host, bytes, true) : status;
}

le_status le_cl_fill(le_call *call, le_cl_buffer *buffer, const void *pattern, size_t pattern_size,
                     size_t offset, size_t bytes) {
    le_status status = check_part(call, buffer, offset, bytes);
    if (status != LE_OK || bytes == 0)
        return status;
    const le__cl_device *d = call->cl->device;
    cl_event *event = le__cl_event_slot(call, LE__EVENT_COPY, "fill", (int64_t)bytes);
    cl_int code = d->api->clEnqueueFillBuffer(call->cl->queue, buffer->mem, pattern, pattern_size,
                                              offset, bytes, 0, NULL, event);
    return code == CL_SUCCESS ? LE_OK : le__cl_fail(d, code, "clEnqueueFillBuffer");
}
