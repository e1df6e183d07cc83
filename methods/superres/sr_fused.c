/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Makes the tables of the fused convergence.
 */
#include "sr_fused.h"

#include <math.h>
#include <string.h>

static int64_t round_up(int64_t n, int64_t step) {
    return (n + step - 1) / step * step;
}

static int64_t plane_pad(const le__sr_rgc *p) {
    return round_up((p->reach + 1) / 2 + 2, 16);
}

int64_t le__sr_plane_size(const le__sr_rgc *p) {
    return round_up(plane_pad(p) + p->cols + 1 + p->reach / 2 + 2 + LE__SR_SLACK, 16);
}

static int64_t first_half(const le__sr_rgc *p, int64_t i) {
    return (2 * i + 1) / p->magnification - p->reach;
}

/* Does output index i lose taps of its window at the border? */
static bool clipped(const le__sr_rgc *p, int64_t i, int64_t last) {
    return first_half(p, i) < 1 || first_half(p, i) + 2 * p->reach > last;
}

static int64_t border_rows(const le__sr_rgc *p) {
    int64_t n = 0, hm = p->rows * p->magnification;
    for (int64_t y = p->margin; y < hm - p->margin; y++)
        n += clipped(p, y, p->last_row);
    return n;
}

int64_t le__sr_tables_bytes(const le__sr_rgc *p) {
    int64_t m = p->magnification, window = 2 * p->reach + 1, plane = le__sr_plane_size(p);
    int64_t axes = (p->rows + p->cols) * m * (3 * 4 + 8 * LE__SR_TAPS);
    return 20 * m * m * window * window + (m + border_rows(p)) * m * plane * 4 + 16 * m * plane +
           axes + 4 * p->rows * m + 4096;
}

/* exp(-4 k^2 / tss) factors: weight(d)= d^4 exp(-4 dx^2/tss) exp(-4 dy^2/tss). */
static void axis_exponents(const le__sr_rgc *p, double *e) {
    int m = p->magnification, window = 2 * p->reach + 1;
    for (int a = 0; a < m; a++)
        for (int k = 0; k < window; k++) {
            int64_t half = (2 * a + 1) / m - p->reach + k;
            double d = (double)(half * m - (2 * a + 1)) / (2.0 * m);
            e[a * window + k] = exp(-4 * d * d / (double)p->tss);
        }
}

/* Taps of one phase, weights not yet normalised; returns their number, *sum the sum of weights. */
static int32_t phase_taps(const le__sr_tables *t, int py, int px, const double *e, int32_t at,
                          double *sum) {
    const le__sr_rgc *p = &t->rgc;
    const int m = p->magnification, window = 2 * p->reach + 1;
    const int by = (2 * py + 1) / m - p->reach, bx = (2 * px + 1) / m - p->reach;
    *sum = 0;
    for (int jj = 0; jj < window; jj++)
        for (int ii = 0; ii < window; ii++) {
            int ky = by + jj, kx = bx + ii;
            double dy = (double)(ky * m - (2 * py + 1)) / (2.0 * m);
            double dx = (double)(kx * m - (2 * px + 1)) / (2.0 * m);
            double d2 = dx * dx + dy * dy, d = sqrt(d2);
            float w = (float)(d2 * d2 * e[py * window + jj] * e[px * window + ii]);
            if (d2 == 0 || d > p->tso || w == 0)
                continue;
            int parity = kx & 1;
            t->tap_offset[at] =
                (int32_t)(ky * LE__SR_HALF_ROW(t) + parity * t->plane + (kx - parity) / 2);
            t->tap_x[at] = (float)(dx / d);
            t->tap_y[at] = (float)(dy / d);
            t->tap_w[at++] = w;
            *sum += w;
        }
    return at;
}

static void make_taps(le__sr_tables *t, const double *e) {
    const int m = t->rgc.magnification;
    int32_t at = 0;
    for (int phase = 0; phase < m * m; phase++) {
        double sum;
        int32_t begin = at;
        at = phase_taps(t, phase / m, phase % m, e, at, &sum);
        for (int32_t i = begin; i < at; i++) {
            double w = t->tap_w[i] / sum;
            t->tap_w[i] = (float)w;
            t->tap_x[i] = (float)(w * t->tap_x[i]);
            t->tap_y[i] = (float)(w * t->tap_y[i]);
        }
        t->tap_end[phase] = at;
    }
}

/* Sum of the normalised weights of output pixel (y,x) that are inside. */
static double weight_inside(const le__sr_tables *t, const double *e, int64_t y, int64_t x) {
    const le__sr_rgc *p = &t->rgc;
    const int m = p->magnification, window = 2 * p->reach + 1;
    const int py = (int)(y % m), px = (int)(x % m);
    double all = 0, inside = 0;
    for (int jj = 0; jj < window; jj++)
        for (int ii = 0; ii < window; ii++) {
            int64_t ky = first_half(p, y) + jj, kx = first_half(p, x) + ii;
            double dy = (double)(ky * m - (2 * y + 1)) / (2.0 * m);
            double dx = (double)(kx * m - (2 * x + 1)) / (2.0 * m);
            double d2 = dx * dx + dy * dy;
            float w = (float)(d2 * d2 * e[py * window + jj] * e[px * window + ii]);
            if (d2 == 0 || sqrt(d2) > p->tso)
                continue;
            all += w;
            if (ky >= 1 && ky <= p->last_row && kx >= 1 && kx <= p->last_col)
                inside += w;
        }
    return inside > 0 ? all / inside : 0;
}

/* whole: the row itself loses no taps. Columns that lose none share one factor. */
static void make_factor_row(const le__sr_tables *t, const double *e, int64_t y, bool whole,
                            float *row) {
    const le__sr_rgc *p = &t->rgc;
    const int m = p->magnification;
    for (int px = 0; px < m; px++, row += t->plane) {
        memset(row, 0, (size_t)t->plane * sizeof *row);
        float shared = whole ? 1 : -1;
        for (int64_t cx = t->first_x[px]; cx < t->end_x[px]; cx++) {
            bool own = clipped(p, cx * m + px, p->last_col);
            float f = own || shared < 0 ? (float)weight_inside(t, e, y, cx * m + px) : shared;
            if (!own)
                shared = f;
            row[cx] = f;
        }
    }
}

static void make_factors(le__sr_tables *t, const double *e) {
    const le__sr_rgc *p = &t->rgc;
    const int64_t m = p->magnification, hm = p->rows * m, size = m * t->plane;
    int32_t used = (int32_t)m;
    for (int64_t y = 0; y < hm; y++)
        t->factor_row[y] = -1;
    bool made[LE__SR_MAX_MAGNIFICATION] = {false};
    for (int64_t y = p->margin; y < hm - p->margin; y++) {
        if (clipped(p, y, p->last_row)) {
            t->factor_row[y] = used;
            make_factor_row(t, e, y, false, t->factor + size * used++);
            continue;
        }
        t->factor_row[y] = (int32_t)(y % m);
        if (!made[y % m])
            make_factor_row(t, e, y, true, t->factor + size * (y % m));
        made[y % m] = true;
    }
}

static void make_ranges(le__sr_tables *t) {
    const le__sr_rgc *p = &t->rgc;
    const int64_t m = p->magnification, begin = p->margin, end = p->cols * m - p->margin;
    for (int64_t px = 0; px < m; px++) { /* a margin wider than the image ends with it */
        t->first_x[px] = begin > px ? (begin - px + m - 1) / m : 0;
        if (t->first_x[px] > p->cols)
            t->first_x[px] = p->cols;
        t->end_x[px] = end > px ? (end - px + m - 1) / m : 0;
        if (t->end_x[px] < t->first_x[px])
            t->end_x[px] = t->first_x[px];
    }
}

static void make_columns(le__sr_tables *t, const le__sr_axis *cols) {
    const int64_t m = t->rgc.magnification;
    memset(t->col_weight, 0, (size_t)(4 * m * t->plane) * sizeof(float));
    for (int64_t x = 0; x < cols->n_out; x++) {
        float *w = t->col_weight + 4 * (x % m) * t->plane + x / m;
        t->col_shift[x % m] = (int32_t)(cols->first[x] - x / m);
        for (int k = 0; k < 4; k++)
            w[k * t->plane] = (float)cols->weight[LE__SR_TAPS * x + k];
    }
}

static bool allocate(le_call *call, le__sr_tables *t, double **e) {
    const le__sr_rgc *p = &t->rgc;
    const size_t m = (size_t)p->magnification, window = 2 * (size_t)p->reach + 1;
    const size_t taps = m * m * window * window, plane = (size_t)t->plane;
    t->tap_end = le_call_scratch(call, (m * m + m) * sizeof *t->tap_end);
    t->tap_offset = le_call_scratch(call, taps * sizeof *t->tap_offset);
    float *f = le_call_scratch(call, 3 * taps * sizeof *f);
    t->first_x = le_call_scratch(call, 2 * m * sizeof *t->first_x);
    t->factor_row = le_call_scratch(call, (size_t)p->rows * m * sizeof *t->factor_row);
    t->factor = le_call_scratch(call, (m + (size_t)border_rows(p)) * m * plane * sizeof *t->factor);
    t->col_weight = le_call_scratch(call, 4 * m * plane * sizeof *t->col_weight);
    *e = le_call_scratch(call, m * window * sizeof **e);
    if (!t->tap_end || !t->tap_offset || !f || !t->first_x || !t->factor_row || !t->factor ||
        !t->col_weight || !*e)
        return false;
    t->col_shift = t->tap_end + m * m;
    t->tap_x = f;
    t->tap_y = f + taps;
    t->tap_w = f + 2 * taps;
    t->end_x = t->first_x + m;
    return true;
}

le_status le__sr_tables_make(le_call *call, const le__sr_rgc *rgc, le__sr_tables *out) {
    *out = (le__sr_tables){.rgc = *rgc, .pad = plane_pad(rgc), .plane = le__sr_plane_size(rgc)};
    const int64_t m = rgc->magnification;
    double *e;
    if (!allocate(call, out, &e))
        return le_fail(LE_ERR_MEMORY, "esrrf: no memory for the tables of weights");
    le__sr_axis cols;
    le_status status = le__sr_axis_make(call, LE__SR_CATMULL_ROM, rgc->rows, rgc->rows * m,
                                        (float)m, 0, &out->rows);
    if (status == LE_OK)
        status = le__sr_axis_make(call, LE__SR_CATMULL_ROM, rgc->cols, rgc->cols * m, (float)m, 0,
                                  &cols);
    if (status != LE_OK)
        return status;
    axis_exponents(rgc, e);
    make_taps(out, e);
    make_ranges(out);
    make_factors(out, e);
    make_columns(out, &cols);
    return LE_OK;
}
