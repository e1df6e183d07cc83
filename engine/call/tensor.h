/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the engine does with tensors beyond the public calls.
 */
#ifndef LE_TENSOR_H
#define LE_TENSOR_H

#include "call/dtype.h"

/* Sets row-major strides for t->shape. */
void le__tensor_set_contiguous(le_tensor *t);

/* --- what each call asks of each tensor several times: le_tensor_count and others, inline */

static inline int64_t le__tensor_count(const le_tensor *t) {
    int64_t n = 1;
    bool countable = true;
    for (int i = 0; i < t->ndim; i++) {
        if (t->shape[i] == 0)
            return 0;
        countable &= t->shape[i] > 0 && !__builtin_mul_overflow(n, t->shape[i], &n);
    }
    return countable ? n : -1;
}

/* Bytes of the elements; false when the size is negative or overflows. */
static inline bool le__tensor_bytes(const le_tensor *t, size_t *out) {
    int64_t n = le__tensor_count(t), bytes;
    if (n < 0 || __builtin_mul_overflow(n, (int64_t)le__dtype_row_of(t->dtype)->size, &bytes))
        return false;
    *out = (size_t)bytes;
    return bytes <= PTRDIFF_MAX / 2;
}

static inline bool le__tensor_is_contiguous(const le_tensor *t) {
    int64_t stride = 1;
    for (int i = t->ndim - 1; i >= 0; i--) {
        if (t->shape[i] == 0)
            return true;
        if (t->shape[i] != 1 && t->strides[i] != stride)
            return false;
        stride *= t->shape[i];
    }
    return true;
}

/* Of a caller's tensor, dtype and number of axes known to be right: whether there are data where
 * its shape and strides say. */
static inline bool le__tensor_is_sound(const le_tensor *t) {
    const le__dtype_row *dtype = le__dtype_row_of(t->dtype);
    size_t bytes;
    int64_t span;
    bool sound = le__tensor_bytes(t, &bytes) && (t->data || t->storage || !bytes) &&
                 !((uintptr_t)t->data & (dtype->alignment - 1));
    for (int i = 0; sound && i < t->ndim; i++)
        sound = !__builtin_mul_overflow(t->shape[i], t->strides[i], &span) &&
                !__builtin_mul_overflow(span, (int64_t)dtype->size, &span);
    return sound;
}

/* --- */

/* What is wrong with one that is not sound. */
le_status le__tensor_fail_unsound(const char *who, const char *name, const le_tensor *t);
static inline le_status le__tensor_check(const char *who, const char *name, const le_tensor *t) {
    return le__tensor_is_sound(t) ? LE_OK : le__tensor_fail_unsound(who, name, t);
}
/* Whether two elements may share memory: of what is written none do. */
bool le__tensor_overlaps_itself(const le_tensor *t);
static inline bool le__tensor_is_writable(const le_tensor *t) {
    return le__tensor_is_contiguous(t) || !le__tensor_overlaps_itself(t);
}
/* le__tensor_bytes to add up; a quarter of the most there can be for what is too large. */
int64_t le__tensor_size(const le_tensor *t);
/* Allocates a row-major copy on the host of what a caller gave, whatever that is. */
le_status le__tensor_copy(const char *who, const char *name, const le_tensor *from, le_tensor *out);
/* Copies the elements to row-major memory, and back. t->data must be valid on the host. */
void le__tensor_pack(void *to, const le_tensor *from);
void le__tensor_unpack(const le_tensor *to, const void *from);
/* Rows of axis 0, which is there, from `first` on: at most `rows` of them. */
le_tensor le__tensor_rows(const le_tensor *t, int64_t first, int64_t rows);
/* How many rows are copied before somebody is asked whether to go on. */
int64_t le__tensor_rows_at_once(const le_tensor *t);
/* The numbers of a contiguous tensor in one row: of complex elements both parts, as f32 or f64. */
le_tensor le__tensor_numbers(const le_tensor *t);
/* As le_tensor_to_host, of one with a storage: copies elsewhere become stale. discard: the contents
 * are not needed. */
le_status le__tensor_for_writing(le_tensor *t, bool discard);
/* The same dtype and shape; but for the extent of the first axis. */
bool le__tensors_have_same_rows(const le_tensor *a, const le_tensor *b);
bool le__tensors_alike(const le_tensor *a, const le_tensor *b);
/* LE_ERR_DTYPE or LE_ERR_SHAPE: what (an input, an output) of this name is not as expected. */
le_status le__tensor_fail(const char *who, const char *what, const char *name,
                          const le_tensor *given, const le_tensor *expected, const char *tail);
/* Host memory from the first byte of any element to the last. */
void le__tensor_extent(const le_tensor *t, const char **low, const char **high);
/* Whether the host memory from the first to the last element of one meets the other's. */
bool le__tensors_overlap(const le_tensor *a, const le_tensor *b);

#endif
