/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tensor arguments on the device. A tensor with storage keeps its device copy from call to call;
 * borrowed memory gets a stand-in for the execution. A part of a storage is a sub-buffer where the
 * device allows its alignment, else a stand-in copied on the device.
 */
#include "cl_call.h"

#include "core/clock.h"

#include <stdlib.h>

/* --- copies that live with a storage --- */

static le_status download_copy(le__device_copy *base, void *host, size_t bytes) {
    le__cl_copy *copy = (le__cl_copy *)base;
    le__cl_device *d = copy->device;
    if (bytes == 0)
        return LE_OK;
    le_status status = le__cl_api_check_process(); /* else it would wait for threads of another */
    if (status != LE_OK)
        return status;
    cl_event event = NULL;
    double queued = le__now();
    bool profile = d->cl && d->cl->profile;
    cl_int code = CL_SUCCESS;
    if (!le__cl_stage(d, d->queues[LE__CL_LANES], copy->mem, 0, host, bytes, false, &code, &queued))
        code = d->api->clEnqueueReadBuffer(d->queues[LE__CL_LANES], copy->mem, CL_TRUE, 0, bytes,
                                           host, 0, NULL, profile ? &event : NULL);
    if (profile && code == CL_SUCCESS)
        le__cl_record_download(d, event, queued, (int64_t)bytes);
    if (event)
        d->api->clReleaseEvent(event);
    return code == CL_SUCCESS ? LE_OK : le__cl_fail(d, code, "clEnqueueReadBuffer");
}

void le__cl_release_copy(le__device_copy *base) {
    le__cl_copy *copy = (le__cl_copy *)base;
    le__cl_device *d = copy->device;
    if (copy->filled)
        d->api->clReleaseEvent(copy->filled);
    if (base->image_of)
        le__cl_image_free(d, copy->mem, copy->shape);
    else
        le__cl_buffer_free(d, copy->mem, copy->bytes);
    free(copy);
    le__cl_device_release(d);
}

le__cl_copy *le__cl_find_copy(le_storage *s, const void *owner, bool *valid) {
    pthread_mutex_lock(&s->mutex);
    le__device_copy *c = s->copies;
    while (c && c->owner != owner)
        c = c->next;
    *valid = c && c->valid;
    pthread_mutex_unlock(&s->mutex);
    return (le__cl_copy *)c;
}

static le_status add_copy(le__cl_device *d, le_storage *s, le__cl_copy **out) {
    le__cl_copy *copy = calloc(1, sizeof *copy);
    if (!copy)
        return le_fail(LE_ERR_MEMORY, "opencl: out of memory");
    le_status status = le__cl_buffer_new(d, s->bytes, &copy->mem);
    if (status != LE_OK) {
        free(copy);
        return status;
    }
    copy->device = le__cl_device_retain(d);
    copy->bytes = s->bytes;
    copy->base.owner = d;
    copy->base.download = download_copy;
    copy->base.release = le__cl_release_copy;
    pthread_mutex_lock(&s->mutex);
    copy->base.next = s->copies; /* before images: downloads take the first valid copy */
    s->copies = &copy->base;
    pthread_mutex_unlock(&s->mutex);
    *out = copy;
    return LE_OK;
}

void le__cl_set_valid(le_storage *s, le__cl_copy *copy, bool valid) {
    pthread_mutex_lock(&s->mutex);
    copy->base.valid = valid;
    pthread_mutex_unlock(&s->mutex);
}

static le_status storage_copy(le_call *call, le_storage *s, bool contents, le__cl_copy **out) {
    le__cl_call *c = call->cl;
    bool valid;
    le__cl_copy *copy = le__cl_find_copy(s, c->device, &valid);
    le_status status = copy ? LE_OK : add_copy(c->device, s, &copy);
    if (status == LE_OK && contents && !valid && le__storage_has_contents(s)) {
        void *host;
        if (c->n_uploaded == LE__CL_UPLOADS)
            return le_fail(LE_ERR_INTERNAL, "opencl: too many uploads");
        status = le__storage_host(s, false, false, &host);
        if (status == LE_OK)
            status = le__cl_write(call, copy->mem, 0, host, s->bytes, false);
        if (status == LE_OK)
            status = le__cl_note_filled(call, copy);
        if (status == LE_OK) {
            c->uploaded[c->n_uploaded++] = copy;
            le__cl_set_valid(s, copy, true);
        }
    }
    if (status == LE_OK && contents && valid)
        status = le__cl_wait_filled(call, copy);
    *out = copy;
    return status;
}

/* --- arguments --- */

static le_status stand_in(le_call *call, size_t bytes, le__cl_arg *a) {
    le_status status = le_cl_scratch(call, bytes, &a->stand_in);
    a->mem = status == LE_OK ? a->stand_in->mem : NULL;
    return status;
}

static le_status part_of_storage(le_call *call, const le_tensor *t, size_t bytes, bool output,
                                 le__cl_arg *a) {
    le__cl_device *d = call->cl->device;
    size_t offset = (size_t)t->offset * le_dtype_size(t->dtype);
    bool whole = offset == 0 && bytes == t->storage->bytes;
    le_status status = storage_copy(call, t->storage, !(output && whole), &a->copy);
    if (status == LE_OK && output && whole)
        status = le__cl_poison(call, a->copy->mem, bytes);
    if (status != LE_OK)
        return status;
    if (offset == 0) {
        a->mem = a->copy->mem;
        return LE_OK;
    }
    if (offset % d->sub_buffer_alignment == 0) {
        cl_int code = CL_SUCCESS;
        const cl_buffer_region region = {offset, bytes};
        a->sub_buffer = d->api->clCreateSubBuffer(a->copy->mem, CL_MEM_READ_WRITE,
                                                  CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
        a->mem = a->sub_buffer;
        return a->mem ? LE_OK : le__cl_fail(d, code, "clCreateSubBuffer");
    }
    status = stand_in(call, bytes, a);
    if (status == LE_OK && !output)
        status = le__cl_copy_buffer(call, a->copy->mem, a->mem, offset, 0, bytes);
    return status;
}

static le_status from_host(le_call *call, int arg, size_t bytes, le__cl_arg *a) {
    le_tensor *t = &call->args[arg].tensor;
    le_status status = le_tensor_to_host(t);
    if (status == LE_OK)
        status = stand_in(call, bytes, a);
    if (status != LE_OK)
        return status;
    if (le_tensor_is_contiguous(t)) /* it stays until the queue is done */
        return le__cl_write(call, a->mem, 0, t->data, bytes, false);
    return le_cl_upload_elements(call, a->stand_in, 0, t, 0, le_tensor_count(t));
}

le_status le__cl_argument(le_call *call, int arg, cl_mem *out) {
    *out = NULL;
    if (arg < 0 || (size_t)arg >= call->operation->n_args)
        return le_fail(LE_ERR_INTERNAL, "opencl: %s has no argument %d", call->operation->name,
                       arg);
    le__cl_arg *a = &call->cl->args[arg];
    const le__bound_arg *b = &call->args[arg];
    const le_tensor *t = &b->tensor;
    bool output = call->operation->args[arg].type == LE_TYPE_OUT;
    size_t bytes;
    if (!b->given || a->mem) {
        *out = a->mem;
        return LE_OK;
    }
    if (!le__tensor_bytes(t, &bytes))
        return le_fail(LE_ERR_SHAPE, "opencl: argument %d is too large", arg);
    le_status status;
    call->cl->moving = true;
    if (bytes == 0)
        status = stand_in(call, 0, a);
    else if (t->storage && le_tensor_is_contiguous(t))
        status = part_of_storage(call, t, bytes, output, a);
    else
        status = output ? stand_in(call, bytes, a) : from_host(call, arg, bytes, a);
    call->cl->moving = false;
    if (status != LE_OK && !a->sub_buffer)
        a->mem = NULL;
    *out = a->mem;
    return status;
}

/* --- counts --- */

le_status le_cl_count(le_call *call, int arg, le_cl_buffer **out) {
    *out = NULL;
    if (!call->cl || arg < 0 || (size_t)arg >= call->operation->n_args || !call->args[arg].counted)
        return le_fail(LE_ERR_INTERNAL, "opencl: %s counts no rows of argument %d",
                       call->operation->name, arg);
    le__cl_arg *a = &call->cl->args[arg];
    const int64_t none = 0;
    le_status status = LE_OK;
    if (!a->count) {
        status = le_cl_scratch(call, sizeof none, &a->count);
        if (status == LE_OK)
            status = le_cl_fill(call, a->count, &none, sizeof none, 0, sizeof none);
    }
    *out = status == LE_OK ? a->count : NULL;
    return status;
}

le_status le__cl_read_counts(le_call *call) {
    le_status status = LE_OK;
    for (size_t i = 0; status == LE_OK && i < call->operation->n_args; i++) {
        const le_cl_buffer *count = call->cl->args[i].count;
        int64_t rows = 0;
        if (!count)
            continue;
        status = le__cl_read(call, count->mem, 0, &rows, sizeof rows, true);
        if (status == LE_OK)
            le_call_set_count(call, (int)i, rows);
    }
    return status;
}

/* --- the end of an execution --- */

static void make_newest(le_storage *s, const le__cl_copy *copy) {
    pthread_mutex_lock(&s->mutex);
    s->host_valid = false;
    for (le__device_copy *c = s->copies; c; c = c->next)
        c->valid = c == &copy->base;
    pthread_mutex_unlock(&s->mutex);
}

static le_status start_delivery(le_call *call, const le__cl_arg *a, const le_tensor *t,
                                size_t bytes) {
    if (!a->stand_in || bytes == 0)
        return LE_OK;
    if (!a->copy)
        return le__cl_read(call, a->mem, 0, t->data, bytes, false);
    return le__cl_copy_buffer(call, a->mem, a->copy->mem, 0,
                              (size_t)t->offset * le_dtype_size(t->dtype), bytes);
}

/* Only rows that are there are brought to the host, and none that are made once more. */
static void cut_counted(const le__bound_arg *b) {
    le_tensor t = b->tensor;
    size_t bytes;
    t.shape[0] = b->said <= b->rows ? b->said : 0;
    if (b->counted && t.storage && t.offset == 0 && le__tensor_bytes(&t, &bytes))
        le__storage_cut(t.storage, bytes);
}

static le_status end_delivery(le_call *call, const le__cl_arg *a, le_tensor *t) {
    if (!a->copy)
        return LE_OK;
    make_newest(t->storage, a->copy);
    if (call->want.keep_on_device)
        return LE_OK;
    call->stats.bytes_from_device += (int64_t)t->storage->bytes;
    return le__call_fetch(call, t);
}

/* The copy of this storage that a kernel wrote another output into, or NULL. */
static le__cl_copy *written_copy(const le_call *call, const le_storage *s) {
    for (size_t i = 0; i < call->operation->n_args; i++)
        if (call->operation->args[i].type == LE_TYPE_OUT && call->cl->args[i].copy &&
            call->args[i].tensor.storage == s)
            return call->cl->args[i].copy;
    return NULL;
}

/* Outputs that the implementation wrote on the host itself: copies on devices are older then. Where
 * a kernel wrote another part of one, that copy becomes the newest and gets this part as well. */
static le_status deliver_from_host(le_call *call) {
    le_status status = LE_OK;
    for (size_t i = 0; status == LE_OK && i < call->operation->n_args; i++) {
        const le_tensor *t = &call->args[i].tensor;
        size_t bytes;
        void *host;
        if (call->operation->args[i].type != LE_TYPE_OUT || !call->args[i].given || !t->storage ||
            !t->data || call->cl->args[i].mem || !le__tensor_bytes(t, &bytes) || bytes == 0)
            continue;
        const le__cl_copy *copy = written_copy(call, t->storage);
        status = copy ? le__cl_write(call, copy->mem, (size_t)t->offset * le_dtype_size(t->dtype),
                                     t->data, bytes, false)
                      : le__storage_host(t->storage, true, false, &host);
    }
    return status;
}

le_status le__cl_deliver(le_call *call) {
    call->cl->moving = true;
    le_status status = deliver_from_host(call);
    call->cl->moving = false;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; status == LE_OK && i < call->operation->n_args; i++) {
            const le__cl_arg *a = &call->cl->args[i];
            size_t bytes;
            if (call->operation->args[i].type != LE_TYPE_OUT || !a->mem ||
                !le__tensor_bytes(&call->args[i].tensor, &bytes))
                continue;
            call->cl->moving = true;
            if (pass == 1)
                cut_counted(&call->args[i]);
            status = pass == 0 ? start_delivery(call, a, &call->args[i].tensor, bytes)
                               : end_delivery(call, a, &call->args[i].tensor);
            call->cl->moving = false;
        }
        if (status == LE_OK && pass == 0)
            status = le__cl_collect(call);
    }
    return status;
}

static void distrust(le_call *call) {
    le__cl_call *c = call->cl;
    for (size_t i = 0; i < call->operation->n_args; i++) {
        le_storage *s = call->args[i].tensor.storage;
        if (!s)
            continue;
        pthread_mutex_lock(&s->mutex);
        for (le__device_copy *k = s->copies; k; k = k->next)
            for (size_t u = 0; u < c->n_uploaded; u++)
                if (k == &c->uploaded[u]->base)
                    k->valid = false;
        pthread_mutex_unlock(&s->mutex);
    }
}

void le__cl_release_arguments(le_call *call, bool failed) {
    le__cl_call *c = call->cl;
    if (failed)
        distrust(call);
    for (size_t i = 0; i < call->operation->n_args; i++)
        if (c->args[i].sub_buffer)
            c->device->api->clReleaseMemObject(c->args[i].sub_buffer);
    for (le_cl_buffer *b = c->buffers, *next; b; b = next) {
        next = b->next;
        if (b->image && b->shared)
            c->device->api->clReleaseMemObject(b->mem);
        else if (b->image)
            le__cl_image_free(c->device, b->mem, b->shape);
        else if (!b->shared)
            le__cl_buffer_free(c->device, b->mem, b->bytes);
        free(b);
    }
}
