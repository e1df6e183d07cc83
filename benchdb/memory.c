/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The database in memory: what is kept where there is no file. It is the process's for as long as
 * that lives, so that the problems that were met longest ago make room.
 */
#include "internal.h"

#include <stdio.h>

static const int64_t first_limit = INT64_C(16) << 20;

bool le__db_memory_open(le__db_connection *c) {
    if (sqlite3_open_v2(":memory:", &c->sql,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) == SQLITE_OK &&
        le__db_connection_setup(c, 0) == SQLITE_OK && le__db_migrate(c) == SQLITE_OK &&
        le__db_read_origin(c) == SQLITE_OK &&
        le__db_execute(c, "PRAGMA temp_store = MEMORY") == SQLITE_OK)
        return true;
    le__db_connection_close(c);
    return false;
}

static int64_t bytes_in_use(le__db_connection *c) {
    int64_t pages = 0, unused = 0, size = 0;
    le__db_query_int(c, "PRAGMA page_count", &pages);
    le__db_query_int(c, "PRAGMA freelist_count", &unused);
    le__db_query_int(c, "PRAGMA page_size", &size);
    return (pages - unused) * size;
}

static int drop_some(le__db_connection *c, int64_t from, int64_t to) {
    static const char *const rows[] = {"choices WHERE problem", "samples WHERE problem",
                                       "problems WHERE id"};
    char sql[128];
    int rc = le__db_execute(c, "BEGIN");
    for (size_t i = 0; rc == SQLITE_OK && i < sizeof rows / sizeof *rows; i++) {
        snprintf(sql, sizeof sql,
                 "DELETE FROM %s IN (SELECT problem FROM old WHERE rowid BETWEEN %lld AND %lld)",
                 rows[i], (long long)from, (long long)to);
        rc = le__db_execute(c, sql);
    }
    if (rc == SQLITE_OK)
        rc = le__db_execute(c, "COMMIT");
    if (rc != SQLITE_OK)
        le__db_execute(c, "ROLLBACK");
    return rc;
}

/* In small transactions, since what is undone on an error is kept in memory as well. Notes of the
 * engine's own have choices only, and stay. */
static void drop_older_half(le__db_connection *c) {
    enum { AT_ONCE = 256 };
    int64_t n = 0;
    int rc = le__db_execute(c, "CREATE TEMP TABLE old AS SELECT problem FROM samples "
                               "GROUP BY problem HAVING max(last_ms) <= (SELECT last_ms FROM "
                               "samples ORDER BY last_ms LIMIT 1 OFFSET "
                               "(SELECT count(*) / 2 FROM samples))");
    if (rc == SQLITE_OK)
        rc = le__db_query_int(c, "SELECT count(*) FROM old", &n);
    for (int64_t i = 1; rc == SQLITE_OK && i <= n; i += AT_ONCE)
        rc = drop_some(c, i, i + AT_ONCE - 1);
    le__db_execute(c, "DROP TABLE IF EXISTS temp.old");
    le__db_execute(c, "VACUUM"); /* rows lie by hashes: each page has lost some */
    c->generation = le__db_next_generation();
}

void le__db_memory_trim(le__db_connection *c, int64_t *limit) {
    *limit = *limit > 0 ? *limit : first_limit;
    if (bytes_in_use(c) <= *limit)
        return;
    drop_older_half(c);
    if (bytes_in_use(c) > *limit / 4 * 3) /* what there is belongs to few problems */
        *limit *= 2;
}
