/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arguments of shift_magnify, by index, and the tables its range functions work on.
 */
#ifndef LE_SHIFT_MAGNIFY_H
#define LE_SHIFT_MAGNIFY_H

#include "superres.h"

enum {
    MAGNIFY_IMAGE,
    MAGNIFY_SHIFT_ROW,
    MAGNIFY_SHIFT_COL,
    MAGNIFY_MAGNIFICATION_ROW,
    MAGNIFY_MAGNIFICATION_COL,
    MAGNIFY_INTERPOLATOR,
    MAGNIFY_RESULT
};

/* Outputs of the shortest vector, and of the longest: tables are padded to a multiple of that. */
#define LE__MAGNIFY_BLOCK   8
#define LE__MAGNIFY_LONGEST 16
/* Zeros before and after a row, for taps outside and for vectors that reach beyond the end. */
#define LE__MAGNIFY_PAD 48

/* The interpolation is separable: a row of weighted input rows, then taps of that row. */
typedef struct le__magnify {
    le__sr_stack in, out;
    le__sr_axis rows;
    int taps;
    int64_t padded;       /* outputs of a row, rounded up to vectors */
    int32_t *index;       /* [padded]: tap 0 in the padded row */
    int32_t *low, *high;  /* [padded/block]: least and greatest index of a block */
    float *weight;        /* [taps][padded] */
    int64_t spare_floats; /* a worker: padded row, input row, output row */
    float *spare;
} le__magnify;

/* For le_implementation; a work item is a row of an output frame. */
le_status le__magnify_prepare(le_call *call, void **context);
size_t le__magnify_items(const le_call *call);
int64_t le__magnify_memory(const le_call *call);

#endif
