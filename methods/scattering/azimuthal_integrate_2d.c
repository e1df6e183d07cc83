/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation azimuthal_integrate_2d: detector frames over radial coordinate and azimuth.
 */
#include "scattering/operation.h"

static const le_arg_desc args[] = {
    [SC_FRAMES] = LE__SC_FRAMES_IN,
    LE__SC_INPUTS,
    LE__SC_RESULTS(4, "[npt_azim,npt], [N,npt_azim,npt] or [A,B,npt_azim,npt]"),
    [SC_NPT_AZIM] = {.name = "npt_azim",
                     .doc = "bins of the azimuth",
                     .type = LE_TYPE_I64,
                     .optional = true,
                     .cost = true,
                     .min = 1,
                     .max = 1 << 16,
                     .has_default = true, .default_f64 = 360},
    [SC_AZIMUTHAL] =
        LE__SC_USUAL_RESULT("azimuthal", "centres of the bins, degrees", 1, "[npt_azim]"),
};

static le_status check(le_call *call) {
    return le__sc_check_frames(call, le_call_i64(call, SC_NPT_AZIM));
}

static le_status make_case(le_case *c, const le_case_request *request) {
    return le__sc_make_case(c, request, LE__SC_CASE_PLANE);
}

extern const le_operation le_operation_azimuthal_integrate_2d;
const le_operation le_operation_azimuthal_integrate_2d = {
    LE__SC_OPERATION("azimuthal_integrate_2d",
                     "detector frames over radial coordinate and azimuth")};
