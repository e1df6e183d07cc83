/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 */
#include "chain/run_memory.h"

#include "call/storage.h"

#include <stdlib.h>

/* So many values to come are looked at for one that has the size of what became free. */
enum { LOOK_AHEAD = 64 };

/* --- lists of values by step --- */

static void push(int *heads, int *next, int step, int value) {
    next[value] = heads[step];
    heads[step] = value;
}

static void list_values(le__run_memory *m) {
    const le_chain *c = m->chain;
    for (int s = 0; s < c->n_steps; s++)
        m->begins[s] = m->ends[s] = -1;
    for (int i = c->n_values - 1; i >= 0; i--) {
        const le__chain_value *v = &c->values[i];
        if (v->root != i || v->role != LE__VALUE_TEMP || v->output || v->last_step < 0)
            continue;
        push(m->begins, m->next_begin, v->first_step, i);
        push(m->ends, m->next_end, v->last_step, i);
    }
}

/* --- counting --- */

static void add_storage(le_storage *s, le__run_bytes *sum) {
    pthread_mutex_lock(&s->mutex);
    if (s->host && !s->borrowed)
        sum->host += (int64_t)s->bytes;
    for (le__device_copy *c = s->copies; c; c = c->next)
        sum->device += (int64_t)s->bytes;
    pthread_mutex_unlock(&s->mutex);
}

static void count_value(le__run_memory *m, int root) {
    le__run_bytes *counted = &m->counted[root], is = {0};
    if (m->tensors[root].storage)
        add_storage(m->tensors[root].storage, &is);
    m->all.host += is.host - counted->host;
    m->all.device += is.device - counted->device;
    *counted = is;
}

void le__run_memory_count(le__run_memory *m, int step, int64_t scratch_bytes) {
    const le_chain *c = m->chain;
    const le__chain_step *s = c->steps[step];
    le_chain_report *report = &m->chain->report;
    for (size_t a = 0; a < s->entry->operation->n_args; a++)
        if (s->values[a] >= 0)
            count_value(m, c->values[s->values[a]].root);
    le__run_bytes sum = {m->all.host + scratch_bytes, m->all.device};
    for (int i = 0; i < m->n_spares; i++)
        add_storage(m->spares[i], &sum);
    if (sum.host > report->peak_host_bytes)
        report->peak_host_bytes = sum.host;
    if (sum.device > report->peak_device_bytes)
        report->peak_device_bytes = sum.device;
}

/* --- giving --- */

static void forget_contents(le_storage *s) {
    pthread_mutex_lock(&s->mutex);
    s->host_valid = false;
    for (le__device_copy *c = s->copies; c; c = c->next)
        c->valid = false;
    pthread_mutex_unlock(&s->mutex);
}

static le_storage *take_spare(le__run_memory *m, size_t bytes, bool host) {
    for (int i = 0; i < m->n_spares; i++) {
        le_storage *s = m->spares[i];
        if (s->bytes != bytes || host != (s->host != NULL))
            continue;
        m->spares[i] = m->spares[--m->n_spares];
        forget_contents(s);
        return s;
    }
    return NULL;
}

le_status le__run_memory_give(le__run_memory *m, int root, const le_tensor *shape, bool host) {
    le_tensor *t = &m->tensors[root];
    size_t bytes;
    if (t->storage)
        return LE_OK;
    *t = *shape;
    if (!le__tensor_bytes(t, &bytes))
        return le_fail(LE_ERR_SHAPE, "chain '%s': a value is too large", m->chain->name);
    t->storage = take_spare(m, bytes, host);
    return t->storage ? LE_OK : le__storage_new(&t->storage, bytes, false, false);
}

le_status le__run_memory_give_room(le__run_memory *m, int root, const le_tensor *shape, bool host) {
    le_tensor *t = &m->tensors[root];
    size_t bytes;
    if (t->storage && le__tensor_bytes(shape, &bytes) && bytes > t->storage->bytes) {
        le__storage_release(t->storage);
        t->storage = NULL;
    }
    if (t->storage)
        t->shape[0] = shape->shape[0];
    return le__run_memory_give(m, root, shape, host);
}

/* --- taking back --- */

/* Whether one of the next values has the same size. */
static bool wanted_again(const le__run_memory *m, int root, int step) {
    int64_t bytes = (int64_t)m->tensors[root].storage->bytes;
    int looked_at = 0;
    for (int s = step + 1; s < m->chain->n_steps && looked_at < LOOK_AHEAD; s++, looked_at++)
        for (int i = m->begins[s]; i >= 0; i = m->next_begin[i], looked_at++)
            if (!m->tensors[i].storage && le__tensor_size(le__run_shape_of(m, i)) == bytes)
                return true;
    return false;
}

void le__run_memory_end_values(le__run_memory *m, int step) {
    for (int i = m->ends[step]; i >= 0; i = m->next_end[i]) {
        le_storage *storage = m->tensors[i].storage;
        if (!storage)
            continue;
        if (wanted_again(m, i, step))
            m->spares[m->n_spares++] = storage;
        else
            le__storage_release(storage);
        m->tensors[i].storage = NULL;
        count_value(m, i);
    }
}

/* --- the whole --- */

le_status le__run_memory_open(le__run_memory *m, le_chain *c, le_tensor *tensors) {
    size_t values = (size_t)c->n_values + 1, steps = (size_t)c->n_steps + 1;
    *m = (le__run_memory){.chain = c,
                          .tensors = tensors,
                          .shapes = c->dynamic ? le__chain_shapes(c) : NULL,
                          .spares = calloc(values, sizeof *m->spares),
                          .counted = calloc(values, sizeof *m->counted),
                          .begins = malloc(2 * (steps + values) * sizeof *m->begins)};
    if (!m->spares || !m->counted || !m->begins || (c->dynamic && !m->shapes))
        return le_fail(LE_ERR_MEMORY, "chain '%s': out of memory", c->name);
    m->ends = m->begins + steps;
    m->next_begin = m->ends + steps;
    m->next_end = m->next_begin + values;
    list_values(m);
    for (int i = 0; i < c->n_values; i++)
        if (c->values[i].root == i)
            count_value(m, i);
    return LE_OK;
}

void le__run_memory_close(le__run_memory *m) {
    for (int i = 0; i < m->n_spares; i++)
        le__storage_release(m->spares[i]);
    free(m->spares);
    free(m->counted);
    free(m->begins);
    free(m->shapes);
}
