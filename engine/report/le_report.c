/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The doors to reports.
 */
#include "liquid_engine/le_report.h"

#include "again.h"
#include "core/struct.h"
#include "numbers.h"
#include "run/database.h"

#include <stdlib.h>

typedef bool (*writer)(const report *r, FILE *out);

/* Numbers are written as in the C locale, whatever the program has set. */
static bool to_text(const report *r, writer write, char **text) {
    size_t size;
    locale_t before = le__numbers_begin();
    FILE *out = open_memstream(text, &size);
    bool good = out && write(r, out);
    if (out && fclose(out) != 0)
        good = false;
    le__numbers_end(before);
    if (!good && out) {
        free(*text);
        *text = NULL;
    }
    return good;
}

static le_status make(le_engine *engine, const le_report_options *options, writer write,
                      char **text, size_t *n_problems) {
    le_report_options o = {0};
    le_db *db = NULL;
    le_db_knowledge *k = NULL;
    if (!text)
        return le_fail(LE_ERR_ARGUMENT, "a report needs a place for its text, NULL given");
    *text = NULL;
    le_status status =
        options ? le__struct_take(&o, sizeof o, options, sizeof o, "le_report_options") : LE_OK;
    if (status == LE_OK)
        status = le__engine_database(&engine, &db);
    if (status != LE_OK)
        return status;
    report r;
    unsigned flags = LE_DB_LOAD_RAW | (o.site ? 0 : LE_DB_LOAD_NO_SITE);
    report_filter filter = {
        .operations = o.operations, .device = o.device, .all_machines = o.all_machines};
    const le_db_status loaded = le_db_load(db, NULL, flags, &k);
    if (loaded != LE_DB_OK && loaded != LE_DB_NO_MEMORY) {
        le_db_knowledge_free(&k);
        return le_fail(LE_ERR_IO, "no report: %s",
                       loaded == LE_DB_BUSY ? "another process holds the timings database"
                                            : "the timings database cannot be read");
    }
    bool good = k && le__report_make(&r, k, le_db_path(db), &filter);
    if (good) {
        r.engine = engine;
        le__again_begin(&r);
        good = to_text(&r, write, text);
        if (n_problems)
            *n_problems = r.n_problems;
        le__report_free(&r);
    }
    le_db_knowledge_free(&k);
    return good ? LE_OK : le_fail(LE_ERR_MEMORY, "out of memory for a report");
}

le_status le_report_html(le_engine *engine, const le_report_options *options, char **text,
                         size_t *n_problems) {
    return make(engine, options, le__report_html, text, n_problems);
}

le_status le_report_json(le_engine *engine, const le_report_options *options, char **text,
                         size_t *n_problems) {
    return make(engine, options, le__report_json, text, n_problems);
}
