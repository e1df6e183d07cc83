/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What convolve2d, correlate2d and convolve have in common: arguments, the geometry of a call, its
 * kernel in the order in which it is applied.
 *
 * All three are
 *
 *     out[m,n] = sum over i, j of taps[i,j] * x'[m + i - top, n + j - left]
 *
 * with x' the image continued by the boundary rule. A signal is an image of one row.
 */
#ifndef LE_IMAGING_CONVOLUTION_H
#define LE_IMAGING_CONVOLUTION_H

#include "imaging/low_rank.h"
#include "liquid_engine/le_method.h"

/* Arguments by index; convolve has those before CONV_BOUNDARY. */
enum {
    CONV_IMAGE,
    CONV_KERNEL,
    CONV_RESULT,
    CONV_MODE,
    CONV_KERNEL_TOLERANCE,
    CONV_BOUNDARY,
    CONV_FILLVALUE
};

typedef enum le__convolution_kind {
    LE__CONVOLVE_2D,
    LE__CORRELATE_2D,
    LE__CONVOLVE_1D
} le__convolution_kind;

typedef enum le__conv_boundary {
    LE__CONV_NOTHING, /* taps beyond the image do not count */
    LE__CONV_FILL,
    LE__CONV_WRAP,
    LE__CONV_SYMM /* the edge pixel is repeated: d c b a | a b c d | d c b a */
} le__conv_boundary;

typedef struct le__magnitudes {
    double sum, net, most; /* of |taps|, of taps, the largest |tap| */
} le__magnitudes;

/* Derived from the arguments in check, attached to the call. */
typedef struct le__convolution {
    int64_t rows, cols, out_rows, out_cols, tap_rows, tap_cols, top, left;
    le__conv_boundary boundary;
    double fill;
    bool finite; /* all taps */
    le__magnitudes magnitudes;
    bool cancels;        /* positive and negative taps, so that sums in f32 may be rounding only */
    bool in_f64;         /* sums in single precision would not do */
    bool spectra_in_f64; /* nor would transforms in it */
    bool whole;  /* taps are integers, and so small that 32 bits hold every sum of the image's */
    bool scarce; /* beyond the image nothing is added: taps there may be left out */
    double tolerance; /* allowed sum of |taps - terms| over the largest |tap| */
    le__low_rank terms;
    const double *taps;
} le__convolution;

le_status le__convolution_check(le_call *call, le__convolution_kind kind);
const le__convolution *le__convolution_of(const le_call *call);
void le__convolution_work(const le_call *call, le_work *out);
void le__convolution_key(const le_call *call, char *buffer, size_t size);
/* For le_implementation.applicable: whether the terms are fewer operations than the taps. */
bool le__conv_separable(const le_call *call, const char **why);
/* For le_implementation.speed_of: how many times faster it is to make a pixel of the result with so
 * many products than with one for each tap, in the same registers. */
double le__conv_gain(const le_call *call, double products);
/* Products of the terms, as the two passes take them. */
double le__conv_term_products(const le_call *call);
/* Numbers in the precision of the sums, which live until the call ends; NULL: no memory. */
const void *le__conv_in_precision(le_call *call, const double *x, int64_t n);
le_status le__convolution_case(le_case *c, const le_case_request *r, le__convolution_kind kind);
double le__convolution_least_scale(const le_call *trusted, int arg);
le_status le__convolution_part(const le_call *call, uint64_t random, le_case *out, int64_t *first);
/* Of convolve2d and correlate2d along rows of the result, or with tiles along its columns. */
bool le__convolution_slabs(const le_call *call, le_slabs *out);
bool le__convolution_tiles(const le_call *call, le_slabs *out);

/* The row or column of the image that index i of the continued one is; -1: none, the fill value or
 * nothing. n: of the image. */
int64_t le__conv_source(le__conv_boundary boundary, int64_t i, int64_t n);

/* What a run works on: where elements lie, in elements. */
typedef struct le__conv_run {
    const le__convolution *c;
    const void *in;
    le_dtype in_dtype, out_dtype;
    int64_t in_stride[2], out_stride[2];
    void *out;
} le__conv_run;

le__conv_run le__conv_run_of(const le_call *call);
/* Column `col` of the continued image and count - 1 after it, in the row that is `row` of the
 * image; row -1: the fill value. */
void le__conv_load_f64(const le__conv_run *r, int64_t row, int64_t col, int64_t count, double *out);
void le__conv_load_f32(const le__conv_run *r, int64_t row, int64_t col, int64_t count, float *out);
/* Any one of them, of a row of the image or -1. */
double le__conv_element(const le__conv_run *r, int64_t row, int64_t col);
void le__conv_store(const le__conv_run *r, int64_t row, int64_t col, double value);

/* For convolutions by transforms: tiles of rows x cols pixels that overlap, of which `down` x
 * `across` windows are whole. rows or cols is 0 where the taps are too many for a tile. */
typedef struct le__conv_tiling {
    int rows, cols;
    int64_t down, across, tiles_down, tiles_across;
} le__conv_tiling;

/* The power of two from `least` to `longest` that costs least for so many results along an axis; 0:
 * none. */
int le__conv_tile_length(int64_t taps, int64_t results, int least, int longest);
le__conv_tiling le__conv_tiling_of(const le__convolution *c, int rows, int cols);
/* For le_implementation.applicable: whether such tiles, in double precision or in single, serve the
 * call, and pay. */
bool le__conv_tiles_serve(const le__convolution *c, const le__conv_tiling *t, bool f64,
                          const char **why);
/* le__conv_gain of transforms, one step of which, of a pixel, takes as long as so many products. */
double le__conv_tiles_gain(const le_call *call, const le__conv_tiling *t, double step);

#define LE__CONV_OPERATION(the_name, the_summary, the_reference)                                   \
    .abi = LE_METHOD_ABI, .name = the_name, .family = "imaging", .summary = the_summary,           \
    .reference = the_reference, .args = args, .n_args = sizeof args / sizeof args[0],              \
    .check = check, .work = le__convolution_work, .key = le__convolution_key, .norm = LE_NORM_MAX, \
    .atol = 1e-5, .least_scale = le__convolution_least_scale, .make_case = make_case,              \
    .part = le__convolution_part

/* Arguments that all have. */
#define LE__CONV_KERNEL_ARG(the_ndim, the_shape)                                                   \
    {                                                                                              \
        .name = "kernel", .doc = "what it is convolved with; real numbers of any dtype",           \
        .type = LE_TYPE_TABLE, .min_ndim = the_ndim, .max_ndim = the_ndim, .shape = the_shape,     \
        .min_count = 1                                                                             \
    }
#define LE__CONV_RESULT_ARG(the_ndim, the_shape)                                                   \
    {                                                                                              \
        .name = "result",                                                                          \
        .doc = "f64 for f64, i32 and u32, and for tolerances below 2e-6; else f32",                \
        .type = LE_TYPE_OUT, .dtypes = LE_DTYPES_FLOAT, .min_ndim = the_ndim,                      \
        .max_ndim = the_ndim, .shape = the_shape                                                   \
    }
#define LE__CONV_MODE_ARG(the_doc)                                                                 \
    {                                                                                              \
        .name = "mode", .doc = the_doc, .type = LE_TYPE_STR, .optional = true, .cost = true,       \
        .words = (const char *const[]){"full", "same", "valid", NULL}, .default_str = "full"       \
    }
#define LE__CONV_TOLERANCE_ARG                                                                     \
    {                                                                                              \
        .name = "kernel_tolerance",                                                                \
        .doc = "error allowed to separable terms that replace the kernel, the sum of magnitudes "  \
               "over the largest tap; default: half the tolerance of the call, less where taps "   \
               "cancel",                                                                           \
        .type = LE_TYPE_F64, .optional = true, .min = 0, .max = 1                                  \
    }
#define LE__CONV_2D_ARGS                                                                           \
    [CONV_IMAGE] = {.name = "image",                                                               \
                    .doc = "pixels",                                                               \
                    .type = LE_TYPE_IN,                                                            \
                    .dtypes = LE_DTYPES_ALL,                                                       \
                    .min_ndim = 2,                                                                 \
                    .max_ndim = 2,                                                                 \
                    .shape = "[H,W]"},                                                             \
    [CONV_KERNEL] = LE__CONV_KERNEL_ARG(2, "[K,L]"),                                               \
    [CONV_RESULT] = LE__CONV_RESULT_ARG(2, "[H+K-1,W+L-1], same: [H,W], valid: [H-K+1,W-L+1]"),    \
    [CONV_MODE] = LE__CONV_MODE_ARG("every overlap, the centre of it as large as the image, or "   \
                                    "whole overlaps only"),                                        \
    [CONV_KERNEL_TOLERANCE] = LE__CONV_TOLERANCE_ARG,                                              \
    [CONV_BOUNDARY] = {.name = "boundary",                                                         \
                       .doc = "beyond the image: fillvalue, the opposite side, or the mirror "     \
                              "image with the edge repeated",                                      \
                       .type = LE_TYPE_STR,                                                        \
                       .optional = true,                                                           \
                       .cost = true,                                                               \
                       .words = (const char *const[]){"fill", "wrap", "symm", NULL},               \
                       .default_str = "fill"},                                                     \
    [CONV_FILLVALUE] = {.name = "fillvalue",                                                       \
                        .doc = "of pixels beyond the image",                                       \
                        .type = LE_TYPE_F64,                                                       \
                        .optional = true,                                                          \
                        .has_default = true}

#endif
