/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A chain over the batches of sources. Two flights take batches in turns: each asks the sources for
 * its batch while the other computes, and waits for its turn to hand results to the sinks.
 */
#include "chain/chain.h"

#include "chain/append.h"
#include "chain/flights.h"

#include "core/clock.h"
#include "core/error.h"
#include "core/tick.h"
#include "liquid_engine/le_stream.h"
#include "opencl/opencl.h"

#include <math.h>
#include <stdlib.h>

enum { USUAL_BYTES = 64 << 20, BATCHES_A_SIZE = 2 };

typedef struct input { /* of the chain */
    const char *name;
    int value;
    int source, part; /* source -1: the same in all batches */
    const le_tensor *in;
} input;

typedef struct flight {
    struct job *job;
    le_chain *chain; /* for the shapes of the last batch */
    le_tensor parts[LE_MAX_ARGS][LE_SOURCE_PARTS];
    le_tensor results[LE_MAX_ARGS];
    int64_t first, items; /* of the batch */
} flight;

/* How many items a batch has: doubled while that makes the stream faster. */
typedef struct learner {
    int64_t block, together; /* of the sources */
    int64_t batch, least, most;
    int batches;   /* of this size */
    int64_t items; /* in them */
    double begun;  /* when the first of them was done */
    double rate;   /* items a second with half the size; 0: not known */
    bool settled;
} learner;

typedef struct job {
    const le_chain *chain;
    input inputs[LE_MAX_ARGS];
    int n_inputs;
    le_source *sources[LE_MAX_ARGS];
    int n_sources;
    struct {
        const char *name;
        le_sink *sink;
    } outputs[LE_MAX_ARGS];
    int n_outputs;
    le_arg options[LE_MAX_ARGS];
    int n_options;
    int64_t limit; /* bytes of both batches under way */
    flight flights[LE__FLIGHTS];
    le__flights under_way; /* its mutex guards all below, the sources and the sinks */
    int64_t items, next;
    learner learner;
} job;

/* --- what is given --- */

/* The input of the first source. */
static const char *name_of_first(const job *j) {
    int i = 0;
    while (j->inputs[i].source != 0)
        i++;
    return j->inputs[i].name;
}

static le_status add_source(job *j, input *in, const le_arg *a) {
    le_source *s = a->value.source;
    if (!s || !s->next || s->block < 1)
        return le_fail(LE_ERR_ARGUMENT, "chain '%s': the source of '%s' %s", j->chain->name,
                       a->name,
                       !s         ? "is NULL"
                       : !s->next ? "has no function next"
                                  : "has blocks of less than one item");
    if (s->parts < 1 || s->parts > LE_SOURCE_PARTS || a->count >= (size_t)s->parts)
        return le_fail(LE_ERR_ARGUMENT,
                       "chain '%s': the source of '%s' has %d parts (1 to %d can be), part %zu is "
                       "asked for",
                       j->chain->name, a->name, (int)s->parts, LE_SOURCE_PARTS, a->count);
    for (in->source = 0; in->source < j->n_sources && j->sources[in->source] != s; in->source++)
        ;
    if (in->source == j->n_sources)
        j->sources[j->n_sources++] = s;
    in->part = (int)a->count;
    if (s->items != j->sources[0]->items)
        return le_fail(LE_ERR_SHAPE,
                       "chain '%s': the source of '%s' has %lld items, that of '%s' %lld",
                       j->chain->name, a->name, (long long)s->items, name_of_first(j),
                       (long long)j->sources[0]->items);
    return LE_OK;
}

static le_status add_input(job *j, const le_arg *a) {
    input *in = &j->inputs[j->n_inputs];
    int v = a->name ? le__chain_find(j->chain, a->name, false) : -1;
    if (v < 0 || j->n_inputs == LE_MAX_ARGS)
        return le_fail(LE_ERR_ARGUMENT, "chain '%s': there is no input '%s'", j->chain->name,
                       a->name ? a->name : "(null)");
    for (int i = 0; i < j->n_inputs; i++)
        if (j->inputs[i].value == v)
            return le_fail(LE_ERR_ARGUMENT, "chain '%s': input '%s' is given twice", j->chain->name,
                           a->name);
    *in = (input){.name = a->name, .value = v, .source = -1, .in = a->value.in};
    le_status status = LE_OK;
    if (a->kind == LE_KIND_SOURCE)
        status = add_source(j, in, a);
    else if (!a->value.in)
        status = le_fail(LE_ERR_ARGUMENT, "chain '%s': input '%s' is NULL", j->chain->name, a->name);
    j->n_inputs++;
    return status;
}

static le_status add_output(job *j, const le_arg *a) {
    bool known = a->name && le__chain_find(j->chain, a->name, true) >= 0;
    if (!known || !a->value.sink || !a->value.sink->put || j->n_outputs == LE_MAX_ARGS)
        return le_fail(LE_ERR_ARGUMENT, "chain '%s': %s '%s'", j->chain->name,
                       known ? "no sink is given for output" : "there is no output",
                       a->name ? a->name : "(null)");
    j->outputs[j->n_outputs].name = a->name;
    j->outputs[j->n_outputs++].sink = a->value.sink;
    return LE_OK;
}

/* The engine's own, where there is one, stays. */
static le_status take_limit(job *j, const le_arg *a) {
    const le_engine *e = j->chain->engine;
    le__constraint own = {0};
    le_status status = le__constraint_take(&own, e, j->chain->name, a);
    const int64_t limit = le__constraint_memory(&own, e->options.memory_limit_bytes);
    j->limit = limit ? limit : j->limit;
    return status;
}

static le_status add_argument(job *j, const le_arg *a) {
    switch (a->kind) {
    case LE_KIND_SOURCE:
    case LE_KIND_IN:
        return add_input(j, a);
    case LE_KIND_SINK:
        return add_output(j, a);
    case LE_KIND_OPTION:
        if (j->n_options == LE_MAX_ARGS)
            return le_fail(LE_ERR_ARGUMENT, "chain '%s': too many options", j->chain->name);
        if (a->option == LE_OPTION_MEMORY_LIMIT)
            return take_limit(j, a);
        j->options[j->n_options++] = *a;
        return LE_OK;
    default:
        return le_fail(LE_ERR_ARGUMENT,
                       "chain '%s': '%s' of a stream is given by LE_SOURCE, LE_IN or "
                       "LE_SINK",
                       j->chain->name, a->name ? a->name : "(null)");
    }
}

static le_status check_complete(const job *j) {
    for (int i = 0; i < j->chain->n_values; i++) {
        const le__chain_value *v = &j->chain->values[i];
        bool given = v->role != LE__VALUE_INPUT || v->parent >= 0;
        for (int k = 0; k < j->n_inputs; k++)
            given = given || j->inputs[k].value == i;
        if (!given)
            return le_fail(LE_ERR_ARGUMENT, "chain '%s': input '%s' is missing", j->chain->name,
                           v->name);
    }
    return j->n_sources && j->n_outputs
               ? LE_OK
               : le_fail(LE_ERR_ARGUMENT, "chain '%s': a stream needs a source and a sink",
                         j->chain->name);
}

static bool is_reproducible(const job *j) {
    for (int i = 0; i < j->n_options; i++)
        if (j->options[i].option == LE_OPTION_REPRODUCIBLE)
            return j->options[i].value.i64 != 0;
    return false;
}

static le_status read_arguments(job *j, const le_arg *args, size_t n) {
    le_status status = le_chain_status(j->chain);
    for (size_t i = 0; status == LE_OK && i < n; i++)
        status = add_argument(j, &args[i]);
    if (status == LE_OK)
        status = check_complete(j);
    if (status != LE_OK)
        return status;
    j->items = j->sources[0]->items;
    j->learner = (learner){.block = 1, .most = INT64_MAX};
    for (int i = 0; i < j->n_sources; i++) {
        const le_source *s = j->sources[i];
        j->learner.block = s->block > j->learner.block ? s->block : j->learner.block;
        j->learner.together = s->together > j->learner.together ? s->together : j->learner.together;
    }
    j->learner.batch = j->learner.least = j->learner.block;
    if (is_reproducible(j)) { /* what has been measured must not change the batches */
        while (j->learner.batch < LE_STREAM_REPRODUCIBLE_ITEMS)
            j->learner.batch += j->learner.block;
        j->learner.settled = true;
    }
    return LE_OK;
}

/* --- one batch --- */

static const le_tensor *tensor_of(const flight *f, const input *in) {
    return in->source < 0 ? in->in : &f->parts[in->source][in->part];
}

static le_status ready_chain(flight *f) {
    const job *j = f->job;
    bool same = f->chain != NULL;
    le_tensor *shapes = calloc((size_t)j->chain->n_values + 1, sizeof *shapes);
    if (!shapes)
        return le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", j->chain->name);
    for (int i = 0; i < j->n_inputs; i++) {
        const le_tensor *t = tensor_of(f, &j->inputs[i]);
        shapes[j->inputs[i].value] = *t;
        int v = same ? le__chain_find(f->chain, j->inputs[i].name, false) : -1;
        same = v >= 0 && le__tensors_alike(&f->chain->values[v].shape, t);
    }
    le_status status = LE_OK;
    if (!same) {
        le_chain_free(&f->chain);
        status = le__chain_copy(j->chain, shapes, &f->chain);
    }
    free(shapes);
    return status;
}

static le_status compute(void *cookie, int flying) {
    job *j = cookie;
    flight *f = &j->flights[flying];
    le_arg args[3 * LE_MAX_ARGS];
    size_t n = 0;
    le_status status = ready_chain(f);
    if (status != LE_OK)
        return status;
    for (int i = 0; i < j->n_inputs; i++)
        args[n++] = LE_IN(j->inputs[i].name, tensor_of(f, &j->inputs[i]));
    for (int i = 0; i < j->n_outputs; i++) {
        le_tensor_free(&f->results[i]);
        args[n++] = LE_OUT(j->outputs[i].name, &f->results[i]);
    }
    for (int i = 0; i < j->n_options; i++)
        args[n++] = j->options[i];
    f->chain->beside = j->under_way.beside;
    return le__chain_run(f->chain, args, n);
}

/* --- how many items --- */

/* As many items as the limit allows, going by this batch. */
static int64_t most_items(const job *j, const flight *f, int64_t items) {
    int64_t bytes = 1;
    for (int s = 0; s < j->n_sources; s++)
        for (int p = 0; p < j->sources[s]->parts; p++)
            bytes += le__tensor_size(&f->parts[s][p]);
    for (int i = 0; i < j->n_outputs; i++)
        bytes += le__tensor_size(&f->results[i]);
    double most = (double)j->limit / LE__FLIGHTS / (double)bytes * (double)items;
    return most < 1e15 ? (int64_t)most : INT64_MAX;
}

static void set_batch(learner *l, int64_t items, double rate) {
    l->batch = items;
    l->rate = rate;
    l->batches = 0;
    l->items = 0;
}

/* After the first batch it is known how many there is memory for. */
static void set_limits(learner *l, int64_t most) {
    const int64_t wanted = l->together < most ? l->together : most;
    l->most = most;
    if (l->settled || wanted < 2 * l->block)
        return;
    l->least = wanted / l->block * l->block;
    set_batch(l, l->least, 0);
}

/* A size is judged by the time between the ends of its batches; the first starts the clock. */
static void learn(learner *l, int64_t items, double now) {
    if (l->settled || items != l->batch)
        return;
    if (l->batches++ == 0) {
        l->begun = now;
        return;
    }
    l->items += items;
    if (l->batches <= BATCHES_A_SIZE)
        return;
    double rate = (double)l->items / (now > l->begun ? now - l->begun : 1e-9);
    l->settled = rate < 1.05 * l->rate || 2 * l->batch > l->most;
    if (rate < l->rate && l->batch / 2 >= l->least) /* the smaller ones were faster */
        set_batch(l, l->batch / 2, rate);
    else if (!l->settled)
        set_batch(l, 2 * l->batch, rate);
}

/* --- batches under way --- */

static le_status fetch(const job *j, le_source *source, const flight *f, le_tensor *parts) {
    const unsigned before = le__failures();
    return le__told(before, source->next(source, f->items, parts), j->chain->name, "a source");
}

static le_status begin_batch(void *cookie, int flying, int64_t number, bool *any) {
    job *j = cookie;
    flight *f = &j->flights[flying];
    int64_t left = j->items - j->next;
    le_status status = LE_OK;
    (void)number;
    *any = left > 0;
    if (!*any)
        return LE_OK;
    if (!le__ticker_look(le__ticker_here(), NAN))
        return le__ticker_fail(j->chain->name);
    f->first = j->next;
    f->items = j->learner.batch < left ? j->learner.batch : left;
    j->next += f->items;
    for (int i = 0; status == LE_OK && i < j->n_sources; i++)
        status = fetch(j, j->sources[i], f, f->parts[i]);
    return status;
}

/* Whether a step of the chain counts the rows of that value, one item of the batch after the other;
 * then what its places are. */
static bool places_of(const flight *f, int value, le__slab *out) {
    const le_chain *c = f->chain;
    for (int i = 0; i < c->n_steps; i++) {
        const le__chain_step *s = c->steps[i];
        const le_operation *op = s->entry->operation;
        for (size_t a = 0; a < op->n_args; a++) {
            le_slabs slabs = {0};
            if (s->values[a] != value || op->args[a].type != LE_TYPE_OUT || !op->slabs ||
                !op->slabs(&s->call, &slabs) || slabs.items != f->items)
                continue;
            int32_t scale = slabs.args[a].scale;
            *out = (le__slab){
                .low = f->first, .places = slabs.args[a].places, .scale = scale ? scale : 1};
            return slabs.args[a].merge == LE_MERGE_APPEND;
        }
    }
    return false;
}

/* The result of a batch as the sink gets it. */
static le_status ready_result(flight *f, int output) {
    le_tensor *result = &f->results[output];
    le__slab slab;
    int v = le__chain_find(f->chain, f->job->outputs[output].name, true);
    le_status status = le_tensor_to_host(result);
    if (status == LE_OK && v >= 0 && f->chain->values[v].counted && places_of(f, v, &slab))
        le__move_places(result, &slab);
    return status;
}

static le_status hand_on(const job *j, le_sink *sink, const flight *f, const le_tensor *result) {
    const unsigned before = le__failures();
    return le__told(before, sink->put(sink, f->first, f->items, result), j->chain->name, "a sink");
}

static le_status end_batch(void *cookie, int flying, int64_t number) {
    job *j = cookie;
    flight *f = &j->flights[flying];
    le_status status = LE_OK;
    for (int i = 0; status == LE_OK && i < j->n_outputs; i++) {
        le_sink *sink = j->outputs[i].sink;
        status = ready_result(f, i);
        if (status == LE_OK)
            status = hand_on(j, sink, f, &f->results[i]);
    }
    if (status == LE_OK && number == 0)
        set_limits(&j->learner, most_items(j, f, f->items));
    if (status == LE_OK)
        learn(&j->learner, f->items, le__now());
    return status;
}

static bool has_more(const void *cookie) {
    const job *j = cookie;
    return j->next < j->items;
}

static const le__flight_kind batch_flights = {begin_batch, compute, end_batch, has_more};

static void finish(job *j) {
    for (int k = 0; k < LE__FLIGHTS; k++) {
        flight *f = &j->flights[k];
        le_chain_free(&f->chain);
        for (int s = 0; s < j->n_sources; s++)
            for (int p = 0; p < LE_SOURCE_PARTS; p++)
                le_tensor_free(&f->parts[s][p]);
        for (int i = 0; i < j->n_outputs; i++)
            le_tensor_free(&f->results[i]);
    }
    le__flights_close(&j->under_way);
    free(j);
}

le_status le_chain_stream_args(const le_chain *chain, const le_arg *args, size_t n_args) {
    job *j = calloc(1, sizeof *j);
    if (!j)
        return le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", chain->name);
    j->chain = chain;
    j->limit = chain->engine->options.memory_limit_bytes ? chain->engine->options.memory_limit_bytes
                                                         : USUAL_BYTES;
    for (int i = 0; i < LE__FLIGHTS; i++)
        j->flights[i].job = j;
    le__flights_open(&j->under_way, &batch_flights, j);
    le_status status = read_arguments(j, args, n_args);
    le__ticker ticker;
    le__ticker_begin(&ticker, args, n_args);
    if (status == LE_OK)
        status = le__flights_run(&j->under_way, LE__FLIGHTS);
    le__ticker_end(&ticker);
    finish(j);
    return status;
}
