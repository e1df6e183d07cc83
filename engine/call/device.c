/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Matching devices against a filter.
 */
#include "call/device.h"

#include <string.h>

bool le__device_matches(const le__device *d, const char *filter) {
    if (!filter || !*filter || !strcmp(filter, "all"))
        return true;
    if (!strcmp(filter, "cpu"))
        return d->kind == LE_DEVICE_CPU;
    if (!strcmp(filter, "opencl"))
        return d->kind == LE_DEVICE_OPENCL;
    if (!strcmp(filter, d->id))
        return true;
    return d->kind == LE_DEVICE_OPENCL && strcasestr(d->name, filter);
}

bool le__names_opencl(const char *filter) {
    return filter && *filter && strcmp(filter, "cpu") != 0 && strcmp(filter, "all") != 0;
}
