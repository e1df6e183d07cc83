/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The macro-pixel correction on a device, from a tensor argument into another or into itself.
 */
#ifndef LE_SR_CL_CORRECTION_H
#define LE_SR_CL_CORRECTION_H

#include "sr_cl.h"

extern const le_cl_source le_cl_superres_macro_pixel_correction;

/* in and out: arguments [frames][rows][cols], may be the same; magnification divides rows and cols.
 */
le_status le__sr_cl_correct(le_call *call, int in, le_dtype dtype, int out, int64_t frames,
                            int64_t rows, int64_t cols, int64_t magnification);

#endif
