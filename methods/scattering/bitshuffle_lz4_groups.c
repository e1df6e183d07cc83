/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * bitshuffle_lz4 on an OpenCL device: a work-group decodes a block and transposes its planes, which
 * stay in local memory.
 */
#include "scattering/bitshuffle_device.h"

static const le_cl_source *const sources[] = {&le_cl_scattering_bitshuffle, NULL};
static const le_tunable tunables[] = {LE__SC_DECODERS};

static le_status run(le_call *call) {
    return le__sc_bits_device_run(call, le_call_param(call, 0));
}

LE_IMPLEMENTATION(bitshuffle_lz4, opencl_groups, .run_type = "opencl",
                  .summary = "a work-group a block, in local memory", .device = LE_DEVICE_OPENCL,
                  .flags = LE_IMPL_REPRODUCIBLE | LE_IMPL_F64_ANYWHERE, .speed = 20,
                  .tunables = tunables, .n_tunables = 1, .sources = sources,
                  .applicable = le__sc_bits_device_takes, .memory = le__sc_bits_device_memory,
                  .run = run);
