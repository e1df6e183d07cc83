/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The operation convolve: of signals.
 */
#include "imaging/convolution.h"

static const le_arg_desc args[] = {
    [CONV_IMAGE] = {.name = "signal",
                    .doc = "samples; as long as the kernel, longer or shorter",
                    .type = LE_TYPE_IN,
                    .dtypes = LE_DTYPES_ALL,
                    .min_ndim = 1,
                    .max_ndim = 1,
                    .shape = "[N]"},
    [CONV_KERNEL] = LE__CONV_KERNEL_ARG(1, "[K]"),
    [CONV_RESULT] = LE__CONV_RESULT_ARG(1, "[N+K-1], same: [max(N,K)], valid: [|N-K|+1]"),
    [CONV_MODE] = LE__CONV_MODE_ARG(
        "every overlap, the centre of it as long as the longer, or whole overlaps only"),
};

static le_status check(le_call *call) {
    return le__convolution_check(call, LE__CONVOLVE_1D);
}

static le_status make_case(le_case *c, const le_case_request *request) {
    return le__convolution_case(c, request, LE__CONVOLVE_1D);
}

extern const le_operation le_operation_convolve;
const le_operation le_operation_convolve = {
    LE__CONV_OPERATION("convolve", "convolution of two sequences", "numpy.convolve")};
