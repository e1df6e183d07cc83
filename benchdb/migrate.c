/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Brings a file to the current schema: an empty one gets schema.sql, an older one the steps
 * between. A step never changes once it is released.
 */
#include "internal.h"

#include <string.h>
#include <sys/random.h>

static void make_uuid(char *out) {
    unsigned char b[16];
    if (getrandom(b, sizeof b, 0) != (ssize_t)sizeof b)
        sqlite3_randomness((int)sizeof b, b);
    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    snprintf(out, 37, "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
             b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
             b[14], b[15]);
}

static int store_uuid(le__db_connection *c) {
    sqlite3_stmt *st = NULL;
    char uuid[37];
    make_uuid(uuid);
    int rc = sqlite3_prepare_v2(c->sql, "INSERT INTO meta(name, value) VALUES('uuid', ?1)", -1, &st,
                                NULL);
    if (rc == SQLITE_OK) {
        sqlite3_bind_text(st, 1, uuid, -1, SQLITE_TRANSIENT);
        rc = le__db_step(st);
    }
    sqlite3_finalize(st);
    return rc != SQLITE_OK ? rc : le__db_put_origin(c, le__db_text_id(uuid), uuid);
}

static int create(le__db_connection *c) {
    int rc = le__db_execute(c, le__db_schema_sql);
    return rc != SQLITE_OK ? rc : store_uuid(c);
}

static int apply(le__db_connection *c, const char *const *steps, int64_t target) {
    int64_t version = 0;
    char mark[96];
    int rc = le__db_query_int(c, "PRAGMA user_version", &version);
    if (rc != SQLITE_OK || version >= target)
        return rc;
    if (version == 0) {
        rc = create(c);
        version = target;
    }
    for (; rc == SQLITE_OK && version < target; version++)
        rc = le__db_execute(c, steps[version]);
    if (rc != SQLITE_OK)
        return rc;
    snprintf(mark, sizeof mark, "PRAGMA application_id = %d; PRAGMA user_version = %lld",
             LE__APPLICATION_ID, (long long)target);
    return le__db_execute(c, mark);
}

int le__db_migrate_to(le__db_connection *c, const char *const *steps, int64_t target) {
    int rc = le__db_execute(c, "BEGIN IMMEDIATE");
    if (rc != SQLITE_OK)
        return rc;
    rc = apply(c, steps, target);
    if (rc == SQLITE_OK)
        rc = le__db_execute(c, "COMMIT");
    if (rc != SQLITE_OK && !sqlite3_get_autocommit(c->sql))
        le__db_execute(c, "ROLLBACK");
    return rc;
}

int le__db_migrate(le__db_connection *c) {
    static const char *const steps[LE__SCHEMA_VERSION] = {
        "",
        "ALTER TABLE samples ADD COLUMN stopped_n INTEGER NOT NULL DEFAULT 0 CHECK (stopped_n >= "
        "0);"
        "ALTER TABLE samples ADD COLUMN stopped_s REAL NOT NULL DEFAULT 0 CHECK (stopped_s >= 0);"
        "ALTER TABLE samples ADD COLUMN stopped_cold_n INTEGER NOT NULL DEFAULT 0 "
        "CHECK (stopped_cold_n >= 0);"
        "ALTER TABLE samples ADD COLUMN stopped_cold_s REAL NOT NULL DEFAULT 0 "
        "CHECK (stopped_cold_s >= 0)"};
    return le__db_migrate_to(c, steps, LE__SCHEMA_VERSION);
}

int le__db_read_origin(le__db_connection *c) {
    sqlite3_stmt *st = NULL;
    int rc =
        sqlite3_prepare_v2(c->sql, "SELECT value FROM meta WHERE name = 'uuid'", -1, &st, NULL);
    if (rc != SQLITE_OK)
        return rc;
    rc = sqlite3_step(st);
    const char *uuid = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(st, 0) : NULL;
    if (uuid && strlen(uuid) == 36) {
        memcpy(c->uuid, uuid, sizeof c->uuid);
        c->origin = le__db_text_id(uuid);
    }
    int end = sqlite3_finalize(st);
    return end != SQLITE_OK ? end : c->origin ? SQLITE_OK : SQLITE_CORRUPT;
}
