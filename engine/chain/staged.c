/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Composite operations: every one gets implementations that run the chain it expands to, all on the
 * CPU, all on one OpenCL device, and as planned over both. They are candidates like any other.
 */
#include "chain/chain.h"

#include "call/counted.h"
#include "call/engine.h"
#include "call/outputs.h"
#include "call/storage.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_callers(const le_tensor *t) { /* and not memory that the engine made for this run */
    return !t->storage || t->storage->borrowed;
}

static le_status wrap_arguments(const le_chain *c, const le_call *call, le_tensor *tensors) {
    le_status status = LE_OK;
    for (int i = 0; status == LE_OK && i < c->n_values; i++) {
        const le__chain_value *v = &c->values[i];
        if (v->root != i)
            continue;
        if (v->role == LE__VALUE_RESULT && (is_callers(&call->args[v->arg].tensor) || v->dynamic) &&
            !le__chain_may_write_out(c, i))
            continue;
        if (v->role == LE__VALUE_INPUT && v->arg >= 0)
            status = le__chain_take_input(&tensors[i], c, i, &call->args[v->arg].tensor);
        else if (v->arg >= 0)
            status = le__chain_wrap(&tensors[i], &call->args[v->arg].tensor, false);
        else if (v->role == LE__VALUE_CONSTANT)
            status = le__chain_wrap(&tensors[i], &v->constant, true);
    }
    return status;
}

static bool is_result(const le_chain *c, int i) {
    return c->values[i].arg >= 0 && c->values[i].role == LE__VALUE_RESULT;
}

/* Counted outputs of the call. */
static le_status finish_counted(const le_chain *c, le_call *call, le_tensor *tensors) {
    le_status status = LE_OK;
    for (int i = 0; status == LE_OK && i < c->n_values; i++) {
        int arg = is_result(c, i) ? c->values[i].arg : -1;
        if (arg < 0 || !call->args[arg].counted)
            continue;
        if (tensors[i].storage == call->args[arg].tensor.storage)
            le_call_set_count(call, arg, tensors[i].shape[0]);
        else
            status = le__counted_take(call, (size_t)arg, &tensors[i]);
    }
    return status;
}

/* Outputs in the caller's memory are brought there; the engine's own may stay on the device. */
static le_status finish_outputs(const le_chain *c, le_call *call, le_tensor *tensors) {
    le__output outputs[LE_MAX_ARGS];
    le__moved moved = {0};
    size_t n = 0;
    for (int i = 0; i < c->n_values; i++) {
        if (!is_result(c, i) || call->args[c->values[i].arg].counted)
            continue;
        le_tensor *t = &call->args[c->values[i].arg].tensor;
        bool host = is_callers(t) || !call->want.keep_on_device;
        outputs[n++] = (le__output){c->values[i].name, &tensors[i], t, host, false};
    }
    le_status status = le__outputs_hand_over(c->name, outputs, n, &moved);
    call->stats.bytes_from_device += moved.bytes;
    call->stats.transfer_seconds += moved.seconds;
    return status;
}

static le_status run_chain(le_call *call, le_chain *c) {
    le_tensor *tensors = calloc((size_t)c->n_values + 1, sizeof *tensors);
    le_status status = tensors ? wrap_arguments(c, call, tensors)
                               : le_fail(LE_ERR_MEMORY, "%s: out of memory", c->name);
    if (status == LE_OK)
        status = le__chain_plan(c, tensors);
    if (status == LE_OK)
        status = le__chain_execute(c, tensors);
    call->stats.setup_seconds += c->aside;
    call->stats.transfer_seconds = c->transfer_seconds;
    call->stats.bytes_to_device = c->report.bytes_to_device;
    call->stats.bytes_from_device = c->report.bytes_from_device;
    call->stats.peak_scratch_bytes = c->report.peak_host_bytes;
    for (int i = 0; i < c->n_steps && c->step_reports; i++)
        call->stats.kernel_seconds += c->step_reports[i].kernel_seconds;
    if (status == LE_OK)
        status = finish_outputs(c, call, tensors);
    if (status == LE_OK && call->counted)
        status = finish_counted(c, call, tensors);
    for (int i = 0; tensors && i < c->n_values; i++)
        le__storage_release(tensors[i].storage);
    free(tensors);
    return status;
}

static uint32_t place(const le__device *d) {
    return UINT32_C(1) << d->index;
}

/* What the call asks for, on these devices. */
static void set_wanted(le_chain *c, const le_call *call, uint32_t places) {
    c->want = (le__constraint){.device = call->want.device,
                               .places = places,
                               .mode = call->want.mode,
                               .memory_limit = call->want.memory_limit,
                               .reproducible = call->want.reproducible,
                               .keep_on_device = call->want.keep_on_device};
    c->only_look = false;
}

static le_status run_where(le_call *call, uint32_t places) {
    le_chain *c;
    le_status status = le__chain_borrow(&c, call);
    if (status == LE_OK) {
        set_wanted(c, call, places);
        status = run_chain(call, c);
        le__chain_give_back(c, status);
    }
    return status;
}

static le_status run_on_one(le_call *call) {
    return run_where(call, place(call->device));
}

static le_status run_on_both(le_call *call) {
    return run_where(call, 1 | place(call->device));
}

le_status le__chain_explain_call(const le_call *call, le_chain_plan **out) {
    le_chain *c;
    *out = NULL;
    if (!call->operation->expand)
        return le_fail(LE_ERR_UNSUPPORTED, "%s is no chain", call->operation->name);
    le_status status = le__chain_borrow(&c, call);
    if (status == LE_OK) {
        set_wanted(c, call, call->engine->n_devices > 1 ? 3 : 1);
        status = le__chain_foresee(c, out);
        le__chain_give_back(c, status);
    }
    return status;
}

static bool runs_there(const le__chain_step *s, le__device *device) {
    const char *why;
    for (size_t i = 0; i < s->entry->n_implementations; i++) {
        const le_implementation *impl = s->entry->implementations[i];
        if (impl->device == device->kind && le__implementation_takes(impl, device, &s->call, &why))
            return true;
    }
    return false;
}

/* --- memory --- */

/* Most bytes of values alive at one step; all: with those that the caller holds. */
static int64_t peak_bytes(const le_chain *c, bool all) {
    int64_t peak = 0, alive = 0;
    int64_t *more = calloc((size_t)c->n_steps + 1, sizeof *more); /* than at the step before */
    for (int v = 0; more && v < c->n_values; v++) {
        const le__chain_value *value = &c->values[v];
        bool held = value->role != LE__VALUE_TEMP;
        if (value->root != v || (held && !all) || value->last_step < 0)
            continue;
        more[held ? 0 : value->first_step] += le__tensor_size(&value->shape);
        more[held ? c->n_steps : value->last_step + 1] -= le__tensor_size(&value->shape);
    }
    for (int s = 0; more && s < c->n_steps; s++) {
        alive += more[s];
        peak = alive > peak ? alive : peak;
    }
    free(more);
    return peak;
}

/* Of inputs that are brought in order first. */
static int64_t packed_bytes(const le_chain *c, const le_call *call) {
    int64_t bytes = 0;
    for (int i = 0; i < c->n_values; i++) {
        const le__chain_value *v = &c->values[i];
        if (v->role == LE__VALUE_INPUT && v->root == i && v->arg >= 0 &&
            !le_tensor_is_contiguous(&call->args[v->arg].tensor) && !le__chain_reads_in_place(c, i))
            bytes += le__tensor_size(&v->shape);
    }
    return bytes;
}

static int64_t memory(const le_call *call) {
    le_chain *c;
    if (le__chain_borrow(&c, call) != LE_OK)
        return 0;
    int64_t bytes = peak_bytes(c, false) + packed_bytes(c, call);
    le__chain_give_back(c, LE_OK);
    return bytes;
}

/* Without a limit of the caller's a quarter of the machine, so that trying it harms nobody; on
 * OpenCL what the largest device has. */
static bool fits_machine(const le_call *call, const le_chain *c, le_device_kind kind) {
    int64_t limit = 0;
    if (kind == LE_DEVICE_CPU)
        return peak_bytes(c, false) < (int64_t)sysconf(_SC_PHYS_PAGES) / 4 * sysconf(_SC_PAGESIZE);
    for (int d = 1; d < call->engine->n_devices; d++) {
        const le_cl_info *info = call->engine->devices[d].info;
        limit = info->memory_bytes > limit ? info->memory_bytes : limit;
    }
    return limit == 0 || peak_bytes(c, true) <= limit;
}

static bool steps_run_on_device(const le_call *call, const char **why) {
    le_device_kind kind = call->device->kind;
    le_chain *c;
    if (le__chain_borrow(&c, call) != LE_OK) {
        *why = "the call does not expand into a chain";
        return false;
    }
    bool all = true;
    for (int i = 0; i < c->n_steps; i++)
        all = all && runs_there(c->steps[i], call->device);
    *why = "a step has no implementation for this device";
    if (all && !fits_machine(call, c, kind)) {
        *why = "its values need too much memory";
        all = false;
    }
    le__chain_give_back(c, LE_OK);
    return all;
}

static bool runs_somewhere(const le_call *call, const char **why) {
    le__device *cpu = &call->engine->devices[0];
    const bool cpu_allowed = le__device_matches(cpu, call->engine->options.devices);
    le_chain *c;
    *why = "the device is forced";
    if (call->want.device && strcmp(call->want.device, "all") != 0)
        return false;
    *why = "the call does not expand into a chain";
    if (le__chain_borrow(&c, call) != LE_OK)
        return false;
    bool some = false, all = true;
    for (int i = 0; i < c->n_steps; i++) {
        bool there = runs_there(c->steps[i], call->device);
        some = some || there;
        all = all && (there || (cpu_allowed && runs_there(c->steps[i], cpu)));
    }
    some = some && c->n_steps > 1 && fits_machine(call, c, LE_DEVICE_CPU);
    le__chain_give_back(c, LE_OK);
    *why = some ? "a step has no implementation for the devices"
                : "no step has an implementation for this device";
    return some && all;
}

static const le_implementation templates[] = {
    {.abi = LE_METHOD_ABI,
     .name = "staged",
     .run_type = "staged",
     .device = LE_DEVICE_CPU,
     .summary = "the chain of its steps, all on the CPU",
     .applicable = steps_run_on_device,
     .memory = memory,
     .run = run_on_one,
     .flags = (uint32_t)LE__IMPL_STAGED | LE_IMPL_SERIAL | LE_IMPL_REPRODUCIBLE,
     .speed = 0.8},
    {.abi = LE_METHOD_ABI,
     .name = "staged_opencl",
     .run_type = "staged",
     .device = LE_DEVICE_OPENCL,
     .summary = "the chain of its steps, values stay on the device",
     .applicable = steps_run_on_device,
     .memory = memory,
     .run = run_on_one,
     .flags = (uint32_t)LE__IMPL_STAGED | LE_IMPL_F64_ANYWHERE | LE_IMPL_REPRODUCIBLE,
     .speed = 0.8},
    {.abi = LE_METHOD_ABI,
     .name = "staged_planned",
     .run_type = "staged",
     .device = LE_DEVICE_OPENCL,
     .summary = "the chain of its steps, each where the plan puts it",
     .applicable = runs_somewhere,
     .memory = memory,
     .run = run_on_both,
     .flags = (uint32_t)LE__IMPL_STAGED | LE_IMPL_F64_ANYWHERE | LE_IMPL_REPRODUCIBLE,
     .speed = 0.8},
};

const le_implementation *le__staged_implementations(const le_operation *op, size_t *n) {
    *n = op->expand ? sizeof templates / sizeof *templates : 0;
    return templates;
}
