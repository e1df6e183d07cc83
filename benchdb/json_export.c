/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Export: one JSON object, each row on a line of its own. Ids are decimal text, because JSON
 * numbers hold 53 bits; docs/database.md has the schema.
 */
#include "internal.h"
#include "numbers.h"
#include "outfile.h"
#include "utf8.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct exporter {
    le__db_connection *c;
    FILE *out;
    sqlite3_stmt *extra; /* parts of an identity, raw samples of a row */
    bool first, failed;
    int error; /* errno of the first failure */
} exporter;

typedef void (*fill_fn)(exporter *e, cJSON *row, sqlite3_stmt *st);

static void add_id(cJSON *row, const char *name, int64_t id) {
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)id);
    cJSON_AddStringToObject(row, name, text);
}

static void add_int(cJSON *row, const char *name, int64_t value) {
    cJSON_AddNumberToObject(row, name, (double)value);
}

static void add_text(cJSON *row, const char *name, sqlite3_stmt *st, int column) {
    const char *text = (const char *)sqlite3_column_text(st, column);
    char *line = strdup(text ? text : "");
    if (line) /* earlier versions cut texts anywhere */
        le__utf8_make_line(line);
    cJSON_AddStringToObject(row, name, line ? line : "");
    free(line);
}

static void on_identity(exporter *e, cJSON *row, sqlite3_stmt *st) {
    int kind = sqlite3_column_int(st, 1);
    add_id(row, "id", sqlite3_column_int64(st, 0));
    cJSON_AddStringToObject(row, "kind", le__db_kind_names[kind >= 1 && kind <= 3 ? kind : 0]);
    cJSON *parts = cJSON_AddObjectToObject(row, "parts");
    sqlite3_bind_int64(e->extra, 1, sqlite3_column_int64(st, 0));
    while (parts && sqlite3_step(e->extra) == SQLITE_ROW)
        add_text(parts, (const char *)sqlite3_column_text(e->extra, 0), e->extra, 1);
    sqlite3_reset(e->extra);
}

static void on_problem(exporter *e, cJSON *row, sqlite3_stmt *st) {
    (void)e;
    add_id(row, "id", sqlite3_column_int64(st, 0));
    add_text(row, "operation", st, 1);
    add_text(row, "key", st, 2);
    cJSON_AddNumberToObject(row, "work", sqlite3_column_double(st, 3));
    cJSON_AddNumberToObject(row, "bytes", sqlite3_column_double(st, 4));
}

static void on_candidate(exporter *e, cJSON *row, sqlite3_stmt *st) {
    (void)e;
    add_id(row, "id", sqlite3_column_int64(st, 0));
    add_text(row, "operation", st, 1);
    add_text(row, "implementation", st, 2);
    add_text(row, "run_type", st, 3);
    if (sqlite3_column_type(st, 4) == SQLITE_NULL)
        cJSON_AddNullToObject(row, "device");
    else
        add_id(row, "device", sqlite3_column_int64(st, 4));
    add_text(row, "params", st, 5);
    add_text(row, "source_hash", st, 6);
}

static void add_moments(cJSON *row, const char *name, const le_moments *m) {
    cJSON *o = cJSON_AddObjectToObject(row, name);
    add_int(o, "n", m->n);
    cJSON_AddNumberToObject(o, "mean_log_s", m->mean);
    cJSON_AddNumberToObject(o, "m2_log_s", m->m2);
}

/* Only where there are any: earlier versions do not know of them. */
static void add_stopped(cJSON *row, const char *name, const le_db_stopped *s) {
    cJSON *o = s->n ? cJSON_AddObjectToObject(row, name) : NULL;
    if (o) {
        add_int(o, "n", s->n);
        cJSON_AddNumberToObject(o, "most_s", s->most_s);
    }
}

static void add_raw(cJSON *list, const le_db_sample *s) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddItemToArray(list, o);
    add_int(o, "date_ms", s->date_ms);
    cJSON_AddNumberToObject(o, "seconds", s->seconds);
    cJSON_AddNumberToObject(o, "setup_s", s->setup_s);
    cJSON_AddNumberToObject(o, "kernel_s", s->kernel_s);
    cJSON_AddNumberToObject(o, "transfer_s", s->transfer_s);
    cJSON_AddNumberToObject(o, "cpu_s", s->cpu_s);
    add_int(o, "peak_bytes", s->peak_bytes);
    cJSON_AddNumberToObject(o, "load", (double)s->load);
    cJSON_AddNumberToObject(o, "steal", (double)s->steal);
    cJSON_AddNumberToObject(o, "throttled", (double)s->throttled);
    cJSON_AddNumberToObject(o, "pressure", (double)s->pressure);
    add_int(o, "flags", s->flags);
}

static void add_all_raw(exporter *e, cJSON *row, int64_t id) {
    le_db_sample raw;
    cJSON *list = cJSON_AddArrayToObject(row, "raw");
    sqlite3_bind_int64(e->extra, 1, id);
    while (list && sqlite3_step(e->extra) == SQLITE_ROW)
        if (le__db_read_raw(e->extra, 0, &raw))
            add_raw(list, &raw);
    sqlite3_reset(e->extra);
}

static void on_samples(exporter *e, cJSON *row, sqlite3_stmt *st) {
    le__db_sample_row r;
    if (!le__db_read_samples(st, 2, &r)) /* an impossible row: import would refuse it */
        return;
    add_id(row, "machine", r.machine);
    add_id(row, "build", r.build);
    add_id(row, "problem", r.problem);
    add_id(row, "candidate", r.candidate);
    add_text(row, "origin", st, 1);
    add_int(row, "date_ms", r.last_ms);
    add_int(row, "first_ms", r.first_ms);
    add_moments(row, "clean", &r.clean);
    add_moments(row, "contended", &r.contended);
    add_moments(row, "cold", &r.cold);
    add_stopped(row, "stopped", &r.stopped);
    add_stopped(row, "stopped_cold", &r.stopped_cold);
    cJSON_AddNumberToObject(row, "min_s", r.min_s); /* NaN becomes null */
    cJSON_AddNumberToObject(row, "max_s", r.max_s);
    cJSON_AddNumberToObject(row, "cpu_s", r.cpu_s);
    add_int(row, "cpu_n", r.cpu_n);
    cJSON_AddNumberToObject(row, "setup_s", r.setup_s);
    add_int(row, "peak_bytes", r.peak_bytes);
    cJSON *sketch = cJSON_AddArrayToObject(row, "sketch");
    for (size_t i = 0; sketch && i < r.sketch.count; i++) {
        cJSON_AddItemToArray(sketch, cJSON_CreateNumber(r.sketch.bin[i]));
        cJSON_AddItemToArray(sketch, cJSON_CreateNumber(r.sketch.n[i]));
    }
    add_all_raw(e, row, sqlite3_column_int64(st, 0));
}

static cJSON *error_number(double x) {
    return isinf(x) ? cJSON_CreateString("inf") : cJSON_CreateNumber(x); /* NaN becomes null */
}

static void on_verdict(exporter *e, cJSON *row, sqlite3_stmt *st) {
    double errors[LE_DB_ERRORS];
    int state = sqlite3_column_int(st, 4);
    (void)e;
    if (sqlite3_column_bytes(st, 5) != 8 * LE_DB_ERRORS || state < 0 || state > 3)
        return;
    le__db_errors_decode(sqlite3_column_blob(st, 5), errors);
    add_id(row, "machine", sqlite3_column_int64(st, 0));
    add_id(row, "build", sqlite3_column_int64(st, 1));
    add_id(row, "candidate", sqlite3_column_int64(st, 2));
    add_int(row, "date_ms", sqlite3_column_int64(st, 7));
    add_text(row, "size_class", st, 3);
    cJSON_AddStringToObject(row, "state", le_db_state_names[state]);
    cJSON *list = cJSON_AddArrayToObject(row, "errors");
    for (int i = 0; list && i < LE_DB_ERRORS; i++)
        cJSON_AddItemToArray(list, error_number(errors[i]));
    add_text(row, "reason", st, 6);
    add_int(row, "attempts", sqlite3_column_int64(st, 8));
}

static void on_choice(exporter *e, cJSON *row, sqlite3_stmt *st) {
    (void)e;
    const char *evidence = (const char *)sqlite3_column_text(st, 6);
    cJSON *parsed =
        evidence && evidence[0] ? le__json_parse(evidence, strlen(evidence) + 1, NULL) : NULL;
    add_id(row, "machine", sqlite3_column_int64(st, 0));
    add_id(row, "build", sqlite3_column_int64(st, 1));
    add_id(row, "problem", sqlite3_column_int64(st, 2));
    add_id(row, "candidate", sqlite3_column_int64(st, 5));
    add_int(row, "date_ms", sqlite3_column_int64(st, 7));
    add_text(row, "constraint", st, 3);
    add_text(row, "objective", st, 4);
    le__json_add(row, "evidence", parsed);
}

static void on_account(exporter *e, cJSON *row, sqlite3_stmt *st) {
    (void)e;
    add_id(row, "machine", sqlite3_column_int64(st, 1));
    add_id(row, "build", sqlite3_column_int64(st, 2));
    add_text(row, "origin", st, 0);
    add_int(row, "date_ms", sqlite3_column_int64(st, 8));
    add_text(row, "operation", st, 3);
    cJSON_AddNumberToObject(row, "answered_s", sqlite3_column_double(st, 4));
    cJSON_AddNumberToObject(row, "explored_s", sqlite3_column_double(st, 5));
    cJSON_AddNumberToObject(row, "regret_s", sqlite3_column_double(st, 6));
    add_int(row, "calls", sqlite3_column_int64(st, 7));
}

static const struct {
    const char *section, *sql, *extra;
    fill_fn fill;
} sections[] = {
    {"identities", "SELECT id, kind FROM identities ORDER BY id",
     "SELECT name, value FROM parts WHERE identity = ?1 ORDER BY name", on_identity},
    {"problems", "SELECT id, operation, key, work, bytes FROM problems ORDER BY operation, key",
     NULL, on_problem},
    {"candidates",
     "SELECT id, operation, implementation, run_type, device, params, source_hash FROM candidates "
     "ORDER BY operation, implementation, params, id",
     NULL, on_candidate},
    {"samples",
     "SELECT s.id, o.uuid, " LE__SAMPLE_COLUMNS " FROM samples s JOIN origins o ON o.id = s.origin "
     "ORDER BY s.problem, s.candidate, s.machine, s.build, s.origin",
     "SELECT " LE__RAW_COLUMNS " FROM raw_samples r WHERE r.samples = ?1 ORDER BY r.slot",
     on_samples},
    {"verdicts",
     "SELECT machine, build, candidate, size_class, state, errors, reason, date_ms, attempts "
     "FROM verdicts ORDER BY candidate, machine, size_class",
     NULL, on_verdict},
    {"choices",
     "SELECT machine, build, problem, constraint_text, objective, candidate, evidence, date_ms "
     "FROM choices ORDER BY problem, machine, constraint_text, objective",
     NULL, on_choice},
    {"accounts",
     "SELECT o.uuid, a.machine, a.build, a.operation, a.answered_s, a.explored_s, a.regret_s, "
     "a.calls, a.date_ms FROM accounts a JOIN origins o ON o.id = a.origin "
     "ORDER BY a.operation, a.machine, a.build, a.origin",
     NULL, on_account},
};

static void write_row(exporter *e, fill_fn fill, sqlite3_stmt *st) {
    cJSON *row = cJSON_CreateObject();
    if (row)
        fill(e, row, st);
    if (row && !row->child) {
        cJSON_Delete(row);
        return;
    }
    char *text = row ? le__json_print(row, 0) : NULL;
    cJSON_Delete(row);
    if (!text || fprintf(e->out, "%s\n%s", e->first ? "" : ",", text) < 0) {
        e->error = e->failed ? e->error : errno;
        e->failed = true;
    }
    e->first = false;
    cJSON_free(text);
}

static int write_section(exporter *e, size_t i) {
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(e->c->sql, sections[i].sql, -1, &st, NULL);
    e->extra = NULL;
    if (rc == SQLITE_OK && sections[i].extra)
        rc = sqlite3_prepare_v2(e->c->sql, sections[i].extra, -1, &e->extra, NULL);
    e->first = true;
    fprintf(e->out, ",\n\"%s\":[", sections[i].section);
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(st);
        if (rc == SQLITE_ROW)
            write_row(e, sections[i].fill, st);
    }
    fprintf(e->out, "]");
    sqlite3_finalize(st);
    sqlite3_finalize(e->extra);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

le_db_status le__db_export(le__db_connection *c, FILE *out) {
    exporter e = {.c = c, .out = out};
    int rc = le__db_execute(c, "BEGIN");
    if (rc != SQLITE_OK)
        return le__db_file_state_of(rc) == LE__FILE_BUSY ? LE_DB_BUSY : LE_DB_BAD_FILE;
    fprintf(out,
            "{\"schema\":1,\n\"format\":\"" LE__EXPORT_FORMAT "\",\n\"database\":\"%s\",\n"
            "\"date_ms\":%lld",
            c->uuid, (long long)le__db_now_ms());
    for (size_t i = 0; rc == SQLITE_OK && i < sizeof sections / sizeof *sections; i++)
        rc = write_section(&e, i);
    fprintf(out, "\n}\n");
    le__db_end(c);
    if (rc != SQLITE_OK)
        return le__db_file_state_of(rc) == LE__FILE_BUSY ? LE_DB_BUSY : LE_DB_IO;
    if (!e.failed && fflush(out) == 0 && !ferror(out))
        return LE_DB_OK;
    errno = e.error ? e.error : errno;
    return LE_DB_IO;
}

le_db_status le_db_export(le_db *db, FILE *out) {
    le__signals signals;
    le_db_status status = LE_DB_NO_MEMORY;
    if (!db)
        return LE_DB_IO;
    le__db_enter(&signals);
    pthread_mutex_lock(&db->reader_lock);
    le__db_file_state state = le__db_reader(db, db->read_timeout_ms);
    if (state == LE__FILE_OK)
        status = le__db_export(&db->reader, out);
    pthread_mutex_unlock(&db->reader_lock);
    if (state != LE__FILE_OK)
        status = le__db_read_status(db, state);
    if (state != LE__FILE_OK && status == LE_DB_OK) {
        status = LE_DB_NO_MEMORY;
        pthread_mutex_lock(&db->memory_lock);
        if (db->memory.sql || le__db_memory_open(&db->memory))
            status = le__db_export(&db->memory, out);
        pthread_mutex_unlock(&db->memory_lock);
    }
    le__db_leave(&signals);
    return status;
}

/* A failure leaves its reason in errno: of what failed first, not of what came after it. */
static le_db_status export_to(le_db *db, le__outfile *f, int *error) {
    int fd = dup(f->fd);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out) {
        *error = errno;
        if (fd >= 0)
            close(fd);
        return LE_DB_IO;
    }
    errno = 0;
    le_db_status status = le_db_export(db, out);
    if (status == LE_DB_OK && (fflush(out) != 0 || ferror(out)))
        status = LE_DB_IO;
    *error = errno;
    fclose(out);
    return status;
}

le_db_status le_db_export_file(le_db *db, const char *path) {
    le__outfile f;
    le_db_status status = db ? le_db_file_role(db->file, db->site_path, path) : LE_DB_OK;
    if (status != LE_DB_OK)
        return status;
    int error = le__outfile_open(&f, path, false);
    status = error ? LE_DB_IO : export_to(db, &f, &error);
    if (status == LE_DB_OK) {
        error = le__outfile_commit(&f);
        status = error ? LE_DB_IO : LE_DB_OK;
    } else if (f.fd >= 0) {
        le__outfile_abandon(&f);
    }
    errno = error;
    return status;
}
