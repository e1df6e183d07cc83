/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Sample rows: adding up samples, writing rows into a file and reading them back.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

static double known(double x) {
    return isfinite(x) && x > 0 ? x : 0;
}

int64_t le__db_row_samples(const le__db_sample_row *row) {
    return row->seen + row->stopped.n + row->stopped_cold.n;
}

void le__db_stopped_merge(le_db_stopped *into, const le_db_stopped *from) {
    into->n += from->n;
    into->most_s = fmax(into->most_s, from->most_s);
}

static void add_date(le__db_sample_row *row, int64_t date_ms) {
    bool first = le__db_row_samples(row) == 0;
    if (first || date_ms < row->first_ms)
        row->first_ms = date_ms;
    if (first || date_ms > row->last_ms)
        row->last_ms = date_ms;
}

static void keep_raw(le__db_sample_row *row, const le_db_sample *s, uint64_t *random_state) {
    int slot = le_reservoir_slot(random_state, row->seen++, LE_DB_RAW);
    if (slot < 0)
        return;
    row->raw[slot] = *s;
    row->raw[slot].times = 1;
    row->n_raw = slot >= row->n_raw ? slot + 1 : row->n_raw;
}

void le__db_row_add(le__db_sample_row *row, const le_db_sample *s, uint64_t *random_state) {
    const uint32_t times = le__db_sample_times(s);
    const le_moments runs = {.n = times, .mean = log(s->seconds)};
    add_date(row, s->date_ms);
    if (s->flags & LE_SAMPLE_STOPPED) {
        le__db_stopped_merge(s->flags & LE_SAMPLE_COLD ? &row->stopped_cold : &row->stopped,
                             &(le_db_stopped){times, s->seconds});
        return;
    }
    if (s->flags & LE_SAMPLE_COLD) {
        le_moments_merge(&row->cold, &runs);
    } else if (s->flags & LE_SAMPLE_CONTENDED) {
        le_moments_merge(&row->contended, &runs);
    } else {
        le_moments_merge(&row->clean, &runs);
        row->min_s = fmin(row->min_s, s->seconds);
        row->max_s = fmax(row->max_s, s->seconds);
        le_sketch_add(&row->sketch, s->seconds, times);
    }
    if (known(s->cpu_s) > 0) {
        row->cpu_s += s->cpu_s * times;
        row->cpu_n += times;
    }
    row->setup_s = fmax(row->setup_s, known(s->setup_s));
    if (s->peak_bytes > row->peak_bytes)
        row->peak_bytes = s->peak_bytes;
    for (uint32_t i = 0; i < times; i++)
        keep_raw(row, s, random_state);
}

size_t le__db_sketch_encode(const le_sketch *s, unsigned char *out) {
    for (size_t i = 0; i < s->count; i++, out += 6) {
        uint16_t bin = (uint16_t)s->bin[i];
        uint32_t n = s->n[i];
        out[0] = (unsigned char)bin;
        out[1] = (unsigned char)(bin >> 8);
        for (int k = 0; k < 4; k++)
            out[2 + k] = (unsigned char)(n >> (8 * k));
    }
    return (size_t)s->count * 6;
}

bool le__db_sketch_decode(le_sketch *s, const void *blob, size_t size) {
    const unsigned char *p = blob;
    memset(s, 0, sizeof *s);
    if (size % 6 != 0 || size > LE__SKETCH_BYTES)
        return false;
    for (size_t i = 0; i < size / 6; i++, p += 6) {
        int16_t bin = (int16_t)(uint16_t)(p[0] | p[1] << 8);
        uint32_t n = 0;
        for (int k = 0; k < 4; k++)
            n |= (uint32_t)p[2 + k] << (8 * k);
        if (n == 0 || (i > 0 && bin <= s->bin[i - 1]))
            return false;
        s->bin[i] = bin;
        s->n[i] = n;
        s->count++;
    }
    return true;
}

static bool moments_possible(const le_moments *m) {
    return m->n >= 0 && m->n < (int64_t)1 << 53 && isfinite(m->mean) && fabs(m->mean) < 100 &&
           isfinite(m->m2) && m->m2 >= 0;
}

static const double shortest_s = 1e-15, longest_s = 1e18;

/* A mean outside of what it is the mean of would make a candidate look as fast as one likes. */
static bool mean_between(const le_moments *m, double min, double max) {
    const double rounding = 1e-6;
    return m->n == 0 || (m->mean >= log(min) - rounding && m->mean <= log(max) + rounding);
}

static bool stopped_possible(const le_db_stopped *s) {
    return s->n == 0 ? s->most_s == 0
                     : s->n > 0 && s->n < (int64_t)1 << 53 && s->most_s >= shortest_s &&
                           s->most_s <= longest_s;
}

const char *le__db_check_samples(const le__db_sample_row *r) {
    if (!moments_possible(&r->clean) || !moments_possible(&r->contended) ||
        !moments_possible(&r->cold))
        return "n, mean or m2 is out of range";
    if (!stopped_possible(&r->stopped) || !stopped_possible(&r->stopped_cold))
        return "stopped runs: n or seconds is out of range";
    if (r->seen != r->clean.n + r->contended.n + r->cold.n || le__db_row_samples(r) < 1)
        return "the numbers of samples do not add up";
    if (r->clean.n > 0 ? !(r->min_s > 0 && r->max_s >= r->min_s && isfinite(r->max_s))
                       : !(isnan(r->min_s) && isnan(r->max_s)))
        return "min_s and max_s are out of range";
    if (!mean_between(&r->clean, r->min_s, r->max_s) ||
        !mean_between(&r->contended, shortest_s, longest_s) ||
        !mean_between(&r->cold, shortest_s, longest_s))
        return "a mean is out of range";
    if (!(r->cpu_s >= 0 && isfinite(r->cpu_s)) || r->cpu_n < 0 || r->cpu_n > r->seen ||
        !(r->setup_s >= 0 && isfinite(r->setup_s)) || r->peak_bytes < 0)
        return "cpu_s, cpu_n, setup_s or peak_bytes is out of range";
    if (r->last_ms < r->first_ms)
        return "last_ms is before first_ms";
    return le_sketch_total(&r->sketch) > r->clean.n ? "the sketch has more samples than n" : NULL;
}

const char *le__db_check_raw(const le_db_sample *s) {
    const double times[] = {s->setup_s, s->kernel_s, s->transfer_s, s->cpu_s};
    const float conditions[] = {s->load, s->steal, s->throttled, s->pressure};
    if (!(s->seconds > 0 && isfinite(s->seconds)))
        return "seconds is not positive";
    for (size_t i = 0; i < 4; i++)
        if (!(times[i] >= 0 && isfinite(times[i])) ||
            !(conditions[i] >= 0 && isfinite(conditions[i])))
            return "a time or condition is negative";
    return s->peak_bytes < 0 ? "peak_bytes is negative" : NULL;
}

/* --- writing --- */

static void bind_moments(sqlite3_stmt *st, int at, const le_moments *m) {
    sqlite3_bind_int64(st, at, m->n);
    sqlite3_bind_double(st, at + 1, m->n > 0 ? m->mean : 0);
    sqlite3_bind_double(st, at + 2, m->n > 0 ? m->m2 : 0);
}

static void bind_row(sqlite3_stmt *st, const le__db_sample_row *r, unsigned char *blob) {
    const int64_t ids[] = {r->origin, r->machine, r->build, r->problem, r->candidate};
    for (int i = 0; i < 5; i++)
        sqlite3_bind_int64(st, i + 1, ids[i]);
    bind_moments(st, 6, &r->clean);
    bind_moments(st, 9, &r->contended);
    bind_moments(st, 12, &r->cold);
    sqlite3_bind_double(st, 15, r->min_s); /* NaN becomes NULL */
    sqlite3_bind_double(st, 16, r->max_s);
    sqlite3_bind_double(st, 17, r->cpu_s);
    sqlite3_bind_int64(st, 18, r->cpu_n);
    sqlite3_bind_double(st, 19, r->setup_s);
    sqlite3_bind_int64(st, 20, r->peak_bytes);
    sqlite3_bind_int64(st, 21, r->first_ms);
    sqlite3_bind_int64(st, 22, r->last_ms);
    sqlite3_bind_int64(st, 23, r->seen);
    sqlite3_bind_blob(st, 24, blob, (int)le__db_sketch_encode(&r->sketch, blob), SQLITE_STATIC);
    sqlite3_bind_int64(st, 25, r->stopped.n);
    sqlite3_bind_double(st, 26, r->stopped.most_s);
    sqlite3_bind_int64(st, 27, r->stopped_cold.n);
    sqlite3_bind_double(st, 28, r->stopped_cold.most_s);
}

/* Steps a statement with RETURNING: one row at most. *row tells whether there was one. */
static int step_returning(sqlite3_stmt *st, int64_t *first, int64_t *second, bool *row) {
    int rc = sqlite3_step(st);
    *row = rc == SQLITE_ROW;
    if (*row) {
        *first = sqlite3_column_int64(st, 0);
        *second = sqlite3_column_count(st) > 1 ? sqlite3_column_int64(st, 1) : 0;
        rc = sqlite3_step(st);
    }
    int reset = sqlite3_reset(st);
    sqlite3_clear_bindings(st);
    return rc == SQLITE_DONE ? SQLITE_OK : reset;
}

static int write_raw(le__db_connection *c, int64_t samples, int slot, const le_db_sample *s) {
    sqlite3_stmt *st = le__db_statement_of(c, LE__ST_RAW);
    const double times[] = {s->seconds, known(s->setup_s), known(s->kernel_s), known(s->transfer_s),
                            known(s->cpu_s)};
    const double conditions[] = {known((double)s->load), known((double)s->steal),
                                 known((double)s->throttled), known((double)s->pressure)};
    if (!st)
        return SQLITE_ERROR;
    sqlite3_bind_int64(st, 1, samples);
    sqlite3_bind_int(st, 2, slot);
    for (int i = 0; i < 5; i++)
        sqlite3_bind_double(st, 3 + i, times[i]);
    sqlite3_bind_int64(st, 8, s->peak_bytes);
    sqlite3_bind_int64(st, 9, s->date_ms);
    for (int i = 0; i < 4; i++)
        sqlite3_bind_double(st, 10 + i, conditions[i]);
    sqlite3_bind_int64(st, 14, s->flags);
    return le__db_step(st);
}

int le__db_add_samples(le__db_connection *c, const le__db_sample_row *row, uint64_t *random_state) {
    unsigned char blob[LE__SKETCH_BYTES];
    int64_t id = 0, seen = 0;
    bool stored;
    sqlite3_stmt *st = le__db_statement_of(c, LE__ST_ADD_SAMPLES);
    if (!st)
        return sqlite3_errcode(c->sql);
    bind_row(st, row, blob);
    int rc = step_returning(st, &id, &seen, &stored);
    int64_t before = seen - row->seen;
    int filled = before < LE_DB_RAW ? (int)before : LE_DB_RAW;
    for (int i = 0; rc == SQLITE_OK && i < row->n_raw; i++) {
        /* each of the n_raw stands for seen / n_raw samples of the stream */
        int64_t at = before + i * row->seen / row->n_raw;
        int slot = filled < LE_DB_RAW ? filled++ : le_reservoir_slot(random_state, at, LE_DB_RAW);
        if (slot >= 0)
            rc = write_raw(c, id, slot, &row->raw[i]);
    }
    return rc;
}

int le__db_put_samples(le__db_connection *c, const le__db_sample_row *row, bool *stored) {
    unsigned char blob[LE__SKETCH_BYTES];
    int64_t id = 0, none;
    sqlite3_stmt *st = le__db_statement_of(c, LE__ST_PUT_SAMPLES);
    if (!st)
        return sqlite3_errcode(c->sql);
    bind_row(st, row, blob);
    int rc = step_returning(st, &id, &none, stored);
    if (rc != SQLITE_OK || !*stored)
        return rc;
    sqlite3_stmt *clear = le__db_statement_of(c, LE__ST_RAW_CLEAR);
    if (clear)
        sqlite3_bind_int64(clear, 1, id);
    rc = le__db_step(clear);
    for (int i = 0; rc == SQLITE_OK && i < row->n_raw; i++)
        rc = write_raw(c, id, i, &row->raw[i]);
    return rc;
}

/* --- reading --- */

static le_moments read_moments(sqlite3_stmt *st, int at) {
    return (le_moments){sqlite3_column_int64(st, at), sqlite3_column_double(st, at + 1),
                        sqlite3_column_double(st, at + 2)};
}

static double read_double(sqlite3_stmt *st, int at) {
    return sqlite3_column_type(st, at) == SQLITE_NULL ? (double)NAN : sqlite3_column_double(st, at);
}

bool le__db_read_samples(sqlite3_stmt *st, int f, le__db_sample_row *r) {
    r->origin = sqlite3_column_int64(st, f);
    r->machine = sqlite3_column_int64(st, f + 1);
    r->build = sqlite3_column_int64(st, f + 2);
    r->problem = sqlite3_column_int64(st, f + 3);
    r->candidate = sqlite3_column_int64(st, f + 4);
    r->clean = read_moments(st, f + 5);
    r->contended = read_moments(st, f + 8);
    r->cold = read_moments(st, f + 11);
    r->min_s = read_double(st, f + 14);
    r->max_s = read_double(st, f + 15);
    r->cpu_s = sqlite3_column_double(st, f + 16);
    r->cpu_n = sqlite3_column_int64(st, f + 17);
    r->setup_s = sqlite3_column_double(st, f + 18);
    r->peak_bytes = sqlite3_column_int64(st, f + 19);
    r->first_ms = sqlite3_column_int64(st, f + 20);
    r->last_ms = sqlite3_column_int64(st, f + 21);
    r->seen = sqlite3_column_int64(st, f + 22);
    r->stopped =
        (le_db_stopped){sqlite3_column_int64(st, f + 24), sqlite3_column_double(st, f + 25)};
    r->stopped_cold =
        (le_db_stopped){sqlite3_column_int64(st, f + 26), sqlite3_column_double(st, f + 27)};
    r->n_raw = 0;
    return le__db_sketch_decode(&r->sketch, sqlite3_column_blob(st, f + 23),
                                (size_t)sqlite3_column_bytes(st, f + 23)) &&
           !le__db_check_samples(r);
}

bool le__db_read_raw(sqlite3_stmt *st, int f, le_db_sample *s) {
    s->seconds = sqlite3_column_double(st, f);
    s->setup_s = sqlite3_column_double(st, f + 1);
    s->kernel_s = sqlite3_column_double(st, f + 2);
    s->transfer_s = sqlite3_column_double(st, f + 3);
    s->cpu_s = sqlite3_column_double(st, f + 4);
    s->peak_bytes = sqlite3_column_int64(st, f + 5);
    s->date_ms = sqlite3_column_int64(st, f + 6);
    s->load = (float)sqlite3_column_double(st, f + 7);
    s->steal = (float)sqlite3_column_double(st, f + 8);
    s->throttled = (float)sqlite3_column_double(st, f + 9);
    s->pressure = (float)sqlite3_column_double(st, f + 10);
    s->flags = (uint32_t)sqlite3_column_int64(st, f + 11);
    return !le__db_check_raw(s);
}
