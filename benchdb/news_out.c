/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Handing out news: they pass through a database in memory, so that they have the form of an
 * export, which import reads.
 */
#include "news.h"


/* Names that are in no file yet may be needed by several rows: writing one again changes nothing.
 */
static int write_name(le_db *db, le__db_connection *c, int64_t id) {
    le__db_name *name = id ? le__db_names_find(&db->names, id) : NULL;
    int rc = SQLITE_OK;
    if (name && name->type == LE__NAME_CANDIDATE)
        rc = write_name(db, c, name->device);
    return name && rc == SQLITE_OK ? le__db_write_name(c, name, true) : rc;
}

static int write_names(le_db *db, le__db_connection *c, int64_t problem, int64_t candidate) {
    const int64_t ids[] = {db->machine, db->build, problem, candidate};
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < sizeof ids / sizeof *ids; i++)
        rc = write_name(db, c, ids[i]);
    return rc;
}

static int write_samples(le_db *db, le__db_connection *c, le__db_pending *p) {
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < p->n_rows; i++) {
        le__db_sample_row *row = p->rows[i];
        rc = write_names(db, c, row->problem, row->candidate);
        row->origin = c->origin;
        row->n_raw = 0; /* statistics tell enough */
        if (rc == SQLITE_OK)
            rc = le__db_add_samples(c, row, &p->random_state);
    }
    return rc;
}

static int write_verdicts(le_db *db, le__db_connection *c, const struct le__db_news *news) {
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && i < news->n_verdicts; i++) {
        const le__db_new_verdict *v = &news->verdicts[i];
        le_db_verdict row = v->row;
        row.size_class = v->size_class;
        row.reason = v->reason;
        row.machine = db->machine;
        row.build = db->build;
        row.date_ms = row.date_ms ? row.date_ms : le__db_now_ms();
        row.attempts = row.attempts > 0 ? row.attempts : 1;
        rc = write_names(db, c, 0, row.candidate);
        if (rc == SQLITE_OK)
            rc = le__db_hand_verdict(c, &row);
    }
    return rc;
}

static le_db_status write_news(le_db *db, struct le__db_news *news, le_db_news what, FILE *out) {
    le__db_connection c = {0};
    le__signals signals;
    le_db_status status = LE_DB_NO_MEMORY;
    le__db_enter(&signals);
    if (le__db_memory_open(&c)) {
        int rc = le__db_execute(&c, "BEGIN");
        if (rc == SQLITE_OK)
            rc = what == LE_DB_NEWS_SAMPLES ? write_samples(db, &c, &news->samples)
                                            : write_verdicts(db, &c, news);
        if (rc == SQLITE_OK)
            rc = le__db_execute(&c, "COMMIT");
        status = rc == SQLITE_OK ? le__db_export(&c, out) : LE_DB_IO;
    }
    le__db_connection_close(&c);
    le__db_leave(&signals);
    return status;
}

static bool any(const struct le__db_news *news, le_db_news what) {
    return what == LE_DB_NEWS_SAMPLES ? !le__db_pending_empty(&news->samples)
                                      : news->n_verdicts > 0;
}

le_db_status le_db_hand_out(le_db *db, le_db_news what, FILE *out) {
    le_db_status status = LE_DB_OK;
    if (!db)
        return LE_DB_FROZEN;
    pthread_mutex_lock(&db->news_lock);
    if (!db->news && !le__db_news_begin(db)) {
        status = LE_DB_NO_MEMORY;
    } else if (any(db->news, what)) {
        status = write_news(db, db->news, what, out);
        if (what == LE_DB_NEWS_SAMPLES)
            le__db_pending_clear(&db->news->samples);
        else
            db->news->n_verdicts = 0;
    }
    pthread_mutex_unlock(&db->news_lock);
    return status;
}
