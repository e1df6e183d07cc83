/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the planner looks up by step, made once for a problem: the ways that start there, the values
 * whose life begins or ends there, and a slot for each value. Values that are never alive at the
 * same time share a slot, so that a state is as long as the most values alive at once and the time
 * for a chain grows with its length.
 */
#ifndef LE_PLAN_INDEX_H
#define LE_PLAN_INDEX_H

#include "chain/plan.h"

/* Lists of numbers by step: those of step s are items[start[s]] to items[start[s + 1]], the end
 * excluded. */
typedef struct le__plan_lists {
    int *start, *items;
} le__plan_lists;

typedef struct le__plan_index {
    /* By value: the first and last step that any way reads or writes it in, what is pinned from
     * step 0 on. No way: last and slot are -1. */
    int *first, *last, *slot;
    int n_slots;
    le__plan_lists ways;         /* that start at the step */
    le__plan_lists begins, ends; /* values */
} le__plan_index;

/* False when out of memory. The caller must le__plan_index_free in any case. */
bool le__plan_index_make(const le__plan_problem *problem, le__plan_index *out);
void le__plan_index_free(le__plan_index *index);
/* The most bytes that values may take at a place, the working memory of ways there included, when
 * each has a copy there all its life. */
int64_t le__plan_index_most_bytes(const le__plan_index *index, const le__plan_problem *problem,
                                  int place);
/* Whether copies of the value at the place count against its limit. */
bool le__plan_counts(const le__plan_value *value, int place);

#endif
