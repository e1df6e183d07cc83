/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What processes that work together tell each other: what the database knows, what is new in it.
 */
#include "choose/dispatch.h"

#include "benchdb.h"

#include <stdio.h>
#include <stdlib.h>

static const double flush_s = 5;

static le_status status_of(le_db_status status, const char *what) {
    switch (status) {
    case LE_DB_OK:
    case LE_DB_FROZEN: /* nothing is kept then */
        return LE_OK;
    case LE_DB_NO_MEMORY:
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", what);
    default:
        return le_fail(LE_ERR_IO, "%s: the timings database cannot be used", what);
    }
}

static le_db_news kind_of(le_bench_news what) {
    return what == LE_BENCH_SAMPLES ? LE_DB_NEWS_SAMPLES : LE_DB_NEWS_VERDICTS;
}

le_status le__dispatch_hand_out(le__dispatch *d, le_bench_news what, char **text, size_t *size) {
    static const char name[] = "le_bench_hand_out";
    le_db *db = le__store_db(d->store);
    FILE *out = open_memstream(text, size);
    if (!out)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", name);
    if (what == LE_BENCH_ALL)
        le_db_flush(db, flush_s);
    le_db_status status =
        what == LE_BENCH_ALL ? le_db_export(db, out) : le_db_hand_out(db, kind_of(what), out);
    if (fclose(out) != 0)
        status = LE_DB_NO_MEMORY;
    if (status != LE_DB_OK) {
        free(*text);
        *text = NULL;
        *size = 0;
    }
    return status_of(status, name);
}

/* What has been loaded already hears of the verdicts, and who is ruled out by them answers no more.
 */
static void hear(le__dispatch *d) {
    pthread_mutex_lock(&d->mutex);
    for (size_t i = 0; i < d->n_states; i++) {
        le__op_state *s = d->states[i];
        if (!s)
            continue;
        pthread_mutex_lock(&s->mutex);
        if (s->loaded)
            s->unheard = !le__store_load_verdicts(d->store, s);
        pthread_mutex_unlock(&s->mutex);
    }
    pthread_mutex_unlock(&d->mutex);
    le__questions_forget(d->questions);
}

le_status le__dispatch_hand_in(le__dispatch *d, le_bench_news what, const char *text, size_t size) {
    le_db *db = le__store_db(d->store);
    le_db_import_options o = {.add = what != LE_BENCH_ALL};
    if (what == LE_BENCH_VERDICTS)
        le_db_flush(db, flush_s); /* of two verdicts the worse one stands: both have to be there */
    le_db_status status = le_db_import_text(db, text, size, &o, NULL);
    if (status == LE_DB_OK && what == LE_BENCH_VERDICTS)
        hear(d);
    return status_of(status, "le_bench_hand_in");
}
