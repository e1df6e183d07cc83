/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Scattering and solid angles of neighbouring points of a row, several at once: square roots and divisions
 * are most of the time that a table of shares takes, and vectors have as many of them as numbers.
 */
#ifndef LE_SCATTERING_LINES_H
#define LE_SCATTERING_LINES_H

#include <math.h>
#include <stdbool.h>

enum { LE__SC_LINE = 16 };

/* sin of half the scattering angle, without the loss of digits of 1 - cos near the beam. t3 is
 * along the beam, r across. */
static inline double le__sc_sin_half(double r, double t3) {
    const double n = sqrt(r * r + t3 * t3);
    return t3 > 0 ? r / sqrt(2 * n * (n + t3)) : sqrt((n - t3) / (2 * n));
}

typedef enum le__sc_radial {
    LE__SC_SIN_HALF, /* sin of half the scattering angle */
    LE__SC_ANGLE,    /* the scattering angle, within 1e-15 */
    LE__SC_RADIUS    /* from the beam, m */
} le__sc_radial;

typedef struct le__sc_line {
    double radial[LE__SC_LINE];
    double chi[LE__SC_LINE]; /* azimuth, atan2(t1, t2) within 1e-15; if it is wanted */
} le__sc_line;

/* Of points (x1, x2[k], distance) in the axes of the detector; matrix: rows that give t1, t2, t3.
 * The same numbers for every instruction set. */
void le__sc_line_of(const double matrix[3][3], double x1, const double x2[LE__SC_LINE],
                    double distance, le__sc_radial radial, bool chi, le__sc_line *out);
/* Of the same points, cos of the angle to the detector's normal, to the third power. */
void le__sc_solid_angles_of(double x1, const double x2[LE__SC_LINE], double distance,
                            double out[LE__SC_LINE]);

#endif
