/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Convolutions with many taps by Fourier transforms of overlapping tiles (overlap-save: Oppenheim
 * and Schafer, Discrete-Time Signal Processing), in single precision. A transform spreads what is
 * not finite over its tile, so that such tiles are summed tap by tap.
 */
#include "imaging/convolution.h"

#include <kiss_fftr.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef float le__number;
#include "imaging/convolution_windows.h"

enum { LEAST = 32, LONGEST_IMAGE = 1024, LONGEST_SIGNAL = 1 << 18 };

typedef struct tiling {
    le__conv_tiling of;
    int half; /* complex numbers of the transform of a row */
} tiling;

typedef struct worker_memory {
    float *pixels;          /* [rows][cols] */
    kiss_fft_cpx *spectrum; /* [rows][half] */
    kiss_fft_cpx *column, *turned;
    kiss_fftr_cfg forward, backward; /* not shared: they hold memory of their own */
} worker_memory;

typedef struct context {
    le__conv_run run;
    tiling t;
    kiss_fft_cfg down, up; /* of columns */
    kiss_fft_cpx *taps;    /* spectrum, conjugate, scaled */
    worker_memory *workers;
} context;

static tiling tiling_of(const le__convolution *c) {
    const bool flat = c->tap_rows == 1;
    const int rows =
        flat ? 1 : le__conv_tile_length(c->tap_rows, c->out_rows, LEAST, LONGEST_IMAGE);
    const int cols = le__conv_tile_length(c->tap_cols, c->out_cols, LEAST,
                                          flat ? LONGEST_SIGNAL : LONGEST_IMAGE);
    return (tiling){le__conv_tiling_of(c, rows, cols), cols / 2 + 1};
}

static bool applicable(const le_call *call, const char **why) {
    const le__convolution *c = le__convolution_of(call);
    const tiling t = tiling_of(c);
    return le__conv_tiles_serve(c, &t.of, false, why);
}

/* A step of a transform of a pixel takes as long as 6 products in plain C, all that goes with it
 * included. */
static double speed_of(const le_call *call) {
    const tiling t = tiling_of(le__convolution_of(call));
    return le__conv_tiles_gain(call, &t.of, 6);
}

/* ----------------------------------------------------------------------------------- memory --- */

static size_t plan_bytes(int n, bool real) {
    size_t bytes = 0;
    if (real)
        kiss_fftr_alloc(n, 0, NULL, &bytes);
    else
        kiss_fft_alloc(n, 0, NULL, &bytes);
    return (bytes + 63) / 64 * 64;
}

static size_t pixels_of(const tiling *t) {
    return (size_t)t->of.rows * (size_t)t->of.cols;
}

static size_t bins_of(const tiling *t) {
    return (size_t)t->of.rows * (size_t)t->half;
}

static int64_t memory(const le_call *call) {
    const tiling t = tiling_of(le__convolution_of(call));
    const size_t each = 4 * pixels_of(&t) + 8 * bins_of(&t) + 16 * (size_t)t.of.rows +
                        2 * plan_bytes(t.of.cols, true);
    return (int64_t)(each * (size_t)le_call_threads(call) + 8 * bins_of(&t) +
                     2 * plan_bytes(t.of.rows, false));
}

static kiss_fft_cfg plan(le_call *call, int n, int inverse) {
    size_t bytes = plan_bytes(n, false);
    void *memory_of = le_call_scratch(call, bytes);
    return memory_of ? kiss_fft_alloc(n, inverse, memory_of, &bytes) : NULL;
}

static kiss_fftr_cfg plan_real(le_call *call, int n, int inverse) {
    size_t bytes = plan_bytes(n, true);
    void *memory_of = le_call_scratch(call, bytes);
    return memory_of ? kiss_fftr_alloc(n, inverse, memory_of, &bytes) : NULL;
}

static bool make_worker(le_call *call, const tiling *t, worker_memory *w) {
    w->pixels = le_call_scratch(call, pixels_of(t) * sizeof *w->pixels);
    w->spectrum = le_call_scratch(call, bins_of(t) * sizeof *w->spectrum);
    w->column = le_call_scratch(call, (size_t)t->of.rows * sizeof *w->column);
    w->turned = le_call_scratch(call, (size_t)t->of.rows * sizeof *w->turned);
    w->forward = plan_real(call, t->of.cols, 0);
    w->backward = plan_real(call, t->of.cols, 1);
    return w->pixels && w->spectrum && w->column && w->turned && w->forward && w->backward;
}

/* ------------------------------------------------------------------------------- transforms --- */

static void rows_forward(const context *x, worker_memory *w) {
    for (int i = 0; i < x->t.of.rows; i++)
        kiss_fftr(w->forward, w->pixels + (size_t)i * (size_t)x->t.of.cols,
                  w->spectrum + (size_t)i * (size_t)x->t.half);
}

/* Column `at` of the spectrum, transformed; a single row needs no transform. */
static void column_forward(const context *x, worker_memory *w, int at) {
    if (x->t.of.rows == 1)
        w->column[0] = w->spectrum[at];
    else
        kiss_fft_stride(x->down, w->spectrum + at, w->column, x->t.half);
}

static void column_back(const context *x, worker_memory *w, int at) {
    const kiss_fft_cpx *from = w->column;
    if (x->t.of.rows > 1) {
        kiss_fft(x->up, w->column, w->turned);
        from = w->turned;
    }
    for (int i = 0; i < x->t.of.rows; i++)
        w->spectrum[(size_t)i * (size_t)x->t.half + (size_t)at] = from[i];
}

/* Taps are columns one after the other, as they are used. */
static void multiply(const kiss_fft_cpx *taps, int n, kiss_fft_cpx *column) {
    for (int i = 0; i < n; i++) {
        const kiss_fft_cpx a = column[i], b = taps[i];
        column[i].r = a.r * b.r - a.i * b.i;
        column[i].i = a.r * b.i + a.i * b.r;
    }
}

static void transform_taps(context *x, worker_memory *w) {
    const le__convolution *c = x->run.c;
    const float scale = 1.0f / ((float)x->t.of.rows * (float)x->t.of.cols);
    memset(w->pixels, 0, pixels_of(&x->t) * sizeof *w->pixels);
    for (int64_t i = 0; i < c->tap_rows; i++)
        for (int64_t j = 0; j < c->tap_cols; j++)
            w->pixels[i * x->t.of.cols + j] = (float)c->taps[i * c->tap_cols + j];
    rows_forward(x, w);
    for (int at = 0; at < x->t.half; at++) {
        kiss_fft_cpx *to = x->taps + (size_t)at * (size_t)x->t.of.rows;
        column_forward(x, w, at);
        for (int i = 0; i < x->t.of.rows; i++) {
            to[i].r = scale * w->column[i].r;
            to[i].i = -scale * w->column[i].i;
        }
    }
}

static le_status prepare(le_call *call, void **out) {
    const int threads = le_call_threads(call);
    context *x = *out = le_call_scratch(call, sizeof *x);
    if (!x)
        return le_fail(LE_ERR_MEMORY, "no memory for a convolution");
    *x = (context){.run = le__conv_run_of(call), .t = tiling_of(le__convolution_of(call))};
    x->down = plan(call, x->t.of.rows, 0);
    x->up = plan(call, x->t.of.rows, 1);
    x->taps = le_call_scratch(call, bins_of(&x->t) * sizeof *x->taps);
    x->workers = le_call_scratch(call, (size_t)threads * sizeof *x->workers);
    bool made = x->down && x->up && x->taps && x->workers;
    for (int i = 0; i < threads && made; i++)
        made = make_worker(call, &x->t, &x->workers[i]);
    if (!made)
        return le_fail(LE_ERR_MEMORY, "no memory for transforms of %dx%d", x->t.of.rows,
                       x->t.of.cols);
    transform_taps(x, &x->workers[0]);
    return LE_OK;
}

static size_t items(const le_call *call) {
    const tiling t = tiling_of(le__convolution_of(call));
    return (size_t)(t.of.tiles_down * t.of.tiles_across);
}

/* ------------------------------------------------------------------------------------ tiles --- */

static int64_t less(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* The pixels for the results at row, col and after it; false: some are not finite, or so large that
 * a transform may overflow. */
static bool load(const context *x, int64_t row, int64_t col, float *pixels) {
    const le__convolution *c = x->run.c;
    const int64_t cols = less(x->t.of.cols, c->out_cols - col + c->tap_cols - 1);
    const int64_t rows = less(x->t.of.rows, c->out_rows - row + c->tap_rows - 1);
    bool fine = true;
    memset(pixels, 0, pixels_of(&x->t) * sizeof *pixels);
    for (int64_t i = 0; i < rows; i++) {
        float *line = pixels + i * x->t.of.cols;
        const int64_t from = le__conv_source(c->boundary, row + i - c->top, c->rows);
        le__conv_load_f32(&x->run, from, col - c->left, cols, line);
        for (int64_t j = 0; j < cols; j++)
            fine &= fabsf(line[j]) < 1e15f;
    }
    return fine;
}

static void put_row(const context *x, int64_t row, int64_t col, const float *line) {
    const int64_t n = less(x->t.of.across, x->run.c->out_cols - col);
    for (int64_t j = 0; j < n; j++)
        le__conv_store(&x->run, row, col + j, (double)line[j]);
}

static void tap_by_tap(const context *x, int64_t row, int64_t col, worker_memory *w) {
    const le__convolution *c = x->run.c;
    float *line = (float *)w->spectrum;
    for (int64_t m = 0; m < less(x->t.of.down, c->out_rows - row); m++) {
        le__conv_windows(c, w->pixels + m * x->t.of.cols, x->t.of.cols, x->t.of.across, line);
        put_row(x, row + m, col, line);
    }
}

static void by_transform(const context *x, int64_t row, int64_t col, worker_memory *w) {
    rows_forward(x, w);
    for (int at = 0; at < x->t.half; at++) {
        column_forward(x, w, at);
        multiply(x->taps + (size_t)at * (size_t)x->t.of.rows, x->t.of.rows, w->column);
        column_back(x, w, at);
    }
    for (int64_t m = 0; m < less(x->t.of.down, x->run.c->out_rows - row); m++) {
        kiss_fftri(w->backward, w->spectrum + m * x->t.half, w->pixels);
        put_row(x, row + m, col, w->pixels);
    }
}

static void range(void *data, size_t begin, size_t end, int worker) {
    const context *x = data;
    worker_memory *w = &x->workers[worker];
    for (size_t item = begin; item < end; item++) {
        const int64_t row = (int64_t)item / x->t.of.tiles_across * x->t.of.down,
                      col = (int64_t)item % x->t.of.tiles_across * x->t.of.across;
        (load(x, row, col, w->pixels) ? by_transform : tap_by_tap)(x, row, col, w);
    }
}

#define LE__CONV_FFT(operation)                                                                    \
    LE_IMPLEMENTATION(operation, fft, .run_type = "c",                                             \
                      .summary = "Fourier transforms of overlapping tiles",                        \
                      .flags = LE_IMPL_REPRODUCIBLE | LE_IMPL_BY_PLACE, .speed = 1,                \
                      .speed_of = speed_of, .applicable = applicable, .memory = memory,            \
                      .prepare = prepare, .items = items, .range = range)

LE__CONV_FFT(convolve2d);
LE__CONV_FFT(correlate2d);
LE__CONV_FFT(convolve);
