/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Gathering the rows for charts: one bar or line for each implementation on each device, its
 * fastest candidate standing for it.
 */
#include "report_charts.h"

#include "colours.h"
#include "escape.h"
#include "svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_LINES = 16, MAX_BARS = 40, LABEL = 96 };

/* 1 Mop = 10^6 arithmetic operations */
static const char *operations(double v, char *out) {
    static const char *const units[] = {"", "k", "M", "G", "T", "P"};
    int u = 0;
    for (; v >= 999.5 && u < 5; u++)
        v /= 1000;
    snprintf(out, LE__TEXT, "%.3g%s", v, units[u]);
    return out;
}

static void name_of(const report_candidate *c, char *out) {
    snprintf(out, LABEL, "%.*s", (int)strcspn(c->text, "["), c->text);
}

static int chart_colour(const report *r, const report_candidate *c) {
    return le__colours_of(r->colours, c->known->implementation, c->known->run_type);
}

static bool runs_alike(const report_candidate *a, const report_candidate *b) {
    return !strcmp(a->known->implementation, b->known->implementation) &&
           a->known->device == b->known->device;
}

/* Whether an earlier, hence faster, candidate stands for the same implementation and device. */
static bool is_represented(const report_problem *p, size_t i) {
    for (size_t k = 0; k < i; k++)
        if (runs_alike(&p->candidates[k], &p->candidates[i]))
            return true;
    return false;
}

static size_t best_of_each(const report_problem *p, const report_candidate *out[MAX_BARS]) {
    size_t n = 0;
    for (size_t i = 0; i < p->n_candidates && n < MAX_BARS; i++)
        if (!isnan(p->candidates[i].time) && !is_represented(p, i))
            out[n++] = &p->candidates[i];
    return n;
}

/* The strictest constraint that a choice answers; "" when there is none. */
static const char *constraint_of(const report_problem *p) {
    const char *found = "";
    double least = INFINITY, atol, rtol;
    for (size_t i = 0; i < p->n_choices; i++)
        if (le__report_tolerance(p->choices[i].constraint, &atol, &rtol) && atol + rtol < least) {
            least = atol + rtol;
            found = p->choices[i].constraint;
        }
    return found;
}

/* Whether the choice is another variant of the implementation than the fastest measured. */
static bool implementation_is_chosen(const report_problem *p, const report_candidate *c) {
    for (size_t i = 0; i < p->n_choices; i++)
        if (runs_alike(p->choices[i].candidate, c))
            return true;
    return false;
}

void le__report_chart_times(const report *r, const report_problem *p, FILE *out) {
    const report_candidate *best[MAX_BARS];
    svg_bar bars[MAX_BARS];
    char labels[MAX_BARS][LABEL], notes[MAX_BARS][40];
    size_t n = best_of_each(p, best);
    const char *constraint = constraint_of(p);
    if (n == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        char ratio[LE__TEXT];
        bool fits = le__report_may_answer(best[i], constraint);
        name_of(best[i], labels[i]);
        snprintf(notes[i], sizeof notes[i], "%s%s",
                 le__ratio_text(best[i]->time / le__report_base_time(p), ratio),
                 fits ? "" : ", may not answer");
        bars[i] = (svg_bar){labels[i],    best[i]->time,
                            best[i]->low, best[i]->high,
                            notes[i],     implementation_is_chosen(p, best[i]),
                            !fits,        chart_colour(r, best[i])};
    }
    svg_bars chart = {.title = "Times of the implementations",
                      .format = le__seconds_text,
                      .limit = NAN,
                      .axis = "time of the fastest variant, with the 90 % interval of its mean; "
                              "ratios to the choice"};
    fputs("<h4>Times</h4>\n", out);
    le__svg_write_bars(out, &chart, bars, n);
}

void le__report_chart_errors(const report *r, const report_problem *p, FILE *out) {
    const report_candidate *best[MAX_BARS];
    svg_bar bars[MAX_BARS];
    char labels[MAX_BARS][LABEL];
    size_t n = best_of_each(p, best), shown = 0;
    double atol = NAN, rtol;
    le__report_tolerance(constraint_of(p), &atol, &rtol);
    for (size_t i = 0; i < n; i++) {
        if (!(best[i]->errors[0] > 0))
            continue;
        name_of(best[i], labels[shown]);
        bars[shown] = (svg_bar){labels[shown],
                                best[i]->errors[0],
                                NAN,
                                NAN,
                                NULL,
                                implementation_is_chosen(p, best[i]),
                                !le__report_may_answer(best[i], constraint_of(p)),
                                chart_colour(r, best[i])};
        shown++;
    }
    if (shown == 0)
        return;
    svg_bars chart = {.title = "Errors of the implementations",
                      .format = le__error_text,
                      .limit = atol,
                      .limit_label = "tolerance",
                      .axis = "largest error against the reference, in the operation's norm"};
    fputs("<h4>Errors</h4>\n", out);
    le__svg_write_bars(out, &chart, bars, shown);
}

/* --- time over size --- */

/* Length of a word without the numbers that size changes: shapes, counts, values. */
static size_t kind_length(const char *word, size_t n) {
    const char *cut = memchr(word, '[', n);
    if (!cut)
        cut = memchr(word, '#', n);
    if (!cut) {
        const char *is = memchr(word, '=', n);
        cut = is && strchr("0123456789.-+", is[1]) ? is + 1 : NULL;
    }
    return cut ? (size_t)(cut - word) : n;
}

/* What problems that differ in size only have in common. */
static void kind_of(const char *key, char *out, size_t size) {
    size_t at = 0;
    while (*key) {
        size_t n = strcspn(key, " "), kept = kind_length(key, n);
        if (at + kept + 2 > size)
            break;
        memcpy(out + at, key, kept);
        at += kept;
        key += n;
        if (*key)
            out[at++] = *key++;
    }
    out[at] = '\0';
}

typedef struct line {
    char label[LABEL];
    const report_candidate *like;
    bool fits; /* may answer somewhere */
    svg_point *points;
    size_t n;
} line;

typedef struct lines {
    line items[MAX_LINES];
    size_t n;
} lines;

static void add_point(lines *l, const report_candidate *c, bool fits, double work, size_t most) {
    char name[LABEL];
    name_of(c, name);
    line *to = NULL;
    for (size_t i = 0; i < l->n && !to; i++)
        if (!strcmp(l->items[i].label, name))
            to = &l->items[i];
    if (!to && l->n < MAX_LINES) {
        to = &l->items[l->n++];
        *to = (line){.like = c, .points = calloc(most, sizeof *to->points)};
        memcpy(to->label, name, sizeof to->label);
    }
    if (!to || !to->points)
        return;
    to->fits = to->fits || fits;
    svg_point point = {work, c->time, c->low, c->high};
    if (to->n && to->points[to->n - 1].x == work) { /* two problems of the same work: the faster */
        if (point.y < to->points[to->n - 1].y)
            to->points[to->n - 1] = point;
        return;
    }
    to->points[to->n++] = point;
}

static int by_x(const void *a, const void *b) {
    const svg_crossing *x = a, *y = b;
    return (x->x > y->x) - (x->x < y->x);
}

/* Whether no third line is clearly below the crossing. */
static bool is_lowest(const svg_series *s, size_t n, double x, double y) {
    for (size_t i = 0; i < n; i++)
        if (!s[i].faint && le__svg_value_at(&s[i], x) < 0.999 * y)
            return false;
    return true;
}

static size_t find_crossings(const svg_series *s, size_t n, svg_crossing *out,
                             char (*labels)[LABEL], size_t max) {
    size_t found = 0;
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++) {
            double x[4];
            size_t m = s[a].faint || s[b].faint ? 0 : le__svg_crossings(&s[a], &s[b], x, 4);
            for (size_t i = 0; i < m && found < max; i++) {
                if (!is_lowest(s, n, x[i], le__svg_value_at(&s[a], x[i])))
                    continue;
                char where[LE__TEXT];
                snprintf(labels[found], LABEL, "%.30s | %.30s at %s", s[a].label, s[b].label,
                         operations(x[i], where));
                out[found] = (svg_crossing){x[i], labels[found]};
                found++;
            }
        }
    qsort(out, found, sizeof *out, by_x);
    return found;
}

static void draw(const report *r, const lines *l, const char *kind, FILE *out) {
    enum { MAX_CROSSINGS = 8 };
    svg_series series[MAX_LINES];
    svg_crossing crossings[MAX_CROSSINGS];
    char labels[MAX_CROSSINGS][LABEL];
    size_t n = 0, longest = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (!l->items[i].points || !l->items[i].n)
            continue;
        if (l->items[i].n > longest)
            longest = l->items[i].n;
        series[n++] = (svg_series){l->items[i].label, l->items[i].points, l->items[i].n,
                                   !l->items[i].fits, chart_colour(r, l->items[i].like)};
    }
    if (longest < 2)
        return;
    size_t m = find_crossings(series, n, crossings, labels, MAX_CROSSINGS);
    svg_lines chart = {.title = "Time over size",
                       .x_axis = "work, arithmetic operations of one call",
                       .y_axis = "time, with 90 % intervals",
                       .x_format = operations,
                       .y_format = le__seconds_text,
                       .crossings = crossings,
                       .n_crossings = m};
    fputs("<section class=\"card\"><h4>Time over size</h4><p class=\"dim\"><code>", out);
    le__escape(out, kind);
    fputs("</code></p>\n", out);
    le__svg_write_lines(out, &chart, series, n);
    fputs("</section>\n", out);
}

static void chart_kind(const report *r, const report_problem *problems, size_t n, const char *kind,
                       FILE *out) {
    lines l = {0};
    for (size_t i = 0; i < n; i++) {
        char own[512];
        const report_candidate *best[MAX_BARS];
        kind_of(problems[i].known->key, own, sizeof own);
        if (strcmp(own, kind))
            continue;
        size_t m = best_of_each(&problems[i], best);
        for (size_t k = 0; k < m; k++)
            add_point(&l, best[k], le__report_may_answer(best[k], constraint_of(&problems[i])),
                      problems[i].known->work, n);
    }
    draw(r, &l, kind, out);
    for (size_t i = 0; i < l.n; i++)
        free(l.items[i].points);
}

void le__report_chart_sizes(const report *r, const report_problem *problems, size_t n, FILE *out) {
    for (size_t i = 0; i < n; i++) {
        char kind[512], earlier[512];
        bool seen = false;
        kind_of(problems[i].known->key, kind, sizeof kind);
        for (size_t k = 0; k < i && !seen; k++) {
            kind_of(problems[k].known->key, earlier, sizeof earlier);
            seen = !strcmp(kind, earlier);
        }
        if (!seen)
            chart_kind(r, problems, n, kind, out);
    }
}
