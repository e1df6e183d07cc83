/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What tests let go wrong, by variables of the environment:
 *     LE_TEST_SLOW=1,2,4      a rank takes so many times as long for each block, by the least that
 *                             an item has taken: waiting for a core is not multiplied; others: 1
 *     LE_TEST_CUT=equal       equal shares, nothing is handed out by speed
 *     LE_TEST_DELAY=20        milliseconds that a message takes which asks or answers
 *     LE_TEST_FAIL=SEED:N     blocks fail at random, one of N
 *     LE_TEST_HANG=RANK:N     a rank sleeps for ever once it has done so many items
 *     LE_TEST_DIE=RANK:N      a rank is killed then; of 0 items before the first call
 *     LE_TEST_DIE_JOINING=RANK:N  a rank is killed when it would send its Nth piece of a picture
 *     LE_TEST_GRACE=SECONDS   after a deadline, instead of 30
 */
#ifndef LE_MPI_HOOKS_H
#define LE_MPI_HOOKS_H

#include "liquid_engine/le.h"

#include <stdbool.h>

bool le__hook_equal(void);
double le__hook_grace(double usual);
/* Seconds that a message takes longer. */
double le__hook_delay(void);
void le__hook_piece(int rank);
/* Before a block. */
le_status le__hook_block(int rank, int64_t block);
/* After one of so many items, which took so long. tick, which may be NULL, is asked meanwhile, as
 * by a block that takes longer. */
void le__hook_done(int rank, int64_t items, double seconds, const le_tick *tick);

#endif
