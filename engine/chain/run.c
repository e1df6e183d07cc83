/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * One run of a chain: its steps in order, their arguments brought to where they run, the bytes that
 * move counted.
 */
#include "chain/run_memory.h"
#include "chain/state.h"

#include "core/clock.h"
#include "core/tick.h"
#include "call/engine.h"
#include "call/storage.h"

#include <stdlib.h>
#include <string.h>

typedef struct run {
    le_chain *chain;
    le__run_memory memory; /* of its values */
    int step;              /* under way */
    int n_dropped;         /* of the chain's drops, which are in the order of steps */
    double start, now;     /* now: when the step under way began, or ended */
    int64_t to_host;       /* bytes that the step under way moved to the host */
} run;

/* Downloads if needed and adds the bytes to *moved. */
static le_status to_host(le_tensor *t, int64_t *moved) {
    if (le__storage_is_on_device(t->storage))
        *moved += (int64_t)t->storage->bytes;
    return le_tensor_to_host(t);
}

/* Makes room as planned: the value's newest copy is brought to the host before it is dropped. */
static le_status make_room(run *r, int step) {
    const le_chain *c = r->chain;
    for (; r->n_dropped < c->n_drops && c->drops[r->n_dropped].step <= step; r->n_dropped++) {
        const le__drop *d = &c->drops[r->n_dropped];
        le_tensor *t = &r->memory.tensors[d->value];
        if (!t->storage)
            continue;
        le_status status = d->device ? to_host(t, &r->to_host) : LE_OK;
        if (status != LE_OK)
            return status;
        le__storage_drop(t->storage, d->device ? c->engine->devices[d->device].cl : NULL);
    }
    return LE_OK;
}

/* --- one step --- */

static bool covers_its_storage(const le_tensor *t) {
    size_t bytes;
    return le__tensor_bytes(t, &bytes) && bytes == t->storage->bytes;
}

/* Where a step's argument lies. A strided output gets memory of its own, unpacked afterwards. */
static le_status place(run *r, const le__chain_step *s, size_t arg, bool host, le_tensor *out) {
    const le__chain_value *v = &r->chain->values[s->values[arg]];
    bool output = s->entry->operation->args[arg].type == LE_TYPE_OUT;
    bool counted = s->call.args[arg].counted;
    int64_t rows = s->call.args[arg].rows;
    size_t bytes;
    *out = *le__run_shape_of(&r->memory, s->values[arg]);
    if (counted)
        out->shape[0] = rows;
    le_status status =
        counted ? le__run_memory_give_room(&r->memory, v->root, out, host)
                : le__run_memory_give(&r->memory, v->root,
                                      le__run_shape_of(&r->memory, v->root), host);
    if (status != LE_OK) {
        out->storage = NULL;
        return status;
    }
    out->storage = r->memory.tensors[v->root].storage;
    out->offset += r->memory.tensors[v->root].offset;
    if (v->role == LE__VALUE_INPUT && v->parent < 0) /* which may be a view of the caller's */
        memcpy(out->strides, r->memory.tensors[v->root].strides, sizeof out->strides);
    if (output && !le_tensor_is_contiguous(out)) {
        le__tensor_set_contiguous(out);
        out->offset = 0;
        out->storage = NULL;
        status = le__tensor_bytes(out, &bytes) ? le__storage_new(&out->storage, bytes, false, false)
                                               : LE_ERR_SHAPE;
        if (status != LE_OK)
            return status;
    }
    if (!host && (output || le_tensor_is_contiguous(out)))
        return LE_OK;
    if (!output)
        return to_host(out, &r->to_host);
    bool discard = covers_its_storage(out);
    if (!discard && le__storage_is_on_device(out->storage))
        r->to_host += (int64_t)out->storage->bytes;
    return le__tensor_for_writing(out, discard);
}

static bool has_own_memory(const run *r, const le__chain_step *s, size_t arg) {
    const le__bound_arg *b = &s->call.args[arg];
    return b->tensor.storage &&
           b->tensor.storage != r->memory.tensors[r->chain->values[s->values[arg]].root].storage;
}

/* Brings a strided output to its place in the value. */
static le_status unpack_output(run *r, const le__chain_step *s, size_t arg, bool succeeded) {
    const le__chain_value *v = &r->chain->values[s->values[arg]];
    le_tensor from = s->call.args[arg].tensor, to = v->shape;
    le_status status = succeeded ? to_host(&from, &r->to_host) : LE_OK;
    if (succeeded && status == LE_OK) {
        to.offset += r->memory.tensors[v->root].offset;
        to.storage = r->memory.tensors[v->root].storage;
        status = le__tensor_for_writing(&to, false);
        if (status == LE_OK)
            le__tensor_unpack(&to, from.data);
    }
    le__storage_release(from.storage);
    r->now = le__now();
    return status;
}

/* Brings strided outputs to their places, if the step has succeeded. */
static le_status end_outputs(run *r, le__chain_step *s, bool succeeded) {
    le_status status = LE_OK;
    for (size_t a = 0; a < s->entry->operation->n_args; a++) {
        if (s->values[a] < 0)
            continue;
        if (has_own_memory(r, s, a)) {
            le_status last = unpack_output(r, s, a, succeeded && status == LE_OK);
            status = status == LE_OK ? last : status;
        }
        s->call.args[a].tensor.storage = NULL;
    }
    return status;
}

static le_status prepare(le_call *call, bool host) {
    run *r = call->step_of;
    le__chain_step *s = r->chain->steps[r->step];
    bool may_move = call->engine->n_devices > 1;
    double start = may_move ? le__now() : 0;
    int64_t before = r->to_host;
    le_status status = end_outputs(r, s, false); /* of a run before, which failed or was a race's */
    for (size_t a = 0; status == LE_OK && a < s->entry->operation->n_args; a++)
        if (s->values[a] >= 0)
            status = place(r, s, a, host, &s->call.args[a].tensor);
    if (may_move && r->to_host > before)
        call->stats.transfer_seconds += le__now() - start;
    return status;
}

/* What the step counted is how long its values are from now on. */
static void note_counts(run *r, const le__chain_step *s) {
    for (size_t a = 0; a < s->entry->operation->n_args; a++) {
        const le__bound_arg *b = &s->call.args[a];
        int v = s->values[a];
        if (v < 0 || !b->counted)
            continue;
        r->memory.shapes[v] = le_tensor_of(NULL, b->tensor.dtype, b->tensor.ndim, b->tensor.shape);
        r->memory.tensors[v].shape[0] = b->tensor.shape[0];
    }
}

const le__placing le__step_placing = {.prepare = prepare, .view = le__step_view};

static le_status run_step(run *r, int i) {
    le_chain *c = r->chain;
    le_step_report *report = &c->step_reports[i];
    double start = r->now;
    r->to_host = 0;
    le_status status = make_room(r, i);
    if (c->n_drops)
        r->now = le__now();
    le__chain_step *s = c->steps[i];
    if (s->dynamic && status == LE_OK)
        status = le__chain_bind_again(c, i, r->memory.shapes);
    if (status != LE_OK)
        return status;
    r->step = i;
    s->call.step_of = r;
    for (size_t a = 0; a < s->entry->operation->n_args; a++)
        if (s->values[a] >= 0)
            s->call.args[a].tensor.storage = NULL;
    status = le__step_answer(c, i, &r->now);
    if (status == LE_OK && c->dynamic)
        note_counts(r, s);
    le_status last = end_outputs(r, s, status == LE_OK);
    status = status == LE_OK ? last : status;
    const le__run_stats *stats = &s->call.stats;
    const le__candidate *by = c->choices[i].own   ? c->choices[i].own
                              : c->choices[i].arm ? &c->choices[i].arm->candidate
                                                  : NULL;
    *report = (le_step_report){.operation = c->steps[i]->entry->operation->name,
                               .start_s = start - r->start,
                               .seconds = r->now - start,
                               .kernel_seconds = stats->kernel_seconds,
                               .bytes_to_device = stats->bytes_to_device,
                               .bytes_from_device = stats->bytes_from_device + r->to_host};
    if (by)
        memcpy(report->candidate, by->text, sizeof by->text);
    c->transfer_seconds += stats->transfer_seconds;
    c->report.bytes_to_device += report->bytes_to_device;
    c->report.bytes_from_device += report->bytes_from_device;
    le__run_memory_count(&r->memory, i, stats->peak_scratch_bytes);
    return status;
}

/* Steps are taken as equally long, for what is shown of the run's progress. */
static le_status run_step_of(run *r, int i) {
    le__ticker *t = le__ticker_here();
    double n = r->chain->n_steps;
    le__ticker_part whole = le__ticker_narrow(t, i / n, (i + 1) / n);
    le_status status = le__ticker_look(t, 0) ? run_step(r, i) : le__ticker_fail(r->chain->name);
    le__ticker_widen(t, whole);
    return status;
}

/* --- the run --- */

static le_status make_reports(le_chain *c) {
    if (!c->step_reports)
        c->step_reports = calloc((size_t)(c->n_steps ? c->n_steps : 1), sizeof *c->step_reports);
    if (!c->step_reports)
        return le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", c->name);
    c->report = (le_chain_report){.n_steps = (size_t)c->n_steps, .steps = c->step_reports};
    return LE_OK;
}

le_status le__chain_execute(le_chain *c, le_tensor *tensors) {
    double start = le__now();
    run r = {.chain = c, .start = start, .now = start};
    le_status status = make_reports(c);
    c->aside = c->transfer_seconds = 0;
    le_status opened = le__run_memory_open(&r.memory, c, tensors);
    status = status == LE_OK ? opened : status;
    for (int i = 0; status == LE_OK && i < c->n_steps; i++) {
        status = run_step_of(&r, i);
        le__run_memory_end_values(&r.memory, i);
    }
    le__run_memory_close(&r.memory);
    for (int i = 0; i < c->n_values; i++) {
        const le__chain_value *v = &c->values[i];
        if (status != LE_OK && v->role == LE__VALUE_TEMP && !v->output) {
            le__storage_release(tensors[i].storage);
            tensors[i].storage = NULL;
        }
    }
    c->report.seconds = r.now - r.start;
    c->has_answered = c->has_answered || status == LE_OK;
    if (status == LE_OK && !c->beside)
        le__chain_remember(c, r.now);
    pthread_mutex_lock(&c->engine->chains->mutex);
    c->engine->chains->answered_s += status == LE_OK ? c->report.seconds : 0;
    pthread_mutex_unlock(&c->engine->chains->mutex);
    return status;
}
