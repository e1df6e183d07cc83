/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The planner of chains: the cheapest way to run steps in order when every value may live in
 * several places. It knows numbers only and does no I/O.
 *
 * The model. Steps 0..n-1 run in this order. A way runs one step, or several consecutive ones (a
 * fused implementation), at one place. Before it, its inputs must be valid at that place: copying a
 * value from a place where it is valid costs the transfer's time and leaves both copies. What a way
 * writes is valid at its place only. A copy may be dropped at any time while the value has another
 * one. A value ends after the last step that any way reads or writes it in; an output is then
 * brought to a place where it is wanted. The working memory of a way plus the copies at its place
 * must fit the place's limit, and so must the copies after each transfer; copies where a value is
 * pinned (the caller's memory) or wanted do not count.
 *
 * The algorithm is a shortest path over (steps done, set of places of each live value): from step
 * to step the ways, between two steps Dijkstra's algorithm over copying and dropping. Where no
 * limit can be reached, nothing is dropped, only values that a way is about to read are copied
 * (perhaps by way of other places), and a state is discarded when another one costs no more and has
 * every copy that it has: both are exact, for a further copy never hurts and may as well be made
 * when it is needed. Time: steps * states * (ways + values * places^2), states at most (2^places -
 * 1)^(values alive at once), few in chains. When there are more than LE__PLAN_MAX_STATES states
 * between two steps the cheapest are kept and the result says that it may not be optimal.
 */
#ifndef LE_PLAN_H
#define LE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

enum { LE__PLAN_MAX_PLACES = 8, LE__PLAN_MAX_STATES = 1 << 17 };

typedef struct le__plan_value {
    int64_t bytes;
    uint8_t pinned; /* places that have it from the start and for ever; 0: it is written */
    uint8_t wanted; /* an output: one of these places must have it at the end */
} le__plan_value;

typedef struct le__plan_way {
    int first, count; /* steps [first, first + count) */
    int place;
    double seconds;
    int64_t memory;            /* working memory at the place, in bytes */
    const int *reads, *writes; /* values */
    int n_reads, n_writes;
} le__plan_way;

typedef struct le__plan_problem {
    int n_places, n_values, n_steps, n_ways;
    const le__plan_value *values;
    const le__plan_way *ways;
    const double *transfer;             /* seconds, [value][from][to]; INFINITY: not possible */
    int64_t limit[LE__PLAN_MAX_PLACES]; /* bytes; 0: none */
} le__plan_problem;

typedef struct le__plan_move {
    int before;          /* index into le__plan.ways; n_ways: after the last one */
    int value, from, to; /* to -1: dropped at `from` */
} le__plan_move;

typedef struct le__plan {
    double seconds;
    int64_t peak[LE__PLAN_MAX_PLACES]; /* bytes that count, working memory included */
    bool exact;                        /* false: states were left out */
    int *ways;                         /* indices into the problem's, in order; owned */
    int n_ways;
    le__plan_move *moves; /* in order; owned */
    int n_moves;
} le__plan;

typedef enum le__plan_status {
    LE__PLAN_OK = 0,
    LE__PLAN_IMPOSSIBLE, /* no ways satisfy the limits */
    LE__PLAN_CANCELLED,  /* by the tick of the thread's call */
    LE__PLAN_NO_MEMORY
} le__plan_status;

/* On LE__PLAN_OK the caller must le__plan_free. */
le__plan_status le__plan_solve(const le__plan_problem *problem, le__plan *out);
void le__plan_free(le__plan *plan);

#endif
