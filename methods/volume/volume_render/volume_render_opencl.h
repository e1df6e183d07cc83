/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the fused OpenCL implementations of `volume_render` share: one kernel for all views, and
 * slabs for a volume larger than the device's memory.
 */
#ifndef LE_VOLUME_RENDER_OPENCL_H
#define LE_VOLUME_RENDER_OPENCL_H

#include "volume/opencl.h"

extern const le_cl_source *const le__volume_render_sources[];

/* For applicable: kernels cut at the least normal number, and devices may flush what is smaller. */
bool le__volume_render_shows_normal(const le_call *call, const char **why);

/* A ray a work-item. image: as IMAGE in cl/volume/sample.clh; images take no slabs. */
le_status le__volume_render_opencl(le_call *call, int image);

typedef struct le__render_kernel {
    const le_cl_source *source;
    const char *name;
    int image;
    size_t columns; /* of a work-item */
} le__render_kernel;

/* The same for any kernel with the arguments of cl/volume/volume_render.cl. */
le_status le__volume_render_by(le_call *call, const le__render_kernel *kernel);

#endif
