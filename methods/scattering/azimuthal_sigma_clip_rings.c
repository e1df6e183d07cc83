/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * azimuthal_sigma_clip, ring by ring; compiled once per ISA. Refusing and adding up are one pass: it
 * takes the limits that follow from the sums of the pass before.
 */
#include "scattering/azimuthal_sigma_clip.h"

#include "scattering/integrate_rings.h"

enum { LANES = LE__SC_RING_LANES };

typedef struct clipping {
    double thres;
    int64_t max_iter;
} clipping;

/* Sums of pixels LANES apart. spread: of (c s)^2; cross: of c s c w. */
typedef struct lanes {
    double signal[LANES], normalization[LANES], normalization2[LANES], variance[LANES],
        count[LANES], spread[LANES], cross[LANES], refused[LANES];
} lanes;

/* Leaves out what is further from the mean than the limit, and adds up the rest. */
static inline void pass_of(ring *r, double mean, double limit, bool azimuthal, lanes *out) {
    const float *restrict share = r->share, *restrict normalization = r->normalization,
                *restrict variance = r->variance;
    float *restrict signal = r->signal;
    lanes a = {0};
    for (int64_t i = 0; i < r->n; i += LANES)
        for (int k = 0; k < LANES; k++) {
            const float s = signal[i + k], w = normalization[i + k];
            const double off = fabs((double)s - mean * (double)w),
                         most = limit * fabs((double)w);
            const double keep = off <= most ? 1.0 : 0.0, had = s == s ? 1.0 : 0.0;
            const double c = keep * (double)share[i + k], cw = c * (double)w;
            const double cs = off <= most ? c * (double)s : 0.0;
            a.signal[k] += cs;
            a.normalization[k] += cw;
            a.normalization2[k] += cw * cw;
            a.count[k] += c;
            a.refused[k] += had - keep;
            if (azimuthal) {
                a.spread[k] += cs * cs;
                a.cross[k] += cs * cw;
            } else {
                a.variance[k] += c * c * (double)variance[i + k];
            }
            signal[i + k] = off <= most ? s : NAN;
        }
    *out = a;
}

static double sum_of(const double of[LANES]) {
    double sum = 0;
    for (int k = 0; k < LANES; k++)
        sum += of[k];
    return sum;
}

/* Returns how many pixels were refused. */
static double pass(const task *t, ring *r, double mean, double limit, le__sc_sums *out) {
    const bool azimuthal = t->setup->model == LE__SC_MODEL_AZIMUTHAL;
    lanes a;
    if (azimuthal)
        pass_of(r, mean, limit, true, &a);
    else
        pass_of(r, mean, limit, false, &a);
    *out = (le__sc_sums){.signal = sum_of(a.signal),
                         .normalization = sum_of(a.normalization),
                         .normalization2 = sum_of(a.normalization2),
                         .variance = sum_of(a.variance),
                         .count = sum_of(a.count)};
    if (azimuthal && out->normalization != 0) {
        const double now = out->signal / out->normalization;
        const double squares = sum_of(a.spread) + now * now * out->normalization2;
        out->variance = le__sc_spread(squares - 2 * now * sum_of(a.cross), squares);
    }
    return sum_of(a.refused);
}

static void clip(const task *t, ring *r, le__sc_sums *out) {
    const clipping *how = t->how;
    double refused = 1;
    pass(t, r, 0, INFINITY, out);
    for (int64_t k = 0; k < how->max_iter && refused > 0 && out->normalization != 0; k++) {
        if (!(out->variance > 0)) /* all are at the mean */
            break;
        const double limit = le__sc_cutoff(how->thres, out->count) *
                             sqrt(out->variance / out->normalization2);
        refused = pass(t, r, out->signal / out->normalization, limit, out);
    }
}

static le_status run(le_call *call) {
    const clipping how = {le_call_f64(call, SC_THRES), le_call_i64(call, SC_MAX_ITER)};
    return run_rings(call, clip, &how, 0);
}

LE__SC_RINGS(azimuthal_sigma_clip, "ring by ring, refused and added up in one pass; " LE__ISA_WIDTH);
