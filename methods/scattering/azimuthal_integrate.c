/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation azimuthal_integrate: curves of detector frames.
 */
#include "scattering/operation.h"

static const le_arg_desc args[] = {
    [SC_FRAMES] = LE__SC_FRAMES_IN,
    LE__SC_INPUTS,
    LE__SC_RESULTS(3, "[npt], [N,npt] or [A,B,npt]"),
};

static le_status check(le_call *call) {
    return le__sc_check_frames(call, 0);
}

static le_status make_case(le_case *c, const le_case_request *request) {
    return le__sc_make_case(c, request, LE__SC_CASE_CURVE);
}

static bool slabs(const le_call *call, le_slabs *out) {
    const le_tensor *frames = le_call_in(call, SC_FRAMES);
    out->why = "it is a single frame";
    if (frames->ndim < 3)
        return false;
    le__sc_slabs(call, frames->shape[0], out);
    out->args[SC_FRAMES].axis = 1;
    return true;
}

extern const le_operation le_operation_azimuthal_integrate;
const le_operation le_operation_azimuthal_integrate = {
    LE__SC_OPERATION("azimuthal_integrate", "diffraction curves of detector frames"),
    .slabs = slabs};
