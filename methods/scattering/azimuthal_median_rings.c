/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * azimuthal_median, ring by ring; compiled once per ISA. The ends of the band are found by selection:
 * pixels are split about one of them (Hoare's FIND, with lengths instead of numbers), and the search
 * goes on in the part that holds the end. Nothing is sorted.
 */
#include "scattering/azimuthal_median.h"

#include "scattering/integrate_rings.h"

typedef struct place { /* a pixel of the ring */
    double value;
    float length;
    int32_t index;
} place;

/* The places of the pixels with data; returns how many. */
static int64_t list_places(const ring *r, place *out, double *length) {
    int64_t n = 0;
    *length = 0;
    for (int64_t i = 0; i < r->n; i++) {
        const float s = r->signal[i], w = r->normalization[i], of = r->share[i] * w;
        out[n] = (place){(double)s / (double)w, of, (int32_t)i};
        const bool counts = s == s && of > 0;
        *length += counts ? (double)of : 0;
        n += counts;
    }
    return n;
}

static inline bool before(const place *a, const place *b) {
    return (a->value < b->value) | ((a->value == b->value) & (a->index < b->index));
}

static uint64_t next_random(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* The middle one of three by chance: no order of pixels makes the search slow. */
static int64_t pivot_of(const place *x, int64_t lo, int64_t hi, uint64_t *random) {
    int64_t k[3];
    for (int j = 0; j < 3; j++)
        k[j] = lo + (int64_t)(next_random(random) % (uint64_t)(hi - lo));
    const bool ab = before(&x[k[0]], &x[k[1]]), bc = before(&x[k[1]], &x[k[2]]),
               ac = before(&x[k[0]], &x[k[2]]);
    return ab == bc ? k[1] : ab == ac ? k[2] : k[0];
}

/* Moves what is before a pivot to the front; where the pivot is then, and the length before it. No
 * branch depends on the data. */
static int64_t split_places(place *x, int64_t lo, int64_t hi, int64_t pivot, double *length) {
    const place p = x[pivot];
    double sum = 0;
    int64_t m = lo;
    x[pivot] = x[hi - 1];
    for (int64_t i = lo; i < hi - 1; i++) {
        const place here = x[i];
        const bool first = before(&here, &p);
        x[i] = x[m];
        x[m] = here;
        sum += first ? (double)here.length : 0;
        m += first;
    }
    x[hi - 1] = x[m];
    x[m] = p;
    *length = sum;
    return m;
}

/* Brings the places that end before `at` (past: that begin no later) to the front, from `lo` on, where
 * places of the length `before_lo` are in front already; returns the end of them. */
static int64_t advance(place *x, int64_t lo, int64_t hi, double *before_lo, double at, bool past) {
    uint64_t random = (uint64_t)hi;
    while (lo < hi) {
        double length;
        const int64_t m = split_places(x, lo, hi, pivot_of(x, lo, hi, &random), &length);
        const double begin = *before_lo + length, end = begin + (double)x[m].length;
        if (past ? begin <= at : end < at) {
            lo = m + 1;
            *before_lo = end;
        } else {
            hi = m;
        }
    }
    return lo;
}

static void add_places(const task *t, const ring *r, const place *x, int64_t n,
                       le__sc_sums *out) {
    for (int64_t k = 0; k < n; k++) {
        const int32_t i = x[k].index;
        const double c = (double)r->share[i], cw = c * (double)r->normalization[i];
        out->signal += c * (double)r->signal[i];
        out->normalization += cw;
        out->normalization2 += cw * cw;
        out->variance += c * c * (double)r->variance[i];
        out->count += c;
    }
    if (t->setup->model != LE__SC_MODEL_AZIMUTHAL)
        return;
    const double mean = out->signal / out->normalization;
    double variance = 0, squares = 0;
    for (int64_t k = 0; k < n; k++) {
        const int32_t i = x[k].index;
        const double c = (double)r->share[i], cs = c * (double)r->signal[i],
                     cm = c * mean * (double)r->normalization[i];
        variance += (cs - cm) * (cs - cm);
        squares += cs * cs + cm * cm;
    }
    out->variance = le__sc_spread(variance, squares);
}

static void take_band(const task *t, ring *r, le__sc_sums *out) {
    place *x = r->space;
    double length, front = 0;
    const int64_t n = list_places(r, x, &length);
    const le__sc_band band = le__sc_band_in(*(const le__sc_band *)t->how, length);
    const int64_t first = advance(x, 0, n, &front, band.from, false),
                  end = advance(x, first, n, &front, band.to, true);
    if (n > 0)
        add_places(t, r, x + first, end - first, out);
}

static le_status run(le_call *call) {
    const le__sc_band band = le__sc_band_of(call);
    return run_rings(call, take_band, &band, sizeof(place));
}

LE__SC_RINGS(azimuthal_median, "ring by ring, ends of the band by selection; " LE__ISA_WIDTH);
