/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Packing and placing.
 */
#include "rows.h"

#include <string.h>

/* The elements of t, where they lie, to packed memory or from there: what comes behind them there. */
static char *move_axis(char *packed, char *own, const le_tensor *t, int axis, bool from) {
    size_t size = le_dtype_size(t->dtype);
    if (axis == t->ndim) {
        memcpy(from ? own : packed, from ? packed : own, size);
        return packed + size;
    }
    for (int64_t i = 0; i < t->shape[axis]; i++)
        packed = move_axis(packed, own + i * t->strides[axis] * (int64_t)size, t, axis + 1, from);
    return packed;
}

void le__rows_pack(void *to, const le_tensor *from) {
    if (le_tensor_count(from) == 0) /* and it may have no memory */
        return;
    if (le_tensor_is_contiguous(from))
        memcpy(to, from->data, (size_t)le_tensor_count(from) * le_dtype_size(from->dtype));
    else
        move_axis(to, from->data, from, 0, false);
}

void le__rows_unpack(const le_tensor *to, void *from) {
    move_axis(from, to->data, to, 0, true);
}

le_status le__rows_each(const le_tensor *block, const char *data, int axis, int64_t first,
                        int64_t total, le__rows_fn fn, void *cookie) {
    int64_t outer = 1, inner = (int64_t)le_dtype_size(block->dtype);
    for (int i = 0; i < axis; i++)
        outer *= block->shape[i];
    for (int i = axis + 1; i < block->ndim; i++)
        inner *= block->shape[i];
    int64_t run = block->shape[axis] * inner;
    le_status status = LE_OK;
    for (int64_t o = 0; status == LE_OK && o < outer; o++)
        status = fn(cookie, data + o * run, run, (o * total + first) * inner);
    return status;
}
