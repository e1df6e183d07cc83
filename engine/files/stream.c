/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Frames of a stack, some at a time: memory does not grow with their number.
 */
#include "files/io.h"

#include <stdlib.h>
#include <string.h>

struct le_io_stream {
    le__io_place place;
    char *text; /* what place.text points to */
    le_engine *engine;
    le_io_stream_info info;
    int64_t at, max_bytes;
    uint32_t dtypes;
    le__h5_dataset *h5;
    le__tiff_stack *tiff;
};

static le_status open_source(le_io_stream *s) {
    le__io_request r = {.place = &s->place,
                        .parallel = le__io_parallel_of(s->engine),
                        .max_bytes = s->max_bytes,
                        .dtypes = s->dtypes};
    switch (s->place.format) {
    case LE__IO_HDF5:
        return le__h5_stream_open(&r, &s->h5, &s->info);
    case LE__IO_TIFF:
        return le__tiff_stream_open(&r, &s->tiff, &s->info);
    default:
        return le_fail(LE_ERR_UNSUPPORTED, "%s: frames are read from HDF5 and TIFF files", s->text);
    }
}

le_status le_io_stream_open(le_engine *engine, const char *place, const le_io_options *options,
                            le_io_stream **out) {
    le_io_options o;
    le_status status = le__io_take_options(&o, options);
    if (status != LE_OK)
        return status;
    le_io_stream *s = calloc(1, sizeof *s);
    if (!s || !(s->text = strdup(place ? place : ""))) {
        free(s);
        return le_fail(LE_ERR_MEMORY, "le_io_stream_open: out of memory");
    }
    s->engine = engine;
    s->max_bytes = o.max_bytes;
    s->dtypes = o.dtypes;
    status = le__io_place_parse(s->text, &s->place);
    if (status == LE_OK)
        status = open_source(s);
    if (status == LE_OK)
        *out = s;
    else
        le_io_stream_close(&s);
    return status;
}

const le_io_stream_info *le_io_stream_about(const le_io_stream *stream) {
    return &stream->info;
}

static le_status make_room(const le_io_stream *s, int64_t count, le_tensor *frames) {
    int64_t shape[LE_MAX_DIMS];
    memcpy(shape, s->info.shape, sizeof shape);
    shape[0] = count;
    return le__io_room(frames, s->text, s->info.dtype, s->info.ndim, shape, s->max_bytes);
}

static le_status read_next(le_io_stream *s, int64_t max_frames, le_tensor *frames) {
    int64_t left = s->info.shape[0] - s->at;
    int64_t count = max_frames < left ? max_frames : left;
    if (max_frames < 1)
        return le_fail(LE_ERR_ARGUMENT,
                       "le_io_stream_next: max_frames is %lld, at least 1 is expected",
                       (long long)max_frames);
    if (count <= 0) {
        le_tensor_free(frames);
        return LE_OK;
    }
    le_status status = make_room(s, count, frames);
    if (status != LE_OK)
        return status;
    if (s->h5) {
        le__io_parallel p = le__io_parallel_of(s->engine);
        status = le__h5_stream_read(s->h5, &p, s->at, count, frames->data);
    } else {
        status = le__tiff_stream_read(s->tiff, s->at, count, frames->data);
    }
    if (status == LE_OK)
        s->at += count;
    return status;
}

le_status le_io_stream_next(le_io_stream *s, int64_t max_frames, le_tensor *frames) {
    le__ticker ticker;
    le__ticker_begin(&ticker, NULL, 0);
    return le__io_end_ticks(&ticker, s->text, read_next(s, max_frames, frames));
}

void le_io_stream_leave(le_io_stream *s, int64_t frames) {
    const int64_t left = s->info.shape[0] - s->at;
    s->at += frames < left ? frames : left;
}

void le_io_stream_close(le_io_stream **stream) {
    le_io_stream *s = stream ? *stream : NULL;
    if (!s)
        return;
    le__h5_stream_close(s->h5);
    le__tiff_stream_close(s->tiff);
    le__io_place_free(&s->place);
    free(s->text);
    free(s);
    *stream = NULL;
}
