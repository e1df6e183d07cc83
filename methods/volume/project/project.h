/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arguments of the operation `project` and what its implementations share.
 */
#ifndef LE_VOLUME_PROJECT_H
#define LE_VOLUME_PROJECT_H

#include "volume/colormap.h"
#include "liquid_engine/le_method.h"

enum { ARG_VOLUME, ARG_AXIS, ARG_REDUCE, ARG_SCALE, ARG_LIMITS, ARG_COLORMAP, ARG_IMAGE };

typedef enum le__reduce { LE__MEAN, LE__MAX, LE__MIN, LE__SUM } le__reduce;

/* Attached to the call by its check. */
typedef struct le__project {
    int axis, rows, columns;   /* data axes: the projected one, and the image's two */
    le__reduce reduce;
    bool log;
    double limits[2];
    const le__colormap *map;   /* NULL: a scalar image */
} le__project;

/* Writes count pixels of a row of the image, from `column` on, given the reduced values; for the mean
 * the sums of `lines` samples each. */
void le__project_pixels(const le__project *p, const le_tensor *image, int64_t row, int64_t column,
                        int64_t count, int64_t lines, const double *values);

#endif
