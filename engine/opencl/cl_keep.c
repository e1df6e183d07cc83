/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kept data in buffers of a device.
 */
#include "cl_call.h"

#include "call/keep.h"

enum { SHARE_OF_LIMIT = 4 };

typedef struct device_fill {
    le_cl_keep_fn fn;
    void *cookie;
} device_fill;

/* The memory is the engine's. */
static le_status wrap(le__cl_call *c, cl_mem mem, size_t bytes, le_cl_buffer **out) {
    return le__cl_hold(c, (le_cl_buffer){.mem = mem, .bytes = bytes, .shared = true}, out);
}

/* All is written before another execution, on another queue, reads it. */
static le_status build(le_call *call, size_t bytes, void *cookie, void **out) {
    const device_fill *fill = cookie;
    le__cl_device *d = call->cl->device;
    le_cl_buffer *buffer = NULL;
    cl_mem mem = NULL;
    le_status status = le__cl_buffer_new(d, bytes, &mem);
    if (status != LE_OK)
        return status;
    status = wrap(call->cl, mem, bytes, &buffer);
    if (status == LE_OK)
        status = fill->fn(call, buffer, bytes, fill->cookie);
    if (status == LE_OK)
        status = le__cl_collect(call);
    if (status == LE_OK) {
        *out = mem;
        return LE_OK;
    }
    d->api->clFinish(call->cl->queue);
    le__cl_buffer_free(d, mem, bytes);
    return status;
}

static void release(const void *owner, void *data, size_t bytes) {
    /* owners are only compared elsewhere */
    le__cl_buffer_free((le__cl_device *)(uintptr_t)owner, data, bytes);
}

le_status le_cl_keep(le_call *call, const char *key, size_t bytes, le_cl_keep_fn fill, void *cookie,
                     le_cl_buffer **out) {
    *out = NULL;
    if (!call->cl)
        return le__cl_no_execution();
    const le__keep_place place = {.owner = call->cl->device,
                                  .limit = call->cl->device->info.memory_bytes / SHARE_OF_LIMIT,
                                  .fill = (void (*)(void))fill,
                                  .build = build,
                                  .release = release};
    device_fill how = {fill, cookie};
    void *mem;
    le_status status = le__keep_take(call, key, bytes, &place, &how, &mem);
    return status == LE_OK ? wrap(call->cl, mem, bytes, out) : status;
}
