/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The handle: opening, closing, where the file is, and saying once what is wrong with it.
 */
#include "internal.h"
#include "news.h"
#include "paths.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char in_memory[] = ":memory:";

static size_t use_path(char *buffer, size_t size, const char *folder, const char *rest) {
    int n = snprintf(buffer, size, "%s%s", folder, rest);
    if (n < 0 || (size_t)n >= size || n > 4000)
        n = snprintf(buffer, size, "%s", in_memory);
    return n > 0 ? (size_t)n : 0;
}

size_t le_db_default_path(const char *option, char *buffer, size_t size) {
    if (option && option[0])
        return use_path(buffer, size, option, "");
    const char *text = secure_getenv("LE_DB");
    if (text && text[0])
        return use_path(buffer, size, text, "");
    text = secure_getenv("XDG_CACHE_HOME");
    if (text && text[0] == '/')
        return use_path(buffer, size, text, "/liquid_engine/timings.sqlite3");
    text = secure_getenv("HOME");
    if (text && text[0] == '/')
        return use_path(buffer, size, text, "/.cache/liquid_engine/timings.sqlite3");
    return use_path(buffer, size, in_memory, "");
}

const char *le_db_default_site_path(const char *option) {
    const char *text = option ? option : secure_getenv("LE_SITE_DB");
    return text && (option || text[0]) ? text : "/etc/liquid_engine";
}

static void say(le_db *db, int level, const char *format, va_list args) {
    char text[1024];
    int n = snprintf(text, sizeof text, "timings database: ");
    vsnprintf(text + n, sizeof text - (size_t)n, format, args);
    for (char *p = text; *p; p++)
        if (*p == '\n')
            *p = ' ';
    db->log(db->log_cookie, level, text);
}

void le__db_problem(le_db *db, le__db_cause cause, const char *format, ...) {
    unsigned bit = 1u << cause;
    bool known = (atomic_fetch_or(&db->logged, bit) & bit) != 0;
    if ((known && cause != LE__CAUSE_SITE) || !db->log)
        return;
    va_list args;
    va_start(args, format);
    say(db, 1, format, args);
    va_end(args);
}

void le__db_consequence(le_db *db, le__db_cause cause, const char *format, ...) {
    unsigned bit = 1u << cause, before = atomic_fetch_or(&db->logged, bit);
    if ((before & bit) || !db->log)
        return;
    va_list args;
    va_start(args, format);
    say(db, before ? 2 : 1, format, args);
    va_end(args);
}

void le__db_report_state(le_db *db, le__db_file_state state, const char *detail) {
    switch (state) {
    case LE__FILE_BUSY:
        le__db_problem(db, LE__CAUSE_BUSY,
                       "%s is locked by another process (or there is no memory, or no "
                       "file can be opened); working from memory until it is free",
                       db->path);
        break;
    case LE__FILE_READONLY:
        le__db_problem(db, LE__CAUSE_READONLY, "%s cannot be written; new samples stay in memory",
                       db->path);
        break;
    case LE__FILE_NEWER:
        le__db_problem(db, LE__CAUSE_NEWER,
                       "%s was written by a newer version; it is only read and new "
                       "samples stay in memory",
                       db->path);
        break;
    case LE__FILE_FOREIGN:
        le__db_problem(db, LE__CAUSE_FOREIGN,
                       "%s is not a timings database; left alone, working from "
                       "memory",
                       db->path);
        break;
    case LE__FILE_FULL:
        le__db_problem(db, LE__CAUSE_FULL,
                       "%s cannot grow (disk full or file size limit); new samples "
                       "stay in memory until it can",
                       db->path);
        break;
    case LE__FILE_UNUSABLE:
        le__db_problem(db, LE__CAUSE_UNUSABLE, "%s: %s; working from memory", db->path, detail);
        break;
    default:
        break;
    }
}

void le__db_use_memory(le_db *db) {
    atomic_store(&db->in_memory, true);
}

void le__db_recover(le_db *db, le__db_connection *c) {
    char aside[4200];
    le__db_connection was = {.file = c->file};
    bool damaged = le__db_file_may_be_damaged(c);
    le__db_file_close(c);
    if (!damaged) {
        le__db_report_state(db, LE__FILE_FOREIGN, "");
        le__db_use_memory(db);
    } else if (db->frozen) {
        le__db_problem(db, LE__CAUSE_CORRUPT,
                       "%s is damaged; left as it is, nothing is read from it", db->path);
        le__db_use_memory(db);
    } else if (!le__db_file_set_aside(&was, db->file, aside, sizeof aside)) {
        le__db_problem(db, LE__CAUSE_CORRUPT,
                       "%s is damaged and cannot be renamed; working from memory", db->path);
        le__db_use_memory(db);
    } else if (aside[0]) {
        le__db_problem(db, LE__CAUSE_CORRUPT, "%s is damaged; set aside as %s, a new one is begun",
                       db->path, aside);
    }
}

/* States that will not change while the process runs. */
static bool is_final(le__db_file_state state) {
    return state == LE__FILE_READONLY || state == LE__FILE_NEWER || state == LE__FILE_FOREIGN ||
           state == LE__FILE_UNUSABLE;
}

le__db_file_state le__db_reader(le_db *db, int wait_ms) {
    if (strcmp(db->path, in_memory) == 0)
        return LE__FILE_MISSING;
    if (db->reader.sql)
        sqlite3_busy_timeout(db->reader.sql, wait_ms);
    if (db->reader.sql && le__db_file_same(&db->reader, db->file))
        return LE__FILE_OK;
    le__db_file_state state = le__db_file_state_of(le__db_file_leave(&db->reader));
    if (state == LE__FILE_BUSY || state == LE__FILE_FULL)
        return state;
    le__db_file_close(&db->reader);
    if (atomic_load(&db->in_memory) && !db->frozen)
        return LE__FILE_MISSING;
    state = le__db_file_open(&db->reader, db->file, db->vfs, db->frozen ? LE__FROZEN : LE__READ,
                             wait_ms);
    if (state == LE__FILE_CORRUPT) {
        le__db_recover(db, &db->reader);
        return LE__FILE_MISSING;
    }
    if (state != LE__FILE_OK && state != LE__FILE_MISSING &&
        !(db->frozen && state == LE__FILE_READONLY))
        le__db_report_state(db, state, "cannot be opened");
    if (is_final(state))
        le__db_use_memory(db);
    return db->reader.sql ? LE__FILE_OK : state;
}

le_db_status le__db_read_status(le_db *db, le__db_file_state state) {
    if (state == LE__FILE_BUSY)
        return LE_DB_BUSY;
    if (state == LE__FILE_OK)
        return LE_DB_OK;
    const bool given_up = atomic_load(&db->in_memory) && strcmp(db->path, in_memory) != 0;
    pthread_mutex_lock(&db->memory_lock);
    const bool in_its_place = db->memory.sql != NULL;
    pthread_mutex_unlock(&db->memory_lock);
    return (given_up || state != LE__FILE_MISSING) && !in_its_place ? LE_DB_BAD_FILE : LE_DB_OK;
}

static char *copy(const char *text) {
    return strdup(text ? text : "");
}

/* What this machine is made of, with the caller's parts in place of or beside it. */
static bool set_identities(le_db *db, const le_db_options *o) {
    le_db_part parts[LE__MAX_PARTS];
    char buffer[2048];
    size_t n = le_db_machine_parts(parts, LE__MAX_PARTS, buffer, sizeof buffer);
    for (size_t i = 0; i < o->n_machine && n < LE__MAX_PARTS; i++)
        parts[n++] = o->machine[i];
    return le__db_names_identity(&db->names, LE_DB_MACHINE, parts, n, &db->machine) &&
           le__db_names_identity(&db->names, LE_DB_BUILD, o->build, o->n_build, &db->build);
}

static bool set_options(le_db *db, const le_db_options *o) {
    char path[4096];
    le_db_default_path(o->path, path, sizeof path);
    db->path = copy(path);
    db->file = strcmp(path, in_memory) == 0 ? copy(path) : le__path_absolute(path);
    db->site_path = le__paths_absolute(o->site_path ? o->site_path : "");
    db->vfs = o->vfs ? copy(o->vfs) : NULL;
    db->frozen = o->frozen;
    db->log = o->log;
    db->log_cookie = o->log_cookie;
    db->read_timeout_ms = o->read_timeout_ms > 0 ? o->read_timeout_ms : 200;
    db->batch_ms = o->batch_ms > 0 ? o->batch_ms : 200;
    db->close_timeout_ms = o->close_timeout_ms > 0 ? o->close_timeout_ms : 2000;
    return db->path && db->file && db->site_path && (!o->vfs || db->vfs);
}

static void destroy(le_db *db) {
    le__db_file_close(&db->reader);
    le__db_connection_close(&db->memory);
    for (size_t i = 0; i < db->n_sites; i++)
        le__db_connection_close(&db->sites[i]);
    free(db->sites);
    le__db_names_free(&db->names);
    le__db_news_free(db);
    pthread_mutex_destroy(&db->news_lock);
    pthread_mutex_destroy(&db->names.lock);
    pthread_mutex_destroy(&db->reader_lock);
    pthread_mutex_destroy(&db->memory_lock);
    pthread_mutex_destroy(&db->site_lock);
    free(db->path);
    free(db->file);
    free(db->site_path);
    free(db->vfs);
    free(db);
}

static void start(le_db *db) {
    le__signals signals;
    if (strcmp(db->path, in_memory) == 0)
        le__db_use_memory(db);
    le__db_enter(&signals);
    le__db_reader(db, db->read_timeout_ms);
    le__db_leave(&signals);
    if (db->frozen)
        return;
    db->writer = le__db_writer_start(db);
    if (!db->writer) {
        le__db_problem(db, LE__CAUSE_THREAD,
                       "the writing thread cannot be started; nothing is stored");
        le__db_use_memory(db);
    }
}

le_db *le_db_open(const le_db_options *options) {
    static const le_db_options defaults = {0};
    const le_db_options *o = options ? options : &defaults;
    le_db *db = calloc(1, sizeof *db);
    if (!db)
        return NULL;
    pthread_mutex_init(&db->names.lock, NULL);
    pthread_mutex_init(&db->news_lock, NULL);
    pthread_mutex_init(&db->reader_lock, NULL);
    pthread_mutex_init(&db->memory_lock, NULL);
    pthread_mutex_init(&db->site_lock, NULL);
    if (!set_options(db, o) || !set_identities(db, o)) {
        destroy(db);
        return NULL;
    }
    start(db);
    return db;
}

void le_db_close(le_db **db) {
    le__signals signals;
    if (!db || !*db)
        return;
    le__db_writer_stop((*db)->writer);
    le__db_enter(&signals);
    destroy(*db);
    le__db_leave(&signals);
    *db = NULL;
}

const char *le_db_path(const le_db *db) {
    return !db || atomic_load(&db->in_memory) ? in_memory : db->path;
}

void le_db_uuid(le_db *db, char *buffer) {
    buffer[0] = 0;
    if (!db)
        return;
    le__signals signals;
    le__db_enter(&signals);
    pthread_mutex_lock(&db->reader_lock);
    if (le__db_reader(db, db->read_timeout_ms) == LE__FILE_OK)
        memcpy(buffer, db->reader.uuid, sizeof db->reader.uuid);
    pthread_mutex_unlock(&db->reader_lock);
    le__db_leave(&signals);
}

le__db_connection *le__db_begin_write(le_db *db, le__db_connection *local, le_db_status *status) {
    if (db->frozen) {
        *status = LE_DB_FROZEN;
        return NULL;
    }
    for (int i = 0; i < 2 && !atomic_load(&db->in_memory); i++) {
        le__db_file_state state = le__db_file_open(local, db->file, db->vfs, LE__WRITE, 5000);
        if (state == LE__FILE_OK)
            return local;
        if (state == LE__FILE_CORRUPT)
            le__db_recover(db, local);
        else
            le__db_report_state(db, state, "cannot be opened for writing");
        le__db_file_close(local);
        *status = state == LE__FILE_BUSY ? LE_DB_BUSY : LE_DB_IO;
        if (state != LE__FILE_CORRUPT)
            return NULL;
    }
    pthread_mutex_lock(&db->memory_lock);
    if (db->memory.sql || le__db_memory_open(&db->memory))
        return &db->memory;
    pthread_mutex_unlock(&db->memory_lock);
    *status = LE_DB_NO_MEMORY;
    return NULL;
}

void le__db_end_write(le_db *db, le__db_connection *c) {
    if (c == &db->memory)
        pthread_mutex_unlock(&db->memory_lock);
    else
        le__db_file_close(c);
}
