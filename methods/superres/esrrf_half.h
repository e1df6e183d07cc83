/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Fused esrrf, first half: what a worker holds, and the unit gradients of a band of whole-pixel
 * rows on the half-pixel grid. Compiled once per ISA, as part of esrrf_fused.c.
 */
#ifndef LE_ESRRF_HALF_H
#define LE_ESRRF_HALF_H

#include "esrrf.h"
#include "sr_fused.h"
#include "sr_rows.h"

#include <math.h>
#include <string.h>

/* Memory of a worker. Rows of the image and of the gradients have zeros before and after. */
typedef struct work {
    float *image, *gradient_col, *gradient_row; /* rows of plane floats, X = 0 at pad */
    double *sample_col, *sample_row;            /* one row between the two directions */
    float *half;                                /* unit gradients of the band */
    float *intensity;                           /* one row */
    float *value;                               /* [max(M,4)][plane]: one output row by phases */
    float *first, *previous;                    /* of the band, for var and tac2 */
    double *sum, *sum2;
    float *spare, *divisor; /* output rows */
    bool finite;            /* all gradients of the band are; with them the image is */
} work;

typedef struct fused {
    const le_call *call;
    le__esrrf e;
    le__sr_tables tables;
    int64_t band, bands; /* whole-pixel rows of a band; bands of a frame */
    int64_t half_rows, image_rows;
    double *phase_sums; /* [items][M*M], for the macro-pixel correction */
    float *phase_means; /* [N][M*M] */
    work *workers;
} fused;

/* ------------------------------------------------------------------------------ gradients ---- */

/* One gradient component between the rows: doubles, as the interpolation rounds only at its end.
 * Taps of weight 0 count where they make NaN. */
static void between_rows(const float *rows, int64_t plane, int lo, int hi, const double *weight,
                         bool finite, int64_t n, double *restrict out) {
    memset(out, 0, (size_t)n * sizeof *out);
    for (int k = lo; k < hi; k++) {
        const float *restrict row = rows + k * plane;
        const double w = weight[k];
        if (w != 0 || !finite)
            for (int64_t x = 0; x < n; x++)
                out[x] += row[x] * w;
    }
}

/* The half pixels of a row: odd ones are the samples, even ones lie between four of them. */
static void between_cols(const le__sr_tables *t, const double *restrict in, bool finite,
                         float *restrict even, float *restrict odd) {
    const int64_t n = t->rgc.cols;
    for (int64_t x = 0; x < n; x++) {
        odd[x] = (float)in[x];
        even[x] =
            (float)(-0.0625 * in[x - 2] + 0.5625 * in[x - 1] + 0.5625 * in[x] - 0.0625 * in[x + 1]);
    }
    for (int64_t x = 0; x < n && !finite; x++)
        odd[x] = (float)(in[x - 1] * 0 + in[x] + in[x + 1] * 0 + in[x + 2] * 0);
    int32_t first, lo, hi;
    double w[LE__SR_TAPS], last = 0;
    le__sr_weights(LE__SR_CATMULL_ROM, le__sr_half_position(2 * n, n, t->rgc.magnification), n,
                   &first, &lo, &hi, w);
    for (int k = lo; k < hi; k++)
        last += in[first + k] * w[k];
    even[n] = (float)last;
    odd[n] = 0;
    even[0] = 0;
    for (int64_t k = t->rgc.last_col + 1; k <= 2 * n; k++)
        (k & 1 ? odd : even)[k / 2] = 0;
}

/* Unit gradients of half-pixel row k; zeros where the convergence reads nothing. row0: first row of
 * the gradient rows that the worker holds. */
static void half_row(const fused *f, work *w, int64_t k, int64_t row0, float *out) {
    const le__sr_tables *t = &f->tables;
    const le__sr_rgc *p = &t->rgc;
    const int64_t plane = t->plane, pad = t->pad;
    if (k < 1 || k > p->last_row) {
        memset(out, 0, (size_t)LE__SR_HALF_ROW(t) * sizeof *out);
        return;
    }
    int32_t first, lo, hi;
    double weight[LE__SR_TAPS];
    le__sr_weights(LE__SR_CATMULL_ROM, le__sr_half_position(k, p->rows, p->magnification), p->rows,
                   &first, &lo, &hi, weight);
    int64_t at = (first - row0) * plane + pad;
    float *even = w->value + pad, *odd = even + plane, *even2 = odd + plane, *odd2 = even2 + plane;
    between_rows(w->gradient_col + at, plane, lo, hi, weight, w->finite, p->cols,
                 w->sample_col + pad);
    between_rows(w->gradient_row + at, plane, lo, hi, weight, w->finite, p->cols,
                 w->sample_row + pad);
    between_cols(t, w->sample_col + pad, w->finite, even, odd);
    between_cols(t, w->sample_row + pad, w->finite, even2, odd2);
    out += pad;
    unit_rows(even, even2, out, out + 2 * plane, p->cols + 1);
    unit_rows(odd, odd2, out + plane, out + 3 * plane, p->cols + 1);
}

/* Image rows that a band starting at whole-pixel row y0 needs: first one, and how many. */
static int64_t first_image_row(const le__sr_rgc *p, int64_t y0) {
    int64_t row = y0 - p->reach / 2 - 4;
    return row > 0 ? row : 0;
}

static int64_t count_image_rows(const le__sr_rgc *p, int64_t band) {
    return band + p->reach + 9;
}

static void load_band(const fused *f, work *w, int64_t frame, int64_t y0, int64_t y1) {
    const le__sr_tables *t = &f->tables;
    const le__sr_rgc *p = &t->rgc;
    const int64_t row0 = first_image_row(p, y0);
    int64_t row1 = y1 + p->reach / 2 + 4;
    row1 = row1 < p->rows ? row1 : p->rows;
    w->finite = true;
    for (int64_t y = row0; y < row1; y++) {
        int64_t at = (y - row0) * t->plane + t->pad;
        const float *above = w->image + (y > row0 ? at - t->plane : at);
        le__sr_load_row(&f->e.in, frame, y, w->image + at);
        le__sr_roberts_row(above, w->image + at, p->cols, w->gradient_col + at,
                           w->gradient_row + at);
        w->finite = w->finite && all_finite(w->gradient_col + at, p->cols) &&
                    all_finite(w->gradient_row + at, p->cols);
    }
    for (int64_t k = 0; k < 2 * (y1 - y0) + 2 * p->reach + 1; k++)
        half_row(f, w, 2 * y0 - p->reach + k, row0, w->half + k * LE__SR_HALF_ROW(t));
}

#endif
