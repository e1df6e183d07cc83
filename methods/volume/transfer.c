/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Transfer functions: the named ones and their values in double precision.
 */
#include "volume/transfer.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "volume/colormap.h"

enum { MAP_KNOTS = 257, FILE_LIMIT_BYTES = 1 << 20 };

static const le__gaussian mocz[] = {
    {9.0, 1.0, {1.0, 1.0, 0.1, 0.6}},
    {3.0, 0.1, {0.1, 1.0, 0.1, 0.1}},
    {-3.0, 0.5, {0.1, 0.1, 1.0, 0.01}},
};

le__transfer *le__transfer_new(bool log, bool table, size_t n)
{
    size_t bytes = n * (table ? sizeof(le__knot) : sizeof(le__gaussian));
    le__transfer *t = malloc(sizeof *t + bytes);
    if (!t)
        return NULL;
    *t = (le__transfer){.log = log, .table = table, .n = n};
    if (table)
        t->knots = (const le__knot *)(t + 1);
    else
        t->gaussians = (const le__gaussian *)(t + 1);
    return t;
}

le_status le__transfer_from_map(le__transfer **out, const char *map, const double limits[2],
                                double alpha, bool log, const char *who)
{
    const le__colormap *m = le__colormap_find(map);
    if (!m)
        return le_fail(LE_ERR_ARGUMENT, "%s: unknown colour map '%s', expected one of %s", who, map,
                       LE__COLORMAP_NAMES);
    if (!(limits[0] < limits[1]) || !isfinite(limits[0]) || !isfinite(limits[1]) ||
        !(alpha >= 0.0) || alpha > 1.0)
        return le_fail(LE_ERR_ARGUMENT,
                       "%s: colour map limits %g to %g, alpha %g, expected ascending limits and alpha "
                       "in [0,1]", who, limits[0], limits[1], alpha);
    le__transfer *t = le__transfer_new(log, true, MAP_KNOTS);
    if (!t)
        return le_fail(LE_ERR_MEMORY, "%s: no memory for a transfer function", who);
    le__knot *knots = (le__knot *)(t + 1);
    for (int i = 0; i < MAP_KNOTS; i++) {
        double f = i / (double)(MAP_KNOTS - 1);
        knots[i].s = limits[0] + f * (limits[1] - limits[0]);
        knots[i].rgba[3] = alpha * f;
        le__colormap_at(m, f, knots[i].rgba);
    }
    *out = t;
    return LE_OK;
}

/* "viridis", "viridis:-5:5" or "viridis:-5:5:0.1" */
static le_status read_map(le__transfer **out, const char *text, size_t name_length, bool log,
                          const char *who)
{
    char name[32], *end = NULL;
    double given[3] = {log ? -5.0 : 0.0, log ? 5.0 : 1.0, 0.1}; /* limits and alpha */
    snprintf(name, sizeof name, "%.*s", (int)name_length, text);
    int n = 0;
    const char *p = text + name_length;
    for (; *p == ':' && n < 3; p = end, n++) {
        given[n] = le_number(p + 1, &end);
        if (end == p + 1)
            break;
    }
    if (*p || n == 1)
        return le_fail(LE_ERR_ARGUMENT,
                       "%s: transfer '%s', expected MAP:LOW:HIGH or MAP:LOW:HIGH:ALPHA", who, text);
    const double limits[2] = {given[0], given[1]}, alpha = given[2];
    return le__transfer_from_map(out, name, limits, alpha, log, who);
}

static le_status read_file(le__transfer **out, const char *path, bool log, const char *who)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return le_fail(LE_ERR_ARGUMENT,
                       "%s: transfer '%s' is neither 'mocz', a colour map (%s), JSON nor a readable "
                       "file", who, path, LE__COLORMAP_NAMES);
    char *text = malloc(FILE_LIMIT_BYTES + 1);
    size_t got = text ? fread(text, 1, FILE_LIMIT_BYTES + 1, f) : 0;
    bool failed = ferror(f) != 0;
    fclose(f);
    le_status status;
    if (!text) {
        status = le_fail(LE_ERR_MEMORY, "%s: no memory for '%s'", who, path);
    } else if (failed || got > FILE_LIMIT_BYTES) {
        status = le_fail(LE_ERR_IO, "%s: transfer file '%s': %s", who, path,
                         failed ? "read error" : "larger than 1 MiB");
    } else {
        text[got] = '\0';
        status = le__transfer_from_json(out, text, log, who);
    }
    free(text);
    return status;
}

le_status le__transfer_read(le__transfer **out, const char *text, bool log, const char *who)
{
    if (strcmp(text, "mocz") == 0) {
        le__transfer *t = le__transfer_new(log, false, 3);
        if (!t)
            return le_fail(LE_ERR_MEMORY, "%s: no memory for a transfer function", who);
        memcpy(t + 1, mocz, sizeof mocz);
        *out = t;
        return LE_OK;
    }
    if (text[strspn(text, " \t\r\n")] == '{')
        return le__transfer_from_json(out, text, log, who);
    char name[32];
    size_t length = strcspn(text, ":");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), text);
    if (le__colormap_find(name))
        return read_map(out, text, length, log, who);
    return read_file(out, text, log, who);
}

static void gaussians_at(const le__transfer *t, double s, double rgba[4])
{
    for (int c = 0; c < 4; c++)
        rgba[c] = 0.0;
    for (size_t j = 0; j < t->n; j++) {
        const le__gaussian *g = &t->gaussians[j];
        double d = s - g->centre;
        double e = exp(-d * d / g->width);
        for (int c = 0; c < 4; c++)
            rgba[c] += g->rgba[c] * e;
    }
}

static void table_at(const le__transfer *t, double s, double rgba[4])
{
    const le__knot *k = t->knots;
    size_t lo = 0, hi = t->n - 1;
    if (s <= k[0].s || s >= k[hi].s) {
        memcpy(rgba, s <= k[0].s ? k[0].rgba : k[hi].rgba, sizeof k[0].rgba);
        return;
    }
    while (hi - lo > 1) {
        size_t middle = lo + (hi - lo) / 2;
        if (k[middle].s <= s)
            lo = middle;
        else
            hi = middle;
    }
    double f = (s - k[lo].s) / (k[hi].s - k[lo].s);
    for (int c = 0; c < 4; c++)
        rgba[c] = (1.0 - f) * k[lo].rgba[c] + f * k[hi].rgba[c];
}

/* s must not be NaN. */
static void at_s(const le__transfer *t, double s, double rgba[4])
{
    if (t->table)
        table_at(t, s, rgba);
    else
        gaussians_at(t, s, rgba);
}

void le__transfer_at(const le__transfer *t, double value, double rgba[4])
{
    if (isnan(value) || (t->log && !(value > 0.0))) {
        for (int c = 0; c < 4; c++)
            rgba[c] = 0.0;
        return;
    }
    at_s(t, t->log ? log(value) : value, rgba);
}

bool le__transfer_is_normal(const le__transfer *t, const char **why)
{
    const double least = log((double)FLT_MIN), nothing = log(1e-12); /* of what shows */
    *why = "the transfer function shows denormal numbers";
    for (size_t j = 0; t->log && !t->table && j < t->n; j++) {
        const le__gaussian *g = &t->gaussians[j];
        if (g->centre - sqrt(-g->width * nothing) < least)
            return false;
    }
    return true;
}

bool le__transfer_hides_denormals(const le__transfer *t)
{
    const char *why;
    return !t->table && le__transfer_is_normal(t, &why);
}

void le__transfer_key(const le__transfer *t, char *out, size_t size)
{
    const char *why;
    if (t->table)
        snprintf(out, size, "table");
    else
        snprintf(out, size, "gaussians%zu%s", t->n,
                 le__transfer_is_normal(t, &why) ? "" : ",denormal");
}
