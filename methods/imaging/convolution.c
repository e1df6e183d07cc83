/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Geometry, kernel and elements of a convolution.
 */
#include "imaging/convolution.h"

#include "common/load.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_TERMS = 32,
    LEAST_TAPS = 64,   /* for transforms to pay */
    LEAST_KEPT = 4096, /* taps times terms: a search takes 2 us at most where they are fewer */
};

typedef enum mode { MODE_FULL, MODE_SAME, MODE_VALID } mode;

/* ---------------------------------------------------------------------------------- geometry -- */

static mode mode_of(const le_call *call) {
    const char *word = le_call_str(call, CONV_MODE);
    return word[0] == 'f' ? MODE_FULL : word[0] == 's' ? MODE_SAME : MODE_VALID;
}

static le__conv_boundary boundary_of(const le_call *call, le__convolution_kind kind) {
    if (kind == LE__CONVOLVE_1D)
        return LE__CONV_NOTHING;
    const char *word = le_call_str(call, CONV_BOUNDARY);
    return word[0] == 'f' ? LE__CONV_FILL : word[0] == 'w' ? LE__CONV_WRAP : LE__CONV_SYMM;
}

/* One axis: the length of the result, and how far its first window begins before the image. In
 * `same` of a signal the shorter of the two is the kernel. */
static void along_axis(le__convolution_kind kind, mode m, int64_t n, int64_t k, int64_t *out,
                       int64_t *before) {
    const int64_t least = n < k ? n : k, most = n < k ? k : n;
    int64_t first = 0; /* of the full result */
    *out = n + k - 1;
    if (m == MODE_SAME) {
        *out = kind == LE__CONVOLVE_1D ? most : n;
        first = kind == LE__CONVOLVE_1D   ? (least - 1) / 2
                : kind == LE__CONVOLVE_2D ? (k - 1) / 2
                                          : k / 2;
    } else if (m == MODE_VALID) {
        *out = most - least + 1;
        first = least - 1;
    }
    *before = k - 1 - first;
}

static le_status lay_out(const le_call *call, le__convolution_kind kind, le__convolution *c) {
    const mode m = mode_of(call);
    const bool taller = c->tap_rows > c->rows, wider = c->tap_cols > c->cols;
    if (m == MODE_VALID && (taller || wider) && (c->tap_rows < c->rows || c->tap_cols < c->cols))
        return le_fail(
            LE_ERR_SHAPE,
            "mode valid: an image of %lldx%lld and a kernel of %lldx%lld; one must be at "
            "least as large as the other along both axes",
            (long long)c->rows, (long long)c->cols, (long long)c->tap_rows, (long long)c->tap_cols);
    along_axis(kind, m, c->rows, c->tap_rows, &c->out_rows, &c->top);
    along_axis(kind, m, c->cols, c->tap_cols, &c->out_cols, &c->left);
    c->boundary = boundary_of(call, kind);
    /* whole overlaps need nothing around; an empty image has no edge to continue */
    if (m == MODE_VALID || (c->boundary != LE__CONV_FILL && !(c->rows && c->cols)))
        c->boundary = LE__CONV_NOTHING;
    c->fill = c->boundary == LE__CONV_FILL ? le_call_f64(call, CONV_FILLVALUE) : 0;
    return LE_OK;
}

int64_t le__conv_source(le__conv_boundary boundary, int64_t i, int64_t n) {
    if (i >= 0 && i < n)
        return i;
    if (boundary == LE__CONV_WRAP)
        return (i % n + n) % n;
    if (boundary == LE__CONV_SYMM) {
        i = (i % (2 * n) + 2 * n) % (2 * n);
        return i < n ? i : 2 * n - 1 - i;
    }
    return -1;
}

/* ------------------------------------------------------------------------------------ kernel -- */

static void order_taps(const double *kernel, int64_t n, bool reversed, double *taps) {
    for (int64_t i = 0; i < n; i++)
        taps[i] = kernel[reversed ? n - 1 - i : i];
}

static inline void add_tap(double tap, double *sum, double *net, double *most) {
    const double magnitude = fabs(tap);
    *sum += magnitude;
    *net += tap;
    *most = magnitude > *most ? magnitude : *most;
}

/* In several sums, so that no addition waits for the one before. */
static le__magnitudes magnitudes_of(const double *taps, int64_t n) {
    enum { SUMS = 8 };
    double sum[SUMS] = {0}, net[SUMS] = {0}, most[SUMS] = {0};
    le__magnitudes m = {0, 0, 0};
    int64_t i = 0;
    for (; i + SUMS <= n; i += SUMS)
        for (int k = 0; k < SUMS; k++)
            add_tap(taps[i + k], &sum[k], &net[k], &most[k]);
    for (; i < n; i++)
        add_tap(taps[i], &sum[0], &net[0], &most[0]);
    for (int k = 0; k < SUMS; k++) {
        m.sum += sum[k];
        m.net += net[k];
        m.most = most[k] > m.most ? most[k] : m.most;
    }
    return m;
}

/* Whether sums of so many numbers in single precision could miss the operation's tolerance: where
 * positive and negative taps cancel, a bright background leaves rounding of its own size behind. */
static bool cancels(const le__magnitudes *m, int64_t numbers) {
    const double rounding = 6e-8 + 3e-8 * sqrt((double)numbers);
    return rounding * m->sum > 5e-6 * fabs(m->net) || m->most > 1e15 ||
           (m->most > 0 && m->most < 1e-15);
}

/* Whether sums tap by tap in single precision could: additions of alike pixels round the same way,
 * by 1.5e-8 of the whole each, on the average of a sum that grows. Sums are made of pieces of at
 * most 288 taps and half of that at least, those of terms of as many taps as an edge has. */
static bool grows_inexact(const le__convolution *c) {
    const double pieces = 288 + (double)(c->tap_rows * c->tap_cols) / 144,
                 edges = c->rows == 1 && c->tap_rows == 1 ? 0 : (double)(c->tap_rows + c->tap_cols);
    return 6e-8 + 1.5e-8 * fmax(pieces, edges) > 5e-6;
}

static bool is_pixel(le_dtype dtype, double x) {
    const double least = dtype == LE_I16 ? INT16_MIN : 0;
    const double most = dtype == LE_U8 ? UINT8_MAX : dtype == LE_I16 ? INT16_MAX : UINT16_MAX;
    return x >= least && x <= most && x == floor(x);
}

/* Whether 32 bits hold every sum of whole taps over an image of 8 or 16 bits. */
static bool is_whole(const le__convolution *c, le_dtype dtype) {
    double sum = 0;
    if ((dtype != LE_U8 && dtype != LE_I16 && dtype != LE_U16) || !is_pixel(dtype, c->fill))
        return false;
    for (int64_t i = 0; i < c->tap_rows * c->tap_cols; i++) {
        if (!(fabs(c->taps[i]) <= INT16_MAX) || c->taps[i] != floor(c->taps[i]))
            return false;
        sum += fabs(c->taps[i]);
    }
    return sum * (dtype == LE_U8 ? UINT8_MAX : UINT16_MAX + 1) <= INT32_MAX;
}

static bool all_finite(const double *x, int64_t n) {
    int64_t others = 0; /* not left early: whole vectors are compared */
    for (int64_t i = 0; i < n; i++)
        others += !(fabs(x[i]) <= DBL_MAX);
    return others == 0;
}

/* More terms than this do not pay. */
static int most_terms(const le__convolution *c) {
    const int64_t n = (c->tap_rows * c->tap_cols - 1) / (c->tap_rows + c->tap_cols);
    return n > MOST_TERMS ? MOST_TERMS : n > 1 ? (int)n : 1;
}

/* What terms leave out is multiplied by the brightest pixels. Where taps cancel, the result of a
 * bright background is as small as their sum, and so must be what is left out. */
static double tolerance_of(const le_call *call, const le__magnitudes *m) {
    if (le_call_given(call, CONV_KERNEL_TOLERANCE))
        return le_call_f64(call, CONV_KERNEL_TOLERANCE);
    /* trials allow no more than the operation's own tolerance */
    return 0.5 * fmin(le_call_atol(call), 1e-5) * fmin(1, fabs(m->net) / m->most);
}

/* For the terms of a kernel, as le__low_rank_of has it. */
typedef struct search {
    const le__convolution *of;
    int most;
    double *columns, *rest; /* the rows follow the columns */
} search;

static le__low_rank find_terms(const search *s, double *columns) {
    const le__convolution *c = s->of;
    return le__low_rank_of(c->taps, c->tap_rows, c->tap_cols, s->most, c->tolerance, columns,
                           columns + s->most * c->tap_rows, s->rest);
}

/* Behind the terms their columns and rows. */
static le_status fill_terms(le_call *call, void *data, size_t bytes, void *cookie) {
    le__low_rank *terms = data;
    (void)call;
    (void)bytes;
    *terms = find_terms(cookie, (double *)(void *)(terms + 1));
    return LE_OK;
}

/* A search takes as long as the convolution of a small image, and kernels are used again. */
static le_status look_terms_up(le_call *call, search *s, le__low_rank *out) {
    const le__convolution *c = s->of;
    const int64_t n = c->tap_rows * c->tap_cols, edge = c->tap_rows + c->tap_cols;
    const XXH128_hash_t taps = XXH3_128bits(c->taps, (size_t)n * sizeof *c->taps);
    const void *kept;
    char key[128];
    snprintf(key, sizeof key, "terms of %lldx%lld %016llx%016llx within %a", (long long)c->tap_rows,
             (long long)c->tap_cols, (unsigned long long)taps.high64,
             (unsigned long long)taps.low64, c->tolerance);
    const le_status status = le_call_keep(
        call, key, sizeof *out + (size_t)(s->most * edge) * sizeof(double), fill_terms, s, &kept);
    if (status != LE_OK)
        return status;
    const le__low_rank *terms = kept;
    *out = *terms;
    out->columns = s->columns;
    out->rows = s->columns + s->most * c->tap_rows;
    for (int64_t i = 0; i < terms->rank * c->tap_rows; i++)
        out->columns[i] = terms->columns[i];
    for (int64_t i = 0; i < terms->rank * c->tap_cols; i++)
        out->rows[i] = terms->rows[i];
    return LE_OK;
}

static le_status make(le_call *call, le__convolution_kind kind, le__convolution **out) {
    const le_tensor *image = le_call_in(call, CONV_IMAGE),
                    *kernel = le_call_table(call, CONV_KERNEL);
    const bool flat = kind == LE__CONVOLVE_1D;
    le__convolution shape = {.rows = flat ? 1 : image->shape[0],
                             .cols = image->shape[flat ? 0 : 1],
                             .tap_rows = flat ? 1 : kernel->shape[0],
                             .tap_cols = kernel->shape[flat ? 0 : 1]};
    const int64_t n = le_tensor_count(kernel), edge = shape.tap_rows + shape.tap_cols;
    const int most = most_terms(&shape);
    le_status status = lay_out(call, kind, &shape);
    if (status != LE_OK)
        return status;
    le__convolution *c =
        malloc(sizeof *c + (size_t)(2 * n + 2 * shape.tap_cols + most * edge) * sizeof(double));
    if (!c)
        return le_fail(LE_ERR_MEMORY, "no memory for a kernel of %lld taps", (long long)n);
    *c = shape;
    double *taps = (double *)(void *)(c + 1), *rest = taps + n,
           *columns = rest + n + 2 * c->tap_cols;
    order_taps(kernel->data, n, kind != LE__CORRELATE_2D, taps);
    c->taps = taps;
    c->finite = all_finite(taps, n);
    c->scarce = c->finite &&
                (c->boundary == LE__CONV_NOTHING || (c->boundary == LE__CONV_FILL && c->fill == 0));
    c->whole = is_whole(c, image->dtype);
    c->terms.rank = -1;
    c->magnitudes = magnitudes_of(taps, n);
    c->tolerance = flat ? 0 : tolerance_of(call, &c->magnitudes);
    search s = {c, most, columns, rest};
    if (c->finite && !flat && n * most < LEAST_KEPT)
        c->terms = find_terms(&s, columns);
    else if (c->finite && !flat)
        status = look_terms_up(call, &s, &c->terms);
    if (status != LE_OK) {
        free(c);
        return status;
    }
    *out = c;
    return LE_OK;
}

/* --------------------------------------------------------------------------------- operation -- */

static le_dtype result_dtype(const le_call *call) {
    const le_dtype in = le_call_in(call, CONV_IMAGE)->dtype;
    const bool wide = in == LE_F64 || in == LE_I32 || in == LE_U32;
    return wide || le_call_atol(call) + le_call_rtol(call) < 2e-6 ? LE_F64 : LE_F32;
}

/* Rounding of transforms grows with the logarithm of their length: that of sums of so many numbers
 * is not reached. */
static const int64_t like_transforms = 4096;

le_status le__convolution_check(le_call *call, le__convolution_kind kind) {
    le__convolution *c = NULL;
    const bool flat = kind == LE__CONVOLVE_1D;
    if (flat && le_call_in(call, CONV_IMAGE)->shape[0] == 0)
        return le_fail(LE_ERR_SHAPE, "convolve: the signal is empty");
    le_status status = make(call, kind, &c);
    if (status != LE_OK)
        return status;
    le_call_attach(call, c, free);
    status = le_call_set_out(call, CONV_RESULT, result_dtype(call), flat ? 1 : 2,
                             flat ? &c->out_cols : (const int64_t[]){c->out_rows, c->out_cols});
    if (status != LE_OK)
        return status;
    /* the last two: in single precision numbers would be infinite or 0, what is made of them
     * perhaps not */
    const bool wide = le_call_out(call, CONV_RESULT)->dtype == LE_F64 ||
                      le_call_atol(call) < 2e-6 || le_call_in(call, CONV_IMAGE)->dtype == LE_F64 ||
                      (isfinite(c->fill) && fabs(c->fill) > FLT_MAX);
    const int64_t n = c->tap_rows * c->tap_cols;
    c->cancels = cancels(&c->magnitudes, n);
    c->in_f64 = wide || c->cancels || grows_inexact(c);
    c->spectra_in_f64 = wide || cancels(&c->magnitudes, n < like_transforms ? n : like_transforms);
    return LE_OK;
}

const le__convolution *le__convolution_of(const le_call *call) {
    return le_call_attached(call);
}

void le__convolution_work(const le_call *call, le_work *out) {
    const le__convolution *c = le__convolution_of(call);
    const double n = (double)c->out_rows * (double)c->out_cols;
    const double all = (double)c->tap_rows * (double)c->tap_cols,
                 parts = c->terms.rank * (double)(c->tap_rows + c->tap_cols);
    out->operations = 1 + 2 * n * (parts > 0 && parts < all ? parts : all);
    out->bytes = (double)c->rows * (double)c->cols *
                     (double)le_dtype_size(le_call_in(call, CONV_IMAGE)->dtype) +
                 n * (double)le_dtype_size(le_call_out(call, CONV_RESULT)->dtype);
}

void le__convolution_key(const le_call *call, char *buffer, size_t size) {
    const le__convolution *c = le__convolution_of(call);
    char rank[64] = "not finite";
    const double rounding = fmax(1e-12, 2e-15 * c->magnitudes.sum / c->magnitudes.most);
    if (c->terms.rank >= 0 && c->terms.error > rounding)
        snprintf(rank, sizeof rank, "rank %d within the tolerance of %.0e", c->terms.rank,
                 c->tolerance);
    else if (c->terms.rank >= 0)
        snprintf(rank, sizeof rank, "rank %d within the tolerance", c->terms.rank);
    else if (c->finite)
        snprintf(rank, sizeof rank, c->rows == 1 && c->tap_rows == 1 ? "of one row" : "full rank");
    snprintf(buffer, size, "%lldx%lld %s%s%s", (long long)c->tap_rows, (long long)c->tap_cols, rank,
             c->whole ? " whole" : "",
             c->spectra_in_f64 ? " in f64"
             : c->in_f64       ? " in f64 tap by tap"
                               : "");
}

/* Of an image that the kernel makes nothing of, rounding is left: about 1e-7 of the sum of |taps|
 * times the largest |pixel| where single precision does, at most 1e-14 of it elsewhere. These
 * scales find it small. Ordinary results are larger: where single precision does, a kernel makes
 * more than a hundredth of a constant image, and of noise unless it is wider than some 50 pixels;
 * and 1e-7 of pixels is what they are rounded by in f32. */
double le__convolution_least_scale(const le_call *trusted, int arg) {
    const le__convolution *c = le__convolution_of(trusted);
    const double image = le_tensor_largest(le_call_in(trusted, CONV_IMAGE)),
                 fill = isfinite(c->fill) ? fabs(c->fill) : 0;
    (void)arg;
    return (c->cancels ? 1e-7 : 0.01) * c->magnitudes.sum * fmax(image, fill);
}

bool le__conv_separable(const le_call *call, const char **why) {
    const le__convolution *c = le__convolution_of(call);
    *why = "the kernel is no sum of few separable terms within the tolerance";
    return c->terms.rank > 0 &&
           c->terms.rank * (c->tap_rows + c->tap_cols) < c->tap_rows * c->tap_cols;
}

/* Reading and writing a pixel take as long as this many products (2048 x 2048 pixels of f32). */
double le__conv_gain(const le_call *call, double products) {
    static const double memory = 60;
    const le__convolution *c = le__convolution_of(call);
    return ((double)c->tap_rows * (double)c->tap_cols + memory) / (products + memory);
}

double le__conv_term_products(const le_call *call) {
    const le__convolution *c = le__convolution_of(call);
    return 2.0 * c->terms.rank * (double)(c->tap_rows + c->tap_cols);
}

/* Tails of a kernel that would be denormal cost a hundred cycles each time they meet a pixel, and an
 * infinite pixel in the window of one that would be 0 makes no number: they become the least normal
 * number, which shows no more than they do. */
static float single(double tap) {
    const bool vanishes = tap != 0 && fabs(tap) < (double)FLT_MIN;
    return vanishes ? copysignf(FLT_MIN, (float)tap) : (float)tap;
}

const void *le__conv_in_precision(le_call *call, const double *x, int64_t n) {
    if (le__convolution_of(call)->in_f64)
        return x;
    float *out = le_call_scratch(call, (size_t)n * sizeof *out);
    for (int64_t i = 0; out && i < n; i++)
        out[i] = single(x[i]);
    return out;
}

/* With more taps a comparison tap by tap is made on few pixels. */
static const int64_t many_taps = 4096;

/* Some rows, or samples of a signal: exactly those of the result where whole overlaps are asked
 * for, elsewhere a smaller call of the kind, with very many taps smaller than the kernel, of whose
 * full result it makes the middle. */
le_status le__convolution_part(const le_call *call, uint64_t random, le_case *out, int64_t *first) {
    const le__convolution *c = le__convolution_of(call);
    le_tensor part = *le_call_in(call, CONV_IMAGE);
    const int64_t taps = part.ndim == 1 ? c->tap_cols : c->tap_rows;
    const bool whole = mode_of(call) == MODE_VALID && part.shape[0] >= taps;
    const bool few = !whole && part.ndim == 2 && c->tap_rows * c->tap_cols > many_taps;
    const int64_t rows = (few ? 0 : taps - 1) + (part.ndim == 1 ? 4096 : 8);
    if (rows >= part.shape[0])
        return LE_ERR_UNSUPPORTED;
    if (few && part.shape[1] > 64)
        part.shape[1] = 64;
    const int64_t from = (int64_t)(random % (uint64_t)(part.shape[0] - rows));
    part.shape[0] = rows;
    part.offset += from * part.strides[0];
    if (part.data)
        part.data = (char *)part.data + from * part.strides[0] * (int64_t)le_dtype_size(part.dtype);
    *first = whole ? from : LE_PART_APART;
    le_case_borrow(out, part.ndim == 1 ? "signal" : "image", &part);
    le_case_out(out, "result", le_call_out(call, CONV_RESULT)->dtype);
    if (part.ndim == 2)
        le_case_f64(out, "kernel_tolerance", c->tolerance);
    if (few)
        le_case_str(out, "mode", "same");
    le_case_like(out, call);
    return le_case_status(out);
}

/* ------------------------------------------------------------------------------------- slabs -- */

/* Along one axis of n pixels, of which `made` windows lie on the result. The mirror image at an end
 * of the image lies within its first slab, which has as many rows more as windows reach. */
static bool cut_along(const le_call *call, int axis, int64_t n, int64_t made, int64_t before,
                      int64_t taps, le_slabs *out) {
    const le__convolution *c = le__convolution_of(call);
    const int64_t after = taps - 1 - before;
    out->why = "the image is empty";
    if (!c->rows || !c->cols)
        return false;
    out->why = "mode valid: the kernel is larger than the image, which is moved over it";
    if (mode_of(call) == MODE_VALID && (c->tap_rows > c->rows || c->tap_cols > c->cols))
        return false;
    out->items = made;
    out->extent = made == n ? 0 : n;
    out->wraps = c->boundary == LE__CONV_WRAP;
    out->halo = before > after ? before : after;
    out->args[CONV_IMAGE].axis = out->args[CONV_RESULT].axis = (int8_t)(1 + axis);
    return true;
}

bool le__convolution_slabs(const le_call *call, le_slabs *out) {
    const le__convolution *c = le__convolution_of(call);
    return cut_along(call, 0, c->rows, c->out_rows, c->top, c->tap_rows, out);
}

bool le__convolution_tiles(const le_call *call, le_slabs *out) {
    const le__convolution *c = le__convolution_of(call);
    return cut_along(call, 1, c->cols, c->out_cols, c->left, c->tap_cols, out);
}

/* ---------------------------------------------------------------------------------- elements -- */

le__conv_run le__conv_run_of(const le_call *call) {
    const le_tensor *in = le_call_in(call, CONV_IMAGE), *out = le_call_out(call, CONV_RESULT);
    const int last = in->ndim - 1;
    return (le__conv_run){.c = le__convolution_of(call),
                          .in = in->data,
                          .in_dtype = in->dtype,
                          .out = out->data,
                          .out_dtype = out->dtype,
                          .in_stride = {last ? in->strides[0] : 0, in->strides[last]},
                          .out_stride = {last ? out->strides[0] : 0, out->strides[last]}};
}

double le__conv_element(const le__conv_run *r, int64_t row, int64_t col) {
    const int64_t at = le__conv_source(r->c->boundary, col, r->c->cols);
    return row < 0 || at < 0
               ? r->c->fill
               : le__load(r->in, r->in_dtype, row * r->in_stride[0] + at * r->in_stride[1]);
}

/* The part of [col, col + count) that the image itself has: [*begin, *end). */
static void inside(const le__conv_run *r, int64_t row, int64_t col, int64_t count, int64_t *begin,
                   int64_t *end) {
    *begin = col < 0 ? -col : 0;
    *end = r->c->cols - col < count ? r->c->cols - col : count;
    if (row < 0 || *begin >= *end)
        *begin = *end = 0;
}

void le__conv_load_f64(const le__conv_run *r, int64_t row, int64_t col, int64_t count,
                       double *out) {
    int64_t begin, end;
    inside(r, row, col, count, &begin, &end);
    for (int64_t i = 0; i < begin; i++)
        out[i] = le__conv_element(r, row, col + i);
    le__load_strided_f64(r->in, r->in_dtype,
                         row * r->in_stride[0] + (col + begin) * r->in_stride[1], end - begin,
                         r->in_stride[1], out + begin);
    for (int64_t i = end; i < count; i++)
        out[i] = le__conv_element(r, row, col + i);
}

void le__conv_load_f32(const le__conv_run *r, int64_t row, int64_t col, int64_t count, float *out) {
    int64_t begin, end;
    inside(r, row, col, count, &begin, &end);
    for (int64_t i = 0; i < begin; i++)
        out[i] = (float)le__conv_element(r, row, col + i);
    le__load_strided_f32(r->in, r->in_dtype,
                         row * r->in_stride[0] + (col + begin) * r->in_stride[1], end - begin,
                         r->in_stride[1], out + begin);
    for (int64_t i = end; i < count; i++)
        out[i] = (float)le__conv_element(r, row, col + i);
}

void le__conv_store(const le__conv_run *r, int64_t row, int64_t col, double value) {
    le__store(r->out, r->out_dtype, row * r->out_stride[0] + col * r->out_stride[1], value);
}

/* ------------------------------------------------------------------------------------- tiles ---
 */

enum { LONGEST_TILE = 4096 }; /* for kernels of which shorter ones hold too little */

int le__conv_tile_length(int64_t taps, int64_t results, int least, int longest) {
    int best = 0;
    double cheapest = INFINITY;
    for (int n = least; n <= longest; n *= 2) {
        const double tiles = ceil((double)results / (double)(n - taps + 1)),
                     cost = n * log2(n) * tiles;
        if (n >= 2 * taps && cost < 0.9 * cheapest) { /* smaller ones stay in the cache */
            cheapest = cost;
            best = n;
        }
    }
    for (int n = 2 * longest; !best && n <= LONGEST_TILE; n *= 2)
        best = n >= 2 * taps ? n : 0;
    return best;
}

le__conv_tiling le__conv_tiling_of(const le__convolution *c, int rows, int cols) {
    le__conv_tiling t = {.rows = rows, .cols = cols};
    if (rows && cols) {
        t.down = rows - c->tap_rows + 1;
        t.across = cols - c->tap_cols + 1;
        t.tiles_down = (c->out_rows + t.down - 1) / t.down;
        t.tiles_across = (c->out_cols + t.across - 1) / t.across;
    }
    return t;
}

bool le__conv_tiles_serve(const le__convolution *c, const le__conv_tiling *t, bool f64,
                          const char **why) {
    *why = f64 ? "single precision does" : "double precision is needed";
    if (c->spectra_in_f64 != f64)
        return false;
    *why = "a tap or the fill value is not finite";
    if (!c->finite || !isfinite(c->fill))
        return false;
    *why = "a tap is so large or small that transforms may overflow";
    if (f64 && c->magnitudes.most > 0 &&
        !(c->magnitudes.most > 1e-140 && c->magnitudes.most < 1e140))
        return false;
    *why = "too few taps, or too many for a tile";
    return c->tap_rows * c->tap_cols >= LEAST_TAPS && t->rows && t->cols;
}

double le__conv_tiles_gain(const le_call *call, const le__conv_tiling *t, double step) {
    const le__convolution *c = le__convolution_of(call);
    const double pixels = (double)(t->tiles_down * t->tiles_across) * t->rows * t->cols,
                 results = fmax((double)c->out_rows * (double)c->out_cols, 1);
    return le__conv_gain(call, step * pixels / results * (log2(t->rows) + log2(t->cols)));
}
