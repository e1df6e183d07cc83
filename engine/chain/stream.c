/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A chain over the batches of sources. Two flights take batches in turns: each asks the sources for
 * its batch while the other computes, and waits for its turn to hand results to the sinks.
 */
#include "chain/chain.h"

#include "core/clock.h"
#include "liquid_engine/le_stream.h"
#include "opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLIGHTS = 2, USUAL_BYTES = 64 << 20, BATCHES_A_SIZE = 2 };

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
} flight;

/* How many items a batch has: doubled while that makes the stream faster. */
typedef struct learner {
    int64_t block, batch, most;
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
    flight flights[FLIGHTS];
    pthread_mutex_t mutex; /* guards all below, the sources and the sinks */
    pthread_cond_t turn;
    int64_t items, next;
    int64_t begun, done; /* batches */
    bool beside;         /* two are under way */
    learner learner;
    le_status status; /* first failure, with its text */
    char error[512];
} job;

typedef struct batch {
    int64_t number, first, items;
} batch;

/* --- what is given --- */

static le_status add_source(job *j, input *in, const le_arg *a) {
    le_source *s = a->value.source;
    if (!s || !s->next || s->parts < 1 || s->parts > LE_SOURCE_PARTS || s->block < 1 ||
        a->count >= (size_t)s->parts)
        return le_fail(LE_ERR_ARGUMENT,
                       "chain '%s': the source of '%s' has %d parts, part %zu is "
                       "asked for",
                       j->chain->name, a->name, s ? (int)s->parts : 0, a->count);
    for (in->source = 0; in->source < j->n_sources && j->sources[in->source] != s; in->source++)
        ;
    if (in->source == j->n_sources)
        j->sources[j->n_sources++] = s;
    in->part = (int)a->count;
    if (s->items != j->sources[0]->items)
        return le_fail(LE_ERR_SHAPE,
                       "chain '%s': the source of '%s' has %lld items, that of '%s' %lld",
                       j->chain->name, a->name, (long long)s->items, j->inputs[0].name,
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
    le_status status = a->kind == LE_KIND_SOURCE ? add_source(j, in, a)
                       : a->value.in             ? LE_OK
                                                 : le_fail(LE_ERR_ARGUMENT,
                                                           "chain '%s': input '%s' "
                                                                       "is NULL",
                                                           j->chain->name, a->name);
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
            j->limit = a->value.i64;
        else
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
    for (int i = 0; i < j->n_sources; i++)
        if (j->sources[i]->block > j->learner.block)
            j->learner.block = j->sources[i]->block;
    j->learner.batch = j->learner.block;
    return LE_OK;
}

/* --- one batch --- */

static const le_tensor *tensor_of(const flight *f, const input *in) {
    return in->source < 0 ? in->in : &f->parts[in->source][in->part];
}

static bool same_shape(const le_tensor *a, const le_tensor *b) {
    return a->dtype == b->dtype && a->ndim == b->ndim &&
           !memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape);
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
        same = v >= 0 && same_shape(&f->chain->values[v].shape, t);
    }
    le_status status = LE_OK;
    if (!same) {
        le_chain_free(&f->chain);
        status = le__chain_copy(j->chain, shapes, &f->chain);
    }
    free(shapes);
    return status;
}

static le_status compute(flight *f) {
    job *j = f->job;
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
    f->chain->beside = j->beside;
    return le_chain_run_args(f->chain, args, n);
}

/* --- how many items --- */

static int64_t bytes_of(const le_tensor *t) {
    return t->dtype ? le_tensor_count(t) * (int64_t)le_dtype_size(t->dtype) : 0;
}

/* As many items as the limit allows, going by this batch. */
static int64_t most_items(const job *j, const flight *f, int64_t items) {
    int64_t bytes = 1;
    for (int s = 0; s < j->n_sources; s++)
        for (int p = 0; p < j->sources[s]->parts; p++)
            bytes += bytes_of(&f->parts[s][p]);
    for (int i = 0; i < j->n_outputs; i++)
        bytes += bytes_of(&f->results[i]);
    double most = (double)j->limit / FLIGHTS / (double)bytes * (double)items;
    return most < 1e15 ? (int64_t)most : INT64_MAX;
}

static void set_batch(learner *l, int64_t items, double rate) {
    l->batch = items;
    l->rate = rate;
    l->batches = 0;
    l->items = 0;
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
    if (rate < l->rate && l->batch / 2 >= l->block) /* the smaller ones were faster */
        set_batch(l, l->batch / 2, rate);
    else if (!l->settled)
        set_batch(l, 2 * l->batch, rate);
}

/* --- batches under way --- */

/* Mutex held. */
static void fail(job *j, le_status status) {
    if (j->status == LE_OK && status != LE_OK) {
        j->status = status;
        snprintf(j->error, sizeof j->error, "%s", le_error_message());
    }
    pthread_cond_broadcast(&j->turn);
}

static bool begin_batch(flight *f, batch *b) {
    job *j = f->job;
    le_status status = LE_OK;
    pthread_mutex_lock(&j->mutex);
    bool any = j->status == LE_OK && j->next < j->items;
    if (any) {
        int64_t left = j->items - j->next, n = j->learner.batch < left ? j->learner.batch : left;
        *b = (batch){j->begun++, j->next, n};
        j->next += n;
        for (int i = 0; status == LE_OK && i < j->n_sources; i++)
            status = j->sources[i]->next(j->sources[i], n, f->parts[i]);
    }
    fail(j, status);
    pthread_mutex_unlock(&j->mutex);
    return any && status == LE_OK;
}

static void end_batch(flight *f, const batch *b, le_status status) {
    job *j = f->job;
    pthread_mutex_lock(&j->mutex);
    while (status == LE_OK && j->status == LE_OK && j->done != b->number)
        pthread_cond_wait(&j->turn, &j->mutex);
    for (int i = 0; status == LE_OK && j->status == LE_OK && i < j->n_outputs; i++) {
        le_sink *sink = j->outputs[i].sink;
        status = le_tensor_to_host(&f->results[i]);
        if (status == LE_OK)
            status = sink->put(sink, b->first, b->items, &f->results[i]);
    }
    if (status == LE_OK && b->number == 0)
        j->learner.most = most_items(j, f, b->items);
    if (status == LE_OK)
        learn(&j->learner, b->items, le__now());
    j->done = b->number + 1;
    fail(j, status);
    pthread_mutex_unlock(&j->mutex);
}

static bool fly_once(flight *f) {
    batch b;
    if (!begin_batch(f, &b))
        return false;
    end_batch(f, &b, compute(f));
    return true;
}

static void *fly(void *flying) {
    while (fly_once(flying))
        ;
    return NULL;
}

/* The first batch alone: what is learnt of its steps is learnt from it. */
static le_status run_all(job *j) {
    pthread_t other;
    bool two = fly_once(&j->flights[0]) && j->next < j->items;
    j->beside = two;
    two = two && pthread_create(&other, NULL, fly, &j->flights[1]) == 0;
    fly(&j->flights[0]);
    if (two)
        pthread_join(other, NULL);
    return j->status == LE_OK ? LE_OK : le_fail(j->status, "%s", j->error);
}

static void finish(job *j) {
    for (int k = 0; k < FLIGHTS; k++) {
        flight *f = &j->flights[k];
        le_chain_free(&f->chain);
        for (int s = 0; s < j->n_sources; s++)
            for (int p = 0; p < LE_SOURCE_PARTS; p++)
                le_tensor_free(&f->parts[s][p]);
        for (int i = 0; i < j->n_outputs; i++)
            le_tensor_free(&f->results[i]);
    }
    pthread_mutex_destroy(&j->mutex);
    pthread_cond_destroy(&j->turn);
    free(j);
}

le_status le_chain_stream_args(const le_chain *chain, const le_arg *args, size_t n_args) {
    job *j = calloc(1, sizeof *j);
    if (!j)
        return le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", chain->name);
    j->chain = chain;
    j->limit = chain->engine->options.memory_limit_bytes ? chain->engine->options.memory_limit_bytes
                                                         : USUAL_BYTES;
    for (int i = 0; i < FLIGHTS; i++)
        j->flights[i].job = j;
    pthread_mutex_init(&j->mutex, NULL);
    pthread_cond_init(&j->turn, NULL);
    le_status status = read_arguments(j, args, n_args);
    if (status == LE_OK)
        status = run_all(j);
    finish(j);
    return status;
}
