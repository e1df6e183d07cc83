/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * integrate_stored on an OpenCL device, a block decoded by a work-group in local memory.
 */
#include "scattering/stored_device.h"

static const le_cl_source *const sources[] = {&le_cl_scattering_bitshuffle,
                                              &le_cl_scattering_integrate, NULL};
static const le_tunable tunables[] = {LE__SC_TEAM, LE__SC_DECODERS};

static le_status run(le_call *call) {
    return le__sc_stored_device_run(call, le_call_param(call, 0), le_call_param(call, 1));
}

LE_IMPLEMENTATION(
    integrate_stored, opencl_groups, .run_type = "fused",
    .summary = "batches are decoded, a work-group a block, and integrated on the device",
    .device = LE_DEVICE_OPENCL, .flags = LE_IMPL_REPRODUCIBLE | LE_IMPL_F64_ANYWHERE, .speed = 20,
    .tunables = tunables, .n_tunables = 2, .sources = sources,
    .applicable = le__sc_stored_device_takes, .memory = le__sc_stored_device_memory, .run = run);
