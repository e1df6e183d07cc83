/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the engine knows of data types beyond the public calls.
 */
#ifndef LE_DTYPE_H
#define LE_DTYPE_H

#include "liquid_engine/le_method.h"

typedef struct le__dtype_row {
    const char *name, *cl_type;
    size_t size, alignment;
    le_dtype_kind kind;
} le__dtype_row;

extern const le__dtype_row le__dtypes[LE_DTYPE_LAST + 1];

/* Row 0 of the table, which is no dtype, answers for all that are none. */
static inline const le__dtype_row *le__dtype_row_of(le_dtype d) {
    return &le__dtypes[d >= LE_U8 && d <= LE_DTYPE_LAST ? d : 0];
}

/* In what the reference answers where an argument allows it: the widest of the same kind. Integers
 * of 64 bits stay what they are, for no float holds them. */
le_dtype le__dtype_of_reference(const le_arg_desc *argument, le_dtype asked);
/* The nearest dtype of the mask (LE_DTYPE_BIT; 0: any) that holds the values of d, 64-bit integers
 * up to 2^53 only; d itself when none does. */
le_dtype le__dtype_nearest(le_dtype d, uint32_t mask);
/* Elements [first, first + n) in row-major order. */
void le__tensor_load(const le_tensor *t, int64_t first, int64_t n, double *out);
/* "u8, i16, f32" */
void le__dtype_list(uint32_t mask, char *out, size_t size);

#endif
