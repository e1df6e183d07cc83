/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What a method reads from a call, and the memory of one execution.
 */
#include "call/call.h"

#include "core/clock.h"
#include "call/counted.h"
#include "call/engine.h"
#include "call/profile.h"
#include "call/guard.h"
#include "call/outputs.h"
#include "call/shaped.h"
#include "call/storage.h"
#include "call/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool le_call_given(const le_call *call, int arg) {
    return call->args[arg].given;
}

const le_tensor *le_call_in(const le_call *call, int arg) {
    return &call->args[arg].tensor;
}

le_tensor *le_call_out(const le_call *call, int arg) {
    /* the call is const for what it was asked; its outputs are there to be written */
    return (le_tensor *)(uintptr_t)&call->args[arg].tensor;
}

double le_call_f64(const le_call *call, int arg) {
    return call->args[arg].f64;
}

int64_t le_call_i64(const le_call *call, int arg) {
    return call->args[arg].i64;
}

const char *le_call_str(const le_call *call, int arg) {
    return call->args[arg].str;
}

const double *le_call_f64s(const le_call *call, int arg, size_t *count) {
    *count = call->args[arg].count;
    return call->args[arg].f64s;
}

const le_tensor *le_call_table(const le_call *call, int arg) {
    return &call->args[arg].tensor;
}

int64_t le_call_param(const le_call *call, int tunable) {
    return call->params[tunable];
}

void *le_call_user_operation(const le_call *call) {
    return call->operation->user;
}

void *le_call_user_implementation(const le_call *call) {
    return call->implementation ? call->implementation->user : NULL;
}

double le_call_atol(const le_call *call) {
    return call->want.atol;
}

double le_call_rtol(const le_call *call) {
    return call->want.rtol;
}

void le_call_attach(le_call *call, void *data, void (*release)(void *)) {
    if (call->attached_release)
        call->attached_release(call->attached);
    call->attached = data;
    call->attached_release = release;
}

void *le_call_attached(const le_call *call) {
    return call->attached;
}

bool le_call_reproducible(const le_call *call) {
    return call->want.reproducible;
}

int le_call_threads(const le_call *call) {
    return call->threads > 0 ? call->threads : 1;
}

bool le_call_cancelled(const le_call *call) {
    return call->watch && le__watch_over(call->watch);
}

le_status le_parallel_for(le_call *call, size_t items, le_range_fn fn, void *context) {
    bool profiled = call->engine->profile;
    double start = profiled ? le__now() : 0;
    le_status status = LE_OK;
    if (call->watch)
        status = le__watch_loop(call, items, fn, context);
    else
        le__pool_run(call->engine->pool, call->threads, call->schedule, items, fn, context);
    if (profiled)
        le__profile_loop(call, start);
    return status;
}

/* --- scratch --- */

enum { SCRATCH_HEADER = 64 };

/* What says beforehand how much it needs is not chosen where that is too much. The library's own
 * says so. */
static bool is_beyond_limit(const le_call *call, size_t bytes) {
    const int64_t limit =
        le__constraint_memory(&call->want, call->engine->options.memory_limit_bytes);
    return limit > 0 && (int64_t)bytes > limit - call->stats.scratch_bytes &&
           !le__registry_is_builtin(call->entry, call->implementation);
}

/* Takes none of the run's time. */
static void fill_scratch(le_call *call, le__scratch *s) {
    double start = le__now(), until = call->watch ? le__watch_pause(call->watch) : 0;
    le__guard_scratch(call, (char *)s + SCRATCH_HEADER, s->bytes, s->edge);
    double seconds = le__now() - start;
    call->stats.setup_seconds += seconds;
    if (call->watch)
        le__watch_resume(call->watch, until, seconds);
}

void *le_call_scratch(le_call *call, size_t bytes) {
    if (bytes > PTRDIFF_MAX / 2 || is_beyond_limit(call, bytes))
        return NULL;
    size_t total = (SCRATCH_HEADER + bytes + 63) / 64 * 64, edge = le__guard_edge_of_scratch(call);
    le__scratch *s = aligned_alloc(64, total + edge);
    if (!s)
        return NULL;
    *s = (le__scratch){call->scratch, bytes, edge ? total + edge - SCRATCH_HEADER - bytes : 0};
    call->scratch = s;
    if (le__guard_fills(call))
        fill_scratch(call, s);
    call->stats.scratch_bytes += (int64_t)total;
    if (call->stats.scratch_bytes > call->stats.peak_scratch_bytes)
        call->stats.peak_scratch_bytes = call->stats.scratch_bytes;
    return (char *)s + SCRATCH_HEADER;
}

void le__call_release_scratch(le_call *call) {
    for (le__scratch *s = call->scratch, *next; s; s = next) {
        next = s->next;
        if (s->edge && le__guard_strayed(call, (char *)s + SCRATCH_HEADER + s->bytes, s->edge))
            call->strayed = "behind its scratch memory";
        free(s);
    }
    call->scratch = NULL;
    call->stats.scratch_bytes = 0;
}

/* Some rows at a time, for the call may be ended. */
static bool pack(const le_call *call, char *to, const le_tensor *t) {
    const int64_t rows = le__tensor_rows_at_once(t);
    for (int64_t i = 0; i < t->shape[0] && !le_call_cancelled(call); i += rows) {
        const le_tensor part = le__tensor_rows(t, i, rows);
        le__tensor_pack(to, &part);
        to += le__tensor_size(&part);
    }
    return !le_call_cancelled(call);
}

const void *le_call_contiguous(le_call *call, int arg) {
    static const max_align_t nothing;
    le_tensor *t = &call->args[arg].tensor;
    size_t bytes;
    if (le_tensor_count(t) == 0)
        return &nothing;
    if (t->storage && le_tensor_to_host(t) != LE_OK) /* OpenCL runs leave inputs where they are */
        return NULL;
    if (le__tensor_is_contiguous(t))
        return t->data;
    if (!le__tensor_bytes(t, &bytes))
        return NULL;
    void *packed = le_call_scratch(call, bytes);
    return packed && pack(call, packed, t) ? packed : NULL;
}

/* --- outputs --- */

static bool has_shape(const le_tensor *t, int ndim, const int64_t *shape) {
    bool same = t->ndim == ndim;
    for (int i = 0; same && i < ndim; i++)
        same = t->shape[i] == shape[i];
    return same;
}

le_status le_call_set_out(le_call *call, int arg, le_dtype dtype, int ndim, const int64_t *shape) {
    le_status status = le__shaped_will_be(call, arg, dtype, ndim);
    if (status != LE_OK)
        return status;
    le__bound_arg *b = &call->args[arg];
    const char *name = call->operation->args[arg].name;
    size_t bytes;
    bool allocated = b->given && (b->tensor.data || b->tensor.storage);
    if (allocated && has_shape(&b->tensor, ndim, shape)) { /* binding has looked at the rest */
        if (!le__tensor_is_contiguous(&b->tensor))         /* as implementations are given it */
            le__tensor_set_contiguous(&b->tensor);
        return LE_OK;
    }
    le_tensor t = le_tensor_of(NULL, b->tensor.dtype ? b->tensor.dtype : dtype, ndim, shape);
    if (!le__tensor_bytes(&t, &bytes))
        return le_fail(LE_ERR_SHAPE, "%s: output '%s' would be too large", call->operation->name,
                       name);
    if (allocated)
        return le__tensor_fail(call->operation->name, "output", name, &b->tensor, &t, "");
    b->tensor.dtype = t.dtype;
    b->tensor.ndim = ndim;
    memcpy(b->tensor.shape, t.shape, sizeof t.shape);
    le__tensor_set_contiguous(&b->tensor);
    return LE_OK;
}

static bool writes_in_place(const le__bound_arg *b) {
    const le_tensor *t = b->user_out;
    return t && t->data && !b->counted && le__tensor_is_contiguous(t) &&
           (!t->storage || le__storage_is_plain(t->storage));
}

static void drop_own_output(le__bound_arg *b) {
    if (b->own)
        le__storage_release(b->tensor.storage);
    b->own = false;
    b->tensor.storage = NULL;
    b->tensor.data = NULL;
}

static le_status prepare_output(le_call *call, le__bound_arg *b, bool host, le__outputs outputs) {
    size_t bytes;
    drop_own_output(b);
    le__tensor_set_contiguous(&b->tensor);
    b->tensor.offset = 0;
    if (outputs == LE__OUTPUTS_IN_PLACE && writes_in_place(b)) {
        b->tensor.data = b->user_out->data;
        return LE_OK;
    }
    if (!le__tensor_bytes(&b->tensor, &bytes))
        return le_fail(LE_ERR_SHAPE, "%s: an output is too large", call->operation->name);
    if (outputs >= LE__OUTPUTS_EDGED)
        return le__guard_output(call, (int)(b - call->args), bytes, outputs);
    bool touch = outputs == LE__OUTPUTS_APART && writes_in_place(b);
    le_status status = le__storage_new(&b->tensor.storage, bytes, host, touch);
    b->own = status == LE_OK;
    b->tensor.data = b->own ? b->tensor.storage->host : NULL;
    return status;
}

le_status le__call_fetch(le_call *call, le_tensor *t) {
    if (!t->storage || !le__storage_is_on_device(t->storage))
        return le_tensor_to_host(t);
    double start = le__now();
    le_status status = le_tensor_to_host(t);
    call->stats.transfer_seconds += le__now() - start;
    return status;
}

/* Room for rows that are only guessed at is not needed. */
static le_status make_output(le_call *call, size_t arg, bool host, le__outputs outputs) {
    le_status status = prepare_output(call, &call->args[arg], host, outputs);
    if (status == LE_ERR_MEMORY && le__counted_settle_for_less(call, arg))
        status = prepare_output(call, &call->args[arg], host, outputs);
    return status;
}

static le_status fail_for_room(const le_call *call, int arg) {
    const le__bound_arg *b = &call->args[arg];
    char shape[256];
    le_tensor_describe(&b->tensor, shape, sizeof shape);
    return le_fail(LE_ERR_MEMORY, "%s: there is no memory for output '%s', %s: %.1f GiB%s%s",
                   call->operation->name, call->operation->args[arg].name, shape,
                   (double)le__tensor_size(&b->tensor) / (1 << 30), b->rows_by ? "; " : "",
                   b->rows_by ? b->rows_by : "");
}

le_status le__call_prepare_tensors(le_call *call, bool host, le__outputs outputs) {
    if (call->counted)
        le__counted_make_room(call);
    if (call->step)
        return call->step->prepare(call, host);
    for (size_t i = 0; i < call->operation->n_args; i++) {
        le_arg_type type = call->operation->args[i].type;
        le__bound_arg *b = &call->args[i];
        le_status status = LE_OK;
        if (type == LE_TYPE_OUT && b->given)
            status = make_output(call, i, host, outputs);
        else if (type == LE_TYPE_IN && b->given && host && b->tensor.storage)
            status = le__call_fetch(call, &b->tensor);
        call->no_room = type == LE_TYPE_OUT && host && status == LE_ERR_MEMORY;
        if (call->no_room)
            return fail_for_room(call, (int)i);
        if (status != LE_OK)
            return status;
    }
    return LE_OK;
}

/* What was made where the caller wants it, in memory of his own, needs nothing more. */
static bool is_there(const le__bound_arg *b) {
    return !b->counted && !b->tensor.storage && !b->user_out->storage && b->tensor.data &&
           b->tensor.data == b->user_out->data;
}

static bool has_to_be_handed_over(const le_call *call, size_t i) {
    const le__bound_arg *b = &call->args[i];
    return call->operation->args[i].type == LE_TYPE_OUT && b->given && !is_there(b);
}

le_status le__call_commit(le_call *call) {
    le__output outputs[LE_MAX_ARGS];
    size_t n = 0;
    for (size_t i = 0; i < call->operation->n_args; i++) {
        le__bound_arg *b = &call->args[i];
        if (!has_to_be_handed_over(call, i))
            continue;
        bool host =
            !call->want.keep_on_device ||
            (le__is_allocated(b->user_out) && !le__replaces_on_device(&b->tensor, b->user_out));
        outputs[n++] =
            (le__output){call->operation->args[i].name, &b->tensor, b->user_out, host, b->counted};
    }
    return n ? le__outputs_hand_over(call->operation->name, outputs, n, NULL) : LE_OK;
}

static void free_argument(le__bound_arg *b) {
    if (b->own)
        drop_own_output(b);
    free(b->table);
    b->table = NULL;
}

void le__call_unbind(le_call *call) {
    for (size_t i = 0; i < call->operation->n_args; i++)
        free_argument(&call->args[i]);
    if (call->scratch)
        le__call_release_scratch(call);
    if (call->attached_release)
        call->attached_release(call->attached);
    call->attached = NULL;
    call->attached_release = NULL;
}
