/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * temporal_projection on an OpenCL device.
 */
#include "sr_cl.h"
#include "temporal_projection.h"

extern const le_cl_source le_cl_superres_temporal_projection;

static le_status run(le_call *call) {
    const le__projection p = le__projection_of(call);
    char options[160];
    le__sr_cl_options(call, p.in.dtype, options, "-DTEMPORAL=%d", (int)p.temporal);
    const size_t global[2] = {(size_t)(p.in.rows * p.in.cols), (size_t)p.out.frames};
    const le_cl_karg args[] = {LE_CL_ARG(PROJECTION_IMAGE), LE_CL_ARG(PROJECTION_RESULT),
                               LE_CL_I32((int32_t)global[0]), LE_CL_I32((int32_t)p.in.frames),
                               LE_CL_I32((int32_t)p.per_timepoint)};
    return le__sr_cl_launch(call, &le_cl_superres_temporal_projection, "project", options, 2,
                            global, args, sizeof args / sizeof args[0]);
}

static bool applicable(const le_call *call, const char **why) {
    return le__sr_cl_takes(call, PROJECTION_IMAGE, why);
}

static const le_cl_source *const sources[] = {&le_cl_superres_temporal_projection, NULL};

LE_IMPLEMENTATION(temporal_projection, opencl, LE__CL_FIELDS(20, "a work-item a pixel"),
                  .applicable = applicable);
