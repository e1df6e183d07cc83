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
#include "call/watch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static le_status run_range(le_call *call, const le_implementation *impl) {
    void *context = call;
    le_status status = impl->prepare ? impl->prepare(call, &context) : LE_OK;
    if (status != LE_OK)
        return status;
    status = le_parallel_for(call, impl->items(call), impl->range, context);
    if (impl->release)
        impl->release(context);
    return status;
}

static le_status run_on_cpu(le_call *call, const le_implementation *impl) {
    if (call->watch)
        le__watch_start(call->watch);
    return impl->run ? impl->run(call) : run_range(call, impl);
}

bool le__can_be_stopped(const le__candidate *c) {
    return c->device->kind == LE_DEVICE_CPU && !(c->implementation->flags & LE__IMPL_STAGED);
}

le_status le__execution_stopped(le_call *call, const le__candidate *c) {
    call->stopped = true;
    return le_fail(LE_ERR_CANCELLED, "%s: %s was stopped", call->operation->name,
                   c->implementation->name);
}

/* A run that was told to end has given no answer, whatever it says itself. */
static le_status judge_end(le_call *call, const le__candidate *c, const le__watch *w,
                           le_status status) {
    if (!le__watch_ended(w))
        return status;
    if (call->counted)
        le__counted_forget(call);
    if (le__ticker_over(w->ticker))
        return le__ticker_fail(call->operation->name);
    return le__execution_stopped(call, c);
}

/* A call whose run is too short to be timed is too short to be ended. */
static void begin_watch(le_call *call, const le__candidate *c, le__watch *w) {
    bool may_stop = call->stop_after > 0 && le__can_be_stopped(c);
    *w = (le__watch){.ticker = call->granted > 0 ? NULL : le__ticker_here(),
                     .limit = may_stop ? call->stop_after : INFINITY,
                     .until = INFINITY};
    call->watch = may_stop || w->ticker ? w : NULL;
}

static le_status run_on_device(le_call *call, const le_implementation *impl) {
    if (impl->flags & LE__IMPL_STAGED) /* its steps take the device one after the other */
        return impl->run(call);
    le_status status = call->device->begin(call);
    return status == LE_OK ? call->device->end(call, impl->run(call)) : status;
}

/* Who heard that the call is to end: by the watch, by the steps it has, or from outside, as an
 * interpreter does. */
static bool may_be_cancelled(const le_call *call, const le__candidate *c) {
    return c->implementation->flags & (LE__IMPL_STAGED | LE_IMPL_IN_PROCESS) ||
           (call->watch && le__watch_ended(call->watch)) || le__ticker_over(le__ticker_here());
}

/* Some things no implementation can know of: what it says of them is not passed on as if it were
 * so. */
static le_status believed(const le_call *call, const le__candidate *c, le_status status) {
    bool made = c->implementation->flags & LE__IMPL_STAGED;
    char text[400];
    switch (status) {
    case LE_ERR_CANCELLED:
        return may_be_cancelled(call, c)
                   ? status
                   : le_fail(LE_ERR_WRONG_RESULT,
                             "said that it was cancelled when nobody had ended the call");
    case LE_ERR_DEVICE_LOST:
        return made || c->device->kind != LE_DEVICE_CPU
                   ? status
                   : le_fail(LE_ERR_WRONG_RESULT, "said that its device was lost, on the CPU");
    case LE_ERR_IO: /* of what the caller named, where the library's own code or a source says so */
    case LE_ERR_UNKNOWN:
        if (made || le__registry_is_builtin(call->entry, c->implementation))
            return status;
        snprintf(text, sizeof text, "%s", le_error_message());
        return le_fail(LE_ERR_UNSUPPORTED, "%s", text);
    default:
        return status;
    }
}

static le_status run_on(le_call *call, const le__candidate *c) {
    char who[LE__CANDIDATE_TEXT];
    bool cpu = c->device->kind == LE_DEVICE_CPU;
    unsigned before = le__failures();
    le_status status =
        cpu ? run_on_cpu(call, c->implementation) : run_on_device(call, c->implementation);
    if (status == LE_OK)
        return LE_OK;
    snprintf(who, sizeof who, "%s on %s", c->implementation->name, c->device->id);
    return believed(call, c, le__told(before, status, call->operation->name, who));
}

/* After the run with too little room for counted outputs: with enough. What was in vain is set-up,
 * for later calls make the room at once. */
static le_status run_again(le_call *call, const le__candidate *c, le__outputs outputs,
                           double start) {
    le__call_release_scratch(call);
    le_status status = outputs >= LE__OUTPUTS_EDGED ? le__guard_check(call) : LE_OK;
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
    call->threads = le__candidate_threads(c, call);
    call->schedule = cpu ? c->schedule : LE__SCHEDULE_DYNAMIC;
    memcpy(call->params, c->params, sizeof call->params);
    call->stats = (le__run_stats){0};
    call->outputs = outputs;
    call->strayed = NULL;
    call->stopped = false;
    if (call->engine->profile || call->counted)
        call->granted = 0;
    bool timed = !(call->granted > 0);
    le__profile_span span = le__profile_begin(timed ? le__now() : 0);
    le__watch watch;
    begin_watch(call, c, &watch);
    le_status status = le__call_prepare_tensors(call, cpu, outputs);
    if (outputs == LE__OUTPUTS_APART || outputs == LE__OUTPUTS_EDGED)
        call->stats.setup_seconds += le__now() - span.start;
    if (status == LE_OK)
        status = run_on(call, c);
    if (call->counted && status == LE_OK && !(call->watch && le__watch_ended(&watch)))
        status = settle_counts(call, c, outputs, span.start);
    if (call->watch)
        status = judge_end(call, c, &watch, status);
    call->watch = NULL;
    if (call->kept)
        le__keep_release(call);
    if (call->scratch)
        le__call_release_scratch(call);
    call->stats.ended = timed ? le__now() : 0;
    call->stats.seconds =
        timed ? call->stats.ended - span.start - call->stats.setup_seconds : call->granted;
    le__profile_end(call, c, span);
    return status;
}
