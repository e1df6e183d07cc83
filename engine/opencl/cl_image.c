/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Single-channel float images of 3-D arguments. The image of a tensor with storage stays with it,
 * beside the buffer copy; an image is never the only newest copy, so it is never downloaded.
 */
#include "cl_call.h"

#include <stdlib.h>

static le_status download_image(le__device_copy *base, void *host, size_t bytes) {
    (void)base;
    (void)host;
    return le_fail(LE_ERR_INTERNAL, "opencl: %zu bytes are only in an image", bytes);
}

static bool shows(const le__cl_copy *copy, const le_tensor *t) {
    return copy->mem && copy->offset == t->offset && copy->dtype == t->dtype &&
           copy->shape[0] == t->shape[0] && copy->shape[1] == t->shape[1] &&
           copy->shape[2] == t->shape[2];
}

static le_status add_slot(le_storage *s, le__cl_device *d, le__cl_copy **out) {
    le__cl_copy *copy = calloc(1, sizeof *copy);
    if (!copy)
        return le_fail(LE_ERR_MEMORY, "opencl: out of memory");
    copy->device = le__cl_device_retain(d);
    copy->base = (le__device_copy){.owner = &d->info,
                                   .image_of = d,
                                   .download = download_image,
                                   .release = le__cl_release_copy};
    pthread_mutex_lock(&s->mutex);
    le__device_copy **end = &s->copies;
    while (*end)
        end = &(*end)->next;
    *end = &copy->base;
    pthread_mutex_unlock(&s->mutex);
    *out = copy;
    return LE_OK;
}

/* --- filling --- */

static void to_floats(float *out, const void *in, le_dtype dtype, size_t n) {
    switch (dtype) {
#define LE_X(d, type)                                                                              \
    case d:                                                                                        \
        for (size_t i = 0; i < n; i++)                                                             \
            out[i] = (float)((const type *)in)[i];                                                 \
        break;
        LE_X(LE_U8, uint8_t)
        LE_X(LE_I8, int8_t)
        LE_X(LE_I16, int16_t)
        LE_X(LE_U16, uint16_t)
        LE_X(LE_I32, int32_t)
        LE_X(LE_U32, uint32_t)
        LE_X(LE_I64, int64_t)
        LE_X(LE_U64, uint64_t)
        LE_X(LE_F32, float)
        LE_X(LE_F64, double)
#undef LE_X
    case LE_C64:
    case LE_C128:
        break; /* le_cl_image3d refuses them */
    }
}

/* Enqueues planes of floats from z on. */
static le_status write_planes(le_call *call, cl_mem image, const size_t region[3], size_t z,
                              size_t planes, const float *host, bool blocking) {
    le__cl_device *d = call->cl->device;
    const size_t bytes = region[0] * region[1] * sizeof(float) * planes;
    const size_t origin[3] = {0, 0, z}, part[3] = {region[0], region[1], planes};
    const le_status status = le__cl_turn(call, le__cl_moving_seconds(bytes));
    if (status != LE_OK)
        return status;
    cl_event *event = le__cl_event_slot(call, LE__EVENT_UPLOAD, "upload image", (int64_t)bytes);
    cl_int code = d->api->clEnqueueWriteImage(call->cl->queue, image, blocking ? CL_TRUE : CL_FALSE,
                                              origin, part, 0, 0, host, 0, NULL, event);
    call->stats.bytes_to_device += (int64_t)bytes;
    call->cl->ahead += le__cl_moving_seconds(bytes);
    return code == CL_SUCCESS ? LE_OK : le__cl_fail(d, code, "clEnqueueWriteImage");
}

/* Other numbers than floats, or not one after another: a few planes at a time. */
static le_status write_converted(le_call *call, const le_tensor *t, cl_mem image,
                                 const size_t region[3]) {
    enum { PIECE = 1 << 20 };
    const size_t plane = region[0] * region[1];
    const size_t most = plane < PIECE ? PIECE / plane : 1;
    float *floats = malloc(most * plane * sizeof *floats);
    void *room = malloc(most * plane * le_dtype_size(t->dtype));
    le_status status =
        floats && room
            ? LE_OK
            : le_fail(LE_ERR_MEMORY, "opencl: no memory for %zu voxels of an image", most * plane);
    for (size_t z = 0, planes; status == LE_OK && z < region[2]; z += planes) {
        planes = region[2] - z < most ? region[2] - z : most;
        const void *in =
            le_tensor_elements(t, (int64_t)(z * plane), (int64_t)(planes * plane), room);
        to_floats(floats, in, t->dtype, planes * plane);
        status = write_planes(call, image, region, z, planes, floats, true);
    }
    free(floats);
    free(room);
    return status;
}

static le_status fill_from_host(le_call *call, int arg, cl_mem image, const size_t region[3]) {
    le_tensor *t = &call->args[arg].tensor;
    const size_t plane = region[0] * region[1];
    le_status status = le_tensor_to_host(t);
    if (status != LE_OK)
        return status;
    if (t->dtype != LE_F32 || !le_tensor_is_contiguous(t))
        return write_converted(call, t, image, region);
    for (size_t z = 0, planes; status == LE_OK && z < region[2]; z += planes) {
        planes = le__cl_portion(call, region[2] - z, plane * sizeof(float));
        status = write_planes(call, image, region, z, planes, (const float *)t->data + z * plane,
                              false); /* it stays until the queue is done */
    }
    return status;
}

static le_status fill_from_buffer(le_call *call, const le_tensor *t, cl_mem buffer, cl_mem image,
                                  const size_t region[3]) {
    static const size_t origin[3] = {0, 0, 0};
    le__cl_device *d = call->cl->device;
    cl_event *event =
        le__cl_event_slot(call, LE__EVENT_COPY, "copy to image",
                          (int64_t)(region[0] * region[1] * region[2] * sizeof(float)));
    cl_int code = d->api->clEnqueueCopyBufferToImage(call->cl->queue, buffer, image,
                                                     (size_t)t->offset * sizeof(float), origin,
                                                     region, 0, NULL, event);
    return code == CL_SUCCESS ? LE_OK : le__cl_fail(d, code, "clEnqueueCopyBufferToImage");
}

static le_status fill(le_call *call, int arg, cl_mem image) {
    const le_tensor *t = &call->args[arg].tensor;
    const size_t region[3] = {(size_t)t->shape[2], (size_t)t->shape[1], (size_t)t->shape[0]};
    const le__cl_copy *buffer = NULL;
    bool valid = false;
    if (t->storage && t->dtype == LE_F32 && le_tensor_is_contiguous(t))
        buffer = le__cl_find_copy(t->storage, call->cl->device, &valid);
    if (!valid)
        return fill_from_host(call, arg, image, region);
    le_status status = le__cl_wait_filled(call, buffer);
    return status == LE_OK ? fill_from_buffer(call, t, buffer->mem, image, region) : status;
}

/* --- of whom they are --- */

/* One that stays with a storage is kept until the execution ends: another execution beside it may
 * want another part of the same storage, and then puts another image in its place. */
static le_status wrap(le__cl_call *c, cl_mem mem, const le_tensor *t, bool shared,
                      le_cl_buffer **out) {
    const le_cl_buffer image = {.mem = mem,
                                .shape = {t->shape[0], t->shape[1], t->shape[2]},
                                .image = true,
                                .shared = shared};
    le_status status = le__cl_hold(c, image, out);
    if (status == LE_OK && shared)
        c->device->api->clRetainMemObject(mem);
    return status;
}

static le_status image_of_borrowed(le_call *call, int arg, le_cl_buffer **out) {
    const le_tensor *t = &call->args[arg].tensor;
    cl_mem mem;
    le_status status = le__cl_image_new(call->cl->device, t->shape, &mem);
    if (status != LE_OK)
        return status;
    status = wrap(call->cl, mem, t, false, out);
    if (status != LE_OK) {
        le__cl_image_free(call->cl->device, mem, t->shape);
        return status;
    }
    return fill(call, arg, mem);
}

/* An image that nothing is in yet. */
static le_status make_room(le__cl_device *d, const le_tensor *t, le__cl_copy *slot) {
    le__cl_set_valid(t->storage, slot, false); /* filling may fail, and others may look meanwhile */
    if (shows(slot, t))
        return LE_OK;
    le__cl_image_free(d, slot->mem, slot->shape);
    slot->mem = NULL;
    le_status status = le__cl_image_new(d, t->shape, &slot->mem);
    if (status != LE_OK)
        return status;
    for (int i = 0; i < 3; i++)
        slot->shape[i] = t->shape[i];
    slot->offset = t->offset;
    slot->dtype = t->dtype;
    return LE_OK;
}

/* Where another execution has put another image there meanwhile, this one is for this execution. */
static le_status fill_slot(le_call *call, int arg, le__cl_copy *slot, cl_mem mem) {
    le__cl_call *c = call->cl;
    if (c->n_uploaded == LE__CL_UPLOADS)
        return le_fail(LE_ERR_INTERNAL, "opencl: too many uploads");
    le_status status = fill(call, arg, mem);
    if (status != LE_OK || slot->mem != mem)
        return status;
    status = le__cl_note_filled(call, slot);
    if (status == LE_OK) {
        c->uploaded[c->n_uploaded++] = slot;
        le__cl_set_valid(call->args[arg].tensor.storage, slot, true);
    }
    return status;
}

static le_status image_of_storage(le_call *call, int arg, le_cl_buffer **out) {
    const le_tensor *t = &call->args[arg].tensor;
    bool valid;
    le__cl_copy *slot = le__cl_find_copy(t->storage, &call->cl->device->info, &valid);
    le_status status = slot ? LE_OK : add_slot(t->storage, call->cl->device, &slot);
    valid = status == LE_OK && valid && shows(slot, t);
    if (status == LE_OK && !valid)
        status = make_room(call->cl->device, t, slot);
    if (status == LE_OK)
        status = wrap(call->cl, slot->mem, t, true, out);
    if (status == LE_OK)
        status = valid ? le__cl_wait_filled(call, slot) : fill_slot(call, arg, slot, (*out)->mem);
    return status;
}

/* --- the public call --- */

le_status le_cl_image3d(le_call *call, int arg, le_cl_buffer **out) {
    const le_tensor *t = &call->args[arg].tensor;
    le__cl_arg *a = call->cl ? &call->cl->args[arg] : NULL;
    if (!a || t->ndim != 3)
        return le_fail(LE_ERR_INTERNAL, "opencl: an image of argument %d, which has %d dimensions",
                       arg, t->ndim);
    if (le_dtype_kind_of(t->dtype) == LE_DTYPE_KIND_COMPLEX)
        return le_fail(LE_ERR_UNSUPPORTED,
                       "opencl: an image of %s elements, real ones are possible",
                       le_dtype_name(t->dtype));
    le_status status = LE_OK;
    pthread_mutex_lock(&call->cl->device->mutex);
    call->cl->holds = true;
    if (!a->image)
        status = t->storage && le_tensor_is_contiguous(t) ? image_of_storage(call, arg, &a->image)
                                                          : image_of_borrowed(call, arg, &a->image);
    call->cl->holds = false;
    pthread_mutex_unlock(&call->cl->device->mutex);
    if (status != LE_OK)
        a->image = NULL; /* the execution still releases it */
    *out = a->image;
    return status;
}
