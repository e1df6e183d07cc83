/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A two-dimensional tensor as a picture.
 */
#include "picture.h"

#include "canvas.h"
#include "sky_axes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MAP_PIXELS = 800, /* the longer side, at most */
    ZOOM_MAX = 40,
    LEFT = 84,
    TOP = 40,
    RIGHT = 160,
    BOTTOM = 60,
    BAR_WIDTH = 16,
    BAR_STEPS = 256,
    SAMPLE = 200000
};

static const canvas_colour BLACK = {30, 30, 30}, GREY = {190, 190, 190}, MARK = {255, 64, 48};

/* ------------------------------------------------------------------------- colours -- */

typedef struct stretch {
    double low, high, soft; /* soft: of asinh; 0: linear */
} stretch;

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The element that this share of them is below. */
static double quantile(const double *sorted, size_t n, double share) {
    return sorted[(size_t)(share * (double)(n - 1))];
}

static size_t take_sample(const le_tensor *t, double *out) {
    int64_t count = le_tensor_count(t), step = count / SAMPLE + 1;
    size_t n = 0;
    for (int64_t i = 0; i < count; i += step) {
        double value = le_tensor_get(t, i);
        if (isfinite(value))
            out[n++] = value;
    }
    qsort(out, n, sizeof *out, by_value);
    return n;
}

static stretch stretch_of(const le_tensor *t) {
    stretch s = {0, 1, 0};
    double *sample = malloc((SAMPLE + 1) * sizeof *sample);
    size_t n = sample ? take_sample(t, sample) : 0;
    if (n > 0) {
        double median = quantile(sample, n, 0.5);
        s = (stretch){sample[0], sample[n - 1], 0};
        double high = quantile(sample, n, 0.999);
        for (size_t i = 0; i < n; i++)
            sample[i] = fabs(sample[i] - median);
        qsort(sample, n, sizeof *sample, by_value);
        double sigma = 1.4826 * quantile(sample, n, 0.5);
        if (sigma > 0)
            s = (stretch){fmax(s.low, median - 3 * sigma), fmax(high, median + sigma), 3 * sigma};
    }
    free(sample);
    if (!(s.high > s.low))
        s.high = s.low + 1;
    return s;
}

/* In [0, 1]. */
static double level_of(const stretch *s, double value) {
    double level = s->soft > 0
                       ? asinh((value - s->low) / s->soft) / asinh((s->high - s->low) / s->soft)
                       : (value - s->low) / (s->high - s->low);
    return fmin(fmax(level, 0), 1);
}

static double value_of(const stretch *s, double level) {
    return s->soft > 0 ? s->low + s->soft * sinh(level * asinh((s->high - s->low) / s->soft))
                       : s->low + level * (s->high - s->low);
}

/* Viridis, by some of its colours. */
static void colour_of(double level, unsigned char out[3]) {
    static const double anchors[][3] = {{68, 1, 84},    {71, 44, 122},  {59, 81, 139},
                                        {44, 113, 142}, {33, 144, 141}, {39, 173, 129},
                                        {92, 200, 99},  {170, 220, 50}, {253, 231, 37}};
    enum { LAST = sizeof anchors / sizeof *anchors - 1 };
    int k = level >= 1 ? LAST - 1 : (int)(level * LAST);
    double part = level * LAST - k;
    for (int c = 0; c < 3; c++)
        out[c] = (unsigned char)lrint(anchors[k][c] + part * (anchors[k + 1][c] - anchors[k][c]));
}

/* ----------------------------------------------------------------------------- map -- */

typedef struct map {
    const picture *p;
    stretch colours;
    int64_t rows, columns;
    int64_t zoom, block; /* one of them is 1: pixels for a value, or values for a pixel */
    int width, height;   /* pixels */
} map;

static map map_of(const picture *p) {
    map m = {.p = p, .rows = p->image->shape[0], .columns = p->image->shape[1]};
    int64_t longer = m.rows > m.columns ? m.rows : m.columns;
    m.zoom = longer < MAP_PIXELS ? MAP_PIXELS / longer : 1;
    m.zoom = m.zoom > ZOOM_MAX ? ZOOM_MAX : m.zoom;
    m.block = (longer + MAP_PIXELS - 1) / MAP_PIXELS;
    m.width = (int)((m.columns * m.zoom + m.block - 1) / m.block);
    m.height = (int)((m.rows * m.zoom + m.block - 1) / m.block);
    m.colours = stretch_of(p->image);
    return m;
}

/* Mean of the values behind a pixel; NaN when none of them is a number. */
static double value_at(const map *m, int x, int y) {
    int64_t line = m->p->upwards ? m->height - 1 - y : y, n = 0;
    int64_t row = line / m->zoom * m->block, column = x / m->zoom * m->block;
    double sum = 0;
    for (int64_t j = row; j < row + m->block && j < m->rows; j++)
        for (int64_t i = column; i < column + m->block && i < m->columns; i++) {
            double value = le_tensor_get(m->p->image, j * m->columns + i);
            if (isnan(value))
                continue;
            sum += value;
            n++;
        }
    return n ? sum / (double)n : NAN;
}

static bool draw_map(canvas *c, const map *m) {
    unsigned char *rgb = malloc((size_t)m->width * (size_t)m->height * 3), *to = rgb;
    if (!rgb)
        return false;
    for (int y = 0; y < m->height; y++)
        for (int x = 0; x < m->width; x++, to += 3) {
            double value = value_at(m, x, y);
            if (isnan(value))
                to[0] = to[1] = to[2] = GREY.red;
            else
                colour_of(level_of(&m->colours, value), to);
        }
    canvas_image(c, LEFT, TOP, m->width, m->height, rgb);
    free(rgb);
    return true;
}

/* ---------------------------------------------------------------- what is around it -- */

static double x_of(const map *m, double column) {
    return LEFT + (column + 0.5) * (double)m->zoom / (double)m->block;
}

static double y_of(const map *m, double row) {
    double y = (row + 0.5) * (double)m->zoom / (double)m->block;
    return TOP + (m->p->upwards ? m->height - y : y);
}

/* 1, 2 or 5 times a power of ten, for at most `most` of them. */
static int64_t tick_step(int64_t n, int64_t most) {
    int64_t step = 1;
    for (int i = 0; n / step > most; i++)
        step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    return step;
}

static void draw_column(canvas *c, const map *m, double column, const char *text) {
    int bottom = TOP + m->height;
    canvas_box(c, (int)x_of(m, column), bottom, 1, 6, BLACK);
    canvas_text(c, x_of(m, column), bottom + 16, 2, CANVAS_MIDDLE, BLACK, text);
}

static void draw_row(canvas *c, const map *m, double row, const char *text) {
    canvas_box(c, LEFT - 6, (int)y_of(m, row), 6, 1, BLACK);
    canvas_text(c, LEFT - 10, y_of(m, row), 2, CANVAS_END, BLACK, text);
}

static void name_axes(canvas *c, const map *m, const char *across, const char *up) {
    canvas_text(c, LEFT + m->width / 2.0, TOP + m->height + 42, 2, CANVAS_MIDDLE, BLACK, across);
    canvas_text(c, LEFT - 10, TOP - 18, 2, CANVAS_END, BLACK, up);
}

static void draw_pixels(canvas *c, const map *m) {
    char text[32];
    int64_t step = tick_step(m->columns, m->width / 80 + 1);
    for (int64_t i = 0; i < m->columns; i += step) {
        snprintf(text, sizeof text, "%lld", (long long)i);
        draw_column(c, m, (double)i, text);
    }
    step = tick_step(m->rows, m->height / 40 + 1);
    for (int64_t i = 0; i < m->rows; i += step) {
        snprintf(text, sizeof text, "%lld", (long long)i);
        draw_row(c, m, (double)i, text);
    }
    name_axes(c, m, "axis 1", "axis 0");
}

/* False: nothing was drawn. */
static bool draw_sky(canvas *c, const map *m) {
    const int most[2] = {m->width / 120 + 1, m->height / 40 + 1};
    sky_axis across, up;
    char text[32];
    if (!m->p->sky || !sky_axes_of(m->p->sky, m->rows, m->columns, m->p->upwards ? 0 : m->rows - 1,
                                   most, &across, &up))
        return false;
    for (size_t i = 0; i < across.n; i++) {
        snprintf(text, sizeof text, "%.*f", across.digits, across.degrees[i]);
        draw_column(c, m, across.at[i], text);
    }
    for (size_t i = 0; i < up.n; i++) {
        snprintf(text, sizeof text, "%.*f", up.digits, up.degrees[i]);
        draw_row(c, m, up.at[i], text);
    }
    name_axes(c, m, "lon, degrees", "lat");
    return true;
}

static void draw_bar(canvas *c, const map *m) {
    int x = LEFT + m->width + 16;
    char text[32];
    for (int k = 0; k < BAR_STEPS; k++) {
        int above = m->height * (BAR_STEPS - 1 - k) / BAR_STEPS;
        int below = m->height * (BAR_STEPS - k) / BAR_STEPS;
        unsigned char rgb[3];
        colour_of(((double)k + 0.5) / BAR_STEPS, rgb);
        if (below > above)
            canvas_box(c, x, TOP + above, BAR_WIDTH, below - above,
                       (canvas_colour){rgb[0], rgb[1], rgb[2]});
    }
    int ticks = m->height > 160 ? 8 : 2;
    for (int k = 0; k <= ticks; k++) {
        double level = (double)k / ticks;
        snprintf(text, sizeof text, "%.4g", value_of(&m->colours, level));
        canvas_text(c, x + BAR_WIDTH + 6, TOP + m->height * (1 - level), 2, CANVAS_START, BLACK,
                    text);
    }
}

static void draw_marks(canvas *c, const map *m) {
    for (size_t i = 0; i < m->p->n_marks; i++) {
        const mark *k = &m->p->marks[i];
        char text[32];
        double x = x_of(m, k->column), y = y_of(m, k->row);
        double radius = fmax(k->radius * (double)m->zoom / (double)m->block, 4);
        if (k->row < -1 || k->column < -1 || k->row > (double)m->rows ||
            k->column > (double)m->columns)
            continue;
        snprintf(text, sizeof text, "%lld", (long long)k->label);
        canvas_circle(c, x, y, radius, MARK);
        canvas_text(c, x + 0.7 * radius + 3, y - 0.7 * radius - 3, 1, CANVAS_START, MARK, text);
    }
}

le_status picture_write(le_engine *engine, const char *file, const picture *p) {
    bool vector;
    const le_tensor *t = p->image;
    if (!canvas_format(file, &vector))
        return le_fail(LE_ERR_ARGUMENT, "%s: a picture is a .png or .svg file", file);
    if (t->ndim != 2 || le_tensor_count(t) == 0)
        return le_fail(LE_ERR_SHAPE, "%s: a picture needs [rows, columns]", file);
    map m = map_of(p);
    canvas *c = canvas_new(LEFT + m.width + RIGHT, TOP + m.height + BOTTOM, vector);
    bool drawn = c && draw_map(c, &m);
    if (drawn) {
        if (!draw_sky(c, &m))
            draw_pixels(c, &m);
        draw_bar(c, &m);
        draw_marks(c, &m);
        canvas_text(c, LEFT + m.width / 2.0, TOP / 2.0, 2, CANVAS_MIDDLE, BLACK, p->title);
    }
    le_status status =
        drawn ? canvas_write(engine, c, file) : le_fail(LE_ERR_MEMORY, "%s: out of memory", file);
    canvas_free(c);
    return status;
}
