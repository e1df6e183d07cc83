/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation correlate2d.
 */
#include "imaging/convolution.h"

static const le_arg_desc args[] = {LE__CONV_2D_ARGS};

static le_status check(le_call *call) {
    return le__convolution_check(call, LE__CORRELATE_2D);
}

static le_status make_case(le_case *c, const le_case_request *request) {
    return le__convolution_case(c, request, LE__CORRELATE_2D);
}

extern const le_operation le_operation_correlate2d;
const le_operation le_operation_correlate2d = {
    LE__CONV_OPERATION("correlate2d", "two-dimensional cross-correlation",
                       "scipy.signal.correlate2d"),
    .slabs = le__convolution_slabs, .tiles = le__convolution_tiles};
