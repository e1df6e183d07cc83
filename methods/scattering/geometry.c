/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * From pixels to radial coordinate and azimuth.
 */
#include "scattering/geometry.h"

#include "scattering/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

const char *const le__sc_units[] = {"q_nm^-1", "q_A^-1", "2th_deg",   "2th_rad",
                                    "r_mm",    "r_m",    "d*2_nm^-2", NULL};

bool le__sc_unit_needs_wavelength(le__sc_unit unit) {
    return unit == LE__SC_Q_NM || unit == LE__SC_Q_A || unit == LE__SC_D2_NM;
}

/* Rows give the components t1, t2, t3 of a point of the detector (x1, x2, L). */
static void make_matrix(const le__sc_geometry *g, double m[3][3]) {
    const double c1 = cos(g->rot1), s1 = sin(g->rot1), c2 = cos(g->rot2), s2 = sin(g->rot2),
                 c3 = cos(g->rot3), s3 = sin(g->rot3);
    const double rows[3][3] = {
        {c2 * c3, c3 * s1 * s2 - c1 * s3, -(c1 * c3 * s2 + s1 * s3)},
        {c2 * s3, c1 * c3 + s1 * s2 * s3, c3 * s1 - c1 * s2 * s3},
        {s2, -c2 * s1, c1 * c2},
    };
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            m[r][c] = rows[r][c];
}

/* How the unit is made of what a line has: a power of a multiple. */
typedef struct recipe {
    le__sc_radial of;
    double scale;
    bool squared;
} recipe;

static recipe recipe_of(const le__sc_geometry *g) {
    switch (g->unit) {
    case LE__SC_Q_NM:
        return (recipe){LE__SC_SIN_HALF, 4e-9 * pi / g->wavelength, false};
    case LE__SC_Q_A:
        return (recipe){LE__SC_SIN_HALF, 4e-10 * pi / g->wavelength, false};
    case LE__SC_TTH_DEG:
        return (recipe){LE__SC_ANGLE, 180 / pi, false};
    case LE__SC_TTH_RAD:
        return (recipe){LE__SC_ANGLE, 1, false};
    case LE__SC_R_MM:
        return (recipe){LE__SC_RADIUS, 1000, false};
    case LE__SC_R_M:
        return (recipe){LE__SC_RADIUS, 1, false};
    default:
        return (recipe){LE__SC_SIN_HALF, 2e-9 / g->wavelength, true};
    }
}

static double radial_of(const le__sc_geometry *g, double r, double t3) {
    const recipe how = recipe_of(g);
    const double x = how.scale * (how.of == LE__SC_SIN_HALF ? le__sc_sin_half(r, t3)
                                  : how.of == LE__SC_ANGLE  ? atan2(r, t3)
                                                            : r);
    return how.squared ? x * x : x;
}

/* From the sample to a place p1, p2, p3 of the detector, in its own axes. */
static void from_sample(const le__sc_geometry *g, const double p[3], double x[3]) {
    x[0] = p[0] - g->poni1;
    x[1] = p[1] - g->poni2;
    x[2] = g->distance + p[2];
}

/* The same in the axes of the laboratory; t[2] is along the beam. */
static void in_laboratory(const le__sc_walk *w, const double p[3], double t[3]) {
    double x[3];
    from_sample(w->geometry, p, x);
    for (int k = 0; k < 3; k++)
        t[k] = w->matrix[k][0] * x[0] + w->matrix[k][1] * x[1] + w->matrix[k][2] * x[2];
}

static le__sc_point point_of(const le__sc_walk *w, const double p[3]) {
    double t[3];
    in_laboratory(w, p, t);
    return (le__sc_point){.radial = radial_of(w->geometry, sqrt(t[0] * t[0] + t[1] * t[1]), t[2]),
                          .chi = w->wanted & LE__SC_AZIMUTHS ? atan2(t[0], t[1]) : 0};
}

static double middle(const double *edges, int64_t i) {
    return 0.5 * (edges[i] + edges[i + 1]);
}

/* A corner of pixel j of the present row: p1, p2, p3; files have z, y, x. */
static void corner_of(const le__sc_walk *w, int64_t j, int k, double p[3]) {
    const float *c = w->geometry->corners + ((w->row * w->geometry->cols + j) * 4 + k) * 3;
    p[0] = (double)c[1];
    p[1] = (double)c[2];
    p[2] = (double)c[0];
}

/* Where the centre of pixel j of the present row lies on the detector: p1, p2, p3. */
static void centre_of(const le__sc_walk *w, int64_t j, double p[3]) {
    const le__sc_geometry *g = w->geometry;
    if (!g->corners) {
        p[0] = middle(g->edges1, w->row);
        p[1] = middle(g->edges2, j);
        p[2] = 0;
        return;
    }
    double corner[4][3];
    for (int k = 0; k < 4; k++)
        corner_of(w, j, k, corner[k]);
    for (int k = 0; k < 3; k++)
        p[k] = 0.25 * (corner[0][k] + corner[1][k] + corner[2][k] + corner[3][k]);
}

le_status le__sc_walk_open(le__sc_walk *w, const le__sc_geometry *g, int wanted) {
    const size_t n = (size_t)g->cols + 1;
    *w = (le__sc_walk){.geometry = g, .wanted = wanted, .row = -1, .next = -1};
    le__sc_point *points = malloc(6 * n * sizeof *points + 2 * n * sizeof *w->middles);
    if (!points)
        return le_fail(LE_ERR_MEMORY, "no memory for a row of %lld pixels", (long long)g->cols);
    w->memory = points;
    w->centre = points;
    w->above = points + n;
    w->below = points + (g->corners ? n : 2 * n);
    w->middles = (double *)(points + 6 * n);
    w->solid = w->middles + n;
    for (int64_t j = 0; j < g->cols && !g->corners; j++)
        w->middles[j] = middle(g->edges2, j);
    make_matrix(g, w->matrix);
    return LE_OK;
}

void le__sc_walk_close(le__sc_walk *w) {
    free(w->memory);
    w->memory = NULL;
}

/* Points of a flat detector with the same p1. */
static void line_points(const le__sc_walk *w, double p1, const double *p2, int64_t n,
                        le__sc_point *out) {
    const recipe how = recipe_of(w->geometry);
    const bool chi = (w->wanted & LE__SC_AZIMUTHS) != 0;
    int64_t j = 0;
    for (; j + LE__SC_LINE <= n; j += LE__SC_LINE) {
        double x2[LE__SC_LINE];
        le__sc_line line;
        for (int k = 0; k < LE__SC_LINE; k++)
            x2[k] = p2[j + k] - w->geometry->poni2;
        le__sc_line_of(w->matrix, p1 - w->geometry->poni1, x2, w->geometry->distance, how.of, chi,
                       &line);
        for (int k = 0; k < LE__SC_LINE; k++) {
            const double x = how.scale * line.radial[k];
            out[j + k] =
                (le__sc_point){.radial = how.squared ? x * x : x, .chi = chi ? line.chi[k] : 0};
        }
    }
    for (; j < n; j++)
        out[j] = point_of(w, (double[3]){p1, p2[j], 0});
}

static void border_points(const le__sc_walk *w, int64_t edge, le__sc_point *out) {
    const le__sc_geometry *g = w->geometry;
    line_points(w, g->edges1[edge], g->edges2, g->cols + 1, out);
}

static void corner_points(const le__sc_walk *w, le__sc_point *out) {
    for (int64_t k = 0; k < 4 * w->geometry->cols; k++) {
        double p[3];
        corner_of(w, k / 4, (int)(k % 4), p);
        out[k] = point_of(w, p);
    }
}

static void solid_angles(le__sc_walk *w) {
    const le__sc_geometry *g = w->geometry;
    double x2[LE__SC_LINE] = {0}, out[LE__SC_LINE];
    for (int64_t j = 0, n; j < g->cols; j += n) {
        n = g->cols - j < LE__SC_LINE ? g->cols - j : LE__SC_LINE;
        for (int64_t k = 0; k < n; k++)
            x2[k] = w->middles[j + k] - g->poni2;
        le__sc_solid_angles_of(middle(g->edges1, w->row) - g->poni1, x2, g->distance, out);
        memcpy(w->solid + j, out, (size_t)n * sizeof *out);
    }
}

void le__sc_walk_to(le__sc_walk *w, int64_t row) {
    const int64_t cols = w->geometry->cols;
    w->row = row;
    const bool flat = !w->geometry->corners;
    if (flat && w->wanted & LE__SC_CENTRES)
        line_points(w, middle(w->geometry->edges1, row), w->middles, cols, w->centre);
    for (int64_t j = 0; j < cols && !flat && w->wanted & LE__SC_CENTRES; j++) {
        double p[3];
        centre_of(w, j, p);
        w->centre[j] = point_of(w, p);
    }
    if (flat && w->wanted & LE__SC_SOLID_ANGLES)
        solid_angles(w);
    if (!(w->wanted & LE__SC_CORNERS))
        return;
    if (w->geometry->corners) {
        corner_points(w, w->above);
        return;
    }
    if (w->next == row) {
        le__sc_point *swap = w->above;
        w->above = w->below;
        w->below = swap;
    } else {
        border_points(w, row, w->above);
    }
    border_points(w, row + 1, w->below);
    w->next = row + 1;
}

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* The normal of the pixel's plane, from its diagonals. */
static void normal_of(const le__sc_walk *w, int64_t j, double out[3]) {
    double corner[4][3], diagonal[2][3];
    for (int k = 0; k < 4; k++)
        corner_of(w, j, k, corner[k]);
    for (int d = 0; d < 2; d++)
        for (int k = 0; k < 3; k++)
            diagonal[d][k] = corner[d + 2][k] - corner[d][k];
    cross(diagonal[0], diagonal[1], out);
}

double le__sc_solid_angle(const le__sc_walk *w, int64_t j) {
    double p[3], x[3], n[3], dot = 0, length = 0, normal = 0;
    if (!w->geometry->corners)
        return w->solid[j];
    centre_of(w, j, p);
    from_sample(w->geometry, p, x);
    normal_of(w, j, n);
    for (int k = 0; k < 3; k++) {
        dot += x[k] * n[k];
        length += x[k] * x[k];
        normal += n[k] * n[k];
    }
    const double c = fabs(dot) / sqrt(length * normal);
    return c * c * c;
}

double le__sc_polarization(const le__sc_walk *w, int64_t j, double factor) {
    double p[3], t[3];
    centre_of(w, j, p);
    in_laboratory(w, p, t);
    const double c2 = t[2] * t[2] / (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    const double chi = atan2(t[0], t[1]);
    return 0.5 * (1 + c2 - factor * cos(2 * chi) * (1 - c2));
}
