/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The table turned round: the pixels of each bin, its ring, for operations that look at all pixels
 * of a ring together.
 */
#ifndef LE_SCATTERING_RINGS_H
#define LE_SCATTERING_RINGS_H

#include "scattering/results.h"
#include "scattering/turn.h"

#include <float.h>
#include <math.h>

enum { LE__SC_RING_LANES = 8 }; /* arrays may be read up to a multiple of these */

typedef struct le__sc_rings {
    le__sc_table table;
    int64_t longest;
    le__sc_turn turn; /* of the table here */
    /* Ring after ring, in a ring by pixel. normalization: 1 where pixels are not weighted */
    const uint32_t *pixel;
    const float *share, *normalization;
} le__sc_rings;

static inline int64_t le__sc_ring_begin(const le__sc_rings *rings, int64_t bin) {
    return le__sc_turn_begin(&rings->turn, bin);
}

/* For prepare and run. */
le_status le__sc_rings_of(le_call *call, le__sc_rings *out);
/* Bytes that are kept, about. */
int64_t le__sc_rings_bytes(const le_call *call);

/* Signal and variance of a pixel in a frame, in f32, so that every implementation has the same
 * order of pixels. signal NaN: the frame has no data there, or none that f32 holds. */
typedef struct le__sc_ring_value {
    float signal, variance;
} le__sc_ring_value;

static inline le__sc_ring_value le__sc_ring_value_of(const le__sc_setup *s, float raw, float dark,
                                                     float variance, float normalization) {
    const float value = le__sc_value(s, raw);
    le__sc_ring_value out = {value - dark, variance};
    if (s->model == LE__SC_MODEL_POISSON)
        out.variance = value > 1 ? value : 1;
    if (!s->weighted) {
        out.signal /= normalization;
        out.variance /= normalization * normalization;
    }
    const bool varies = s->model == LE__SC_MODEL_POISSON || s->model == LE__SC_MODEL_VARIANCE;
    if (!(fabsf(out.signal) <= FLT_MAX) || (varies && !(out.variance <= FLT_MAX)))
        out = (le__sc_ring_value){NAN, 0};
    return out;
}

/* Pixels further from the mean than so many standard deviations are refused: thres, or Chauvenet's
 * criterion for a ring of `count` pixels where that is more. Rounding does not decide about pixels
 * at the very limit, such as both of two: they stay. */
double le__sc_cutoff(double thres, double count);

#endif
