/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Colour maps by name: viridis, inferno, magma, plasma, cividis, coolwarm, gray (grey), hot.
 */
#ifndef LE_VOLUME_COLORMAP_H
#define LE_VOLUME_COLORMAP_H

#include <stdint.h>

#define LE__COLORMAP_NAMES "viridis, inferno, magma, plasma, cividis, coolwarm, gray, hot"

typedef struct le__colormap le__colormap;

/* NULL when there is no map of this name. Static data. */
const le__colormap *le__colormap_find(const char *name);

/* Colour at t, clamped to [0,1]; NaN is taken as 0. The map's 256 colours are the middles of 256 equal
 * parts of [0,1], as matplotlib bins them; between middles the colour is linear, so the result is
 * within half a bin of matplotlib's and has no steps. */
void le__colormap_at(const le__colormap *map, double t, double rgb[3]);

/* The map as knots (t, r, g, b), ascending in t, linear between and constant beyond them; 2 to
 * LE__COLORMAP_KNOTS of them. */
#define LE__COLORMAP_KNOTS 256
int le__colormap_knots(const le__colormap *map, double knots[LE__COLORMAP_KNOTS][4]);

#endif
