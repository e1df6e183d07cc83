/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Charts as SVG. Lengths are in CSS pixels at the chart's natural width.
 */
#include "svg.h"

#include "escape.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 920, ROW = 24, CHARACTER = 7, BOLD = 8, TOP = 10, AXIS = 40, TEXT = 52 };

void le__svg_css(FILE *out) {
    /* series colours: eight after Okabe and Ito, which any colour vision tells apart, then the same
     * darker or lighter; another set for dark pages */
    fputs(
        ":root{--ink:#1c2330;--dim:#5b6676;--grid:#dfe4ea;--paper:#fff;--card:#f7f8fa;--good:#"
        "0a7d4f;"
        "--bad:#b3261e;--warn:#8a5a00;"
        "--s0:#0072b2;--s1:#d55e00;--s2:#009e73;--s3:#cc79a7;--s4:#8c6d00;--s5:#3a9bd9;"
        "--s6:#6b4fb3;--s7:#b0413e;--s8:#003f63;--s9:#8a3d00;--s10:#005c43;--s11:#8f4d72;"
        "--s12:#c4a000;--s13:#7fb8dc;--s14:#a392d6;--s15:#e08a87;--s16:#7a7a7a}\n"
        "@media (prefers-color-scheme:dark){:root{--ink:#e6e9ee;--dim:#9aa5b4;--grid:#343c48;"
        "--paper:#14181f;--card:#1b212a;--good:#4cc38a;--bad:#ff8a80;--warn:#e5b454;"
        "--s0:#56b4e9;--s1:#f08a4b;--s2:#3fc79f;--s3:#e39bc4;--s4:#d9bd4a;--s5:#8fd0f5;"
        "--s6:#a893e6;--s7:#ef7f7a;--s8:#2e7fb0;--s9:#b5622c;--s10:#26896c;--s11:#a8688c;"
        "--s12:#a38b24;--s13:#5d93b3;--s14:#7a66b8;--s15:#b35652;--s16:#a8a8a8}}\n"
        "svg.chart{font:12px system-ui,sans-serif;max-width:100%;height:auto;display:block}"
        ".chart text{fill:var(--ink)}.chart .dim{fill:var(--dim)}"
        ".chart .strong{font-weight:700}.chart .end{text-anchor:end}.chart .mid{text-anchor:middle}"
        ".chart .grid{stroke:var(--grid);stroke-width:1}"
        ".chart .whisker{stroke:var(--ink);stroke-width:1.5}"
        ".chart .limit{stroke:var(--bad);stroke-width:1.5;stroke-dasharray:5 4}"
        ".chart .cross{stroke:var(--dim);stroke-width:1;stroke-dasharray:3 4}"
        ".chart .line{fill:none;stroke-width:2}.chart .faint{opacity:.45}"
        ".chart .line.faint{stroke-dasharray:6 5}.chart .span{stroke-width:5;opacity:.28}"
        ".chart .halo{stroke:var(--paper);stroke-width:4;paint-order:stroke}",
        out);
    for (int i = 0; i < SVG_COLOURS; i++)
        fprintf(out, ".chart .s%d{fill:var(--s%d);stroke:var(--s%d)}.chart .line.s%d{fill:none}", i,
                i, i, i);
    fputc('\n', out);
}

static void begin(FILE *out, const char *title, int height, bool alone) {
    if (alone)
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
    fprintf(out,
            "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" role=\"img\"><title>",
            WIDTH, height, WIDTH, height);
    le__escape(out, title);
    fputs("</title>\n", out);
    if (alone) {
        fputs("<style>", out);
        le__svg_css(out);
        fprintf(out, "</style>\n<rect width=\"%d\" height=\"%d\" style=\"fill:var(--paper)\"/>\n",
                WIDTH, height);
        fprintf(out, "<text x=\"12\" y=\"24\" class=\"strong\" style=\"font-size:15px\">");
        le__escape(out, title);
        fputs("</text>\n", out);
    }
}

static void text(FILE *out, double x, double y, const char *classes, const char *what) {
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, classes);
    le__escape(out, what);
    fputs("</text>\n", out);
}

static void line(FILE *out, double x1, double y1, double x2, double y2, const char *classes) {
    fprintf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x1, y1,
            x2, y2, classes);
}

/* --- axes --- */

typedef struct scale {
    double low, high, from, to; /* values, pixels */
    bool log;
} scale;

static double place(const scale *s, double v) {
    double t = s->log ? log(v / s->low) / log(s->high / s->low) : (v - s->low) / (s->high - s->low);
    return s->from + (s->to - s->from) * fmin(fmax(t, 0), 1);
}

/* 1, 2 or 5 times a power of ten, at least v. */
static double round_step(double v) {
    double p = pow(10, floor(log10(v)));
    double m = v / p;
    return p * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
}

static bool good(double v) {
    return isfinite(v) && v > 0;
}

enum { MAX_TICKS = 24 };

static int ticks(const scale *s, double *out, int wanted) {
    int n = 0;
    if (!s->log) {
        double step = round_step((s->high - s->low) / wanted);
        for (double v = s->low; v <= s->high * (1 + 1e-9) && n < MAX_TICKS; v += step)
            out[n++] = v;
        return n;
    }
    double decades = log10(s->high / s->low);
    int every = (int)ceil(decades / wanted);
    bool fine = decades < 3;
    for (int e = (int)floor(log10(s->low) - 1e-9); n < MAX_TICKS && pow(10, e) <= s->high * 1.001;
         e++) {
        static const double factors[] = {1, 2, 5};
        if (e % (every > 0 ? every : 1) != 0)
            continue;
        for (int k = 0; k < (fine ? 3 : 1) && n < MAX_TICKS; k++) {
            double v = factors[k] * pow(10, e);
            if (v >= s->low * 0.999 && v <= s->high * 1.001)
                out[n++] = v;
        }
    }
    return n;
}

static void widen(double v, double *low, double *high) {
    if (!good(v))
        return;
    *low = fmin(*low, v);
    *high = fmax(*high, v);
}

/* --- bars --- */

static int label_width(const svg_bar *bars, size_t n) {
    size_t longest = 4;
    for (size_t i = 0; i < n; i++)
        if (strlen(bars[i].label) > longest)
            longest = strlen(bars[i].label);
    int width = (int)longest * BOLD + 18;
    return width < WIDTH / 2 ? width : WIDTH / 2;
}

static scale bar_scale(const svg_bars *c, const svg_bar *bars, size_t n, int left) {
    scale s = {.low = INFINITY, .high = 0, .from = left, .to = WIDTH - 190};
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < n; i++) {
        widen(bars[i].value, &least, &most);
        widen(bars[i].low, &s.low, &s.high);
        widen(bars[i].high, &s.low, &s.high);
    }
    widen(least, &s.low, &s.high);
    widen(most, &s.low, &s.high);
    s.log = most > 20 * least || (good(c->limit) && c->limit > 20 * most);
    if (s.log)
        widen(c->limit, &s.low, &s.high);
    if (s.log) {
        s.low /= 1.5;
        s.high *= 1.2;
    } else {
        s.low = 0;
        s.high = s.high > 0 ? s.high * 1.02 : 1;
    }
    return s;
}

static void bar_row(FILE *out, const svg_bars *c, const svg_bar *b, const scale *s, double y,
                    int left) {
    char number[80], value[32];
    double x = place(s, b->value), end = x;
    text(out, left - 8, y + 15, b->strong ? "end strong" : "end", b->label);
    if (!good(b->value)) {
        text(out, left + 6, y + 15, "dim", b->note ? b->note : "-");
        return;
    }
    if (s->log)
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" class=\"s%d%s\"/>\n", x, y + 11,
                b->colour % SVG_COLOURS, b->faint ? " faint" : "");
    else
        fprintf(
            out,
            "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"16\" rx=\"2\" class=\"s%d\"%s/>\n",
            left, y + 3, fmax(x - left, 1), b->colour % SVG_COLOURS,
            b->strong  ? ""
            : b->faint ? " style=\"opacity:.3\""
                       : " style=\"opacity:.62\"");
    if (good(b->low) && good(b->high)) {
        double from = place(s, b->low), to = place(s, b->high);
        const char *class = b->faint ? "whisker faint" : "whisker";
        line(out, from, y + 11, to, y + 11, class);
        line(out, from, y + 7, from, y + 15, class);
        line(out, to, y + 7, to, y + 15, class);
        end = fmax(end, to);
    }
    snprintf(number, sizeof number, "%s%s%.40s", c->format(b->value, value), b->note ? " · " : "",
             b->note ? b->note : "");
    text(out, end + 10, y + 15, b->strong ? "halo strong" : b->faint ? "halo dim" : "halo", number);
}

void le__svg_write_bars(FILE *out, const svg_bars *c, const svg_bar *bars, size_t n) {
    int left = label_width(bars, n), top = TOP + (c->alone ? TEXT : 0);
    double bottom = top + (double)n * ROW + 6, tick[MAX_TICKS];
    scale s = bar_scale(c, bars, n, left);
    begin(out, c->title, (int)bottom + AXIS, c->alone);
    if (c->alone && c->subtitle)
        text(out, 12, 42, "dim", c->subtitle);
    int n_ticks = s.high > 0 && isfinite(s.low) ? ticks(&s, tick, 5) : 0;
    double last = -1e9;
    for (int i = 0; i < n_ticks; i++) {
        char value[32];
        double x = place(&s, tick[i]);
        line(out, x, top, x, bottom, "grid");
        if (x - last < 56)
            continue;
        last = x;
        text(out, x, bottom + 15, "dim mid", tick[i] > 0 ? c->format(tick[i], value) : "0");
    }
    if (good(c->limit) && c->limit >= s.low && c->limit <= s.high) {
        double x = place(&s, c->limit);
        line(out, x, top, x, bottom, "limit");
        if (c->limit_label)
            text(out, x + 4, top + 4, "dim halo", c->limit_label);
    }
    for (size_t i = 0; i < n; i++)
        bar_row(out, c, &bars[i], &s, top + (double)i * ROW + 2, left);
    text(out, left, bottom + 32, "dim", c->axis);
    fputs("</svg>\n", out);
}

/* --- lines --- */

enum { PLOT_HEIGHT = 300, LEFT = 76, RIGHT = 12 };

static void limits(const svg_series *series, size_t n, scale *x, scale *y) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < series[i].n; k++) {
            const svg_point *p = &series[i].points[k];
            widen(p->x, &x->low, &x->high);
            widen(p->y, &y->low, &y->high);
            widen(p->low, &y->low, &y->high);
            widen(p->high, &y->low, &y->high);
        }
    scale *both[] = {x, y};
    for (int i = 0; i < 2; i++) {
        if (!(both[i]->high > 0))
            both[i]->low = both[i]->high = 1;
        both[i]->low /= 1.3;
        both[i]->high *= 1.3;
    }
}

static void grid(FILE *out, const svg_lines *c, const scale *x, const scale *y) {
    double tick[MAX_TICKS];
    char value[32];
    double last = -1e9;
    int n = ticks(x, tick, 6);
    for (int i = 0; i < n; i++) {
        double at = place(x, tick[i]);
        line(out, at, y->to, at, y->from, "grid");
        if (at - last < 64)
            continue;
        last = at;
        text(out, at, y->from + 16, "dim mid", c->x_format(tick[i], value));
    }
    n = ticks(y, tick, 6);
    last = 1e9;
    for (int i = 0; i < n; i++) {
        double at = place(y, tick[i]);
        line(out, x->from, at, x->to, at, "grid");
        if (last - at < 18)
            continue;
        last = at;
        text(out, x->from - 6, at + 4, "dim end", c->y_format(tick[i], value));
    }
}

static void draw_series(FILE *out, const svg_series *s, const scale *x, const scale *y) {
    int colour = s->colour % SVG_COLOURS;
    char class[16];
    snprintf(class, sizeof class, "span s%d", colour);
    fprintf(out, "<polyline class=\"line s%d%s\" points=\"", colour, s->faint ? " faint" : "");
    for (size_t i = 0; i < s->n; i++)
        fprintf(out, "%.1f,%.1f ", place(x, s->points[i].x), place(y, s->points[i].y));
    fputs("\"/>\n", out);
    for (size_t i = 0; i < s->n; i++) {
        const svg_point *p = &s->points[i];
        double px = place(x, p->x);
        if (good(p->low) && good(p->high))
            line(out, px, place(y, p->low), px, place(y, p->high), class);
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" class=\"s%d%s\"/>\n", px,
                place(y, p->y), colour, s->faint ? " faint" : "");
    }
}

/* Below y; how many rows it has. out NULL: it is not drawn. */
static int legend(FILE *out, const svg_series *series, size_t n, double y) {
    int rows = 1, x = 0;
    for (size_t i = 0; i < n; i++) {
        int width = (int)strlen(series[i].label) * CHARACTER + 30;
        if (x && x + width > WIDTH - LEFT) {
            rows++;
            y += 18;
            x = 0;
        }
        if (out) {
            fprintf(out, "<circle cx=\"%d\" cy=\"%.1f\" r=\"5\" class=\"s%d\"/>\n", LEFT + x + 5,
                    y - 4, series[i].colour % SVG_COLOURS);
            text(out, LEFT + x + 15, y, "", series[i].label);
        }
        x += width;
    }
    return rows;
}

void le__svg_write_lines(FILE *out, const svg_lines *c, const svg_series *series, size_t n) {
    int rows = legend(NULL, series, n, 0), top = (c->alone ? TEXT : 0) + TOP;
    double plot = top + 18.0 * rows + 14;
    scale x = {.low = INFINITY, .from = LEFT, .to = WIDTH - RIGHT, .log = true};
    scale y = {.low = INFINITY, .from = plot + PLOT_HEIGHT, .to = plot, .log = true};
    limits(series, n, &x, &y);
    begin(out, c->title, (int)y.from + AXIS, c->alone);
    legend(out, series, n, top + 12);
    text(out, 4, plot - 4, "dim", c->y_axis);
    grid(out, c, &x, &y);
    for (size_t i = 0; i < n; i++)
        draw_series(out, &series[i], &x, &y);
    for (size_t i = 0; i < c->n_crossings; i++) {
        double at = place(&x, c->crossings[i].x);
        line(out, at, y.to, at, y.from, "cross");
        bool left = at > WIDTH - 260;
        text(out, left ? at - 4 : at + 4, y.from - 8 - 15 * (double)(i % 6),
             left ? "dim halo end" : "dim halo", c->crossings[i].label);
    }
    text(out, (x.from + x.to) / 2, y.from + 33, "dim mid", c->x_axis);
    fputs("</svg>\n", out);
}

double le__svg_value_at(const svg_series *s, double x) {
    for (size_t i = 0; i < s->n; i++) {
        const svg_point *p = &s->points[i];
        if (p->x == x)
            return p->y;
        if (i + 1 < s->n && p->x < x && x < p[1].x) {
            double t = log(x / p->x) / log(p[1].x / p->x);
            return exp(log(p->y) + t * log(p[1].y / p->y));
        }
    }
    return NAN;
}

size_t le__svg_crossings(const svg_series *a, const svg_series *b, double *x, size_t max) {
    size_t n = 0;
    double before_x = NAN, before = NAN;
    for (size_t i = 0; i < a->n; i++) {
        double at = a->points[i].x, d = log(a->points[i].y / le__svg_value_at(b, at));
        if (isnan(d))
            continue;
        if (n < max && ((before < 0 && d > 0) || (before > 0 && d < 0)))
            x[n++] = exp(log(before_x) + log(at / before_x) * before / (before - d));
        before = d;
        before_x = at;
    }
    return n;
}
