/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Finding OpenCL devices when somebody wants them, and matching devices against a filter.
 */
#include "choose/device.h"

#include "core/cpu.h"
#include "engine.h"
#include "opencl/opencl.h"
#include "proof/trial_server.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool contains(const char *text, const char *part) {
    size_t n = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < n && text[i] &&
               tolower((unsigned char)text[i]) == tolower((unsigned char)part[i]))
            i++;
        if (i == n)
            return true;
    }
    return false;
}

bool le__device_matches(const le__device *d, const char *filter) {
    if (!filter || !*filter || !strcmp(filter, "all"))
        return true;
    if (!strcmp(filter, "cpu"))
        return d->kind == LE_DEVICE_CPU;
    if (!strcmp(filter, "opencl"))
        return d->kind == LE_DEVICE_OPENCL;
    if (!strcmp(filter, d->id))
        return true;
    return d->kind == LE_DEVICE_OPENCL && contains(d->name, filter);
}

static void add_opencl_device(le_engine *e, size_t i) {
    int n = e->n_devices;
    if (n == LE__MAX_DEVICES)
        return;
    le__device *d = &e->devices[n];
    d->cl = le__cl_device_at(e->cl, i);
    const le_cl_info *info = le__cl_device_info(d->cl);
    d->index = n;
    d->kind = LE_DEVICE_OPENCL;
    d->cpu_type = info->is_cpu;
    snprintf(d->id, sizeof d->id, "opencl:%zu", i);
    snprintf(d->name, sizeof d->name, "%s", info->name);
    snprintf(d->vendor, sizeof d->vendor, "%s", info->vendor);
    snprintf(d->driver, sizeof d->driver, "%s", info->driver);
    snprintf(d->version, sizeof d->version, "%s", info->version);
    e->n_devices = n + 1;
}

static void discover(le_engine *e) {
    le__cl_options o = {.cache_dir = e->options.cache_dir,
                        .cl_dir = e->options.cl_dir,
                        .memory_limit_bytes = e->options.device_memory_limit_bytes};
    if (e->options.devices && !strcmp(e->options.devices, "cpu"))
        return;
    if (!le__trial_is_child())
        e->trial_server = le__trial_server_open(e, !le__cl_was_opened());
    if (!e->trial_server && !le__trial_is_child())
        le__log_write(&e->log, LE_LOG_DEBUG,
                      "OpenCL was in this process before: trials of its candidates run here, too");
    if (le__cl_open(&e->cl, &o, &e->log) != LE_OK) {
        le__log_write(&e->log, LE_LOG_WARNING, "OpenCL is not used: %s", le_error_message());
        return;
    }
    for (size_t i = 0; i < le__cl_count(e->cl); i++)
        add_opencl_device(e, i);
}

void le__engine_discover(le_engine *e) {
    pthread_mutex_lock(&e->devices_mutex);
    if (!e->discovered) {
        discover(e);
        e->discovered = true;
    }
    pthread_mutex_unlock(&e->devices_mutex);
}
