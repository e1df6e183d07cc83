/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Writing names, verdicts, choices and accounts into a file.
 */
#include "internal.h"

#include <string.h>

static void bind_text(sqlite3_stmt *st, int at, const char *text) {
    sqlite3_bind_text(st, at, text ? text : "", -1, SQLITE_STATIC);
}

static int finish(sqlite3_stmt *st) {
    int rc = le__db_step(st);
    if (st)
        sqlite3_clear_bindings(st);
    return rc;
}

/* For statements with RETURNING: *row tells whether a row was written. */
static int finish_returning(sqlite3_stmt *st, bool *row) {
    int rc = sqlite3_step(st);
    *row = rc == SQLITE_ROW;
    if (*row)
        rc = sqlite3_step(st);
    int reset = sqlite3_reset(st);
    sqlite3_clear_bindings(st);
    return rc == SQLITE_DONE ? SQLITE_OK : reset;
}

int le__db_put_origin(le__db_connection *c, int64_t id, const char *uuid) {
    sqlite3_stmt *st = le__db_statement_of(c, LE__ST_ORIGIN);
    if (!st)
        return sqlite3_errcode(c->sql);
    sqlite3_bind_int64(st, 1, id);
    bind_text(st, 2, uuid);
    return finish(st);
}

static int write_identity(le__db_connection *c, const le__db_name *name) {
    sqlite3_stmt *st = le__db_statement_of(c, LE__ST_IDENTITY);
    if (!st)
        return sqlite3_errcode(c->sql);
    sqlite3_bind_int64(st, 1, name->id);
    sqlite3_bind_int(st, 2, (int)name->kind);
    int rc = finish(st);
    for (size_t i = 0; rc == SQLITE_OK && i < name->n_parts; i++) {
        st = le__db_statement_of(c, LE__ST_PART);
        if (!st)
            return sqlite3_errcode(c->sql);
        sqlite3_bind_int64(st, 1, name->id);
        bind_text(st, 2, name->parts[i].name);
        bind_text(st, 3, name->parts[i].value);
        rc = finish(st);
    }
    return rc;
}

int le__db_write_name(le__db_connection *c, const le__db_name *name, bool replace) {
    if (name->type == LE__NAME_IDENTITY)
        return write_identity(c, name);
    bool problem = name->type == LE__NAME_PROBLEM;
    sqlite3_stmt *st = le__db_statement_of(c, !problem  ? LE__ST_CANDIDATE
                                              : replace ? LE__ST_PROBLEM
                                                        : LE__ST_PROBLEM_KEEP);
    if (!st)
        return sqlite3_errcode(c->sql);
    sqlite3_bind_int64(st, 1, name->id);
    bind_text(st, 2, name->texts[0]);
    bind_text(st, 3, name->texts[1]);
    if (problem) {
        sqlite3_bind_double(st, 4, name->work);
        sqlite3_bind_double(st, 5, name->bytes);
        return finish(st);
    }
    bind_text(st, 4, name->texts[2]);
    if (name->device != 0)
        sqlite3_bind_int64(st, 5, name->device);
    bind_text(st, 6, name->texts[3]);
    bind_text(st, 7, name->texts[4]);
    return finish(st);
}

void le__db_errors_encode(const double *errors, unsigned char *out) {
    for (int i = 0; i < LE_DB_ERRORS; i++) {
        uint64_t bits;
        memcpy(&bits, &errors[i], sizeof bits);
        for (int k = 0; k < 8; k++)
            *out++ = (unsigned char)(bits >> (8 * k));
    }
}

void le__db_errors_decode(const unsigned char *blob, double *errors) {
    for (int i = 0; i < LE_DB_ERRORS; i++) {
        uint64_t bits = 0;
        for (int k = 0; k < 8; k++)
            bits |= (uint64_t)*blob++ << (8 * k);
        memcpy(&errors[i], &bits, sizeof bits);
    }
}

static sqlite3_stmt *bind_verdict(le__db_connection *c, le__db_statement which,
                                  const le_db_verdict *v, unsigned char *blob) {
    sqlite3_stmt *st = le__db_statement_of(c, which);
    if (!st)
        return NULL;
    le__db_errors_encode(v->errors, blob);
    sqlite3_bind_int64(st, 1, v->machine);
    sqlite3_bind_int64(st, 2, v->build);
    sqlite3_bind_int64(st, 3, v->candidate);
    bind_text(st, 4, v->size_class);
    sqlite3_bind_int(st, 5, (int)v->state);
    sqlite3_bind_blob(st, 6, blob, 8 * LE_DB_ERRORS, SQLITE_STATIC);
    bind_text(st, 7, v->reason);
    sqlite3_bind_int64(st, 8, v->date_ms);
    sqlite3_bind_int64(st, 9, v->attempts);
    return st;
}

int le__db_add_verdict(le__db_connection *c, const le_db_verdict *v) {
    unsigned char blob[8 * LE_DB_ERRORS];
    sqlite3_stmt *st = bind_verdict(c, LE__ST_ADD_VERDICT, v, blob);
    return st ? finish(st) : sqlite3_errcode(c->sql);
}

int le__db_put_verdict(le__db_connection *c, const le_db_verdict *v, bool *stored) {
    unsigned char blob[8 * LE_DB_ERRORS];
    sqlite3_stmt *st = bind_verdict(c, LE__ST_PUT_VERDICT, v, blob);
    return st ? finish_returning(st, stored) : sqlite3_errcode(c->sql);
}

int le__db_hand_verdict(le__db_connection *c, const le_db_verdict *v) {
    unsigned char blob[8 * LE_DB_ERRORS];
    sqlite3_stmt *st = bind_verdict(c, LE__ST_HAND_VERDICT, v, blob);
    return st ? finish(st) : sqlite3_errcode(c->sql);
}

static sqlite3_stmt *bind_choice(le__db_connection *c, le__db_statement which,
                                 const le_db_choice *v) {
    sqlite3_stmt *st = le__db_statement_of(c, which);
    if (!st)
        return NULL;
    sqlite3_bind_int64(st, 1, v->machine);
    sqlite3_bind_int64(st, 2, v->build);
    sqlite3_bind_int64(st, 3, v->problem);
    bind_text(st, 4, v->constraint);
    bind_text(st, 5, v->objective);
    sqlite3_bind_int64(st, 6, v->candidate);
    bind_text(st, 7, v->evidence);
    sqlite3_bind_int64(st, 8, v->date_ms);
    return st;
}

static int drop_choice(le__db_connection *c, const le_db_choice *v) {
    sqlite3_stmt *st = le__db_statement_of(c, LE__ST_DROP_CHOICE);
    if (!st)
        return sqlite3_errcode(c->sql);
    sqlite3_bind_int64(st, 1, v->machine);
    sqlite3_bind_int64(st, 2, v->problem);
    bind_text(st, 3, v->constraint);
    bind_text(st, 4, v->objective);
    return finish(st);
}

int le__db_add_choice(le__db_connection *c, const le_db_choice *v) {
    if (v->candidate == 0)
        return drop_choice(c, v);
    sqlite3_stmt *st = bind_choice(c, LE__ST_ADD_CHOICE, v);
    return st ? finish(st) : sqlite3_errcode(c->sql);
}

int le__db_put_choice(le__db_connection *c, const le_db_choice *v, bool *stored) {
    sqlite3_stmt *st = bind_choice(c, LE__ST_PUT_CHOICE, v);
    return st ? finish_returning(st, stored) : sqlite3_errcode(c->sql);
}

static sqlite3_stmt *bind_account(le__db_connection *c, le__db_statement which, int64_t origin,
                                  const le_db_account *a) {
    sqlite3_stmt *st = le__db_statement_of(c, which);
    if (!st)
        return NULL;
    sqlite3_bind_int64(st, 1, origin);
    sqlite3_bind_int64(st, 2, a->machine);
    sqlite3_bind_int64(st, 3, a->build);
    bind_text(st, 4, a->operation);
    sqlite3_bind_double(st, 5, a->answered_s);
    sqlite3_bind_double(st, 6, a->explored_s);
    sqlite3_bind_double(st, 7, a->regret_s);
    sqlite3_bind_int64(st, 8, a->calls);
    sqlite3_bind_int64(st, 9, a->date_ms);
    return st;
}

int le__db_add_account(le__db_connection *c, const le_db_account *a) {
    sqlite3_stmt *st = bind_account(c, LE__ST_ADD_ACCOUNT, c->origin, a);
    return st ? finish(st) : sqlite3_errcode(c->sql);
}

int le__db_put_account(le__db_connection *c, int64_t origin, const le_db_account *a, bool *stored) {
    sqlite3_stmt *st = bind_account(c, LE__ST_PUT_ACCOUNT, origin, a);
    return st ? finish_returning(st, stored) : sqlite3_errcode(c->sql);
}
