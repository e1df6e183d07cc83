/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Convolution of a block of an image, in the precision that REAL (a type), SUFFIX (its name) and
 * DTYPE (as the engine's) give: included once for each. An element stands for STEP neighbouring
 * pixels; so does a tap. PIECE: taps of a sum at most, before the next sum begins. Of alike pixels
 * and taps all additions round the same way, the further the larger the sum is.
 *
 * A tile is what a block of the result needs of the continued image, as pointers to rows: into the
 * image where it can be, else to rows copied from it.
 */
#define NAME_JOIN(a, b)  a##_##b
#define NAME_LATER(a, b) NAME_JOIN(a, b)
#define NAME(a)          NAME_LATER(a, SUFFIX)

/* ---------------------------------------------------------------------------------- vectors --- */

typedef struct NAME(group) {
#define CONV_X(v, i) NAME(vec) v;
    CONV_EACH(CONV_X)
#undef CONV_X
} NAME(group);

static inline NAME(group) NAME(group_of)(REAL x) {
    const NAME(vec) all = NAME(set)(x);
#define CONV_X(v, i) .v = all,
    return (NAME(group)){CONV_EACH(CONV_X)};
#undef CONV_X
}

static inline NAME(group) NAME(group_load)(const REAL *p) {
#define CONV_X(v, i) .v = NAME(load)(p + (i)*NAME(LANES)),
    return (NAME(group)){CONV_EACH(CONV_X)};
#undef CONV_X
}

static inline NAME(group) NAME(group_fma)(NAME(group) sum, REAL tap, NAME(group) x) {
    const NAME(vec) t = NAME(set)(tap);
#define CONV_X(v, i) .v = NAME(fma)(t, x.v, sum.v),
    return (NAME(group)){CONV_EACH(CONV_X)};
#undef CONV_X
}

/* ------------------------------------------------------------------------------------- sums --- */

/* Some rows and columns of a kernel. */
typedef struct NAME(taps) {
    const REAL *first;
    int64_t rows, cols, stride;
    REAL start; /* of every sum */
} NAME(taps);

static inline NAME(group)
    NAME(add_row)(NAME(group) sum, const REAL *taps, int64_t n, const REAL *x) {
    for (int64_t j = 0; j < n; j++)
        sum = NAME(group_fma)(sum, taps[j], NAME(group_load)(x + STEP * j));
    return sum;
}

/* Adds taps[0 .. n) over x to two neighbouring groups: more chains of sums than one row of one
 * group has, which would wait for each other. */
static inline void NAME(add_two)(NAME(group) sum[2], const REAL *taps, int64_t n, const REAL *x) {
    NAME(group) a = sum[0], b = sum[1];
    for (int64_t j = 0; j < n; j++) {
        const NAME(group) left = NAME(group_load)(x + STEP * j),
                          right = NAME(group_load)(x + STEP * j + NAME(GROUP));
        a = NAME(group_fma)(a, taps[j], left);
        b = NAME(group_fma)(b, taps[j], right);
    }
    sum[0] = a;
    sum[1] = b;
}

/* Sums of pieces of taps. */
typedef struct NAME(total) {
    NAME(group) of[4];
    int64_t taps, pieces; /* of the piece that is summed up; before it */
} NAME(total);

static inline NAME(total) NAME(no_total)(void) {
    const NAME(group) none = NAME(group_of)(0);
    return (NAME(total)){{none, none, none, none}, 0, 0};
}

/* Whether a piece ends before so many more taps. */
static inline bool NAME(is_full)(NAME(total) * all, int64_t more) {
    const bool full = all->taps > PIECE - more;
    all->taps = full ? more : all->taps + more;
    return full;
}

static inline void NAME(put_by)(NAME(total) * all, const NAME(group) * sum, int n) {
    for (int i = 0; i < n; i++)
        all->of[i] = NAME(group_fma)(all->of[i], 1, sum[i]);
    all->pieces++;
}

/* Not inlined: totals in registers would leave too few for the sums. */
static __attribute__((noinline)) void NAME(put_four)(NAME(total) * all, const NAME(group) * sum) {
    NAME(put_by)(all, sum, 4);
}

static inline void NAME(end_pieces)(NAME(total) * all, NAME(group) * sum, int n) {
    if (!all->pieces)
        return;
    NAME(put_by)(all, sum, n);
    memcpy(sum, all->of, (size_t)n * sizeof *sum);
}

/* Columns of the kernel from `col` on, as many as a piece has at most. */
static inline NAME(taps) NAME(piece_of)(const NAME(taps) * k, int64_t col) {
    NAME(taps) piece = *k;
    piece.first += col;
    piece.cols = k->cols - col < PIECE ? k->cols - col : PIECE;
    return piece;
}

/* Adds a piece of columns of the kernel to a group of each of four rows of the result. A row of the
 * image that all four need is loaded once for them; the first and the last three are not needed by
 * all. */
static inline void NAME(add_four)(const NAME(taps) * k, const REAL *const *rows, int64_t x,
                                  NAME(total) * all, NAME(group) sum[4]) {
    NAME(group) a = sum[0], b = sum[1], c = sum[2], d = sum[3];
    const int64_t s = k->stride;
    for (int64_t q = 0; q < k->rows + 3 && k->rows > 0; q++) {
        const REAL *in = rows[q] + x;
        if (NAME(is_full)(all, k->cols)) {
            const NAME(group) piece[4] = {a, b, c, d};
            NAME(put_four)(all, piece);
            a = b = c = d = NAME(group_of)(0);
        }
        if (q >= 3 && q < k->rows) {
            const REAL *t = k->first + q * s;
            for (int64_t j = 0; j < k->cols; j++) {
                const NAME(group) v = NAME(group_load)(in + STEP * j);
                a = NAME(group_fma)(a, t[j], v);
                b = NAME(group_fma)(b, t[j - s], v);
                c = NAME(group_fma)(c, t[j - 2 * s], v);
                d = NAME(group_fma)(d, t[j - 3 * s], v);
            }
            continue;
        }
        if (q < k->rows)
            a = NAME(add_row)(a, k->first + q * s, k->cols, in);
        if (q >= 1 && q - 1 < k->rows)
            b = NAME(add_row)(b, k->first + (q - 1) * s, k->cols, in);
        if (q >= 2 && q - 2 < k->rows)
            c = NAME(add_row)(c, k->first + (q - 2) * s, k->cols, in);
        if (q >= 3 && q - 3 < k->rows)
            d = NAME(add_row)(d, k->first + (q - 3) * s, k->cols, in);
    }
    sum[0] = a;
    sum[1] = b;
    sum[2] = c;
    sum[3] = d;
}

static inline void NAME(four_rows)(const NAME(taps) * k, const REAL *const *rows, int64_t x,
                                   NAME(group) sum[4]) {
    NAME(total) all = NAME(no_total)();
    sum[0] = sum[1] = sum[2] = sum[3] = NAME(group_of)(k->start);
    for (int64_t j = 0; j < k->cols; j += PIECE) {
        const NAME(taps) piece = NAME(piece_of)(k, j);
        NAME(add_four)(&piece, rows, x + STEP * j, &all, sum);
    }
    NAME(end_pieces)(&all, sum, 4);
}

/* ------------------------------------------------------------------------------------ tiles --- */

typedef struct NAME(tile) {
    const REAL **rows; /* [height of the block + rows of taps - 1] */
    REAL *spare;       /* of copied rows, `width` each */
    int64_t height;    /* rows that the block needs */
    int64_t width;     /* what may be read of each row */
} NAME(tile);

static inline NAME(tile) NAME(tile_at)(const le__conv_context *x, int worker) {
    char *at = x->spare + le__conv_spare(&x->blocks, x->form) * (size_t)worker;
    return (NAME(tile)){.rows = (const REAL **)(void *)at,
                        .spare = (REAL *)(void *)(at + le__conv_pointers(&x->blocks))};
}

static inline bool NAME(in_place)(const le__conv_run *r, int64_t col, int64_t width) {
    return r->in_dtype == DTYPE && r->in_stride[1] == 1 && col >= 0 && col + width <= r->c->cols;
}

/* What a block needs. Its width is a multiple of what is summed at once, so that the last columns
 * are only there to be read. */
static inline void NAME(tile_of)(const le__conv_run *r, const le__conv_block *b, NAME(tile) * t) {
    const int64_t top = b->row - r->c->top + b->tap_row, left = b->col - r->c->left + b->tap_col;
    const int64_t wanted = b->cols + b->tap_cols - 1;
    t->height = b->tap_rows ? b->rows + b->tap_rows - 1 : 0;
    t->width = le__conv_tile_width(b->cols, b->tap_cols, 2 * NAME(GROUP));
    const bool in_place = NAME(in_place)(r, left, t->width);
    for (int64_t q = 0; q < t->height; q++) {
        const int64_t row = le__conv_source(r->c->boundary, top + q, r->c->rows);
        REAL *copy = t->spare + q * t->width;
        t->rows[q] = copy;
        if (in_place && row >= 0) {
            t->rows[q] = (const REAL *)r->in + row * r->in_stride[0] + left;
            continue;
        }
        NAME(LOAD)(r, row, left, wanted, copy);
        memset(copy + wanted, 0, (size_t)(t->width - wanted) * sizeof *copy);
    }
}

/* ---------------------------------------------------------------------------------- results --- */

static inline void NAME(group_put_f32)(float *p, NAME(group) g) {
#define CONV_X(v, i) NAME(put_f32)(p + (i)*NAME(LANES), g.v);
    CONV_EACH(CONV_X)
#undef CONV_X
}

static inline void NAME(group_put_f64)(double *p, NAME(group) g) {
#define CONV_X(v, i) NAME(put_f64)(p + (i)*NAME(LANES), g.v);
    CONV_EACH(CONV_X)
#undef CONV_X
}

/* `count` elements of a group, at row and col of the result. */
static inline void NAME(put)(const le__conv_run *r, int64_t row, int64_t col, int64_t count,
                             NAME(group) g) {
    const int64_t at = row * r->out_stride[0] + col * r->out_stride[1];
    const bool whole = count >= NAME(GROUP) && r->out_stride[1] == 1;
    float narrow[NAME(GROUP)];
    double wide[NAME(GROUP)];
    if (r->out_dtype == LE_F32) {
        NAME(group_put_f32)(whole ? (float *)r->out + at : narrow, g);
        for (int64_t i = 0; i < count && i < NAME(GROUP) && !whole; i++)
            ((float *)r->out)[at + i * r->out_stride[1]] = narrow[i];
    } else {
        NAME(group_put_f64)(whole ? (double *)r->out + at : wide, g);
        for (int64_t i = 0; i < count && i < NAME(GROUP) && !whole; i++)
            ((double *)r->out)[at + i * r->out_stride[1]] = wide[i];
    }
}

/* ----------------------------------------------------------------------------------- blocks --- */

static inline void NAME(put_two)(const le__conv_run *r, int64_t row, int64_t col, int64_t count,
                                 const NAME(group) sum[2]) {
    NAME(put)(r, row, col, count, sum[0]);
    if (count > NAME(GROUP))
        NAME(put)(r, row, col + NAME(GROUP), count - NAME(GROUP), sum[1]);
}

/* Row y of the block. */
static inline void NAME(direct_row)(const le__conv_run *r, const le__conv_block *b,
                                    const NAME(taps) * k, const REAL *const *rows, int64_t y) {
    for (int64_t x = 0; x < b->cols; x += 2 * NAME(GROUP)) {
        NAME(group) sum[2] = {NAME(group_of)(k->start), NAME(group_of)(k->start)};
        NAME(total) all = NAME(no_total)();
        for (int64_t i = 0; i < k->rows; i++)
            for (int64_t j = 0; j < k->cols; j += PIECE) {
                const NAME(taps) piece = NAME(piece_of)(k, j);
                if (NAME(is_full)(&all, piece.cols)) {
                    NAME(put_by)(&all, sum, 2);
                    sum[0] = sum[1] = NAME(group_of)(0);
                }
                NAME(add_two)
                (sum, piece.first + i * k->stride, piece.cols, rows[i] + x + STEP * j);
            }
        NAME(end_pieces)(&all, sum, 2);
        NAME(put_two)(r, b->row + y, b->col + x, b->cols - x, sum);
    }
}

/* taps: all of the kernel; start: of every sum. */
static inline void NAME(direct)(const le__conv_run *r, const le__conv_block *b, const REAL *taps,
                                REAL start, NAME(tile) * t) {
    const int64_t stride = (r->c->tap_cols + STEP - 1) / STEP;
    const NAME(taps) k = {.first = taps + b->tap_row * stride + b->tap_col / STEP,
                          .rows = b->tap_rows,
                          .cols = (b->tap_cols + STEP - 1) / STEP,
                          .stride = stride,
                          .start = start};
    int64_t y = 0;
    NAME(tile_of)(r, b, t);
    for (; y + 4 <= b->rows; y += 4)
        for (int64_t x = 0; x < b->cols; x += NAME(GROUP)) {
            NAME(group) sum[4];
            NAME(four_rows)(&k, t->rows + y, x, sum);
            for (int64_t i = 0; i < 4; i++)
                NAME(put)(r, b->row + y + i, b->col + x, b->cols - x, sum[i]);
        }
    for (; y < b->rows; y++)
        NAME(direct_row)(r, b, &k, t->rows + y, y);
}

#undef NAME
#undef NAME_LATER
#undef NAME_JOIN
