/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * How a pixel is shared out among bins of radial coordinate, or of radial coordinate and azimuth.
 *
 * no    its centre counts
 * bbox  the rectangle about its centre that holds its corners; what of it lies outside the range
 *       counts for the bin at the edge
 * full  the quadrilateral of its corners, by area; what lies outside is left out, and the rest
 *       counts for the whole pixel
 *
 * The weights of a pixel sum to one. Azimuths are those of centres, from -pi to pi, or next to
 * the middle of a range that goes beyond. In one dimension a range takes or refuses whole pixels.
 */
#ifndef LE_SCATTERING_SPLIT_H
#define LE_SCATTERING_SPLIT_H

#include "scattering/geometry.h"

typedef enum le__sc_splitting { LE__SC_FULL, LE__SC_BBOX, LE__SC_NO } le__sc_splitting;

extern const char *const le__sc_splittings[]; /* names, NULL-ended */

typedef struct le__sc_axis {
    double lo, hi, delta; /* of bins; azimuth in rad */
    int64_t n;            /* 0: not an axis of the result */
} le__sc_axis;

typedef struct le__sc_bins {
    le__sc_splitting splitting;
    le__sc_axis radial, azimuth;
    bool azimuth_limited; /* in one dimension: azimuth has the range of whole pixels */
} le__sc_bins;

/* The smallest and largest coordinates of a pixel, as the splitting sees it. */
typedef struct le__sc_extent {
    double radial[2], azimuth[2];
} le__sc_extent;

/* Weights of bins first[0] .. in radial, first[1] .. in azimuth; radial fastest. */
typedef struct le__sc_share {
    int64_t first[2], count[2];
    double *weight; /* owned; room for all bins of a result */
} le__sc_share;

/* What a walk must have for the splitting; and for extents and reaches, which is less where azimuth
 * means nothing. */
int le__sc_wanted(const le__sc_bins *bins);
int le__sc_wanted_extents(const le__sc_bins *bins);

le_status le__sc_share_open(le__sc_share *share, const le__sc_bins *bins);
void le__sc_share_close(le__sc_share *share);

/* Azimuths mean something only where the bins have a use for them. */
void le__sc_extent_of(const le__sc_walk *walk, int64_t j, const le__sc_bins *bins,
                      le__sc_extent *out);
/* Bins that pixel j may have a part in, a box of radial and azimuth; false: it has none. */
bool le__sc_reach(const le__sc_walk *walk, int64_t j, const le__sc_bins *bins, le__sc_share *out);
/* The same with weights. */
bool le__sc_split(const le__sc_walk *walk, int64_t j, const le__sc_bins *bins, le__sc_share *out);

/* From lo to just above hi in n steps. */
le__sc_axis le__sc_axis_of(double lo, double hi, int64_t n);
double le__sc_bin_centre(const le__sc_axis *axis, int64_t bin);

#endif
