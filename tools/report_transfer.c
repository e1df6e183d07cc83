/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * le-report export, import and merge.
 */
#include "report_transfer.h"

#include "tool.h"

#include <errno.h>
#include <string.h>

#include "liquid_engine/le_method.h"

static const char *const commands[] = {"export", "import", "merge", NULL};

bool report_is_transfer(char *const *words) {
    for (size_t i = 0; words[0] && commands[i]; i++)
        if (!strcmp(words[0], commands[i]))
            return true;
    return false;
}

static bool is_known(void *cookie, const char *operation, const char *implementation) {
    le_engine *engine = cookie;
    size_t n;
    if (operation[0] == '@')
        return true;
    if (!implementation)
        return le_engine_operation(engine, operation) != NULL;
    const le_implementation *const *list = le_engine_implementations(engine, operation, &n);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i]->name, implementation))
            return true;
    return false;
}

static void report_row(void *cookie, int line, const char *text) {
    (void)cookie;
    if (line)
        tool_message("line %d: %s", line, text);
    else
        tool_message("%s", text);
}

static int export_to(le_db *db, const char *path) {
    le_db_status status =
        !strcmp(path, "-") ? le_db_export(db, stdout) : le_db_export_file(db, path);
    if (status != LE_DB_OK)
        tool_message("%s could not be written: %s", path, strerror(errno));
    return status == LE_DB_OK && fflush(stdout) == 0 ? TOOL_OK : TOOL_FAILED;
}

static int add_rows(le_db *db, const char *command, const char *path, le_engine *engine) {
    le_db_import_options options = {
        .report = report_row, .known = engine ? is_known : NULL, .cookie = engine};
    le_db_import_result result = {0};
    bool merge = !strcmp(command, "merge");
    le_db_status status = merge ? le_db_merge(db, path, &options, &result)
                                : le_db_import(db, path, &options, &result);
    if (status != LE_DB_OK) {
        tool_message("%s: nothing was added%s", path,
                     status == LE_DB_BUSY ? ": the database is busy" : "");
        return TOOL_FAILED;
    }
    if (strcmp(le_db_path(db), ":memory:") == 0) {
        tool_message("%s: nothing was added: the database is not on disk", path);
        return TOOL_FAILED;
    }
    printf("%lld rows: %lld added, %lld known already, %lld refused\n", (long long)result.rows,
           (long long)result.stored, (long long)result.same, (long long)result.bad);
    return TOOL_OK;
}

int report_transfer(le_db *db, char *const *words, bool keep_unknown) {
    if (!words[1] || words[2]) {
        tool_message("%s takes one file; see --help", words[0]);
        return TOOL_USAGE;
    }
    if (!strcmp(words[0], "export"))
        return export_to(db, words[1]);
    le_engine *engine = NULL;
    le_options options;
    le_default_options(&options);
    options.db_path = ":memory:";
    options.devices = "cpu";
    if (!keep_unknown && le_open(&engine, &options) != LE_OK) {
        tool_message("%s", le_error_message());
        return TOOL_FAILED;
    }
    int status = add_rows(db, words[0], words[1], engine);
    le_close(&engine);
    return status;
}
