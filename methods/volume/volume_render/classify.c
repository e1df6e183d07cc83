/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Prepares transfer functions for vectors; classify.h has the reasons of every threshold.
 */
#include "volume/volume_render/classify.h"

#include <float.h>
#include <math.h>

#define LN2 0.69314718055994530942

enum { CELLS = 2048 };

/* of the tolerance: for opacities left out, for colours left out, and for ending rays early */
static const double share_alpha = 0.6, share_colour = 0.05, share_stop = 0.05;

typedef struct limits {
    double alpha_absolute;   /* opacity that n samples may each lose */
    double alpha_relative;   /* the same where alpha*colour is at most product */
    double product;
    double colour;           /* colour that a visible sample may lose */
    double largest;          /* bound of all colours */
} limits;

size_t le__classify_bytes(const le__transfer *t)
{
    if (t->table)
        return t->n * LE__SEGMENT_FLOATS * sizeof(float) + CELLS * sizeof(int32_t);
    return t->n * LE__GAUSSIAN_FLOATS * sizeof(float);
}

static const double *rgba_of(const le__transfer *t, size_t i)
{
    return t->table ? t->knots[i].rgba : t->gaussians[i].rgba;
}

static double largest_colour(const double rgba[4])
{
    return fmax(fabs(rgba[0]), fmax(fabs(rgba[1]), fabs(rgba[2])));
}

/* bounds of colour and opacity; false when opacities may leave [0,1] */
static bool bounds(const le__transfer *t, double *colour)
{
    double alpha = 0.0;
    bool positive = true;
    *colour = 0.0;
    for (size_t i = 0; i < t->n; i++) {
        const double *rgba = rgba_of(t, i);
        positive = positive && rgba[3] >= 0.0;
        alpha = t->table ? fmax(alpha, rgba[3]) : alpha + rgba[3];
        *colour = t->table ? fmax(*colour, largest_colour(rgba)) : *colour + largest_colour(rgba);
    }
    return positive && alpha <= 1.0;
}

static limits find_limits(const le__transfer *t, int64_t n, double atol, double rtol, float *stop)
{
    double colour;
    limits l = {1e-30, 1e-30, 1e-30, 1e-30, 1.0};
    *stop = -FLT_MAX;
    if (bounds(t, &colour)) {
        double count = (double)(n > 0 ? n : 1);
        colour = fmax(colour, 1e-30);
        l.largest = colour;
        l.alpha_absolute = fmax(share_alpha * atol / (count * 2.0 * colour), 1e-30);
        l.alpha_relative = fmax(share_alpha * rtol / count, 1e-30);
        l.product = fmax(share_alpha * atol / count, 1e-30);
        l.colour = fmax(share_colour * atol / (double)t->n, 1e-30);
        *stop = (float)(share_stop * atol / colour);
    }
    return l;
}

static float value_of(double s, bool log)
{
    double v = log ? exp(s) : s;
    if (log)
        v = fmax(v, (double)FLT_MIN);
    return (float)fmin(fmax(v, -(double)FLT_MAX), (double)FLT_MAX);
}

static float below(double s, bool log)
{
    float v = nextafterf(value_of(s, log), -INFINITY);
    return fmaxf(v, log ? FLT_MIN : -FLT_MAX);
}

static float above(double s, bool log)
{
    return fminf(nextafterf(value_of(s, log), INFINITY), FLT_MAX);
}

/* E below which a Gaussian alone does not show */
static double least_visible(const le__gaussian *g, const limits *l)
{
    double alpha = fabs(g->rgba[3]), colour = largest_colour(g->rgba);
    double relative = fmin(l->alpha_relative / fmax(alpha, 1e-300),
                           sqrt(l->product / fmax(alpha * colour, 1e-300)));
    return fmin(fmax(l->alpha_absolute / fmax(alpha, 1e-300), relative), 1e30);
}

static void set_numbers(const le__gaussian *g, bool log, float *centre, float *factor)
{
    *centre = (float)(log ? g->centre / LN2 - log2(1.5) : g->centre);
    *factor = (float)(log ? -LN2 / g->width : -1.0 / (LN2 * g->width));
}

typedef struct interval {
    double low, high;
    const le__gaussian *gaussian;
} interval;

/* intervals in s of the Gaussians that show, ascending by centre; -1: more than max */
static int visible_intervals(const le__transfer *t, const limits *l, double share, int max,
                             interval *out)
{
    int n = 0;
    for (size_t j = 0; j < t->n; j++) {
        const le__gaussian *g = &t->gaussians[j];
        double e = share * least_visible(g, l);
        if (e >= 1.0)
            continue;
        if (n == max)
            return -1;
        double reach = sqrt(-g->width * log(e));
        int at = n++;
        for (; at > 0 && out[at - 1].gaussian->centre > g->centre; at--)
            out[at] = out[at - 1];
        out[at] = (interval){g->centre - reach, g->centre + reach, g};
    }
    return n;
}

/* Whether inside each interval no other Gaussian shows in colour or in opacity. */
static bool apart(const le__transfer *t, const limits *l, const interval *intervals, int n)
{
    for (int i = 1; i < n; i++)
        if (intervals[i].low <= intervals[i - 1].high)
            return false;
    for (int i = 0; i < n; i++)
        for (size_t k = 0; k < t->n; k++) {
            const le__gaussian *g = &t->gaussians[k];
            if (g == intervals[i].gaussian)
                continue;
            double nearest = fmin(fmax(g->centre, intervals[i].low), intervals[i].high);
            double e = exp(-(nearest - g->centre) * (nearest - g->centre) / g->width);
            if (e > 0.1 / (double)t->n * least_visible(g, l) || e * largest_colour(g->rgba) > l->colour)
                return false;
        }
    return true;
}

static bool make_classes(le__classify *c, const le__transfer *t, const limits *l, int max)
{
    interval intervals[LE__CLASSES];
    int n = visible_intervals(t, l, 0.9, max, intervals);
    if (n < 0 || !apart(t, l, intervals, n))
        return false;
    c->form = LE__FORM_CLASSES;
    c->n_classes = n;
    for (int i = 0; i < LE__CLASSES; i++) {
        c->lows[i] = FLT_MAX;
        c->highs[i] = NAN;
    }
    for (int i = 0; i < n; i++) {
        set_numbers(intervals[i].gaussian, t->log, &c->centre[i + 1], &c->factor[i + 1]);
        c->lows[i + 1] = below(intervals[i].low, t->log);
        c->highs[i + 1] = above(intervals[i].high, t->log);
        for (int k = 0; k < 4; k++)
            c->rgba[k][i + 1] = (float)intervals[i].gaussian->rgba[k];
    }
    c->low = n ? c->lows[1] : FLT_MAX;
    c->high = n ? c->highs[n] : -FLT_MAX;
    return true;
}

static void make_gaussians(le__classify *c, const le__transfer *t, const limits *l, void *memory)
{
    double low = INFINITY, high = -INFINITY;
    c->form = LE__FORM_GAUSSIANS;
    c->gaussians = memory;
    c->n_gaussians = t->n;
    for (size_t j = 0; j < t->n; j++) {
        const le__gaussian *g = &t->gaussians[j];
        float *f = c->gaussians + LE__GAUSSIAN_FLOATS * j;
        set_numbers(g, t->log, &f[0], &f[1]);
        for (int k = 0; k < 4; k++)
            f[2 + k] = (float)g->rgba[k];
        /* a Gaussian without opacity colours the others' samples only, which are inside anyway */
        double e = fmin(least_visible(g, l) / (double)t->n, 1.0);
        double reach = g->rgba[3] == 0.0 ? 0.0 : sqrt(-g->width * log(e));
        if (reach > 0.0) {
            low = fmin(low, g->centre - reach);
            high = fmax(high, g->centre + reach);
        }
    }
    bool any = low < high;
    c->low = any ? below(low, t->log) : FLT_MAX;
    c->high = any ? above(high, t->log) : -FLT_MAX;
}

static void make_segments(le__classify *c, const le__transfer *t)
{
    for (size_t i = 0; i + 1 < t->n; i++) {
        const le__knot *k = &t->knots[i];
        float *f = c->segments + LE__SEGMENT_FLOATS * i;
        f[0] = (float)k[0].s;
        for (int j = 0; j < 4; j++) {
            f[1 + j] = (float)k[0].rgba[j];
            f[5 + j] = (float)((k[1].rgba[j] - k[0].rgba[j]) / (k[1].s - k[0].s));
        }
    }
}

static void make_cells(le__classify *c, const le__transfer *t)
{
    double width = (t->knots[t->n - 1].s - t->knots[0].s) / CELLS;
    int32_t segment = 0;
    c->n_cells = CELLS;
    c->steps = 0;
    c->scale = (float)(1.0 / width);
    for (int32_t i = 0; i < CELLS; i++) {
        /* a little early and a little late: the cell's number is rounded in single precision */
        double begin = t->knots[0].s + (i - 0.01) * width, end = begin + 1.02 * width;
        while (segment + 1 < c->n_segments && t->knots[segment + 1].s <= begin)
            segment++;
        int32_t within = 0;
        while (segment + within + 1 < c->n_segments && t->knots[segment + within + 1].s <= end)
            within++;
        c->cells[i] = segment;
        if (within > c->steps)
            c->steps = within;
    }
}

/* values at the ends of the table whose opacity does not show */
static void trim_table(le__classify *c, const le__transfer *t, const limits *l)
{
    double visible = fmax(l->alpha_absolute, fmin(l->alpha_relative, l->product / l->largest));
    size_t first = 0, last = t->n - 1;
    while (first < t->n && t->knots[first].rgba[3] <= visible)
        first++;
    while (last > first && t->knots[last].rgba[3] <= visible)
        last--;
    c->low = t->log ? nextafterf(0.0f, 1.0f) : -INFINITY;
    c->high = INFINITY;
    if (first == t->n)
        c->high = -INFINITY;
    else if (first > 0 && value_of(t->knots[first - 1].s, t->log) > FLT_MIN)
        c->low = below(t->knots[first - 1].s, t->log);
    if (last + 1 < t->n && first < t->n)
        c->high = above(t->knots[last + 1].s, t->log);
}

static void make_table(le__classify *c, const le__transfer *t, const limits *l, void *memory)
{
    c->form = LE__FORM_TABLE;
    c->segments = memory;
    c->n_segments = (int32_t)t->n - 1;
    c->cells = (int32_t *)(c->segments + LE__SEGMENT_FLOATS * t->n);
    c->first = (float)t->knots[0].s;
    c->last = (float)t->knots[t->n - 1].s;
    make_segments(c, t);
    make_cells(c, t);
    trim_table(c, t, l);
}

void le__classify_make(le__classify *out, const le__transfer *t, int64_t n, double atol, double rtol,
                       int max_classes, void *memory)
{
    *out = (le__classify){.log = t->log};
    limits l = find_limits(t, n, atol, rtol, &out->stop);
    if (t->table)
        make_table(out, t, &l, memory);
    else if (!make_classes(out, t, &l, max_classes))
        make_gaussians(out, t, &l, memory);
}
