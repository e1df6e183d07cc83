/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * sigma_clip along an axis on an OpenCL device: a work-group each line, for lines that are too long, or too
 * few, for a work-item each.
 */
#include "imaging/clip_opencl.h"
#include "imaging/sigma_clip.h"

#include "common/opencl.h"

#include <stdio.h>

extern const le_cl_source le_cl_imaging_sigma_clip_groups;
static const le_cl_source *const sources[] = {&le_cl_imaging_sigma_clip_groups, NULL};

enum { GROUP = 256, DIGIT = 11 };

/* lines of sigma_clip_groups.cl */
typedef struct lines {
    int64_t all, step;
    int32_t length, unused;
} lines;

static le_status run(le_call *call) {
    const le__im_clip clip = le__im_clip_of(call, SIGMA_CLIP_SETTINGS);
    const le__im_cl_clip about = le__im_cl_clip_of(&clip);
    const le__im_sets sets = le__im_sets_of(call);
    const lines s = {sets.n, sets.step, (int32_t)sets.length, 0};
    const bool statistics = le_call_given(call, SIGMA_CLIP_STATISTICS),
               mask = le_call_given(call, SIGMA_CLIP_MASK);
    const int given = statistics ? SIGMA_CLIP_STATISTICS : SIGMA_CLIP_MASK;
    const le_cl_karg args[] = {LE_CL_ARG(SIGMA_CLIP_IMAGE),
                               LE_CL_STRUCT(&s),
                               LE_CL_STRUCT(&about),
                               LE_CL_ARG(given),
                               LE_CL_I32(statistics),
                               LE_CL_ARG(mask ? SIGMA_CLIP_MASK : given),
                               LE_CL_I32(mask)};
    char keys[96], options[112];
    le__im_key_options(le_call_in(call, SIGMA_CLIP_IMAGE)->dtype, DIGIT, GROUP, keys, sizeof keys);
    snprintf(options, sizeof options, "%s -DMAD=%d", keys, clip.mad);
    return le__cl_groups(call, &le_cl_imaging_sigma_clip_groups, "clip_lines", options,
                         (size_t)sets.n, GROUP, args, 7);
}

static bool applicable(const le_call *call, const char **why) {
    const le_cl_info *device = le_cl_device(call);
    const le__im_sets sets = le__im_sets_of(call);
    *why = "no axis";
    if (!le_call_given(call, SIGMA_CLIP_AXIS))
        return false;
    *why = "no pixels, or too many for the kernels";
    if (sets.n < 1 || sets.n > INT32_MAX || sets.length < 1 || sets.length > INT32_MAX)
        return false;
    *why = "sums need double precision";
    if (device && !device->has_f64)
        return false;
    *why = "work-groups of 256 are not possible";
    return le__cl_takes_group(call, GROUP);
}

LE_IMPLEMENTATION(sigma_clip, groups_opencl,
                  LE__CL_FIELDS(12, "a work-group each line, middles digit by digit"),
                  .applicable = applicable);
