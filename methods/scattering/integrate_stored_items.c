/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * integrate_stored on an OpenCL device, a block decoded by a work-item.
 */
#include "scattering/stored_device.h"

static const le_cl_source *const sources[] = {&le_cl_scattering_bitshuffle,
                                              &le_cl_scattering_integrate, NULL};
static const le_tunable tunables[] = {LE__SC_TEAM};

static le_status run(le_call *call) {
    return le__sc_stored_device_run(call, le_call_param(call, 0), 0);
}

LE_IMPLEMENTATION(
    integrate_stored, opencl_items, .run_type = "fused",
    .summary = "batches are decoded, a work-item a block, and integrated on the device",
    .device = LE_DEVICE_OPENCL, .flags = LE_IMPL_REPRODUCIBLE | LE_IMPL_F64_ANYWHERE, .speed = 5,
    .tunables = tunables, .n_tunables = 1, .sources = sources,
    .applicable = le__sc_stored_device_takes, .memory = le__sc_stored_device_memory, .run = run);
