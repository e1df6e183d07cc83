/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arguments of radial_gradient_convergence, by index, and a call in plain numbers.
 */
#ifndef LE_RADIAL_GRADIENT_CONVERGENCE_H
#define LE_RADIAL_GRADIENT_CONVERGENCE_H

#include "superres.h"

enum {
    RGC_IMAGE,
    RGC_GRADIENT_COL,
    RGC_GRADIENT_ROW,
    RGC_MAGNIFICATION,
    RGC_RADIUS,
    RGC_SENSITIVITY,
    RGC_INTENSITY_WEIGHTING,
    RGC_RESULT
};

typedef struct le__rgc_call {
    le__sr_stack image, col, row, out;
    le__sr_rgc rgc;
} le__rgc_call;

le__rgc_call le__rgc_call_of(const le_call *call);
/* Half-pixel row k of frame t of a gradient that is magnified 2M times: 2W+1 samples. spare: 2*W*M
 * floats. */
void le__rgc_half_row(const le__rgc_call *c, const le__sr_stack *gradient, int64_t t, int64_t k,
                      float *spare, float *out);
/* Row y of the convergence in double, inside the margin, not yet weighted. spare:
 * le__rgc_row_floats. */
void le__rgc_row(const le__rgc_call *c, int64_t t, int64_t y, float *spare, float *out);
int64_t le__rgc_row_floats(const le__rgc_call *c);
/* The whole call pixel by pixel, in double or with NanoPyx's bits. */
le_status le__rgc_run_frames(le_call *call, bool exact);
int64_t le__rgc_frames_memory(const le_call *call);

#endif
