/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arguments of esrrf, by index.
 */
#ifndef LE_ESRRF_H
#define LE_ESRRF_H

#include "superres.h"

enum {
    ESRRF_IMAGE,
    ESRRF_MAGNIFICATION,
    ESRRF_RADIUS,
    ESRRF_SENSITIVITY,
    ESRRF_INTENSITY_WEIGHTING,
    ESRRF_FRAMES_PER_TIMEPOINT,
    ESRRF_TEMPORAL,
    ESRRF_MACRO_PIXEL_CORRECTION,
    ESRRF_RESULT
};

/* A call in plain numbers. */
typedef struct le__esrrf {
    le__sr_stack in, out; /* out.data is NULL until the call runs */
    le__sr_rgc rgc;
    le__sr_temporal temporal;
    int64_t per_timepoint; /* frames of a time point; 1 for none */
    bool correct;
} le__esrrf;

le__esrrf le__esrrf_of(const le_call *call);

#endif
