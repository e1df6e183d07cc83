/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Frames of a file as a source of stored chunks: as they are stored where the operation decodes
 * them, else read, and given as chunks that passed no filter.
 */
#ifndef LE_TOOLS_SCAN_FRAMES_H
#define LE_TOOLS_SCAN_FRAMES_H

#include "liquid_engine/le_stream.h"

/* What the operation can do with a chunk. */
typedef struct scan_wish {
    bool whole_frames; /* both axes of a frame in one chunk, all of it selected */
    uint32_t dtypes;   /* of elements; mask */
    bool skip;         /* what cannot be read is marked */
} scan_wish;

/* To be closed with le_source_close. */
le_status scan_frames_open(le_engine *engine, const char *place, const scan_wish *wish,
                           le_source **out);
/* As le_io_source_pieces. */
size_t scan_frames_pieces(const le_source *source, const le_source_piece **pieces);
/* How many of the next items are there, as le_io_source_ready tells; unless writing has ended,
 * without the last ones where frames are still to come into their chunks. All, where nothing tells.
 */
int64_t scan_frames_ready(le_source *source, bool ended);
/* What is stored of an item, mixed: whether it is the same one at another time. false: it cannot be
 * read. */
bool scan_frames_print(le_engine *engine, const char *place, const scan_wish *wish, int64_t item,
                       uint64_t *out);
/* Leaves out the next items. */
le_status scan_frames_leave(le_source *source, int64_t items);

#endif
