/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The doors to what was learnt: to a file, and from one.
 */
#include "liquid_engine/le_method.h"
#include "liquid_engine/le_report.h"

#include "benchdb.h"
#include "core/struct.h"
#include "run/database.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* What the database says of rows; where the file is refused as a whole, why it is comes last, and
 * is for the error's text. */
typedef struct listener {
    le_engine *engine;
    le_wisdom_options options;
    bool waiting; /* it is not known whether the last one was of a row */
    int line;
    char last[320];
} listener;

static bool is_known(void *cookie, const char *operation, const char *implementation) {
    const listener *l = cookie;
    size_t n;
    if (operation[0] == '@')
        return true;
    if (!implementation)
        return le_engine_operation(l->engine, operation) != NULL;
    const le_implementation *const *list = le_engine_implementations(l->engine, operation, &n);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i]->name, implementation))
            return true;
    return false;
}

static void pass_on(listener *l) {
    if (l->waiting && l->options.refused)
        l->options.refused(l->options.cookie, l->line, l->last);
    l->waiting = false;
}

static void hear(void *cookie, int line, const char *text) {
    listener *l = cookie;
    pass_on(l);
    snprintf(l->last, sizeof l->last, "%s", text);
    l->line = line;
    l->waiting = true;
}

static le_status failed(const char *path, le_db_status status, int line, const char *why) {
    char place[32] = "";
    if (line > 0)
        snprintf(place, sizeof place, "line %d: ", line);
    switch (status) {
    case LE_DB_NO_MEMORY:
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", path);
    case LE_DB_BUSY:
        return le_fail(LE_ERR_IO, "%s: nothing was added: another process holds the database",
                       path);
    case LE_DB_FROZEN:
        return le_fail(LE_ERR_IO, "%s: nothing was added: the engine's mode is frozen", path);
    default:
        return le_fail(LE_ERR_IO, "%s: nothing was added%s%s%s", path, *why ? ": " : "", place,
                       why);
    }
}

typedef le_db_status (*taker)(le_db *db, const char *path, const le_db_import_options *options,
                              le_db_import_result *result);

static le_status take(le_engine *engine, const char *path, const le_wisdom_options *options,
                      le_wisdom_counts *counts, taker from) {
    listener l = {.last = ""};
    le_db *db = NULL;
    if (!path)
        return le_fail(LE_ERR_ARGUMENT, "the path of a file is expected, NULL given");
    le_status good = LE_OK;
    if (options)
        good = le__struct_take(&l.options, sizeof l.options, options, sizeof l.options,
                               "le_wisdom_options");
    if (good == LE_OK && counts)
        good = le__struct_check(counts, sizeof *counts, "le_wisdom_counts");
    if (good == LE_OK)
        good = le__engine_database(&engine, &db);
    if (good != LE_OK)
        return good;
    if (!strcmp(le_db_path(db), ":memory:"))
        return failed(path, LE_DB_IO, 0, "the database is not on disk");
    l.engine = engine;
    le_db_import_options o = {
        .report = hear, .known = l.options.keep_unknown ? NULL : is_known, .cookie = &l};
    le_db_import_result result = {0};
    le_db_status status = from(db, path, &o, &result);
    if (status != LE_DB_OK)
        return failed(path, status, l.line, l.last);
    pass_on(&l);
    const le_wisdom_counts all = {
        .rows = result.rows, .added = result.stored, .known = result.same, .refused = result.bad};
    return counts ? le__struct_give(counts, &all, sizeof all, sizeof all, "le_wisdom_counts")
                  : LE_OK;
}

le_status le_wisdom_load(le_engine *engine, const char *path, const le_wisdom_options *options,
                         le_wisdom_counts *counts) {
    return take(engine, path, options, counts, le_db_import);
}

le_status le_wisdom_merge(le_engine *engine, const char *path, const le_wisdom_options *options,
                          le_wisdom_counts *counts) {
    return take(engine, path, options, counts, le_db_merge);
}

le_status le_wisdom_save(le_engine *engine, const char *path) {
    if (!path)
        return le_fail(LE_ERR_ARGUMENT, "the path of a file is expected, NULL given");
    le_db *db = NULL;
    le_status status = le__engine_database(&engine, &db);
    if (status != LE_OK)
        return status;
    errno = 0;
    const le_db_status saved = le_db_export_file(db, path);
    switch (saved) {
    case LE_DB_OK:
        return LE_OK;
    case LE_DB_BUSY:
        return le_fail(LE_ERR_IO, "%s was not written: another process holds the database", path);
    case LE_DB_BAD_FILE:
        return le_fail(LE_ERR_IO, "%s was not written: the timings database cannot be read", path);
    case LE_DB_OWN_FILE:
    case LE_DB_SITE_FILE:
        return le_fail(LE_ERR_ARGUMENT, "%s is %s, expected another file to save to", path,
                       le_db_role_text(saved));
    default:
        return le_fail(LE_ERR_IO, "%s could not be written%s%s", path, errno ? ": " : "",
                       errno ? strerror(errno) : "");
    }
}
