/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Import and merge: an export's text is parsed, looked at as a whole and read list by list, in one
 * transaction.
 */
#include "json_rows.h"
#include "numbers.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE ((size_t)1 << 30)

static void read_section(le__db_importer *m, const char *name, const cJSON *list) {
    size_t n = (size_t)cJSON_GetArraySize(list), at = 0, found = 0;
    int *lines = m->numbered ? calloc(n + 1, sizeof *lines) : NULL;
    const cJSON *row;
    if (lines)
        found = le__db_row_lines(m->text, m->size, name, lines, n);
    cJSON_ArrayForEach(row, list) {
        if (m->rc != SQLITE_OK)
            break;
        m->f.row = row;
        le__db_import_row(m, name, at, at < found ? lines[at] : 0);
        at++;
    }
    free(lines);
}

/* Line of an occurrence of a key of the file; 1 when it cannot be told. */
static int line_of(const le__db_importer *m, const char *key, int nth) {
    const char *at = le__db_find_key(m->text, m->size, key, nth);
    return at ? le__db_line_at(m->text, at) : 1;
}

static bool refuse(const le__db_importer *m, int line, const char *format, ...) LE__PRINTF(3, 4);
static bool refuse(const le__db_importer *m, int line, const char *format, ...) {
    char text[320];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    le__db_import_report(m, line, text);
    return false;
}

static bool section_is_list(const le__db_importer *m, const cJSON *root, const char *name) {
    const cJSON *item, *list = cJSON_GetObjectItemCaseSensitive(root, name);
    if (list && !cJSON_IsArray(list))
        return refuse(m, line_of(m, name, 0), "\"%s\" is not a list", name);
    cJSON_ArrayForEach(item, root) {
        if (item != list && strcmp(item->string, name) == 0)
            return refuse(m, line_of(m, name, 1), "\"%s\" occurs twice", name);
    }
    return true;
}

/* Whether this is an export at all; the report says why not. */
static bool is_export(const le__db_importer *m, const cJSON *root) {
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(root, "schema");
    const cJSON *format = cJSON_GetObjectItemCaseSensitive(root, "format");
    const char *name;
    bool ok = true;
    if (!cJSON_IsObject(root))
        return refuse(m, 1, "not an export: the file is no JSON object");
    if (!cJSON_IsNumber(schema))
        return refuse(m, schema ? line_of(m, "schema", 0) : 1, "not an export: \"schema\" is %s",
                      schema ? "no number" : "missing");
    if (schema->valuedouble != 1)
        return refuse(m, line_of(m, "schema", 0), "schema %g is not known, expected 1",
                      schema->valuedouble);
    if (!cJSON_IsString(format) || strcmp(format->valuestring, LE__EXPORT_FORMAT) != 0)
        return refuse(m, format ? line_of(m, "format", 0) : 1,
                      "not an export: \"format\" is %s, expected \"" LE__EXPORT_FORMAT "\"",
                      format ? "another one" : "missing");
    for (size_t i = 0; ok && (name = le__db_import_section(i)); i++)
        ok = section_is_list(m, root, name);
    return ok;
}

/* Lists of another name: rows that would be lost without a word. */
static void report_strange(const le__db_importer *m, const cJSON *root) {
    const cJSON *item;
    const char *name;
    cJSON_ArrayForEach(item, root) {
        bool expected = !cJSON_IsArray(item);
        for (size_t i = 0; !expected && (name = le__db_import_section(i)); i++)
            expected = strcmp(name, item->string) == 0;
        if (!expected)
            refuse(m, line_of(m, item->string, 0), "\"%.64s\" is no list of this schema; skipped",
                   item->string);
    }
}

static void read_all(le__db_importer *m, const cJSON *root) {
    m->rc = le__db_step(le__db_statement_of(m->c, LE__ST_BEGIN));
    bool begun = m->rc == SQLITE_OK;
    const char *name;
    for (size_t i = 0; m->rc == SQLITE_OK && (name = le__db_import_section(i)); i++) {
        const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, name);
        if (list)
            read_section(m, name, list);
    }
    if (m->rc == SQLITE_OK)
        m->rc = le__db_step(le__db_statement_of(m->c, LE__ST_COMMIT));
    if (m->rc != SQLITE_OK && begun && !sqlite3_get_autocommit(m->c->sql))
        le__db_step(le__db_statement_of(m->c, LE__ST_ROLLBACK));
}

static le_db_status write_all(le_db *db, le__db_importer *m, const cJSON *root) {
    le__db_connection local = {0};
    le_db_status status = LE_DB_IO;
    le__signals signals;
    le__db_enter(&signals);
    m->c = le__db_begin_write(db, &local, &status);
    if (m->c) {
        read_all(m, root);
        status = m->rc == SQLITE_OK                             ? LE_DB_OK
                 : m->rc == SQLITE_NOMEM                        ? LE_DB_NO_MEMORY
                 : le__db_file_state_of(m->rc) == LE__FILE_BUSY ? LE_DB_BUSY
                                                                : LE_DB_IO;
        le__db_end_write(db, m->c);
    }
    le__db_leave(&signals);
    le__db_importer_free(m);
    if (status == LE_DB_OK)
        return status;
    le__db_import_report(
        m, 0, m->c ? sqlite3_errstr(m->rc) : "the database cannot be opened for writing");
    return status;
}

/* The parser would end a text at an escaped NUL: as another control character it is refused. */
static void unmask_nul(char *text) {
    bool escaped = false;
    for (char *p = text; *p; p++) {
        if (escaped && strncmp(p, "u0000", 5) == 0)
            p[4] = '1';
        escaped = !escaped && *p == '\\';
    }
}

/* text[size] must be 0. */
static le_db_status import_text(le_db *db, char *text, size_t size, bool numbered,
                                const le_db_import_options *options, le_db_import_result *result) {
    le__db_importer m = {.text = text, .size = size, .options = options, .numbered = numbered};
    const char *end = text;
    if (result)
        *result = (le_db_import_result){0};
    if (!db || db->frozen)
        return LE_DB_FROZEN;
    unmask_nul(text);
    cJSON *root = le__json_parse(text, size + 1, &end);
    if (!root || memchr(text, 0, size)) {
        le__db_import_report(&m, le__db_line_at(text, end),
                             "not valid JSON here; the file is refused");
        cJSON_Delete(root);
        return LE_DB_BAD_FILE;
    }
    le_db_status status = LE_DB_BAD_FILE;
    if (is_export(&m, root)) {
        report_strange(&m, root);
        status = write_all(db, &m, root);
    }
    cJSON_Delete(root);
    if (result && status == LE_DB_OK)
        *result = m.result;
    return status;
}

le_db_status le_db_import_text(le_db *db, const char *text, size_t size,
                               const le_db_import_options *options, le_db_import_result *result) {
    char *copy = size < MAX_FILE ? malloc(size + 1) : NULL;
    if (!copy)
        return LE_DB_NO_MEMORY;
    if (size)
        memcpy(copy, text, size);
    copy[size] = 0;
    le_db_status status = import_text(db, copy, size, true, options, result);
    free(copy);
    return status;
}

/* errno says why there is none. */
static char *read_file(const char *path, size_t *size, le_db_status *status) {
    struct stat st;
    char *text = NULL;
    *status = LE_DB_IO;
    errno = 0;
    FILE *f = fopen(path, "re");
    if (f && fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode)) {
        *status = (size_t)st.st_size < MAX_FILE ? LE_DB_NO_MEMORY : LE_DB_BAD_FILE;
        if ((size_t)st.st_size < MAX_FILE)
            text = malloc((size_t)st.st_size + 1);
        *size = text ? fread(text, 1, (size_t)st.st_size, f) : 0;
    }
    if (text)
        text[*size] = 0;
    if (f)
        fclose(f);
    return text;
}

le_db_status le_db_import(le_db *db, const char *path, const le_db_import_options *options,
                          le_db_import_result *result) {
    size_t size = 0;
    le_db_status status;
    if (result)
        *result = (le_db_import_result){0};
    char *text = read_file(path, &size, &status);
    if (!text) {
        le__db_importer m = {.options = options};
        const char *why = status == LE_DB_BAD_FILE ? "larger than a GiB"
                          : errno                  ? strerror(errno)
                                                   : "not a regular file";
        refuse(&m, 0, "the file cannot be read: %s", why);
        return status;
    }
    status = import_text(db, text, size, true, options, result);
    free(text);
    return status;
}

static le_db_status merge_from(le_db *db, le__db_connection *other,
                               const le_db_import_options *options, le_db_import_result *result) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return LE_DB_NO_MEMORY;
    le_db_status status = le__db_export(other, out);
    if (fclose(out) != 0)
        status = LE_DB_NO_MEMORY;
    if (status == LE_DB_OK)
        status = import_text(db, text, size, false, options, result);
    free(text);
    return status;
}

le_db_status le_db_merge(le_db *db, const char *other_path, const le_db_import_options *options,
                         le_db_import_result *result) {
    le__db_connection other = {0};
    le__db_importer m = {.options = options};
    le_db_status status = LE_DB_BAD_FILE;
    if (result)
        *result = (le_db_import_result){0};
    if (!db || db->frozen)
        return LE_DB_FROZEN;
    le__signals signals;
    le__db_enter(&signals);
    le__db_file_state state = le__db_file_open(&other, other_path, db->vfs, LE__FROZEN, 5000);
    if (state == LE__FILE_OK || state == LE__FILE_READONLY)
        status = merge_from(db, &other, options, result);
    else if (state == LE__FILE_BUSY)
        status = LE_DB_BUSY;
    else
        le__db_import_report(&m, 0,
                             state == LE__FILE_NEWER     ? "written by a newer version; refused"
                             : state == LE__FILE_MISSING ? "there is no such file or it is empty"
                             : state == LE__FILE_CORRUPT ? "damaged, or cut off; refused"
                             : state == LE__FILE_FOREIGN ? "not a timings database; refused"
                                                         : "it cannot be opened or read; refused");
    le__db_connection_close(&other);
    le__db_leave(&signals);
    return status;
}
