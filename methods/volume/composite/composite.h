/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arguments of the operation `composite`.
 */
#ifndef LE_VOLUME_COMPOSITE_H
#define LE_VOLUME_COMPOSITE_H

#include "common/load.h"

enum { ARG_RGBA, ARG_IMAGE };

/* For le_implementation.applicable: both arguments are row-major f32. */
static inline bool le__composite_packed(const le_call *call, const char **why)
{
    *why = "an argument has strides or is not f32";
    const le_tensor *rgba = le_call_in(call, ARG_RGBA);
    return rgba->dtype == LE_F32 && le_tensor_is_contiguous(rgba) &&
           le_call_out(call, ARG_IMAGE)->dtype == LE_F32 && le__out_contiguous(call, ARG_IMAGE);
}

#endif
