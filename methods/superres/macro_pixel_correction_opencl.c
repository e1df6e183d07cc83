/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * macro_pixel_correction on an OpenCL device.
 */
#include "macro_pixel_correction.h"
#include "sr_cl_correction.h"

static le_status run(le_call *call) {
    const le__sr_stack in = le__sr_stack_of(le_call_in(call, CORRECTION_IMAGE));
    return le__sr_cl_correct(call, CORRECTION_IMAGE, in.dtype, CORRECTION_RESULT, in.frames,
                             in.rows, in.cols, le_call_i64(call, CORRECTION_MAGNIFICATION));
}

static const le_cl_source *const sources[] = {&le_cl_superres_macro_pixel_correction, NULL};

LE_IMPLEMENTATION(macro_pixel_correction, opencl,
                  LE__CL_FIELDS(20, "sums by work-groups, then a work-item a pixel"));
