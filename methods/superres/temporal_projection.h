/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arguments of temporal_projection, by index, and what its range functions work on.
 */
#ifndef LE_TEMPORAL_PROJECTION_H
#define LE_TEMPORAL_PROJECTION_H

#include "superres.h"

enum { PROJECTION_IMAGE, PROJECTION_TEMPORAL, PROJECTION_FRAMES_PER_TIMEPOINT, PROJECTION_RESULT };

typedef struct le__projection {
    le__sr_stack in, out;
    le__sr_temporal temporal;
    int64_t per_timepoint;
    float *spare; /* le__projection_spare floats a worker */
} le__projection;

le__projection le__projection_of(const le_call *call);
/* Floats a worker: room for an input row, an output row and the sums of a row. */
int64_t le__projection_spare(const le__projection *p);
/* Frames of a time point that are there. */
int64_t le__projection_frames(const le__projection *p, int64_t point);
/* For le_implementation: a work item is a row of an output image. */
le_status le__projection_prepare(le_call *call, void **context);
size_t le__projection_items(const le_call *call);

#endif
