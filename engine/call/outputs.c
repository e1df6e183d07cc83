/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Outputs, from where they were made to the memory of whoever asked for them.
 */
#include "call/outputs.h"

#include "call/storage.h"
#include "core/clock.h"
#include "core/tick.h"

#include <math.h>
#include <string.h>

bool le__is_allocated(const le_tensor *t) {
    return t->data || t->storage;
}

static bool is_all_on_device(const le_tensor *t) {
    size_t bytes;
    return t->storage && t->offset == 0 && le__tensor_is_contiguous(t) &&
           le__tensor_bytes(t, &bytes) && bytes == t->storage->bytes &&
           le__storage_is_on_device(t->storage);
}

bool le__replaces_on_device(const le_tensor *made, const le_tensor *to) {
    return made->storage != to->storage && is_all_on_device(made) && is_all_on_device(to) &&
           made->storage->bytes == to->storage->bytes;
}

bool le__stays_on_device(const le_tensor *to) {
    return !le__is_allocated(to) || is_all_on_device(to);
}

static bool is_replaced(const le__output *o) {
    return !o->host && le__replaces_on_device(o->made, o->to);
}

static le_status check_fit(const char *who, const le__output *o) {
    if (!le__is_allocated(o->to))
        return LE_OK;
    if (!o->counted)
        return le__tensors_alike(o->made, o->to)
                   ? LE_OK
                   : le__tensor_fail(who, "output", o->name, o->to, o->made, "");
    return o->made->shape[0] <= o->to->shape[0]
               ? LE_OK
               : le_fail(LE_ERR_SHAPE, "%s: output '%s' needs %lld rows, %lld given", who, o->name,
                         (long long)o->made->shape[0], (long long)o->to->shape[0]);
}

static le_status bring_to_host(le_tensor *made, le__moved *moved) {
    if (!moved || !made->storage || !le__storage_is_on_device(made->storage))
        return le_tensor_to_host(made);
    double start = le__now();
    le_status status = le_tensor_to_host(made);
    moved->bytes += (int64_t)made->storage->bytes;
    moved->seconds += le__now() - start;
    return status;
}

/* Brings what was made to the host, if that is asked for, and makes the target's memory writable.
 */
static le_status fetch(const le__output *o, le__moved *moved) {
    le_tensor *made = o->made, *to = o->to;
    le_status status = o->host ? bring_to_host(made, moved) : LE_OK;
    if (status != LE_OK || !to->storage || is_replaced(o))
        return status;
    if (made->storage == to->storage) {
        to->data = made->data;
        return LE_OK;
    }
    return le__tensor_for_writing(to, false);
}

/* Gives the memory back that the rows of a counted output did not need, where that is worth a
 * copy. */
static void trim(le_tensor *made) {
    enum { WORTH_IT = 1 << 16 };
    le_storage *s;
    size_t bytes;
    if (!made->storage || !made->data || !le__tensor_bytes(made, &bytes) ||
        made->storage->bytes - bytes < WORTH_IT + bytes ||
        le__storage_new(&s, bytes, true, false) != LE_OK)
        return;
    memcpy(s->host, made->data, bytes);
    le__storage_release(made->storage);
    made->storage = s;
    made->data = s->host;
    made->offset = 0;
}

bool le__outputs_copy(const le_tensor *to, const void *from) {
    le__ticker *t = le__ticker_here();
    const int64_t rows = t && to->ndim > 0 ? le__tensor_rows_at_once(to) : 0;
    if (rows == 0)
        le__tensor_unpack(to, from);
    for (int64_t i = 0; rows > 0 && i < to->shape[0] && le__ticker_look(t, NAN); i += rows) {
        const le_tensor part = le__tensor_rows(to, i, rows);
        le__tensor_unpack(&part, from);
        from = (const char *)from + le__tensor_size(&part);
    }
    return !le__ticker_over(t);
}

/* Where it gets a copy. */
static bool copy(const le__output *o) {
    if (!le__is_allocated(o->to) || is_replaced(o) || o->to->data == o->made->data)
        return true;
    o->to->shape[0] = o->made->shape[0];
    return le__outputs_copy(o->to, o->made->data);
}

/* Cannot fail. */
static void hand_over(const le__output *o) {
    le_tensor *made = o->made, *to = o->to;
    if (!le__is_allocated(to)) {
        if (o->counted)
            trim(made);
        *to = *made;
        made->storage = NULL;
    } else if (is_replaced(o)) {
        le__storage_replace(to->storage, made->storage);
    }
}

le_status le__outputs_hand_over(const char *who, const le__output *outputs, size_t n,
                                le__moved *moved) {
    le_status status = LE_OK;
    for (size_t i = 0; status == LE_OK && i < n; i++)
        if (outputs[i].to)
            status = check_fit(who, &outputs[i]);
    for (size_t i = 0; status == LE_OK && i < n; i++)
        if (outputs[i].to)
            status = fetch(&outputs[i], moved);
    for (size_t i = 0; status == LE_OK && i < n; i++)
        if (outputs[i].to && !copy(&outputs[i]))
            status = le__ticker_fail(who);
    for (size_t i = 0; status == LE_OK && i < n; i++)
        if (outputs[i].to)
            hand_over(&outputs[i]);
    return status;
}
