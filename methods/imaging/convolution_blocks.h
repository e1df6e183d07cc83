/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * How a result is cut into blocks, each computed from a tile of the continued image that stays in
 * the cache.
 */
#ifndef LE_IMAGING_CONVOLUTION_BLOCKS_H
#define LE_IMAGING_CONVOLUTION_BLOCKS_H

#include "imaging/convolution.h"

typedef struct le__conv_blocks {
    const le__convolution *c;
    int64_t rows, cols;   /* of a block */
    int64_t down, across; /* blocks */
    int64_t height;       /* of a tile, at most */
    int64_t width;        /* elements of one of its rows, at most */
} le__conv_blocks;

/* A block of the result, and the taps that reach the image from it. */
typedef struct le__conv_block {
    int64_t row, rows, col, cols;
    int64_t tap_row, tap_rows, tap_col, tap_cols;
} le__conv_block;

/* n rounded up to a multiple. */
static inline int64_t le__conv_width(int64_t n, int64_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

/* Elements of a row of a tile, so that sums of `multiple` columns at once read nothing behind it,
 * neither for the block nor for what a block needs. */
static inline int64_t le__conv_tile_width(int64_t cols, int64_t taps, int64_t multiple) {
    return le__conv_width(le__conv_width(cols, multiple) + taps - 1, multiple);
}

/* multiple: of columns that are computed at once. */
le__conv_blocks le__conv_blocks_of(const le__convolution *c, int64_t multiple);
le__conv_block le__conv_block_at(const le__conv_blocks *b, int64_t item);

/* Whether finite numbers overflow in what this thread does from watch on, as the processor notes
 * it: a look at each result would take time. before: what watch has said. */
bool le__conv_watch(void);
bool le__conv_overflowed(bool before);
/* Whether all results of the block, of f32, are below limit in magnitude; not where one is no number. */
bool le__conv_below(const le__conv_run *r, const le__conv_block *b, float limit);
/* Makes results of f32 that are not finite again, tap by tap in double precision. */
void le__conv_mend(const le__conv_run *r, const le__conv_block *b);

#endif
