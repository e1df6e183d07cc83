/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arguments of roberts_cross, by index, and what its range functions work on.
 */
#ifndef LE_ROBERTS_CROSS_H
#define LE_ROBERTS_CROSS_H

#include "superres.h"

enum { ROBERTS_IMAGE, ROBERTS_GRADIENT_COL, ROBERTS_GRADIENT_ROW };

typedef struct le__roberts {
    le__sr_stack in, col, row;
    float *spare; /* 4*cols floats a worker */
} le__roberts;

le__roberts le__roberts_of(const le_call *call);
/* For le_implementation.prepare and .items: a work item is a row of a frame. */
le_status le__roberts_prepare(le_call *call, void **context);
size_t le__roberts_items(const le_call *call);

#endif
