/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Tables on a device, and launches.
 */
#include "common/opencl.h"

le_status le__cl_table(le_call *call, const void *host, size_t bytes, le_cl_buffer **out) {
    le_status status = le_cl_scratch(call, bytes, out);
    return status == LE_OK ? le_cl_upload(call, *out, 0, host, bytes) : status;
}

le_status le__cl_groups(le_call *call, const le_cl_source *source, const char *name,
                        const char *options, size_t groups, size_t group, const le_cl_karg *args,
                        size_t n_args) {
    le_cl_kernel *kernel;
    if (groups == 0)
        return LE_OK;
    le_status status = le_cl_get_kernel(call, source, name, options, &kernel);
    if (status != LE_OK)
        return status;
    return le_cl_launch(call, kernel, 1, (size_t[]){groups * group}, (size_t[]){group}, args,
                        n_args);
}

bool le__cl_takes_group(const le_call *call, size_t group) {
    const le_cl_info *device = le_cl_device(call);
    return !device || device->max_work_group >= group;
}
