/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * One execution of a call by one candidate.
 */
#include "call/candidate.h"

#include "core/clock.h"
#include "call/counted.h"
#include "call/engine.h"
#include "call/guard.h"
#include "call/keep.h"
#include "call/profile.h"

#include <stdatomic.h>
#include <string.h>

enum { FIRST_BLOCKS = 256, SLICES = 16 };

/* A loop that is given up at a time, between blocks of items. Blocks grow while they are short
 * beside the time there is, so that watching costs nothing. */
typedef struct watch {
    le_range_fn fn;
    void *context;
    size_t first; /* items of a worker's first block */
    double until, slice;
    atomic_bool stopped;
} watch;

static void watched(void *context, size_t begin, size_t end, int worker) {
    watch *w = context;
    size_t block = w->first;
    double before = le__now();
    while (begin < end && !atomic_load_explicit(&w->stopped, memory_order_relaxed)) {
        if (before > w->until) {
            atomic_store_explicit(&w->stopped, true, memory_order_relaxed);
            return;
        }
        size_t n = end - begin < block ? end - begin : block;
        w->fn(w->context, begin, begin + n, worker);
        begin += n;
        double now = le__now();
        if (now - before < w->slice)
            block *= 2;
        before = now;
    }
}

static void loop(le_call *call, const le_implementation *impl, void *context, double start) {
    size_t items = impl->items(call);
    watch w = {.fn = impl->range,
               .context = context,
               .first = items / FIRST_BLOCKS + 1,
               .until = start + call->stop_after,
               .slice = call->stop_after / SLICES};
    if (call->stop_after > 0 && !(impl->flags & LE_IMPL_SERIAL))
        le_parallel_for(call, items, watched, &w);
    else
        le_parallel_for(call, items, impl->range, context);
    call->stopped = atomic_load(&w.stopped);
}

static le_status run_range(le_call *call, const le_implementation *impl) {
    void *context = call;
    double start = call->stop_after > 0 ? le__now() : 0;
    le_status status = impl->prepare ? impl->prepare(call, &context) : LE_OK;
    if (status != LE_OK)
        return status;
    loop(call, impl, context, start);
    if (impl->release)
        impl->release(context);
    return call->stopped
               ? le_fail(LE_ERR_CANCELLED, "%s: %s was stopped", call->operation->name, impl->name)
               : LE_OK;
}

static le_status run_on_cpu(le_call *call, const le_implementation *impl) {
    return impl->run ? impl->run(call) : run_range(call, impl);
}

bool le__can_be_stopped(const le__candidate *c) {
    return c->device->kind == LE_DEVICE_CPU && !c->implementation->run &&
           !(c->implementation->flags & LE_IMPL_SERIAL); /* may count on one range for all items */
}

static le_status run_on_device(le_call *call, const le_implementation *impl) {
    if (impl->flags & LE__IMPL_STAGED) /* its steps take the device one after the other */
        return impl->run(call);
    le_status status = call->device->begin(call);
    return status == LE_OK ? call->device->end(call, impl->run(call)) : status;
}

static le_status run_on(le_call *call, const le__candidate *c) {
    bool cpu = c->device->kind == LE_DEVICE_CPU;
    return cpu ? run_on_cpu(call, c->implementation) : run_on_device(call, c->implementation);
}

/* After the run with too little room for counted outputs: with enough. What was in vain is set-up,
 * for later calls make the room at once. */
static le_status run_again(le_call *call, const le__candidate *c, le__outputs outputs,
                           double start) {
    le_status status = outputs >= LE__OUTPUTS_EDGED ? le__guard_check(call) : LE_OK;
    le__call_release_scratch(call);
    if (status == LE_OK)
        status = le__call_prepare_tensors(call, c->device->kind == LE_DEVICE_CPU, outputs);
    call->stats.transfer_seconds = call->stats.kernel_seconds = 0;
    call->stats.setup_seconds = le__now() - start;
    return status == LE_OK ? run_on(call, c) : status;
}

static le_status settle_counts(le_call *call, const le__candidate *c, le__outputs outputs,
                               double start) {
    bool fits;
    le_status status = le__counted_settle(call, &fits);
    if (status != LE_OK || fits)
        return status;
    status = run_again(call, c, outputs, start);
    if (status == LE_OK)
        status = le__counted_settle(call, &fits);
    return status == LE_OK && !fits ? le__counted_fail_again(call) : status;
}

le_status le__execute(le_call *call, const le__candidate *c, le__outputs outputs) {
    bool cpu = c->device->kind == LE_DEVICE_CPU;
    call->implementation = c->implementation;
    call->device = c->device;
    call->threads = c->threads;
    call->schedule = c->schedule;
    memcpy(call->params, c->params, sizeof call->params);
    call->stats = (le__run_stats){0};
    call->stopped = false;
    if (call->engine->profile || call->counted)
        call->granted = 0;
    bool timed = !(call->granted > 0);
    le__profile_span span = le__profile_begin(timed ? le__now() : 0);
    le_status status = le__call_prepare_tensors(call, cpu, outputs);
    if (outputs == LE__OUTPUTS_APART)
        call->stats.setup_seconds += le__now() - span.start;
    if (status == LE_OK)
        status = run_on(call, c);
    if (call->counted && status == LE_OK)
        status = settle_counts(call, c, outputs, span.start);
    le__keep_release(call);
    le__call_release_scratch(call);
    call->stats.ended = timed ? le__now() : 0;
    call->stats.seconds =
        timed ? call->stats.ended - span.start - call->stats.setup_seconds : call->granted;
    le__profile_end(call, c, span);
    return status;
}
