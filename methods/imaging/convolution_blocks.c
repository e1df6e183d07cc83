/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Blocks of a result.
 */
#include "imaging/convolution_blocks.h"

#include <math.h>

enum {
    BLOCK_ROWS = 32,
    BLOCK_COLS = 1024,
    SIGNAL_COLS = 8192, /* of blocks of one row */
    TILE_ELEMENTS = 1 << 20
};

static int64_t less(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t more(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* Taps k of an axis beyond which no window of [at, at + count) sees the image. */
static void reached(const le__convolution *c, int64_t at, int64_t count, int64_t before, int64_t n,
                    int64_t taps, int64_t *first, int64_t *used) {
    *first = 0;
    *used = taps;
    if (!c->scarce)
        return;
    const int64_t begin = more(0, before - (at + count - 1)), end = less(taps, n + before - at);
    *first = begin < end ? begin : 0;
    *used = begin < end ? end - begin : 0;
}

/* Of the tile of a block. */
static void measure(le__conv_blocks *b, int64_t multiple) {
    const le__convolution *c = b->c;
    b->height = b->rows + c->tap_rows - 1;
    b->width = le__conv_tile_width(b->cols, c->tap_cols, multiple);
    if (c->scarce) { /* see reached */
        b->height = less(b->height, c->rows + 2 * b->rows);
        b->width = less(b->width, le__conv_tile_width(b->cols, c->cols + b->cols, multiple));
    }
}

le__conv_blocks le__conv_blocks_of(const le__convolution *c, int64_t multiple) {
    le__conv_blocks b = {
        .c = c, .rows = BLOCK_ROWS, .cols = c->out_rows == 1 ? SIGNAL_COLS : BLOCK_COLS};
    b.rows = less(b.rows, more(c->out_rows, 1));
    b.cols = less(b.cols, more(c->out_cols, 1));
    for (measure(&b, multiple); b.height * b.width > TILE_ELEMENTS && b.cols > 2 * multiple;
         measure(&b, multiple))
        b.cols /= 2;
    b.down = (c->out_rows + b.rows - 1) / b.rows;
    b.across = (c->out_cols + b.cols - 1) / b.cols;
    return b;
}

le__conv_block le__conv_block_at(const le__conv_blocks *b, int64_t item) {
    const le__convolution *c = b->c;
    le__conv_block k = {.row = item / b->across * b->rows, .col = item % b->across * b->cols};
    k.rows = less(b->rows, c->out_rows - k.row);
    k.cols = less(b->cols, c->out_cols - k.col);
    reached(c, k.row, k.rows, c->top, c->rows, c->tap_rows, &k.tap_row, &k.tap_rows);
    reached(c, k.col, k.cols, c->left, c->cols, c->tap_cols, &k.tap_col, &k.tap_cols);
    return k;
}

bool le__conv_below(const le__conv_run *r, const le__conv_block *b, float limit) {
    for (int64_t y = 0; y < b->rows; y++) {
        const float *out = (const float *)r->out + (b->row + y) * r->out_stride[0];
        for (int64_t x = 0; x < b->cols; x++)
            if (!(fabsf(out[(b->col + x) * r->out_stride[1]]) < limit))
                return false;
    }
    return true;
}
