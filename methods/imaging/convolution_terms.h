/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Convolution of a block with a sum of separable terms; included after convolution_block.h for each
 * precision.
 */
#define NAME_JOIN(a, b)  a##_##b
#define NAME_LATER(a, b) NAME_JOIN(a, b)
#define NAME(a)          NAME_LATER(a, SUFFIX)

/* ---------------------------------------------------------------------------------- separable ---
 */

static inline void NAME(group_store)(REAL *p, NAME(group) g) {
#define CONV_X(v, i) NAME(store)(p + (i)*NAME(LANES), g.v);
    CONV_EACH(CONV_X)
#undef CONV_X
}

/* A kernel as a sum of products of a column and a row. */
typedef struct NAME(terms) {
    int rank;
    const REAL *columns, *rows; /* [rank][tap_rows], [rank][tap_cols] */
} NAME(terms);

/* Four rows of the tile's columns, summed with the taps of a column: from row y of the block on. */
static inline void NAME(down_columns)(const REAL *column, int64_t taps, const NAME(tile) * t,
                                      int64_t y, REAL *out) {
    const NAME(taps) k = {.first = column, .rows = taps, .cols = 1, .stride = 1};
    for (int64_t x = 0; x < t->width; x += NAME(GROUP)) {
        NAME(group) sum[4];
        NAME(four_rows)(&k, t->rows + y, x, sum);
        for (int64_t i = 0; i < 4; i++)
            NAME(group_store)(out + i * t->width + x, sum[i]);
    }
}

/* One row, where there are less than four. */
static inline void NAME(down_column)(const REAL *column, int64_t taps, const NAME(tile) * t,
                                     int64_t y, REAL *out) {
    for (int64_t x = 0; x < t->width; x += NAME(GROUP)) {
        NAME(group) sum = NAME(group_of)(0);
        for (int64_t i = 0; i < taps; i++)
            sum = NAME(group_fma)(sum, column[i], NAME(group_load)(t->rows[y + i] + x));
        NAME(group_store)(out + x, sum);
    }
}

/* A row of the result from those of the columns' sums, which are `apart` from term to term.
 * *odd stays 0 while all are finite. */
static inline void NAME(along_row)(const le__conv_run *r, const le__conv_block *b,
                                   const NAME(terms) * k, const REAL *pass, int64_t apart,
                                   int64_t y, NAME(group) * odd) {
    for (int64_t x = 0; x < b->cols; x += 2 * NAME(GROUP)) {
        NAME(group) sum[2] = {NAME(group_of)(0), NAME(group_of)(0)};
        for (int64_t i = 0; i < k->rank; i++)
            NAME(add_two)
        (sum, k->rows + i * r->c->tap_cols + b->tap_col, b->tap_cols, pass + i * apart + x);
        *odd = NAME(group_fma)(NAME(group_fma)(*odd, 0, sum[0]), 0, sum[1]);
        NAME(put_two)(r, b->row + y, b->col + x, b->cols - x, sum);
    }
}

static inline bool NAME(all_zero)(NAME(group) g) {
    REAL values[NAME(GROUP)];
    bool zero = true;
    NAME(group_store)(values, g);
    for (int64_t i = 0; i < NAME(GROUP); i++)
        zero &= values[i] == 0;
    return zero;
}

/* Whether a tile has an infinity, or numbers so large that sums may overflow on the way. */
static inline bool NAME(has_huge)(const NAME(tile) * t) {
    const REAL limit = (REAL)(sizeof(REAL) == 4 ? 1e18 : 1e150);
    bool huge = false;
    for (int64_t q = 0; q < t->height && !huge; q++)
        for (int64_t x = 0; x < t->width; x++)
            huge |= t->rows[q][x] > limit || t->rows[q][x] < -limit;
    return huge;
}

/* pass: [rank][4][width of the tile]. False: infinities would have come to windows with other signs
 * than tap by tap; nothing is lost, but the block has to be computed so. */
static inline bool NAME(separable)(const le__conv_run *r, const le__conv_block *b,
                                   const NAME(terms) * k, NAME(tile) * t, REAL *pass) {
    NAME(group) odd = NAME(group_of)(0);
    NAME(tile_of)(r, b, t);
    for (int64_t y = 0; y < b->rows; y += 4) {
        const int64_t n = b->rows - y < 4 ? b->rows - y : 4, apart = 4 * t->width;
        for (int64_t i = 0; i < k->rank; i++) {
            const REAL *column = k->columns + i * r->c->tap_rows + b->tap_row;
            REAL *out = pass + i * apart;
            if (n == 4)
                NAME(down_columns)(column, b->tap_rows, t, y, out);
            for (int64_t j = 0; j < n && n < 4; j++)
                NAME(down_column)(column, b->tap_rows, t, y + j, out + j * t->width);
        }
        for (int64_t j = 0; j < n; j++)
            NAME(along_row)(r, b, k, pass + j * t->width, apart, y + j, &odd);
    }
    return NAME(all_zero)(odd) || !NAME(has_huge)(t);
}

#undef NAME
#undef NAME_LATER
#undef NAME_JOIN
