/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation azimuthal_median: its arguments beside those that integrations share, and what
 * decides which pixels of a ring count.
 */
#ifndef LE_SCATTERING_AZIMUTHAL_MEDIAN_H
#define LE_SCATTERING_AZIMUTHAL_MEDIAN_H

#include "scattering/arguments.h"

enum { SC_QUANTILES = SC_COMMON };

/* The pixels of a ring lie one behind the other in the order of signal over normalization, of equal
 * ones by their place in the frame; each is as long as its share of normalization. Those count that
 * touch the band between these parts of the whole length. */
typedef struct le__sc_band {
    double from, to;
} le__sc_band;

le__sc_band le__sc_band_of(const le_call *call);

/* The same in a ring of some length. Lengths come from sums, so that what ends at the band's edge but
 * for rounding touches it: the median of an even number of equal pixels is the mean of two. */
static inline le__sc_band le__sc_band_in(le__sc_band band, double length) {
    return (le__sc_band){(band.from - 1e-12) * length, (band.to + 1e-12) * length};
}

#endif
