/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arguments of the operation `volume_part`: those of volume_render, and the box.
 */
#ifndef LE_VOLUME_PART_H
#define LE_VOLUME_PART_H

#include "volume/volume_render/render.h"

enum { ARG_PARTS = ARG_IMAGES, ARG_BEGIN, ARG_WHOLE, ARG_OWNED };

/* Colour A and opacity 1-T of a run of samples. */
typedef struct le__part {
    double rgb[3], through;  /* A; T */
} le__part;

/* A sample before the others. */
static inline void le__part_over(le__part *p, const double rgba[4])
{
    for (int c = 0; c < 3; c++)
        p->rgb[c] = rgba[3] * rgba[c] + (1.0 - rgba[3]) * p->rgb[c];
    p->through *= 1.0 - rgba[3];
}

/* Writes a pixel of the parts and, where it was asked for, how many samples of its ray are the box's. */
void le__part_store(const le_call *call, int64_t view, int64_t ix, int64_t iz, const le__part *part,
                    int64_t owned);
/* The number of samples alone, of a row of pixels. */
void le__part_count(const le_call *call, int64_t view, int64_t ix);

#endif
