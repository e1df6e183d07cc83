/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Who gets which blocks: the head of each rank's share without asking, the tail by measured speed.
 */
#ifndef LE_MPI_SHARES_H
#define LE_MPI_SHARES_H

#include <stdint.h>

typedef struct le__range {
    int64_t begin, end; /* blocks */
} le__range;

typedef struct le__shares {
    le__range left; /* nobody's yet */
    int ranks;
    double *beliefs; /* relative speeds of the ranks before anything is measured */
    double *speeds;  /* blocks a second as measured; 0: not heard yet */
} le__shares;

/* The head of a rank, so much of its share of all blocks by belief; of rank `ranks`: the tail. */
le__range le__shares_head(int64_t blocks, double part, const double *beliefs, int ranks, int rank);
/* For a rank that asks: half of its share of what is left, at least a block; empty: nothing is
 * left. */
le__range le__shares_more(le__shares *s, int rank, double speed);

#endif
