/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Slabs as implementations of every operation that can be cut: who is offered to which calls.
 */
#include "chain/slabs.h"

#include "call/candidate.h"
#include "call/storage.h"
#include "trial/trial_server.h"

#include <string.h>

static int64_t limit_of(const le_call *call, const le__device *d) {
    int64_t own =
        d->kind == LE_DEVICE_CPU ? call->engine->options.memory_limit_bytes : d->info->memory_bytes;
    return le__constraint_memory(&call->want, own);
}

static int64_t total_bytes(const le_call *call) {
    int64_t sum = 0;
    for (size_t a = 0; a < call->operation->n_args; a++)
        if (le__call_has_tensor(call, a))
            sum += le__tensor_size(&call->args[a].tensor);
    return sum;
}

static bool forced(const le_call *call) {
    const char *want = le__call_forces(call).implementation;
    return want && !strncmp(want, "slabs", 5) && !call->step;
}

/* Whether anybody answers a slab on the call's device; else *why is what the last one says. */
static bool has_others(const le_call *call, const char **why) {
    const le__operation_entry *e = call->entry;
    *why = "a step has no implementation for this device";
    for (size_t i = 0; i < e->n_implementations; i++) {
        const le_implementation *impl = e->implementations[i];
        if (impl->device == call->device->kind && strcmp(impl->run_type, "slabs") != 0 &&
            le__implementation_takes(impl, call->device, call, why))
            return true;
    }
    return false;
}

static bool applicable(const le_call *call, const char **why) {
    int64_t items;
    if (!le__slabs_cut(call, &items, why))
        return false;
    *why = "there is one item only, which cannot be cut";
    if (items < 2)
        return false;
    *why = "the call fits the memory as a whole";
    /* samples are too small to need slabs; a slab itself is not cut again */
    bool needed = forced(call) || (le__trial_is_child() && !call->step);
    for (int i = 0; i < call->engine->n_devices; i++) {
        const le__device *d = &call->engine->devices[i];
        int64_t limit = d->kind == call->device->kind ? limit_of(call, d) : 0;
        needed = needed || (limit && total_bytes(call) > limit);
    }
    return needed && has_others(call, why);
}

/* Outputs are put together on the host, whatever the device. */
static le_status outputs_to_host(le_call *call) {
    le_status status = LE_OK;
    for (size_t a = 0; status == LE_OK && a < call->operation->n_args; a++) {
        le_tensor *t = &call->args[a].tensor;
        if (call->operation->args[a].type == LE_TYPE_OUT && call->args[a].given && t->storage)
            status = le__tensor_for_writing(t, false);
    }
    return status;
}

static le_status run(le_call *call) {
    int64_t limit = limit_of(call, call->device);
    le_status status = outputs_to_host(call);
    if (limit && total_bytes(call) <= limit)
        limit = 0;
    return status == LE_OK ? le__slabs_run(call, call->device->id, limit / 10 * 8, -1, NULL)
                           : status;
}

static const le_implementation templates[] = {
    {.abi = LE_METHOD_ABI,
     .name = "slabs",
     .run_type = "slabs",
     .device = LE_DEVICE_CPU,
     .summary = "slab by slab on the CPU",
     .applicable = applicable,
     .run = run,
     .flags = (uint32_t)LE__IMPL_STAGED | LE_IMPL_SERIAL | LE_IMPL_REPRODUCIBLE,
     .speed = 0.5},
    {.abi = LE_METHOD_ABI,
     .name = "slabs_opencl",
     .run_type = "slabs",
     .device = LE_DEVICE_OPENCL,
     .summary = "slab by slab on the device",
     .applicable = applicable,
     .run = run,
     .flags = (uint32_t)LE__IMPL_STAGED | LE_IMPL_REPRODUCIBLE,
     .speed = 0.5},
};

const le_implementation *le__slabs_implementations(const le_operation *op, size_t *n) {
    *n = op->slabs || op->tiles ? sizeof templates / sizeof *templates : 0;
    return templates;
}
