/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the vector kernels of `project` work on.
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

#endif
