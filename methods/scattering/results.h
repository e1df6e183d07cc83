/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * From the sums of a bin to the results of a call.
 */
#ifndef LE_SCATTERING_RESULTS_H
#define LE_SCATTERING_RESULTS_H

#include "scattering/setup.h"

/* c: share of a pixel in the bin; s: signal; w: normalization; v: variance */
typedef struct le__sc_sums {
    double signal;         /* of c s */
    double normalization;  /* of c w */
    double normalization2; /* of c^2 w^2 */
    double variance;       /* of c^2 v */
    double count;          /* of c */
} le__sc_sums;

/* The variance of pixels about their mean, which is 0 where it is nothing but the rounding of f32.
 * squares: what it is a difference of. */
static inline double le__sc_spread(double variance, double squares) {
    return variance > 1e-13 * squares ? variance : 0;
}

/* Of a frame that cannot be read: no numbers. */
extern const le__sc_sums le__sc_unknown;

/* Writes one bin of one frame to the outputs that the call has. */
void le__sc_put(le_call *call, int64_t frame, int64_t bin, const le__sc_sums *sums);
/* Writes radial and azimuthal. */
void le__sc_put_axes(le_call *call, const le__sc_bins *bins);

#endif
