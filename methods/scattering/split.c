/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The shares of a pixel: rectangles and quadrilaterals cut by bins.
 */
#include "scattering/split.h"

#include <math.h>
#include <stdlib.h>

static const double turn_2pi = 6.28318530717958647693;

const char *const le__sc_splittings[] = {"full", "bbox", "no", NULL};

/* -------------------------------------------------------------------------------------- axes -- */

/* The upper end is moved by the spacing of f32, so that the largest coordinate has a bin. */
le__sc_axis le__sc_axis_of(double lo, double hi, int64_t n) {
    const double spacing = 1.0 / 8388608.0;
    const double upper = hi > 0 ? hi * (1 + spacing) : hi * (1 - spacing);
    return (le__sc_axis){.lo = lo, .hi = upper, .delta = (upper - lo) / (double)n, .n = n};
}

double le__sc_bin_centre(const le__sc_axis *a, int64_t bin) {
    return a->lo + ((double)bin + 0.5) * a->delta;
}

static double in_bins(const le__sc_axis *a, double x) {
    return (x - a->lo) / a->delta;
}

static int64_t clamp_bin(const le__sc_axis *a, double x) {
    if (!(x > 0))
        return 0;
    return x < (double)a->n ? (int64_t)x : a->n - 1;
}

/* ----------------------------------------------------------------------------------- extents -- */

/* Without a call for what is no number, which is none here. */
static inline double lesser(double a, double b) {
    return a < b ? a : b;
}

static inline double greater(double a, double b) {
    return a > b ? a : b;
}

static inline double by_turns(double chi, double next_to) {
    const double off = chi - next_to;
    if (fabs(off) < 0.5 * turn_2pi)
        return chi;
    return chi - turn_2pi * floor(off / turn_2pi + 0.5);
}

static inline void widen(double range[2], double x) {
    range[0] = lesser(range[0], x);
    range[1] = greater(range[1], x);
}

static bool uses_azimuth(const le__sc_bins *bins) {
    return bins->azimuth_limited || bins->azimuth.n > 0;
}

/* Around which a pixel's azimuth is one of a turn. A range within [-pi, pi] leaves it as it is, so
 * that a pixel at the end of the turn reaches one end of such a range only. */
static double azimuth_middle(const le__sc_bins *bins) {
    const double room = 1.0 / 8388608.0, half = (1 + room) * 0.5 * turn_2pi;
    if (!uses_azimuth(bins) || (bins->azimuth.lo >= -half && bins->azimuth.hi <= half))
        return 0;
    return 0.5 * (bins->azimuth.lo + bins->azimuth.hi);
}

int le__sc_wanted(const le__sc_bins *bins) {
    const bool full = bins->splitting == LE__SC_FULL;
    return (bins->splitting == LE__SC_NO ? 0 : LE__SC_CORNERS) |
           (full && !uses_azimuth(bins) ? 0 : LE__SC_CENTRES) |
           (full || uses_azimuth(bins) ? LE__SC_AZIMUTHS : 0);
}

int le__sc_wanted_extents(const le__sc_bins *bins) {
    return le__sc_wanted(bins) & ~(uses_azimuth(bins) ? 0 : LE__SC_AZIMUTHS);
}

/* A pixel that holds the beam has no quadrilateral in these coordinates. It gets pyFAI's: azimuths
 * from 0 to a turn where the corners would otherwise run the other way round; in the turn about
 * `middle`, like all pixels. */
static void round_the_beam(le__sc_point corner[4], double middle, bool mirrored) {
    double mean = 0;
    for (int k = 0; k < 4; k++)
        corner[k].chi = by_turns(corner[k].chi, 0);
    const double area =
        0.5 * (corner[2].radial - corner[0].radial) * (corner[3].chi - corner[1].chi) -
        (corner[2].chi - corner[0].chi) * (corner[3].radial - corner[1].radial);
    for (int k = 0; k < 4 && (mirrored ? area < 0 : area > 0); k++)
        corner[k].chi += corner[k].chi < 0 ? turn_2pi : 0;
    for (int k = 0; k < 4; k++)
        mean += 0.25 * corner[k].chi;
    const double turns = ceil((mean - middle) / turn_2pi - 0.5);
    for (int k = 0; k < 4; k++)
        corner[k].chi -= turns * turn_2pi;
}

/* The corners with azimuths next to that of the centre (or of the first corner, where azimuth is
 * no axis); returns the centre. */
static le__sc_point corners_of(const le__sc_walk *w, int64_t j, const le__sc_bins *bins,
                               le__sc_point out[4]) {
    le__sc_walk_corners(w, j, out);
    le__sc_point centre = w->wanted & LE__SC_CENTRES ? w->centre[j] : out[0];
    centre.chi = by_turns(centre.chi, azimuth_middle(bins));
    double range[2] = {centre.chi, centre.chi};
    for (int k = 0; k < 4; k++) {
        out[k].chi = by_turns(out[k].chi, centre.chi);
        widen(range, out[k].chi);
    }
    if (range[1] - range[0] > 0.5 * turn_2pi) /* more than half round */
        round_the_beam(out, azimuth_middle(bins), le__sc_walk_mirrored(w));
    return centre;
}

static le__sc_extent extent_of_corners(const le__sc_point corner[4]) {
    le__sc_extent out = {{corner[0].radial, corner[0].radial}, {corner[0].chi, corner[0].chi}};
    for (int k = 1; k < 4; k++) {
        widen(out.radial, corner[k].radial);
        widen(out.azimuth, corner[k].chi);
    }
    return out;
}

static le__sc_extent extent_of_box(le__sc_point centre, const le__sc_point corner[4]) {
    double half[2] = {0, 0};
    for (int k = 0; k < 4; k++) {
        half[0] = greater(half[0], fabs(corner[k].radial - centre.radial));
        half[1] = greater(half[1], fabs(corner[k].chi - centre.chi));
    }
    return (le__sc_extent){{centre.radial - half[0], centre.radial + half[0]},
                           {centre.chi - half[1], centre.chi + half[1]}};
}

/* The extent, and the corners of a pixel that is shared out by area. */
static le__sc_extent shape_of(const le__sc_walk *w, int64_t j, const le__sc_bins *bins,
                              le__sc_point corner[4]) {
    if (bins->splitting == LE__SC_NO) {
        const double chi = by_turns(w->centre[j].chi, azimuth_middle(bins));
        const double radial = w->centre[j].radial;
        return (le__sc_extent){{radial, radial}, {chi, chi}};
    }
    const le__sc_point centre = corners_of(w, j, bins, corner);
    return bins->splitting == LE__SC_FULL ? extent_of_corners(corner)
                                          : extent_of_box(centre, corner);
}

/* Where azimuth means nothing. */
static void radial_extent(const le__sc_walk *w, int64_t j, const le__sc_bins *bins, double out[2]) {
    le__sc_point corner[4];
    const double centre = w->wanted & LE__SC_CENTRES ? w->centre[j].radial : 0;
    double half = 0;
    out[0] = out[1] = centre;
    if (bins->splitting == LE__SC_NO)
        return;
    le__sc_walk_corners(w, j, corner);
    if (bins->splitting == LE__SC_FULL) {
        out[0] = out[1] = corner[0].radial;
        for (int k = 1; k < 4; k++)
            widen(out, corner[k].radial);
        return;
    }
    for (int k = 0; k < 4; k++)
        half = greater(half, fabs(corner[k].radial - centre));
    out[0] = centre - half;
    out[1] = centre + half;
}

/* The corners are there only of pixels that are shared out, and where azimuth means something. */
static le__sc_extent extent_of(const le__sc_walk *w, int64_t j, const le__sc_bins *bins,
                               le__sc_point corner[4]) {
    le__sc_extent out = {{0}, {0}};
    if (uses_azimuth(bins))
        return shape_of(w, j, bins, corner);
    radial_extent(w, j, bins, out.radial);
    return out;
}

void le__sc_extent_of(const le__sc_walk *w, int64_t j, const le__sc_bins *bins,
                      le__sc_extent *out) {
    le__sc_point corner[4];
    *out = extent_of(w, j, bins, corner);
}

/* ------------------------------------------------------------------------------------- reach -- */

le_status le__sc_share_open(le__sc_share *share, const le__sc_bins *bins) {
    const int64_t azimuth = bins->azimuth.n > 0 ? bins->azimuth.n : 1;
    *share = (le__sc_share){0};
    share->weight = calloc((size_t)(bins->radial.n * azimuth), sizeof *share->weight);
    if (!share->weight)
        return le_fail(LE_ERR_MEMORY, "no memory for %lld bins",
                       (long long)(bins->radial.n * azimuth));
    return LE_OK;
}

void le__sc_share_close(le__sc_share *share) {
    free(share->weight);
    share->weight = NULL;
}

static bool reach_axis(const le__sc_axis *a, const double range[2], int k, le__sc_share *out) {
    const double lo = in_bins(a, range[0]), hi = in_bins(a, range[1]);
    if (!(hi >= 0 && lo < (double)a->n))
        return false;
    out->first[k] = clamp_bin(a, lo);
    out->count[k] = clamp_bin(a, hi) - out->first[k] + 1;
    return true;
}

static bool reach(const le__sc_bins *bins, const le__sc_extent *e, le__sc_share *out) {
    out->first[1] = 0;
    out->count[1] = 1;
    if (bins->azimuth_limited &&
        (e->azimuth[1] < bins->azimuth.lo || e->azimuth[0] >= bins->azimuth.hi))
        return false;
    return reach_axis(&bins->radial, e->radial, 0, out) &&
           (bins->azimuth.n == 0 || reach_axis(&bins->azimuth, e->azimuth, 1, out));
}

bool le__sc_reach(const le__sc_walk *w, int64_t j, const le__sc_bins *bins, le__sc_share *out) {
    le__sc_extent e;
    le__sc_extent_of(w, j, bins, &e);
    return reach(bins, &e, out);
}

/* --------------------------------------------------------------------------------- rectangle -- */

/* The part of [range] in a bin; the first and last one have what lies outside. */
static double overlap(const le__sc_axis *a, const double range[2], int64_t bin) {
    const double lo = in_bins(a, range[0]), hi = in_bins(a, range[1]);
    const double begin = bin == 0 ? lo : greater(lo, (double)bin),
                 end = bin == a->n - 1 ? hi : lesser(hi, (double)(bin + 1));
    return hi > lo ? greater(end - begin, 0) / (hi - lo) : 1;
}

static void split_rectangle(const le__sc_bins *bins, const le__sc_extent *e, le__sc_share *out) {
    for (int64_t a = 0; a < out->count[1]; a++) {
        const double part =
            bins->azimuth.n > 0 ? overlap(&bins->azimuth, e->azimuth, out->first[1] + a) : 1;
        for (int64_t r = 0; r < out->count[0]; r++)
            out->weight[a * out->count[0] + r] =
                part * overlap(&bins->radial, e->radial, out->first[0] + r);
    }
}

/* ----------------------------------------------------------------------------- quadrilateral -- */

static inline double clamp(double x, double lo, double hi) {
    return lesser(greater(x, lo), hi);
}

/* Adds the signed areas between an edge and the axis, in each of the columns [bin, bin + 1]. */
static void add_areas_below(const le__sc_point *from, const le__sc_point *to, le__sc_share *out) {
    const double width = to->radial - from->radial;
    if (width == 0)
        return;
    const double slope = (to->chi - from->chi) / width;
    for (int64_t r = 0; r < out->count[0]; r++) {
        const double bin = (double)(out->first[0] + r);
        const double u = clamp(from->radial, bin, bin + 1), v = clamp(to->radial, bin, bin + 1);
        out->weight[r] += (v - u) * (from->chi + slope * (0.5 * (u + v) - from->radial));
    }
}

enum { MOST_CORNERS = 8 }; /* four, and one more for each line that cuts */

/* Keeps what of a polygon lies above (sign 1) or below (-1) a line across axis 0 or 1. */
static int cut(const le__sc_point *in, int n, bool radial, double at, double sign,
               le__sc_point *out) {
    int m = 0;
    for (int k = 0; k < n; k++) {
        const le__sc_point a = in[k], b = in[(k + 1) % n];
        const double da = sign * ((radial ? a.radial : a.chi) - at),
                     db = sign * ((radial ? b.radial : b.chi) - at);
        if (da >= 0)
            out[m++] = a;
        if ((da > 0 && db < 0) || (da < 0 && db > 0)) {
            const double t = da / (da - db);
            out[m++] =
                (le__sc_point){a.radial + t * (b.radial - a.radial), a.chi + t * (b.chi - a.chi)};
        }
    }
    return m;
}

static double area_of(const le__sc_point *p, int n) {
    double twice = 0;
    for (int k = 1; k + 1 < n; k++)
        twice += (p[k].radial - p[0].radial) * (p[k + 1].chi - p[0].chi) -
                 (p[k + 1].radial - p[0].radial) * (p[k].chi - p[0].chi);
    return 0.5 * twice;
}

/* In two dimensions: a strip of azimuth after the other, cut into cells. A polygon that crosses
 * itself may get more corners than its convex kin: there is room for twice as many. */
static void areas_of_cells(const le__sc_point corner[4], le__sc_share *out) {
    le__sc_point low[2 * MOST_CORNERS], strip[2 * MOST_CORNERS], left[2 * MOST_CORNERS],
        cell[2 * MOST_CORNERS];
    for (int64_t a = 0; a < out->count[1]; a++) {
        const double below = (double)(out->first[1] + a);
        int n = cut(corner, 4, false, below, 1, low);
        n = cut(low, n, false, below + 1, -1, strip);
        for (int64_t r = 0; r < out->count[0]; r++) {
            const double from = (double)(out->first[0] + r);
            int m = cut(strip, n, true, from, 1, left);
            m = cut(left, m, true, from + 1, -1, cell);
            out->weight[a * out->count[0] + r] = area_of(cell, m);
        }
    }
}

static void areas_of_columns(const le__sc_point corner[4], le__sc_share *out) {
    for (int64_t r = 0; r < out->count[0]; r++)
        out->weight[r] = 0;
    for (int k = 0; k < 4; k++)
        add_areas_below(&corner[k], &corner[(k + 1) % 4], out);
}

/* Divides by the sum; false: it is not above `least`, which is rounding. */
static bool normalise(le__sc_share *out, double least) {
    const int64_t n = out->count[0] * out->count[1];
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += out->weight[k];
    if (!(fabs(sum) > least))
        return false;
    const double by = 1 / sum;
    for (int64_t k = 0; k < n; k++)
        out->weight[k] *= by;
    return true;
}

/* False: only the box of the corners reaches the range, or they lie on a line. */
static bool split_quadrilateral(le__sc_point corner[4], const le__sc_bins *bins,
                                le__sc_share *out) {
    const bool plane = bins->azimuth.n > 0;
    const double per[2] = {1 / bins->radial.delta, plane ? 1 / bins->azimuth.delta : 1},
                 lo[2] = {bins->radial.lo, plane ? bins->azimuth.lo : 0};
    for (int k = 0; k < 4; k++)
        corner[k] =
            (le__sc_point){(corner[k].radial - lo[0]) * per[0], (corner[k].chi - lo[1]) * per[1]};
    if (plane) {
        areas_of_cells(corner, out);
        return normalise(out, 1e-12 * fabs(area_of(corner, 4)));
    }
    areas_of_columns(corner, out);
    return normalise(out, 1e-300);
}

/* In two dimensions a pixel at the edge may reach the range with nothing but its box. */
static bool cuts_corner(const le__sc_bins *bins, const le__sc_extent *e) {
    return bins->splitting == LE__SC_FULL && bins->azimuth.n > 0 &&
           (e->radial[0] < bins->radial.lo || e->radial[1] > bins->radial.hi ||
            e->azimuth[0] < bins->azimuth.lo || e->azimuth[1] > bins->azimuth.hi);
}

bool le__sc_split(const le__sc_walk *w, int64_t j, const le__sc_bins *bins, le__sc_share *out) {
    le__sc_point corner[4];
    const le__sc_extent e = extent_of(w, j, bins, corner);
    if (!reach(bins, &e, out))
        return false;
    if (out->count[0] == 1 && out->count[1] == 1 && !cuts_corner(bins, &e)) {
        out->weight[0] = 1;
        return true;
    }
    if (bins->splitting != LE__SC_FULL) {
        split_rectangle(bins, &e, out);
        return true;
    }
    if (!uses_azimuth(bins))
        corners_of(w, j, bins, corner);
    return split_quadrilateral(corner, bins, out);
}
