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

static inline bool runs_here(le_engine *engine, const le_implementation *impl) {
    if (!strncmp(impl->name, "slabs", 5))
        return false; /* the engine's own, for calls that can be cut: see test_slabs */
    if (impl->device == LE_DEVICE_OPENCL || strstr(impl->name, "opencl")) {
        le__engine_discover(engine);
        return engine->n_devices > 1;
    }
    return (impl->isa & ~le__cpu_isa()) == 0;
}

#endif
