/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Grading: each loaded row says in its `differs` what is not as it is here and now, of the machine,
 * the build and the device that it was measured with.
 */
#ifndef LE_BENCHDB_GRADE_H
#define LE_BENCHDB_GRADE_H

#include "internal.h"
#include "tables.h"

/* Rows that are still being read: growing arrays of the types that le_db_knowledge hands out. */
typedef struct le__db_rows {
    le__db_vector identities, problems, candidates, samples, verdicts, choices, accounts;
    le__db_map identity_at; /* id -> place in identities */
} le__db_rows;

/* Machines and builds; needed before le__db_differs, again when more were read. */
void le__db_grade_identities(le_db *db, le__db_rows *rows);
/* Bits of le_db_differs; 0 of an identity that was not read. */
uint32_t le__db_differs(const le__db_rows *rows, int64_t identity);
/* All rows, once all identities are graded. */
void le__db_grade_rows(le_db *db, le__db_rows *rows);

#endif
