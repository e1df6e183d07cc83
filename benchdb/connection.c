/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A connection with its prepared statements, its settings and the SQL function that merges sketches
 * inside an UPSERT.
 */
#include "internal.h"

#include <string.h>

#define MERGE_(p)                                                                                  \
    p "_mean = " p "_mean + (excluded." p "_mean - " p "_mean) * excluded." p "_n / "              \
      "max(1, " p "_n + excluded." p "_n), " p "_m2 = " p "_m2 + excluded." p "_m2 + (excluded." p \
      "_mean - " p "_mean) * "                                                                     \
      "(excluded." p "_mean - " p "_mean) * " p "_n * excluded." p "_n / "                         \
      "max(1, " p "_n + excluded." p "_n), " p "_n = " p "_n + excluded." p "_n, "

#define REPLACE_(p)                                                                                \
    p "_n = excluded." p "_n, " p "_mean = excluded." p "_mean, " p "_m2 = excluded." p "_m2, "

#define INSERT_SAMPLES                                                                             \
    "INSERT INTO samples(origin, machine, build, problem, candidate, clean_n, clean_mean, "        \
    "clean_m2, "                                                                                   \
    "contended_n, contended_mean, contended_m2, cold_n, cold_mean, cold_m2, min_s, max_s, cpu_s, " \
    "cpu_n, setup_s, peak_bytes, first_ms, last_ms, seen, sketch, "                                \
    "stopped_n, stopped_s, stopped_cold_n, stopped_cold_s) "                                       \
    "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,?22,?23,"   \
    "?24,?25,?26,?27,?28) ON CONFLICT(problem, candidate, machine, build, origin) DO UPDATE SET "

#define INSERT_VERDICT                                                                             \
    "INSERT INTO verdicts(machine, build, candidate, size_class, state, errors, reason, date_ms, " \
    "attempts) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9) "                                                \
    "ON CONFLICT(candidate, machine, size_class) DO UPDATE SET build = excluded.build, "           \
    "state = excluded.state, errors = excluded.errors, reason = excluded.reason, "                 \
    "date_ms = excluded.date_ms, "

#define INSERT_CHOICE                                                                              \
    "INSERT INTO choices(machine, build, problem, constraint_text, objective, candidate, "         \
    "evidence, date_ms) VALUES(?1,?2,?3,?4,?5,?6,?7,?8) "                                          \
    "ON CONFLICT(problem, machine, constraint_text, objective) DO UPDATE SET "                     \
    "build = excluded.build, candidate = excluded.candidate, evidence = excluded.evidence, "       \
    "date_ms = excluded.date_ms"

#define INSERT_ACCOUNT                                                                             \
    "INSERT INTO accounts(origin, machine, build, operation, answered_s, explored_s, regret_s, "   \
    "calls, date_ms) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9) "                                          \
    "ON CONFLICT(operation, machine, build, origin) DO UPDATE SET "

static const char *const sql_of[LE__ST_COUNT] = {
    [LE__ST_BEGIN] = "BEGIN IMMEDIATE",
    [LE__ST_COMMIT] = "COMMIT",
    [LE__ST_ROLLBACK] = "ROLLBACK",
    [LE__ST_ORIGIN] = "INSERT INTO origins(id, uuid) VALUES(?1,?2) ON CONFLICT DO NOTHING",
    [LE__ST_IDENTITY] = "INSERT INTO identities(id, kind) VALUES(?1,?2) ON CONFLICT DO NOTHING",
    [LE__ST_PART] =
        "INSERT INTO parts(identity, name, value) VALUES(?1,?2,?3) ON CONFLICT DO NOTHING",
    [LE__ST_PROBLEM] =
        "INSERT INTO problems(id, operation, key, work, bytes) VALUES(?1,?2,?3,?4,?5) "
        "ON CONFLICT(id) DO UPDATE SET work = excluded.work, bytes = excluded.bytes "
        "WHERE work <> excluded.work OR bytes <> excluded.bytes",
    [LE__ST_PROBLEM_KEEP] =
        "INSERT INTO problems(id, operation, key, work, bytes) VALUES(?1,?2,?3,?4,?5) "
        "ON CONFLICT DO NOTHING",
    [LE__ST_CANDIDATE] = "INSERT INTO candidates(id, operation, implementation, run_type, device, "
                         "params, source_hash) "
                         "VALUES(?1,?2,?3,?4,?5,?6,?7) ON CONFLICT DO NOTHING",
    [LE__ST_ADD_SAMPLES] = INSERT_SAMPLES MERGE_("clean") MERGE_("contended") MERGE_(
        "cold") "min_s = coalesce(min(min_s, excluded.min_s), min_s, excluded.min_s), "
                "max_s = coalesce(max(max_s, excluded.max_s), max_s, excluded.max_s), "
                "cpu_s = cpu_s + excluded.cpu_s, cpu_n = cpu_n + excluded.cpu_n, "
                "setup_s = max(setup_s, excluded.setup_s), "
                "peak_bytes = max(peak_bytes, excluded.peak_bytes), "
                "first_ms = min(first_ms, excluded.first_ms), last_ms = max(last_ms, "
                "excluded.last_ms), "
                "seen = seen + excluded.seen, sketch = le_sketch_merge(sketch, excluded.sketch), "
                "stopped_n = stopped_n + excluded.stopped_n, "
                "stopped_s = max(stopped_s, excluded.stopped_s), "
                "stopped_cold_n = stopped_cold_n + excluded.stopped_cold_n, "
                "stopped_cold_s = max(stopped_cold_s, excluded.stopped_cold_s) "
                "RETURNING id, seen",
    [LE__ST_PUT_SAMPLES] = INSERT_SAMPLES REPLACE_("clean") REPLACE_("contended") REPLACE_(
        "cold") "min_s = excluded.min_s, max_s = excluded.max_s, cpu_s = excluded.cpu_s, "
                "cpu_n = excluded.cpu_n, setup_s = excluded.setup_s, peak_bytes = "
                "excluded.peak_bytes, "
                "first_ms = excluded.first_ms, last_ms = excluded.last_ms, seen = excluded.seen, "
                "sketch = excluded.sketch, stopped_n = excluded.stopped_n, "
                "stopped_s = excluded.stopped_s, stopped_cold_n = excluded.stopped_cold_n, "
                "stopped_cold_s = excluded.stopped_cold_s WHERE excluded.seen > seen "
                "OR (excluded.seen = seen AND excluded.last_ms > last_ms) RETURNING id",
    [LE__ST_RAW] =
        "INSERT OR REPLACE INTO raw_samples(samples, slot, seconds, setup_s, kernel_s, transfer_s, "
        "cpu_s, peak_bytes, date_ms, load, steal, throttled, pressure, flags) "
        "VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)",
    [LE__ST_RAW_CLEAR] = "DELETE FROM raw_samples WHERE samples = ?1",
    [LE__ST_ADD_VERDICT] = INSERT_VERDICT "attempts = attempts + excluded.attempts",
    [LE__ST_PUT_VERDICT] =
        INSERT_VERDICT "attempts = excluded.attempts WHERE excluded.date_ms > date_ms RETURNING 1",
    [LE__ST_HAND_VERDICT] =
        INSERT_VERDICT "attempts = attempts + excluded.attempts WHERE excluded.state >= state",
    [LE__ST_ADD_CHOICE] = INSERT_CHOICE,
    [LE__ST_PUT_CHOICE] =
        INSERT_CHOICE " WHERE excluded.date_ms > date_ms OR (excluded.date_ms = date_ms AND "
                      "excluded.candidate > candidate) RETURNING 1",
    [LE__ST_DROP_CHOICE] = "DELETE FROM choices WHERE machine = ?1 AND problem = ?2 "
                           "AND constraint_text = ?3 AND objective = ?4",
    [LE__ST_ADD_ACCOUNT] = INSERT_ACCOUNT
    "answered_s = answered_s + excluded.answered_s, explored_s = explored_s + "
    "excluded.explored_s, regret_s = regret_s + excluded.regret_s, calls = calls + "
    "excluded.calls, date_ms = max(date_ms, excluded.date_ms)",
    [LE__ST_PUT_ACCOUNT] = INSERT_ACCOUNT
    "answered_s = excluded.answered_s, explored_s = excluded.explored_s, "
    "regret_s = excluded.regret_s, calls = excluded.calls, date_ms = excluded.date_ms "
    "WHERE excluded.calls > calls OR (excluded.calls = calls AND excluded.date_ms > date_ms) "
    "RETURNING 1",
};

void le__db_enter(le__signals *s) {
    le__signals_block(s);
    le__forks_hold(LE__SQLITE);
}

void le__db_leave(const le__signals *s) {
    le__forks_let(LE__SQLITE);
    le__signals_restore(s);
}

sqlite3_stmt *le__db_statement_of(le__db_connection *c, le__db_statement which) {
    sqlite3_stmt **st = &c->statements[which];
    if (!*st && sqlite3_prepare_v3(c->sql, sql_of[which], -1, SQLITE_PREPARE_PERSISTENT, st,
                                   NULL) != SQLITE_OK)
        return NULL;
    sqlite3_reset(*st);
    sqlite3_clear_bindings(*st);
    return *st;
}

int le__db_step(sqlite3_stmt *statement) {
    int rc;
    if (!statement)
        return SQLITE_ERROR;
    do
        rc = sqlite3_step(statement);
    while (rc == SQLITE_ROW);
    int reset = sqlite3_reset(statement);
    return rc == SQLITE_DONE ? SQLITE_OK : reset != SQLITE_OK ? reset : rc;
}

int le__db_execute(le__db_connection *c, const char *sql) {
    return sqlite3_exec(c->sql, sql, NULL, NULL, NULL);
}

int le__db_query_int(le__db_connection *c, const char *sql, int64_t *out) {
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(c->sql, sql, -1, &st, NULL);
    if (rc != SQLITE_OK)
        return rc;
    rc = sqlite3_step(st);
    if (rc == SQLITE_ROW)
        *out = sqlite3_column_int64(st, 0);
    int end = sqlite3_finalize(st);
    return rc == SQLITE_ROW ? SQLITE_OK : end != SQLITE_OK ? end : SQLITE_NOTFOUND;
}

void le__db_end(le__db_connection *c) {
    for (int i = 0; i < 3 && !sqlite3_get_autocommit(c->sql); i++)
        le__db_execute(c, i == 0 ? "COMMIT" : "ROLLBACK");
}

void le__db_connection_close(le__db_connection *c) {
    for (int i = 0; i < LE__ST_COUNT; i++)
        sqlite3_finalize(c->statements[i]);
    sqlite3_close_v2(c->sql);
    *c = (le__db_connection){0};
}

uint64_t le__db_next_generation(void) {
    static atomic_ullong last;
    return atomic_fetch_add(&last, 1) + 1;
}

static void sketch_merge(sqlite3_context *context, int n, sqlite3_value **v) {
    le_sketch a, b;
    unsigned char out[LE__SKETCH_BYTES];
    (void)n;
    bool ok_a =
        le__db_sketch_decode(&a, sqlite3_value_blob(v[0]), (size_t)sqlite3_value_bytes(v[0]));
    bool ok_b =
        le__db_sketch_decode(&b, sqlite3_value_blob(v[1]), (size_t)sqlite3_value_bytes(v[1]));
    if (!ok_a)
        memset(&a, 0, sizeof a);
    if (ok_b)
        le_sketch_merge(&a, &b);
    sqlite3_result_blob(context, out, (int)le__db_sketch_encode(&a, out), SQLITE_TRANSIENT);
}

int le__db_connection_setup(le__db_connection *c, int busy_ms) {
    c->generation = le__db_next_generation();
    sqlite3_extended_result_codes(c->sql, 1);
    sqlite3_busy_timeout(c->sql, busy_ms);
    sqlite3_db_config(c->sql, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(c->sql, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(c->sql, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
    sqlite3_db_config(c->sql, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(c->sql, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    return sqlite3_create_function(c->sql, "le_sketch_merge", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                   NULL, sketch_merge, NULL, NULL);
}
