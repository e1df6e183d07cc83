/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Detectors by name.
 */
#include "scattering/detectors.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "scattering/detector_table.h"

enum { NAME_SIZE = 64 };

/* Lower case without blanks and '_'; false: too long for a name. */
static bool plain_name(const char *name, char out[NAME_SIZE]) {
    size_t n = 0;
    for (; *name; name++) {
        if (*name == ' ' || *name == '_')
            continue;
        if (n + 1 == NAME_SIZE)
            return false;
        out[n++] = (char)tolower((unsigned char)*name);
    }
    out[n] = 0;
    return n > 0;
}

static bool has_word(const char *words, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at++)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

const le__sc_detector *le__sc_detector_find(const char *name, const int64_t shape[2]) {
    char plain[NAME_SIZE];
    const le__sc_detector *first = NULL;
    if (!plain_name(name, plain))
        return NULL;
    for (size_t i = 0; i < sizeof detectors / sizeof *detectors; i++) {
        const le__sc_detector *d = &detectors[i];
        if (!has_word(d->names, plain))
            continue;
        if (d->shape[0] == shape[0] && d->shape[1] == shape[1])
            return d;
        if (!first)
            first = d;
    }
    return first;
}

#define BY_CORNERS ": give a NeXus file with the corners of its pixels, four each, as detector"
/* What pyFAI knows by name, and a grid of rectangles cannot say. */
static const struct {
    const char *names, *why;
} others[] = {
    {"aarhus rapid rapidii", "is bent" BY_CORNERS},
    {"cirpad xcirpad", "has modules that are turned towards the sample" BY_CORNERS},
    {"d5 xpadflat xpads540flat", "has modules with a distance between them" BY_CORNERS},
    {"jungfrau16mcor", "has modules in places of their own" BY_CORNERS},
    {"pixirad1 pixirad-1 pixirad2 pixirad-2 pixirad4 pixirad-4 pixirad8 pixirad-8",
     "has hexagonal pixels, and only pixels with four corners are supported"},
};

const char *le__sc_detector_is_other(const char *name) {
    char plain[NAME_SIZE];
    for (size_t i = 0; plain_name(name, plain) && i < sizeof others / sizeof *others; i++)
        if (has_word(others[i].names, plain))
            return others[i].why;
    return NULL;
}

static bool is_in_gap(const le__sc_detector *d, int axis, int64_t i) {
    if (!d->module[axis])
        return false;
    const int64_t k = (uint32_t)i % (uint32_t)(d->module[axis] + d->gap[axis]); /* divides faster */
    const int64_t half = (d->module[axis] - d->seam) / 2;
    return k >= d->module[axis] || (axis == 1 && d->seam && k >= half && k < half + d->seam);
}

static bool is_beside_places(const le__sc_detector *d, int64_t row, int64_t col) {
    for (int64_t i = 0; i < d->n_places && d->places[i][0] <= row; i++)
        if (row < d->places[i][0] + d->module[0] && col >= d->places[i][1] &&
            col < d->places[i][1] + d->module[1])
            return false;
    return true;
}

static bool is_off_disc(const int64_t shape[2], int64_t row, int64_t col) {
    const double radius = (double)(shape[0] / 2), y = (double)row + 0.5 - radius,
                 x = (double)col + 0.5 - (double)(shape[1] / 2);
    return y * y + x * x > radius * radius;
}

bool le__sc_detector_misses(const le__sc_detector *d, const int64_t shape[2], int64_t row,
                            int64_t col) {
    if (d->places)
        return is_beside_places(d, row, col);
    return is_in_gap(d, 0, row) || is_in_gap(d, 1, col) ||
           (d->disc && is_off_disc(shape, row, col));
}

/* Pixels at a border between modules, on both sides of it, may be wider. */
static double width_of(const le__sc_detector *d, int axis, int64_t i, int64_t n) {
    if (!d || d->border == 0)
        return 1;
    const int64_t k = i % d->module[axis];
    const bool begins = k == 0 && i > 0, ends = k == d->module[axis] - 1 && i + 1 < n;
    return begins || ends ? d->border : 1;
}

void le__sc_detector_edges(const le__sc_detector *d, int axis, int64_t n, double pixel,
                           double *out) {
    double at = 0; /* in pixels: whole numbers stay exact */
    for (int64_t i = 0; i < n; i++) {
        out[i] = at * pixel;
        at += width_of(d, axis, i, n);
    }
    out[n] = at * pixel;
}
