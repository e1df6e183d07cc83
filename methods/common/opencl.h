/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the OpenCL implementations of all families have in common.
 */
#ifndef LE_METHODS_OPENCL_H
#define LE_METHODS_OPENCL_H

#include "liquid_engine/le_method.h"

/* A device buffer with a copy of host memory. */
le_status le__cl_table(le_call *call, const void *host, size_t bytes, le_cl_buffer **out);

/* Launches kernel `name` in `groups` work-groups of `group` work-items; none: nothing. */
le_status le__cl_groups(le_call *call, const le_cl_source *source, const char *name,
                        const char *options, size_t groups, size_t group, const le_cl_karg *args,
                        size_t n_args);
/* Whether work-groups of so many work-items are possible, or no device is known yet. */
bool le__cl_takes_group(const le_call *call, size_t group);

/* The fields of an implementation on a device whose function and sources are statics of the usual
 * names. */
#define LE__CL_FIELDS(the_speed, the_summary)                                                      \
    .run_type = "opencl", .summary = the_summary, .device = LE_DEVICE_OPENCL,                      \
    .flags = LE_IMPL_REPRODUCIBLE, .speed = the_speed, .sources = sources, .run = run

#endif
