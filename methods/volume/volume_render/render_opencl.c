/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Launches of the fused OpenCL kernels. A volume that does not fit goes through the device in slabs
 * along axis 0 with one common plane, upwards for the views whose rays cross slabs upwards, then
 * downwards for the others; the images hold what has been composited so far.
 */
#include "volume/volume_render/render.h"
#include "volume/volume_render/volume_render_opencl.h"

typedef struct launch {
    le_call *call;
    const le__camera *camera;
    const le__render_kernel *form;
    le_cl_kernel *kernel;
    le_cl_buffer *views, *list;
    le_cl_buffer *volume; /* image or slab; NULL: the argument */
    int32_t n_list;
} launch;

typedef struct part { /* of the volume: planes [first, last], and where in the pass it comes */
    int64_t first, last;
    int order;
    bool begins, ends;
} part;

static int64_t bytes_of(const le_tensor *t) {
    return le_tensor_count(t) * (int64_t)le_dtype_size(t->dtype);
}

/* Bytes on the device for the volume, beside images and lists. */
static int64_t room_for_volume(const le_call *call) {
    const le_cl_info *info = le_cl_device(call);
    int64_t room = info->memory_bytes - bytes_of(le_call_out(call, ARG_IMAGES));
    room -= room / 8 + 16384; /* lists, and what else the images' storage holds */
    return room < info->max_buffer_bytes ? room : info->max_buffer_bytes;
}

static le_status get_kernel(launch *l, bool slab) {
    le_call *call = l->call;
    const le__render *r = le_call_attached(call);
    le_dtype dtype = l->form->image ? LE_F32 : le_call_in(call, ARG_VOLUME)->dtype;
    le_dtype out = le_call_out(call, ARG_IMAGES)->dtype;
    bool watch = l->form->image != 2 && le__render_watches(call);
    return le__volume_cl_kernel(
        call, l->form->source, l->form->name, dtype, out, &l->kernel,
        "-DIMAGE=%d -DFILL=%d -DTABLE=%d -DLOG=%d -DLIST_CONSTANT=%d -DSLAB=%d "
        "-DCONTIGUOUS_PAIRS=%d -DWATCH=%d",
        l->form->image, r->camera->has_fill, r->transfer->table, r->transfer->log,
        le__volume_cl_constant(r->transfer), slab, dtype == LE_F32, watch);
}

static le_status launch_part(const launch *l, const part *p) {
    const le__camera *c = l->camera;
    size_t n = (size_t)c->size, local[3];
    size_t global[3] = {(n + l->form->columns - 1) / l->form->columns, n, c->n_views};
    const size_t one[3] = {1, 1, 1};
    const size_t *group = l->form->columns == 1 ? le__volume_cl_local(l->call, local) : one;
    const le_cl_karg kargs[] = {l->volume ? LE_CL_BUF(l->volume) : LE_CL_ARG(ARG_VOLUME),
                                LE_CL_BUF(l->views),
                                LE_CL_BUF(l->list),
                                LE_CL_I32(l->n_list),
                                LE_CL_ARG(ARG_IMAGES),
                                LE_CL_I32((int32_t)c->shape[0]),
                                LE_CL_I32((int32_t)c->shape[1]),
                                LE_CL_I32((int32_t)c->shape[2]),
                                LE_CL_I32((int32_t)c->size),
                                LE_CL_F32((float)c->fill),
                                LE_CL_I32((int32_t)p->first),
                                LE_CL_I32((int32_t)p->last),
                                LE_CL_I32(p->order),
                                LE_CL_I32(p->begins),
                                LE_CL_I32(p->ends)};
    return le_cl_launch(l->call, l->kernel, 3, global, group, kargs,
                        sizeof kargs / sizeof kargs[0]);
}

/* As the kernels tell, for which the least steps downwards are none. */
static bool any_view(const le__camera *c, int order) {
    for (size_t k = 0; k < c->n_views; k++)
        if ((le__volume_cl_fixed(c->views[k].step[0][0]) >= 0) == (order >= 0))
            return true;
    return false;
}

static le_status render_slabs(launch *l) {
    const le_tensor *t = le_call_in(l->call, ARG_VOLUME);
    int64_t voxels = t->shape[1] * t->shape[2], plane = voxels * (int64_t)le_dtype_size(t->dtype);
    int64_t cells = t->shape[0] - 1, thick = room_for_volume(l->call) / plane - 1;
    if (thick < 1)
        return le_fail(LE_ERR_DEVICE_MEMORY,
                       "volume_render: two planes of %lld bytes and the images do "
                       "not fit the device's limit",
                       (long long)plane);
    if (thick > cells)
        thick = cells;
    int64_t slabs = (cells + thick - 1) / thick;
    le_status status = le_cl_scratch(l->call, (size_t)((thick + 1) * plane), &l->volume);
    for (int order = 1; order >= -1; order -= 2)
        for (int64_t i = 0; status == LE_OK && i < slabs && any_view(l->camera, order); i++) {
            int64_t slab = order > 0 ? i : slabs - 1 - i;
            part p = {slab * thick, (slab + 1) * thick, order, i == 0, i == slabs - 1};
            p.last = p.last < cells ? p.last : cells;
            status = le_cl_upload_elements(l->call, l->volume, 0, t, p.first * voxels,
                                           (p.last - p.first + 1) * voxels);
            if (status == LE_OK)
                status = launch_part(l, &p);
        }
    return status;
}

le_status le__volume_render_by(le_call *call, const le__render_kernel *form) {
    const le__render *r = le_call_attached(call);
    launch l = {.call = call, .camera = r->camera, .form = form, .n_list = (int32_t)r->transfer->n};
    bool slabs = !form->image && bytes_of(le_call_in(call, ARG_VOLUME)) > room_for_volume(call);
    le_status status = get_kernel(&l, slabs);
    if (status == LE_OK)
        status = le__volume_cl_views(call, r->camera, &l.views);
    if (status == LE_OK)
        status = le__volume_cl_transfer(call, r->transfer, r->camera->size, &l.list);
    if (status == LE_OK && form->image)
        status = le_cl_image3d(call, ARG_VOLUME, &l.volume);
    if (status != LE_OK)
        return status;
    return slabs ? render_slabs(&l)
                 : launch_part(&l, &(part){0, r->camera->shape[0], 1, true, true});
}
