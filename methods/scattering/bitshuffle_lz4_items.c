/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * bitshuffle_lz4 on an OpenCL device: a work-item decodes a block into planes, others transpose
 * them.
 */
#include "scattering/bitshuffle_device.h"

static const le_cl_source *const sources[] = {&le_cl_scattering_bitshuffle, NULL};

static le_status run(le_call *call) {
    return le__sc_bits_device_run(call, 0);
}

LE_IMPLEMENTATION(bitshuffle_lz4, opencl_items, .run_type = "opencl",
                  .summary = "a work-item a block, then its planes", .device = LE_DEVICE_OPENCL,
                  .flags = LE_IMPL_REPRODUCIBLE | LE_IMPL_F64_ANYWHERE, .speed = 5,
                  .sources = sources, .applicable = le__sc_bits_device_takes,
                  .memory = le__sc_bits_device_memory, .run = run);
