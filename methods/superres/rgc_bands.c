/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * radial_gradient_convergence by bands of whole-pixel rows with tables of weights (sr_fused.h),
 * compiled once per ISA. A tap adds w - |across|, which cancels in float where a gradient is nearly
 * perpendicular to the tap: a row in which no pixel is large is made in double.
 */
#include "common/isa.h"
#if LE_METHOD_ISA
#include "sr_convergence_simd.h"
#else
#include "sr_convergence_plain.h"
#endif

#include "radial_gradient_convergence.h"
#include "sr_fused.h"
#include "sr_rows.h"

#include <math.h>
#include <string.h>

enum { BAND = 8 };

typedef struct bands {
    le__rgc_call c;
    le__sr_tables tables;
    int64_t per_frame, half_floats, line_floats, worker_floats;
    float large; /* values above it are far from cancelling */
    float *memory;
} bands;

/* Samples of a half-pixel row, even and odd ones apart; zeros where the convergence reads nothing.
 */
static void split_row(const bands *b, const le__sr_stack *gradient, int64_t t, int64_t k,
                      float *spare, float *even, float *odd) {
    const le__sr_rgc *p = &b->c.rgc;
    const int64_t m = p->magnification, last = gradient->cols - 1;
    const int64_t y = k * m < gradient->rows ? k * m : gradient->rows - 1;
    const float *row = le__sr_row(gradient, t, y, spare);
    for (int64_t x = 0; x < p->cols; x++) {
        even[x] = row[2 * x * m];
        odd[x] = row[(2 * x + 1) * m];
    }
    even[p->cols] = row[last];
    odd[p->cols] = 0;
    even[0] = 0;
    for (int64_t l = p->last_col + 1; l <= 2 * p->cols; l++)
        (l & 1 ? odd : even)[l / 2] = 0;
}

static void load_band(const bands *b, int64_t t, int64_t y0, int64_t y1, float *half, float *lines,
                      float *spare) {
    const le__sr_tables *tb = &b->tables;
    const le__sr_rgc *p = &tb->rgc;
    float *even = lines, *odd = even + tb->plane, *even2 = odd + tb->plane,
          *odd2 = even2 + tb->plane;
    for (int64_t k = 2 * y0 - p->reach; k <= 2 * y1 + p->reach; k++, half += LE__SR_HALF_ROW(tb)) {
        if (k < 1 || k > p->last_row) {
            memset(half, 0, (size_t)LE__SR_HALF_ROW(tb) * sizeof *half);
            continue;
        }
        split_row(b, &b->c.col, t, k, spare, even, odd);
        split_row(b, &b->c.row, t, k, spare, even2, odd2);
        float *out = half + tb->pad;
        unit_rows(even, even2, out, out + 2 * tb->plane, p->cols + 1);
        unit_rows(odd, odd2, out + tb->plane, out + 3 * tb->plane, p->cols + 1);
    }
}

static bool any_above(const float *v, int64_t n, float limit) {
    int above = 0;
    for (int64_t i = 0; i < n; i++)
        above |= v[i] > limit;
    return above;
}

static bool row_above(const le__sr_tables *tb, const float *value, float limit) {
    bool above = false;
    for (int64_t px = 0; px < tb->rgc.magnification && !above; px++)
        above = any_above(value + px * tb->plane + tb->pad + tb->first_x[px],
                          tb->end_x[px] - tb->first_x[px], limit);
    return above;
}

/* half: the unit gradients of row 2Y; all 0 where the image is flat. */
static bool is_flat(const le__sr_tables *tb, const float *half) {
    const int64_t row = LE__SR_HALF_ROW(tb);
    const float *v = half - tb->pad - tb->rgc.reach * row;
    int other = 0;
    for (int64_t i = 0; i < (2 * tb->rgc.reach + 2) * row; i++)
        other |= v[i] != 0;
    return !other;
}

static bool cancels(const bands *b, const float *half, const float *value) {
    const le__sr_tables *tb = &b->tables;
    return !row_above(tb, value, b->large) && (row_above(tb, value, 0) || !is_flat(tb, half));
}

static void write_band_row(const bands *b, int64_t t, int64_t y, const float *half, float *value,
                           float *spare) {
    const le__sr_tables *tb = &b->tables;
    const int64_t m = tb->rgc.magnification, cols = b->c.out.cols;
    float *out = le__sr_begin_row(&b->c.out, t, y, spare);
    if (tb->factor_row[y] < 0) {
        memset(out, 0, (size_t)cols * sizeof *out);
    } else {
        convergence_row(tb, half, (int)(y % m), tb->factor + tb->factor_row[y] * m * tb->plane,
                        NULL, value + tb->pad);
        for (int64_t px = 0; px < m; px++)
            write_phase(tb, value + px * tb->plane + tb->pad, px, out + px);
        if (cancels(b, half, value))
            le__rgc_row(&b->c, t, y, spare + b->line_floats, out);
        const float *image = le__sr_row(&b->c.image, t, y, spare + cols);
        const int64_t end = cols - tb->rgc.margin;
        if (tb->rgc.weighting)
            for (int64_t x = tb->rgc.margin; x < end; x++)
                out[x] *= image[x];
    }
    le__sr_end_row(&b->c.out, t, y, out);
}

static void range(void *context, size_t begin, size_t end, int worker) {
    const bands *b = context;
    const le__sr_rgc *p = &b->tables.rgc;
    const int64_t m = p->magnification;
    float *half = b->memory + b->worker_floats * worker, *value = half + b->half_floats;
    float *spare = value + (m > 4 ? m : 4) * b->tables.plane;
    for (int64_t item = (int64_t)begin; item < (int64_t)end; item++) {
        const int64_t t = item / b->per_frame, y0 = item % b->per_frame * BAND;
        const int64_t y1 = y0 + BAND < p->rows ? y0 + BAND : p->rows;
        load_band(b, t, y0, y1, half, value, spare);
        for (int64_t y = y0 * m; y < y1 * m; y++)
            write_band_row(b, t, y,
                           half + (2 * (y / m - y0) + p->reach) * LE__SR_HALF_ROW(&b->tables) +
                               b->tables.pad,
                           value, spare);
    }
}

static le_status prepare(le_call *call, void **context) {
    bands *b = le_call_scratch(call, sizeof *b);
    if (!b)
        return le_fail(LE_ERR_MEMORY, "radial_gradient_convergence: out of memory");
    b->c = le__rgc_call_of(call);
    *context = b;
    le_status status = le__sr_tables_make(call, &b->c.rgc, &b->tables);
    if (status != LE_OK)
        return status;
    const int64_t m = b->c.rgc.magnification, plane = b->tables.plane;
    b->per_frame = (b->c.rgc.rows + BAND - 1) / BAND;
    b->half_floats = (2 * BAND + 2 * b->c.rgc.reach + 1) * LE__SR_HALF_ROW(&b->tables);
    b->line_floats = 2 * b->c.out.cols + 16;
    b->worker_floats =
        b->half_floats + (m > 4 ? m : 4) * plane + b->line_floats + le__rgc_row_floats(&b->c);
    const double s = b->c.rgc.sensitivity;
    b->large = (float)pow(1.0 / 16, s > 1 ? s : 1);
    status = le__sr_spare(call, b->worker_floats, &b->memory);
    if (status == LE_OK)
        memset(b->memory, 0, (size_t)(le_call_threads(call) * b->worker_floats) * sizeof(float));
    return status;
}

static size_t items(const le_call *call) {
    const le__rgc_call c = le__rgc_call_of(call);
    return (size_t)(c.image.frames * ((c.rgc.rows + BAND - 1) / BAND));
}

static int64_t memory(const le_call *call) {
    const le__rgc_call c = le__rgc_call_of(call);
    const int64_t plane = le__sr_plane_size(&c.rgc);
    return le__sr_tables_bytes(&c.rgc) + 16 * 4 *
                                             ((2 * BAND + 2 * c.rgc.reach + 1) * 4 * plane +
                                              10 * plane + 2 * c.out.cols + le__rgc_row_floats(&c));
}

LE_IMPLEMENTATION(radial_gradient_convergence, LE__ISA, LE__ISA_FIELDS("simd"),
                  .summary = "bands, tables of weights; " LE__ISA_WIDTH,
                  .flags = LE_IMPL_REPRODUCIBLE, .speed = LE__BY_ISA(1, 3, 5), .memory = memory,
                  .prepare = prepare, .items = items, .range = range);
