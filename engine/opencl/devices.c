/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * OpenCL's devices as devices of an engine.
 */
#include "opencl/opencl.h"

#include "call/engine.h"

#include <stdio.h>

static void add_device(le_engine *e, size_t i) {
    int n = e->n_devices;
    if (n == LE__MAX_DEVICES)
        return;
    le__device *d = &e->devices[n];
    d->cl = le__cl_device_at(e->cl, i);
    const le_cl_info *info = le__cl_device_info(d->cl);
    d->index = n;
    d->kind = LE_DEVICE_OPENCL;
    d->cpu_type = info->is_cpu;
    d->info = info;
    d->begin = le__cl_begin;
    d->end = le__cl_end;
    snprintf(d->id, sizeof d->id, "opencl:%zu", i);
    snprintf(d->name, sizeof d->name, "%s", info->name);
    snprintf(d->vendor, sizeof d->vendor, "%s", info->vendor);
    snprintf(d->driver, sizeof d->driver, "%s", info->driver);
    snprintf(d->version, sizeof d->version, "%s", info->version);
    e->n_devices = n + 1;
}

le_status le__cl_add_devices(le_engine *e) {
    le__cl_options o = {.cache_dir = e->options.cache_dir,
                        .cl_dir = e->options.cl_dir,
                        .memory_limit_bytes = e->options.device_memory_limit_bytes,
                        .pool = e->pool};
    le_status status = le__cl_open(&e->cl, &o, &e->log);
    if (status == LE_OK)
        le__cl_set_kept(e->cl, e->kept);
    for (size_t i = 0; status == LE_OK && i < le__cl_count(e->cl); i++)
        add_device(e, i);
    return status;
}
