/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What clips on OpenCL devices have in common.
 */
#include "imaging/clip_opencl.h"

#include <stdio.h>

le__im_cl_clip le__im_cl_clip_of(const le__im_clip *clip) {
    return (le__im_cl_clip){.sigma_lower = clip->sigma_lower,
                            .sigma_upper = clip->sigma_upper,
                            .mean = clip->mean,
                            .mad = clip->mad,
                            .closed = clip->closed,
                            .readmit = clip->readmit,
                            .maxiters = (int32_t)clip->maxiters};
}

void le__im_key_options(le_dtype dtype, int digit, int group, char *out, size_t size) {
    const bool is_signed = dtype == LE_I16 || dtype == LE_I32;
    const int bits = (int)le_dtype_size(dtype) * 8;
    snprintf(out, size, "-DT=%s -DKIND=%d -DOFFSET=%lldL -DKEY_BITS=%d -DDIGIT=%d -DGROUP=%d",
             le_dtype_cl_type(dtype), dtype == LE_F64 ? 2 : dtype == LE_F32,
             is_signed ? 1LL << (bits - 1) : 0LL, bits, digit, group);
}
