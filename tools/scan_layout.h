/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Where the contents of stored chunks belong in a result.
 */
#ifndef LE_TOOLS_SCAN_LAYOUT_H
#define LE_TOOLS_SCAN_LAYOUT_H

#include "liquid_engine/le_stream.h"

typedef struct scan_layout {
    const le_source_piece *pieces; /* borrowed */
    size_t n_pieces;
    int axes;                   /* the first ones of a dataset, which are laid out */
    int64_t shape[LE_MAX_DIMS]; /* what is selected along them, in all pieces */
} scan_layout;

scan_layout scan_layout_of(const le_source_piece *pieces, size_t n_pieces, int axes);
/* All that is selected. */
int64_t scan_layout_count(const scan_layout *layout);
/* How many of these the items before this one have; about so many where chunks lie side by side. */
int64_t scan_layout_before(const scan_layout *layout, int64_t item);
/* Cells of a chunk along the laid out axes. */
int64_t scan_layout_cells(const scan_layout *layout);
/* Shape of a result: the axes that are not dropped, then `more`. Returns ndim. */
int scan_layout_shape(const scan_layout *layout, const int64_t *more, int n_more, int64_t *shape);

/* n cells of the chunk from number `from` on (row-major) are those of the result from `to` on. */
typedef le_status (*scan_run)(void *cookie, int64_t from, int64_t to, int64_t n);
/* Tells about all selected cells of the chunk with item number `item`. */
le_status scan_layout_item(const scan_layout *layout, int64_t item, scan_run run, void *cookie);
/* The piece that an item belongs to. */
size_t scan_layout_piece(const scan_layout *layout, int64_t item);

#endif
