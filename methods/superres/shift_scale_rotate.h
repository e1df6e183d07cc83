/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arguments of shift_scale_rotate, by index, and a call in plain numbers.
 */
#ifndef LE_SHIFT_SCALE_ROTATE_H
#define LE_SHIFT_SCALE_ROTATE_H

#include "superres.h"

enum {
    ROTATE_IMAGE,
    ROTATE_SHIFT_ROW,
    ROTATE_SHIFT_COL,
    ROTATE_SCALE_ROW,
    ROTATE_SCALE_COL,
    ROTATE_ANGLE,
    ROTATE_INTERPOLATOR,
    ROTATE_RESULT
};

/* Output (i,j) is the sample at column a*x + b*y + centre_col and row e*x + f*y + centre_row with
 * x = j - centre_col - shift_col, y = i - centre_row - shift_row; all in float32, without
 * contraction, so that every implementation samples the same places. */
typedef struct le__rotate {
    le__sr_stack in, out;
    le__sr_kind kind;
    float a, b, e, f;
    float shift_row, shift_col;
    int centre_row, centre_col;
    int64_t frame;
    const float *image; /* the frame, row-major */
    float *spare;       /* an output row a worker */
} le__rotate;

/* image and spare are not yet there. */
le__rotate le__rotate_of(const le_call *call);
/* Runs rows (items: output rows of a frame) for every frame. */
le_status le__rotate_run(le_call *call, le_range_fn rows);
int64_t le__rotate_memory(const le_call *call);

static inline float le__rotate_x(const le__rotate *p, int64_t j) {
    return (float)((int)j - p->centre_col) - p->shift_col;
}

static inline float le__rotate_y(const le__rotate *p, int64_t i) {
    return (float)((int)i - p->centre_row) - p->shift_row;
}

static inline float le__rotate_col(const le__rotate *p, float x, float y) {
    return p->a * x + p->b * y + (float)p->centre_col;
}

static inline float le__rotate_row(const le__rotate *p, float x, float y) {
    return p->e * x + p->f * y + (float)p->centre_row;
}

#endif
