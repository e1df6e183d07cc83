/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Gaussians in single precision, for the scalar implementations.
 */
#ifndef LE_VOLUME_GAUSSIANS_H
#define LE_VOLUME_GAUSSIANS_H

#include <math.h>

#include "volume/transfer.h"

/* Colour and opacity of a value; t is no table. */
static inline void le__gaussians_f32(const le__transfer *t, float value, float rgba[4])
{
    for (int c = 0; c < 4; c++)
        rgba[c] = 0.0f;
    if (!(t->log ? value > 0.0f : value == value))
        return;
    float s = t->log ? logf(value) : value;
    for (size_t j = 0; j < t->n; j++) {
        const le__gaussian *g = &t->gaussians[j];
        float d = s - (float)g->centre;
        float x = -d * d / (float)g->width;
        if (x < -104.0f) /* expf gives 0, slowly */
            continue;
        float e = expf(x);
        for (int c = 0; c < 4; c++)
            rgba[c] += (float)g->rgba[c] * e;
    }
}

#endif
