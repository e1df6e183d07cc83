/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Files as sources of batches.
 */
#ifndef LE_IO_SOURCE_H
#define LE_IO_SOURCE_H

#include "files/io.h"
#include "liquid_engine/le_stream.h"

/* Chunks as they are stored (h5_stored.c); *items: how many. next fills the three parts that
 * LE_SOURCE_STORED has; skip: as LE_SOURCE_STORED_SKIP. */
typedef struct le__h5_stored_source le__h5_stored_source;
le_status le__h5_stored_open(const le__io_request *r, bool skip, le__h5_stored_source **out);
/* How many axes a dataset has, whether or not its chunks can be had; -1: it cannot be opened. */
int le__h5_axes(const le__io_place *place);
/* Selects along one axis, whose chunk and shape are known. */
void le__h5_stored_select(le_stored_info *info, int axis, const le__io_range *range);
/* How many of the next items, of so many, were ever written, up to the first that was not. */
int64_t le__h5_stored_ready(le__h5_stored_source *s, int64_t most);
/* Passes over the next items. */
void le__h5_stored_leave(le__h5_stored_source *s, int64_t items);
const le_stored_info *le__h5_stored_info(const le__h5_stored_source *s);
le_status le__h5_stored_next(le__h5_stored_source *s, int64_t items, le_tensor *parts);
void le__h5_stored_close(le__h5_stored_source *s);

enum { LE__FRAME_AXES = 2 }; /* at least; what has fewer, as angles of a scan, is no frames */
/* The names of the datasets of a group, and of its links to other files (h5_list.c), in order; at
 * least one. frames: without those of fewer than two axes, as far as they are in this file, and
 * without soft links to a dataset that another name leads to. */
typedef struct le__h5_names {
    char **list;
    size_t n;
} le__h5_names;
le_status le__h5_list(const le__io_place *place, bool frames, le__h5_names *out);
void le__h5_names_free(le__h5_names *names);

/* The datasets that stored chunks come from (pieces.c), each open while its chunks are taken. */
typedef struct le__pieces le__pieces;
/* The place of the request lives as long. */
le_status le__pieces_open(const le__io_request *r, bool skip, le__pieces **out);
void le__pieces_close(le__pieces *p);
int64_t le__pieces_items(const le__pieces *p);
size_t le__pieces_list(const le__pieces *p, const le_source_piece **list);
/* The next items, as LE_SOURCE_STORED has them. */
le_status le__pieces_next(le__pieces *p, int64_t items, le_tensor *parts);
void le__pieces_leave(le__pieces *p, int64_t items);
/* How many of the next items were ever written, up to the first that was not. */
int64_t le__pieces_ready(le__pieces *p);

/* A source over the frames of a stream that stays the caller's; nothing to close. */
le_source le__io_frames(le_io_stream *stream);

#endif
