/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * How long transfers take on this machine: measured once per device and engine at a few sizes, in
 * between by a straight line; the samples go to the database under the reserved operation
 * LE_DB_TRANSFER.
 */
#include "choose/transfer.h"

#include "benchdb.h"
#include "call/engine.h"
#include "call/outputs.h"
#include "call/tensor.h"
#include "choose/dispatch.h"
#include "core/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 3 };
static const int64_t sizes[LE__TRANSFER_SIZES] = {4096, 65536, 1 << 20, 8 << 20};

/* --- measuring: runs as an implementation of an operation without arguments --- */

static le_status check_nothing(le_call *call) {
    (void)call;
    return LE_OK;
}

static void work_nothing(const le_call *call, le_work *out) {
    (void)call;
    *out = (le_work){1, 1};
}

static le_status measure_size(le_call *call, le_cl_buffer *buffer, void *host, int k,
                              le__transfer *t) {
    t->up[k] = t->down[k] = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        double start = le__now();
        le_status status = le_cl_upload(call, buffer, 0, host, (size_t)sizes[k]);
        if (status == LE_OK)
            status = le_cl_finish(call);
        double middle = le__now();
        if (status == LE_OK)
            status = le_cl_download(call, buffer, 0, host, (size_t)sizes[k]);
        if (status != LE_OK)
            return status;
        t->up[k] = fmin(t->up[k], middle - start);
        t->down[k] = fmin(t->down[k], le__now() - middle);
    }
    return LE_OK;
}

static le_status measure(le_call *call) {
    le__transfer *t = le_call_attached(call);
    le_cl_buffer *buffer;
    size_t most = (size_t)sizes[LE__TRANSFER_SIZES - 1];
    le_status status = le_cl_scratch(call, most, &buffer);
    void *host = status == LE_OK ? le_call_scratch(call, most) : NULL;
    if (!host)
        return status != LE_OK ? status : le_fail(LE_ERR_MEMORY, "transfer: out of memory");
    memset(host, 0, most);
    for (int k = 0; status == LE_OK && k < LE__TRANSFER_SIZES; k++)
        status = measure_size(call, buffer, host, k, t);
    return status;
}

static const le_arg_desc no_args[1];
static const le_operation operation = {.abi = LE_METHOD_ABI,
                                       .name = LE_DB_TRANSFER,
                                       .family = "engine",
                                       .summary = "bytes to and from a device",
                                       .args = no_args,
                                       .check = check_nothing,
                                       .work = work_nothing};
static const le_implementation implementation = {.abi = LE_METHOD_ABI,
                                                 .operation = LE_DB_TRANSFER,
                                                 .name = "copy",
                                                 .run_type = "opencl",
                                                 .device = LE_DEVICE_OPENCL,
                                                 .run = measure};

static le__candidate candidate_on(le__device *d) {
    le__candidate c = {
        .implementation = &implementation, .source_hash = "", .device = d, .threads = 1};
    snprintf(c.text, sizeof c.text, "copy@%s", d->id);
    return c;
}

static void problem_text(char out[64], bool up, int64_t bytes) {
    snprintf(out, 64, "%s/%lld", up ? "to_device" : "from_device", (long long)bytes);
}

/* What an earlier process measured. A database that is locked is asked again, now and then. */
static void load(le_engine *e, le__device *d, le__transfer *t) {
    enum { BOTH = 2 * LE__TRANSFER_SIZES };
    le__candidate c = candidate_on(d);
    char problems[BOTH][64];
    double seconds[BOTH];
    for (int i = 0; i < BOTH; i++)
        problem_text(problems[i], i >= LE__TRANSFER_SIZES, sizes[i % LE__TRANSFER_SIZES]);
    t->loaded = le__store_seconds(e->dispatch->store, &c, problems, BOTH, seconds);
    for (int i = 0; i < BOTH; i++)
        if (!(seconds[i] > 0))
            return;
    memcpy(t->down, seconds, sizeof t->down);
    memcpy(t->up, seconds + LE__TRANSFER_SIZES, sizeof t->up);
    t->tried = t->measured = true;
}

static void store(le_engine *e, le__device *d, const le__transfer *t) {
    le__store *s = e->dispatch->store;
    le__candidate c = candidate_on(d);
    int64_t candidate = le__store_candidate(s, &c, false);
    char text[64];
    for (int up = 0; up < 2; up++)
        for (int k = 0; k < LE__TRANSFER_SIZES; k++) {
            le_work work = {(double)sizes[k], (double)sizes[k]};
            le__run_stats stats = {.seconds = up ? t->up[k] : t->down[k], .ended = le__now()};
            le__observation o = {.stats = &stats,
                                 .conditions = le__monitor_read(e->dispatch->monitor, stats.ended)};
            problem_text(text, up, sizes[k]);
            le__store_sample(s, le__store_problem(s, LE_DB_TRANSFER, text, &work), candidate, &o);
        }
}

static void measure_device(le_engine *e, le__device *d, le__transfer *t) {
    le__operation_entry entry = {.operation = &operation};
    le_call *call = calloc(1, sizeof *call);
    le__candidate c = candidate_on(d);
    if (!call)
        return;
    call->engine = e;
    call->entry = &entry;
    call->operation = &operation;
    le_call_attach(call, t, NULL);
    t->measured = le__execute(call, &c, LE__OUTPUTS_IN_PLACE) == LE_OK;
    le__call_release_scratch(call);
    free(call);
    if (t->measured)
        store(e, d, t);
}

/* --- predicting --- */

static double prior(bool up, int64_t bytes) { /* a slow PCIe link: better to stay than to move */
    return (up ? 2e-5 : 3e-5) + (double)bytes / 4e9;
}

static double between(const double *seconds, int64_t bytes) {
    int k = 1;
    while (k + 1 < LE__TRANSFER_SIZES && bytes > sizes[k])
        k++;
    double slope = (seconds[k] - seconds[k - 1]) / (double)(sizes[k] - sizes[k - 1]);
    double s = seconds[k] + slope * (double)(bytes - sizes[k]);
    return fmax(s, seconds[0] / 2);
}

double le__transfer_seconds(le_engine *e, le__device *d, bool up, int64_t bytes, bool may_measure) {
    if (d->kind == LE_DEVICE_CPU || bytes == 0)
        return 0;
    le__transfer *t = &e->dispatch->transfers[d->index];
    pthread_mutex_lock(&e->dispatch->transfer_mutex);
    if (!t->loaded && !t->measured)
        load(e, d, t);
    if (!t->tried && may_measure && !atomic_load(&d->lost)) {
        t->tried = true;
        measure_device(e, d, t);
    }
    double seconds = t->measured ? between(up ? t->up : t->down, bytes) : prior(up, bytes);
    pthread_mutex_unlock(&e->dispatch->transfer_mutex);
    return seconds;
}

/* --- of a call --- */

static bool stays(const le_call *call, const le__bound_arg *output) {
    return call->want.keep_on_device &&
           (!output->user_out || le__stays_on_device(output->user_out));
}

static double by_sizes(const le__question *q, const le_call *call, le__device *to) {
    le_engine *e = call->engine;
    double seconds = 0;
    for (size_t i = 0; i < call->operation->n_args; i++) {
        const le__bound_arg *b = &call->args[i];
        le_arg_type type = call->operation->args[i].type;
        if (!le__call_has_tensor(call, i))
            continue;
        int64_t bytes = le__tensor_size(&b->tensor);
        uint32_t at = q->at[i];
        if (type == LE_TYPE_OUT)
            seconds += stays(call, b) ? 0 : le__transfer_seconds(e, to, false, bytes, false);
        else if (!(at >> to->index & 1))
            seconds += le__transfer_seconds(e, to, true, bytes, false) +
                       (at & 1 ? 0
                               : le__transfer_seconds(e, &e->devices[__builtin_ctz(at)], false,
                                                      bytes, false));
    }
    return seconds;
}

static bool is_made(const le__arm *a) {
    return a->candidate.implementation->flags & LE__IMPL_STAGED;
}

double le__transfers_expected(const le__question *q, const le_call *call, const le__arm *arm) {
    double sum = 0;
    int n = 0;
    if (q->moved[arm->index] >= 0)
        return q->moved[arm->index];
    for (size_t i = 0; i < q->n_arms; i++) { /* others move the same arguments */
        const le__arm *a = q->op->arms[i];
        if (q->moved[i] < 0 || a->candidate.device != arm->candidate.device ||
            is_made(a) != is_made(arm))
            continue;
        sum += q->moved[i];
        n++;
    }
    return n ? sum / n : by_sizes(q, call, arm->candidate.device);
}
