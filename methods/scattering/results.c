/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * From sums to means and their errors.
 */
#include "scattering/results.h"

#include "common/load.h"

#include <math.h>

const le__sc_sums le__sc_unknown = {NAN, NAN, NAN, NAN, NAN};

/* Element of a result: bins lie along the last axes, frames along those of the stack. */
static void put(le_call *call, int arg, int64_t frame, int64_t bin, double value) {
    if (!le_call_given(call, arg))
        return;
    const le_tensor *t = le_call_out(call, arg);
    const int last = t->ndim - 1;
    const le__sc_setup *s = le__sc_setup_of(call);
    const bool plane = s->bins.azimuth.n > 0;
    int64_t at = bin * t->strides[last];
    if (plane) {
        const uint32_t width = (uint32_t)t->shape[last], b = (uint32_t)bin; /* divides faster */
        at = b % width * t->strides[last] + b / width * t->strides[last - 1];
    }
    for (int d = s->stack_axes - 1; d >= 0; d--) {
        at += frame % s->stack[d] * t->strides[d];
        frame /= s->stack[d];
    }
    le__store(t->data, t->dtype, at, value);
}

void le__sc_put(le_call *call, int64_t frame, int64_t bin, const le__sc_sums *s) {
    const bool errors = le__sc_setup_of(call)->model != LE__SC_MODEL_NONE;
    const double n = s->normalization, n2 = s->normalization2;
    put(call, SC_INTENSITY, frame, bin, n != 0 ? s->signal / n : 0);
    put(call, SC_SEM, frame, bin, errors && n != 0 ? sqrt(s->variance) / n : 0);
    put(call, SC_STD, frame, bin, errors && n2 != 0 ? sqrt(s->variance / n2) : 0);
    put(call, SC_SUM_SIGNAL, frame, bin, s->signal);
    put(call, SC_SUM_NORMALIZATION, frame, bin, n);
    put(call, SC_SUM_NORMALIZATION2, frame, bin, n2);
    put(call, SC_SUM_VARIANCE, frame, bin, errors ? s->variance : 0);
    put(call, SC_COUNT, frame, bin, s->count);
}

static void put_axis(le_call *call, int arg, const le__sc_axis *axis, double scale, double from) {
    if (!le_call_given(call, arg))
        return;
    const le_tensor *t = le_call_out(call, arg);
    for (int64_t k = 0; k < axis->n; k++)
        le__store(t->data, t->dtype, k * t->strides[0], from + scale * le__sc_bin_centre(axis, k));
}

void le__sc_put_axes(le_call *call, const le__sc_bins *bins) {
    put_axis(call, SC_RADIAL, &bins->radial, 1, 0);
    if (bins->azimuth.n > 0)
        put_axis(call, SC_AZIMUTHAL, &bins->azimuth, 57.29577951308232088,
                 le__sc_setup_of(call)->azimuth_from);
}
