/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What was added since it was handed out the last time, beside what is written: see le_db_hand_out.
 */
#ifndef LE_BENCHDB_NEWS_H
#define LE_BENCHDB_NEWS_H

#include "pending.h"

typedef struct le__db_new_verdict {
    le_db_verdict row;
    char size_class[LE_DB_SIZE_CLASS], reason[200];
} le__db_new_verdict;

struct le__db_news {
    le__db_pending samples;
    le__db_new_verdict *verdicts;
    size_t n_verdicts;
};

/* Begins to collect; false without memory. The lock of the news held, as when they are looked at.
 */
bool le__db_news_begin(le_db *db);
/* Copies; now: the date of those that have none. Nothing is kept before the first le_db_hand_out.
 */
void le__db_news_samples(le_db *db, int64_t problem, int64_t candidate, const le_db_sample *samples,
                         size_t n, int64_t now);
void le__db_news_verdict(le_db *db, const le_db_verdict *verdict);
/* True: none wait to be handed out, with the names they need; none are added or handed out until
 * le__db_news_let. Does not wait: false while others look at them. */
bool le__db_news_none(le_db *db);
void le__db_news_let(le_db *db);
void le__db_news_free(le_db *db);

#endif
