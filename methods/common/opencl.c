/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tables on a device.
 */
#include "common/opencl.h"

le_status le__cl_table(le_call *call, const void *host, size_t bytes, le_cl_buffer **out) {
    le_status status = le_cl_scratch(call, bytes, out);
    return status == LE_OK ? le_cl_upload(call, *out, 0, host, bytes) : status;
}
