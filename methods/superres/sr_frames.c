/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Rows of image stacks of any dtype and any strides, read and written as float32.
 */
#include "sr_operation.h"

#include "common/load.h"

#include <string.h>

#define LONGEST_AXIS 65536

le__sr_stack le__sr_stack_of(const le_tensor *t) {
    int d = t->ndim - 2;
    le__sr_stack s = {.data = t->data, .dtype = t->dtype, .frames = 1};
    if (d > 0) {
        s.frames = t->shape[0];
        s.stride_frame = t->strides[0];
    }
    s.rows = t->shape[d];
    s.stride_row = t->strides[d];
    s.cols = t->shape[d + 1];
    s.stride_col = t->strides[d + 1];
    return s;
}

void le__sr_load_row(const le__sr_stack *s, int64_t frame, int64_t row, float *restrict out) {
    le__load_strided_f32(s->data, s->dtype, frame * s->stride_frame + row * s->stride_row, s->cols,
                         s->stride_col, out);
}

const float *le__sr_row(const le__sr_stack *s, int64_t frame, int64_t row, float *spare) {
    if (s->dtype == LE_F32 && s->stride_col == 1)
        return (const float *)s->data + frame * s->stride_frame + row * s->stride_row;
    le__sr_load_row(s, frame, row, spare);
    return spare;
}

le_status le__sr_spare(le_call *call, int64_t count, float **out) {
    *out = le_call_scratch(call, (size_t)le_call_threads(call) * (size_t)count * sizeof **out);
    return *out ? LE_OK : le_fail(LE_ERR_MEMORY, "no memory for rows of %lld", (long long)count);
}

void le__sr_load_frame(const le__sr_stack *s, int64_t frame, float *out) {
    for (int64_t y = 0; y < s->rows; y++)
        le__sr_load_row(s, frame, y, out + y * s->cols);
}

float *le__sr_begin_row(const le__sr_stack *s, int64_t frame, int64_t row, float *spare) {
    float *own = (float *)s->data + frame * s->stride_frame + row * s->stride_row;
    return s->stride_col == 1 ? own : spare;
}

void le__sr_end_row(const le__sr_stack *s, int64_t frame, int64_t row, const float *written) {
    if (s->stride_col == 1)
        return;
    float *own = (float *)s->data + frame * s->stride_frame + row * s->stride_row;
    for (int64_t x = 0; x < s->cols; x++)
        own[x * s->stride_col] = written[x];
}

le_status le__sr_check_image(const le_tensor *t, const char *who, const char *arg) {
    for (int d = 0; d < t->ndim; d++) {
        if (t->shape[d] < 1)
            return le_fail(LE_ERR_SHAPE, "%s: '%s' is empty along axis %d; at least 1 is expected",
                           who, arg, d);
        if (d >= t->ndim - 2 && t->shape[d] > LONGEST_AXIS)
            return le_fail(LE_ERR_SHAPE,
                           "%s: '%s' has %lld elements along axis %d; at most %d are "
                           "expected",
                           who, arg, (long long)t->shape[d], d, LONGEST_AXIS);
    }
    return LE_OK;
}

/* Elements [begin, begin + count) along an axis. */
static void narrow(le_tensor *t, int axis, int64_t begin, int64_t count) {
    const int64_t skip = begin * t->strides[axis];
    t->shape[axis] = count;
    t->offset += skip;
    if (t->data)
        t->data = (char *)t->data + skip * (int64_t)le_dtype_size(t->dtype);
}

le_status le__sr_check_multiple(const le_tensor *image, const char *who, int64_t magnification) {
    for (int d = image->ndim - 2; d < image->ndim; d++)
        if (image->shape[d] % magnification)
            return le_fail(LE_ERR_SHAPE,
                           "%s: 'image' has %lld elements along axis %d; a multiple of the "
                           "magnification %lld is expected",
                           who, (long long)image->shape[d], d, (long long)magnification);
    return LE_OK;
}

void le__sr_case_frames(le_case *c, const char *name, const le_tensor *t, int64_t begin,
                        int64_t count) {
    le_tensor view = *t;
    narrow(&view, 0, begin, count);
    le_case_borrow(c, name, &view);
}

bool le__sr_case_window(le_case *c, const char *name, const le_tensor *t, uint64_t random) {
    static const int64_t most[] = {2, 512, 512}; /* two frames: projections join neighbours */
    le_tensor view = *t;
    bool smaller = false;
    for (int d = 0; d < t->ndim; d++) {
        const int64_t count = most[d + 3 - t->ndim], spare = t->shape[d] - count;
        if (spare <= 0)
            continue;
        narrow(&view, d, (int64_t)(random % (uint64_t)(spare + 1)), count);
        random /= 1000003;
        smaller = true;
    }
    if (smaller)
        le_case_borrow(c, name, &view);
    return smaller;
}

int64_t le__sr_pick_frame(const le_tensor *t, uint64_t random) {
    if (t->ndim < 3 || t->shape[0] < 2)
        return -1;
    return (int64_t)(random % (uint64_t)t->shape[0]);
}

le_status le__sr_part_frame(const le_call *call, uint64_t random, le_case *out, int64_t *first) {
    const le_tensor *image = le_call_in(call, 0);
    *first = le__sr_pick_frame(image, random);
    if (*first < 0)
        return LE_ERR_UNSUPPORTED;
    le__sr_case_frames(out, "image", image, *first, 1);
    le_case_like(out, call);
    return le_case_status(out);
}

bool le__sr_slabs(const le_tensor *image, const int *args, int n, le_slabs *out) {
    out->why = "it is a single image";
    if (image->ndim < 3)
        return false;
    out->items = image->shape[0];
    for (int i = 0; i < n; i++)
        out->args[args[i]].axis = 1;
    return true;
}

bool le__sr_tiles(const le_call *call, const int *args, int n, int64_t halo, le_slabs *out) {
    const le_tensor *image = le_call_in(call, args[0]);
    out->items = image->shape[image->ndim - 2];
    out->halo = halo;
    for (int i = 0; i < n; i++)
        out->args[args[i]].axis = (int8_t)(image->ndim - 1);
    return out->items > 1;
}
