/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Loading: rows of the own file, of memory and of the site databases become plain arrays, with
 * origins added up.
 */
#include "grade.h"
#include "utf8.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

typedef struct chunk {
    struct chunk *next;
    size_t used, size;
} chunk;

typedef struct builder {
    le_db_knowledge k; /* first: what is handed out */
    le__db_rows rows;
    le__db_map problem_at, candidate_at;
    le__db_map sums;     /* (problem, candidate, machine, build, site) -> samples */
    le__db_map read;     /* the same with origin: read already */
    le__db_map raw_rows; /* row number of the file -> samples, of one connection */
    le__db_map singles;  /* verdicts and choices read already */
    chunk *chunks;
    le_db *db;
    const char *operation;
    int64_t problem; /* 0: all */
    unsigned flags;
    bool site, no_memory;
} builder;

static void *get_memory(builder *b, size_t size) {
    size = (size + 15) & ~(size_t)15;
    if (!b->chunks || b->chunks->size - b->chunks->used < size) {
        size_t room = size > 65536 ? size : 65536;
        chunk *c = malloc(sizeof *c + 16 + room);
        if (!c) {
            b->no_memory = true;
            return NULL;
        }
        *c = (chunk){.next = b->chunks, .size = room};
        b->chunks = c;
    }
    char *base = (char *)(b->chunks + 1);
    base += (16 - (uintptr_t)base % 16) % 16;
    void *p = base + b->chunks->used;
    b->chunks->used += size;
    return p;
}

/* As one line, for it is shown on terminals: the file may be anybody's. */
static const char *get_text(builder *b, sqlite3_stmt *st, int column) {
    const char *text = (const char *)sqlite3_column_text(st, column);
    if (!text || !text[0])
        return "";
    size_t len = strlen(text) + 1;
    char *copy = get_memory(b, len);
    if (!copy)
        return "";
    le__utf8_make_line(memcpy(copy, text, len));
    return copy;
}

static bool keep(builder *b, const void *item, bool added) {
    if (!item || !added)
        b->no_memory = true;
    return item && added;
}

/* --- queries --- */

typedef void (*row_fn)(builder *b, sqlite3_stmt *st);

/* Runs a query whose ?1 is the operation or NULL, ?2 how many problems it may speak of, the newest,
 * or 0 for all, and ?3 the only one, or 0. */
static int each(builder *b, le__db_connection *c, const char *sql, row_fn row) {
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(c->sql, sql, -1, &st, NULL);
    if (rc == SQLITE_OK && b->operation && sqlite3_bind_parameter_count(st) > 0)
        rc = sqlite3_bind_text(st, 1, b->operation, -1, SQLITE_STATIC);
    int parameters = rc == SQLITE_OK ? sqlite3_bind_parameter_count(st) : 0;
    if (parameters > 1)
        rc = sqlite3_bind_int(st, 2, b->flags & LE_DB_LOAD_RECENT ? LE_DB_RECENT : 0);
    if (rc == SQLITE_OK && parameters > 2)
        rc = sqlite3_bind_int64(st, 3, b->problem);
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = b->no_memory ? SQLITE_NOMEM : sqlite3_step(st);
        if (rc == SQLITE_ROW)
            row(b, st);
    }
    sqlite3_finalize(st);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static void on_identity(builder *b, sqlite3_stmt *st) {
    uint32_t at;
    int64_t id = sqlite3_column_int64(st, 0);
    if (id == 0 || le__db_map_find(&b->rows.identity_at, id, &at))
        return;
    le_db_identity *identity = le__db_push(&b->rows.identities, sizeof *identity);
    if (!keep(b, identity,
              le__db_map_add(&b->rows.identity_at, id, (uint32_t)b->rows.identities.n - 1)))
        return;
    identity->id = id;
    identity->kind = (le_db_kind)sqlite3_column_int(st, 1);
}

/* Parts come sorted by identity and name, and are only looked at for identities of this file. */
static void on_part(builder *b, sqlite3_stmt *st) {
    uint32_t at;
    if (!le__db_map_find(&b->rows.identity_at, sqlite3_column_int64(st, 0), &at))
        return;
    le_db_identity *identity = (le_db_identity *)b->rows.identities.data + at;
    le_db_part *parts = (le_db_part *)(uintptr_t)identity->parts;
    const char *name = (const char *)sqlite3_column_text(st, 1);
    if (!name || identity->n_parts >= LE__MAX_PARTS ||
        (identity->n_parts > 0 && strcmp(parts[identity->n_parts - 1].name, name) >= 0))
        return; /* known from another file */
    if (!parts && !(parts = get_memory(b, LE__MAX_PARTS * sizeof *parts)))
        return;
    identity->parts = parts;
    parts[identity->n_parts].name = get_text(b, st, 1);
    parts[identity->n_parts++].value = get_text(b, st, 2);
}

static void on_problem(builder *b, sqlite3_stmt *st) {
    uint32_t at;
    int64_t id = sqlite3_column_int64(st, 0);
    if (id == 0 || le__db_map_find(&b->problem_at, id, &at))
        return;
    le_db_known_problem *p = le__db_push(&b->rows.problems, sizeof *p);
    if (!keep(b, p, le__db_map_add(&b->problem_at, id, (uint32_t)b->rows.problems.n - 1)))
        return;
    p->id = id;
    p->operation = get_text(b, st, 1);
    p->key = get_text(b, st, 2);
    p->work = sqlite3_column_double(st, 3);
    p->bytes = sqlite3_column_double(st, 4);
}

static void on_candidate(builder *b, sqlite3_stmt *st) {
    uint32_t at;
    int64_t id = sqlite3_column_int64(st, 0);
    if (id == 0 || le__db_map_find(&b->candidate_at, id, &at))
        return;
    le_db_known_candidate *c = le__db_push(&b->rows.candidates, sizeof *c);
    if (!keep(b, c, le__db_map_add(&b->candidate_at, id, (uint32_t)b->rows.candidates.n - 1)))
        return;
    c->id = id;
    c->operation = get_text(b, st, 1);
    c->implementation = get_text(b, st, 2);
    c->run_type = get_text(b, st, 3);
    c->device = sqlite3_column_int64(st, 4);
    c->params = get_text(b, st, 5);
    c->source_hash = get_text(b, st, 6);
}

static int64_t mix(const int64_t *ids, size_t n) {
    uint64_t h = XXH3_64bits(ids, n * sizeof *ids);
    return h == 0 ? 1 : (int64_t)h;
}

static bool skipped_here(const builder *b, int64_t machine) {
    return (b->flags & LE_DB_LOAD_HERE) && (le__db_differs(&b->rows, machine) & LE_DIFF_HOST);
}

static void add_row(le_db_known_samples *s, const le__db_sample_row *r) {
    bool first = s->first_ms == 0 && s->last_ms == 0;
    le_moments_merge(&s->clean, &r->clean);
    le_moments_merge(&s->contended, &r->contended);
    le_moments_merge(&s->cold, &r->cold);
    le__db_stopped_merge(&s->stopped, &r->stopped);
    le__db_stopped_merge(&s->stopped_cold, &r->stopped_cold);
    s->min_s = fmin(s->min_s, r->min_s);
    s->max_s = fmax(s->max_s, r->max_s);
    s->cpu_s += r->cpu_s;
    s->cpu_n += r->cpu_n;
    s->setup_s = fmax(s->setup_s, r->setup_s);
    s->peak_bytes = s->peak_bytes > r->peak_bytes ? s->peak_bytes : r->peak_bytes;
    s->first_ms = first || r->first_ms < s->first_ms ? r->first_ms : s->first_ms;
    s->last_ms = first || r->last_ms > s->last_ms ? r->last_ms : s->last_ms;
    le_sketch_merge(&s->sketch, &r->sketch);
}

static le_db_known_samples *sum_of(builder *b, const le__db_sample_row *r, uint32_t problem,
                                   uint32_t candidate, uint32_t *index) {
    int64_t ids[5] = {r->problem, r->candidate, r->machine, r->build, b->site};
    if (!le__db_map_find(&b->sums, mix(ids, 5), index)) {
        le_db_known_samples *s = le__db_push(&b->rows.samples, sizeof *s);
        *index = (uint32_t)b->rows.samples.n - 1;
        if (!keep(b, s, le__db_map_add(&b->sums, mix(ids, 5), *index)))
            return NULL;
        s->problem_index = problem;
        s->candidate_index = candidate;
        s->machine = r->machine;
        s->build = r->build;
        s->site = b->site;
        s->min_s = s->max_s = (double)NAN;
    }
    return (le_db_known_samples *)b->rows.samples.data + *index;
}

static void on_samples(builder *b, sqlite3_stmt *st) {
    le__db_sample_row r;
    uint32_t problem, candidate, index;
    if (!le__db_read_samples(st, 1, &r))
        return;
    int64_t ids[5] = {r.problem, r.candidate, r.machine, r.build, r.origin};
    if (!le__db_map_find(&b->problem_at, r.problem, &problem) ||
        !le__db_map_find(&b->candidate_at, r.candidate, &candidate) || skipped_here(b, r.machine) ||
        le__db_map_find(&b->read, mix(ids, 5), &index))
        return;
    le_db_known_samples *s = sum_of(b, &r, problem, candidate, &index);
    if (!s || !keep(b, s, le__db_map_add(&b->read, mix(ids, 5), index)))
        return;
    add_row(s, &r);
    int64_t row = sqlite3_column_int64(st, 0);
    if ((b->flags & LE_DB_LOAD_RAW) && row != 0)
        keep(b, s, le__db_map_add(&b->raw_rows, row, index));
}

/* Raw samples of one row follow each other; of several origins they are put together. */
static void on_raw(builder *b, sqlite3_stmt *st) {
    uint32_t index;
    le_db_sample sample;
    if (!le__db_map_find(&b->raw_rows, sqlite3_column_int64(st, 0), &index) ||
        !le__db_read_raw(st, 1, &sample))
        return;
    le_db_known_samples *s = (le_db_known_samples *)b->rows.samples.data + index;
    if (s->n_raw % LE_DB_RAW == 0) {
        le_db_sample *raw = get_memory(b, (s->n_raw + LE_DB_RAW) * sizeof *raw);
        if (!raw)
            return;
        if (s->n_raw)
            memcpy(raw, s->raw, s->n_raw * sizeof *raw);
        s->raw = raw;
    }
    ((le_db_sample *)(uintptr_t)s->raw)[s->n_raw++] = sample;
}

/* Of a row in the file and one in memory, where new ones go when the file cannot be written, the
 * newer one stands; a site's stands for none of both. */
static bool is_newer(const builder *b, sqlite3_stmt *st, int64_t than_ms) {
    enum { DATE = 7 }; /* column of verdicts and of choices */
    return !b->site && sqlite3_column_int64(st, DATE) >= than_ms;
}

/* The one row of that key, which may be known; NULL when there is no memory. */
static void *single_row(builder *b, le__db_vector *rows, size_t size, int64_t key, bool *known) {
    uint32_t at;
    *known = le__db_map_find(&b->singles, key, &at);
    if (*known)
        return (char *)rows->data + at * size;
    void *row = le__db_push(rows, size);
    return keep(b, row, le__db_map_add(&b->singles, key, (uint32_t)rows->n - 1)) ? row : NULL;
}

static void on_verdict(builder *b, sqlite3_stmt *st) {
    uint32_t candidate;
    int64_t machine = sqlite3_column_int64(st, 0), id = sqlite3_column_int64(st, 2);
    const char *size_class = get_text(b, st, 3);
    int64_t key[4] = {machine, id, le__db_text_id(size_class), 1};
    if (!le__db_map_find(&b->candidate_at, id, &candidate) || skipped_here(b, machine) ||
        sqlite3_column_bytes(st, 5) != 8 * LE_DB_ERRORS)
        return;
    bool known;
    le_db_verdict *v = single_row(b, &b->rows.verdicts, sizeof *v, mix(key, 4), &known);
    if (!v || (known && !is_newer(b, st, v->date_ms)))
        return;
    v->machine = machine;
    v->build = sqlite3_column_int64(st, 1);
    v->candidate = id;
    v->candidate_index = candidate;
    v->size_class = size_class;
    v->state = (le_db_state)sqlite3_column_int(st, 4);
    le__db_errors_decode(sqlite3_column_blob(st, 5), v->errors);
    v->reason = get_text(b, st, 6);
    v->date_ms = sqlite3_column_int64(st, 7);
    v->attempts = sqlite3_column_int64(st, 8);
}

static void on_choice(builder *b, sqlite3_stmt *st) {
    uint32_t problem, candidate;
    int64_t machine = sqlite3_column_int64(st, 0), id = sqlite3_column_int64(st, 2);
    const char *constraint = get_text(b, st, 3), *objective = get_text(b, st, 4);
    int64_t key[5] = {machine, id, le__db_text_id(constraint), le__db_text_id(objective), 2};
    if (!le__db_map_find(&b->problem_at, id, &problem) ||
        !le__db_map_find(&b->candidate_at, sqlite3_column_int64(st, 5), &candidate) ||
        skipped_here(b, machine))
        return;
    bool known;
    le_db_choice *v = single_row(b, &b->rows.choices, sizeof *v, mix(key, 5), &known);
    if (!v || (known && !is_newer(b, st, v->date_ms)))
        return;
    v->machine = machine;
    v->build = sqlite3_column_int64(st, 1);
    v->problem = id;
    v->candidate = sqlite3_column_int64(st, 5);
    v->problem_index = problem;
    v->candidate_index = candidate;
    v->constraint = constraint;
    v->objective = objective;
    v->evidence = get_text(b, st, 6);
    v->date_ms = sqlite3_column_int64(st, 7);
    v->site = b->site;
}

static void on_account(builder *b, sqlite3_stmt *st) {
    if (b->site) /* what others spent is no prior */
        return;
    if (skipped_here(b, sqlite3_column_int64(st, 0)))
        return;
    le_db_account *a = le__db_push(&b->rows.accounts, sizeof *a);
    if (!keep(b, a, true))
        return;
    a->machine = sqlite3_column_int64(st, 0);
    a->build = sqlite3_column_int64(st, 1);
    a->operation = get_text(b, st, 2);
    a->answered_s = sqlite3_column_double(st, 3);
    a->explored_s = sqlite3_column_double(st, 4);
    a->regret_s = sqlite3_column_double(st, 5);
    a->calls = sqlite3_column_int64(st, 6);
    a->date_ms = sqlite3_column_int64(st, 7);
}

/* --- one file --- */

#define NEWEST                                                                                     \
    "(?2 = 0 OR p.id IN (SELECT s2.problem FROM samples s2 JOIN problems p2 ON p2.id = "           \
    "s2.problem WHERE ?1 IS NULL OR p2.operation = ?1 GROUP BY s2.problem "                        \
    "ORDER BY max(s2.last_ms) DESC LIMIT ?2))"

typedef struct query {
    const char *sql;
    row_fn row;
} query;

static const query of_all[] = {
    {"SELECT id, kind FROM identities", on_identity},
    {"SELECT identity, name, value FROM parts ORDER BY identity, name", on_part},
    {"SELECT id, operation, key, work, bytes FROM problems WHERE ?1 IS NULL OR operation = ?1",
     on_problem},
    {"SELECT id, operation, implementation, run_type, device, params, source_hash FROM candidates "
     "WHERE ?1 IS NULL OR operation = ?1",
     on_candidate},
    {"SELECT s.id, " LE__SAMPLE_COLUMNS " FROM samples s JOIN problems p ON p.id = s.problem "
     "WHERE (?1 IS NULL OR p.operation = ?1) AND " NEWEST,
     on_samples},
    {"SELECT v.machine, v.build, v.candidate, v.size_class, v.state, v.errors, v.reason, "
     "v.date_ms, "
     "v.attempts FROM verdicts v JOIN candidates c ON c.id = v.candidate "
     "WHERE ?1 IS NULL OR c.operation = ?1",
     on_verdict},
    {"SELECT h.machine, h.build, h.problem, h.constraint_text, h.objective, h.candidate, "
     "h.evidence, "
     "h.date_ms FROM choices h JOIN problems p ON p.id = h.problem "
     "WHERE (?1 IS NULL OR p.operation = ?1) AND " NEWEST,
     on_choice},
    {"SELECT machine, build, operation, sum(answered_s), sum(explored_s), sum(regret_s), "
     "sum(calls), "
     "max(date_ms) FROM accounts WHERE ?1 IS NULL OR operation = ?1 GROUP BY machine, build, "
     "operation",
     on_account},
    {NULL, NULL}};

static const query of_problem[] = {
    {"SELECT id, kind FROM identities", on_identity},
    {"SELECT identity, name, value FROM parts ORDER BY identity, name", on_part},
    {"SELECT id, operation, key, work, bytes FROM problems WHERE ?1 IS NOT NULL AND ?2 IS NOT NULL "
     "AND id = ?3",
     on_problem},
    {"SELECT id, operation, implementation, run_type, device, params, source_hash FROM candidates "
     "WHERE operation = ?1",
     on_candidate},
    {"SELECT s.id, " LE__SAMPLE_COLUMNS " FROM samples s WHERE ?1 IS NOT NULL AND ?2 IS NOT NULL "
     "AND s.problem = ?3",
     on_samples},
    {"SELECT h.machine, h.build, h.problem, h.constraint_text, h.objective, h.candidate, "
     "h.evidence, h.date_ms FROM choices h WHERE ?1 IS NOT NULL AND ?2 IS NOT NULL AND "
     "h.problem = ?3",
     on_choice},
    {NULL, NULL}};

static int load_rows(builder *b, le__db_connection *c) {
    static const char raw[] =
        "SELECT r.samples, " LE__RAW_COLUMNS
        " FROM raw_samples r JOIN samples s ON s.id = r.samples "
        "JOIN problems p ON p.id = s.problem WHERE ?1 IS NULL OR p.operation = ?1";
    const query *queries = b->problem ? of_problem : of_all;
    int rc = SQLITE_OK;
    for (size_t i = 0; rc == SQLITE_OK && queries[i].sql; i++) {
        rc = each(b, c, queries[i].sql, queries[i].row);
        if (queries[i].row == on_part)
            le__db_grade_identities(b->db, &b->rows); /* rows are skipped by host */
    }
    if (rc == SQLITE_OK && (b->flags & LE_DB_LOAD_RAW))
        rc = each(b, c, raw, on_raw);
    free(b->raw_rows.slots);
    b->raw_rows = (le__db_map){0};
    return rc;
}

/* One consistent state of a file. */
static int load_connection(builder *b, le__db_connection *c) {
    int rc = le__db_execute(c, "BEGIN");
    if (rc == SQLITE_OK) {
        rc = load_rows(b, c);
        le__db_end(c);
    }
    return rc;
}

static le_db_status load_file(builder *b) {
    le_db *db = b->db;
    pthread_mutex_lock(&db->reader_lock);
    int wait_ms = b->flags & LE_DB_LOAD_AT_ONCE ? 0 : db->read_timeout_ms;
    le__db_file_state state = le__db_reader(db, wait_ms);
    if (state == LE__FILE_OK) {
        int rc = load_connection(b, &db->reader);
        state = rc == SQLITE_NOMEM ? LE__FILE_OK : le__db_file_state_on(&db->reader, rc);
        if (state == LE__FILE_CORRUPT)
            le__db_recover(db, &db->reader);
        else if (state != LE__FILE_OK) {
            le__db_report_state(db, state, sqlite3_errstr(rc));
            le__db_file_close(&db->reader);
        }
    }
    pthread_mutex_unlock(&db->reader_lock);
    return le__db_read_status(db, state);
}

static void load_site(void *cookie, le__db_connection *c) {
    builder *b = cookie;
    b->site = true;
    int rc = load_connection(b, c);
    if (rc != SQLITE_OK && rc != SQLITE_NOMEM)
        le__db_problem(b->db, LE__CAUSE_SITE, "site database %s cannot be read in full: %s",
                       sqlite3_db_filename(c->sql, "main"), sqlite3_errstr(rc));
}

static void hand_out(builder *b) {
    le_db_knowledge *k = &b->k;
    k->machine = b->db ? b->db->machine : 0;
    k->identities = b->rows.identities.data, k->n_identities = b->rows.identities.n;
    k->problems = b->rows.problems.data, k->n_problems = b->rows.problems.n;
    k->candidates = b->rows.candidates.data, k->n_candidates = b->rows.candidates.n;
    k->samples = b->rows.samples.data, k->n_samples = b->rows.samples.n;
    k->verdicts = b->rows.verdicts.data, k->n_verdicts = b->rows.verdicts.n;
    k->choices = b->rows.choices.data, k->n_choices = b->rows.choices.n;
    k->accounts = b->rows.accounts.data, k->n_accounts = b->rows.accounts.n;
    k->memory = b;
}

static void free_maps(builder *b) {
    le__db_map *maps[] = {
        &b->rows.identity_at, &b->problem_at, &b->candidate_at, &b->sums, &b->read,
        &b->raw_rows,         &b->singles};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        free(maps[i]->slots);
        *maps[i] = (le__db_map){0};
    }
}

static void load_all(builder *b, le_db_status *status) {
    le_db *db = b->db;
    *status = load_file(b);
    pthread_mutex_lock(&db->memory_lock);
    if (db->memory.sql)
        load_connection(b, &db->memory);
    pthread_mutex_unlock(&db->memory_lock);
    if (!(b->flags & LE_DB_LOAD_NO_SITE) && db->site_path[0])
        le__db_sites_load(db, load_site, b);
    le__db_grade_identities(db, &b->rows);
    le__db_grade_rows(db, &b->rows);
}

le_db_status le_db_load_problem(le_db *db, const char *operation, int64_t problem, unsigned flags,
                                le_db_knowledge **out) {
    le__signals signals;
    le_db_status status = LE_DB_OK;
    *out = NULL;
    builder *b = calloc(1, sizeof *b);
    if (!b)
        return LE_DB_NO_MEMORY;
    b->db = db;
    b->operation = operation;
    b->problem = problem;
    b->flags = flags;
    if (db) {
        le__db_enter(&signals);
        load_all(b, &status);
        le__db_leave(&signals);
    }
    free_maps(b);
    hand_out(b);
    *out = &b->k;
    if (b->no_memory) {
        le_db_knowledge_free(out);
        return LE_DB_NO_MEMORY;
    }
    return status;
}

le_db_status le_db_load(le_db *db, const char *operation, unsigned flags, le_db_knowledge **out) {
    return le_db_load_problem(db, operation, 0, flags, out);
}

void le_db_knowledge_free(le_db_knowledge **knowledge) {
    if (!knowledge || !*knowledge)
        return;
    builder *b = (*knowledge)->memory;
    le__db_vector *vectors[] = {&b->rows.identities, &b->rows.problems, &b->rows.candidates,
                                &b->rows.samples,    &b->rows.verdicts, &b->rows.choices,
                                &b->rows.accounts};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        free(vectors[i]->data);
    free_maps(b);
    for (chunk *c = b->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    free(b);
    *knowledge = NULL;
}

const le_db_identity *le_db_find_identity(const le_db_knowledge *k, int64_t id) {
    for (size_t i = 0; i < k->n_identities; i++)
        if (k->identities[i].id == id)
            return &k->identities[i];
    return NULL;
}

const char *le_db_identity_part(const le_db_identity *identity, const char *name) {
    return identity ? le__db_part_of(identity->parts, identity->n_parts, name) : "";
}
