/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Frames of a file as a source of stored chunks.
 */
#include "scan_frames.h"

#include "liquid_engine/le_method.h"
#include "scan_command.h"
#include "scan_layout.h"
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BITSHUFFLE = 32008, PARTS = 3 };

/* ------------------------------------------------------------------------- frames that are read */

typedef struct read_source {
    le_source base;
    le_source *chunks;    /* of the same frames; NULL: nothing tells what of them is written */
    int64_t written;      /* of the chunks, before `stream` was opened */
    le_io_stream *stream; /* NULL: all is one frame, in `frames` */
    le_tensor frames;
    int64_t frame_bytes;
    bool skip;
    char why[256]; /* what could not be read last */
    le_stored_info info;
    le_source_piece piece;
    char *place;
} read_source;

static le_status room(le_tensor *t, le_dtype dtype, int64_t n) {
    if (t->data && t->dtype == dtype && t->shape[0] == n) {
        le_tensor_touch(t); /* devices have copies of what it held */
        return LE_OK;
    }
    le_tensor_free(t);
    return le_tensor_alloc(t, dtype, 1, &n);
}

/* One frame that cannot be read is marked; its reason is told once for all that have it. */
static void leave_unreadable(read_source *s, uint32_t *mask) {
    if (strncmp(s->why, le_error_message(), sizeof s->why - 1) != 0)
        tool_message("%s", le_error_message());
    snprintf(s->why, sizeof s->why, "%s", le_error_message());
    *mask = LE_STORED_UNREADABLE;
    le_io_stream_leave(s->stream, 1);
}

/* The frames of a batch that could not be read as a whole, one by one. */
static le_status read_singly(read_source *s, int64_t items, uint8_t *data, uint32_t *masks) {
    for (int64_t i = 0; i < items; i++) {
        const le_status status = le_io_stream_next(s->stream, 1, &s->frames);
        uint8_t *to = data + i * s->frame_bytes;
        if (status != LE_OK && status != LE_ERR_IO)
            return status;
        if (status == LE_OK) {
            memcpy(to, s->frames.data, (size_t)s->frame_bytes);
            continue;
        }
        memset(to, 0, (size_t)s->frame_bytes);
        leave_unreadable(s, &masks[i]);
    }
    return LE_OK;
}

static le_status read_next(le_source *source, int64_t items, le_tensor *parts) {
    read_source *s = (read_source *)source;
    le_status status = room(&parts[0], LE_U8, items * s->frame_bytes);
    if (status == LE_OK)
        status = room(&parts[1], LE_I64, items + 1);
    if (status == LE_OK)
        status = room(&parts[2], LE_U32, items);
    if (status != LE_OK)
        return status;
    for (int64_t i = 0; i <= items; i++)
        ((int64_t *)parts[1].data)[i] = i * s->frame_bytes;
    for (int64_t i = 0; i < items; i++)
        ((uint32_t *)parts[2].data)[i] = 1; /* passed no filter */
    if (s->stream)
        status = le_io_stream_next(s->stream, items, &s->frames);
    if (status == LE_ERR_IO && s->skip)
        return read_singly(s, items, parts[0].data, parts[2].data);
    if (status == LE_OK)
        memcpy(parts[0].data, s->frames.data, (size_t)(items * s->frame_bytes));
    return status;
}

static void read_close(le_source *source) {
    read_source *s = (read_source *)source;
    le_io_stream_close(&s->stream);
    le_source_close(&s->chunks);
    le_tensor_free(&s->frames);
    free(s->place);
    free(s);
}

/* One chunk is a frame along the first axis, or all there is. */
static void describe(read_source *s, le_dtype dtype, int ndim, const int64_t *shape, bool alone) {
    s->info = (le_stored_info){.dtype = dtype, .ndim = ndim};
    s->info.chunk_bytes = (int64_t)le_dtype_size(dtype);
    for (int d = 0; d < ndim; d++) {
        const bool split = d == 0 && !alone;
        s->info.shape[d] = s->info.count[d] = shape[d];
        s->info.chunk[d] = split ? 1 : shape[d];
        s->info.grid[d] = split ? shape[d] : 1;
        s->info.step[d] = 1;
        s->info.chunk_bytes *= s->info.chunk[d];
    }
    s->frame_bytes = s->info.chunk_bytes;
    s->base.items = alone ? 1 : shape[0];
    s->piece = (le_source_piece){.place = s->place, .items = s->base.items, .about = &s->info};
}

static le_status read_open(le_engine *engine, const scan_wish *wish, read_source *s) {
    const le_io_options options = {.struct_size = sizeof options, .dtypes = wish->dtypes};
    le_dtype dtype;
    int ndim;
    int64_t shape[LE_MAX_DIMS];
    le_status status = le_io_peek(s->place, &dtype, &ndim, shape);
    if (status == LE_OK && (ndim > 2 || (!wish->whole_frames && ndim > 1)) &&
        le_io_stream_open(engine, s->place, &options, &s->stream) == LE_OK) {
        const le_io_stream_info *about = le_io_stream_about(s->stream);
        s->base.block = about->block;
        describe(s, about->dtype, about->ndim, about->shape, false);
        return LE_OK;
    }
    if (status == LE_OK)
        status = le_io_read(engine, s->place, &options, &s->frames);
    if (status == LE_OK && s->frames.ndim < 1)
        status = le_fail(LE_ERR_SHAPE, "%s: a single number, frames are expected", s->place);
    if (status == LE_OK)
        describe(s, s->frames.dtype, s->frames.ndim, s->frames.shape, true);
    return status;
}

static le_status open_read(le_engine *engine, const char *place, const scan_wish *wish,
                           le_source **out) {
    read_source *s = calloc(1, sizeof *s);
    if (!s || !(s->place = strdup(place))) {
        free(s);
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", place);
    }
    s->skip = wish->skip;
    s->base = (le_source){.block = 1, .parts = PARTS, .next = read_next, .close = read_close};
    le_status status = read_open(engine, wish, s);
    if (status == LE_OK)
        *out = &s->base;
    else
        read_close(&s->base);
    return status;
}

/* ------------------------------------------------------------------------------ stored frames --
 */

static bool whole(const le_stored_info *x) {
    bool all = x->ndim >= 2;
    for (int d = x->ndim - 2; d < x->ndim && all; d++)
        all = x->chunk[d] == x->shape[d] && x->count[d] == x->shape[d] && x->step[d] == 1 &&
              !x->dropped[d];
    return all;
}

/* Whether the operation decodes the chunks; else *why not. */
static bool decodable(const le_stored_info *x, const scan_wish *wish, const char **why) {
    *why = "its chunks have other filters than bitshuffle (32008) alone";
    if (x->n_filters != 1 || x->filters[0].id != BITSHUFFLE || x->filters[0].n_values < 3)
        return false;
    *why = "frames are stored in parts, or not all of a frame is selected";
    if (wish->whole_frames && !whole(x))
        return false;
    *why = "its elements are of a type that the operation does not take";
    return (wish->dtypes & LE_DTYPE_BIT(x->dtype)) != 0;
}

static bool all_selected(const le_stored_info *x) {
    bool all = true;
    for (int d = 0; d < x->ndim; d++)
        all = all && x->start[d] == 0 && x->step[d] == 1 && x->count[d] == x->shape[d] &&
              !x->dropped[d];
    return all;
}

/* The place of a piece with what is selected of it. */
static char *place_of(const le_source_piece *piece) {
    enum { AXIS = 3 * 24 };
    const le_stored_info *x = piece->about;
    const size_t size = strlen(piece->place) + LE_MAX_DIMS * AXIS + 2;
    char *text = malloc(size);
    size_t n = text ? (size_t)snprintf(text, size, "%s", piece->place) : 0;
    for (int d = 0; text && !all_selected(x) && d < x->ndim; d++) {
        const long long start = x->start[d], step = x->step[d];
        const char *end = d + 1 < x->ndim ? "" : "]", *begin = d ? "," : "[";
        const long long last = x->count[d] ? start + (x->count[d] - 1) * step + 1 : start;
        n += (size_t)(x->dropped[d] ? snprintf(text + n, size - n, "%s%lld%s", begin, start, end)
                                    : snprintf(text + n, size - n, "%s%lld:%lld:%lld%s", begin,
                                               start, last, step, end));
    }
    return text;
}

/* The only dataset of a group, say, which is to be read instead of the source. */
static le_status read_piece(le_engine *engine, const le_source_piece *piece, const scan_wish *wish,
                            le_source **out) {
    char *place = place_of(piece);
    if (!place)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", piece->place);
    le_source *chunks = *out;
    const int64_t written = le_io_source_ready(chunks);
    *out = NULL;
    le_status status = open_read(engine, place, wish, out);
    read_source *s = (read_source *)*out;
    if (status == LE_OK) {
        s->chunks = chunks;
        s->written = written;
    } else {
        le_source_close(&chunks);
    }
    free(place);
    return status;
}

le_status scan_frames_open(le_engine *engine, const char *place, const scan_wish *wish,
                           le_source **out) {
    const le_source_piece *pieces;
    const char *why;
    *out = NULL;
    le_status status =
        le_io_source(engine, place, wish->skip ? LE_SOURCE_STORED_SKIP : LE_SOURCE_STORED, out);
    if (status == LE_ERR_UNSUPPORTED || status == LE_ERR_DTYPE)
        return open_read(engine, place, wish, out);
    if (status != LE_OK)
        return status;
    const size_t n = le_io_source_pieces(*out, &pieces);
    if (decodable(pieces[0].about, wish, &why) && (n == 1 || pieces[0].about->ndim > 2))
        return LE_OK;
    if (n == 1)
        return read_piece(engine, pieces, wish, out);
    status = le_fail(LE_ERR_UNSUPPORTED,
                     "%s: datasets of a group are joined only as bitshuffled frames, but of %s %s",
                     place, pieces[0].place, why);
    le_source_close(out);
    return status;
}

size_t scan_frames_pieces(const le_source *source, const le_source_piece **pieces) {
    if (source->next != read_next)
        return le_io_source_pieces(source, pieces);
    *pieces = &((const read_source *)source)->piece;
    return 1;
}

le_status scan_frames_leave(le_source *source, int64_t items) {
    if (source->next != read_next)
        return le_io_source_leave(source, items);
    read_source *s = (read_source *)source;
    if (s->stream)
        le_io_stream_leave(s->stream, items);
    s->base.items -= items;
    return LE_OK;
}

/* Chunks beside each other of those that lie along the first axis. */
static int64_t per_row(const le_stored_info *x) {
    int64_t n = 1;
    for (int d = 1; d < x->ndim; d++)
        n *= x->grid[d];
    return n;
}

/* Items of a piece whose chunks reach beyond its end, where more frames may come to be; all are the
 * last ones. */
static int64_t unfinished(const le_source_piece *piece) {
    const le_stored_info *x = piece->about;
    if (piece->items == 0)
        return 0;
    const int64_t end = (le_stored_place(x, 0, x->grid[0] - 1) + 1) * x->chunk[0];
    return end > x->shape[0] ? per_row(x) : 0;
}

static int64_t all_items(const le_source_piece *pieces, size_t n) {
    return pieces[n - 1].first + pieces[n - 1].items;
}

/* Whoever writes into the next dataset has finished this one. */
static int64_t chunks_ready(le_source *chunks, bool ended) {
    const le_source_piece *pieces;
    const size_t n = le_io_source_pieces(chunks, &pieces);
    const int64_t begin = all_items(pieces, n) - chunks->items;
    const int64_t end = begin + le_io_source_ready(chunks);
    size_t last = 0;
    while (last + 1 < n && end > pieces[last + 1].first)
        last++;
    const int64_t settled = pieces[last].first + pieces[last].items - unfinished(&pieces[last]);
    if (ended || end <= settled)
        return end - begin;
    return settled > begin ? settled - begin : 0;
}

/* Which of the chunks along the first axis has this one of the selected frames. */
static int64_t row_of(const le_stored_info *x, int64_t frame) {
    const int64_t at = x->start[0] + frame * x->step[0];
    const int64_t row = x->step[0] > x->chunk[0] ? frame : at / x->chunk[0] - x->first[0];
    return row < x->grid[0] ? row : x->grid[0];
}

/* Frames all of whose chunks are there, and were when the frames were opened: a reader does not see
 * what is written later. */
static int64_t read_ready(read_source *s, bool ended) {
    const le_source_piece *piece;
    if (!s->chunks)
        return s->base.items;
    le_io_source_pieces(s->chunks, &piece);
    const int64_t row = per_row(piece->about), frame = s->piece.items - s->base.items;
    const int64_t begin = s->stream ? row_of(piece->about, frame) : 0;
    const int64_t left_out = piece->items - s->chunks->items;
    if (le_io_source_leave(s->chunks, begin * row - left_out) != LE_OK)
        return 0;
    int64_t end = begin * row + chunks_ready(s->chunks, ended);
    end = end < s->written ? end : s->written;
    if (!s->stream)
        return ended || end == piece->items ? s->base.items : 0;
    const scan_layout l = scan_layout_of(piece, 1, 1);
    const int64_t ready = scan_layout_before(&l, end - end % row) - frame;
    return ready < 0 ? 0 : ready < s->base.items ? ready : s->base.items;
}

int64_t scan_frames_ready(le_source *source, bool ended) {
    return source->next == read_next ? read_ready((read_source *)source, ended)
                                     : chunks_ready(source, ended);
}

static uint64_t mixed_part(const le_tensor *t) {
    return t->data ? scan_mixed(0, t->data, (size_t)le_tensor_count(t) * le_dtype_size(t->dtype))
                   : 0;
}

bool scan_frames_print(le_engine *engine, const char *place, const scan_wish *wish, int64_t item,
                       uint64_t *out) {
    le_tensor parts[LE_SOURCE_PARTS] = {{0}};
    le_source *source = NULL;
    bool good = scan_frames_open(engine, place, wish, &source) == LE_OK && item < source->items &&
                scan_frames_leave(source, item) == LE_OK && source->next(source, 1, parts) == LE_OK;
    const uint64_t both[2] = {mixed_part(&parts[0]), mixed_part(&parts[PARTS - 1])};
    *out = good ? scan_mixed(0, both, sizeof both) : 0;
    for (int k = 0; k < LE_SOURCE_PARTS; k++)
        le_tensor_free(&parts[k]);
    le_source_close(&source);
    return good;
}
