/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the engine does with tensors beyond the public calls.
 */
#ifndef LE_TENSOR_H
#define LE_TENSOR_H

#include "liquid_engine/le_method.h"

/* Sets row-major strides for t->shape. */
void le__tensor_set_contiguous(le_tensor *t);
/* Bytes of the elements; false when the size is negative or overflows. */
bool le__tensor_bytes(const le_tensor *t, size_t *out);
/* The same to add up; a quarter of the most there can be for what is too large. */
int64_t le__tensor_size(const le_tensor *t);
/* Copies the elements to row-major memory, and back. t->data must be valid on the host. */
void le__tensor_pack(void *to, const le_tensor *from);
void le__tensor_unpack(const le_tensor *to, const void *from);
/* Rows of axis 0, which is there, from `first` on: at most `rows` of them. */
le_tensor le__tensor_rows(const le_tensor *t, int64_t first, int64_t rows);
/* How many rows are copied before somebody is asked whether to go on. */
int64_t le__tensor_rows_at_once(const le_tensor *t);
/* The numbers of a contiguous tensor in one row: of complex elements both parts, as f32 or f64. */
le_tensor le__tensor_numbers(const le_tensor *t);
/* The same dtype and shape. */
bool le__tensors_alike(const le_tensor *a, const le_tensor *b);
/* LE_ERR_DTYPE or LE_ERR_SHAPE: what (an input, an output) of this name is not as expected. */
le_status le__tensor_fail(const char *who, const char *what, const char *name,
                          const le_tensor *given, const le_tensor *expected, const char *tail);
/* Host memory from the first byte of any element to the last. */
void le__tensor_extent(const le_tensor *t, const char **low, const char **high);
/* Whether the host memory from the first to the last element of one meets the other's. */
bool le__tensors_overlap(const le_tensor *a, const le_tensor *b);

#endif
