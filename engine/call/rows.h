/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What is learnt of the rows of counted outputs: their share of the room that an operation's check
 * asks for, which may be above 1. A few problems of each operation are remembered; the latest ones
 * take the places of others. All threads use it at once; what they mix up costs a run at most.
 */
#ifndef LE_ROWS_H
#define LE_ROWS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { LE__ROWS_SLOTS = 64 };

typedef struct le__rows {
    struct {
        _Atomic uint64_t key;
        _Atomic double most, mean;
    } slots[LE__ROWS_SLOTS];
    _Atomic unsigned next; /* to be given away */
} le__rows;

typedef struct le__rows_share {
    double most; /* of late: falls slowly where the shares are less */
    double mean;
} le__rows_share;

/* key: any but 0. */
void le__rows_learn(le__rows *r, uint64_t key, double share);
/* What was learnt in an earlier process. */
void le__rows_recall(le__rows *r, uint64_t key, le__rows_share share);
/* False: nothing is known. */
bool le__rows_known(const le__rows *r, uint64_t key, le__rows_share *out);

#endif
