/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Roberts cross and the radial gradient convergence of one pixel, twice: in double with exact
 * coordinates, and in NanoPyx's float32 arithmetic. The latter rounds the coordinates of the output
 * pixel to float32, an error that grows with the distance from the origin; the former does not.
 */
#include "superres.h"

#include <math.h>

void le__sr_roberts_row(const float *above, const float *row, int64_t cols, float *gradient_col,
                        float *gradient_row) {
    gradient_col[0] = above[0] - row[0] + row[0] - above[0];
    gradient_row[0] = -above[0] + row[0] + row[0] - above[0];
    for (int64_t x = 1; x < cols; x++) {
        gradient_col[x] = above[x] - row[x - 1] + row[x] - above[x - 1];
        gradient_row[x] = -above[x] + row[x - 1] + row[x] - above[x - 1];
    }
}

le__sr_rgc le__sr_rgc_make(int64_t rows, int64_t cols, int64_t magnification, double radius,
                           double sensitivity, bool weighting) {
    float r = (float)radius, s = (float)(radius / 2.355);
    int64_t mr = rows * magnification, mc = cols * magnification;
    return (le__sr_rgc){
        .rows = rows,
        .cols = cols,
        .magnification = (int)magnification,
        .reach = (int)(2 * r),
        .margin = (int64_t)((double)r * (double)magnification),
        .radius_f32 = r,
        .tss = (float)(2.0 * s * s),
        .tso = (float)(2.0 * s + 1),
        .last_row = 2 * (mr - 1) < 2 * rows ? 2 * (mr - 1) : 2 * rows,
        .last_col = 2 * (mc - 1) < 2 * cols ? 2 * (mc - 1) : 2 * cols,
        .sensitivity = sensitivity,
        .weighting = weighting,
    };
}

/* Of a tap at distance d, rounded to float32 as NanoPyx does. */
static float weight_at(const le__sr_rgc *p, double d) {
    double w = d * exp(-(d * d) / (double)p->tss);
    return (float)((w * w) * (w * w));
}

float le__sr_half_position(int64_t k, int64_t n, int magnification) {
    if (k < 2 * n)
        return (float)k / 2.0f;
    return (float)(2 * n * magnification - 1) / (float)(2 * magnification);
}

/* Offset in pixels of tap k of phase p; exact, so that a tap at the centre is found. */
static double tap_offset(const le__sr_rgc *p, int phase, int k) {
    const int m = p->magnification, half = (2 * phase + 1) / m - p->reach + k;
    return (double)(half * m - (2 * phase + 1)) / (double)(2 * m);
}

size_t le__sr_rgc_weights_count(const le__sr_rgc *p) {
    const size_t m = (size_t)p->magnification, window = 2 * (size_t)p->reach + 1;
    return m * m * window * window;
}

void le__sr_rgc_weights(const le__sr_rgc *p, float *out) {
    const int m = p->magnification, window = 2 * p->reach + 1;
    for (int phase = 0; phase < m * m; phase++)
        for (int k = 0; k < window * window; k++) {
            double dy = tap_offset(p, phase / m, k / window),
                   dx = tap_offset(p, phase % m, k % window);
            double d = sqrt(dx * dx + dy * dy);
            *out++ = d == 0 || d > (double)p->tso ? 0 : weight_at(p, d);
        }
}

double le__sr_rgc_pixel(const le__sr_rgc *p, const float *weights, const float *gx, const float *gy,
                        int64_t first_row, int64_t y, int64_t x) {
    const int m = p->magnification, window = 2 * p->reach + 1;
    const int py = (int)(y % m), px = (int)(x % m);
    const int64_t width = 2 * p->cols + 1, ky0 = (2 * y + 1) / m - p->reach,
                  kx0 = (2 * x + 1) / m - p->reach;
    double sum = 0, all = 0;
    weights += (int64_t)(py * m + px) * window * window;
    for (int k = 0; k < window * window; k++) {
        const int64_t ky = ky0 + k / window, kx = kx0 + k % window;
        if (ky < 1 || ky > p->last_row || kx < 1 || kx > p->last_col)
            continue;
        const double dy = tap_offset(p, py, k / window), dx = tap_offset(p, px, k % window);
        const int64_t at = (ky - first_row) * width + kx;
        const double u = gx[at], v = gy[at], w = weights[k];
        const double across = fabs(v * dx - u * dy) / sqrt((u * u + v * v) * (dx * dx + dy * dy));
        all += w;
        /* an infinite gradient has no direction: as in NanoPyx it adds nothing */
        if (w > 0 && u * dx + v * dy < 0 && !isnan(across))
            sum += w * (1 - across);
    }
    double result = all > 0 ? sum / all : 0;
    if (result < 0)
        return 0;
    return p->sensitivity > 1 ? pow(result, p->sensitivity) : result;
}

/* 1 - |g x r| / (|g| |r|), rounded where NanoPyx rounds. */
static float exact_alignment(float gx, float gy, float dx, float dy, float d) {
    float across = (float)(fabs((double)(gy * dx - gx * dy)) / sqrt((double)(gx * gx + gy * gy)));
    if (isnan(across))
        across = d;
    return 1 - across / d;
}

float le__sr_rgc_pixel_exact(const le__sr_rgc *p, const float *gx, const float *gy, int64_t y,
                             int64_t x) {
    const int64_t width = 2 * p->cols + 1;
    const float m = (float)p->magnification;
    const float xc = (float)(((double)x + 0.5) / m), yc = (float)(((double)y + 0.5) / m);
    const int64_t by = (int64_t)(2 * yc), bx = (int64_t)(2 * xc);
    float sum = 0, weights = 0;
    for (int64_t ky = by - p->reach; ky <= by + p->reach; ky++) {
        if (ky < 1 || ky > p->last_row)
            continue;
        float dy = (float)ky / 2 - yc;
        for (int64_t kx = bx - p->reach; kx <= bx + p->reach; kx++) {
            if (kx < 1 || kx > p->last_col)
                continue;
            float dx = (float)kx / 2 - xc, d = (float)sqrt((double)(dx * dx + dy * dy));
            if (d == 0 || d > p->tso)
                continue;
            float w = weight_at(p, d), u = gx[ky * width + kx], v = gy[ky * width + kx];
            weights += w;
            if (u * dx + v * dy < 0)
                sum += exact_alignment(u, v, dx, dy, d) * w;
        }
    }
    float result = weights > 0 ? sum / weights : 0;
    if (result < 0)
        return 0;
    return p->sensitivity > 1 ? (float)pow(result, p->sensitivity) : result;
}
