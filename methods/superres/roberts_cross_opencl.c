/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * roberts_cross on an OpenCL device.
 */
#include "roberts_cross.h"
#include "sr_cl.h"

extern const le_cl_source le_cl_superres_roberts_cross;

static le_status run(le_call *call) {
    const le__roberts r = le__roberts_of(call);
    char options[160];
    le__sr_cl_options(call, r.in.dtype, options, " ");
    const size_t global[3] = {(size_t)r.in.cols, (size_t)r.in.rows, (size_t)r.in.frames};
    const le_cl_karg args[] = {LE_CL_ARG(ROBERTS_IMAGE),
                               LE_CL_ARG(ROBERTS_GRADIENT_COL),
                               LE_CL_ARG(ROBERTS_GRADIENT_ROW),
                               LE_CL_I32((int32_t)r.in.rows),
                               LE_CL_I32((int32_t)r.in.cols),
                               LE_CL_I32((int32_t)r.in.frames),
                               LE_CL_I32(0)};
    return le__sr_cl_launch(call, &le_cl_superres_roberts_cross, "gradients", options, 3, global,
                            args, sizeof args / sizeof args[0]);
}

static bool applicable(const le_call *call, const char **why) {
    return le__sr_cl_takes(call, ROBERTS_IMAGE, why);
}

static const le_cl_source *const sources[] = {&le_cl_superres_roberts_cross, NULL};

LE_IMPLEMENTATION(roberts_cross, opencl, LE__CL_FIELDS(20, "a work-item a pixel"),
                  .applicable = applicable);
