/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Kernels of `project` for x86.
 */
#ifndef LE_VOLUME_PROJECT_SIMD_H
#define LE_VOLUME_PROJECT_SIMD_H

#include "volume/project/project.h"

/* A block of the image. Strides are in elements; those along the volume's last axis are 1. */
typedef struct le__project_block {
    const void *first;
    le_dtype dtype;
    le__reduce reduce;
    bool along; /* the reduced axis is the last one */
    int64_t rows, columns, lines;
    int64_t row_stride, column_stride;
    int64_t line_stride; /* not along: from one line of columns to the next */
} le__project_block;

/* The reduced values of a block, rows * columns of them; a mean is still a sum. */
void le__project_avx2(const le__project_block *b, double *sums);
void le__project_avx512(const le__project_block *b, double *sums);

#endif
