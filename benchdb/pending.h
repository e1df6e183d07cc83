/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the writer thread has taken from the queue and not yet committed: samples added up per
 * problem and candidate, other rows in their order. Used by one thread.
 */
#ifndef LE_BENCHDB_PENDING_H
#define LE_BENCHDB_PENDING_H

#include "internal.h"

typedef enum le__db_item_type {
    LE__ITEM_SAMPLE = 1,
    LE__ITEM_VERDICT,
    LE__ITEM_CHOICE,
    LE__ITEM_ACCOUNT
} le__db_item_type;

typedef struct le__db_item {
    le__db_item_type type;
    int64_t problem, candidate;
    union {
        le_db_sample sample;
        void *row; /* one block of memory with its texts, owned */
    } value;
} le__db_item;

typedef struct le__db_pending {
    le__db_sample_row **rows;
    size_t n_rows, rows_capacity;
    uint32_t *index; /* open addressing: row number + 1 */
    size_t index_capacity;
    le__db_item *others;
    size_t n_others, others_capacity;
    uint64_t random_state;
    int64_t refused; /* samples that the last writing has left out */
} le__db_pending;

/* Takes the item. false: no memory or no room, the item is lost. */
bool le__db_pending_add(le__db_pending *p, const le_db *db, le__db_item *item);
bool le__db_pending_full(const le__db_pending *p);
bool le__db_pending_empty(const le__db_pending *p);
int64_t le__db_pending_samples(const le__db_pending *p);
void le__db_pending_clear(le__db_pending *p);
void le__db_pending_free(le__db_pending *p);
/* Writes all in one transaction; SQLITE_OK or an error, then nothing is written. Rows that break a
 * constraint are left out. */
int le__db_pending_write(le__db_pending *p, le_db *db, le__db_connection *c);

#endif
