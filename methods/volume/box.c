/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Boxes: cameras in their voxels, and the depths that they own.
 */
#include "volume/box.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

le__box *le__box_new(const le__camera *whole, const int64_t first[3], const int64_t shape[3])
{
    size_t bytes = sizeof *whole + whole->n_views * sizeof whole->views[0];
    le__box *box = calloc(1, sizeof *box);
    le__camera *c = malloc(bytes);
    if (!box || !c) {
        free(box);
        free(c);
        return NULL;
    }
    memcpy(c, whole, bytes);
    for (int a = 0; a < 3; a++) {
        box->first[a] = first[a];
        box->shape[a] = c->shape[a] = shape[a];
        for (size_t v = 0; v < c->n_views; v++)
            c->views[v].origin[a] -= (double)first[a];
    }
    box->camera = c;
    return box;
}

/* Depths at which the index is below the bound come first where it grows with depth, and last where
 * it falls: the number of those that come first. Rounding is monotonous, so that there is one. */
static int64_t turning_depth(const le__view *v, int a, int64_t n, int64_t ix, int64_t iz, double bound)
{
    double at = le__view_index(v, a, 0, ix, iz), step = v->step[0][a];
    bool begins = at < bound, ends = le__view_index(v, a, n - 1, ix, iz) < bound;
    if (begins == ends)
        return n;
    int64_t k = (int64_t)fmin(fmax((bound - at) / step, 0.0), (double)(n - 1));
    while (k > 0 && (le__view_index(v, a, k - 1, ix, iz) < bound) != begins)
        k--;
    while (k < n && (le__view_index(v, a, k, ix, iz) < bound) == begins)
        k++;
    return k;
}

/* Leaves of [*begin, *end) the depths where the index is below the bound, or not below it. */
static void narrow(const le__view *v, int a, int64_t n, int64_t ix, int64_t iz, double bound,
                   bool below, int64_t *begin, int64_t *end)
{
    int64_t turn = turning_depth(v, a, n, ix, iz, bound);
    bool first = (le__view_index(v, a, 0, ix, iz) < bound) == below;
    int64_t low = first ? 0 : turn, high = first ? turn : n;
    *begin = low > *begin ? low : *begin;
    *end = high < *end ? high : *end;
}

void le__box_ray(const le__box *box, const le__camera *whole, const le__view *view, int64_t ix,
                 int64_t iz, int64_t *begin, int64_t *end)
{
    *begin = 0;
    *end = whole->size;
    for (int a = 0; a < 3 && *begin < *end; a++) {
        int64_t stop = box->first[a] + box->shape[a] - 1; /* cells, of which the last layer is not */
        if (box->first[a] > 0)
            narrow(view, a, whole->size, ix, iz, (double)box->first[a], false, begin, end);
        if (stop < whole->shape[a] - 1)
            narrow(view, a, whole->size, ix, iz, (double)stop, true, begin, end);
    }
    if (*begin >= *end)
        *begin = *end = 0;
}
