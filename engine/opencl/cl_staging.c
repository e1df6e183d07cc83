/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Large moves through pinned memory. What a driver is given lies in pages that may move, so that it
 * copies by pieces to pinned ones and from these to the device, on one thread, and takes the page
 * faults of memory that is touched for the first time one by one. Here threads of the pool copy,
 * each with two slots of pinned memory of its own: while one slot is on its way to or from the
 * device, the other is filled or emptied.
 */
#include "cl_staging.h"

#include "cl_device.h"
#include "core/clock.h"
#include "core/pool.h"

#include <string.h>

enum {
    WORKERS = 8,
    SLOTS = 2 * WORKERS,
    SLOT_BYTES = 2 << 20,
    LEAST_BYTES = WORKERS * SLOT_BYTES / 2 /* less is moved while threads wake up */
};
/* Pinning all slots takes as long as moving so many bytes without them. */
static const size_t pinning_pays = (size_t)128 << 20;

typedef struct moving {
    le__cl_device *device;
    cl_command_queue queue;
    cl_mem mem;
    size_t offset, bytes;
    char *host;
    bool upload;
    cl_event events[SLOTS]; /* of what is under way */
    _Atomic cl_int code;    /* of the first failure */
} moving;

/* With the staging's mutex held. */
static bool have_slots(le__cl_device *d) {
    le__cl_staging *s = &d->staging;
    const size_t bytes = (size_t)SLOTS * SLOT_BYTES;
    cl_int code = CL_SUCCESS;
    if (s->host || s->refused)
        return s->host;
    s->mem = d->api->clCreateBuffer(d->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes,
                                    NULL, &code);
    if (s->mem)
        s->host =
            d->api->clEnqueueMapBuffer(d->queues[LE__CL_LANES], s->mem, CL_TRUE,
                                       CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL, NULL, &code);
    s->refused = !s->host;
    if (s->mem && !s->host) {
        d->api->clReleaseMemObject(s->mem);
        s->mem = NULL;
    }
    return s->host;
}

static void note(moving *m, cl_int code) {
    cl_int none = CL_SUCCESS;
    if (code != CL_SUCCESS)
        atomic_compare_exchange_strong(&m->code, &none, code);
}

/* Waits until the slot is free, or what it was asked for is in it. */
static void settle(moving *m, int slot) {
    const le__cl_api *api = m->device->api;
    cl_event *event = &m->events[slot];
    if (!*event)
        return;
    note(m, api->clWaitForEvents(1, event));
    api->clReleaseEvent(*event);
    *event = NULL;
}

static size_t piece_bytes(const moving *m, size_t piece) {
    const size_t left = m->bytes - piece * SLOT_BYTES;
    return left < SLOT_BYTES ? left : SLOT_BYTES;
}

static char *memory_of(const moving *m, int slot) {
    return m->device->staging.host + (size_t)slot * SLOT_BYTES;
}

static void enqueue(moving *m, size_t piece, int slot) {
    const le__cl_api *api = m->device->api;
    const size_t at = m->offset + piece * SLOT_BYTES, n = piece_bytes(m, piece);
    char *pinned = memory_of(m, slot);
    cl_event *event = &m->events[slot];
    note(m,
         m->upload
             ? api->clEnqueueWriteBuffer(m->queue, m->mem, CL_FALSE, at, n, pinned, 0, NULL, event)
             : api->clEnqueueReadBuffer(m->queue, m->mem, CL_FALSE, at, n, pinned, 0, NULL, event));
    note(m, api->clFlush(m->queue));
}

static void upload(moving *m, size_t begin, size_t end, int first_slot) {
    for (size_t piece = begin; piece < end && !m->code; piece++) {
        const int slot = first_slot + (int)(piece & 1);
        settle(m, slot);
        memcpy(memory_of(m, slot), m->host + piece * SLOT_BYTES, piece_bytes(m, piece));
        enqueue(m, piece, slot);
    }
}

static void download(moving *m, size_t begin, size_t end, int first_slot) {
    enqueue(m, begin, first_slot + (int)(begin & 1));
    for (size_t piece = begin; piece < end && !m->code; piece++) {
        const int slot = first_slot + (int)(piece & 1);
        if (piece + 1 < end)
            enqueue(m, piece + 1, first_slot + (int)((piece + 1) & 1));
        settle(m, slot);
        if (!m->code)
            memcpy(m->host + piece * SLOT_BYTES, memory_of(m, slot), piece_bytes(m, piece));
    }
}

static void move_pieces(void *context, size_t begin, size_t end, int worker) {
    moving *m = context;
    (m->upload ? upload : download)(m, begin, end, 2 * worker);
    settle(m, 2 * worker);
    settle(m, 2 * worker + 1);
}

bool le__cl_stage(le__cl_device *d, cl_command_queue queue, cl_mem mem, size_t offset, void *host,
                  size_t bytes, bool is_upload, cl_int *code, double *start) {
    le__cl_staging *s = &d->staging;
    le__pool *pool = d->cl ? d->cl->pool : NULL;
    if (!pool || d->info.is_cpu || d->info.unified_memory || bytes < LEAST_BYTES ||
        le__pool_max_threads(pool) < 2 || pthread_mutex_trylock(&s->mutex) != 0)
        return false;
    s->moved += bytes;
    const bool staged = s->moved >= pinning_pays && have_slots(d);
    if (staged) {
        moving m = {.device = d,
                    .queue = queue,
                    .mem = mem,
                    .offset = offset,
                    .bytes = bytes,
                    .host = host,
                    .upload = is_upload};
        if (!is_upload)
            note(&m, d->api->clFinish(queue));
        *start = le__now();
        le__pool_run(pool, WORKERS, LE__SCHEDULE_STATIC, (bytes + SLOT_BYTES - 1) / SLOT_BYTES,
                     move_pieces, &m);
        *code = m.code;
    }
    pthread_mutex_unlock(&s->mutex);
    return staged;
}

void le__cl_staging_open(le__cl_staging *s) {
    pthread_mutex_init(&s->mutex, NULL);
}

void le__cl_staging_close(le__cl_device *d) {
    le__cl_staging *s = &d->staging;
    if (s->mem) {
        d->api->clEnqueueUnmapMemObject(d->queues[LE__CL_LANES], s->mem, s->host, 0, NULL, NULL);
        d->api->clReleaseMemObject(s->mem);
    }
    pthread_mutex_destroy(&s->mutex);
}
