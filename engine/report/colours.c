/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Colours of implementations: the names take turns, in the order in which the build lists them, and
 * each takes the colour that is rarest among the names before it in its operations.
 */
#include "colours.h"

#include "svg.h"

#include <string.h>

enum { GREY = SVG_COLOURS - 1 };

static bool in_operation(const colours *c, const char *operation, const char *name) {
    for (size_t i = 0; i < c->n; i++)
        if (!strcmp(c->rows[i].name, name) && !strcmp(c->rows[i].operation, operation))
            return true;
    return false;
}

static int rarest(const colours *c, const char *name) {
    int used[SVG_COLOURS] = {0}, best = 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->rows[i].colour >= 0 && in_operation(c, c->rows[i].operation, name))
            used[c->rows[i].colour]++;
    for (int k = 1; k < GREY; k++)
        if (used[k] < used[best])
            best = k;
    return best;
}

static void give(colours *c) {
    for (size_t i = 0; i < c->n; i++) {
        if (c->rows[i].colour >= 0)
            continue;
        int colour = rarest(c, c->rows[i].name);
        for (size_t k = i; k < c->n; k++)
            if (!strcmp(c->rows[k].name, c->rows[i].name))
                c->rows[k].colour = colour;
    }
}

static int find(const colours *c, const char *name) {
    for (size_t i = 0; i < c->n; i++)
        if (!strcmp(c->rows[i].name, name))
            return c->rows[i].colour;
    return -1;
}

void le__colours_add(colours *c, const char *operation, const char *name, const char *run_type) {
    if (!strcmp(run_type, "reference") || c->n == COLOURS_MOST || in_operation(c, operation, name))
        return;
    int colour = find(c, name);
    c->rows[c->n].operation = operation;
    c->rows[c->n].name = name;
    c->rows[c->n++].colour = colour;
}

void le__colours_make(colours *c, le_engine *engine) {
    size_t n, m;
    c->n = 0;
    const le_operation *const *operations = le_engine_operations(engine, &n);
    for (size_t i = 0; i < n; i++) {
        const le_implementation *const *list =
            le_engine_implementations(engine, operations[i]->name, &m);
        for (size_t k = 0; k < m; k++)
            le__colours_add(c, operations[i]->name, list[k]->name, list[k]->run_type);
    }
    give(c);
}

int le__colours_of(colours *c, const char *name, const char *run_type) {
    if (!strcmp(run_type, "reference"))
        return GREY;
    give(c);
    int colour = find(c, name);
    return colour >= 0 ? colour : GREY;
}
