/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Measured data as SVG. Images are a PNG inside, at most as fine as a screen shows.
 */
#include "svg_plot.h"

#include "liquid_engine/le_io.h"
#include "liquid_engine/le_method.h"
#include "escape.h"
#include "engine/report/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 860, HEIGHT = 480, LEFT = 84, RIGHT = 24, TOP = 40, BOTTOM = 56, BAR = 90 };
enum { MOST_COLUMNS = 1000, MOST_ROWS = 600, MOST_POINTS = 4000, MOST_TICKS = 10 };

/* Values to pixels. */
typedef struct axis {
    double low, high, from, to;
    bool log;
} axis;

static double place(const axis *a, double v) {
    const double t =
        a->log ? log(v / a->low) / log(a->high / a->low) : (v - a->low) / (a->high - a->low);
    return a->from + (a->to - a->from) * fmin(fmax(t, 0), 1);
}

/* Nearly one, too: between numbers that are a few roundings apart there is no tick. */
static bool is_one_value(const axis *a) {
    return a->high - a->low <= 1e-12 * fmax(fabs(a->low), fabs(a->high));
}

/* NaN is nowhere; lines of one value get some room. */
static axis axis_of(const le_tensor *t, bool may_be_log, double from, double to) {
    axis a = {.low = INFINITY, .high = -INFINITY, .from = from, .to = to};
    double least = INFINITY;
    for (int64_t i = 0; i < le_tensor_count(t); i++) {
        const double v = le_tensor_get(t, i);
        if (!isfinite(v))
            continue;
        a.low = fmin(a.low, v);
        a.high = fmax(a.high, v);
        if (v > 0)
            least = fmin(least, v);
    }
    if (!(a.low <= a.high))
        a.low = a.high = 0;
    a.log = may_be_log && a.low >= 0 && a.high > 100 * least;
    if (a.log)
        a.low = fmax(least, a.high * 1e-6);
    if (is_one_value(&a)) {
        a.high = a.low + (a.low != 0 ? fabs(a.low) : 1) * 0.5;
        a.low -= a.high - a.low;
    }
    return a;
}

static double step_of(const axis *a) {
    const double rough = (a->high - a->low) / 6, power = pow(10, floor(log10(rough)));
    const double m = rough / power;
    return power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

static void text(FILE *out, double x, double y, const char *classes, const char *what) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, classes);
    le__escape(out, what);
    fputs("</text>\n", out);
}

static void tick(FILE *out, const axis *a, bool upright, double v, double far) {
    char number[32];
    const double at = place(a, v);
    snprintf(number, sizeof number, "%.6g", fabs(v) < 1e-9 * (a->high - a->low) ? 0 : v);
    if (upright)
        fprintf(out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>\n", LEFT,
                at, far, at);
    else
        fprintf(out, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>\n", at,
                TOP, at, far);
    if (upright)
        text(out, LEFT - 8, at + 4, "dim end", number);
    else
        text(out, at, far + 18, "dim mid", number);
}

static void ticks(FILE *out, const axis *a, bool upright, double far) {
    const double step = a->log ? 1 : step_of(a), end = a->log ? log10(a->high) : a->high / step;
    const double first = ceil((a->log ? log10(a->low) : a->low / step) - 1e-9);
    for (int k = 0; k < MOST_TICKS && first + k <= end + 1e-9; k++)
        tick(out, a, upright, a->log ? pow(10, first + k) : (first + k) * step, far);
}

static void begin(FILE *out, const svg_plot *p) {
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg class=\"chart\" "
            "xmlns=\"http://www.w3.org/2000/svg\" "
            "width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\"><title>",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    le__escape(out, p->title);
    fputs("</title>\n<style>", out);
    le__svg_css(out);
    fprintf(out, "</style>\n<rect width=\"%d\" height=\"%d\" style=\"fill:var(--paper)\"/>\n",
            WIDTH, HEIGHT);
    text(out, LEFT, 24, "strong", p->title);
}

static void labels(FILE *out, const svg_plot *p, const char *y_label, double right) {
    text(out, (LEFT + right) / 2, HEIGHT - 14, "mid", p->x_label);
    fprintf(out, "<text transform=\"translate(20 %d) rotate(-90)\" class=\"mid\">",
            (TOP + HEIGHT - BOTTOM) / 2);
    le__escape(out, y_label);
    fputs("</text>\n", out);
}

/* ---------------------------------------------------------------------------------- a curve -- */

static bool shown(const axis *y, double v) {
    return isfinite(v) && (!y->log || v > 0);
}

static void band(FILE *out, const svg_plot *p, const axis *x, const axis *y, int64_t step) {
    const int64_t n = le_tensor_count(p->values);
    fputs("<path class=\"s0\" style=\"opacity:.25;stroke:none\" d=\"", out);
    for (int64_t k = 0, side = 0; side < 2; side++)
        for (int64_t i = 0; i < n; i += step) {
            const int64_t at = side ? (n - 1) / step * step - i : i;
            const double v = le_tensor_get(p->values, at), e = le_tensor_get(p->errors, at);
            if (shown(y, v) && isfinite(e))
                fprintf(out, "%c%.1f %.1f", k++ ? 'L' : 'M', place(x, le_tensor_get(p->x, at)),
                        place(y, y->log ? fmax(v + (side ? -e : e), y->low) : v + (side ? -e : e)));
        }
    fputs("\"/>\n", out);
}

le_status svg_write_curve(FILE *out, const svg_plot *p) {
    const int64_t n = le_tensor_count(p->values), step = n / MOST_POINTS + 1;
    const axis x = axis_of(p->x, false, LEFT, WIDTH - RIGHT),
               y = axis_of(p->values, true, HEIGHT - BOTTOM, TOP);
    begin(out, p);
    ticks(out, &x, false, HEIGHT - BOTTOM);
    ticks(out, &y, true, WIDTH - RIGHT);
    labels(out, p, p->value_label, WIDTH - RIGHT);
    if (p->errors)
        band(out, p, &x, &y, step);
    fputs("<path class=\"line s0\" style=\"stroke-width:1.5\" d=\"", out);
    bool gap = true;
    for (int64_t i = 0; i < n; i += step) {
        const double v = le_tensor_get(p->values, i);
        if (shown(&y, v))
            fprintf(out, "%c%.1f %.1f", gap ? 'M' : 'L', place(&x, le_tensor_get(p->x, i)),
                    place(&y, v));
        gap = !shown(&y, v);
    }
    fputs("\"/>\n</svg>\n", out);
    return ferror(out) ? LE_ERR_IO : LE_OK;
}

/* -------------------------------------------------------------------------------- an image --- */

/* From dark to light, after viridis, which reads the same in grey and to any colour vision. */
static void colour(double t, uint8_t *rgb) {
    static const uint8_t stops[][3] = {{68, 1, 84},   {59, 82, 139},  {33, 145, 140},
                                       {94, 201, 98}, {253, 231, 37}, {253, 231, 37}};
    const double at = fmin(fmax(t, 0), 1) * 4;
    const int k = (int)at;
    for (int c = 0; c < 3; c++)
        rgb[c] = (uint8_t)(stops[k][c] + (at - k) * (stops[k + 1][c] - stops[k][c]) + 0.5);
}

/* The mean of the values that a pixel of the picture covers; NaN: there are none. */
static double mean_of(const le_tensor *t, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
    double sum = 0;
    int64_t n = 0;
    for (int64_t i = i0; i < i1; i++)
        for (int64_t j = j0; j < j1; j++) {
            const double v = le_tensor_get(t, i * t->shape[1] + j);
            if (isfinite(v)) {
                sum += v;
                n++;
            }
        }
    return n ? sum / (double)n : NAN;
}

static le_status paint(const le_tensor *t, const axis *scale, le_tensor *out) {
    const int64_t rows = t->shape[0] < MOST_ROWS ? t->shape[0] : MOST_ROWS,
                  columns = t->shape[1] < MOST_COLUMNS ? t->shape[1] : MOST_COLUMNS;
    le_status status = le_tensor_alloc(out, LE_U8, 3, (int64_t[]){rows, columns, 3});
    axis unit = *scale;
    unit.from = 0;
    unit.to = 1;
    for (int64_t i = 0; status == LE_OK && i < rows; i++)
        for (int64_t j = 0; j < columns; j++) {
            const int64_t i0 = t->shape[0] * i / rows, j0 = t->shape[1] * j / columns;
            const double v =
                mean_of(t, i0, t->shape[0] * (i + 1) / rows, j0, t->shape[1] * (j + 1) / columns);
            uint8_t *rgb = (uint8_t *)out->data + ((rows - 1 - i) * columns + j) * 3;
            if (isnan(v))
                memset(rgb, 160, 3);
            else
                colour(unit.log && v <= 0 ? 0 : place(&unit, v), rgb);
        }
    return status;
}

static void base64(FILE *out, FILE *in) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char b[3] = {0};
    for (size_t n; (n = fread(b, 1, 3, in)) > 0; memset(b, 0, 3)) {
        fputc(digits[b[0] >> 2], out);
        fputc(digits[(b[0] & 3) << 4 | b[1] >> 4], out);
        fputc(n > 1 ? digits[(b[1] & 15) << 2 | b[2] >> 6] : '=', out);
        fputc(n > 2 ? digits[b[2] & 63] : '=', out);
    }
}

/* The library writes PNG files only, so there is one for a moment. */
static le_status put_png(FILE *out, le_tensor *picture) {
    char folder[] = "/tmp/le-plot-XXXXXX", file[64];
    if (!mkdtemp(folder))
        return le_fail(LE_ERR_IO, "%s cannot be made", folder);
    snprintf(file, sizeof file, "%s/plot.png", folder);
    le_status status = le_io_write(NULL, file, picture);
    FILE *in = status == LE_OK ? fopen(file, "rb") : NULL;
    if (in) {
        base64(out, in);
        fclose(in);
    } else if (status == LE_OK) {
        status = le_fail(LE_ERR_IO, "%s cannot be read", file);
    }
    unlink(file);
    rmdir(folder);
    return status;
}

static void colour_bar(FILE *out, const svg_plot *p, const axis *scale) {
    enum { STEPS = 64 };
    const double left = WIDTH - BAR + 6, height = (double)(HEIGHT - BOTTOM - TOP) / STEPS;
    char number[32];
    for (int k = 0; k < STEPS; k++) {
        uint8_t rgb[3];
        colour((k + 0.5) / STEPS, rgb);
        fprintf(out,
                "<rect x=\"%.1f\" y=\"%.2f\" width=\"14\" height=\"%.2f\" "
                "style=\"fill:#%02x%02x%02x\"/>\n",
                left, HEIGHT - BOTTOM - (k + 1) * height, height + 0.3, rgb[0], rgb[1], rgb[2]);
    }
    snprintf(number, sizeof number, "%.3g", scale->low);
    text(out, left + 18, HEIGHT - BOTTOM, "dim", number);
    snprintf(number, sizeof number, "%.3g", scale->high);
    text(out, left + 18, TOP + 10, "dim", number);
    text(out, WIDTH - 12, HEIGHT - 14, "end", p->value_label);
}

static axis rows_of(const svg_plot *p) {
    if (p->y && p->y->shape[0] > 1)
        return axis_of(p->y, false, HEIGHT - BOTTOM, TOP);
    return (axis){
        .low = 0, .high = (double)p->values->shape[0], .from = HEIGHT - BOTTOM, .to = TOP};
}

le_status svg_write_image(FILE *out, const svg_plot *p) {
    const double right = WIDTH - BAR;
    const axis x = axis_of(p->x, false, LEFT, right), y = rows_of(p),
               scale = axis_of(p->values, true, 0, 1);
    le_tensor picture = {0};
    le_status status = paint(p->values, &scale, &picture);
    if (status != LE_OK)
        return status;
    begin(out, p);
    ticks(out, &x, false, HEIGHT - BOTTOM);
    ticks(out, &y, true, right);
    fprintf(out,
            "<image x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" preserveAspectRatio=\"none\" "
            "style=\"image-rendering:pixelated\" href=\"data:image/png;base64,",
            LEFT, TOP, right - LEFT, HEIGHT - BOTTOM - TOP);
    status = put_png(out, &picture);
    fputs("\"/>\n", out);
    colour_bar(out, p, &scale);
    labels(out, p, p->y_label, right);
    fputs("</svg>\n", out);
    le_tensor_free(&picture);
    return status == LE_OK && ferror(out) ? LE_ERR_IO : status;
}
