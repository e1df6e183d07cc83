/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Values from outside a chain: the memory of the caller that a run reads or writes where it lies,
 * and what is brought in order first.
 */
#include "chain/chain.h"

#include "call/storage.h"

#include <string.h>

/* The only argument that reads the value, whole, in a step whose shapes stay; false: there is none,
 * or more. */
static bool only_reader(const le_chain *c, int value, int *step, size_t *arg) {
    const le__chain_value *v = &c->values[value];
    int n = 0;
    if (v->role != LE__VALUE_INPUT || v->parent >= 0 || v->output || v->last_step < 0 ||
        v->first_step != v->last_step || c->steps[v->first_step]->dynamic)
        return false;
    const le__chain_step *s = c->steps[v->first_step];
    for (size_t a = 0; a < s->entry->operation->n_args; a++) {
        if (s->values[a] < 0 || c->values[s->values[a]].root != value)
            continue;
        if (s->values[a] != value)
            return false;
        *arg = a;
        n++;
    }
    *step = v->first_step;
    return n == 1;
}

bool le__chain_reads_in_place(const le_chain *c, int value) {
    int step;
    size_t arg;
    return only_reader(c, value, &step, &arg);
}

/* A storage of all that lies between the view's first byte and its last. */
static le_status borrow_view(le_tensor *out, const le_tensor *user) {
    const char *low, *high;
    le__tensor_extent(user, &low, &high);
    void *host;
    memcpy(&host, &low, sizeof host); /* it is only read */
    *out = *user;
    out->offset = ((const char *)user->data - low) / (int64_t)le_dtype_size(user->dtype);
    return le__storage_borrow(&out->storage, host, (size_t)(high - low), true);
}

le_status le__chain_take_input(le_tensor *out, const le_chain *c, int value,
                               const le_tensor *user) {
    if (le_tensor_is_contiguous(user) || !le__chain_reads_in_place(c, value))
        return le__chain_wrap(out, user, true);
    if (!user->storage)
        return borrow_view(out, user);
    *out = *user;
    le__storage_retain(user->storage);
    return LE_OK;
}

void le__chain_lay_out(le_chain *c, const le_tensor *tensors) {
    int step;
    size_t arg;
    for (int i = 0; i < c->n_values; i++)
        if (only_reader(c, i, &step, &arg))
            memcpy(c->steps[step]->call.args[arg].tensor.strides,
                   tensors ? tensors[i].strides : c->values[i].shape.strides,
                   sizeof c->values[i].shape.strides);
}

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
 * several times, nor in the first run, whose answer may be found wrong when it is there. */
bool le__chain_may_write_out(const le_chain *c, int root) {
    if (!c->has_answered || c->want.mode == LE_MODE_MEASURE || c->values[root].dynamic)
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
