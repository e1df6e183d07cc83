/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Working a call off in slabs.
 */
#include "slabs.h"

#include "opencl.h"
#include "storage.h"
#include "trial_server.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
    le_call *call;
    const le_operation *op;
    le_slabs slabs;
    const char *device;
    int source_arg; /* -1: none */
    le__slab_source source;
    void *cookie;
    le_chain *chain; /* for slabs of chain_items */
    int64_t chain_items;
    le_tensor whole[LE_MAX_ARGS];   /* inputs that every slab needs, with a storage of their own */
    le_tensor results[LE_MAX_ARGS]; /* outputs of one slab */
    le_tensor made[LE_MAX_ARGS];    /* outputs that are cut, put together; the call's own memory
                                       unless that is the caller's */
    double *merged[LE_MAX_ARGS];
} job;

typedef struct range {
    int64_t begin, end; /* items that are wanted */
    int64_t low, high;  /* with halos */
} range;

static bool is_in(const job *j, size_t a) {
    return j->op->args[a].type == LE_TYPE_IN && j->call->args[a].given;
}

static bool is_out(const job *j, size_t a) {
    return j->op->args[a].type == LE_TYPE_OUT && j->call->args[a].given;
}

/* Elements along the cut axis for so many items. */
static int64_t elements(const job *j, size_t a, int64_t items) {
    int64_t scale = j->slabs.args[a].scale ? j->slabs.args[a].scale : 1;
    int64_t divide = j->slabs.args[a].divide ? j->slabs.args[a].divide : 1;
    return (items * scale + divide - 1) / divide;
}

static le_tensor part_of(const job *j, size_t a, const le_tensor *t, int64_t begin, int64_t end) {
    le_tensor p = *t;
    int axis = j->slabs.args[a].axis - 1;
    if (axis < 0)
        return p;
    int64_t first = elements(j, a, begin);
    p.shape[axis] = elements(j, a, end) - first;
    if (p.data)
        p.data = (char *)p.data + first * p.strides[axis] * (int64_t)le_dtype_size(p.dtype);
    p.storage = NULL; /* a view of host memory */
    p.offset = 0;
    return p;
}

/* --- the chain of one step --- */

static le_status add_step(job *j, int64_t items) {
    le_arg args[LE_MAX_ARGS];
    le_value values[LE_MAX_ARGS];
    size_t n = j->op->n_args;
    for (size_t a = 0; a < n; a++) {
        const le_tensor shape = part_of(j, a, &j->call->args[a].tensor, 0, items);
        values[a] = LE_VALUE_NONE;
        if (is_in(j, a)) {
            values[a] =
                le_chain_input(j->chain, j->op->args[a].name, shape.dtype, shape.ndim, shape.shape);
            args[a] = LE_VALUE_IN(j->op->args[a].name, values[a]);
        } else if (is_out(j, a)) {
            values[a] = le_chain_temp_of(j->chain, shape.dtype, shape.ndim, shape.shape);
            args[a] = LE_VALUE_OUT(j->op->args[a].name, values[a]);
        } else if (j->op->args[a].type == LE_TYPE_IN || j->op->args[a].type == LE_TYPE_OUT) {
            args[a] = (le_arg){0};
        } else {
            args[a] = le_chain_pass(j->call, (int)a, j->op->args[a].name);
        }
    }
    le_chain_add_args(j->chain, j->op->name, args, n);
    for (size_t a = 0; a < n; a++)
        if (is_out(j, a))
            le_chain_output(j->chain, j->op->args[a].name, values[a]);
    return le_chain_status(j->chain);
}

static le_status ready_chain(job *j, int64_t items) {
    if (j->chain && j->chain_items == items)
        return LE_OK;
    le_chain_free(&j->chain);
    le_status status = le_chain_new(&j->chain, j->call->engine, j->op->name);
    j->chain_items = items;
    return status == LE_OK ? add_step(j, items) : status;
}

/* --- outputs --- */

static void add_merged(job *j, size_t a, double weight) {
    const le_tensor *t = &j->results[a];
    int64_t n = le_tensor_count(t);
    double *m = j->merged[a];
    le_merge how = (le_merge)j->slabs.args[a].merge;
    for (int64_t i = 0; i < n; i++) {
        double v = le_tensor_get(t, i);
        if (how == LE_MERGE_SUM || how == LE_MERGE_MEAN)
            m[i] += how == LE_MERGE_MEAN ? weight * v : v;
        else if (isnan(v) || (how == LE_MERGE_MAX ? v > m[i] : v < m[i]))
            m[i] = v;
    }
}

/* Where a slab's result goes at once: no halo is to be cut off, and it lies as the step writes it.
 */
static bool writes_through(const job *j, size_t a, const range *r) {
    le_tensor to = part_of(j, a, &j->made[a], r->begin, r->end);
    return j->slabs.args[a].axis && r->low == r->begin && r->high == r->end &&
           le_tensor_is_contiguous(&to);
}

static le_status keep_result(job *j, size_t a, const range *r) {
    le_tensor *result = &j->results[a];
    if (!j->slabs.args[a].axis) {
        add_merged(j, a, (double)(r->end - r->begin) / (double)j->slabs.items);
        return LE_OK;
    }
    le_tensor to = part_of(j, a, &j->made[a], r->begin, r->end);
    le_tensor core = part_of(j, a, result, r->begin - r->low, r->end - r->low);
    size_t bytes;
    void *packed = le__tensor_bytes(&core, &bytes) ? malloc(bytes ? bytes : 1) : NULL;
    if (!packed)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", j->op->name);
    le__tensor_pack(packed, &core);
    le__tensor_unpack(&to, packed);
    free(packed);
    return LE_OK;
}

/* --- one slab --- */

static le_status run_slab(job *j, const range *r) {
    le_arg args[LE_MAX_ARGS + 3];
    le_tensor parts[LE_MAX_ARGS];
    size_t n = 0;
    le_status status = ready_chain(j, r->high - r->low);
    for (size_t a = 0; status == LE_OK && a < j->op->n_args; a++) {
        const char *name = j->op->args[a].name;
        const le_tensor *t = &j->call->args[a].tensor;
        if (is_in(j, a)) {
            if ((int)a == j->source_arg)
                status = j->source(j->cookie, r->high - r->low, &parts[a]);
            else
                parts[a] = j->slabs.args[a].axis ? part_of(j, a, t, r->low, r->high) : j->whole[a];
            args[n++] = LE_IN(name, &parts[a]);
        } else if (is_out(j, a)) {
            bool through = writes_through(j, a, r);
            parts[a] = through ? part_of(j, a, &j->made[a], r->begin, r->end) : (le_tensor){0};
            if (!through)
                le_tensor_free(&j->results[a]);
            args[n++] = LE_OUT(name, through ? &parts[a] : &j->results[a]);
        }
    }
    if (j->device)
        args[n++] = LE_OPT_DEVICE(j->device);
    args[n++] = LE_OPT_MODE(j->call->want.mode);
    if (j->call->want.reproducible)
        args[n++] = LE_OPT_REPRODUCIBLE();
    if (status == LE_OK)
        status = le_chain_run_args(j->chain, args, n);
    for (size_t a = 0; status == LE_OK && a < j->op->n_args; a++)
        if (is_out(j, a) && !writes_through(j, a, r))
            status = keep_result(j, a, r);
    if (status == LE_OK) {
        le__run_stats *s = &j->call->stats;
        s->bytes_to_device += j->chain->report.bytes_to_device;
        s->bytes_from_device += j->chain->report.bytes_from_device;
        s->kernel_seconds += j->chain->report.steps[0].kernel_seconds;
    }
    return status;
}

/* --- the whole --- */

static int64_t bytes_of(const le_tensor *t) {
    size_t bytes;
    return le__tensor_bytes(t, &bytes) ? (int64_t)bytes : INT64_MAX / 4;
}

/* Items in a slab such that its tensors fit the limit; -1 when not even the smallest slab does. */
static int64_t slab_items(const job *j, int64_t limit) {
    int64_t multiple = j->slabs.multiple > 0 ? j->slabs.multiple : 1, items = j->slabs.items;
    double cut = 0, whole = 0;
    for (size_t a = 0; a < j->op->n_args; a++)
        if (is_in(j, a) || is_out(j, a))
            *(j->slabs.args[a].axis ? &cut : &whole) += (double)bytes_of(&j->call->args[a].tensor);
    double fit = limit ? ((double)limit - whole) * (double)items / (cut > 1 ? cut : 1) -
                             2 * (double)j->slabs.halo
                       : ceil((double)items / 4);
    if (limit && fit < (double)multiple)
        return -1;
    int64_t n = fit < (double)items ? (int64_t)fit : items;
    n = n / multiple * multiple;
    return n > 0 ? n : multiple;
}

static le_status prepare(job *j) {
    for (size_t a = 0; a < j->op->n_args; a++) {
        le_tensor *t = &j->call->args[a].tensor;
        le_status status = LE_OK;
        if (is_in(j, a) && (int)a != j->source_arg) {
            if (j->slabs.args[a].axis)
                status = le_tensor_to_host(t);
            else
                status = le__chain_wrap(&j->whole[a], t, true);
        } else if (is_out(j, a) && !j->slabs.args[a].axis) {
            int64_t n = le_tensor_count(t);
            le_merge how = (le_merge)j->slabs.args[a].merge;
            if (how == LE_MERGE_NONE)
                return le_fail(LE_ERR_INTERNAL, "%s: output '%s' is neither cut nor merged",
                               j->op->name, j->op->args[a].name);
            j->merged[a] = malloc(((size_t)n + 1) * sizeof(double));
            for (int64_t i = 0; j->merged[a] && i < n; i++)
                j->merged[a][i] = how == LE_MERGE_MAX   ? -INFINITY
                                  : how == LE_MERGE_MIN ? INFINITY
                                                        : 0;
            status =
                j->merged[a] ? LE_OK : le_fail(LE_ERR_MEMORY, "%s: out of memory", j->op->name);
        }
        if (status != LE_OK)
            return status;
    }
    return LE_OK;
}

/* A later slab may fail: what the caller holds is written when all are done. */
static le_status make_outputs(job *j, bool several) {
    le_status status = LE_OK;
    for (size_t a = 0; status == LE_OK && a < j->op->n_args; a++) {
        const le_tensor *t = &j->call->args[a].tensor;
        if (!is_out(j, a) || !j->slabs.args[a].axis)
            continue;
        if (several && (!t->storage || t->storage->borrowed))
            status = le_tensor_alloc(&j->made[a], t->dtype, t->ndim, t->shape);
        else
            j->made[a] = *t;
    }
    return status;
}

static void hand_over(job *j, size_t a) {
    le_tensor *t = &j->call->args[a].tensor;
    if (j->made[a].data != t->data && j->slabs.args[a].axis)
        le__tensor_unpack(t, j->made[a].data);
    for (int64_t i = 0; j->merged[a] && i < le_tensor_count(t); i++)
        le_tensor_set(t, i, j->merged[a][i]);
}

static void finish(job *j, bool succeeded) {
    for (size_t a = 0; a < j->op->n_args; a++) {
        if (succeeded && is_out(j, a))
            hand_over(j, a);
        if (j->made[a].storage != j->call->args[a].tensor.storage)
            le_tensor_free(&j->made[a]);
        free(j->merged[a]);
        le_tensor_free(&j->results[a]);
        le__storage_release(j->whole[a].storage);
    }
    le_chain_free(&j->chain);
}

static le_status run_all(job *j, int64_t limit) {
    int64_t items = slab_items(j, limit);
    if (items < 0)
        return le_fail(LE_ERR_MEMORY, "%s: not even one slab fits into %lld bytes", j->op->name,
                       (long long)limit);
    le_status status = make_outputs(j, items < j->slabs.items);
    for (int64_t begin = 0; status == LE_OK && begin < j->slabs.items; begin += items) {
        int64_t end = begin + items < j->slabs.items ? begin + items : j->slabs.items;
        range r = {begin, end, begin - j->slabs.halo, end + j->slabs.halo};
        r.low = r.low < 0 ? 0 : r.low;
        r.high = r.high > j->slabs.items ? j->slabs.items : r.high;
        status = le_call_cancelled(j->call)
                     ? le_fail(LE_ERR_CANCELLED, "%s: cancelled", j->op->name)
                     : run_slab(j, &r);
    }
    return status;
}

le_status le__slabs_run(le_call *call, const char *device, int64_t limit, int source_arg,
                        le__slab_source source, void *cookie) {
    job *j = calloc(1, sizeof *j);
    if (!j)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", call->operation->name);
    *j = (job){.call = call,
               .op = call->operation,
               .device = device,
               .source_arg = source_arg,
               .source = source,
               .cookie = cookie};
    le_status status = LE_OK;
    if (!j->op->slabs || !j->op->slabs(call, &j->slabs) || j->slabs.items <= 0)
        status = le_fail(LE_ERR_UNSUPPORTED, "%s: this call cannot be cut into slabs", j->op->name);
    else if (source && j->slabs.halo)
        status =
            le_fail(LE_ERR_UNSUPPORTED,
                    "%s: frames need their neighbours, they cannot come one by one", j->op->name);
    else if (source && j->slabs.args[source_arg].axis != 1)
        status = le_fail(LE_ERR_UNSUPPORTED, "%s: '%s' is not cut along its first axis",
                         j->op->name, j->op->args[source_arg].name);
    if (status == LE_OK)
        status = prepare(j);
    if (status == LE_OK)
        status = run_all(j, limit);
    finish(j, status == LE_OK);
    free(j);
    return status;
}

/* --- implementations --- */

static int64_t smaller(int64_t a, int64_t b) { /* 0: none */
    return !a ? b : !b ? a : a < b ? a : b;
}

static int64_t limit_of(const le_call *call, const le__device *d) {
    int64_t own = d->kind == LE_DEVICE_CPU ? call->engine->options.memory_limit_bytes
                                           : le__cl_device_info(d->cl)->memory_bytes;
    return smaller(own, call->want.memory_limit);
}

static int64_t total_bytes(const le_call *call) {
    int64_t sum = 0;
    for (size_t a = 0; a < call->operation->n_args; a++)
        if (call->args[a].given && (call->operation->args[a].type == LE_TYPE_IN ||
                                    call->operation->args[a].type == LE_TYPE_OUT))
            sum += bytes_of(&call->args[a].tensor);
    return sum;
}

static bool forced(const le_call *call) {
    const char *want = call->want.implementation ? call->want.implementation
                                                 : call->engine->options.implementation;
    return want && !strncmp(want, "slabs", 5) && !call->step;
}

static bool applicable(const le_call *call, le_device_kind kind, const char **why) {
    le_slabs s = {0};
    *why = "this call cannot be cut into slabs";
    if (!call->operation->slabs(call, &s) || s.items < 2)
        return false;
    *why = "the call fits the memory as a whole";
    bool needed =
        forced(call) || le__trial_is_child(); /* a sample is small, its trial is not for nothing */
    for (int i = 0; i < call->engine->n_devices; i++) {
        const le__device *d = &call->engine->devices[i];
        int64_t limit = d->kind == kind ? limit_of(call, d) : 0;
        needed = needed || (limit && total_bytes(call) > limit);
    }
    return needed;
}

static bool applicable_on_cpu(const le_call *call, const char **why) {
    return applicable(call, LE_DEVICE_CPU, why);
}

static bool applicable_on_opencl(const le_call *call, const char **why) {
    return applicable(call, LE_DEVICE_OPENCL, why);
}

/* Outputs are put together on the host, whatever the device. */
static le_status outputs_to_host(le_call *call) {
    for (size_t a = 0; a < call->operation->n_args; a++) {
        le_tensor *t = &call->args[a].tensor;
        void *host;
        if (call->operation->args[a].type != LE_TYPE_OUT || !call->args[a].given || !t->storage)
            continue;
        le_status status = le__storage_host(t->storage, true, false, &host);
        if (status != LE_OK)
            return status;
        t->data = (char *)host + t->offset * (int64_t)le_dtype_size(t->dtype);
    }
    return LE_OK;
}

static le_status run(le_call *call) {
    int64_t limit = limit_of(call, call->device);
    le_status status = outputs_to_host(call);
    if (limit && total_bytes(call) <= limit)
        limit = 0;
    return status == LE_OK ? le__slabs_run(call, call->device->id, limit / 10 * 8, -1, NULL, NULL)
                           : status;
}

static const le_implementation templates[] = {
    {.abi = LE_METHOD_ABI,
     .name = "slabs",
     .run_type = "slabs",
     .device = LE_DEVICE_CPU,
     .summary = "slab by slab on the CPU",
     .applicable = applicable_on_cpu,
     .run = run,
     .flags = (uint32_t)LE__IMPL_STAGED | LE_IMPL_SERIAL | LE_IMPL_REPRODUCIBLE,
     .speed = 0.5},
    {.abi = LE_METHOD_ABI,
     .name = "slabs_opencl",
     .run_type = "slabs",
     .device = LE_DEVICE_OPENCL,
     .summary = "slab by slab on the device",
     .applicable = applicable_on_opencl,
     .run = run,
     .flags = (uint32_t)LE__IMPL_STAGED | LE_IMPL_REPRODUCIBLE,
     .speed = 0.5},
};

const le_implementation *le__slabs_implementations(const le_operation *op, size_t *n) {
    *n = op->slabs ? sizeof templates / sizeof *templates : 0;
    return templates;
}
