/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Small charts as SVG, alone in a file or inside an HTML page: bars, dots and lines with intervals.
 * Colours come from CSS variables with a light and a dark set, so a chart follows its page.
 */
#ifndef LE_SVG_H
#define LE_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { SVG_COLOURS = 17 }; /* classes s0 .. s16, the last one grey; others wrap */

/* The CSS that charts need, without <style>; light, dark where the reader prefers it. */
void le__svg_css(FILE *out);

/* How values are written at axes and bars; returns out. */
typedef const char *(*svg_format)(double value, char *out);

typedef struct svg_bar {
    const char *label;
    double value, low, high; /* low, high: NaN for no interval */
    const char *note;        /* behind the bar's value; NULL: none */
    bool strong;             /* the one that matters */
    bool faint;              /* out of the contest */
    int colour;
} svg_bar;

typedef struct svg_bars {
    const char *title;    /* read aloud and, when alone, shown */
    const char *subtitle; /* shown when alone; NULL: none */
    const char *axis;     /* "time, 90 % interval" */
    svg_format format;
    double limit; /* a line across at this value; NaN: none */
    const char *limit_label;
    bool alone; /* a file of its own, with the XML head and CSS */
} svg_bars;

/* Horizontal bars; over a range of more than 20 dots on a logarithmic axis instead, for the length
 * of a bar means nothing there. Values must be positive and finite, others leave the row empty. */
void le__svg_write_bars(FILE *out, const svg_bars *chart, const svg_bar *bars, size_t n);

typedef struct svg_point {
    double x, y, low, high; /* low, high: NaN for no interval */
} svg_point;

typedef struct svg_series {
    const char *label;
    const svg_point *points; /* x ascending */
    size_t n;
    bool faint; /* out of the contest: drawn dashed */
    int colour;
} svg_series;

typedef struct svg_crossing { /* where the fastest changes */
    double x;
    const char *label;
} svg_crossing;

typedef struct svg_lines {
    const char *title, *x_axis, *y_axis;
    svg_format x_format, y_format;
    const svg_crossing *crossings;
    size_t n_crossings;
    bool alone;
} svg_lines;

/* Lines over two logarithmic axes with a legend. */
void le__svg_write_lines(FILE *out, const svg_lines *chart, const svg_series *series, size_t n);

/* Value of a series at x, between its points on logarithmic axes; NaN outside. */
double le__svg_value_at(const svg_series *s, double x);
/* Logarithmic interpolation of where series a and b cross between their common x; the crossings
 * found, at most max, ascending. */
size_t le__svg_crossings(const svg_series *a, const svg_series *b, double *x, size_t max);

#endif
