/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Opening a database file whatever its state, and setting a corrupt one aside. The file is never
 * opened but through SQLite: closing any other descriptor of it would drop the POSIX locks of this
 * process.
 */
#include "internal.h"
#include "outfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/* For the folder's lock, so that of several processes only one renames. */
static const double most_wait_s = 0.5;

/* What SQLite adds to the name of a database for files that belong to it. */
static const char *const beside[] = {"-wal", "-shm", "-journal"};

le__db_file_state le__db_file_state_of(int rc) {
    if (rc == SQLITE_IOERR_WRITE || rc == SQLITE_IOERR_SHMSIZE || rc == SQLITE_IOERR_FSYNC ||
        rc == SQLITE_IOERR_TRUNCATE) /* a file size limit or quota is not SQLITE_FULL */
        return LE__FILE_FULL;
    if (rc == SQLITE_IOERR_NOMEM)
        return LE__FILE_BUSY;
    switch (rc & 0xff) {
    case SQLITE_OK:
    case SQLITE_DONE:
    case SQLITE_ROW:
        return LE__FILE_OK;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
    case SQLITE_NOMEM: /* as a lock: it may work in a moment */
        return LE__FILE_BUSY;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return LE__FILE_CORRUPT;
    case SQLITE_READONLY:
        return LE__FILE_READONLY;
    case SQLITE_FULL:
        return LE__FILE_FULL;
    default:
        return LE__FILE_UNUSABLE;
    }
}

/* This process, or the machine, has no more open files: another thread may close some. */
static bool lacks_files(le__db_connection *c) {
    int cause = sqlite3_system_errno(c->sql);
    return cause == EMFILE || cause == ENFILE;
}

le__db_file_state le__db_file_state_on(le__db_connection *c, int rc) {
    le__db_file_state state = le__db_file_state_of(rc);
    return state == LE__FILE_UNUSABLE && lacks_files(c) ? LE__FILE_BUSY : state;
}

/* Read as SQLite reads it, before it says what it thinks of it: only what begins like one of its
 * files can be a damaged database, all else belongs to somebody. An empty file is a new one. */
static bool begins_as_database(le__db_connection *c) {
    static const char magic[16] = "SQLite format 3";
    char found[sizeof magic];
    sqlite3_file *file = NULL;
    sqlite3_int64 size = 0;
    if (sqlite3_file_control(c->sql, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK ||
        !file || !file->pMethods || file->pMethods->xFileSize(file, &size) != SQLITE_OK)
        return true; /* nothing is known yet: SQLite finds out */
    if (size == 0)   /* SQLite takes one byte for none, because it may have written an S itself */
        return file->pMethods->xRead(file, found, 1, 0) != SQLITE_OK || found[0] == magic[0];
    return file->pMethods->xRead(file, found, sizeof found, 0) == SQLITE_OK &&
           !memcmp(found, magic, sizeof magic);
}

bool le__db_file_may_be_damaged(le__db_connection *c) {
    return !c->sql || begins_as_database(c);
}

static le__db_file_id identify(const char *path, const char *end) {
    char name[4200];
    struct stat st;
    bool there =
        snprintf(name, sizeof name, "%s%s", path, end) < (int)sizeof name && stat(name, &st) == 0;
    return there ? (le__db_file_id){st.st_dev, st.st_ino} : (le__db_file_id){0};
}

static bool is_at(const char *path, const char *end, le__db_file_id id) {
    le__db_file_id found = identify(path, end);
    return id.inode != 0 && found.device == id.device && found.inode == id.inode;
}

bool le__db_is_file_of(const char *database, const char *path) {
    const le__db_file_id target = identify(path, "");
    bool found = is_at(database, "", target);
    for (size_t i = 0; i < sizeof beside / sizeof *beside && !found; i++)
        found = is_at(database, beside[i], target);
    return found;
}

bool le__db_file_same(const le__db_connection *c, const char *path) {
    return is_at(path, "", c->file);
}

/* Shared memory beside the file, which WAL needs, is not reliable on these. */
static bool is_network(const char *path) {
    static const unsigned long magic[] = {
        0x6969,     0x517b,     0xff534d42, 0xfe534d42, 0x65735546, 0x01021997,
        0x0bd00bd0, 0x47504653, 0x00c36400, 0x5346414f, 0x19830326, 0x7461636f,
    }; /* NFS, SMB, CIFS, SMB2, FUSE, 9P, Lustre, GPFS, Ceph, AFS, BeeGFS, OCFS2 */
    struct statfs fs;
    if (statfs(path, &fs) != 0)
        return false;
    for (size_t i = 0; i < sizeof magic / sizeof *magic; i++)
        if (((unsigned long)fs.f_type & 0xffffffffu) == magic[i])
            return true;
    return false;
}

/* Whether a transaction can begin. SQLite reads a file in WAL mode without shared memory, and says
 * only here that it cannot write. */
static bool can_write(le__db_connection *c) {
    int rc = le__db_execute(c, "BEGIN IMMEDIATE");
    le__db_end(c);
    return (rc & 0xff) != SQLITE_READONLY && (rc & 0xff) != SQLITE_CANTOPEN;
}

/* Asks for WAL and takes what it gets. */
static int set_journal(le__db_connection *c, const char *path, bool may_wal) {
    sqlite3_stmt *st = NULL;
    bool wal = may_wal && !is_network(path), other = !wal;
    if (wal &&
        sqlite3_prepare_v2(c->sql, "PRAGMA journal_mode = WAL", -1, &st, NULL) == SQLITE_OK) {
        if (sqlite3_step(st) == SQLITE_ROW)
            other = strcmp((const char *)sqlite3_column_text(st, 0), "wal") != 0;
        sqlite3_finalize(st);
    }
    if (other) /* not after an error: leaving WAL would wait for the readers */
        le__db_execute(c, "PRAGMA journal_mode = TRUNCATE");
    /* a killed process loses nothing; after a power cut the last transactions may be missing */
    return le__db_execute(c, "PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 1048576");
}

/* A file in WAL mode in a place where its shared memory cannot be had: with exclusive locking
 * SQLite keeps the index in its own memory, long enough to go back to a rollback journal. */
static int leave_wal(le__db_connection *c, const char *path, const char *vfs, int busy_ms) {
    le__db_connection_close(c);
    int rc = sqlite3_open_v2(path, &c->sql, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, vfs);
    if (rc == SQLITE_OK)
        rc = le__db_connection_setup(c, busy_ms);
    if (rc == SQLITE_OK)
        rc = le__db_execute(c, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = TRUNCATE;"
                               "PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema");
    return rc;
}

static bool make_folder(const char *path) {
    char folder[4096];
    size_t len = strlen(path);
    if (len >= sizeof folder)
        return false;
    memcpy(folder, path, len + 1);
    int error = le__outfile_folders(folder, 0700);
    return !error || error == EROFS || error == EACCES;
}

/* A path as a URI, for the immutable flag. */
static void make_uri(const char *path, char *out, size_t size) {
    size_t n = (size_t)snprintf(out, size, "file:");
    for (; *path && n + 4 < size - 32; path++) {
        if (*path == '%' || *path == '?' || *path == '#')
            n += (size_t)snprintf(out + n, size - n, "%%%02x", (unsigned)*path);
        else
            out[n++] = *path;
    }
    snprintf(out + n, size - n, "?mode=ro&immutable=1");
}

static bool has_wal(const char *path) {
    char wal[4096];
    struct stat st;
    return snprintf(wal, sizeof wal, "%s-wal", path) < (int)sizeof wal && stat(wal, &st) == 0 &&
           st.st_size > 0;
}

static int open_sql(le__db_connection *c, const char *path, const char *vfs,
                    le__db_file_mode mode) {
    char uri[8192];
    if (mode == LE__FROZEN && !has_wal(path)) { /* a plain reader would create -shm and -wal */
        make_uri(path, uri, sizeof uri);
        return sqlite3_open_v2(uri, &c->sql,
                               SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_URI, vfs);
    }
    int flags = mode == LE__FROZEN ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    if (mode == LE__WRITE)
        flags |= SQLITE_OPEN_CREATE;
    return sqlite3_open_v2(path, &c->sql, flags | SQLITE_OPEN_NOMUTEX, vfs);
}

/* A query that counts the schema's own tables, and their number. */
static int64_t tables_query(char *sql, size_t size) {
    static const char create[] = "CREATE TABLE ";
    int64_t n = 0;
    size_t used =
        (size_t)snprintf(sql, size, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND ");
    for (const char *p = strstr(le__db_schema_sql, create); p; p = strstr(p, create)) {
        p += strlen(create);
        used += (size_t)snprintf(sql + used, size - used, "%s'%.*s'", n++ ? ", " : "name IN (",
                                 (int)strcspn(p, "("), p);
    }
    snprintf(sql + used, size - used, ")");
    return n;
}

static le__db_file_state classify(le__db_connection *c, int64_t *version) {
    char tables_sql[1024];
    int64_t application = 0, objects = 0, tables = 0;
    const int64_t all_tables = tables_query(tables_sql, sizeof tables_sql);
    /* one snapshot: a file that another process creates between two reads would look corrupt */
    int rc = le__db_execute(c, "BEGIN");
    if (rc == SQLITE_OK)
        rc = le__db_query_int(c, "SELECT count(*) FROM sqlite_schema", &objects);
    if (rc == SQLITE_OK)
        rc = le__db_query_int(c, tables_sql, &tables);
    if (rc == SQLITE_OK)
        rc = le__db_query_int(c, "PRAGMA application_id", &application);
    if (rc == SQLITE_OK)
        rc = le__db_query_int(c, "PRAGMA user_version", version);
    le__db_end(c);
    if (rc != SQLITE_OK)
        return le__db_file_state_on(c, rc);
    if (application == 0 && *version == 0 && objects == 0)
        return LE__FILE_MISSING;
    if (application != LE__APPLICATION_ID)
        return LE__FILE_FOREIGN;
    if (*version > LE__SCHEMA_VERSION)
        return LE__FILE_NEWER;
    bool whole = *version >= 1 && (*version < LE__SCHEMA_VERSION || tables == all_tables);
    return whole && objects > 0 ? LE__FILE_OK : LE__FILE_CORRUPT;
}

/* In place of what cannot be written: a copy in memory, with the current schema. */
static int copy_and_migrate(le__db_connection *c) {
    le__db_connection memory = {0};
    int rc = sqlite3_open(":memory:", &memory.sql);
    sqlite3_backup *backup =
        rc == SQLITE_OK ? sqlite3_backup_init(memory.sql, "main", c->sql, "main") : NULL;
    if (rc == SQLITE_OK)
        rc = backup ? sqlite3_backup_step(backup, -1) : sqlite3_extended_errcode(memory.sql);
    sqlite3_backup_finish(backup);
    rc = rc == SQLITE_DONE ? le__db_connection_setup(&memory, 0) : rc;
    if (rc == SQLITE_OK)
        rc = le__db_migrate(&memory);
    le__db_connection_close(rc == SQLITE_OK ? c : &memory);
    if (rc == SQLITE_OK)
        *c = memory;
    return rc;
}

static le__db_file_state settle(le__db_connection *c, const char *path, le__db_file_mode mode,
                                bool may_wal) {
    int64_t version = 0;
    int rc = SQLITE_OK;
    le__db_file_state state = classify(c, &version);
    bool writable = sqlite3_db_readonly(c->sql, "main") == 0 && mode != LE__FROZEN;
    if (state == LE__FILE_MISSING && mode == LE__WRITE && !writable)
        return LE__FILE_READONLY;
    if (state == LE__FILE_MISSING && mode != LE__WRITE)
        return LE__FILE_MISSING;
    if (state == LE__FILE_NEWER)
        return le__db_read_origin(c) == SQLITE_OK ? LE__FILE_NEWER : LE__FILE_FOREIGN;
    if (state != LE__FILE_MISSING && state != LE__FILE_OK)
        return state;
    if (mode == LE__WRITE)
        rc = set_journal(c, path, may_wal);
    if (rc == SQLITE_OK && mode == LE__WRITE && writable && may_wal && !can_write(c))
        return lacks_files(c) ? LE__FILE_BUSY : LE__FILE_UNUSABLE;
    if (rc == SQLITE_OK && version < LE__SCHEMA_VERSION)
        rc = writable ? le__db_migrate(c) : copy_and_migrate(c);
    if (rc == SQLITE_OK)
        rc = le__db_read_origin(c);
    if (rc != SQLITE_OK) /* SQLITE_ERROR: a table is not there */
        return (rc & 0xff) == SQLITE_ERROR ? LE__FILE_CORRUPT : le__db_file_state_on(c, rc);
    return writable || mode == LE__FROZEN ? LE__FILE_OK : LE__FILE_READONLY;
}

/* Reading a file in WAL mode in a folder that cannot be written. */
static le__db_file_state open_immutable(le__db_connection *c, const char *path, const char *vfs) {
    le__db_connection_close(c);
    if (open_sql(c, path, vfs, LE__FROZEN) != SQLITE_OK ||
        le__db_connection_setup(c, 0) != SQLITE_OK)
        return LE__FILE_UNUSABLE;
    le__db_file_state state = settle(c, path, LE__FROZEN, false);
    return state == LE__FILE_OK ? LE__FILE_READONLY : state;
}

static le__db_file_state open_and_settle(le__db_connection *c, const char *path, const char *vfs,
                                         le__db_file_mode mode, int busy_ms) {
    int rc = open_sql(c, path, vfs, mode);
    if (rc == SQLITE_OK && !begins_as_database(c))
        return LE__FILE_FOREIGN;
    if (rc == SQLITE_OK)
        rc = le__db_connection_setup(c, busy_ms);
    if (rc != SQLITE_OK)
        return le__db_file_state_on(c, rc);
    le__db_file_state state = settle(c, path, mode, true);
    bool open = state == LE__FILE_READONLY && c->origin != 0;
    if (state == LE__FILE_UNUSABLE && mode != LE__FROZEN && access(path, W_OK) == 0 &&
        leave_wal(c, path, vfs, busy_ms < 250 ? busy_ms : 250) == SQLITE_OK)
        state = settle(c, path, mode, false);
    else if ((state == LE__FILE_READONLY && !open) || state == LE__FILE_UNUSABLE)
        state = open_immutable(c, path, vfs);
    return state;
}

le__db_file_state le__db_file_open(le__db_connection *c, const char *path, const char *vfs,
                                   le__db_file_mode mode, int busy_ms) {
    struct stat st;
    bool there = stat(path, &st) == 0;
    if (!there && mode != LE__WRITE)
        return LE__FILE_MISSING;
    if ((there && !S_ISREG(st.st_mode)) || (!there && !make_folder(path)))
        return LE__FILE_UNUSABLE;
    le__db_file_state state = open_and_settle(c, path, vfs, mode, busy_ms);
    c->file = identify(path, "");
    c->wal = identify(path, "-wal");
    c->shm = identify(path, "-shm");
    bool open = state == LE__FILE_OK || state == LE__FILE_READONLY || state == LE__FILE_NEWER;
    if (!open || c->origin == 0) {
        le__db_file_id file = c->file;
        le__db_connection_close(c);
        c->file = file;
    }
    return state;
}

int le__db_file_leave(le__db_connection *c) {
    char name[4200];
    const char *path = c->sql && c->wal.inode ? sqlite3_db_filename(c->sql, "main") : NULL;
    if (!path || !path[0] || le__db_file_same(c, path) || sqlite3_db_readonly(c->sql, "main") != 0)
        return SQLITE_OK;
    int rc = !is_at(path, "-wal", c->wal)
                 ? SQLITE_OK /* it went along */
                 : sqlite3_wal_checkpoint_v2(c->sql, "main", SQLITE_CHECKPOINT_TRUNCATE, 0, 0);
    int lock = rc == SQLITE_OK ? le__outfile_folder_lock(path, most_wait_s) : -1;
    const le__db_file_id ids[] = {c->wal, c->shm};
    for (size_t i = 0; lock >= 0 && i < sizeof ids / sizeof *ids; i++)
        if (is_at(path, beside[i], ids[i])) { /* not those of a file that is there already */
            snprintf(name, sizeof name, "%s%s", path, beside[i]);
            (void)unlink(name);
        }
    le__outfile_folder_unlock(lock);
    return rc;
}

void le__db_file_close(le__db_connection *c) {
    (void)le__db_file_leave(c);
    le__db_connection_close(c);
}

static bool rename_all(const char *path, const char *aside) {
    char from[4200], to[4200];
    if (rename(path, aside) != 0)
        return false;
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        snprintf(from, sizeof from, "%s%s", path, beside[i]);
        snprintf(to, sizeof to, "%s%s", aside, beside[i]);
        (void)rename(from, to);
    }
    return true;
}

bool le__db_file_set_aside(const le__db_connection *c, const char *path, char *aside, size_t size) {
    struct tm tm;
    time_t now = time(NULL);
    char date[32], base[4096];
    struct stat st;
    aside[0] = 0;
    int lock = le__outfile_folder_lock(path, most_wait_s);
    if (lock < 0)
        return false;
    bool gone = !le__db_file_same(c, path);
    if (!gone) {
        strftime(date, sizeof date, "%Y%m%dT%H%M%SZ", gmtime_r(&now, &tm));
        snprintf(base, sizeof base, "%s.corrupt-%s-%ld", path, date, (long)getpid());
        snprintf(aside, size, "%s", base);
        for (int i = 2; i < 1000 && stat(aside, &st) == 0; i++)
            snprintf(aside, size, "%s-%d", base, i);
        gone = rename_all(path, aside);
    }
    le__outfile_folder_unlock(lock);
    return gone;
}
