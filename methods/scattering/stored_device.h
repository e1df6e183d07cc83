/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * integrate_stored on an OpenCL device, for the implementations that decode a block by one
 * work-item or by a group of them.
 */
#ifndef LE_SCATTERING_STORED_DEVICE_H
#define LE_SCATTERING_STORED_DEVICE_H

#include "scattering/device_blocks.h"
#include "scattering/device_sums.h"

bool le__sc_stored_device_takes(const le_call *call, const char **why);
/* team: work-items that add up a row; group: 0, or work-items of a block. */
le_status le__sc_stored_device_run(le_call *call, int64_t team, int64_t group);
int64_t le__sc_stored_device_memory(const le_call *call);

#endif
