/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Files as sources of batches: frames, or chunks as they are stored.
 */
#include "files/source.h"

#include <stdlib.h>
#include <string.h>

typedef struct file_source {
    le_source base;
    le__io_place place;
    char *text;
    le_io_stream *frames;
    le__pieces *stored;
} file_source;

static le_status next_frames(le_source *s, int64_t items, le_tensor *parts) {
    le_io_stream *stream = s->data;
    le_status status = le_io_stream_next(stream, items, parts);
    if (status == LE_OK && parts->shape[0] != items)
        status = le_fail(LE_ERR_IO, "the frames end %lld too early",
                         (long long)(items - parts->shape[0]));
    return status;
}

le_source le__io_frames(le_io_stream *stream) {
    const le_io_stream_info *about = le_io_stream_about(stream);
    return (le_source){.items = about->shape[0],
                       .block = about->block,
                       .parts = 1,
                       .next = next_frames,
                       .data = stream};
}

static le_status next_stored(le_source *s, int64_t items, le_tensor *parts) {
    return le__pieces_next(((file_source *)s)->stored, items, parts);
}

static void close_source(le_source *source) {
    file_source *s = (file_source *)source;
    le_io_stream_close(&s->frames);
    le__pieces_close(s->stored);
    le__io_place_free(&s->place);
    free(s->text);
    free(s);
}

static le_status open_stored(le_engine *engine, bool skip, file_source *s) {
    s->base = (le_source){.block = 1, .parts = 3, .next = next_stored};
    le_status status = le__io_place_parse(s->text, &s->place);
    if (status != LE_OK)
        return status;
    if (s->place.format != LE__IO_HDF5)
        return le_fail(LE_ERR_UNSUPPORTED, "%s: only HDF5 files have chunks as they are stored",
                       s->text);
    le__io_request r = {
        .place = &s->place, .parallel = le__io_parallel_of(engine), .max_bytes = le__io_limit()};
    status = le__pieces_open(&r, skip, &s->stored);
    if (status == LE_OK)
        s->base.items = le__pieces_items(s->stored);
    return status;
}

static le_status open_frames(le_engine *engine, file_source *s) {
    le_status status = le_io_stream_open(engine, s->text, NULL, &s->frames);
    if (status == LE_OK)
        s->base = le__io_frames(s->frames);
    return status;
}

le_status le_io_source(le_engine *engine, const char *place, le_source_kind kind, le_source **out) {
    *out = NULL;
    if (kind < LE_SOURCE_FRAMES || kind > LE_SOURCE_STORED_SKIP)
        return le_fail(LE_ERR_ARGUMENT,
                       "le_io_source: kind %d, expected LE_SOURCE_FRAMES, LE_SOURCE_STORED or "
                       "LE_SOURCE_STORED_SKIP",
                       (int)kind);
    file_source *s = calloc(1, sizeof *s);
    if (!s || !(s->text = strdup(place ? place : ""))) {
        free(s);
        return le_fail(LE_ERR_MEMORY, "le_io_source: out of memory");
    }
    le_status status = kind == LE_SOURCE_FRAMES
                           ? open_frames(engine, s)
                           : open_stored(engine, kind == LE_SOURCE_STORED_SKIP, s);
    if (status != LE_OK) {
        close_source(&s->base);
        return status;
    }
    s->base.close = close_source;
    *out = &s->base;
    return LE_OK;
}

const le_stored_info *le_io_source_stored(const le_source *source) {
    const le_source_piece *pieces;
    return le_io_source_pieces(source, &pieces) ? pieces[0].about : NULL;
}

size_t le_io_source_pieces(const le_source *source, const le_source_piece **pieces) {
    *pieces = NULL;
    return source && source->next == next_stored
               ? le__pieces_list(((const file_source *)source)->stored, pieces)
               : 0;
}

le_status le_io_source_leave(le_source *source, int64_t items) {
    if (!source || source->next != next_stored || items < 0 || items > source->items)
        return le_fail(LE_ERR_UNSUPPORTED, "only items of stored chunks that are there can be left "
                                           "out");
    le__pieces_leave(((file_source *)source)->stored, items);
    source->items -= items;
    return LE_OK;
}

int64_t le_io_source_ready(le_source *source) {
    return source->next == next_stored ? le__pieces_ready(((file_source *)source)->stored)
                                       : source->items;
}

void le_source_close(le_source **source) {
    if (source && *source && (*source)->close)
        (*source)->close(*source);
    if (source)
        *source = NULL;
}
