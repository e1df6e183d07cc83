/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Working a call off in slabs.
 */
#include "chain/slabs.h"

#include "chain/append.h"
#include "chain/flights.h"
#include "chain/merge.h"
#include "chain/slab_parts.h"
#include "core/blocks.h"
#include "core/os.h"
#include "core/tick.h"
#include "call/counted.h"
#include "call/outputs.h"
#include "call/storage.h"
#include "trial/trial_server.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef bool (*cut_fn)(const le_call *call, le_slabs *out);

struct job;

typedef struct flight { /* a slab under way */
    struct job *job;
    le_chain *chain; /* for slabs of chain_items */
    int64_t chain_items;
    le_tensor frames[LE_SOURCE_PARTS]; /* of the source; their memory is used again */
    le_tensor results[LE_MAX_ARGS];    /* outputs of one slab */
    le_slab_range range;
    le_tensor inputs[LE_MAX_ARGS]; /* that are cut; gathered where the slab wraps */
} flight;

typedef struct job {
    le_call *call;
    const le_operation *op;
    le_slabs slabs;
    const char *device;
    int64_t limit;
    int source_arg; /* -1: none */
    le_source *source;
    int64_t items;                /* of a slab */
    bool tiled;                   /* a slab of so few items does not fit either: in tiles */
    le_tensor whole[LE_MAX_ARGS]; /* inputs that every slab needs, with a storage of their own */
    le_tensor made[LE_MAX_ARGS];  /* outputs that are cut, put together; the call's own memory
                                     unless that is the caller's */
    le__merged merged[LE_MAX_ARGS];
    le__appended appended[LE_MAX_ARGS]; /* counted outputs */
    flight flights[LE__FLIGHTS];
    le__flights under_way; /* its mutex guards the source and the call's statistics, too */
} job;

static bool is_in(const job *j, size_t a) {
    return j->op->args[a].type == LE_TYPE_IN && j->call->args[a].given;
}

static bool is_out(const job *j, size_t a) {
    return j->op->args[a].type == LE_TYPE_OUT && j->call->args[a].given;
}

static bool is_counted(const job *j, size_t a) {
    return is_out(j, a) && j->call->args[a].counted;
}

static bool is_cut_list(const job *j, size_t a) {
    return j->op->args[a].type == LE_TYPE_F64S && j->call->args[a].given && j->slabs.args[a].axis;
}

/* An argument that is no tensor, as a slab has it. */
static le_arg pass(const job *j, size_t a, const le_slab_range *r) {
    le_arg arg = le_chain_pass(j->call, (int)a, j->op->args[a].name);
    if (is_cut_list(j, a)) {
        int64_t first = le_slab_elements(&j->slabs, a, r->low);
        arg.value.f64s += first;
        arg.count = (size_t)(le_slab_elements(&j->slabs, a, r->high) - first);
    }
    return arg;
}

/* --- the chain of one step --- */

enum { MOST_WISHES = 3 };

/* What the whole call wants of every answer; returns how many options it took. */
static size_t add_wishes(const job *j, le_arg to[MOST_WISHES]) {
    size_t n = le__tolerance_options(&j->call->want, to);
    if (j->call->want.reproducible)
        to[n++] = LE_OPT_REPRODUCIBLE();
    return n;
}

static le_status add_step(const job *j, le_chain *chain, const le_slab_range *r) {
    le_arg args[LE_MAX_ARGS + MOST_WISHES];
    le_value values[LE_MAX_ARGS];
    const size_t n = j->op->n_args;
    for (size_t a = 0; a < n; a++) {
        const le_tensor *t = &j->call->args[a].tensor;
        const le_tensor shape = is_out(j, a) ? le__slab_made(&j->slabs, a, t, r)
                                             : le__slab_part(&j->slabs, a, t, 0, r->high - r->low);
        values[a] = LE_VALUE_NONE;
        if (is_in(j, a)) {
            values[a] =
                le_chain_input(chain, j->op->args[a].name, shape.dtype, shape.ndim, shape.shape);
            args[a] = LE_VALUE_IN(j->op->args[a].name, values[a]);
        } else if (is_out(j, a)) {
            values[a] = le_chain_temp_of(chain, shape.dtype, shape.ndim, shape.shape);
            args[a] = LE_VALUE_OUT(j->op->args[a].name, values[a]);
        } else if (j->op->args[a].type == LE_TYPE_IN || j->op->args[a].type == LE_TYPE_OUT) {
            args[a] = (le_arg){0};
        } else {
            args[a] = pass(j, a, r);
        }
    }
    le__chain_add_step(chain, j->call->entry, args, n + add_wishes(j, args + n));
    for (size_t a = 0; a < n; a++)
        if (is_out(j, a))
            le_chain_output(chain, j->op->args[a].name, values[a]);
    return le_chain_status(chain);
}

/* Lists are part of a chain: one that is cut makes another chain of each slab. */
static bool serves(const flight *f, int64_t items) {
    bool any = f->chain && f->chain_items == items;
    for (size_t a = 0; any && a < f->job->op->n_args; a++)
        any = !is_cut_list(f->job, a);
    return any;
}

static le_status ready_chain(flight *f, const le_slab_range *r) {
    const job *j = f->job;
    if (serves(f, r->high - r->low))
        return LE_OK;
    le_chain_free(&f->chain);
    le_status status = le__chain_new(&f->chain, j->call->engine, j->op->name);
    f->chain_items = r->high - r->low;
    return status == LE_OK ? add_step(j, f->chain, r) : status;
}

/* --- outputs --- */

static le_status append(job *j, size_t a, const le_tensor *rows, const le_slab_range *r) {
    int32_t scale = j->slabs.args[a].scale;
    const le__slab slab = {.low = r->low,
                           .begin = r->begin,
                           .end = r->end,
                           .halo = j->slabs.halo > 0,
                           .places = j->slabs.args[a].places,
                           .scale = scale ? scale : 1};
    return le__append(&j->appended[a], rows, &slab);
}

/* Where a slab's result goes at once: no halo is to be cut off, and it lies as the step writes it.
 */
static bool writes_through(const job *j, size_t a, const le_slab_range *r) {
    le_tensor to = le__slab_part(&j->slabs, a, &j->made[a], r->begin, r->end);
    return j->slabs.args[a].axis && le__slab_makes_wanted(&j->slabs, r) &&
           le_tensor_is_contiguous(&to);
}

/* A slab's own part of a result goes to its place. */
static le_status put_result(const job *j, size_t a, const le_tensor *result,
                            const le_slab_range *r) {
    le_tensor to = le__slab_part(&j->slabs, a, &j->made[a], r->begin, r->end);
    le_tensor core = le__slab_part(&j->slabs, a, result, r->begin - r->low, r->end - r->low);
    return le__slab_copy(j->op->name, &to, &core);
}

/* --- one slab --- */

typedef struct arguments {
    le_arg list[2 * LE_MAX_ARGS + 2 + MOST_WISHES];
    le_tensor parts[LE_MAX_ARGS];
    size_t n;
} arguments;

/* Where an output of the slab is written: through, or a tensor of its own. That of tiles has the
 * call's dtype, which the operation would not choose for every call. */
static le_status make_result(flight *f, size_t a, bool through) {
    const job *j = f->job;
    if (through)
        return LE_OK;
    le_tensor_free(&f->results[a]);
    if (!j->tiled || is_counted(j, a) || !j->slabs.args[a].axis)
        return LE_OK;
    const le_tensor shape = le__slab_made(&j->slabs, a, &j->call->args[a].tensor, &f->range);
    return le_tensor_alloc(&f->results[a], shape.dtype, shape.ndim, shape.shape);
}

static le_status take_input(flight *f, size_t a, const le_slab_range *r, le_tensor *out) {
    const job *j = f->job;
    le_tensor_free(&f->inputs[a]);
    le_status status = le_slab_input(&j->slabs, a, &j->call->args[a].tensor, r, &f->inputs[a]);
    *out = f->inputs[a];
    return status;
}

static le_status make_arguments(flight *f, const le_slab_range *r, arguments *to) {
    const job *j = f->job;
    le_status status = LE_OK;
    to->n = 0;
    for (size_t a = 0; status == LE_OK && a < j->op->n_args; a++) {
        const char *name = j->op->args[a].name;
        if (is_in(j, a)) {
            to->parts[a] = (int)a == j->source_arg ? f->frames[0] : j->whole[a];
            if ((int)a != j->source_arg && j->slabs.args[a].axis)
                status = take_input(f, a, r, &to->parts[a]);
            to->list[to->n++] = LE_IN(name, &to->parts[a]);
        } else if (is_out(j, a)) {
            bool through = writes_through(j, a, r);
            to->parts[a] = through ? le__slab_part(&j->slabs, a, &j->made[a], r->begin, r->end)
                                   : (le_tensor){0};
            status = make_result(f, a, through);
            to->list[to->n++] = LE_OUT(name, through ? &to->parts[a] : &f->results[a]);
        }
    }
    if (j->device)
        to->list[to->n++] = LE_OPT_DEVICE(j->device);
    to->list[to->n++] = LE_OPT_MODE(j->call->want.mode);
    return status;
}

static void add_stats(job *j, const le__run_stats *s) {
    le__run_stats *to = &j->call->stats;
    pthread_mutex_lock(&j->under_way.mutex);
    to->bytes_to_device += s->bytes_to_device;
    to->bytes_from_device += s->bytes_from_device;
    to->kernel_seconds += s->kernel_seconds;
    pthread_mutex_unlock(&j->under_way.mutex);
}

static le_status run_chain(flight *f, const le_slab_range *r, const arguments *a) {
    le_status status = ready_chain(f, r);
    if (status != LE_OK)
        return status;
    f->chain->beside = f->job->under_way.beside;
    status = le__chain_run(f->chain, a->list, a->n);
    const le_chain_report *report = &f->chain->report;
    if (status == LE_OK)
        add_stats(f->job, &(le__run_stats){.bytes_to_device = report->bytes_to_device,
                                           .bytes_from_device = report->bytes_from_device,
                                           .kernel_seconds = report->steps[0].kernel_seconds});
    return status;
}

static le_status work_off(le_call *call, cut_fn cut, const char *device, int64_t limit,
                          int source_arg, le_source *source);

/* The slab as a call of its own, cut the other way. */
static le_status run_tiles(job *j, const le_slab_range *r, arguments *a) {
    le_call sub;
    for (size_t i = 0; i < j->op->n_args; i++) {
        le_arg_type type = j->op->args[i].type;
        if (type != LE_TYPE_IN && type != LE_TYPE_OUT && j->call->args[i].given)
            a->list[a->n++] = pass(j, i, r);
    }
    a->n += add_wishes(j, a->list + a->n);
    le_status status = le__call_bind(&sub, j->call->engine, j->call->entry, a->list, a->n);
    if (status != LE_OK)
        return status;
    status = le__call_prepare_tensors(&sub, true, LE__OUTPUTS_IN_PLACE);
    if (status == LE_OK)
        status = work_off(&sub, j->op->tiles, j->device, j->limit, -1, NULL);
    if (status == LE_OK)
        status = le__call_commit(&sub);
    if (status == LE_OK)
        add_stats(j, &sub.stats);
    le__call_unbind(&sub);
    return status;
}

static le_status run_slab(void *cookie, int flying) {
    job *j = cookie;
    flight *f = &j->flights[flying];
    const le_slab_range *r = &f->range;
    const double items = (double)j->slabs.items;
    arguments a;
    le_status status = make_arguments(f, r, &a);
    if (status != LE_OK)
        return status;
    le__ticker *t = le__ticker_here();
    le__ticker_part whole = le__ticker_narrow(t, (double)r->begin / items, (double)r->end / items);
    status = j->tiled ? run_tiles(j, r, &a) : run_chain(f, r, &a);
    le__ticker_widen(t, whole);
    for (size_t i = 0; status == LE_OK && i < j->op->n_args; i++)
        if (is_out(j, i) && j->slabs.args[i].axis && !writes_through(j, i, r))
            status = put_result(j, i, &f->results[i], r);
    return status;
}

/* --- slabs under way --- */

/* With its frames. */
static le_status begin_slab(void *cookie, int flying, int64_t number, bool *any) {
    job *j = cookie;
    flight *f = &j->flights[flying];
    int64_t begin = number * j->items, end = begin + j->items;
    *any = begin < j->slabs.items;
    if (!*any)
        return LE_OK;
    if (!le__ticker_look(le__ticker_here(), NAN))
        return le__ticker_fail(j->op->name);
    end = end < j->slabs.items ? end : j->slabs.items;
    const le_slab_range r = le_slab_range_of(&j->slabs, begin, end);
    if (j->limit > 0 && r.high - r.low != f->range.high - f->range.low) {
        le__blocks_trim(); /* slabs of this size have no use for what is kept of others */
        le__os_trim();
    }
    f->range = r;
    return j->source ? j->source->next(j->source, r.high - r.low, f->frames) : LE_OK;
}

/* In order, so that sums do not depend on which was ready first. */
static le_status end_slab(void *cookie, int flying, int64_t number) {
    job *j = cookie;
    const flight *f = &j->flights[flying];
    const le_slab_range *r = &f->range;
    le_status status = LE_OK;
    (void)number;
    for (size_t a = 0; status == LE_OK && a < j->op->n_args; a++)
        if (is_counted(j, a))
            status = append(j, a, &f->results[a], r);
        else if (is_out(j, a) && !j->slabs.args[a].axis)
            le__merged_add(&j->merged[a], &f->results[a],
                           (double)(r->end - r->begin) / (double)j->slabs.items);
    return status;
}

static bool has_many(const void *cookie) {
    const job *j = cookie;
    return j->slabs.items > 2 * j->items;
}

static const le__flight_kind slab_flights = {begin_slab, run_slab, end_slab, has_many};

/* --- the whole --- */

/* Items in a slab such that the tensors of so many slabs fit the limit; -1 when not even the
 * smallest slabs do. */
static int64_t slab_items(const job *j, int flights) {
    int64_t multiple = j->slabs.multiple > 0 ? j->slabs.multiple : 1, items = j->slabs.items;
    double cut = 0, whole = 0, limit = (double)j->limit;
    for (size_t a = 0; a < j->op->n_args; a++)
        if (is_in(j, a) || is_out(j, a))
            *(j->slabs.args[a].axis ? &cut : &whole) +=
                (double)le__tensor_size(&j->call->args[a].tensor) *
                (j->slabs.wraps && is_in(j, a) ? 2 : 1); /* gathered */
    double fit = limit > 0 ? (limit - whole) / flights * (double)items / (cut > 1 ? cut : 1) -
                                 2 * (double)j->slabs.halo
                           : ceil((double)items / 4);
    if (limit > 0 && fit < (double)multiple)
        return -1;
    int64_t n = fit < (double)items ? (int64_t)fit : items;
    n = n / multiple * multiple;
    return n > 0 ? n : multiple;
}

/* Sizes slabs; one at a time when two do not fit, and tiles when one does not. */
static le_status plan_slabs(job *j, cut_fn cut, int *flights) {
    le_slabs tiles = {0};
    j->items = slab_items(j, *flights);
    if (j->items < 0)
        j->items = slab_items(j, *flights = 1);
    if (j->items > 0)
        return LE_OK;
    j->tiled = cut != j->op->tiles && j->op->tiles && !j->source && j->op->tiles(j->call, &tiles);
    j->items = j->slabs.multiple > 0 ? j->slabs.multiple : 1;
    return j->tiled ? LE_OK
                    : le_fail(LE_ERR_MEMORY, "%s: not even one slab fits into %lld bytes",
                              j->op->name, (long long)j->limit);
}

/* Rows of a halo are told from others by their places. */
static le_status check_append(const job *j, size_t a) {
    bool counted = is_counted(j, a), whole = !j->slabs.args[a].axis;
    bool known = j->slabs.args[a].places || !j->slabs.halo;
    bool appended = whole && j->slabs.args[a].merge == LE_MERGE_APPEND && known;
    return counted == appended
               ? LE_OK
               : le_fail(LE_ERR_INTERNAL, "%s: rows of output '%s' cannot be appended", j->op->name,
                         j->op->args[a].name);
}

static le_status begin_merge(job *j, size_t a) {
    const le_merge how = (le_merge)j->slabs.args[a].merge;
    if (j->slabs.halo && how != LE_MERGE_APPEND)
        return le_fail(LE_ERR_INTERNAL, "%s: output '%s' would be merged with its halo",
                       j->op->name, j->op->args[a].name);
    return how == LE_MERGE_APPEND ? check_append(j, a)
                                  : le__merged_begin(&j->merged[a], how, &j->call->args[a].tensor,
                                                     j->op->name, j->op->args[a].name);
}

static le_status check_list(const job *j, size_t a) {
    int64_t count = (int64_t)j->call->args[a].count;
    return count == le_slab_elements(&j->slabs, a, j->slabs.items)
               ? LE_OK
               : le_fail(LE_ERR_INTERNAL,
                         "%s: list '%s' of %lld numbers is not cut into %lld items", j->op->name,
                         j->op->args[a].name, (long long)count, (long long)j->slabs.items);
}

static le_status prepare(job *j) {
    for (size_t a = 0; a < j->op->n_args; a++) {
        le_tensor *t = &j->call->args[a].tensor;
        le_status status = is_cut_list(j, a) ? check_list(j, a) : LE_OK;
        if (is_in(j, a) && (int)a != j->source_arg) {
            if (j->slabs.args[a].axis)
                status = le_tensor_to_host(t);
            else
                status = le__chain_wrap(&j->whole[a], t, true);
        } else if (is_counted(j, a)) {
            status = check_append(j, a);
        } else if (is_out(j, a) && !j->slabs.args[a].axis) {
            status = begin_merge(j, a);
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

static le_status take_appended(job *j) {
    le_status status = LE_OK;
    for (size_t a = 0; status == LE_OK && a < j->op->n_args; a++) {
        le_tensor rows = {0};
        if (!is_counted(j, a))
            continue;
        status = le__appended_rows(&j->appended[a], &j->call->args[a].tensor, &rows);
        if (status == LE_OK)
            status = le__counted_take(j->call, a, &rows);
        le_tensor_free(&rows);
    }
    return status;
}

static le_status hand_over(job *j) {
    le__output outputs[LE_MAX_ARGS];
    size_t n = 0;
    for (size_t a = 0; a < j->op->n_args; a++)
        if (is_out(j, a) && j->slabs.args[a].axis)
            outputs[n++] = (le__output){j->op->args[a].name, &j->made[a], &j->call->args[a].tensor,
                                        true, false};
    le_status status = le__outputs_hand_over(j->op->name, outputs, n, NULL);
    for (size_t a = 0; status == LE_OK && a < j->op->n_args; a++)
        if (j->merged[a].numbers)
            le__merged_put(&j->merged[a], &j->call->args[a].tensor);
    return status;
}

static void finish(job *j) {
    for (size_t a = 0; a < j->op->n_args; a++) {
        if (j->made[a].storage != j->call->args[a].tensor.storage)
            le_tensor_free(&j->made[a]);
        free(j->merged[a].numbers);
        free(j->appended[a].rows);
        for (int i = 0; i < LE__FLIGHTS; i++) {
            le_tensor_free(&j->flights[i].results[a]);
            le_tensor_free(&j->flights[i].inputs[a]);
        }
        le__storage_release(j->whole[a].storage);
    }
    for (int i = 0; i < LE__FLIGHTS; i++) {
        le_chain_free(&j->flights[i].chain);
        for (int p = 0; p < LE_SOURCE_PARTS; p++)
            le_tensor_free(&j->flights[i].frames[p]);
    }
    le__flights_close(&j->under_way);
}

static le_status check_source(const job *j) {
    if (j->source && j->slabs.halo)
        return le_fail(LE_ERR_UNSUPPORTED,
                       "%s: frames need their neighbours, they cannot come one by one",
                       j->op->name);
    if (j->source && j->slabs.args[j->source_arg].axis != 1)
        return le_fail(LE_ERR_UNSUPPORTED, "%s: '%s' is not cut along its first axis", j->op->name,
                       j->op->args[j->source_arg].name);
    return LE_OK;
}

/* Two slabs at a time where one can be moved or read while the other is computed. */
static int flights_of(const job *j) {
    bool device = j->device && strcmp(j->device, "cpu") != 0;
    return (device || j->source) && !le__trial_is_child() ? LE__FLIGHTS : 1;
}

static int64_t half_of(const job *j) {
    int64_t multiple = j->slabs.multiple > 0 ? j->slabs.multiple : 1;
    return j->items / 2 / multiple * multiple;
}

/* Others may hold memory that the limit does not know of. A step that ran out of it ends with no
 * candidate. Frames of a source are gone once read. */
static bool may_halve(const job *j, le_status status) {
    bool memory =
        status == LE_ERR_MEMORY || status == LE_ERR_DEVICE_MEMORY || status == LE_ERR_NO_CANDIDATE;
    return memory && !j->source && !j->tiled && half_of(j) > 0;
}

/* From the start, with smaller slabs. */
static le_status run_halved(job *j) {
    bool several = j->items < j->slabs.items;
    j->items = half_of(j);
    for (size_t a = 0; a < j->op->n_args; a++) {
        j->appended[a].bytes = 0;
        j->appended[a].n = 0;
        if (j->merged[a].numbers)
            le__merged_clear(&j->merged[a], &j->call->args[a].tensor);
    }
    le_status status = several ? LE_OK : make_outputs(j, true);
    return status == LE_OK ? le__flights_run(&j->under_way, 1) : status;
}

static const char *why_not(const le_slabs *slabs) {
    return slabs->why ? slabs->why : "this call cannot be cut into slabs";
}

static le_status run_job(job *j, cut_fn cut) {
    int flights = flights_of(j);
    if (!cut || !cut(j->call, &j->slabs) || j->slabs.items <= 0)
        return le_fail(LE_ERR_UNSUPPORTED, "%s: %s", j->op->name, why_not(&j->slabs));
    le_status status = check_source(j);
    if (status == LE_OK)
        status = plan_slabs(j, cut, &flights);
    if (status == LE_OK)
        status = prepare(j);
    if (status == LE_OK)
        status = make_outputs(j, j->items < j->slabs.items);
    if (status == LE_OK)
        status = le__flights_run(&j->under_way, flights);
    while (may_halve(j, status))
        status = run_halved(j);
    if (status == LE_OK && j->call->counted)
        status = take_appended(j);
    return status == LE_OK ? hand_over(j) : status;
}

static le_status work_off(le_call *call, cut_fn cut, const char *device, int64_t limit,
                          int source_arg, le_source *source) {
    job *j = calloc(1, sizeof *j);
    if (!j)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", call->operation->name);
    *j = (job){.call = call,
               .op = call->operation,
               .device = device,
               .limit = limit,
               .source_arg = source_arg,
               .source = source};
    for (int i = 0; i < LE__FLIGHTS; i++)
        j->flights[i].job = j;
    le__flights_open(&j->under_way, &slab_flights, j);
    le_status status = run_job(j, cut);
    finish(j);
    free(j);
    return status;
}

/* How the call is cut at first: a single frame in tiles at once. NULL: it cannot be, and why. */
static cut_fn first_cut(const le_call *call, int64_t *items, const char **why) {
    const cut_fn cuts[] = {call->operation->slabs, call->operation->tiles};
    *why = NULL;
    for (int i = 0; i < 2; i++) {
        le_slabs s = {0};
        if (cuts[i] && cuts[i](call, &s) && s.items > (i || !cuts[1] ? 0 : 1)) {
            *items = s.items;
            return cuts[i];
        }
        *why = *why ? *why : why_not(&s);
    }
    *items = 0;
    return NULL;
}

bool le__slabs_cut(const le_call *call, int64_t *items, const char **why) {
    return first_cut(call, items, why) != NULL;
}

le_status le__slabs_run(le_call *call, const char *device, int64_t limit, int source_arg,
                        le_source *source) {
    int64_t items;
    const char *why;
    cut_fn cut = source ? call->operation->slabs : first_cut(call, &items, &why);
    return work_off(call, cut, device, limit, source_arg, source);
}
