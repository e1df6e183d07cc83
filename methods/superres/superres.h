/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the operations of the super-resolution family share: frames of rows of any dtype, sampling
 * weights, the tables of the radial gradient convergence, temporal projections and test cases.
 *
 * The mathematics is that of NanoPyx (Saraiva et al., Nature Methods 2025; eSRRF: Laine et al.,
 * Nature Methods 2023). Every intermediate image is stored as float32 and sampling coordinates of
 * the interpolations are float32; weights and sums are doubles. Pixel (m,n) has its centre at
 * (m+.5, n+.5). H, W: rows and columns of the input; M: magnification.
 */
#ifndef LE_SUPERRES_H
#define LE_SUPERRES_H

#include "liquid_engine/le_method.h"

/* -------------------------------------------------------------------------------- frames ----- */

/* A tensor [T,H,W] or [H,W] (one frame) seen as frames of rows; strides in elements. */
typedef struct le__sr_stack {
    void *data;
    le_dtype dtype;
    int64_t frames, rows, cols;
    int64_t stride_frame, stride_row, stride_col;
} le__sr_stack;

le__sr_stack le__sr_stack_of(const le_tensor *t);
/* Copies a row as float32. */
void le__sr_load_row(const le__sr_stack *s, int64_t frame, int64_t row, float *out);
/* A row as float32: its own memory when it is contiguous float32, else a copy in spare (cols
 * floats). */
const float *le__sr_row(const le__sr_stack *s, int64_t frame, int64_t row, float *spare);
/* Copies a frame as row-major float32. */
void le__sr_load_frame(const le__sr_stack *s, int64_t frame, float *out);
/* Where to write a row of a float32 output: its own memory when that is contiguous, else spare
 * (cols floats). le__sr_end_row must follow. */
float *le__sr_begin_row(const le__sr_stack *s, int64_t frame, int64_t row, float *spare);
void le__sr_end_row(const le__sr_stack *s, int64_t frame, int64_t row, const float *written);
/* A row buffer of count floats for each worker of the call; LE_ERR_MEMORY. */
le_status le__sr_spare(le_call *call, int64_t count, float **out);
/* For le_operation.part: frames [begin, begin + count) of an input [T,H,W] as an argument of a
 * case. */
void le__sr_case_frames(le_case *c, const char *name, const le_tensor *t, int64_t begin,
                        int64_t count);
/* An argument that is a window of a few frames of t; false when t is no larger. */
bool le__sr_case_window(le_case *c, const char *name, const le_tensor *t, uint64_t random);
/* A frame of [T,H,W] with T > 1 picked by random; -1 when there is nothing to pick from. */
int64_t le__sr_pick_frame(const le_tensor *t, uint64_t random);
/* For le_operation.slabs: n tensor arguments that are cut along their frames; false for [H,W]. */
bool le__sr_slabs(const le_tensor *image, const int *args, int n, le_slabs *out);
/* For le_operation.tiles: n tensor arguments, image first, that are cut along their rows. */
bool le__sr_tiles(const le_call *call, const int *args, int n, int64_t halo, le_slabs *out);
/* LE_ERR_SHAPE unless no axis is empty or longer than 65536 (float32 coordinates of sub-pixels get
 * too coarse beyond); who and arg are for the message. */
le_status le__sr_check_image(const le_tensor *t, const char *who, const char *arg);

/* ------------------------------------------------------------------------- interpolation ----- */

typedef enum le__sr_kind {
    LE__SR_CATMULL_ROM = 0,
    LE__SR_BICUBIC,
    LE__SR_LANCZOS,
    LE__SR_NEAREST
} le__sr_kind;

extern const char *const le__sr_interpolators[]; /* words in the order of le__sr_kind, NULL-ended */
le__sr_kind le__sr_kind_of(const char *word);

#define LE__SR_TAPS 5
int le__sr_taps(le__sr_kind kind); /* how many of them it has */

/* The samples of one axis: output i = sum over k of weight[i*LE__SR_TAPS+k] * input[first[i]+k].
 * Taps outside the input have weight 0 and must not be read; a position that the interpolator does
 * not cover has lo = hi. Bicubic and Lanczos weights are divided by their sum. */
typedef struct le__sr_axis {
    int64_t n_out, n_in;
    int32_t *first;
    int32_t *lo, *hi; /* taps lo <= k < hi are inside */
    double *weight;
} le__sr_axis;

/* Sampling at the float32 positions r: returns the number of taps, fills first, lo, hi, weight[5].
 */
int le__sr_weights(le__sr_kind kind, float r, int64_t n_in, int32_t *first, int32_t *lo,
                   int32_t *hi, double weight[LE__SR_TAPS]);
/* Positions i/magnification - shift, i < n_out, in float32. Memory is the call's; LE_ERR_MEMORY. */
le_status le__sr_axis_make(le_call *call, le__sr_kind kind, int64_t n_in, int64_t n_out,
                           float magnification, float shift, le__sr_axis *out);
/* One sample as NanoPyx takes it: same order of operations, same bits. */
float le__sr_sample(const float *image, int64_t rows, int64_t cols, float r, float c,
                    le__sr_kind kind);

/* ---------------------------------------------------------------------- gradient, radiality -- */

/* Roberts cross of one row, float32 from left to right; above is the row before, or row itself. */
void le__sr_roberts_row(const float *above, const float *row, int64_t cols, float *gradient_col,
                        float *gradient_row);

#define LE__SR_MAX_MAGNIFICATION 10

/* Constants of the radial gradient convergence. */
typedef struct le__sr_rgc {
    int64_t rows, cols; /* H, W */
    int magnification;
    int reach;      /* K: half pixels each way */
    int64_t margin; /* output pixels */
    float radius_f32, tss, tso;
    int64_t last_row, last_col; /* greatest half-pixel index that is used; the least is 1 */
    double sensitivity;
    bool weighting;
} le__sr_rgc;

le__sr_rgc le__sr_rgc_make(int64_t rows, int64_t cols, int64_t magnification, double radius,
                           double sensitivity, bool weighting);
/* Float32 coordinate in the 2M-times magnified gradient of half-pixel index k: k/2, or the last
 * sample for k = 2n. */
float le__sr_half_position(int64_t k, int64_t n, int magnification);

/* Weights of all taps, [M*M][(2K+1)*(2K+1)], 0 for those left out. */
size_t le__sr_rgc_weights_count(const le__sr_rgc *p);
void le__sr_rgc_weights(const le__sr_rgc *p, float *out);
/* One pixel of the convergence. gx, gy are on the half-pixel grid, rows of 2W+1, of which
 * first_row is the first one there. In double with exact coordinates; le__sr_rgc_pixel_exact
 * repeats NanoPyx's float32 arithmetic bit for bit, from all rows. */
double le__sr_rgc_pixel(const le__sr_rgc *p, const float *weights, const float *gx, const float *gy,
                        int64_t first_row, int64_t y, int64_t x);
float le__sr_rgc_pixel_exact(const le__sr_rgc *p, const float *gx, const float *gy, int64_t y,
                             int64_t x);

/* ----------------------------------------------------------------------------- projections --- */

typedef enum le__sr_temporal {
    LE__SR_NONE = 0,
    LE__SR_AVG,
    LE__SR_VAR,
    LE__SR_TAC2
} le__sr_temporal;

extern const char *const le__sr_temporal_words[]; /* "none", "avg", "var", "tac2", NULL */
le__sr_temporal le__sr_temporal_of(const char *word);

/* Frames of a time point: 0 means all, more than there are too. */
int64_t le__sr_timepoint_frames(int64_t frames, int64_t per_timepoint);
int64_t le__sr_timepoints(int64_t frames, int64_t per_timepoint);

/* -------------------------------------------------------------------------------- cases ------ */

/* Fills a stack with blinking spots on an uneven background with shot noise, as a camera sees them.
 */
void le__sr_fill_spots(le_case *c, le_tensor *t);
/* One of several edge contents by index: zeros, a constant, a ramp, one hot pixel, a checkerboard
 * ... */
#define LE__SR_CONTENTS 6
void le__sr_fill_content(le_case *c, le_tensor *t, int64_t content);

#endif
