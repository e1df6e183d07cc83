/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Where the pixels of a detector lie: radial coordinate and azimuth of their centres and corners.
 *
 * Axis 1 is slow (rows, i), axis 2 fast (columns, j). rot1 and rot2 turn left-handed, rot3
 * right-handed, in this order; lengths are in m, angles in rad (pyFAI's conventions: Kieffer et
 * al., J. Synchrotron Rad. 2020).
 */
#ifndef LE_SCATTERING_GEOMETRY_H
#define LE_SCATTERING_GEOMETRY_H

#include "liquid_engine/le_method.h"

typedef enum le__sc_unit {
    LE__SC_Q_NM,
    LE__SC_Q_A,
    LE__SC_TTH_DEG,
    LE__SC_TTH_RAD,
    LE__SC_R_MM,
    LE__SC_R_M,
    LE__SC_D2_NM
} le__sc_unit;

extern const char *const le__sc_units[]; /* names, NULL-ended */

typedef struct le__sc_geometry {
    double distance, poni1, poni2, rot1, rot2, rot3, wavelength;
    int64_t rows, cols;
    le__sc_unit unit;
    const double *edges1, *edges2; /* flat detectors: rows + 1 and cols + 1 borders of pixels in m,
                                      rising or, of turned images, falling */
    const float *corners;          /* others: [rows, cols, 4, 3], z y x; NULL of flat ones */
} le__sc_geometry;

typedef struct le__sc_point {
    double radial, chi; /* in the unit; in rad, -pi to pi */
} le__sc_point;

/* Whether the unit needs a wavelength. */
bool le__sc_unit_needs_wavelength(le__sc_unit unit);

/* The points of one row of pixels after the other. */
typedef struct le__sc_walk {
    const le__sc_geometry *geometry;
    double matrix[3][3];
    int wanted;
    int64_t row, next;           /* the row that the points belong to; that of `below` */
    le__sc_point *above, *below; /* cols + 1 borders; other than flat: 4 * cols corners in above */
    le__sc_point *centre;
    double *middles; /* of columns, m; flat detectors */
    double *solid;   /* relative solid angles; flat detectors */
    void *memory;    /* owned */
} le__sc_walk;

/* What of the points is wanted: the rest is unspecified. */
enum { LE__SC_CENTRES = 1, LE__SC_CORNERS = 2, LE__SC_AZIMUTHS = 4, LE__SC_SOLID_ANGLES = 8 };

le_status le__sc_walk_open(le__sc_walk *walk, const le__sc_geometry *geometry, int wanted);
void le__sc_walk_close(le__sc_walk *walk);
/* Makes a row the present one. */
void le__sc_walk_to(le__sc_walk *walk, int64_t row);
/* Corners of pixel j, in order round the pixel. */
static inline void le__sc_walk_corners(const le__sc_walk *walk, int64_t j, le__sc_point out[4]) {
    const bool flat = !walk->geometry->corners;
    const le__sc_point *four = walk->above + 4 * j;
    out[0] = flat ? walk->above[j] : four[0];
    out[1] = flat ? walk->below[j] : four[1];
    out[2] = flat ? walk->below[j + 1] : four[2];
    out[3] = flat ? walk->above[j + 1] : four[3];
}

/* Whether the corners go the other way round, for a detector turned along one axis. */
static inline bool le__sc_walk_mirrored(const le__sc_walk *walk) {
    const le__sc_geometry *g = walk->geometry;
    return !g->corners && (g->edges1[0] < g->edges1[1]) != (g->edges2[0] < g->edges2[1]);
}

/* cos of the angle between the beam that reaches the centre of the pixel and the normal of its
 * plane, to the third power: relative solid angle; if it is wanted. */
double le__sc_solid_angle(const le__sc_walk *walk, int64_t j);
/* factor in [-1,1], of the beam in the horizontal plane. */
double le__sc_polarization(const le__sc_walk *walk, int64_t j, double factor);

#endif
