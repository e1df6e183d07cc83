/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * One execution of a call by one candidate.
 */
#include "candidate.h"

#include "chain.h"
#include "clock.h"
#include "engine.h"
#include "opencl.h"
#include "profile.h"
#include "recorder.h"

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

/* A stage's record ends it; what it contains is one deeper and counts its own loops. */
static int begin_stage(void) {
    le__recorder *p = le__recorder_current;
    int loops = p ? p->loops : 0;
    if (p) {
        p->depth++;
        p->loops = 0;
    }
    return loops;
}

static void end_stage(const le_call *call, const le__candidate *c, double start, int loops) {
    le__recorder *p = le__recorder_current;
    if (!p)
        return;
    p->depth--;
    p->loops = loops;
    le__recorder_add(LE_RECORD_STAGE, start, call->stats.seconds,
                     call->stats.bytes_to_device + call->stats.bytes_from_device, "%s: %s",
                     call->operation->name, c->implementation->name);
}

le_status le__execute(le_call *call, const le__candidate *c, le__outputs outputs) {
    bool cpu = c->device->kind == LE_DEVICE_CPU;
    call->implementation = c->implementation;
    call->device = c->device;
    call->threads = c->threads;
    call->schedule = c->schedule;
    memcpy(call->params, c->params, sizeof call->params);
    call->stats = (le__run_stats){0};
    int loops = begin_stage();
    double start = le__now();
    le_status status = le__call_prepare_tensors(call, cpu, outputs);
    if (status == LE_OK)
        status = cpu ? run_on_cpu(call, c->implementation) : run_on_opencl(call, c->implementation);
    le__call_release_scratch(call);
    call->stats.ended = le__now();
    call->stats.seconds = call->stats.ended - start - call->stats.setup_seconds;
    le__profile_run(call->engine, call, c, start);
    end_stage(call, c, start, loops);
    return status;
}
