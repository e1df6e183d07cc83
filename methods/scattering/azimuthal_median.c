/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation azimuthal_median: curves of the median of each ring, or of a band of quantiles.
 */
#include "scattering/azimuthal_median.h"

#include "scattering/operation.h"

static const le_arg_desc args[] = {
    [SC_FRAMES] = LE__SC_FRAMES_IN,
    LE__SC_INPUTS,
    LE__SC_RESULTS(3, "[npt], [N,npt] or [A,B,npt]"),
    [SC_QUANTILES] = {.name = "quantiles",
                      .doc = "from 0 to 1: one (the median: 0.5, the default), or the first and "
                             "last of a band, whose pixels are averaged",
                      .type = LE_TYPE_F64S,
                      .optional = true,
                      .min_count = 1,
                      .max_count = 2,
                      .min = 0,
                      .max = 1},
};

le__sc_band le__sc_band_of(const le_call *call) {
    le__sc_band band = {0.5, 0.5};
    if (le_call_given(call, SC_QUANTILES)) {
        size_t n;
        const double *list = le_call_f64s(call, SC_QUANTILES, &n);
        band = (le__sc_band){list[0], list[n - 1]};
    }
    return band;
}

static le_status check(le_call *call) {
    const le__sc_band band = le__sc_band_of(call);
    if (!(band.from >= 0 && band.from <= band.to && band.to <= 1))
        return le_fail(LE_ERR_ARGUMENT,
                       "quantiles are %g,%g, expected two rising numbers from 0 to 1", band.from,
                       band.to);
    return le__sc_check_frames(call, 0);
}

static le_status make_case(le_case *c, const le_case_request *request) {
    return le__sc_make_case(c, request, LE__SC_CASE_MEDIAN);
}

extern const le_operation le_operation_azimuthal_median;
const le_operation le_operation_azimuthal_median = {
    LE__SC_OPERATION("azimuthal_median",
                     "diffraction curves of detector frames by medians or bands of quantiles")};
