/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A row of a catalogue as its columns are defined: two passes over the pixels
 * of the label.
 */
#include "imaging/measure_members.h"
#include "imaging/double_double.h"

#include <string.h>

/* -1: it has no row. */
static int64_t find(const le__im_index *index, double label) {
    return label < 0 ? -1 : le__im_place_of(index, label);
}

le__im_members le__im_members_of(const le_tensor *labels, const le__im_index *index,
                                 int64_t *memory) {
    int64_t *begin = memory, *pixels = memory + index->n + 2;
    const int64_t count = le_tensor_count(labels);
    memset(begin, 0, (size_t)(index->n + 2) * sizeof *begin);
    for (int64_t i = 0; i < count; i++) {
        const int64_t l = find(index, le_tensor_get(labels, i));
        if (l >= 0)
            begin[l + 2]++;
    }
    for (int64_t l = 0; l < index->n; l++)
        begin[l + 2] += begin[l + 1];
    for (int64_t i = 0; i < count; i++) { /* begin[l + 1] grows from the first pixel to the end */
        const int64_t l = find(index, le_tensor_get(labels, i));
        if (l >= 0)
            pixels[begin[l + 1]++] = i;
    }
    return (le__im_members){index, begin, pixels};
}

/* A part of the axes of an image: the elements of one index along `axis` follow
 * `step` apart. */
static int64_t place_along(const le_tensor *image, int axis, int64_t at) {
    int64_t step = 1;
    for (int d = axis + 1; d < image->ndim; d++)
        step *= image->shape[d];
    return at / step % image->shape[axis];
}

typedef struct pass {
    const le_tensor *image;
    const int64_t *pixels;
    int64_t n;
} pass;

/* Sum of (x - mean)^power times the place along an axis (-1: times 1). */
static double sum_of(const pass *p, double mean, int power, int axis) {
    le__dd sum = {0, 0};
    for (int64_t i = 0; i < p->n; i++) {
        const le__dd d = le__dd_sum(le_tensor_get(p->image, p->pixels[i]), -mean);
        le__dd term = power == 2 ? le__dd_multiply(d, d) : d;
        if (axis >= 0)
            term = le__dd_multiply(term,
                                   (le__dd){(double)place_along(p->image, axis, p->pixels[i]), 0});
        sum = le__dd_add(sum, term);
    }
    return sum.hi;
}

/* Infinite where no double holds it. */
static double total(const pass *p) {
    static const double less = LE__IM_LESS;
    le__dd sum = {0, 0};
    for (int64_t i = 0; i < p->n; i++)
        sum = le__dd_add(sum, (le__dd){le_tensor_get(p->image, p->pixels[i]) * less, 0});
    return sum.hi / less;
}

/* From a mean that was rounded, which is made up for: alike pixels have none. */
static double deviation(const pass *p, double mean) {
    const double n = (double)p->n, by = sum_of(p, mean, 1, -1) / n,
                 variance = sum_of(p, mean, 2, -1) / n - by * by;
    return variance <= 0 ? 0 : sqrt(variance); /* NaN stays */
}

/* The first pixel with the least (sign 1) or largest (-1) value; not a number:
 * NaN anywhere. */
static int64_t extremum(const pass *p, double sign) {
    int64_t best = p->pixels[0];
    for (int64_t i = 0; i < p->n; i++) {
        const double v = le_tensor_get(p->image, p->pixels[i]);
        if (isnan(v))
            return -1;
        if (sign * v < sign * le_tensor_get(p->image, best))
            best = p->pixels[i];
    }
    return best;
}

static void places(const pass *p, double *row) {
    const int ndim = p->image->ndim;
    const int64_t least = extremum(p, 1), largest = extremum(p, -1);
    row[5] = least < 0 ? NAN : le_tensor_get(p->image, least);
    row[6] = largest < 0 ? NAN : le_tensor_get(p->image, largest);
    for (int d = 0; d < ndim; d++) {
        int64_t begin = INT64_MAX, end = 0;
        for (int64_t i = 0; i < p->n; i++) {
            const int64_t at = place_along(p->image, d, p->pixels[i]);
            begin = at < begin ? at : begin;
            end = at + 1 > end ? at + 1 : end;
        }
        row[7 + d] = least < 0 ? -1 : (double)place_along(p->image, d, least);
        row[7 + ndim + d] = largest < 0 ? -1 : (double)place_along(p->image, d, largest);
        row[7 + 2 * ndim + d] = row[2] == 0 ? NAN : sum_of(p, 0, 1, d) / row[2];
        row[7 + 3 * ndim + 2 * d] = (double)begin;
        row[7 + 3 * ndim + 2 * d + 1] = (double)end;
    }
}

/* Second moments about the center of mass, and flags. */
static void extend(const pass *p, const le__im_table *table, const double *row, double *out) {
    static const int axes[3][2] = {{0, 0}, {0, 1}, {1, 1}};
    const int center = 7 + 2 * 2, box = 7 + 3 * 2;
    for (int k = 0; k < 3; k++) {
        le__dd sum = {0, 0};
        for (int64_t i = 0; i < p->n; i++) {
            le__dd term = {le_tensor_get(p->image, p->pixels[i]), 0};
            for (int j = 0; j < 2; j++)
                term = le__dd_multiply(
                    term, le__dd_sum((double)place_along(p->image, axes[k][j], p->pixels[i]),
                                     -row[center + axes[k][j]]));
            sum = le__dd_add(sum, term);
        }
        out[k] = row[2] == 0 ? NAN : sum.hi / row[2];
    }
    le__im_ellipse(out, out + 3);
    const bool edge = row[box] == 0 || row[box + 2] == 0 ||
                      row[box + 1] == (double)table->shape.rows ||
                      row[box + 3] == (double)table->shape.cols;
    bool saturated = false, nan = false;
    for (int64_t i = 0; i < p->n; i++) {
        saturated |= le_tensor_get(p->image, p->pixels[i]) >= table->saturation;
        nan |= isnan(le_tensor_get(p->image, p->pixels[i]));
    }
    out[6] = (edge ? LE__IM_AT_EDGE : 0) + (saturated ? LE__IM_SATURATED : 0) +
             (nan ? LE__IM_NOT_NUMBER : 0);
}

void le__im_measure_reference(const le_tensor *image, const le__im_table *table,
                              const le__im_members *members, double label, double *row) {
    static const le__im_sums none = {0};
    const int64_t l = find(members->index, label);
    const int64_t begin = l < 0 ? 0 : members->begin[l], end = l < 0 ? 0 : members->begin[l + 1];
    if (begin == end) {
        le__im_catalogue_row(&none, table, label, row);
        return;
    }
    const pass p = {image, members->pixels + begin, end - begin};
    const double n = (double)p.n;
    row[0] = label;
    row[1] = n;
    row[2] = sum_of(&p, 0, 1, -1);
    row[3] = row[2] / n;
    row[4] = deviation(&p, row[3]);
    places(&p, row);
    if (isinf(row[5]) || isinf(row[6])) { /* which twice the digits cannot add up */
        row[2] = row[3] = row[5] + row[6];
        row[4] = NAN;
        for (int d = 0; d < image->ndim; d++)
            row[7 + 2 * image->ndim + d] = NAN;
    }
    if (isfinite(row[5]) && isfinite(row[6]) && !isfinite(row[2])) {
        row[2] = total(&p);
        row[3] = row[5] == row[6] ? row[5] : row[2] / n;
        row[4] = row[5] == row[6] ? 0 : INFINITY;
    }
    if (isnan(row[4]) && isfinite(row[5]) && isfinite(row[6]))
        row[4] = INFINITY; /* no double holds the squares */
    double *after = row + 7 + 5 * image->ndim;
    after[0] = after[1] = NAN;
    if (table->extended)
        extend(&p, table, row, after + 2);
}
