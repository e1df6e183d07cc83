/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Opening OpenCL when somebody wants its devices: the server of trials is forked just before.
 */
#include "trial/discover.h"

#include "call/device.h"
#include "call/engine.h"
#include "opencl/opencl.h"
#include "trial/trial_server.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

static void discover(le_engine *e) {
    if (e->options.devices && !strcmp(e->options.devices, "cpu"))
        return;
    if (!le__cl_built) {
        le__log_write(&e->log, le__names_opencl(e->options.devices) ? LE_LOG_WARNING : LE_LOG_DEBUG,
                      "OpenCL is not used: this library was built without it");
        return;
    }
    bool fork_first = !le__trial_is_child() && le__trial_needs_fork(e);
    if (fork_first)
        e->trial_server = le__trial_server_open(e, !le__cl_was_opened());
    if (fork_first && !e->trial_server)
        le__log_write(&e->log, LE_LOG_DEBUG,
                      "OpenCL was in this process before: trials of its candidates run here, too");
    if (le__cl_add_devices(e) != LE_OK)
        le__log_write(&e->log, LE_LOG_WARNING, "OpenCL is not used: %s", le_error_message());
}

void le__engine_discover(le_engine *e) {
    pthread_mutex_lock(&e->devices_mutex);
    if (!e->discovered) {
        discover(e);
        e->discovered = true;
    }
    pthread_mutex_unlock(&e->devices_mutex);
}

static pthread_once_t looked = PTHREAD_ONCE_INIT;
static bool may_have_gpu;

/* Without one of these the only OpenCL devices can be the CPU's own cores, for which native code is
 * there: not worth opening unasked. */
static void look_for_gpu(void) {
    static const char *const nodes[] = {"/dev/nvidia0", "/dev/dri/renderD128", "/dev/kfd",
                                        "/dev/dxg", "/dev/mali0"};
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        may_have_gpu = may_have_gpu || access(nodes[i], F_OK) == 0;
}

bool le__machine_may_have_gpu(void) {
    pthread_once(&looked, look_for_gpu);
    return may_have_gpu;
}

bool le__engine_may_discover(const le_engine *e, le_mode mode) {
    return mode == LE_MODE_LEARN && e->options.explore_share > 0 && le__machine_may_have_gpu();
}
