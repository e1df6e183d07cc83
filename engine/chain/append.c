/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Appended rows.
 */
#include "chain/append.h"

#include "call/tensor.h"
#include "core/array.h"

#include <math.h>
#include <string.h>

static bool grow(le__appended *a, size_t more) {
    if (more > SIZE_MAX / 4 - a->bytes)
        return false;
    size_t capacity = a->capacity ? a->capacity : 4096;
    while (capacity < a->bytes + more)
        capacity *= 2;
    if (capacity > a->capacity && !LE__ARRAY_RESIZE(a->rows, capacity))
        return false;
    a->capacity = capacity;
    return true;
}

/* One row as a tensor of one axis. */
static le_tensor row_of(const le_tensor *rows, const char *at) {
    int64_t n = 1;
    for (int i = 1; i < rows->ndim; i++)
        n *= rows->shape[i];
    return le_tensor_of(at, rows->dtype, 1, &n);
}

static bool is_place(const le_tensor *rows, const le__slab *slab, int64_t element) {
    int64_t width = rows->ndim > 1 ? rows->shape[rows->ndim - 1] : 1;
    int64_t column = element % width;
    return column < 32 && slab->places >> column & 1;
}

static bool belongs(const le_tensor *rows, const le_tensor *row, const le__slab *slab) {
    for (int64_t i = 0; slab->halo && i < row->shape[0]; i++)
        if (is_place(rows, slab, i)) {
            double item = floor(le_tensor_get(row, i) / (double)slab->scale) + (double)slab->low;
            return item >= (double)slab->begin && item < (double)slab->end;
        }
    return true;
}

/* row: one of rows, or all of them in one. */
static void move_places(const le_tensor *rows, le_tensor *row, const le__slab *slab) {
    le_dtype_kind kind = le_dtype_kind_of(rows->dtype);
    bool integer = kind == LE_DTYPE_KIND_SIGNED || kind == LE_DTYPE_KIND_UNSIGNED;
    int64_t by = slab->low * slab->scale;
    for (int64_t i = 0; by && slab->places && i < row->shape[0]; i++) {
        if (!is_place(rows, slab, i))
            continue;
        if (integer)
            le_tensor_set_i64(row, i, le_tensor_get_i64(row, i) + by);
        else
            le_tensor_set(row, i, le_tensor_get(row, i) + (double)by);
    }
}

void le__move_places(le_tensor *rows, const le__slab *slab) {
    int64_t n = le_tensor_count(rows);
    le_tensor all = le_tensor_of(rows->data, rows->dtype, 1, &n);
    move_places(rows, &all, slab);
}

le_status le__append(le__appended *to, const le_tensor *rows, const le__slab *slab) {
    size_t bytes;
    if (!le__tensor_bytes(rows, &bytes) || !grow(to, bytes))
        return le_fail(LE_ERR_MEMORY, "out of memory: %lld rows were to be appended",
                       (long long)rows->shape[0]);
    size_t size = rows->shape[0] > 0 ? bytes / (size_t)rows->shape[0] : 0;
    for (int64_t i = 0; i < rows->shape[0]; i++) {
        const le_tensor from = row_of(rows, (const char *)rows->data + (size_t)i * size);
        if (!belongs(rows, &from, slab))
            continue;
        memcpy(to->rows + to->bytes, from.data, size);
        le_tensor row = row_of(rows, to->rows + to->bytes);
        move_places(rows, &row, slab);
        to->bytes += size;
        to->n++;
    }
    return LE_OK;
}

le_status le__appended_rows(const le__appended *from, const le_tensor *rows, le_tensor *out) {
    le_tensor shape = *rows;
    shape.shape[0] = from->n;
    le_status status = le_tensor_alloc(out, shape.dtype, shape.ndim, shape.shape);
    if (status == LE_OK && from->bytes)
        memcpy(out->data, from->rows, from->bytes);
    return status;
}
