/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Shares of the rooms of counted outputs from process to process: choices in the database under the
 * operation LE_DB_ROWS, of each problem and of each operation. All threads at any time.
 */
#ifndef LE_SHARES_H
#define LE_SHARES_H

#include "choose/store.h"

typedef struct le__shares le__shares;

le_status le__shares_open(le__shares **out);
void le__shares_close(le__shares *s);
/* What earlier processes knew goes to the call's operation, where that knows nothing. problem: the
 * call's, as text. */
void le__shares_recall(le__shares *s, le__store *store, const le_call *call, const char *problem);
/* After a run: stores what differs from what is stored. */
void le__shares_keep(le__shares *s, le__store *store, const le_call *call, const char *problem);

#endif
