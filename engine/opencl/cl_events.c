/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Events of an execution: kernel time, failures that show only when a command has run, and records
 * for profiles.
 */
#include "cl_call.h"

#include "call/watch.h"
#include "core/array.h"
#include "core/clock.h"

#include <math.h>
#include <stdio.h>

cl_event *le__cl_event_slot(le_call *call, le__event_kind kind, const char *name,
                            int64_t bytes) {
    le__cl_call *c = call->cl;
    if (kind != LE__EVENT_KERNEL && !c->profile && !c->moving)
        return NULL;
    if (!LE__ARRAY_ROOM(c->events, c->n_events, c->capacity))
        return NULL;
    le__cl_event *e = &c->events[c->n_events++];
    *e = (le__cl_event){
        .kind = kind, .moving = c->moving, .name = name, .queued = le__now(), .bytes = bytes};
    return &e->event;
}

le_status le__cl_note_filled(le_call *call, le__cl_copy *copy) {
    const le__cl_device *d = call->cl->device;
    if (copy->filled)
        d->api->clReleaseEvent(copy->filled);
    copy->filled = NULL;
    if (!call->beside) /* is over before anybody else comes */
        return LE_OK;
    cl_int code = d->api->clEnqueueMarkerWithWaitList(call->cl->queue, 0, NULL, &copy->filled);
    if (code == CL_SUCCESS)
        code = d->api->clFlush(call->cl->queue);
    return code == CL_SUCCESS ? LE_OK : le__cl_fail(d, code, "clEnqueueMarkerWithWaitList");
}

le_status le__cl_wait_filled(le_call *call, const le__cl_copy *copy) {
    const le__cl_device *d = call->cl->device;
    if (!copy->filled)
        return LE_OK;
    cl_int code = d->api->clEnqueueBarrierWithWaitList(call->cl->queue, 1, &copy->filled, NULL);
    return code == CL_SUCCESS ? LE_OK : le__cl_fail(d, code, "clEnqueueBarrierWithWaitList");
}

static double seconds(const le__cl_api *api, cl_event event, cl_profiling_info key) {
    cl_ulong ns = 0;
    if (api->clGetEventProfilingInfo(event, key, sizeof ns, &ns, NULL) != CL_SUCCESS)
        return 0;
    return 1e-9 * (double)ns;
}

static void tell(const le__cl_device *d, const char *name, le__event *e) {
    e->depth = le__profile_depth();
    snprintf(e->name, sizeof e->name, "%s", name);
    snprintf(e->place, sizeof e->place, "%.31s", d->name);
    le__profile_record(d->cl->profile, e);
}

/* The device's clock is another one: both are known at the moment of queueing. */
static void take_times(const le__cl_device *d, cl_event event, double queued, le__event *e) {
    double shift = queued - seconds(d->api, event, CL_PROFILING_COMMAND_QUEUED);
    e->start = seconds(d->api, event, CL_PROFILING_COMMAND_START) + shift;
    e->seconds = seconds(d->api, event, CL_PROFILING_COMMAND_END) + shift - e->start;
}

void le__cl_record_download(const le__cl_device *d, cl_event event, double queued, int64_t bytes) {
    le__event e = {.kind = LE__EVENT_DOWNLOAD,
                   .lane = LE__CL_LANES,
                   .start = queued,
                   .seconds = le__now() - queued,
                   .bytes = bytes};
    if (event)
        take_times(d, event, queued, &e);
    tell(d, "download", &e);
}

void le__cl_note_staged(le_call *call, le__event_kind kind, double start, int64_t bytes) {
    const le__cl_call *c = call->cl;
    le__event e = {.kind = kind,
                   .lane = c->lane,
                   .start = start,
                   .seconds = le__now() - start,
                   .bytes = bytes};
    if (c->moving)
        call->stats.transfer_seconds += e.seconds;
    if (c->profile)
        tell(c->device, kind == LE__EVENT_UPLOAD ? "upload" : "download", &e);
}

/* A launch of the kernel has taken so long. */
static void learn_speed(le_cl_kernel *k, double work, double seconds) {
    double before = atomic_load_explicit(&k->seconds, memory_order_relaxed);
    if (work > 0 && seconds > 0)
        atomic_store_explicit(&k->seconds, fmax(seconds / work, before / 2), memory_order_relaxed);
}

static le_status evaluate(le_call *call, const le__cl_event *e) {
    le__cl_call *c = call->cl;
    const le__cl_api *api = c->device->api;
    cl_int state = CL_COMPLETE;
    api->clGetEventInfo(e->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    if (state < 0)
        return le__cl_fail(c->device, state, e->name);
    double start = seconds(api, e->event, CL_PROFILING_COMMAND_START);
    double end = seconds(api, e->event, CL_PROFILING_COMMAND_END);
    if (e->kind == LE__EVENT_KERNEL && end > start) {
        call->stats.kernel_seconds += end - start;
        learn_speed(e->kernel, e->work, end - start);
    }
    if (e->moving)
        call->stats.transfer_seconds += fmax(end - start, e->called);
    le__event done = {.kind = e->kind, .lane = c->lane, .bytes = e->bytes};
    if (c->profile) {
        take_times(c->device, e->event, e->queued, &done);
        tell(c->device, e->name, &done);
    }
    return LE_OK;
}

le_status le__cl_collect(le_call *call) {
    le__cl_call *c = call->cl;
    cl_int code = c->device->api->clFinish(c->queue);
    le_status status = code == CL_SUCCESS ? LE_OK : le__cl_fail(c->device, code, "clFinish");
    for (size_t i = 0; i < c->n_events; i++) {
        if (!c->events[i].event)
            continue;
        if (status == LE_OK)
            status = evaluate(call, &c->events[i]);
        c->device->api->clReleaseEvent(c->events[i].event);
    }
    c->n_events = 0;
    c->ahead = 0;
    return status;
}

static le_status wait_and_look(le_call *call, double seconds) {
    le_status status = LE_OK;
    if (call->cl->ahead > 0 && call->cl->ahead + seconds > LE__CL_SLICE)
        status = le__cl_collect(call);
    return status == LE_OK && le_call_cancelled(call) ? le__watch_fail(call) : status;
}

le_status le__cl_turn(le_call *call, double seconds) {
    le__cl_call *c = call->cl;
    if (!call->watch)
        return LE_OK;
    if (!c->holds)
        return wait_and_look(call, seconds);
    c->holds = false;
    pthread_mutex_unlock(&c->device->mutex);
    le_status status = wait_and_look(call, seconds);
    pthread_mutex_lock(&c->device->mutex);
    c->holds = true;
    return status;
}
