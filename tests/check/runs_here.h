/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Whether this machine has what an implementation needs: only then may a test pass it over.
 */
#ifndef LE_TESTS_RUNS_HERE_H
#define LE_TESTS_RUNS_HERE_H

#include <string.h>

#include "core/cpu.h"
#include "engine.h"
#include "liquid_engine/le.h"

static inline bool runs_here(le_engine *engine, const le_implementation *impl) {
    if (!strncmp(impl->name, "slabs", 5))
        return false; /* the engine's own, for calls that can be cut: see test_slabs */
    if (impl->device == LE_DEVICE_OPENCL || strstr(impl->name, "opencl")) {
        le__engine_discover(engine);
        return engine->n_devices > 1;
    }
    return (impl->isa & ~le__cpu_isa()) == 0;
}

/* Of a call by one implementation: whether it is not for such calls. One that the engine has left
 * out because it was wrong in a trial is for them. */
static inline bool is_not_for_it(le_status status) {
    return status == LE_ERR_NO_CANDIDATE && !strstr(le_error_message(), "exceeds the tolerance");
}

#endif
