/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Who gets which blocks: the head of each rank's share without asking, the tail by measured speed.
 */
#ifndef LE_MPI_SHARES_H
#define LE_MPI_SHARES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct le__range {
    int64_t begin, end; /* blocks */
} le__range;

typedef struct le__rank_share {
    double belief;   /* relative speed before anything is measured */
    double speed;    /* blocks a second as measured; 0: not heard yet */
    double since;    /* when it begins or began with what it was handed out last, */
    int64_t granted; /* which is so many blocks */
    bool over;       /* it was told that there is no more for it */
} le__rank_share;

typedef struct le__shares {
    le__range left; /* nobody's yet */
    int n;
    le__rank_share *ranks;
} le__shares;

/* What a rank does without asking, by belief: its share of all blocks where it will not ask, else a
 * part of that. */
le__range le__shares_head(const le__shares *s, int64_t blocks, bool all, int rank);
/* All begin with their heads, what is left is the tail; times are seconds on any clock. */
void le__shares_begin(le__shares *s, int64_t blocks, bool all, double now);
/* For a rank that asks, of such measured speed (0: it has done nothing): half of its share of what
 * is left, at least a block. Empty: nothing is left, or the others will have done it before this
 * one has done one. */
le__range le__shares_more(le__shares *s, int rank, double speed, double now);

#endif
