/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Sample calls of convolutions: images with a background and stars, kernels of every rank.
 */
#include "imaging/convolution.h"

#include "common/cases.h"

#include <math.h>
#include <string.h>

enum { MOST_TAPS = 41 * 67 };

typedef enum kernel_kind {
    KERNEL_GAUSS,
    KERNEL_ANY,
    KERNEL_POSITIVE,
    KERNEL_TWO_GAUSS, /* rank 2, the sum is 0 */
    KERNEL_WHOLE,     /* whole numbers */
    KERNEL_DISK,
    KERNEL_DELTA,
    KERNEL_NEARLY_ONE, /* rank 1 but for 1e-7 */
    KERNEL_SOBEL,      /* rank 1, the sum is 0 */
    KERNEL_ZERO,
    KERNEL_KINDS
} kernel_kind;

typedef struct sample {
    int64_t rows, cols, tap_rows, tap_cols;
    kernel_kind kernel;
    const char *mode, *boundary;
    double fill;
    le_dtype dtype, result;
    bool odd; /* not finite here and there */
} sample;

static const char *const modes[] = {"full", "same", "valid"};
static const char *const boundaries[] = {"fill", "wrap", "symm"};

/* ---------------------------------------------------------------------------------- contents -- */

static double gauss(double y, double x, double sigma) {
    return exp(-0.5 * (y * y + x * x) / (sigma * sigma));
}

static double tap(le_case *c, const sample *s, int64_t i, int64_t j) {
    const double y = (double)i - 0.5 * (double)(s->tap_rows - 1),
                 x = (double)j - 0.5 * (double)(s->tap_cols - 1);
    const double sigma = 0.2 * (double)(s->tap_rows + s->tap_cols);
    switch (s->kernel) {
    case KERNEL_ANY:
        return le_case_normal(c);
    case KERNEL_POSITIVE:
        return le_case_uniform(c);
    case KERNEL_TWO_GAUSS:
        return gauss(y, x, sigma) - 0.25 * gauss(y, x, 0.5 * sigma);
    case KERNEL_WHOLE:
        return floor(19 * le_case_uniform(c)) - 9;
    case KERNEL_DISK:
        return y * y + x * x <= 0.25 * (double)(s->tap_rows * s->tap_cols);
    case KERNEL_DELTA:
        return i == s->tap_rows / 2 && j == s->tap_cols / 3;
    case KERNEL_NEARLY_ONE:
        return gauss(y, x, sigma) + 1e-7 * le_case_normal(c);
    case KERNEL_SOBEL:
        return x * gauss(y, 0, sigma);
    case KERNEL_ZERO:
        return 0;
    default:
        return gauss(y, x, sigma);
    }
}

static void put_kernel(le_case *c, const sample *s, bool flat) {
    double taps[MOST_TAPS];
    const int64_t shape[2] = {s->tap_rows, s->tap_cols};
    for (int64_t i = 0; i < s->tap_rows * s->tap_cols; i++)
        taps[i] = tap(c, s, i / s->tap_cols, i % s->tap_cols);
    le_case_table(c, "kernel", flat ? 1 : 2, shape + flat, taps);
}

static double pixel(le_case *c, const sample *s) {
    const bool whole = s->dtype != LE_F32 && s->dtype != LE_F64;
    const double star = le_case_uniform(c) < 0.02 ? 150 * le_case_uniform(c) : 0;
    if (s->odd && le_case_uniform(c) < 0.004)
        return le_case_uniform(c) < 0.5 ? NAN : le_case_uniform(c) < 0.5 ? INFINITY : -INFINITY;
    return whole ? 40 + star + 10 * le_case_normal(c) : star + le_case_normal(c);
}

static void put_image(le_case *c, const sample *s, bool flat) {
    const int64_t shape[2] = {s->rows, s->cols};
    le_tensor *t = le_case_in(c, flat ? "signal" : "image", s->dtype, flat ? 1 : 2, shape + flat);
    for (int64_t i = 0; t && i < s->rows * s->cols; i++)
        le_tensor_set(t, i, pixel(c, s));
}

/* ----------------------------------------------------------------------------------- samples -- */

static sample usual(bool flat) {
    return (sample){.rows = flat ? 1 : 2048,
                    .cols = flat ? 4194304 : 2048,
                    .tap_rows = flat ? 1 : 15,
                    .tap_cols = 15,
                    .mode = "full",
                    .boundary = "fill",
                    .dtype = LE_F32,
                    .result = LE_F32};
}

static bool either_holds_the_other(const sample *s) {
    return (s->rows >= s->tap_rows && s->cols >= s->tap_cols) ||
           (s->rows <= s->tap_rows && s->cols <= s->tap_cols);
}

static sample check_sample(le_case *c, const le_case_request *r, bool flat) {
    static const int64_t edges[][4] = {{1, 1, 1, 1},    {1, 1, 3, 5},    {0, 5, 3, 3},
                                       {5, 6, 5, 6},    {1, 17, 1, 5},   {4, 4, 9, 13},
                                       {40, 5, 3, 12},  {33, 70, 2, 2},  {20, 300, 15, 15},
                                       {19, 9, 41, 67}, {70, 130, 9, 9}, {37, 1, 4, 1}};
    enum { EDGES = sizeof edges / sizeof *edges };
    const int64_t i = r->index, *edge = edges[i % EDGES];
    sample s = usual(flat);
    if (i < EDGES) {
        s.rows = edge[0], s.cols = edge[1], s.tap_rows = edge[2], s.tap_cols = edge[3];
    } else {
        s.rows = 1 + (int64_t)(le_case_random(c) % (i % 3 == 0 ? 140 : 70));
        s.cols = 1 + (int64_t)(le_case_random(c) % (i % 4 == 0 ? 700 : 90));
        s.tap_rows = 1 + (int64_t)(le_case_random(c) % (i % 5 == 1 ? 41 : 16));
        s.tap_cols = 1 + (int64_t)(le_case_random(c) % (i % 5 == 1 ? 67 : 16));
    }
    if (flat) {
        s.rows = s.tap_rows = 1;
        s.cols += s.cols == 0;
    }
    s.mode = modes[(i + i / 9) % 3];
    s.boundary = boundaries[(i / 2) % 3];
    s.fill = i % 4 == 1 ? -2.5 : 0;
    s.kernel = (kernel_kind)((i + i / 10) % KERNEL_KINDS);
    s.dtype = le__case_dtype(r, CONV_IMAGE);
    s.result = s.dtype == LE_F32 || s.dtype == LE_U8 || i % 5 == 2 ? LE_F32 : LE_F64;
    s.odd = i % 5 == 3 && (s.dtype == LE_F32 || s.dtype == LE_F64);
    if (s.mode[0] == 'v' && !either_holds_the_other(&s))
        s.mode = "same";
    return s;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* The kernel of the call, its middle where it is large: the reference is to be done soon. */
static void put_kernel_of(le_case *c, const le_call *like, bool flat, int64_t taken[2]) {
    const le_tensor *k = le_call_table(like, CONV_KERNEL);
    const int64_t shape[2] = {flat ? 1 : k->shape[0], k->shape[flat ? 0 : 1]};
    double taps[MOST_TAPS];
    taken[0] = least(shape[0], 41);
    taken[1] = least(shape[1], flat ? MOST_TAPS : taken[0] < 41 ? MOST_TAPS / taken[0] : 67);
    const int64_t top = (shape[0] - taken[0]) / 2, left = (shape[1] - taken[1]) / 2;
    for (int64_t i = 0; i < taken[0]; i++)
        memcpy(taps + i * taken[1], (const double *)k->data + (top + i) * shape[1] + left,
               (size_t)taken[1] * sizeof *taps);
    le_case_table(c, "kernel", flat ? 1 : 2, taken + flat, taps);
}

/* A small call of the same kind, with the same kernel. */
static le_status put_like(le_case *c, const le_call *like, bool flat) {
    const le__convolution *of = le__convolution_of(like);
    int64_t taps[2];
    sample s = usual(flat);
    put_kernel_of(c, like, flat, taps);
    /* neither smaller than the kernel nor larger, where the call's is not */
    s.rows = of->rows <= of->tap_rows ? least(of->rows, taps[0]) : least(of->rows, taps[0] + 37);
    s.cols = of->cols <= of->tap_cols ? least(of->cols, taps[1])
                                      : least(of->cols, taps[1] + (flat ? 5000 : 150));
    s.dtype = le_call_in(like, CONV_IMAGE)->dtype;
    put_image(c, &s, flat);
    /* sums in double precision are judged as such; not where only the number of taps asks for them,
     * of which there are fewer here */
    le_case_out(c, "result", of->spectra_in_f64 ? LE_F64 : le_call_out(like, CONV_RESULT)->dtype);
    if (!flat)
        le_case_f64(c, "kernel_tolerance", of->tolerance);
    le_case_like(c, like);
    return le_case_status(c);
}

le_status le__convolution_case(le_case *c, const le_case_request *r, le__convolution_kind kind) {
    const bool flat = kind == LE__CONVOLVE_1D;
    if (r->kind == LE_CASE_TRIAL && r->like)
        return put_like(c, r->like, flat);
    sample s = usual(flat);
    if (r->kind == LE_CASE_CHECK)
        s = check_sample(c, r, flat);
    else if (r->kind == LE_CASE_TRIAL)
        s.rows = flat ? 1 : 60, s.cols = flat ? 6000 : 200;
    else if (r->size > 0)
        s.rows = flat ? 1 : r->size, s.cols = r->size;
    if (r->kind == LE_CASE_BENCH && r->dtype) {
        s.dtype = r->dtype;
        s.result = r->dtype == LE_F64 ? LE_F64 : LE_F32;
    }
    put_image(c, &s, flat);
    put_kernel(c, &s, flat);
    le_case_out(c, "result", s.result);
    le_case_str(c, "mode", s.mode);
    if (!flat) {
        le_case_str(c, "boundary", s.boundary);
        le_case_f64(c, "fillvalue", s.fill);
    }
    return le_case_status(c);
}
