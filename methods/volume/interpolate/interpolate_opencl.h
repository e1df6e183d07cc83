/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the OpenCL implementations of `interpolate` share; they differ in where the volume is.
 */
#ifndef LE_VOLUME_INTERPOLATE_OPENCL_H
#define LE_VOLUME_INTERPOLATE_OPENCL_H

#include "volume/opencl.h"

extern const le_cl_source *const le__interpolate_sources[];

/* image: as IMAGE in cl/volume/sample.clh. */
le_status le__interpolate_opencl(le_call *call, int image);

#endif
