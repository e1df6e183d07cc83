/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * States in arrays and hash tables. See plan_states.h.
 */
#include "chain/plan_states.h"

#include "chain/plan.h"
#include "core/array.h"

#include <stdlib.h>
#include <string.h>

void le__plan_states_make(le__plan_states *s, int n_slots, int n_steps) {
    *s = (le__plan_states){.n_slots = n_slots, .n_frontiers = n_steps + 1, .exact = true};
    s->frontiers = calloc((size_t)s->n_frontiers, sizeof *s->frontiers);
    s->out_of_memory = !s->frontiers;
}

void le__plan_forget(le__plan_states *s, int boundary) {
    le__plan_frontier *f = &s->frontiers[boundary];
    free(f->nodes);
    free(f->buckets);
    *f = (le__plan_frontier){0};
}

void le__plan_states_free(le__plan_states *s) {
    for (int i = 0; s->frontiers && i < s->n_frontiers; i++)
        le__plan_forget(s, i);
    free(s->frontiers);
    free(s->nodes);
    free(s->masks);
}

uint8_t *le__plan_masks(const le__plan_states *s, int node) {
    return s->masks + (size_t)node * (size_t)s->n_slots;
}

static unsigned hash(const uint8_t *masks, int n) {
    unsigned h = 2166136261u; /* FNV-1a */
    for (int i = 0; i < n; i++)
        h = (h ^ masks[i]) * 16777619u;
    return h;
}

static bool grow_nodes(le__plan_states *s) {
    if (s->n_nodes < s->capacity)
        return true;
    int capacity = s->capacity ? 2 * s->capacity : 256;
    if (!LE__ARRAY_RESIZE(s->nodes, capacity) ||
        !LE__ARRAY_RESIZE(s->masks, (size_t)capacity * (size_t)(s->n_slots + 1)))
        return false;
    s->capacity = capacity;
    return true;
}

static bool rehash(le__plan_states *s, le__plan_frontier *f, int n_buckets) {
    if (!LE__ARRAY_RESIZE(f->nodes, n_buckets))
        return false;
    int *buckets = malloc((size_t)n_buckets * sizeof *buckets);
    if (!buckets)
        return false;
    free(f->buckets);
    f->buckets = buckets;
    f->n_buckets = f->capacity = n_buckets;
    for (int i = 0; i < n_buckets; i++)
        buckets[i] = -1;
    for (int i = 0; i < f->n; i++) {
        unsigned h = hash(le__plan_masks(s, f->nodes[i]), s->n_slots) & (unsigned)(n_buckets - 1);
        s->nodes[f->nodes[i]].next = buckets[h];
        buckets[h] = f->nodes[i];
    }
    return true;
}

int le__plan_reach(le__plan_states *s, int boundary, const uint8_t *masks,
                   const le__plan_node *how) {
    le__plan_frontier *f = &s->frontiers[boundary];
    size_t n = (size_t)s->n_slots;
    if ((f->n == f->capacity && !rehash(s, f, f->n_buckets ? 2 * f->n_buckets : 16)) ||
        !grow_nodes(s)) {
        s->out_of_memory = true;
        return -1;
    }
    unsigned h = hash(masks, s->n_slots) & (unsigned)(f->n_buckets - 1);
    int i = f->buckets[h];
    while (i >= 0 && memcmp(le__plan_masks(s, i), masks, n) != 0)
        i = s->nodes[i].next;
    if (i >= 0 && s->nodes[i].cost <= how->cost)
        return -1;
    if (i < 0) {
        i = s->n_nodes++;
        memcpy(le__plan_masks(s, i), masks, n);
        s->nodes[i].next = f->buckets[h];
        f->buckets[h] = i;
        f->nodes[f->n++] = i;
    }
    int next = s->nodes[i].next;
    s->nodes[i] = *how;
    s->nodes[i].next = next;
    return i;
}

static int by_cost(const void *a, const void *b) {
    const le__plan_entry *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static bool dominates(const le__plan_states *s, int a, int b) {
    const uint8_t *x = le__plan_masks(s, a), *y = le__plan_masks(s, b);
    for (int slot = 0; slot < s->n_slots; slot++)
        if (y[slot] & ~x[slot])
            return false;
    return true;
}

void le__plan_sort(le__plan_states *s, int boundary) {
    le__plan_frontier *f = &s->frontiers[boundary];
    le__plan_entry *order = malloc((size_t)(f->n + 1) * sizeof *order);
    if (!order) {
        s->out_of_memory = true;
        return;
    }
    for (int i = 0; i < f->n; i++)
        order[i] = (le__plan_entry){s->nodes[f->nodes[i]].cost, f->nodes[i]};
    qsort(order, (size_t)f->n, sizeof *order, by_cost);
    for (int i = 0; i < f->n; i++)
        f->nodes[i] = order[i].node;
    free(order);
    if (f->n > LE__PLAN_MAX_STATES) {
        f->n = LE__PLAN_MAX_STATES;
        s->exact = false;
    }
}

void le__plan_drop_dominated(le__plan_states *s, int boundary) {
    le__plan_frontier *f = &s->frontiers[boundary];
    enum { COMPARED = 512 }; /* the cheapest dominate most */
    int kept = 0;
    for (int i = 0; i < f->n; i++) {
        bool dominated = false;
        for (int k = 0; k < kept && k < COMPARED && !dominated; k++)
            dominated = dominates(s, f->nodes[k], f->nodes[i]);
        if (!dominated)
            f->nodes[kept++] = f->nodes[i];
    }
    f->n = kept;
    s->out_of_memory = s->out_of_memory || !rehash(s, f, f->n_buckets);
}
