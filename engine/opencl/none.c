/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The OpenCL side of an engine built without OpenCL: no devices.
 */
#include "opencl/opencl.h"

const bool le__cl_built = false;

static le_status unsupported(void) {
    return le_fail(LE_ERR_UNSUPPORTED, "this library was built without OpenCL");
}

void le__cl_on_building(void (*fn)(bool building)) {
    (void)fn;
}

bool le__cl_was_opened(void) {
    return false;
}

le_status le__cl_add_devices(le_engine *engine) {
    (void)engine;
    return unsupported();
}

void le__cl_close(le__cl *cl) {
    (void)cl;
}

size_t le__cl_objects(const le__cl_device *device) {
    (void)device;
    return 0;
}

void le__cl_set_profile(le__cl *cl, struct le_profile *profile) {
    (void)cl, (void)profile;
}

const le_cl_info *le_cl_device(const le_call *call) {
    (void)call;
    return NULL;
}

le_status le_cl_get_kernel(le_call *call, const le_cl_source *source, const char *kernel,
                           const char *options, le_cl_kernel **out) {
    (void)call, (void)source, (void)kernel, (void)options, (void)out;
    return unsupported();
}

le_status le_cl_launch(le_call *call, le_cl_kernel *kernel, int ndim, const size_t *global,
                       const size_t *local, const le_cl_karg *kargs, size_t n_kargs) {
    (void)call, (void)kernel, (void)ndim, (void)global, (void)local, (void)kargs, (void)n_kargs;
    return unsupported();
}

le_status le_cl_scratch(le_call *call, size_t bytes, le_cl_buffer **out) {
    (void)call, (void)bytes, (void)out;
    return unsupported();
}

le_status le_cl_upload(le_call *call, le_cl_buffer *buffer, size_t offset, const void *host,
                       size_t bytes) {
    (void)call, (void)buffer, (void)offset, (void)host, (void)bytes;
    return unsupported();
}

le_status le_cl_upload_elements(le_call *call, le_cl_buffer *buffer, size_t offset,
                                const le_tensor *tensor, int64_t begin, int64_t count) {
    (void)call, (void)buffer, (void)offset, (void)tensor, (void)begin, (void)count;
    return unsupported();
}

le_status le_cl_download(le_call *call, le_cl_buffer *buffer, size_t offset, void *host,
                         size_t bytes) {
    (void)call, (void)buffer, (void)offset, (void)host, (void)bytes;
    return unsupported();
}

le_status le_cl_fill(le_call *call, le_cl_buffer *buffer, const void *pattern, size_t pattern_size,
                     size_t offset, size_t bytes) {
    (void)call, (void)buffer, (void)pattern, (void)pattern_size, (void)offset, (void)bytes;
    return unsupported();
}

le_status le_cl_image3d(le_call *call, int arg, le_cl_buffer **out) {
    (void)call, (void)arg, (void)out;
    return unsupported();
}

le_status le_cl_keep(le_call *call, const char *key, size_t bytes, le_cl_keep_fn fill, void *cookie,
                     le_cl_buffer **out) {
    (void)call, (void)key, (void)bytes, (void)fill, (void)cookie, (void)out;
    return unsupported();
}

le_status le_cl_count(le_call *call, int arg, le_cl_buffer **out) {
    (void)call, (void)arg;
    *out = NULL;
    return unsupported();
}

le_status le_cl_finish(le_call *call) {
    (void)call;
    return unsupported();
}
