/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Launches of kernels. A command that is under way cannot be stopped; so where somebody may end the
 * call, what would take long is launched in pieces (ranges of work-groups, told apart by the global
 * offset), and the device is never more than a slice ahead of this thread. How long something takes
 * is known from the kernel's earlier launches, per operation of the call's work. What has more
 * groups along an axis than every device takes is launched in such pieces, too.
 */
#include "cl_call.h"

#include <math.h>

static const double guessed_speed = 1e8; /* operations a second of a compute unit, at least */

typedef struct launch {
    le_call *call;
    le_cl_kernel *kernel;
    int ndim;
    const size_t *local; /* NULL: as the driver likes */
    const le_cl_karg *kargs;
    size_t n_kargs;
    size_t unit[3], global[3]; /* work-items of a group, and in all */
    double work;               /* operations of the call, a group */
} launch;

typedef struct piece { /* groups */
    size_t first[3], count[3];
} piece;

/* May let go of the mutex: before the first argument is set. */
static le_status bring_arguments(const launch *l) {
    le__cl_call *c = l->call->cl;
    le_status status = LE_OK;
    cl_mem mem;
    pthread_mutex_lock(&c->device->mutex);
    c->holds = true;
    for (size_t i = 0; status == LE_OK && i < l->n_kargs; i++)
        if (l->kargs[i].kind == LE_CL_KARG_ARG)
            status = le__cl_argument(l->call, l->kargs[i].arg, &mem);
    c->holds = false;
    pthread_mutex_unlock(&c->device->mutex);
    return status;
}

static le_status set_argument(le_call *call, const le_cl_kernel *k, cl_uint i,
                              const le_cl_karg *a) {
    const le__cl_device *d = call->cl->device;
    cl_int code = CL_INVALID_ARG_VALUE;
    cl_mem mem = NULL;
    le_status status = LE_OK;
    switch ((le_cl_karg_kind)a->kind) {
    case LE_CL_KARG_ARG:
        status = le__cl_argument(call, a->arg, &mem);
        if (status == LE_OK)
            code = d->api->clSetKernelArg(k->handle, i, sizeof mem, &mem);
        break;
    case LE_CL_KARG_BUFFER:
        mem = a->buffer ? a->buffer->mem : NULL;
        code = d->api->clSetKernelArg(k->handle, i, sizeof mem, &mem);
        break;
    case LE_CL_KARG_BYTES:
        code = d->api->clSetKernelArg(k->handle, i, a->size,
                                      a->bytes ? a->bytes : (const void *)&a->scalar);
        break;
    case LE_CL_KARG_LOCAL:
        code = d->api->clSetKernelArg(k->handle, i, a->size, NULL);
        break;
    }
    if (status != LE_OK)
        return status;
    if (code == CL_SUCCESS)
        return LE_OK;
    return le_fail(le__cl_code_status(code), "opencl: %s: argument %u of kernel '%s': %s", d->name,
                   (unsigned)i, k->name, le__cl_code_name(code));
}

static double groups_of(const piece *p) {
    return (double)p->count[0] * (double)p->count[1] * (double)p->count[2];
}

static le_status enqueue(const launch *l, const piece *p) {
    le__cl_call *c = l->call->cl;
    const le__cl_device *d = c->device;
    size_t offset[3], items[3];
    bool whole = true;
    for (int i = 0; i < l->ndim; i++) {
        size_t end = (p->first[i] + p->count[i]) * l->unit[i];
        offset[i] = p->first[i] * l->unit[i];
        items[i] = (l->local || end < l->global[i] ? end : l->global[i]) - offset[i];
        whole = whole && offset[i] == 0;
    }
    cl_event *event = le__cl_event_slot(l->call, LE__EVENT_KERNEL, l->kernel->name, 0);
    if (event) {
        c->events[c->n_events - 1].kernel = l->kernel;
        c->events[c->n_events - 1].work = l->work * groups_of(p);
    }
    cl_int code =
        d->api->clEnqueueNDRangeKernel(c->queue, l->kernel->handle, (cl_uint)l->ndim,
                                       whole ? NULL : offset, items, l->local, 0, NULL, event);
    return code == CL_SUCCESS ? LE_OK : le__cl_fail(d, code, l->kernel->name);
}

/* The kernel is everybody's until it is enqueued. */
static le_status enqueue_with_arguments(const launch *l, const piece *p) {
    pthread_mutex_t *mutex = &l->call->cl->device->mutex;
    le_status status = LE_OK;
    pthread_mutex_lock(mutex);
    for (size_t i = 0; status == LE_OK && i < l->n_kargs; i++)
        status = set_argument(l->call, l->kernel, (cl_uint)i, &l->kargs[i]);
    if (status == LE_OK)
        status = enqueue(l, p);
    pthread_mutex_unlock(mutex);
    return status;
}

static double predicted(const launch *l, const piece *p) {
    double each = atomic_load_explicit(&l->kernel->seconds, memory_order_relaxed);
    if (!(each > 0))
        each = 1 / (guessed_speed * fmax(l->call->cl->info.compute_units, 1));
    return each * l->work * groups_of(p);
}

/* The outermost axis with two groups, where both halves keep all units at work; -1: none. */
static int axis_to_cut(const launch *l, const piece *p) {
    if (l->kernel->undivided || groups_of(p) < 2.0 * l->call->cl->info.compute_units)
        return -1;
    for (int i = l->ndim - 1; i >= 0; i--)
        if (p->count[i] > 1)
            return i;
    return -1;
}

/* By halves, so that the first piece is short where little is known. */
static le_status launch_piece(const launch *l, piece p) {
    le__cl_call *c = l->call->cl;
    le_status status = LE_OK;
    while (status == LE_OK) {
        status = le__cl_turn(l->call, predicted(l, &p));
        if (status != LE_OK)
            break;
        int axis = predicted(l, &p) > LE__CL_SLICE ? axis_to_cut(l, &p) : -1;
        if (axis < 0) {
            c->ahead += predicted(l, &p);
            return enqueue_with_arguments(l, &p);
        }
        piece half = p;
        half.count[axis] /= 2;
        p.first[axis] += half.count[axis];
        p.count[axis] -= half.count[axis];
        status = launch_piece(l, half);
    }
    return status;
}

/* By pieces of as many groups along this axis and those before it as every device takes: hardware
 * of NVIDIA counts them in 16 bits, but for the first axis. */
static le_status launch_along(const launch *l, piece p, int axis) {
    static const size_t most_groups = 65535;
    le_status status = LE_OK;
    if (axis == 0)
        return l->call->watch ? launch_piece(l, p) : enqueue_with_arguments(l, &p);
    /* the driver may choose groups of one item */
    const size_t most = l->local ? most_groups : most_groups / l->unit[axis];
    for (size_t left = p.count[axis]; status == LE_OK && left > 0; left -= p.count[axis]) {
        p.count[axis] = left < most || l->kernel->undivided ? left : most;
        status = launch_along(l, p, axis - 1);
        p.first[axis] += p.count[axis];
    }
    return status;
}

/* What implementations ask for, in groups. */
static le_status divide(launch *l, const size_t *global, piece *whole, bool *empty) {
    static const size_t any[3] = {4096, 64, 1}; /* so that drivers find the groups they like */
    const le__cl_device *d = l->call->cl->device;
    size_t group = 1;
    for (int i = 0; i < 3; i++) {
        size_t n = i < l->ndim ? global[i] : 1;
        *empty = *empty || n == 0;
        if (l->local && i < l->ndim && (l->local[i] == 0 || l->local[i] > d->info.max_work_group))
            return le_fail(LE_ERR_UNSUPPORTED, "opencl: %s: kernel '%s': a work-group side of %zu",
                           d->name, l->kernel->name, l->local[i]);
        l->global[i] = n;
        l->unit[i] = i >= l->ndim ? 1 : l->local ? l->local[i] : any[i];
        group *= l->unit[i];
        whole->count[i] = (n + l->unit[i] - 1) / l->unit[i];
    }
    if (l->local && group > d->info.max_work_group)
        return le_fail(
            LE_ERR_UNSUPPORTED,
            "opencl: %s: kernel '%s': work-groups of %zu items, at most %zu are possible", d->name,
            l->kernel->name, group, d->info.max_work_group);
    return LE_OK;
}

le_status le_cl_launch(le_call *call, le_cl_kernel *kernel, int ndim, const size_t *global,
                       const size_t *local, const le_cl_karg *kargs, size_t n_kargs) {
    if (!call->cl)
        return le__cl_no_execution();
    if (ndim < 1 || ndim > 3)
        return le_fail(LE_ERR_INTERNAL, "opencl: kernel '%s' with %d dimensions", kernel->name,
                       ndim);
    launch l = {.call = call,
                .kernel = kernel,
                .ndim = ndim,
                .local = local,
                .kargs = kargs,
                .n_kargs = n_kargs};
    piece whole = {.first = {0}};
    bool empty = false;
    le_status status = divide(&l, global, &whole, &empty);
    if (status != LE_OK || empty)
        return status;
    l.work = le__call_operations(call) / groups_of(&whole);
    status = bring_arguments(&l);
    if (status != LE_OK)
        return status;
    return launch_along(&l, whole, ndim - 1);
}
