/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Collecting what is to be written and writing it in one transaction: see pending.h.
 */
#include "pending.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ROWS   512 /* some 4 KB each */
#define MAX_OTHERS 4096

static size_t hash(int64_t problem, int64_t candidate) {
    uint64_t h = ((uint64_t)problem ^ ((uint64_t)candidate << 1)) * 0x9e3779b97f4a7c15u;
    return (size_t)(h >> 20);
}

static size_t index_slot(const le__db_pending *p, int64_t problem, int64_t candidate) {
    size_t mask = p->index_capacity - 1, at = hash(problem, candidate) & mask;
    while (p->index[at] && (p->rows[p->index[at] - 1]->problem != problem ||
                            p->rows[p->index[at] - 1]->candidate != candidate))
        at = (at + 1) & mask;
    return at;
}

static bool make_room(le__db_pending *p) {
    if (!p->index) {
        p->index = calloc(2 * MAX_ROWS, sizeof *p->index);
        p->index_capacity = p->index ? 2 * MAX_ROWS : 0;
    }
    if (p->n_rows == p->rows_capacity) {
        size_t capacity = p->rows_capacity ? 2 * p->rows_capacity : 64;
        le__db_sample_row **rows = realloc(p->rows, capacity * sizeof *rows);
        if (!rows)
            return false;
        p->rows = rows;
        p->rows_capacity = capacity;
    }
    return p->index != NULL && p->n_rows < MAX_ROWS;
}

static bool add_sample(le__db_pending *p, const le_db *db, const le__db_item *item) {
    if (!make_room(p) && (!p->index || p->n_rows < MAX_ROWS))
        return false;
    size_t at = index_slot(p, item->problem, item->candidate);
    if (!p->index[at]) {
        le__db_sample_row *row = p->n_rows < MAX_ROWS ? malloc(sizeof *row) : NULL;
        if (!row)
            return false;
        memset(row, 0, sizeof *row);
        row->machine = db->machine;
        row->build = db->build;
        row->problem = item->problem;
        row->candidate = item->candidate;
        row->min_s = row->max_s = (double)NAN;
        p->rows[p->n_rows++] = row;
        p->index[at] = (uint32_t)p->n_rows;
    }
    le__db_row_add(p->rows[p->index[at] - 1], &item->value.sample, &p->random_state);
    return true;
}

static le_db_account *account_of(const le__db_pending *p, const char *operation) {
    for (size_t i = 0; i < p->n_others; i++) {
        le_db_account *a = p->others[i].value.row;
        if (p->others[i].type == LE__ITEM_ACCOUNT && !strcmp(a->operation, operation))
            return a;
    }
    return NULL;
}

/* Each call may have one: added up they leave room for what is not said twice. False: there is none
 * of the operation yet. */
static bool add_to_account(le__db_pending *p, le__db_item *item) {
    const le_db_account *more = item->value.row;
    le_db_account *a = account_of(p, more->operation);
    if (!a)
        return false;
    a->answered_s += more->answered_s;
    a->explored_s += more->explored_s;
    a->regret_s += more->regret_s;
    a->calls += more->calls;
    a->date_ms = more->date_ms > a->date_ms ? more->date_ms : a->date_ms;
    free(item->value.row);
    return true;
}

bool le__db_pending_add(le__db_pending *p, const le_db *db, le__db_item *item) {
    if (item->type == LE__ITEM_SAMPLE)
        return add_sample(p, db, item);
    if (item->type == LE__ITEM_ACCOUNT && add_to_account(p, item))
        return true;
    if (p->n_others == p->others_capacity) {
        size_t capacity = p->others_capacity ? 2 * p->others_capacity : 64;
        le__db_item *others =
            capacity <= MAX_OTHERS ? realloc(p->others, capacity * sizeof *others) : NULL;
        if (!others) {
            free(item->value.row);
            return false;
        }
        p->others = others;
        p->others_capacity = capacity;
    }
    p->others[p->n_others++] = *item;
    return true;
}

bool le__db_pending_full(const le__db_pending *p) {
    return p->n_rows >= MAX_ROWS - 1 || p->n_others >= MAX_OTHERS - 1;
}

bool le__db_pending_empty(const le__db_pending *p) {
    return p->n_rows == 0 && p->n_others == 0;
}

int64_t le__db_pending_samples(const le__db_pending *p) {
    int64_t n = 0;
    for (size_t i = 0; i < p->n_rows; i++)
        n += le__db_row_samples(p->rows[i]);
    return n;
}

void le__db_pending_clear(le__db_pending *p) {
    for (size_t i = 0; i < p->n_rows; i++)
        free(p->rows[i]);
    for (size_t i = 0; i < p->n_others; i++)
        free(p->others[i].value.row);
    p->n_rows = p->n_others = 0;
    if (p->index)
        memset(p->index, 0, p->index_capacity * sizeof *p->index);
}

void le__db_pending_free(le__db_pending *p) {
    le__db_pending_clear(p);
    free(p->rows);
    free(p->index);
    free(p->others);
    *p = (le__db_pending){0};
}

/* Writes a name, and those it refers to, unless that was done since the connection was opened. */
static int need_name(le_db *db, le__db_connection *c, int64_t id) {
    le__db_name *name = id ? le__db_names_find(&db->names, id) : NULL;
    if (name)
        name->written = true;
    if (!name || name->generation == c->generation)
        return SQLITE_OK;
    int rc = SQLITE_OK;
    if (name->type == LE__NAME_CANDIDATE)
        rc = need_name(db, c, name->device);
    if (rc == SQLITE_OK)
        rc = le__db_write_name(c, name, true);
    if (rc == SQLITE_OK)
        name->generation = c->generation;
    return rc;
}

static int need_names(le_db *db, le__db_connection *c, int64_t problem, int64_t candidate) {
    int rc = need_name(db, c, db->machine);
    if (rc == SQLITE_OK)
        rc = need_name(db, c, db->build);
    if (rc == SQLITE_OK)
        rc = need_name(db, c, problem);
    return rc != SQLITE_OK ? rc : need_name(db, c, candidate);
}

static int write_other(le_db *db, le__db_connection *c, const le__db_item *item) {
    int rc = need_names(db, c, item->problem, item->candidate);
    if (rc != SQLITE_OK)
        return rc;
    if (item->type == LE__ITEM_VERDICT)
        return le__db_add_verdict(c, item->value.row);
    if (item->type == LE__ITEM_CHOICE)
        return le__db_add_choice(c, item->value.row);
    return le__db_add_account(c, item->value.row);
}

static int write_row(le__db_pending *p, le_db *db, le__db_connection *c, le__db_sample_row *row) {
    int rc = need_names(db, c, row->problem, row->candidate);
    row->origin = c->origin;
    return rc != SQLITE_OK ? rc : le__db_add_samples(c, row, &p->random_state);
}

static bool goes_on(int rc) {
    return rc == SQLITE_OK || (rc & 0xff) == SQLITE_CONSTRAINT;
}

int le__db_pending_write(le__db_pending *p, le_db *db, le__db_connection *c) {
    p->refused = 0;
    int rc = le__db_step(le__db_statement_of(c, LE__ST_BEGIN));
    if (rc != SQLITE_OK)
        return rc;
    for (size_t i = 0; goes_on(rc) && i < p->n_rows; i++)
        if (((rc = write_row(p, db, c, p->rows[i])) & 0xff) == SQLITE_CONSTRAINT)
            p->refused += le__db_row_samples(p->rows[i]);
    for (size_t i = 0; goes_on(rc) && i < p->n_others; i++)
        rc = write_other(db, c, &p->others[i]);
    if (goes_on(rc))
        rc = le__db_step(le__db_statement_of(c, LE__ST_COMMIT));
    if (rc != SQLITE_OK) {
        if (!sqlite3_get_autocommit(c->sql))
            le__db_step(le__db_statement_of(c, LE__ST_ROLLBACK));
        c->generation = le__db_next_generation();
    }
    return rc;
}
