/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * One run of a chain: values get memory before the step that writes them and lose it after the last
 * one that reads them; the bytes that move and the memory that lives are counted.
 */
#include "chain/state.h"

#include "core/clock.h"
#include "core/tick.h"
#include "call/engine.h"
#include "call/storage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct run {
    le_chain *chain;
    le_tensor *tensors;  /* by value; roots only */
    le_tensor *shapes;   /* by value, as they are in this run; NULL: as they were built */
    int step;            /* under way */
    le_storage **spares; /* of values that are over, for later values of the same size */
    int n_spares;
    double start, now; /* now: when the step under way began, or ended */
    int64_t to_host;   /* bytes that the step under way moved to the host */
} run;

static const le_tensor *shape_of(const run *r, int value) {
    return r->shapes ? &r->shapes[value] : &r->chain->values[value].shape;
}

/* --- memory of values --- */

le_status le__chain_wrap(le_tensor *out, const le_tensor *user, bool input) {
    size_t bytes;
    bool contiguous = le_tensor_is_contiguous(user);
    *out = *user;
    if (user->storage && contiguous) {
        le__storage_retain(user->storage);
        return LE_OK;
    }
    if (!le__tensor_bytes(user, &bytes))
        return le_fail(LE_ERR_SHAPE, "chain: a tensor is too large");
    out->offset = 0;
    le__tensor_set_contiguous(out);
    if (contiguous)
        return le__storage_borrow(&out->storage, user->data, bytes, input);
    le_tensor from = *user;
    le_status status = input ? le_tensor_to_host(&from) : LE_OK;
    out->storage = NULL;
    if (status == LE_OK)
        status = le__storage_new(&out->storage, bytes, input, false);
    if (status == LE_OK && input)
        le__tensor_pack(out->storage->host, &from);
    return status;
}

/* The chain's only output, written whole by its last step, and not in a race, which runs a step
 * several times. */
bool le__chain_may_write_out(const le_chain *c, int root) {
    if (c->want.mode == LE_MODE_MEASURE || c->values[root].dynamic)
        return false;
    for (int i = 0; i < c->n_values; i++)
        if (c->values[i].output && i != root)
            return false;
    for (int s = 0; s < c->n_steps; s++)
        for (size_t a = 0; a < c->steps[s]->entry->operation->n_args; a++) {
            int v = c->steps[s]->values[a];
            if (v >= 0 && c->steps[s]->entry->operation->args[a].type == LE_TYPE_OUT &&
                c->values[v].root == root && (v != root || s != c->n_steps - 1))
                return false;
        }
    return true;
}

/* Downloads if needed and adds the bytes to *moved. */
static le_status to_host(le_tensor *t, int64_t *moved) {
    if (le__storage_is_on_device(t->storage))
        *moved += (int64_t)t->storage->bytes;
    return le_tensor_to_host(t);
}

static void forget_contents(le_storage *s) {
    pthread_mutex_lock(&s->mutex);
    s->host_valid = false;
    for (le__device_copy *c = s->copies; c; c = c->next)
        c->valid = false;
    pthread_mutex_unlock(&s->mutex);
}

static le_storage *take_spare(run *r, size_t bytes, bool host) {
    for (int i = 0; i < r->n_spares; i++) {
        le_storage *s = r->spares[i];
        if (s->bytes != bytes || host != (s->host != NULL))
            continue;
        r->spares[i] = r->spares[--r->n_spares];
        forget_contents(s);
        return s;
    }
    return NULL;
}

static le_status give_memory(run *r, int root, const le_tensor *shape, bool host) {
    le_tensor *t = &r->tensors[root];
    size_t bytes;
    if (t->storage)
        return LE_OK;
    *t = *shape;
    if (!le__tensor_bytes(t, &bytes))
        return le_fail(LE_ERR_SHAPE, "chain '%s': a value is too large", r->chain->name);
    t->storage = take_spare(r, bytes, host);
    return t->storage ? LE_OK : le__storage_new(&t->storage, bytes, false, false);
}

/* For the rows of a counted value; an earlier run of its step may have made room for fewer. */
static le_status give_room(run *r, int root, const le_tensor *shape, bool host) {
    le_tensor *t = &r->tensors[root];
    size_t bytes;
    if (t->storage && le__tensor_bytes(shape, &bytes) && bytes > t->storage->bytes) {
        le__storage_release(t->storage);
        t->storage = NULL;
    }
    if (t->storage)
        t->shape[0] = shape->shape[0];
    return give_memory(r, root, shape, host);
}

/* Whether a value still to come has the same size. */
static bool wanted_again(const run *r, int root, int step) {
    const le_chain *c = r->chain;
    for (int i = 0; i < c->n_values; i++)
        if (c->values[i].root == i && c->values[i].last_step > step && !r->tensors[i].storage &&
            le__tensor_size(shape_of(r, i)) == (int64_t)r->tensors[root].storage->bytes)
            return true;
    return false;
}

static void end_values(run *r, int step) {
    const le_chain *c = r->chain;
    for (int i = 0; i < c->n_values; i++) {
        const le__chain_value *v = &c->values[i];
        if (v->root != i || v->last_step != step || v->role != LE__VALUE_TEMP || v->output ||
            !r->tensors[i].storage)
            continue;
        if (wanted_again(r, i, step))
            r->spares[r->n_spares++] = r->tensors[i].storage;
        else
            le__storage_release(r->tensors[i].storage);
        r->tensors[i].storage = NULL;
    }
}

static void count_storage(le_storage *s, int64_t *host, int64_t *device) {
    pthread_mutex_lock(&s->mutex);
    if (s->host && !s->borrowed)
        *host += (int64_t)s->bytes;
    for (le__device_copy *c = s->copies; c; c = c->next)
        *device += (int64_t)s->bytes;
    pthread_mutex_unlock(&s->mutex);
}

static void count_memory(run *r, const le__run_stats *step) {
    le_chain_report *report = &r->chain->report;
    int64_t host = step->peak_scratch_bytes, device = 0;
    for (int i = 0; i < r->chain->n_values; i++)
        if (r->tensors[i].storage)
            count_storage(r->tensors[i].storage, &host, &device);
    for (int i = 0; i < r->n_spares; i++)
        count_storage(r->spares[i], &host, &device);
    if (host > report->peak_host_bytes)
        report->peak_host_bytes = host;
    if (device > report->peak_device_bytes)
        report->peak_device_bytes = device;
}

/* Makes room as planned: the value's newest copy is brought to the host before it is dropped. */
static le_status make_room(run *r, int step) {
    const le_chain *c = r->chain;
    for (int i = 0; i < c->n_drops; i++) {
        const le__drop *d = &c->drops[i];
        le_tensor *t = &r->tensors[d->value];
        if (d->step != step || !t->storage)
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
    *out = *shape_of(r, s->values[arg]);
    if (counted)
        out->shape[0] = rows;
    le_status status = counted ? give_room(r, v->root, out, host)
                               : give_memory(r, v->root, shape_of(r, v->root), host);
    if (status != LE_OK) {
        out->storage = NULL;
        return status;
    }
    out->storage = r->tensors[v->root].storage;
    out->offset += r->tensors[v->root].offset;
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
    void *memory;
    bool discard = covers_its_storage(out);
    if (!discard && le__storage_is_on_device(out->storage))
        r->to_host += (int64_t)out->storage->bytes;
    status = le__storage_host(out->storage, true, discard, &memory);
    if (status == LE_OK)
        out->data = (char *)memory + out->offset * (int64_t)le_dtype_size(out->dtype);
    return status;
}

static bool has_own_memory(const run *r, const le__chain_step *s, size_t arg) {
    const le__bound_arg *b = &s->call.args[arg];
    return b->tensor.storage &&
           b->tensor.storage != r->tensors[r->chain->values[s->values[arg]].root].storage;
}

/* Brings a strided output to its place in the value. */
static le_status unpack_output(run *r, const le__chain_step *s, size_t arg, bool succeeded) {
    const le__chain_value *v = &r->chain->values[s->values[arg]];
    le_tensor from = s->call.args[arg].tensor, to = v->shape;
    le_status status = succeeded ? to_host(&from, &r->to_host) : LE_OK;
    if (succeeded && status == LE_OK) {
        void *memory;
        to.offset += r->tensors[v->root].offset;
        status = le__storage_host(r->tensors[v->root].storage, true, false, &memory);
        if (status == LE_OK) {
            to.data = (char *)memory + to.offset * (int64_t)le_dtype_size(to.dtype);
            le__tensor_unpack(&to, from.data);
        }
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
        r->shapes[v] = le_tensor_of(NULL, b->tensor.dtype, b->tensor.ndim, b->tensor.shape);
        r->tensors[v].shape[0] = b->tensor.shape[0];
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
        status = le__chain_bind_again(c, i, r->shapes);
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
    count_memory(r, stats);
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
    run r = {.chain = c, .tensors = tensors, .start = start, .now = start};
    le_status status = make_reports(c);
    c->aside = c->transfer_seconds = 0;
    r.spares = calloc((size_t)c->n_values + 1, sizeof(le_storage *));
    r.shapes = c->dynamic ? le__chain_shapes(c) : NULL;
    if (!r.spares || (c->dynamic && !r.shapes))
        status = le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", c->name);
    for (int i = 0; status == LE_OK && i < c->n_steps; i++) {
        status = run_step_of(&r, i);
        end_values(&r, i);
    }
    for (int i = 0; i < r.n_spares; i++)
        le__storage_release(r.spares[i]);
    for (int i = 0; i < c->n_values; i++) {
        const le__chain_value *v = &c->values[i];
        if (status != LE_OK && v->role == LE__VALUE_TEMP && !v->output) {
            le__storage_release(tensors[i].storage);
            tensors[i].storage = NULL;
        }
    }
    free(r.spares);
    free(r.shapes);
    c->report.seconds = r.now - r.start;
    if (status == LE_OK && !c->beside)
        le__chain_remember(c, r.now);
    pthread_mutex_lock(&c->engine->chains->mutex);
    c->engine->chains->answered_s += status == LE_OK ? c->report.seconds : 0;
    pthread_mutex_unlock(&c->engine->chains->mutex);
    return status;
}
