/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation azimuthal_sigma_clip: curves without the outliers of each ring.
 */
#include "scattering/azimuthal_sigma_clip.h"

#include "scattering/operation.h"

static const le_arg_desc args[] = {
    [SC_FRAMES] = LE__SC_FRAMES_IN,
    LE__SC_INPUTS_OF("no", le__sc_error_models + LE__SC_MODEL_POISSON, "azimuthal"),
    LE__SC_RESULTS(3, "[npt], [N,npt] or [A,B,npt]"),
    [SC_THRES] = {.name = "thres",
                  .doc = "standard deviations from the mean from which on pixels are refused; where "
                         "Chauvenet's criterion allows more, that counts",
                  .type = LE_TYPE_F64,
                  .optional = true,
                  .min = 0,
                  .max = 1e300,
                  .has_default = true, .default_f64 = 5},
    [SC_MAX_ITER] = {.name = "max_iter",
                     .doc = "how often pixels are refused at most",
                     .type = LE_TYPE_I64,
                     .optional = true,
                     .cost = true,
                     .min = 0,
                     .max = 1 << 20,
                     .has_default = true, .default_f64 = 5},
};

static le_status check(le_call *call) {
    return le__sc_check_frames(call, 0);
}

static le_status make_case(le_case *c, const le_case_request *request) {
    return le__sc_make_case(c, request, LE__SC_CASE_CLIP);
}

extern const le_operation le_operation_azimuthal_sigma_clip;
const le_operation le_operation_azimuthal_sigma_clip = {LE__SC_OPERATION(
    "azimuthal_sigma_clip", "diffraction curves of detector frames without outliers")};
