/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * JSON import of anything. What is accepted must come out of an export that is accepted again,
 * every row of it known already.
 */
#include "benchdb.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_report(void *cookie, int line, const char *text) {
    *(int *)cookie += line >= 0 && strlen(text) > 0;
}

static void check_export(le_db *db) {
    char *text = NULL;
    size_t size = 0;
    int reports = 0;
    le_db_import_options options = {.report = on_report, .cookie = &reports};
    le_db_import_result result;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return;
    if (le_db_export(db, f) != LE_DB_OK)
        abort();
    fclose(f);
    if (le_db_import_text(db, text, size, &options, &result) != LE_DB_OK || reports ||
        result.same != result.rows)
        abort();
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int reports = 0;
    le_db_import_options options = {.report = on_report, .cookie = &reports};
    le_db_import_result result;
    le_db *db = le_db_open(&(le_db_options){.path = ":memory:"});
    le_db_status status = le_db_import_text(db, (const char *)data, size, &options, &result);
    if (status == LE_DB_OK) {
        /* a list that is not of the schema is reported too */
        if (result.bad > reports || result.stored + result.same + result.bad != result.rows)
            abort();
        le_db_knowledge *known = NULL;
        le_db_load(db, NULL, LE_DB_LOAD_RAW, &known);
        le_db_knowledge_free(&known);
        check_export(db);
    } else if (reports != 1) {
        abort();
    }
    le_db_close(&db);
    return 0;
}
