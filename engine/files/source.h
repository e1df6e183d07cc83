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
 * LE_SOURCE_STORED has. */
typedef struct le__h5_stored_source le__h5_stored_source;
le_status le__h5_stored_open(const le__io_request *r, le__h5_stored_source **out, int64_t *items);
const le_stored_info *le__h5_stored_info(const le__h5_stored_source *s);
le_status le__h5_stored_next(le__h5_stored_source *s, int64_t items, le_tensor *parts);
void le__h5_stored_close(le__h5_stored_source *s);

/* A source over the frames of a stream that stays the caller's; nothing to close. */
le_source le__io_frames(le_io_stream *stream);

#endif
