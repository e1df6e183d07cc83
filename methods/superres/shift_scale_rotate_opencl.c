/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * shift_scale_rotate on an OpenCL device.
 */
#include "shift_scale_rotate.h"
#include "sr_cl.h"

extern const le_cl_source le_cl_superres_shift_scale_rotate;

/* map of cl/superres/shift_scale_rotate.cl */
typedef struct map {
    float a, b, e, f, shift_row, shift_col;
    int32_t centre_row, centre_col, rows, cols;
} map;

static le_status run(le_call *call) {
    const le__rotate p = le__rotate_of(call);
    const map to_kernel = {p.a,
                           p.b,
                           p.e,
                           p.f,
                           p.shift_row,
                           p.shift_col,
                           p.centre_row,
                           p.centre_col,
                           (int32_t)p.in.rows,
                           (int32_t)p.in.cols};
    char options[160];
    le__sr_cl_options(call, p.in.dtype, options, "-DTAPS=%d%s", le__sr_taps(p.kind),
                      p.kind == LE__SR_CATMULL_ROM ? "" : " -DNORMALISE");
    const size_t global[3] = {(size_t)p.out.cols, (size_t)p.out.rows, (size_t)p.out.frames};
    const le_cl_karg args[] = {LE_CL_ARG(ROTATE_IMAGE), LE_CL_ARG(ROTATE_RESULT),
                               LE_CL_STRUCT(&to_kernel)};
    return le__sr_cl_launch(call, &le_cl_superres_shift_scale_rotate, "rotate_frames", options, 3,
                            global, args, sizeof args / sizeof args[0]);
}

static bool applicable(const le_call *call, const char **why) {
    return le__sr_cl_takes(call, ROTATE_IMAGE, why);
}

static const le_cl_source *const sources[] = {&le_cl_superres_shift_scale_rotate, NULL};

LE_IMPLEMENTATION(shift_scale_rotate, opencl, LE__CL_FIELDS(20, "a work-item an output pixel"),
                  .applicable = applicable);
