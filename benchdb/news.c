/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Collecting news, in little memory.
 */
#include "news.h"
#include "utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 32, MOST_VERDICTS = 256 };

void le__db_news_free(le_db *db) {
    if (!db->news)
        return;
    le__db_pending_free(&db->news->samples);
    free(db->news->verdicts);
    free(db->news);
    db->news = NULL;
}

bool le__db_news_begin(le_db *db) {
    struct le__db_news *news = calloc(1, sizeof *news);
    if (news)
        news->verdicts = calloc(MOST_VERDICTS, sizeof *news->verdicts);
    if (!news || !news->verdicts) {
        free(news);
        return false;
    }
    db->news = news;
    return true;
}

/* ---------------------------------------------------------------------------- collecting ----- */

static bool is_there(const le__db_pending *p, int64_t problem, int64_t candidate) {
    for (size_t i = 0; i < p->n_rows; i++)
        if (p->rows[i]->problem == problem && p->rows[i]->candidate == candidate)
            return true;
    return false;
}

void le__db_news_samples(le_db *db, int64_t problem, int64_t candidate, const le_db_sample *samples,
                         size_t n, int64_t now) {
    pthread_mutex_lock(&db->news_lock);
    le__db_pending *p = db->news ? &db->news->samples : NULL;
    bool room = p && (p->n_rows < MOST_ROWS || is_there(p, problem, candidate));
    for (size_t i = 0; room && i < n; i++) {
        le__db_item item = {LE__ITEM_SAMPLE, problem, candidate, {.sample = samples[i]}};
        if (!(samples[i].seconds > 0 && isfinite(samples[i].seconds)))
            continue;
        if (item.value.sample.date_ms == 0)
            item.value.sample.date_ms = now;
        le__db_pending_add(p, db, &item);
    }
    pthread_mutex_unlock(&db->news_lock);
}

/* That a first run begins is of no use to others. */
void le__db_news_verdict(le_db *db, const le_db_verdict *from) {
    pthread_mutex_lock(&db->news_lock);
    struct le__db_news *news = from->state == LE_DB_UNPROVEN ? NULL : db->news;
    if (news && news->n_verdicts < MOST_VERDICTS) {
        le__db_new_verdict *v = &news->verdicts[news->n_verdicts++];
        v->row = *from;
        snprintf(v->size_class, sizeof v->size_class, "%s",
                 from->size_class ? from->size_class : "");
        le__utf8_put_line(v->reason, sizeof v->reason, "", from->reason ? from->reason : "");
    }
    pthread_mutex_unlock(&db->news_lock);
}

bool le__db_news_none(le_db *db) {
    if (pthread_mutex_trylock(&db->news_lock) != 0)
        return false;
    if (!db->news || (le__db_pending_empty(&db->news->samples) && db->news->n_verdicts == 0))
        return true;
    pthread_mutex_unlock(&db->news_lock);
    return false;
}

void le__db_news_let(le_db *db) {
    pthread_mutex_unlock(&db->news_lock);
}
