/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Where longitudes and latitudes meet two edges of an image of the sky.
 */
#ifndef LE_TOOLS_SKY_AXES_H
#define LE_TOOLS_SKY_AXES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SKY_TICKS = 32 };

typedef struct sky_axis {
    size_t n;
    int digits; /* behind the point */
    double step;
    double at[SKY_TICKS], degrees[SKY_TICKS]; /* pixels from 0, at their centres */
} sky_axis;

/* Longitudes along the row `edge_row`, latitudes along column 0, at most `most` of each. False: the
 * place tells no coordinates, or they do not rise or fall all along the edges. */
bool sky_axes_of(const char *place, int64_t rows, int64_t columns, int64_t edge_row,
                 const int most[2], sky_axis *longitudes, sky_axis *latitudes);

#endif
