/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The states that the planner has reached. A state is a set of places for each slot (plan_index.h);
 * between two steps each one is kept once, with the cheapest way to it that was found.
 */
#ifndef LE_PLAN_STATES_H
#define LE_PLAN_STATES_H

#include <stdbool.h>
#include <stdint.h>

typedef enum le__plan_action {
    LE__PLAN_START,
    LE__PLAN_RUN,
    LE__PLAN_COPY,
    LE__PLAN_DROP
} le__plan_action;

/* A state, and how it was reached. */
typedef struct le__plan_node {
    double cost;
    int parent, next; /* next: in the same hash bucket */
    le__plan_action action;
    int a, from, to; /* LE__PLAN_RUN: way; LE__PLAN_COPY, LE__PLAN_DROP: value */
} le__plan_node;

typedef struct le__plan_entry { /* a node where nodes are put in order */
    double cost;
    int node;
} le__plan_entry;

typedef struct le__plan_frontier { /* the states between two steps */
    int *nodes;
    int n, capacity;
    int *buckets;
    int n_buckets; /* a power of 2 */
} le__plan_frontier;

typedef struct le__plan_states {
    int n_slots;
    le__plan_node *nodes;
    uint8_t *masks; /* a node: by slot, the places that have the value */
    int n_nodes, capacity;
    le__plan_frontier *frontiers; /* one more than steps */
    int n_frontiers;
    bool exact; /* none was left out */
    bool out_of_memory;
} le__plan_states;

/* The caller must le__plan_states_free in any case. */
void le__plan_states_make(le__plan_states *states, int n_slots, int n_steps);
void le__plan_states_free(le__plan_states *states);
/* By slot; until the next state is reached. */
uint8_t *le__plan_masks(const le__plan_states *states, int node);
/* Adds a state or improves it; the node, or -1 when it is no better than what is there. */
int le__plan_reach(le__plan_states *states, int boundary, const uint8_t *masks,
                   const le__plan_node *how);
/* By cost; no more than LE__PLAN_MAX_STATES remain. */
void le__plan_sort(le__plan_states *states, int boundary);
/* Of sorted ones: those that cost no less than one with all their copies go. */
void le__plan_drop_dominated(le__plan_states *states, int boundary);
/* The nodes stay: others have them as parents. */
void le__plan_forget(le__plan_states *states, int boundary);

#endif
