/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Files as sinks of batches: targets that grow with each. How many items come is known at the end,
 * and most formats want it at the beginning.
 */
#include "files/io.h"

#include "call/tensor.h"

#include "liquid_engine/le_stream.h"

#include <stdlib.h>
#include <string.h>

typedef struct file_sink {
    le_sink base;
    le_engine *engine;
    char *text;
    le_target *target;
    le_tensor whole; /* what has come: dtype and shape; dtype 0 before the first batch */
} file_sink;

/* The first batch says what the target is made of. */
static le_status begin(file_sink *s, const le_tensor *t) {
    if (t->ndim < 1)
        return le_fail(LE_ERR_SHAPE,
                       "%s: results without an axis cannot be put one after the other", s->text);
    if (s->whole.dtype)
        return LE_OK;
    le_tensor none = le_tensor_of(NULL, t->dtype, t->ndim, t->shape);
    none.shape[0] = 0;
    le_io_target_close(&s->target, false);
    le_status status =
        le_io_target(s->engine, s->text, none.dtype, none.ndim, none.shape, &s->target);
    if (status == LE_OK)
        s->whole = none;
    return status;
}

static le_status check_batch(const file_sink *s, const le_tensor *t) {
    if (le__tensors_have_same_rows(t, &s->whole))
        return LE_OK;
    char before[256], now[256];
    le_tensor_describe(&s->whole, before, sizeof before);
    le_tensor_describe(t, now, sizeof now);
    return le_fail(LE_ERR_SHAPE, "%s: a batch of %s follows %s: only the first extent may differ",
                   s->text, now, before);
}

static le_status put(le_sink *sink, int64_t first, int64_t items, const le_tensor *result) {
    file_sink *s = (file_sink *)sink;
    le_tensor t = *result;
    const void *data;
    void *copy = NULL;
    (void)first;
    (void)items;
    le_status status = le__io_check_tensor(s->text, &t);
    if (status == LE_OK)
        status = begin(s, &t);
    if (status == LE_OK)
        status = check_batch(s, &t);
    if (status == LE_OK)
        status = le__io_contiguous(&t, &data, &copy);
    if (status == LE_OK)
        status = le_target_grow(s->target, s->whole.shape[0] + t.shape[0]);
    if (status == LE_OK)
        status = le_target_put(s->target, le_tensor_count(&s->whole), le_tensor_count(&t), data);
    if (status == LE_OK)
        s->whole.shape[0] += t.shape[0];
    free(copy);
    return status;
}

static void release(file_sink *s) {
    le_io_target_close(&s->target, false);
    free(s->text);
    free(s);
}

le_status le_io_sink(le_engine *engine, const char *place, le_sink **out) {
    static const int64_t nothing[] = {0};
    *out = NULL;
    file_sink *s = calloc(1, sizeof *s);
    if (!s || !(s->text = strdup(place ? place : ""))) {
        free(s);
        return le_fail(LE_ERR_MEMORY, "le_io_sink: out of memory");
    }
    s->base.put = put;
    s->engine = engine;
    le_status status = le_io_target(engine, s->text, LE_U8, 1, nothing, &s->target);
    if (status == LE_OK)
        *out = &s->base;
    else
        release(s);
    return status;
}

le_status le_io_sink_close(le_sink **sink, bool complete) {
    file_sink *s = sink ? (file_sink *)*sink : NULL;
    if (!s)
        return LE_OK;
    le_status status = LE_OK;
    if (complete && !s->whole.dtype)
        status = le_fail(LE_ERR_SHAPE, "%s: no batch came, of which a file could be made", s->text);
    else
        status = le_io_target_close(&s->target, complete);
    release(s);
    *sink = NULL;
    return status;
}
