/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Rows of an export, one by one, into the tables of a database.
 */
#ifndef LE_BENCHDB_JSON_ROWS_H
#define LE_BENCHDB_JSON_ROWS_H

#include "json_fields.h"
#include "tables.h"

typedef struct le__db_importer {
    le__db_connection *c;
    const le_db_import_options *options;
    le_db_import_result result;
    const char *text;
    size_t size;
    bool numbered; /* text is a file: lines mean something */
    le__db_vector labels;
    le__db_map label_at[3]; /* of identities, problems, candidates */
    le__db_fields f;
    int rc;      /* an error that ends the import */
    bool stored; /* by the row at hand */
    uint64_t random_state;
} le__db_importer;

/* The lists that an export may have, in the order in which they are to be read; NULL: no more. */
const char *le__db_import_section(size_t i);
/* m->f.row, the `at`th of a list: stored, or reported as bad. m->rc: an error that ends it all. */
void le__db_import_row(le__db_importer *m, const char *section, size_t at, int line);
/* To the caller's report, if there is one; line 0: none. */
void le__db_import_report(const le__db_importer *m, int line, const char *text);
/* What rows have left in memory. */
void le__db_importer_free(le__db_importer *m);

#endif
