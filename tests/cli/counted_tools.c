/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Linked into le-run and le-bench in place of le_open: their engines know the toy operations with
 * counted outputs.
 */
#include "counted_ops.h"

le_status __real_le_open(le_engine **out, const le_options *options);
le_status __wrap_le_open(le_engine **out, const le_options *options);

le_status __wrap_le_open(le_engine **out, const le_options *options) {
    le_status status = __real_le_open(out, options);
    if (status == LE_OK)
        status = counted_register(*out);
    if (status != LE_OK)
        le_close(out);
    return status;
}
