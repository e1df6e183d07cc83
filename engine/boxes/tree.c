/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Boxes of a grid: kd-trees, and the order in which rays pass their leaves.
 */
#include "liquid_engine/le_boxes.h"
#include "liquid_engine/le_method.h"
#include "core/array.h"

#include <stdlib.h>

typedef struct node { /* leaf: axis -1 */
    int axis;
    int64_t low, high; /* nodes */
    int64_t box;
} node;

struct le_boxes {
    int64_t n, n_nodes, room;
    le_box *boxes;
    node *nodes;
};

static le_status no_memory(void) {
    return le_fail(LE_ERR_MEMORY, "boxes: out of memory");
}

static int64_t cells_of(const le_box *b, int axis) {
    return b->extent[axis] - 1;
}

static int longest(const le_box *b) {
    int axis = 0;
    for (int a = 1; a < 3; a++)
        axis = b->extent[a] > b->extent[axis] ? a : axis;
    return axis;
}

static void cut(const le_box *b, int axis, int64_t cells, le_box *low, le_box *high) {
    *low = *high = *b;
    low->extent[axis] = cells + 1;
    high->first[axis] += cells;
    high->extent[axis] -= cells;
}

/* A node and a leaf more. */
static bool grow(le_boxes *t) {
    if (t->n_nodes < t->room)
        return true;
    int64_t room = t->room ? 2 * t->room : 16;
    if (!LE__ARRAY_RESIZE(t->boxes, room) || !LE__ARRAY_RESIZE(t->nodes, room))
        return false;
    t->room = room;
    return true;
}

/* How a box is divided: at so many cells of an axis, 0: not at all. */
typedef struct division {
    int axis;
    int64_t cells;
} division;

typedef struct plan {
    const double *weights; /* NULL: equal */
    int64_t samples;       /* the most of a leaf; 0: any */
    int64_t edge;          /* cells of a leaf's edge; 0: any */
} plan;

static double weight_of(const plan *p, int64_t first, int64_t n) {
    double sum = 0;
    for (int64_t i = first; i < first + n; i++)
        sum += p->weights ? p->weights[i] : 1;
    return sum;
}

static int64_t all_cells(const le_box *b) {
    return cells_of(b, 0) * cells_of(b, 1) * cells_of(b, 2);
}

/* Into n boxes, the first of which has the number `first`. */
static division by_weight(const plan *p, const le_box *b, int64_t first, int64_t n) {
    division d = {.axis = longest(b)};
    const int64_t cells = cells_of(b, d.axis), layer = all_cells(b) / cells, half = n / 2;
    if (n < 2)
        return d;
    double low = weight_of(p, first, half), high = weight_of(p, first + half, n - half);
    d.cells = (int64_t)((double)cells * (low / (low + high)) + 0.5);
    const int64_t least = (half + layer - 1) / layer, most = cells - (n - half + layer - 1) / layer;
    d.cells = d.cells > most ? most : d.cells;
    d.cells = d.cells < least ? least : d.cells;
    return d;
}

static division by_size(const plan *p, const le_box *b) {
    division d = {.axis = longest(b)};
    bool small = b->extent[0] * b->extent[1] * b->extent[2] <= p->samples;
    d.cells = small ? 0 : cells_of(b, d.axis) / 2;
    return d;
}

static division by_edge(const plan *p, const le_box *b) {
    division d = {.axis = longest(b)};
    int64_t blocks = (cells_of(b, d.axis) + p->edge - 1) / p->edge;
    d.cells = blocks / 2 * p->edge;
    return d;
}

static le_status add(le_boxes *t, const plan *p, const le_box *b, int64_t first, int64_t n,
                     int64_t *number) {
    division d = p->edge ? by_edge(p, b) : p->samples ? by_size(p, b) : by_weight(p, b, first, n);
    if (n > 1 && (d.cells < 1 || d.cells >= cells_of(b, d.axis)))
        return le_fail(LE_ERR_SHAPE, "boxes: %lld of %lld x %lld x %lld samples", (long long)n,
                       (long long)b->extent[0], (long long)b->extent[1], (long long)b->extent[2]);
    if (!grow(t))
        return no_memory();
    const int64_t at = t->n_nodes++;
    *number = at;
    if (d.cells == 0) {
        t->nodes[at] = (node){.axis = -1, .box = t->n};
        t->boxes[t->n++] = *b;
        return LE_OK;
    }
    le_box low, high;
    int64_t nodes[2];
    cut(b, d.axis, d.cells, &low, &high);
    le_status status = add(t, p, &low, first, n / 2, &nodes[0]);
    if (status == LE_OK)
        status = add(t, p, &high, first + n / 2, n - n / 2, &nodes[1]);
    t->nodes[at] = (node){.axis = d.axis, .low = nodes[0], .high = nodes[1]};
    return status;
}

static le_status make(const plan *p, const le_box *whole, int64_t n, le_boxes **out) {
    int64_t root;
    for (int a = 0; a < 3; a++)
        if (whole->extent[a] < 2)
            return le_fail(LE_ERR_SHAPE, "boxes: %lld samples on axis %d, expected 2 or more",
                           (long long)whole->extent[a], a);
    le_boxes *t = calloc(1, sizeof *t);
    if (!t)
        return no_memory();
    le_status status = add(t, p, whole, 0, n, &root);
    if (status != LE_OK)
        le_boxes_free(&t);
    *out = t;
    return status;
}

le_status le_boxes_split(const le_box *whole, const double *weights, int64_t n, le_boxes **out) {
    const plan p = {.weights = weights};
    for (int64_t i = 0; weights && i < n; i++)
        if (!(weights[i] > 0 && weights[i] < 1e300))
            return le_fail(LE_ERR_ARGUMENT, "boxes: a weight of %g", weights[i]);
    if (n < 1)
        return le_fail(LE_ERR_ARGUMENT, "boxes: %lld of them", (long long)n);
    return make(&p, whole, n, out);
}

le_status le_boxes_within(const le_box *whole, int64_t samples, le_boxes **out) {
    const plan p = {.samples = samples};
    if (samples < 8)
        return le_fail(LE_ERR_MEMORY, "boxes: room for %lld samples, at least 8 are needed",
                       (long long)samples);
    return make(&p, whole, 0, out);
}

le_status le_boxes_grid(const le_box *whole, int64_t edge, le_boxes **out) {
    const plan p = {.edge = edge};
    if (edge < 1)
        return le_fail(LE_ERR_ARGUMENT, "boxes: an edge of %lld cells", (long long)edge);
    return make(&p, whole, 0, out);
}

int64_t le_boxes_count(const le_boxes *t) {
    return t->n;
}

const le_box *le_boxes_box(const le_boxes *t, int64_t i) {
    return &t->boxes[i];
}

/* At each cut the low side is farther where depth grows along the axis. */
static void visit(const le_boxes *t, int64_t at, const double step[3], int64_t **order) {
    const node *n = &t->nodes[at];
    if (n->axis < 0) {
        *(*order)++ = n->box;
        return;
    }
    bool low_first = step[n->axis] >= 0;
    visit(t, low_first ? n->low : n->high, step, order);
    visit(t, low_first ? n->high : n->low, step, order);
}

void le_boxes_order(const le_boxes *t, const double step[3], int64_t *order) {
    visit(t, 0, step, &order);
}

void le_boxes_free(le_boxes **boxes) {
    if (*boxes) {
        free((*boxes)->boxes);
        free((*boxes)->nodes);
        free(*boxes);
    }
    *boxes = NULL;
}
