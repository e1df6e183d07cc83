/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Reference of azimuthal_median.
 */
#include "scattering/azimuthal_median.h"

#include "scattering/rings_reference.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *x, const void *y) {
    const le__sc_member *a = x, *b = y;
    const double u = a->s / a->w, v = b->s / b->w;
    if (u != v)
        return u < v ? -1 : 1;
    return (a->pixel > b->pixel) - (a->pixel < b->pixel);
}

/* In f32, as the pixels are compared by all implementations. */
static double length_of(const le__sc_member *m) {
    return fmax((double)((float)m->c * (float)m->w), 0);
}

static void take_band(le_call *call, le__sc_member *m, int64_t n) {
    double length = 0, begin = 0;
    qsort(m, (size_t)n, sizeof *m, by_value);
    for (int64_t i = 0; i < n; i++)
        length += length_of(&m[i]);
    const le__sc_band band = le__sc_band_in(le__sc_band_of(call), length);
    for (int64_t i = 0; i < n; i++) {
        const double own = length_of(&m[i]);
        m[i].out = own == 0 || begin + own < band.from || begin > band.to;
        begin += own;
    }
}

static le_status run(le_call *call) {
    return le__sc_rings_reference(call, take_band);
}

LE_IMPLEMENTATION(azimuthal_median, reference, .run_type = "reference",
                  .summary = "rings sorted, in double precision",
                  .flags = LE_IMPL_REFERENCE | LE_IMPL_REPRODUCIBLE | LE_IMPL_SERIAL, .speed = 0.01,
                  .run = run);
