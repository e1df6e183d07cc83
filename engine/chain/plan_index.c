/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 */
#include "chain/plan_index.h"

#include <stdlib.h>

/* Lists n_items numbers by their step (n_steps lists), those of one step in rising order; items of
 * step -1 are in none. */
static bool list_by_step(le__plan_lists *l, int n_steps, int n_items, const int *step_of) {
    l->start = calloc((size_t)n_steps + 2, sizeof *l->start);
    l->items = malloc(((size_t)n_items + 1) * sizeof *l->items);
    if (!l->start || !l->items)
        return false;
    for (int i = 0; i < n_items; i++)
        if (step_of[i] >= 0)
            l->start[step_of[i] + 2]++;
    for (int s = 1; s < n_steps; s++)
        l->start[s + 1] += l->start[s];
    for (int i = 0; i < n_items; i++)
        if (step_of[i] >= 0)
            l->items[l->start[step_of[i] + 1]++] = i;
    return true;
}

static bool list_ways(const le__plan_problem *p, le__plan_index *x) {
    int *first = malloc(((size_t)p->n_ways + 1) * sizeof *first);
    for (int w = 0; first && w < p->n_ways; w++)
        first[w] = p->ways[w].first;
    bool ok = first && list_by_step(&x->ways, p->n_steps, p->n_ways, first);
    free(first);
    return ok;
}

static void touch(le__plan_index *x, int value, const le__plan_way *w) {
    int end = w->first + w->count - 1;
    x->first[value] = x->last[value] < 0 || w->first < x->first[value] ? w->first : x->first[value];
    x->last[value] = end > x->last[value] ? end : x->last[value];
}

static void find_lives(const le__plan_problem *p, le__plan_index *x) {
    for (int v = 0; v < p->n_values; v++)
        x->first[v] = x->last[v] = x->slot[v] = -1;
    for (int i = 0; i < p->n_ways; i++) {
        for (int k = 0; k < p->ways[i].n_reads; k++)
            touch(x, p->ways[i].reads[k], &p->ways[i]);
        for (int k = 0; k < p->ways[i].n_writes; k++)
            touch(x, p->ways[i].writes[k], &p->ways[i]);
    }
    for (int v = 0; v < p->n_values; v++)
        if (x->last[v] >= 0 && p->values[v].pinned)
            x->first[v] = 0;
}

static bool share_slots(const le__plan_problem *p, le__plan_index *x) {
    int *spare = malloc(((size_t)p->n_values + 1) * sizeof *spare), n_spare = 0;
    for (int s = 0; spare && s < p->n_steps; s++) {
        for (int i = x->begins.start[s]; i < x->begins.start[s + 1]; i++)
            x->slot[x->begins.items[i]] = n_spare ? spare[--n_spare] : x->n_slots++;
        for (int i = x->ends.start[s]; i < x->ends.start[s + 1]; i++)
            spare[n_spare++] = x->slot[x->ends.items[i]];
    }
    bool ok = spare != NULL;
    free(spare);
    return ok;
}

bool le__plan_index_make(const le__plan_problem *p, le__plan_index *x) {
    size_t n = (size_t)p->n_values + 1;
    *x = (le__plan_index){.first = malloc(n * sizeof(int)),
                          .last = malloc(n * sizeof(int)),
                          .slot = malloc(n * sizeof(int))};
    if (!x->first || !x->last || !x->slot)
        return false;
    find_lives(p, x);
    return list_ways(p, x) && list_by_step(&x->begins, p->n_steps, p->n_values, x->first) &&
           list_by_step(&x->ends, p->n_steps, p->n_values, x->last) && share_slots(p, x);
}

static void free_lists(le__plan_lists *l) {
    free(l->start);
    free(l->items);
}

void le__plan_index_free(le__plan_index *x) {
    free(x->first);
    free(x->last);
    free(x->slot);
    free_lists(&x->ways);
    free_lists(&x->begins);
    free_lists(&x->ends);
}

bool le__plan_counts(const le__plan_value *v, int place) {
    return !((v->pinned | v->wanted) & (1u << place));
}

/* The sum of what counts in a list. */
static int64_t bytes_of(const le__plan_lists *l, int step, const le__plan_problem *p, int place) {
    int64_t bytes = 0;
    for (int i = l->start[step]; i < l->start[step + 1]; i++) {
        const le__plan_value *v = &p->values[l->items[i]];
        bytes += le__plan_counts(v, place) ? v->bytes : 0;
    }
    return bytes;
}

int64_t le__plan_index_most_bytes(const le__plan_index *x, const le__plan_problem *p, int place) {
    int64_t most = 0, working = 0, alive = 0;
    for (int w = 0; w < p->n_ways; w++)
        if (p->ways[w].place == place && p->ways[w].memory > working)
            working = p->ways[w].memory;
    for (int s = 0; s < p->n_steps; s++) {
        alive += bytes_of(&x->begins, s, p, place);
        most = alive > most ? alive : most;
        alive -= bytes_of(&x->ends, s, p, place);
    }
    return most + working;
}
