/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * One execution of a call by one candidate.
 */
#include "choose/candidate.h"

#include "chain/chain.h"
#include "core/clock.h"
#include "engine.h"
#include "opencl/opencl.h"
#include "profile.h"

#include <string.h>

static le_status run_range(le_call *call, const le_implementation *impl) {
    void *context = call;
    le_status status = impl->prepare ? impl->prepare(call, &context) : LE_OK;
    if (status != LE_OK)
        return status;
    le_parallel_for(call, impl->items(call), impl->range, context);
    if (impl->release)
        impl->release(context);
    return LE_OK;
}

static le_status run_on_cpu(le_call *call, const le_implementation *impl) {
    return impl->run ? impl->run(call) : run_range(call, impl);
}

static le_status run_on_opencl(le_call *call, const le_implementation *impl) {
    if (impl->flags & LE__IMPL_STAGED) /* its steps take the device one after the other */
        return impl->run(call);
    le_status status = le__cl_begin(call);
    return status == LE_OK ? le__cl_end(call, impl->run(call)) : status;
}

le_status le__execute(le_call *call, const le__candidate *c, le__outputs outputs) {
    bool cpu = c->device->kind == LE_DEVICE_CPU;
    call->implementation = c->implementation;
    call->device = c->device;
    call->threads = c->threads;
    call->schedule = c->schedule;
    memcpy(call->params, c->params, sizeof call->params);
    call->stats = (le__run_stats){0};
    le__profile_span span = le__profile_begin();
    le_status status = le__call_prepare_tensors(call, cpu, outputs);
    if (status == LE_OK)
        status = cpu ? run_on_cpu(call, c->implementation) : run_on_opencl(call, c->implementation);
    le__call_release_scratch(call);
    call->stats.ended = le__now();
    call->stats.seconds = call->stats.ended - span.start - call->stats.setup_seconds;
    le__profile_end(call, c, span);
    return status;
}
