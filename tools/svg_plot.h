/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Measured data as SVG, alone in a file: a curve with its errors, or an image over two axes.
 */
#ifndef LE_SVG_PLOT_H
#define LE_SVG_PLOT_H

#include "liquid_engine/le.h"

#include <stdio.h>

typedef struct svg_plot {
    const char *title, *x_label, *y_label, *value_label;
    const le_tensor *x;      /* [n], ascending */
    const le_tensor *y;      /* of an image: [m]; NULL: its rows are numbered */
    const le_tensor *values; /* [n], or [m,n] */
    const le_tensor *errors; /* of a curve: [n]; NULL: none */
} svg_plot;

/* Values go on a logarithmic axis where they are positive and differ by more than a hundredfold. */
le_status svg_write_curve(FILE *out, const svg_plot *plot);
le_status svg_write_image(FILE *out, const svg_plot *plot);

#endif
