/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Counted outputs: the operation's check says for how many rows there is to be room, the
 * implementation how many there are. They are always made in memory of the engine; rows that find
 * no room are computed again with enough of it.
 */
#ifndef LE_COUNTED_H
#define LE_COUNTED_H

#include "call/call.h"

/* Rows that the next execution makes room for at least, by what earlier ones needed. */
int64_t le__counted_room(const le_call *call, size_t arg);
/* Rows that it will have, as far as is known; else the room. */
int64_t le__counted_expected(const le_call *call, size_t arg);
/* What is known of an output's share of the room, by the problem alone or of all problems of the
 * operation; false: nothing. And what earlier processes knew of it. */
bool le__counted_share(const le_call *call, size_t arg, bool of_all, le__rows_share *out);
void le__counted_recall(const le_call *call, size_t arg, bool of_all, le__rows_share share);
bool le__is_counted(const le_call *call, size_t arg);
/* Before an execution: gives the outputs their rows. */
void le__counted_make_room(le_call *call);
/* After it: cuts the outputs to what was said, unless that was more than fits, and learns from it.
 * LE_ERR_WRONG_RESULT: nothing was said, or nonsense. */
le_status le__counted_settle(le_call *call, bool *fits);
/* The error for another number of rows in the run that had room for them. */
le_status le__counted_fail_again(const le_call *call);
/* What a run said that ended before it was done is no number of rows. */
void le__counted_forget(le_call *call);
/* For implementations of the engine: takes rows over that were made elsewhere, on the host. */
le_status le__counted_take(le_call *call, size_t arg, le_tensor *made);

/* Whether some output has rows beyond those that its check asks for: somebody has said so. */
bool le__counted_grew(const le_call *call);
/* There is no memory for as many rows as an output may have. False: fewer will not do. */
bool le__counted_settle_for_less(le_call *call, size_t arg);

#endif
