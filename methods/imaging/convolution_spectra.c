/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Convolutions of images with many taps by Fourier transforms of overlapping tiles (overlap-save:
 * Oppenheim and Schafer, Discrete-Time Signal Processing), in single precision, for each
 * instruction set. Two tiles are transformed at once, as real and imaginary parts: taps are real,
 * so that they do not mix. A tile stays in the cache; what is not finite, which a transform would
 * spread over its tile, is summed tap by tap.
 */
#include "imaging/convolution.h"
#include "imaging/spectra.h"

#include <math.h>
#include <string.h>

enum { LONGEST = 1024, LANES = LE__BY_ISA(1, 4, 8) };

typedef struct context {
    le__conv_run run;
    le__conv_tiling t;
    le__spectra_plan along_columns, along_rows;
    float *taps; /* their spectrum, as panels of rows: [panel][cols][re, im][LANES] */
    float *spare;
    size_t each; /* of a worker: numbers */
} context;

static le__conv_tiling tiling_of(const le__convolution *c) {
    const int least = 2 * LE__SPECTRA_LANES;
    return le__conv_tiling_of(c, le__conv_tile_length(c->tap_rows, least, LONGEST),
                              le__conv_tile_length(c->tap_cols, least, LONGEST));
}

static int64_t tiles_of(const le__conv_tiling *t) {
    return t->tiles_down * t->tiles_across;
}

static bool applicable(const le_call *call, const char **why) {
    const le__convolution *c = le__convolution_of(call);
    const le__conv_tiling t = tiling_of(c);
    return le__conv_tiles_serve(c, &t, why);
}

/* A step of a transform of a pixel takes as long as 18 products, all that goes with it included. */
static double speed_of(const le_call *call) {
    const le__conv_tiling t = tiling_of(le__convolution_of(call));
    return LANES * le__conv_tiles_gain(call, &t, 18);
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
    return (int64_t)sizeof(float) *
           (int64_t)(numbers_of(&t) * (size_t)le_call_threads(call) + taps_numbers(&t) +
                     (size_t)(LE__SPECTRA_TABLE * (t.rows + t.cols)));
}

/* ------------------------------------------------------------------------------- transforms --- */

static void columns(const context *x, float *tile, bool forward) {
    const int64_t stride = stride_of(&x->t);
    float *im = tile + x->t.rows * stride;
    for (int64_t at = 0; at < x->t.cols; at += LE__SPECTRA_LANES)
        (forward ? le__spectra_forward : le__spectra_back)(&x->along_columns, tile + at, im + at,
                                                           stride);
}

/* Rows of the tile to a panel or from it: [cols][re, im][LANES]. */
static void turn_panel(const context *x, float *tile, int64_t row, float *panel, bool in) {
    const int64_t stride = stride_of(&x->t);
    for (int k = 0; k < 2; k++) {
        float *from = tile + (k * x->t.rows + row) * stride;
        for (int64_t at = 0; at < x->t.cols; at += LE__SPECTRA_LANES) {
            float *to = panel + (2 * at + k) * LE__SPECTRA_LANES;
            if (in)
                le__spectra_turn(from + at, stride, to, 2 * LE__SPECTRA_LANES);
            else
                le__spectra_turn(to, 2 * LE__SPECTRA_LANES, from + at, stride);
        }
    }
}

static float *panel_of(const context *x, float *tile) {
    return tile + 2 * x->t.rows * stride_of(&x->t);
}

static void transform(const context *x, float *tile) {
    float *panel = panel_of(x, tile), *im = panel + LE__SPECTRA_LANES;
    const int64_t apart = 2 * LE__SPECTRA_LANES;
    columns(x, tile, true);
    for (int64_t row = 0; row < x->t.rows; row += LE__SPECTRA_LANES) {
        turn_panel(x, tile, row, panel, true);
        le__spectra_forward(&x->along_rows, panel, im, apart);
        le__spectra_multiply(panel, x->taps + 2 * row * x->t.cols, x->t.cols);
        le__spectra_back(&x->along_rows, panel, im, apart);
        turn_panel(x, tile, row, panel, false);
    }
    columns(x, tile, false);
}

static void transform_taps(context *x, float *tile) {
    const le__convolution *c = x->run.c;
    float *panel = panel_of(x, tile);
    const float scale = 1.0f / ((float)x->t.rows * (float)x->t.cols);
    memset(tile, 0, numbers_of(&x->t) * sizeof *tile);
    for (int64_t i = 0; i < c->tap_rows; i++)
        for (int64_t j = 0; j < c->tap_cols; j++)
            tile[i * stride_of(&x->t) + j] = scale * (float)c->taps[i * c->tap_cols + j];
    columns(x, tile, true);
    for (int64_t row = 0; row < x->t.rows; row += LE__SPECTRA_LANES) {
        float *to = x->taps + 2 * row * x->t.cols;
        turn_panel(x, tile, row, panel, true);
        le__spectra_forward(&x->along_rows, panel, panel + LE__SPECTRA_LANES,
                            2 * LE__SPECTRA_LANES);
        /* conjugate: windows lie behind their result's place, not before it */
        for (int64_t i = 0; i < 2 * LE__SPECTRA_LANES * x->t.cols; i++)
            to[i] = i / LE__SPECTRA_LANES % 2 ? -panel[i] : panel[i];
    }
}

static le_status prepare(le_call *call, void **out) {
    context *x = *out = le_call_scratch(call, sizeof *x);
    if (!x)
        return le_fail(LE_ERR_MEMORY, "no memory for a convolution");
    *x = (context){.run = le__conv_run_of(call), .t = tiling_of(le__convolution_of(call))};
    x->each = numbers_of(&x->t);
    x->taps = le_call_scratch(call, taps_numbers(&x->t) * sizeof(float));
    x->spare = le_call_scratch(call, x->each * (size_t)le_call_threads(call) * sizeof(float));
    float *tables = le_call_scratch(call, (size_t)(LE__SPECTRA_TABLE * (x->t.rows + x->t.cols)) *
                                              sizeof(float));
    if (!x->taps || !x->spare || !tables)
        return le_fail(LE_ERR_MEMORY, "no memory for transforms of %dx%d", x->t.rows, x->t.cols);
    x->along_columns = le__spectra_plan_of(x->t.rows, tables);
    x->along_rows = le__spectra_plan_of(x->t.cols, tables + LE__SPECTRA_TABLE * x->t.rows);
    transform_taps(x, x->spare);
    return LE_OK;
}

static size_t items(const le_call *call) {
    const le__conv_tiling t = tiling_of(le__convolution_of(call));
    return (size_t)(tiles_of(&t) + 1) / 2;
}

/* ------------------------------------------------------------------------------------ tiles --- */

static int64_t less(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* The pixels for the results at row, col and after it; false: some are not finite, or so large that
 * a transform may overflow. */
static bool load(const context *x, int64_t row, int64_t col, float *pixels) {
    const le__convolution *c = x->run.c;
    const int64_t stride = stride_of(&x->t);
    const int64_t cols = less(x->t.cols, c->out_cols - col + c->tap_cols - 1);
    const int64_t rows = less(x->t.rows, c->out_rows - row + c->tap_rows - 1);
    bool fine = true;
    for (int64_t i = 0; i < rows; i++) {
        float *line = pixels + i * stride;
        const int64_t from = le__conv_source(c->boundary, row + i - c->top, c->rows);
        le__conv_load_f32(&x->run, from, col - c->left, cols, line);
        memset(line + cols, 0, (size_t)(x->t.cols - cols) * sizeof *line);
        for (int64_t j = 0; j < cols; j++)
            fine &= fabsf(line[j]) < 1e15f;
    }
    for (int64_t i = rows; i < x->t.rows; i++)
        memset(pixels + i * stride, 0, (size_t)x->t.cols * sizeof *pixels);
    return fine;
}

static void put_row(const context *x, int64_t row, int64_t col, const float *line) {
    const le__conv_run *r = &x->run;
    const int64_t n = less(x->t.across, r->c->out_cols - col);
    if (r->out_dtype == LE_F32 && r->out_stride[1] == 1) {
        memcpy((float *)r->out + row * r->out_stride[0] + col, line, (size_t)n * sizeof *line);
        return;
    }
    for (int64_t j = 0; j < n; j++)
        le__conv_store(r, row, col + j, (double)line[j]);
}

static void put(const context *x, int64_t row, int64_t col, const float *results) {
    for (int64_t m = 0; m < less(x->t.down, x->run.c->out_rows - row); m++)
        put_row(x, row + m, col, results + m * stride_of(&x->t));
}

static void tap_by_tap(const context *x, int64_t row, int64_t col, const float *pixels,
                       float *sum) {
    const le__convolution *c = x->run.c;
    for (int64_t m = 0; m < less(x->t.down, c->out_rows - row); m++) {
        memset(sum, 0, (size_t)x->t.across * sizeof *sum);
        for (int64_t k = 0; k < c->tap_rows * c->tap_cols; k++) {
            const float tap = (float)c->taps[k];
            const float *in = pixels + (m + k / c->tap_cols) * stride_of(&x->t) + k % c->tap_cols;
            for (int64_t n = 0; n < x->t.across; n++)
                sum[n] += tap * in[n];
        }
        put_row(x, row + m, col, sum);
    }
}

/* Tiles 2 * item and the one after it. */
static void work_off(const context *x, int64_t item, float *tile) {
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
    if (fine)
        transform(x, tile);
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

#define LE__CONV_FFT(operation)                                                                    \
    LE_IMPLEMENTATION(operation, LE__ISA_NAME(fft_), LE__ISA_FIELDS("simd"),                       \
                      .summary = "Fourier transforms of overlapping tiles; " LE__ISA_WIDTH,        \
                      .flags = LE_IMPL_REPRODUCIBLE | LE_IMPL_BY_PLACE, .speed = LANES,            \
                      .speed_of = speed_of, .applicable = applicable, .memory = memory,            \
                      .prepare = prepare, .items = items, .range = range)

LE__CONV_FFT(convolve2d);
LE__CONV_FFT(correlate2d);
