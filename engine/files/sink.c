/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Files as sinks of batches. How many items come is known at the end, and most formats want it at
 * the beginning: batches go to a file without a name, which is mapped and written in one piece
 * then.
 */
#include "files/io.h"

#include "core/error.h"
#include "liquid_engine/le_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct file_sink {
    le_sink base;
    le_engine *engine;
    char *text;
    le__outfile spool;
    bool begun;
    le_tensor whole; /* what has come: dtype and shape */
} file_sink;

static le_status check_batch(file_sink *s, const le_tensor *t) {
    if (t->ndim < 1)
        return le_fail(LE_ERR_SHAPE,
                       "%s: results without an axis cannot be put one after the other", s->text);
    if (!s->begun) {
        s->whole = le_tensor_of(NULL, t->dtype, t->ndim, t->shape);
        s->whole.shape[0] = 0;
        s->begun = true;
    }
    le_tensor next = le_tensor_of(NULL, t->dtype, t->ndim, t->shape);
    next.shape[0] = s->whole.shape[0];
    if (next.dtype == s->whole.dtype && next.ndim == s->whole.ndim &&
        !memcmp(next.shape, s->whole.shape, sizeof next.shape))
        return LE_OK;
    char before[256], now[256];
    next.shape[0] = t->shape[0];
    le_tensor_describe(&s->whole, before, sizeof before);
    le_tensor_describe(&next, now, sizeof now);
    return le_fail(LE_ERR_SHAPE, "%s: a batch of %s follows %s: only the first extent may differ",
                   s->text, now, before);
}

static le_status put(le_sink *sink, int64_t first, int64_t items, const le_tensor *result) {
    file_sink *s = (file_sink *)sink;
    le_tensor t = *result;
    const void *data;
    void *copy = NULL;
    int64_t bytes;
    (void)first;
    (void)items;
    le_status status = check_batch(s, &t);
    if (status == LE_OK)
        status = le__io_check_size(s->text, t.dtype, t.ndim, t.shape, INT64_MAX, &bytes);
    if (status == LE_OK)
        status = le__io_contiguous(&t, &data, &copy);
    if (status == LE_OK)
        status = le__io_write_all(s->spool.fd, s->text, data, bytes);
    if (status == LE_OK)
        s->whole.shape[0] += t.shape[0];
    free(copy);
    return status;
}

static void release(file_sink *s) {
    le__outfile_abandon(&s->spool);
    free(s->text);
    free(s);
}

static le_status open_spool(file_sink *s) {
    le__io_place place;
    if (!le_io_is_place(s->text, true))
        return LE_ERR_ARGUMENT;
    le_status status = le__io_place_parse(s->text, &place);
    if (status != LE_OK)
        return status;
    status = le__io_temp_open(place.file, false, &s->spool);
    le__io_place_free(&place);
    return status;
}

le_status le_io_sink(le_engine *engine, const char *place, le_sink **out) {
    *out = NULL;
    file_sink *s = calloc(1, sizeof *s);
    if (!s || !(s->text = strdup(place ? place : ""))) {
        free(s);
        return le_fail(LE_ERR_MEMORY, "le_io_sink: out of memory");
    }
    s->base.put = put;
    s->engine = engine;
    s->spool.fd = -1;
    le_status status = open_spool(s);
    if (status == LE_OK)
        *out = &s->base;
    else
        release(s);
    return status;
}

static le_status write_whole(file_sink *s) {
    int64_t bytes;
    if (!s->begun)
        return le_fail(LE_ERR_SHAPE, "%s: no batch came, of which a file could be made", s->text);
    le_status status = le__io_check_size(s->text, s->whole.dtype, s->whole.ndim, s->whole.shape,
                                         INT64_MAX, &bytes);
    if (status != LE_OK)
        return status;
    static char nothing[16];
    void *data = bytes ? mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, s->spool.fd, 0) : nothing;
    if (data == MAP_FAILED)
        return le_fail(LE_ERR_IO, "%s: what has come cannot be read again: %s", s->text,
                       strerror(errno));
    le_tensor t = le_tensor_of(data, s->whole.dtype, s->whole.ndim, s->whole.shape);
    status = le_io_write(s->engine, s->text, &t);
    if (bytes)
        munmap(data, (size_t)bytes);
    return status;
}

le_status le_io_sink_close(le_sink **sink, bool complete) {
    file_sink *s = sink ? (file_sink *)*sink : NULL;
    if (!s)
        return LE_OK;
    le_status status = complete ? write_whole(s) : LE_OK;
    release(s);
    *sink = NULL;
    return status;
}
