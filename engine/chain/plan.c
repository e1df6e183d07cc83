/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The planner: shortest path over (steps done, places of each live value). See plan.h.
 */
#include "chain/plan.h"

#include "core/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum action { START, RUN, COPY, DROP } action;

typedef struct node {
    double cost;
    int parent, next; /* next: in the same hash bucket */
    action action;
    int a, from, to; /* RUN: way; COPY, DROP: value */
} node;

typedef struct frontier { /* the states between two steps */
    int *nodes;
    int n, capacity;
    int *buckets;
    int n_buckets; /* a power of 2 */
} frontier;

typedef struct entry {
    double cost;
    int node;
} entry;

typedef struct heap {
    entry *items;
    int n;
    size_t capacity;
} heap;

typedef struct solver {
    const le__plan_problem *p;
    int *last; /* step after which a value ends; -1: never used */
    bool limited;
    node *nodes;
    uint8_t *masks; /* n_values bytes a node */
    int n_nodes, capacity;
    frontier *frontiers; /* n_steps + 1 */
    heap heap;
    uint8_t *next_masks; /* scratch */
    bool exact, out_of_memory;
} solver;

static uint8_t bit(int place) {
    return (uint8_t)(1u << place);
}

static uint8_t *masks_of(const solver *s, int n) {
    return s->masks + (size_t)n * (size_t)s->p->n_values;
}

static double transfer(const solver *s, int value, int from, int to) {
    int n = s->p->n_places;
    return from == to ? 0 : s->p->transfer[(value * n + from) * n + to];
}

/* The cheapest source for a copy at one of the places `to`; -1: none. */
static int cheapest(const solver *s, int value, uint8_t at, uint8_t to, int *best_to,
                    double *seconds) {
    int best = -1;
    *seconds = INFINITY;
    *best_to = -1;
    for (int f = 0; f < s->p->n_places; f++)
        for (int t = 0; t < s->p->n_places; t++)
            if (at & bit(f) && to & bit(t) && transfer(s, value, f, t) < *seconds) {
                *seconds = transfer(s, value, f, t);
                *best_to = t;
                best = f;
            }
    return best;
}

/* --- memory --- */

static bool counts(const le__plan_value *v, int place) {
    return !((v->pinned | v->wanted) & bit(place));
}

static int64_t used(const solver *s, const uint8_t *masks, int place) {
    int64_t bytes = 0;
    for (int v = 0; v < s->p->n_values; v++)
        if (masks[v] & bit(place) && counts(&s->p->values[v], place))
            bytes += s->p->values[v].bytes;
    return bytes;
}

static bool contains(const int *list, int n, int value) {
    for (int i = 0; i < n; i++)
        if (list[i] == value)
            return true;
    return false;
}

/* Bytes at its place while a way runs: all that is there, its inputs and what it writes. */
static int64_t used_by(const solver *s, const uint8_t *masks, const le__plan_way *w) {
    int64_t bytes = w->memory;
    for (int v = 0; v < s->p->n_values; v++)
        if (counts(&s->p->values[v], w->place) &&
            (masks[v] & bit(w->place) || contains(w->reads, w->n_reads, v) ||
             contains(w->writes, w->n_writes, v)))
            bytes += s->p->values[v].bytes;
    return bytes;
}

static bool fits(const solver *s, int place, int64_t bytes) {
    return s->p->limit[place] == 0 || bytes <= s->p->limit[place];
}

static bool any_limit_matters(const solver *s) {
    for (int place = 0; place < s->p->n_places; place++) {
        int64_t all = 0, most = 0;
        for (int v = 0; v < s->p->n_values; v++)
            all += counts(&s->p->values[v], place) ? s->p->values[v].bytes : 0;
        for (int w = 0; w < s->p->n_ways; w++)
            if (s->p->ways[w].place == place && s->p->ways[w].memory > most)
                most = s->p->ways[w].memory;
        if (!fits(s, place, all + most))
            return true;
    }
    return false;
}

/* --- states --- */

static unsigned hash(const uint8_t *masks, int n) {
    unsigned h = 2166136261u; /* FNV-1a */
    for (int i = 0; i < n; i++)
        h = (h ^ masks[i]) * 16777619u;
    return h;
}

static bool grow_nodes(solver *s) {
    if (s->n_nodes < s->capacity)
        return true;
    int capacity = s->capacity ? 2 * s->capacity : 256;
    void *nodes = realloc(s->nodes, (size_t)capacity * sizeof *s->nodes);
    if (nodes)
        s->nodes = nodes;
    void *masks = realloc(s->masks, (size_t)capacity * (size_t)(s->p->n_values + 1));
    if (masks)
        s->masks = masks;
    if (!nodes || !masks)
        return false;
    s->capacity = capacity;
    return true;
}

static bool rehash(solver *s, frontier *f, int n_buckets) {
    int *nodes = realloc(f->nodes, (size_t)n_buckets * sizeof *nodes);
    if (nodes)
        f->nodes = nodes;
    int *buckets = malloc((size_t)n_buckets * sizeof *buckets);
    if (!nodes || !buckets) {
        free(buckets);
        return false;
    }
    free(f->buckets);
    f->buckets = buckets;
    f->n_buckets = f->capacity = n_buckets;
    for (int i = 0; i < n_buckets; i++)
        buckets[i] = -1;
    for (int i = 0; i < f->n; i++) {
        unsigned h = hash(masks_of(s, f->nodes[i]), s->p->n_values) & (unsigned)(n_buckets - 1);
        s->nodes[f->nodes[i]].next = buckets[h];
        buckets[h] = f->nodes[i];
    }
    return true;
}

/* Adds a state or improves it; the node, or -1 when it is no better than what is there. */
static int reach(solver *s, int boundary, const uint8_t *masks, const node *how) {
    frontier *f = &s->frontiers[boundary];
    size_t n = (size_t)s->p->n_values;
    if ((f->n == f->capacity && !rehash(s, f, f->n_buckets ? 2 * f->n_buckets : 16)) ||
        !grow_nodes(s)) {
        s->out_of_memory = true;
        return -1;
    }
    unsigned h = hash(masks, s->p->n_values) & (unsigned)(f->n_buckets - 1);
    int i = f->buckets[h];
    while (i >= 0 && memcmp(masks_of(s, i), masks, n) != 0)
        i = s->nodes[i].next;
    if (i >= 0 && s->nodes[i].cost <= how->cost)
        return -1;
    if (i < 0) {
        i = s->n_nodes++;
        memcpy(masks_of(s, i), masks, n);
        s->nodes[i].next = f->buckets[h];
        f->buckets[h] = i;
        f->nodes[f->n++] = i;
    }
    int next = s->nodes[i].next;
    s->nodes[i] = *how;
    s->nodes[i].next = next;
    return i;
}

/* --- running a way --- */

static bool may_run(const solver *s, const uint8_t *masks, const le__plan_way *w) {
    for (int i = 0; i < w->n_reads; i++)
        if (!(masks[w->reads[i]] & bit(w->place)))
            return false;
    return !s->limited || fits(s, w->place, used_by(s, masks, w));
}

/* Ends the values that no later step uses; false when a wanted one was not made or cannot be
 * brought. */
static bool end_values(const solver *s, uint8_t *masks, int begin, int end, double *cost) {
    for (int v = 0; v < s->p->n_values; v++) {
        if (s->last[v] < begin || s->last[v] >= end)
            continue;
        if (s->p->values[v].wanted) {
            double seconds;
            int to;
            if (cheapest(s, v, masks[v], s->p->values[v].wanted, &to, &seconds) < 0)
                return false;
            *cost += seconds;
        }
        masks[v] = 0;
    }
    return true;
}

static void run_way(solver *s, int boundary, int from, int way) {
    const le__plan_way *w = &s->p->ways[way];
    uint8_t *masks = s->next_masks;
    double cost = s->nodes[from].cost + w->seconds;
    memcpy(masks, masks_of(s, from), (size_t)s->p->n_values);
    if (!may_run(s, masks, w))
        return;
    for (int i = 0; i < w->n_writes; i++)
        masks[w->writes[i]] = bit(w->place);
    if (!end_values(s, masks, boundary, boundary + w->count, &cost) || !isfinite(cost))
        return;
    reach(s, boundary + w->count, masks,
          &(node){.cost = cost, .parent = from, .action = RUN, .a = way});
}

/* --- without limits: dominated states go --- */

static int by_cost(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static bool dominates(const solver *s, int a, int b) {
    const uint8_t *x = masks_of(s, a), *y = masks_of(s, b);
    for (int v = 0; v < s->p->n_values; v++)
        if (y[v] & ~x[v])
            return false;
    return true;
}

static void sort_frontier(solver *s, frontier *f) {
    entry *order = malloc((size_t)(f->n + 1) * sizeof *order);
    if (!order) {
        s->out_of_memory = true;
        return;
    }
    for (int i = 0; i < f->n; i++)
        order[i] = (entry){s->nodes[f->nodes[i]].cost, f->nodes[i]};
    qsort(order, (size_t)f->n, sizeof *order, by_cost);
    for (int i = 0; i < f->n; i++)
        f->nodes[i] = order[i].node;
    free(order);
    if (f->n > LE__PLAN_MAX_STATES) {
        f->n = LE__PLAN_MAX_STATES;
        s->exact = false;
    }
}

static void drop_dominated(solver *s, frontier *f) {
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

/* --- copying and dropping between two steps --- */

static void push(solver *s, double cost, int n) {
    heap *h = &s->heap;
    void *items = le__array_room(h->items, (size_t)h->n, &h->capacity, sizeof *h->items);
    if (!items) {
        s->out_of_memory = true;
        return;
    }
    h->items = items;
    int i = h->n++;
    for (; i > 0 && h->items[(i - 1) / 2].cost > cost; i = (i - 1) / 2)
        h->items[i] = h->items[(i - 1) / 2];
    h->items[i] = (entry){cost, n};
}

static entry pop(heap *h) {
    entry top = h->items[0], last = h->items[--h->n];
    int i = 0;
    for (int c = 1; c < h->n; i = c, c = 2 * i + 1) {
        if (c + 1 < h->n && h->items[c + 1].cost < h->items[c].cost)
            c++;
        if (last.cost <= h->items[c].cost)
            break;
        h->items[i] = h->items[c];
    }
    h->items[i] = last;
    return top;
}

static void try_move(solver *s, int boundary, int from_node, node how, uint8_t mask) {
    uint8_t *masks = s->next_masks;
    memcpy(masks, masks_of(s, from_node), (size_t)s->p->n_values);
    masks[how.a] = mask;
    how.parent = from_node;
    int reached = reach(s, boundary, masks, &how);
    if (reached >= 0)
        push(s, how.cost, reached);
}

static void copies_of(solver *s, int boundary, int from_node, int value) {
    double cost = s->nodes[from_node].cost;
    uint8_t at = masks_of(s, from_node)[value];
    for (int to = 0; to < s->p->n_places; to++) {
        double seconds;
        int unused, from = at & bit(to) ? -1 : cheapest(s, value, at, bit(to), &unused, &seconds);
        if (from < 0 || !isfinite(seconds))
            continue;
        int64_t bytes = counts(&s->p->values[value], to) ? s->p->values[value].bytes : 0;
        if (fits(s, to, used(s, masks_of(s, from_node), to) + bytes))
            try_move(
                s, boundary, from_node,
                (node){.cost = cost + seconds, .action = COPY, .a = value, .from = from, .to = to},
                (uint8_t)(at | bit(to)));
    }
}

static void drops_of(solver *s, int boundary, int from_node, int value) {
    double cost = s->nodes[from_node].cost;
    uint8_t at = masks_of(s, from_node)[value];
    for (int from = 0; from < s->p->n_places; from++)
        if (at & bit(from) && at & ~bit(from) && counts(&s->p->values[value], from))
            try_move(s, boundary, from_node,
                     (node){.cost = cost, .action = DROP, .a = value, .from = from, .to = -1},
                     (uint8_t)(at & ~bit(from)));
}

static bool read_at(const solver *s, int boundary, int value) {
    for (int w = 0; w < s->p->n_ways; w++)
        if (s->p->ways[w].first == boundary &&
            contains(s->p->ways[w].reads, s->p->ways[w].n_reads, value))
            return true;
    return false;
}

static void close_over_moves(solver *s, int boundary) {
    frontier *f = &s->frontiers[boundary];
    s->heap.n = 0;
    for (int i = 0; i < f->n; i++)
        push(s, s->nodes[f->nodes[i]].cost, f->nodes[i]);
    while (s->heap.n && !s->out_of_memory) {
        entry top = pop(&s->heap);
        if (top.cost > s->nodes[top.node].cost)
            continue;
        if (f->n > LE__PLAN_MAX_STATES) {
            s->exact = false;
            return;
        }
        for (int v = 0; v < s->p->n_values; v++) {
            if (!masks_of(s, top.node)[v] ||
                !(s->limited || s->p->values[v].wanted || read_at(s, boundary, v)))
                continue;
            copies_of(s, boundary, top.node, v);
            if (s->limited)
                drops_of(s, boundary, top.node, v);
        }
    }
}

/* --- the whole --- */

static void visit(solver *s, int boundary) {
    frontier *f = &s->frontiers[boundary];
    if (!s->limited) {
        sort_frontier(s, f);
        if (f->n)
            drop_dominated(s, f);
    }
    close_over_moves(s, boundary);
    sort_frontier(s, f);
    for (int i = 0; i < f->n && !s->out_of_memory; i++)
        for (int w = 0; w < s->p->n_ways; w++)
            if (s->p->ways[w].first == boundary)
                run_way(s, boundary, f->nodes[i], w);
}

static void find_last_uses(solver *s) {
    for (int v = 0; v < s->p->n_values; v++)
        s->last[v] = -1;
    for (int i = 0; i < s->p->n_ways; i++) {
        const le__plan_way *w = &s->p->ways[i];
        int end = w->first + w->count - 1;
        for (int k = 0; k < w->n_reads + w->n_writes; k++) {
            int v = k < w->n_reads ? w->reads[k] : w->writes[k - w->n_reads];
            s->last[v] = end > s->last[v] ? end : s->last[v];
        }
    }
}

static int best_end(const solver *s) {
    const frontier *f = &s->frontiers[s->p->n_steps];
    int best = -1;
    for (int i = 0; i < f->n; i++)
        if (best < 0 || s->nodes[f->nodes[i]].cost < s->nodes[best].cost)
            best = f->nodes[i];
    return best;
}

/* --- reading the path off --- */

static void note(int64_t *peak, int64_t bytes) {
    if (bytes > *peak)
        *peak = bytes;
}

static void add_move(le__plan *plan, uint8_t *mask, int value, int from, int to) {
    plan->moves[plan->n_moves++] = (le__plan_move){plan->n_ways, value, from, to};
    *mask = (uint8_t)(to < 0 ? *mask & ~bit(from) : *mask | bit(to));
}

static void replay_way(const solver *s, le__plan *plan, uint8_t *masks, int way) {
    const le__plan_way *w = &s->p->ways[way];
    double seconds, ignored = 0;
    int to;
    note(&plan->peak[w->place], used_by(s, masks, w));
    for (int i = 0; i < w->n_writes; i++)
        masks[w->writes[i]] = bit(w->place);
    plan->ways[plan->n_ways++] = way;
    for (int v = 0; v < s->p->n_values; v++)
        if (s->last[v] >= w->first && s->last[v] < w->first + w->count && s->p->values[v].wanted) {
            int from = cheapest(s, v, masks[v], s->p->values[v].wanted, &to, &seconds);
            if (from != to)
                add_move(plan, &masks[v], v, from, to);
        }
    end_values(s, masks, w->first, w->first + w->count, &ignored);
}

static bool replay(const solver *s, int end, le__plan *plan) {
    int length = 0, n_values = s->p->n_values;
    for (int i = end; i >= 0; i = s->nodes[i].parent)
        length++;
    int *path = malloc((size_t)length * sizeof *path);
    uint8_t *masks = malloc((size_t)n_values + 1);
    plan->ways = calloc((size_t)s->p->n_steps + 1, sizeof *plan->ways);
    plan->moves = calloc((size_t)length + (size_t)(s->p->n_steps + 1) * (size_t)(n_values + 1),
                         sizeof *plan->moves);
    bool ok = path && masks && plan->ways && plan->moves;
    for (int i = end, k = length; ok && i >= 0; i = s->nodes[i].parent)
        path[--k] = i;
    for (int v = 0; ok && v < n_values; v++)
        masks[v] = s->p->values[v].pinned;
    for (int k = 0; ok && k < length; k++) {
        const node *n = &s->nodes[path[k]];
        if (n->action == RUN)
            replay_way(s, plan, masks, n->a);
        else if (n->action != START)
            add_move(plan, &masks[n->a], n->a, n->from, n->to);
        for (int place = 0; place < s->p->n_places; place++)
            note(&plan->peak[place], used(s, masks, place));
    }
    free(path);
    free(masks);
    return ok;
}

static void start(solver *s) {
    for (int v = 0; v < s->p->n_values; v++)
        s->next_masks[v] = s->last[v] >= 0 ? s->p->values[v].pinned : 0;
    reach(s, 0, s->next_masks, &(node){.parent = -1, .action = START});
    s->limited = any_limit_matters(s);
    for (int b = 0; b < s->p->n_steps && !s->out_of_memory; b++)
        visit(s, b);
}

le__plan_status le__plan_solve(const le__plan_problem *problem, le__plan *out) {
    size_t n_values = (size_t)problem->n_values, n_steps = (size_t)problem->n_steps;
    solver s = {.p = problem,
                .last = malloc((n_values + 1) * sizeof(int)),
                .frontiers = calloc(n_steps + 1, sizeof(frontier)),
                .next_masks = malloc(n_values + 1),
                .exact = true};
    le__plan_status status = LE__PLAN_NO_MEMORY;
    *out = (le__plan){0};
    if (s.last && s.frontiers && s.next_masks) {
        find_last_uses(&s);
        start(&s);
        int end = s.out_of_memory ? -1 : best_end(&s);
        if (end >= 0 && replay(&s, end, out))
            status = LE__PLAN_OK;
        else if (end < 0 && !s.out_of_memory)
            status = LE__PLAN_IMPOSSIBLE;
        out->seconds = end >= 0 ? s.nodes[end].cost : INFINITY;
        out->exact = s.exact;
    }
    if (status != LE__PLAN_OK)
        le__plan_free(out);
    for (size_t i = 0; s.frontiers && i <= n_steps; i++) {
        free(s.frontiers[i].nodes);
        free(s.frontiers[i].buckets);
    }
    free(s.frontiers);
    free(s.heap.items);
    free(s.nodes);
    free(s.masks);
    free(s.next_masks);
    free(s.last);
    return status;
}

void le__plan_free(le__plan *plan) {
    free(plan->ways);
    free(plan->moves);
    plan->ways = NULL;
    plan->moves = NULL;
    plan->n_ways = plan->n_moves = 0;
}
