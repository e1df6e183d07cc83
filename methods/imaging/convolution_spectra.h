/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Convolutions of images with many taps by Fourier transforms of overlapping tiles (overlap-save:
 * Oppenheim and Schafer, Discrete-Time Signal Processing). Two tiles are transformed at once, as
 * real and imaginary parts: taps are real, so that they do not mix. A tile stays in the cache; what
 * is not finite, which a transform would spread over its tile, is summed tap by tap. A sequence is
 * cut into tiles, too: rows * cols samples are transformed as a matrix whose columns are turned
 * before its rows follow (the four-step transform: Bailey 1990, FFTs in external or hierarchical
 * memory). Included by a source for each precision (LE__SPECTRA_F64), which is compiled for each
 * instruction set.
 */
#ifndef LE_IMAGING_CONVOLUTION_SPECTRA_H
#define LE_IMAGING_CONVOLUTION_SPECTRA_H

#include "imaging/convolution.h"
#include "imaging/spectra.h"
#include "imaging/convolution_windows.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LONGEST = 1024, LONGEST_SEQUENCE = 1 << 21, SPEED = LE__BY_ISA(1, 4, 8) };

#if LE__SPECTRA_F64
static const double too_large = 1e140;
#define LOAD  le__conv_load_f64
#define DTYPE LE_F64
#else
static const float too_large = 1e15f;
#define LOAD  le__conv_load_f32
#define DTYPE LE_F32
#endif

static int64_t less(int64_t a, int64_t b) {
    return a < b ? a : b;
}

typedef struct context {
    le__conv_run run;
    le__conv_tiling t;
    le__spectra_plan along_columns, along_rows;
    le__number *taps; /* their spectrum, as panels of rows: [panel][cols][re, im][LANES] */
    le__number *spare;
    bool flat;         /* of a sequence: */
    le__number *twist; /* turns of its columns, in panels like those of taps */
    size_t each;       /* of a worker: numbers */
} context;

static bool is_flat(const le__convolution *c) {
    return c->rows == 1 && c->tap_rows == 1;
}

static le__conv_tiling tiling_of_sequence(const le__convolution *c) {
    enum { LEAST = 2 * LE__SPECTRA_LANES };
    const int n = le__conv_tile_length(c->tap_cols, c->out_cols, LEAST * LEAST, LONGEST_SEQUENCE);
    le__conv_tiling t = le__conv_tiling_of(c, 1, n);
    t.cols = n ? LEAST : 0;
    while ((int64_t)t.cols * t.cols < n)
        t.cols *= 2;
    t.rows = n ? n / t.cols : 0;
    return t;
}

static le__conv_tiling tiling_of(const le__convolution *c) {
    const int least = 2 * LE__SPECTRA_LANES;
    if (is_flat(c))
        return tiling_of_sequence(c);
    return le__conv_tiling_of(c, le__conv_tile_length(c->tap_rows, c->out_rows, least, LONGEST),
                              le__conv_tile_length(c->tap_cols, c->out_cols, least, LONGEST));
}

static int64_t tiles_of(const le__conv_tiling *t) {
    return t->tiles_down * t->tiles_across;
}

static bool applicable(const le_call *call, const char **why) {
    const le__convolution *c = le__convolution_of(call);
    const le__conv_tiling t = tiling_of(c);
    return le__conv_tiles_serve(c, &t, LE__SPECTRA_F64, why);
}

/* A step of a transform of a pixel takes as long as 18 products, all that goes with it included. */
static double speed_of(const le_call *call) {
    const le__conv_tiling t = tiling_of(le__convolution_of(call));
    return SPEED * le__conv_tiles_gain(call, &t, 18);
}

/* ----------------------------------------------------------------------------------- memory --- */

/* Rows are a vector apart from a power of two, which would put a column into a few places of the
 * cache only. */
static int64_t stride_of(const le__conv_tiling *t) {
    return t->cols + LE__SPECTRA_LANES;
}

/* Real and imaginary parts of a pair of tiles, and of a panel. */
static size_t numbers_of(const le__conv_tiling *t) {
    return 2 * (size_t)t->rows * (size_t)stride_of(t) + 2 * (size_t)t->cols * LE__SPECTRA_LANES;
}

static size_t taps_numbers(const le__conv_tiling *t) {
    return 2 * (size_t)t->rows * (size_t)t->cols;
}

static int64_t memory(const le_call *call) {
    const le__conv_tiling t = tiling_of(le__convolution_of(call));
    const int64_t numbers =
        (int64_t)(numbers_of(&t) * (size_t)le_call_threads(call) + taps_numbers(&t)) +
        LE__SPECTRA_TABLE * (t.rows + t.cols);
    const int64_t roots = 2 * (t.rows + t.cols) * (int64_t)sizeof(double),
                  twist = (int64_t)(taps_numbers(&t) * sizeof(le__number));
    return numbers * (int64_t)sizeof(le__number) +
           (is_flat(le__convolution_of(call)) ? roots + twist : 0);
}

/* ------------------------------------------------------------------------------- transforms --- */

static void columns(const context *x, le__number *tile, bool forward) {
    const int64_t stride = stride_of(&x->t);
    le__number *im = tile + x->t.rows * stride;
    for (int64_t at = 0; at < x->t.cols; at += LE__SPECTRA_LANES)
        (forward ? le__spectra_forward : le__spectra_back)(&x->along_columns, tile + at, im + at,
                                                           stride);
}

/* Rows of the tile to a panel or from it: [cols][re, im][LANES]. */
static void turn_panel(const context *x, le__number *tile, int64_t row, le__number *panel,
                       bool in) {
    const int64_t stride = stride_of(&x->t);
    for (int k = 0; k < 2; k++) {
        le__number *from = tile + (k * x->t.rows + row) * stride;
        for (int64_t at = 0; at < x->t.cols; at += LE__SPECTRA_LANES) {
            le__number *to = panel + (2 * at + k) * LE__SPECTRA_LANES;
            if (in)
                le__spectra_turn(from + at, stride, to, 2 * LE__SPECTRA_LANES);
            else
                le__spectra_turn(to, 2 * LE__SPECTRA_LANES, from + at, stride);
        }
    }
}

static le__number *panel_of(const context *x, le__number *tile) {
    return tile + 2 * x->t.rows * stride_of(&x->t);
}

/* A panel of rows, there. */
static void rows_forward(const context *x, le__number *tile, int64_t row, le__number *panel) {
    turn_panel(x, tile, row, panel, true);
    if (x->flat)
        le__spectra_multiply(panel, x->twist + 2 * row * x->t.cols, x->t.cols, false);
    le__spectra_forward(&x->along_rows, panel, panel + LE__SPECTRA_LANES, 2 * LE__SPECTRA_LANES);
}

static void rows_back(const context *x, le__number *tile, int64_t row, le__number *panel) {
    le__spectra_back(&x->along_rows, panel, panel + LE__SPECTRA_LANES, 2 * LE__SPECTRA_LANES);
    if (x->flat)
        le__spectra_multiply(panel, x->twist + 2 * row * x->t.cols, x->t.cols, true);
    turn_panel(x, tile, row, panel, false);
}

static void transform(const context *x, le__number *tile) {
    le__number *panel = panel_of(x, tile);
    columns(x, tile, true);
    for (int64_t row = 0; row < x->t.rows; row += LE__SPECTRA_LANES) {
        rows_forward(x, tile, row, panel);
        /* conjugate: windows lie behind their result's place, not before it */
        le__spectra_multiply(panel, x->taps + 2 * row * x->t.cols, x->t.cols, true);
        rows_back(x, tile, row, panel);
    }
    columns(x, tile, false);
}

static void transform_taps(context *x, le__number *tile) {
    const le__convolution *c = x->run.c;
    const le__number scale = (le__number)1 / ((le__number)x->t.rows * (le__number)x->t.cols);
    const int64_t n = c->tap_rows * c->tap_cols, in_line = x->flat ? x->t.cols : c->tap_cols;
    le__number *line = tile;
    memset(tile, 0, numbers_of(&x->t) * sizeof *tile);
    for (int64_t from = 0; from < n; from += in_line, line += stride_of(&x->t))
        for (int64_t j = 0; j < less(in_line, n - from); j++)
            line[j] = scale * (le__number)c->taps[from + j];
    columns(x, tile, true);
    for (int64_t row = 0; row < x->t.rows; row += LE__SPECTRA_LANES) {
        rows_forward(x, tile, row, panel_of(x, tile));
        memcpy(x->taps + 2 * row * x->t.cols, panel_of(x, tile),
               2 * LE__SPECTRA_LANES * (size_t)x->t.cols * sizeof *tile);
    }
}

/* Columns' transforms are not in order: row r has the frequency that a 1 in row 1 shows there. */
static int64_t frequency_of(const context *x, const le__number *tile, int64_t row) {
    const int64_t stride = stride_of(&x->t), n = x->t.rows;
    const double re = (double)tile[row * stride], im = (double)tile[(n + row) * stride];
    return (llround(-atan2(im, re) / le__spectra_circle * (double)n) + n) % n;
}

static void make_roots(double *to, int64_t n, double step) {
    for (int64_t k = 0; k < n; k++) {
        to[2 * k] = cos(step * (double)k);
        to[2 * k + 1] = sin(step * (double)k);
    }
}

/* exp(-2 pi i frequency * column / (rows * cols)), each as a product of two roots. roots: 2 * (rows
 * + cols) numbers. */
static void make_twist(context *x, le__number *tile, double *roots) {
    const int64_t stride = stride_of(&x->t), rows = x->t.rows, cols = x->t.cols;
    const double step = -le__spectra_circle / (double)rows;
    const double *coarse = roots, *fine = roots + 2 * rows;
    const int bits = __builtin_ctzll((unsigned long long)cols); /* a power of two */
    make_roots(roots, rows, step);
    make_roots(roots + 2 * rows, cols, step / (double)cols);
    memset(tile, 0, numbers_of(&x->t) * sizeof *tile);
    tile[stride] = 1;
    le__spectra_forward(&x->along_columns, tile, tile + rows * stride, stride);
    for (int64_t row = 0; row < rows; row++) {
        const int64_t frequency = frequency_of(x, tile, row), lane = row % LE__SPECTRA_LANES;
        le__number *to = x->twist + 2 * (row - lane) * cols + lane;
        for (int64_t at = 0; at < cols; at++, to += 2 * LE__SPECTRA_LANES) {
            const double *a = coarse + 2 * (frequency * at >> bits),
                         *b = fine + 2 * (frequency * at & (cols - 1));
            to[0] = (le__number)(a[0] * b[0] - a[1] * b[1]);
            to[LE__SPECTRA_LANES] = (le__number)(a[0] * b[1] + a[1] * b[0]);
        }
    }
}

/* What sequences need more. */
static le_status prepare_twist(le_call *call, context *x) {
    double *roots = le_call_scratch(call, 2 * (size_t)(x->t.rows + x->t.cols) * sizeof *roots);
    x->twist = le_call_scratch(call, taps_numbers(&x->t) * sizeof *x->twist);
    if (!roots || !x->twist)
        return le_fail(LE_ERR_MEMORY, "no memory for transforms of %dx%d", x->t.rows, x->t.cols);
    make_twist(x, x->spare, roots);
    return LE_OK;
}

static le_status prepare(le_call *call, void **out) {
    context *x = *out = le_call_scratch(call, sizeof *x);
    if (!x)
        return le_fail(LE_ERR_MEMORY, "no memory for a convolution");
    *x = (context){.run = le__conv_run_of(call), .t = tiling_of(le__convolution_of(call))};
    x->flat = is_flat(x->run.c);
    x->each = numbers_of(&x->t);
    x->taps = le_call_scratch(call, taps_numbers(&x->t) * sizeof(le__number));
    x->spare = le_call_scratch(call, x->each * (size_t)le_call_threads(call) * sizeof(le__number));
    le__number *tables = le_call_scratch(
        call, (size_t)(LE__SPECTRA_TABLE * (x->t.rows + x->t.cols)) * sizeof(le__number));
    if (!x->taps || !x->spare || !tables)
        return le_fail(LE_ERR_MEMORY, "no memory for transforms of %dx%d", x->t.rows, x->t.cols);
    x->along_columns = le__spectra_plan_of(x->t.rows, tables);
    x->along_rows = le__spectra_plan_of(x->t.cols, tables + LE__SPECTRA_TABLE * x->t.rows);
    le_status status = x->flat ? prepare_twist(call, x) : LE_OK;
    if (status == LE_OK)
        transform_taps(x, x->spare);
    return status;
}

static size_t items(const le_call *call) {
    const le__conv_tiling t = tiling_of(le__convolution_of(call));
    return (size_t)(tiles_of(&t) + 1) / 2;
}

/* ------------------------------------------------------------------------------------ tiles --- */

/* The pixels for the results at row, col and after it; false: some are not finite, or so large that
 * a transform may overflow. */
static bool load(const context *x, int64_t row, int64_t col, le__number *pixels) {
    const le__convolution *c = x->run.c;
    const int64_t stride = stride_of(&x->t);
    const int64_t cols = c->out_cols - col + c->tap_cols - 1;
    const int64_t rows = c->out_rows - row + c->tap_rows - 1;
    bool fine = true;
    for (int64_t i = 0; i < x->t.rows; i++) {
        le__number *line = pixels + i * stride;
        const int64_t at = x->flat ? i * x->t.cols : 0, down = x->flat ? 0 : i;
        const int64_t n = down < rows && at < cols ? less(x->t.cols, cols - at) : 0;
        if (n)
            LOAD(&x->run, le__conv_source(c->boundary, row + down - c->top, c->rows),
                 col - c->left + at, n, line);
        memset(line + n, 0, (size_t)(x->t.cols - n) * sizeof *line);
        for (int64_t j = 0; j < n; j++)
            fine &= fabs(line[j]) < too_large;
    }
    return fine;
}

/* Results at row, col and after it, in the order of the tile's lines: those from `first` on. */
static void put_line(const context *x, int64_t row, int64_t col, int64_t first,
                     const le__number *line) {
    const le__conv_run *r = &x->run;
    const int64_t left = less(x->t.across, r->c->out_cols - col) - first, n = less(x->t.cols, left);
    if (n > 0 && r->out_dtype == DTYPE && r->out_stride[1] == 1) {
        memcpy((le__number *)r->out + row * r->out_stride[0] + col + first, line,
               (size_t)n * sizeof *line);
        return;
    }
    for (int64_t j = 0; j < n; j++)
        le__conv_store(r, row, col + first + j, (double)line[j]);
}

static void put(const context *x, int64_t row, int64_t col, const le__number *results) {
    const int64_t lines = x->flat ? x->t.rows : less(x->t.down, x->run.c->out_rows - row);
    for (int64_t m = 0; m < lines; m++)
        put_line(x, x->flat ? row : row + m, col, x->flat ? m * x->t.cols : 0,
                 results + m * stride_of(&x->t));
}

static void tap_by_tap(const context *x, int64_t row, int64_t col, le__number *pixels,
                       le__number *line) {
    const le__convolution *c = x->run.c;
    if (x->flat) /* lines one after the other */
        for (int64_t i = 1; i < x->t.rows; i++)
            memmove(pixels + i * x->t.cols, pixels + i * stride_of(&x->t),
                    (size_t)x->t.cols * sizeof *pixels);
    for (int64_t m = 0; m < less(x->t.down, c->out_rows - row); m++)
        for (int64_t first = 0; first < x->t.across; first += x->t.cols) {
            const int64_t n = less(x->t.cols, x->t.across - first);
            le__conv_windows(c, pixels + m * stride_of(&x->t) + first, stride_of(&x->t), n, line);
            put_line(x, row + m, col, first, line);
        }
}

/* Whether the result holds what both tiles have. A transform rounds by parts of the largest number
 * in them, beside which others are lost: where the largest is infinite in the result, those are
 * what counts. */
static bool is_held(const context *x, const le__number *tile) {
    bool held = true;
    for (int64_t i = 0; i < 2 * x->t.rows && DTYPE == LE_F64 && x->run.out_dtype == LE_F32; i++)
        for (int64_t j = 0; j < x->t.cols; j++)
            held &= fabs(tile[i * stride_of(&x->t) + j]) <= FLT_MAX;
    return held;
}

/* Tiles 2 * item and the one after it. */
static void work_off(const context *x, int64_t item, le__number *tile) {
    const int64_t plane = x->t.rows * stride_of(&x->t);
    int64_t row[2], col[2];
    bool fine = true;
    const int n = 2 * item + 1 < tiles_of(&x->t) ? 2 : 1;
    for (int k = 0; k < n; k++) {
        row[k] = (2 * item + k) / x->t.tiles_across * x->t.down;
        col[k] = (2 * item + k) % x->t.tiles_across * x->t.across;
        fine &= load(x, row[k], col[k], tile + k * plane);
    }
    if (n == 1)
        memset(tile + plane, 0, (size_t)plane * sizeof *tile);
    if (fine) {
        transform(x, tile);
        fine = is_held(x, tile);
        for (int k = 0; k < n && !fine; k++)
            load(x, row[k], col[k], tile + k * plane);
    }
    for (int k = 0; k < n; k++)
        if (fine)
            put(x, row[k], col[k], tile + k * plane);
        else
            tap_by_tap(x, row[k], col[k], tile + k * plane, panel_of(x, tile));
}

static void range(void *data, size_t begin, size_t end, int worker) {
    const context *x = data;
    for (size_t item = begin; item < end; item++)
        work_off(x, (int64_t)item, x->spare + x->each * (size_t)worker);
}

#define LE__CONV_FFT(operation, the_name, the_summary)                                             \
    LE_IMPLEMENTATION(operation, LE__ISA_NAME(the_name), LE__ISA_FIELDS("simd"),                   \
                      .summary = the_summary, .flags = LE_IMPL_REPRODUCIBLE | LE_IMPL_BY_PLACE,    \
                      .speed = SPEED, .speed_of = speed_of, .applicable = applicable,              \
                      .memory = memory, .prepare = prepare, .items = items, .range = range)

#endif
