/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What clips on OpenCL devices have in common: kernels that know pixels by their keys.
 */
#ifndef LE_IMAGING_CLIP_OPENCL_H
#define LE_IMAGING_CLIP_OPENCL_H

#include "imaging/clip.h"

/* clip of cl/imaging/group_clip.clh */
typedef struct le__im_cl_clip {
    double sigma_lower, sigma_upper;
    int32_t mean, mad, closed, readmit, maxiters, unused;
} le__im_cl_clip;

le__im_cl_clip le__im_cl_clip_of(const le__im_clip *clip);

/* The options of cl/imaging/keys.clh, and those that all such kernels have. */
void le__im_key_options(le_dtype dtype, int digit, int group, char *out, size_t size);

#endif
