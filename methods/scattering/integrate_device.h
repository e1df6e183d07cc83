/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Integration of frames in memory on an OpenCL device, for both operations on them.
 */
#ifndef LE_SCATTERING_INTEGRATE_DEVICE_H
#define LE_SCATTERING_INTEGRATE_DEVICE_H

#include "scattering/device_sums.h"

#include "common/opencl.h"

static const int64_t passes[] = {1, 4};
static const le_tunable tunables[] = {
    LE__SC_TEAM, {.name = "frames", .values = passes, .n_values = 2, .default_value = 4}};
static const le_cl_source *const sources[] = {&le_cl_scattering_integrate, NULL};

static bool applicable(const le_call *call, const char **why) {
    return le__sc_device_takes(call, le_call_in(call, SC_FRAMES)->dtype, why);
}

static le_status run(le_call *call) {
    const le__sc_setup *s = le__sc_setup_of(call);
    le__sc_device d;
    le_status status = le__sc_device_open(call, le_call_in(call, SC_FRAMES)->dtype,
                                          le_call_param(call, 0), le_call_param(call, 1), &d);
    if (status == LE_OK)
        status = le__sc_device_sum(call, &d, LE_CL_ARG(SC_FRAMES),
                                   s->geometry.rows * s->geometry.cols, s->frames, 0);
    return status == LE_OK ? le__sc_device_put(call, &d, NULL) : status;
}

#define LE__SC_DEVICE(operation)                                                                   \
    LE_IMPLEMENTATION(operation, opencl, .run_type = "opencl",                                     \
                      .summary = "a kept table of bins, work-items a bin; sums on the device",     \
                      .device = LE_DEVICE_OPENCL,                                                  \
                      .flags = LE_IMPL_REPRODUCIBLE | LE_IMPL_F64_ANYWHERE, .speed = 20,           \
                      .tunables = tunables, .n_tunables = 2, .sources = sources,                   \
                      .applicable = applicable, .memory = le__sc_device_memory, .run = run)

#endif
