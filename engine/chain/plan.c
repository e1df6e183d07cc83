/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The planner: shortest path over (steps done, places of each live value). See plan.h.
 */
#include "chain/plan.h"

#include "chain/plan_index.h"
#include "chain/plan_states.h"
#include "core/array.h"
#include "core/tick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct heap {
    le__plan_entry *items;
    int n;
    size_t capacity;
} heap;

typedef struct solver {
    const le__plan_problem *p;
    le__plan_index index;
    int at;       /* steps done where the solver is */
    int *owners;  /* by slot: the value that is alive there, -1: none */
    int *read_at; /* by value: the last step that a way was seen to read it in */
    bool limited;
    le__plan_states states;
    heap heap;
    uint8_t *next_masks; /* scratch */
} solver;

static uint8_t bit(int place) {
    return (uint8_t)(1u << place);
}

static const uint8_t *masks_of(const solver *s, int n) {
    return le__plan_masks(&s->states, n);
}

static uint8_t mask_of(const solver *s, const uint8_t *masks, int value) {
    return masks[s->index.slot[value]];
}

/* --- which values are alive --- */

static void begin_values(solver *s) {
    const le__plan_lists *begins = &s->index.begins;
    for (int i = begins->start[s->at]; s->at < s->p->n_steps && i < begins->start[s->at + 1]; i++)
        s->owners[s->index.slot[begins->items[i]]] = begins->items[i];
}

static void go_to_start(solver *s) {
    s->at = 0;
    for (int slot = 0; slot < s->index.n_slots; slot++)
        s->owners[slot] = -1;
    begin_values(s);
}

/* To a step that is not before the one where the solver is. */
static void go_to(solver *s, int step) {
    const le__plan_lists *ends = &s->index.ends;
    while (s->at < step) {
        for (int i = ends->start[s->at]; i < ends->start[s->at + 1]; i++)
            s->owners[s->index.slot[ends->items[i]]] = -1;
        s->at++;
        begin_values(s);
    }
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

static int64_t bytes_at(const solver *s, int value, int place) {
    const le__plan_value *v = &s->p->values[value];
    return le__plan_counts(v, place) ? v->bytes : 0;
}

static int64_t used(const solver *s, const uint8_t *masks, int place) {
    int64_t bytes = 0;
    for (int slot = 0; slot < s->index.n_slots; slot++)
        if (masks[slot] & bit(place))
            bytes += bytes_at(s, s->owners[slot], place);
    return bytes;
}

static bool contains(const int *list, int n, int value) {
    for (int i = 0; i < n; i++)
        if (list[i] == value)
            return true;
    return false;
}

/* Bytes at its place while a way runs: all that is there, its inputs included, and what it writes. */
static int64_t used_by(const solver *s, const uint8_t *masks, const le__plan_way *w) {
    int64_t bytes = w->memory + used(s, masks, w->place);
    for (int i = 0; i < w->n_writes; i++)
        if (!(mask_of(s, masks, w->writes[i]) & bit(w->place)) &&
            !contains(w->writes, i, w->writes[i]))
            bytes += bytes_at(s, w->writes[i], w->place);
    return bytes;
}

static bool fits(const solver *s, int place, int64_t bytes) {
    return s->p->limit[place] == 0 || bytes <= s->p->limit[place];
}

static bool any_limit_matters(const solver *s) {
    for (int place = 0; place < s->p->n_places; place++)
        if (!fits(s, place, le__plan_index_most_bytes(&s->index, s->p, place)))
            return true;
    return false;
}

/* --- running a way --- */

static bool may_run(const solver *s, const uint8_t *masks, const le__plan_way *w) {
    for (int i = 0; i < w->n_reads; i++)
        if (!(mask_of(s, masks, w->reads[i]) & bit(w->place)))
            return false;
    return !s->limited || fits(s, w->place, used_by(s, masks, w));
}

/* Ends the values that no later step uses; false when a wanted one was not made or cannot be
 * brought. */
static bool end_values(const solver *s, uint8_t *masks, int begin, int end, double *cost) {
    const le__plan_lists *ends = &s->index.ends;
    for (int i = ends->start[begin]; i < ends->start[end]; i++) {
        int v = ends->items[i], to;
        bool is_alive = s->index.first[v] <= begin; /* else a way that runs several steps hides it */
        if (s->p->values[v].wanted) {
            double seconds;
            if (!is_alive ||
                cheapest(s, v, mask_of(s, masks, v), s->p->values[v].wanted, &to, &seconds) < 0)
                return false;
            *cost += seconds;
        }
        if (is_alive)
            masks[s->index.slot[v]] = 0;
    }
    return true;
}

static void run_way(solver *s, int boundary, int from, int way) {
    const le__plan_way *w = &s->p->ways[way];
    uint8_t *masks = s->next_masks;
    double cost = s->states.nodes[from].cost + w->seconds;
    memcpy(masks, masks_of(s, from), (size_t)s->index.n_slots);
    if (!may_run(s, masks, w))
        return;
    for (int i = 0; i < w->n_writes; i++)
        masks[s->index.slot[w->writes[i]]] = bit(w->place);
    if (!end_values(s, masks, boundary, boundary + w->count, &cost) || !isfinite(cost))
        return;
    le__plan_reach(
        &s->states, boundary + w->count, masks,
        &(le__plan_node){.cost = cost, .parent = from, .action = LE__PLAN_RUN, .a = way});
}

/* --- copying and dropping between two steps --- */

static void push(solver *s, double cost, int n) {
    heap *h = &s->heap;
    if (!LE__ARRAY_ROOM(h->items, h->n, h->capacity)) {
        s->states.out_of_memory = true;
        return;
    }
    int i = h->n++;
    for (; i > 0 && h->items[(i - 1) / 2].cost > cost; i = (i - 1) / 2)
        h->items[i] = h->items[(i - 1) / 2];
    h->items[i] = (le__plan_entry){cost, n};
}

static le__plan_entry pop(heap *h) {
    le__plan_entry top = h->items[0], last = h->items[--h->n];
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

static void try_move(solver *s, int boundary, int from_node, le__plan_node how, uint8_t mask) {
    uint8_t *masks = s->next_masks;
    memcpy(masks, masks_of(s, from_node), (size_t)s->index.n_slots);
    masks[s->index.slot[how.a]] = mask;
    how.parent = from_node;
    int reached = le__plan_reach(&s->states, boundary, masks, &how);
    if (reached >= 0)
        push(s, how.cost, reached);
}

static void copies_of(solver *s, int boundary, int from_node, int value) {
    double cost = s->states.nodes[from_node].cost;
    uint8_t at = mask_of(s, masks_of(s, from_node), value);
    for (int to = 0; to < s->p->n_places; to++) {
        double seconds;
        int unused, from = at & bit(to) ? -1 : cheapest(s, value, at, bit(to), &unused, &seconds);
        if (from < 0 || !isfinite(seconds))
            continue;
        if (fits(s, to, used(s, masks_of(s, from_node), to) + bytes_at(s, value, to)))
            try_move(s, boundary, from_node,
                     (le__plan_node){.cost = cost + seconds,
                                     .action = LE__PLAN_COPY,
                                     .a = value,
                                     .from = from,
                                     .to = to},
                     (uint8_t)(at | bit(to)));
    }
}

static void drops_of(solver *s, int boundary, int from_node, int value) {
    double cost = s->states.nodes[from_node].cost;
    uint8_t at = mask_of(s, masks_of(s, from_node), value);
    for (int from = 0; from < s->p->n_places; from++)
        if (at & bit(from) && at & ~bit(from) && le__plan_counts(&s->p->values[value], from))
            try_move(s, boundary, from_node,
                     (le__plan_node){
                         .cost = cost, .action = LE__PLAN_DROP, .a = value, .from = from, .to = -1},
                     (uint8_t)(at & ~bit(from)));
}

static const le__plan_way *way_from(const solver *s, int i) {
    return &s->p->ways[s->index.ways.items[i]];
}

static void note_reads(solver *s, int boundary) {
    const int *start = &s->index.ways.start[boundary];
    for (int i = start[0]; i < start[1]; i++)
        for (int k = 0; k < way_from(s, i)->n_reads; k++)
            s->read_at[way_from(s, i)->reads[k]] = boundary;
}

static void close_over_moves(solver *s, int boundary) {
    le__plan_frontier *f = &s->states.frontiers[boundary];
    s->heap.n = 0;
    for (int i = 0; i < f->n; i++)
        push(s, s->states.nodes[f->nodes[i]].cost, f->nodes[i]);
    while (s->heap.n && !s->states.out_of_memory) {
        le__plan_entry top = pop(&s->heap);
        if (top.cost > s->states.nodes[top.node].cost)
            continue;
        if (f->n > LE__PLAN_MAX_STATES) {
            s->states.exact = false;
            return;
        }
        for (int slot = 0; slot < s->index.n_slots; slot++) {
            int v = s->owners[slot];
            if (!masks_of(s, top.node)[slot] ||
                !(s->limited || s->p->values[v].wanted || s->read_at[v] == boundary))
                continue;
            copies_of(s, boundary, top.node, v);
            if (s->limited)
                drops_of(s, boundary, top.node, v);
        }
    }
}

/* --- the whole --- */

static void visit(solver *s, int boundary) {
    le__plan_frontier *f = &s->states.frontiers[boundary];
    const int *ways = &s->index.ways.start[boundary];
    if (!s->limited) {
        le__plan_sort(&s->states, boundary);
        if (f->n)
            le__plan_drop_dominated(&s->states, boundary);
    }
    note_reads(s, boundary);
    close_over_moves(s, boundary);
    le__plan_sort(&s->states, boundary);
    for (int i = 0; i < f->n && !s->states.out_of_memory; i++)
        for (int w = ways[0]; w < ways[1]; w++)
            run_way(s, boundary, f->nodes[i], s->index.ways.items[w]);
    le__plan_forget(&s->states, boundary);
}

static int best_end(const solver *s) {
    const le__plan_frontier *f = &s->states.frontiers[s->p->n_steps];
    int best = -1;
    for (int i = 0; i < f->n; i++)
        if (best < 0 || s->states.nodes[f->nodes[i]].cost < s->states.nodes[best].cost)
            best = f->nodes[i];
    return best;
}

/* --- reading the path off --- */

static void note(int64_t *peak, int64_t bytes) {
    if (bytes > *peak)
        *peak = bytes;
}

typedef struct path { /* that is being read off */
    le__plan *plan;
    size_t move_capacity;
    uint8_t *masks;
} path;

static bool add_move(solver *s, path *p, int value, int from, int to) {
    le__plan *plan = p->plan;
    uint8_t *mask = &p->masks[s->index.slot[value]];
    if (!LE__ARRAY_ROOM(plan->moves, plan->n_moves, p->move_capacity))
        return false;
    plan->moves[plan->n_moves++] = (le__plan_move){plan->n_ways, value, from, to};
    *mask = (uint8_t)(to < 0 ? *mask & ~bit(from) : *mask | bit(to));
    return true;
}

static bool replay_way(solver *s, path *p, int way) {
    const le__plan_way *w = &s->p->ways[way];
    const int *ends = &s->index.ends.start[w->first];
    double seconds, ignored = 0;
    int to;
    note(&p->plan->peak[w->place], used_by(s, p->masks, w));
    for (int i = 0; i < w->n_writes; i++)
        p->masks[s->index.slot[w->writes[i]]] = bit(w->place);
    p->plan->ways[p->plan->n_ways++] = way;
    for (int i = ends[0]; i < ends[w->count]; i++) {
        int v = s->index.ends.items[i];
        if (!s->p->values[v].wanted)
            continue;
        int from = cheapest(s, v, mask_of(s, p->masks, v), s->p->values[v].wanted, &to, &seconds);
        if (from != to && !add_move(s, p, v, from, to))
            return false;
    }
    end_values(s, p->masks, w->first, w->first + w->count, &ignored);
    go_to(s, w->first + w->count);
    return true;
}

static bool replay_node(solver *s, path *p, const le__plan_node *n) {
    if (n->action == LE__PLAN_RUN && !replay_way(s, p, n->a))
        return false;
    if ((n->action == LE__PLAN_COPY || n->action == LE__PLAN_DROP) &&
        !add_move(s, p, n->a, n->from, n->to))
        return false;
    for (int place = 0; place < s->p->n_places; place++)
        note(&p->plan->peak[place], used(s, p->masks, place));
    return true;
}

static void pin_values(const solver *s, uint8_t *masks) {
    memset(masks, 0, (size_t)s->index.n_slots);
    for (int v = 0; v < s->p->n_values; v++)
        if (s->p->values[v].pinned && s->index.slot[v] >= 0)
            masks[s->index.slot[v]] = s->p->values[v].pinned;
}

static bool replay(solver *s, int end, le__plan *plan) {
    int length = 0;
    for (int i = end; i >= 0; i = s->states.nodes[i].parent)
        length++;
    int *nodes = malloc((size_t)length * sizeof *nodes);
    path p = {.plan = plan, .masks = s->next_masks};
    plan->ways = calloc((size_t)s->p->n_steps + 1, sizeof *plan->ways);
    bool ok = nodes && plan->ways;
    for (int i = end, k = length; ok && i >= 0; i = s->states.nodes[i].parent)
        nodes[--k] = i;
    go_to_start(s);
    pin_values(s, p.masks);
    for (int k = 0; ok && k < length; k++)
        ok = replay_node(s, &p, &s->states.nodes[nodes[k]]);
    free(nodes);
    return ok;
}

/* False: the call is over. */
static bool search(solver *s) {
    le__ticker *ticker = le__ticker_here();
    go_to_start(s);
    pin_values(s, s->next_masks);
    le__plan_reach(&s->states, 0, s->next_masks,
                   &(le__plan_node){.parent = -1, .action = LE__PLAN_START});
    s->limited = any_limit_matters(s);
    for (int b = 0; b < s->p->n_steps && !s->states.out_of_memory; b++) {
        if (!le__ticker_look(ticker, NAN))
            return false;
        go_to(s, b);
        visit(s, b);
    }
    return true;
}

static bool allocate(solver *s) {
    if (!le__plan_index_make(s->p, &s->index))
        return false;
    s->owners = malloc(((size_t)s->index.n_slots + 1) * sizeof *s->owners);
    s->next_masks = malloc((size_t)s->index.n_slots + 1);
    s->read_at = malloc(((size_t)s->p->n_values + 1) * sizeof *s->read_at);
    le__plan_states_make(&s->states, s->index.n_slots, s->p->n_steps);
    for (int v = 0; s->read_at && v < s->p->n_values; v++)
        s->read_at[v] = -1;
    return s->owners && s->next_masks && s->read_at && !s->states.out_of_memory;
}

static void release(solver *s) {
    le__plan_states_free(&s->states);
    free(s->heap.items);
    free(s->next_masks);
    free(s->owners);
    free(s->read_at);
    le__plan_index_free(&s->index);
}

static le__plan_status solve(solver *s, le__plan *out) {
    if (!allocate(s))
        return LE__PLAN_NO_MEMORY;
    if (!search(s))
        return LE__PLAN_CANCELLED;
    if (s->states.out_of_memory)
        return LE__PLAN_NO_MEMORY;
    int end = best_end(s);
    if (end < 0)
        return LE__PLAN_IMPOSSIBLE;
    out->seconds = s->states.nodes[end].cost;
    out->exact = s->states.exact;
    return replay(s, end, out) ? LE__PLAN_OK : LE__PLAN_NO_MEMORY;
}

le__plan_status le__plan_solve(const le__plan_problem *problem, le__plan *out) {
    solver s = {.p = problem};
    *out = (le__plan){.seconds = INFINITY};
    le__plan_status status = solve(&s, out);
    if (status != LE__PLAN_OK)
        le__plan_free(out);
    release(&s);
    return status;
}

void le__plan_free(le__plan *plan) {
    free(plan->ways);
    free(plan->moves);
    plan->ways = NULL;
    plan->moves = NULL;
    plan->n_ways = plan->n_moves = 0;
}
