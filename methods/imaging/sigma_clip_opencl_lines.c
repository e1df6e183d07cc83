/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * sigma_clip along an axis on an OpenCL device: a work-item each line.
 */
#include "imaging/clip_opencl.h"
#include "imaging/sigma_clip.h"

#include "common/opencl.h"

#include <stdio.h>

extern const le_cl_source le_cl_imaging_sigma_clip_lines;
static const le_cl_source *const sources[] = {&le_cl_imaging_sigma_clip_lines, NULL};

enum { GROUP = 64, MOST_PIXELS = 1 << 24 /* of a launch */, LONGEST = 4096 };

/* lines of sigma_clip_lines.cl */
typedef struct lines {
    int64_t first, all, step;
    int32_t n, length;
} lines;

static int64_t lines_at_once(const le__im_sets *sets) {
    const int64_t most = (MOST_PIXELS + sets->length - 1) / sets->length;
    return sets->n < most ? sets->n : most;
}

static const char *greatest_of(le_dtype dtype) {
    switch (dtype) {
    case LE_U8:
        return "255";
    case LE_I16:
        return "32767";
    case LE_U16:
        return "65535";
    case LE_I32:
        return "2147483647";
    case LE_U32:
        return "4294967295u";
    default:
        return "INFINITY";
    }
}

static le_status run(le_call *call) {
    const le_dtype dtype = le_call_in(call, SIGMA_CLIP_IMAGE)->dtype;
    const le__im_clip clip = le__im_clip_of(call, SIGMA_CLIP_SETTINGS);
    const le__im_sets sets = le__im_sets_of(call);
    const le__im_cl_clip about = le__im_cl_clip_of(&clip);
    const bool statistics = le_call_given(call, SIGMA_CLIP_STATISTICS),
               mask = le_call_given(call, SIGMA_CLIP_MASK);
    const int64_t most = lines_at_once(&sets);
    char options[96];
    snprintf(options, sizeof options, "-DT=%s -DGREATEST=%s", le_dtype_cl_type(dtype),
             greatest_of(dtype));
    le_cl_buffer *sorted;
    le_status status =
        le_cl_scratch(call, (size_t)(most * sets.length) * le_dtype_size(dtype), &sorted);
    for (int64_t first = 0; first < sets.n && status == LE_OK; first += most) {
        const int64_t n = sets.n - first < most ? sets.n - first : most;
        const lines s = {first, sets.n, sets.step, (int32_t)n, (int32_t)sets.length};
        const le_cl_karg args[] = {LE_CL_ARG(SIGMA_CLIP_IMAGE),
                                   LE_CL_STRUCT(&s),
                                   LE_CL_STRUCT(&about),
                                   LE_CL_BUF(sorted),
                                   statistics ? LE_CL_ARG(SIGMA_CLIP_STATISTICS)
                                              : LE_CL_BUF(sorted),
                                   LE_CL_I32(statistics),
                                   mask ? LE_CL_ARG(SIGMA_CLIP_MASK) : LE_CL_BUF(sorted),
                                   LE_CL_I32(mask)};
        if (le_call_cancelled(call))
            return LE_ERR_CANCELLED;
        status = le__cl_groups(call, &le_cl_imaging_sigma_clip_lines, "clip_lines", options,
                               (size_t)(n + GROUP - 1) / GROUP, GROUP, args, 8);
    }
    return status;
}

static bool applicable(const le_call *call, const char **why) {
    const le_cl_info *device = le_cl_device(call);
    const le__im_sets sets = le__im_sets_of(call);
    *why = "no axis";
    if (!le_call_given(call, SIGMA_CLIP_AXIS))
        return false;
    *why = "no pixels, or more than 4096 in a line";
    if (sets.n < 1 || sets.length < 1 || sets.length > LONGEST)
        return false;
    *why = "sums need double precision";
    if (device && !device->has_f64)
        return false;
    *why = "work-groups of 64 are not possible";
    return le__cl_takes_group(call, GROUP);
}

static int64_t memory(const le_call *call) {
    const le__im_sets sets = le__im_sets_of(call);
    return sets.length > 0 ? lines_at_once(&sets) * sets.length *
                                 (int64_t)le_dtype_size(le_call_in(call, SIGMA_CLIP_IMAGE)->dtype)
                           : 0;
}

LE_IMPLEMENTATION(sigma_clip, lines_opencl, LE__CL_FIELDS(15, "lines sorted, a work-item each"),
                  .applicable = applicable, .memory = memory);
