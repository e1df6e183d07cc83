/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Rows of an export into the tables. Ids in the file are only labels: they are looked up among the
 * file's own rows and replaced by the ids that follow from the content, so a forged or foreign id
 * cannot point elsewhere.
 */
#include "json_rows.h"

#include "numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME  255
#define MAX_KEY   4096
#define BIG       1e18
#define COUNT_MAX ((int64_t)1 << 50)

typedef struct label {
    int64_t id;            /* from content */
    le_db_kind kind;       /* of an identity */
    const char *operation; /* of a problem or candidate */
} label;

enum { IDENTITIES, PROBLEMS, CANDIDATES };

void le__db_import_report(const le__db_importer *m, int line, const char *text) {
    if (m->options && m->options->report)
        m->options->report(m->options->cookie, m->numbered ? line : 0, text);
}

static bool known(le__db_importer *m, const char *operation, const char *implementation) {
    if (!m->options || !m->options->known ||
        m->options->known(m->options->cookie, operation, implementation))
        return true;
    return implementation ? le__db_field_fail(&m->f, "implementation \"%s\" of \"%s\" is not known",
                                              implementation, operation)
                          : le__db_field_fail(&m->f, "operation \"%s\" is not known", operation);
}

static bool operation_known(le__db_importer *m, const char *operation) {
    return operation[0] == '@' || known(m, operation, NULL);
}

/* --- labels --- */

static bool add_label(le__db_importer *m, int table, const char *name, label l) {
    uint32_t at;
    int64_t key = le__db_text_id(name);
    if (le__db_map_find(&m->label_at[table], key, &at))
        return le__db_field_fail(&m->f, "id \"%s\" occurs twice", name);
    label *slot = le__db_push(&m->labels, sizeof *slot);
    if (!slot || !le__db_map_add(&m->label_at[table], key, (uint32_t)m->labels.n - 1)) {
        m->rc = SQLITE_NOMEM;
        return le__db_field_fail(&m->f, "out of memory");
    }
    *slot = l;
    return true;
}

static const label *find_label(le__db_importer *m, int table, const char *field) {
    const char *name;
    uint32_t at;
    if (!le__db_field_text(&m->f, field, MAX_NAME, false, &name))
        return NULL;
    if (le__db_map_find(&m->label_at[table], le__db_text_id(name), &at))
        return (const label *)m->labels.data + at;
    le__db_field_fail(&m->f, "%s \"%s\" is no valid row of this file", field, name);
    return NULL;
}

static const label *find_identity(le__db_importer *m, const char *field, le_db_kind kind) {
    const label *l = find_label(m, IDENTITIES, field);
    if (!l || l->kind == kind)
        return l;
    le__db_field_fail(&m->f, "%s is an identity of another kind", field);
    return NULL;
}

/* Notes an SQLite error: of the row if it breaks a constraint, else of the whole import. */
static bool check(le__db_importer *m, int rc) {
    if (rc == SQLITE_OK)
        return true;
    if ((rc & 0xff) != SQLITE_CONSTRAINT)
        m->rc = rc;
    return le__db_field_fail(&m->f, "%s", sqlite3_errstr(rc));
}

static bool write_name(le__db_importer *m, const le__db_name *name) {
    int before = sqlite3_total_changes(m->c->sql);
    if (!check(m, le__db_write_name(m->c, name, false)))
        return false;
    m->stored = sqlite3_total_changes(m->c->sql) != before;
    return true;
}

/* --- sections --- */

static bool read_identity(le__db_importer *m) {
    le_db_part parts[LE__MAX_PARTS];
    size_t n = 0;
    int kind = 0;
    const char *id;
    const cJSON *object = cJSON_GetObjectItemCaseSensitive(m->f.row, "parts"), *part;
    if (!le__db_field_text(&m->f, "id", MAX_NAME, false, &id) ||
        !le__db_field_word(&m->f, "kind", le__db_kind_names, &kind))
        return false;
    if (!cJSON_IsObject(object))
        return le__db_field_fail(&m->f, "parts is not an object");
    le__db_fields f = {.row = object};
    if (!le__db_field_names(&f))
        return le__db_field_fail(&m->f, "parts: %.120s", f.error);
    cJSON_ArrayForEach(part, object) {
        if (n == LE__MAX_PARTS || !part->string[0] || strlen(part->string) > MAX_NAME ||
            !le__db_field_clean(&f, "a name", part->string) ||
            !le__db_field_text(&f, part->string, MAX_KEY, true, &parts[n].value))
            return le__db_field_fail(&m->f, "parts: %s", n == LE__MAX_PARTS ? "too many" : f.error);
        parts[n++].name = part->string;
    }
    n = le__db_sort_parts(parts, n);
    le__db_name name = {
        .type = LE__NAME_IDENTITY, .kind = (le_db_kind)kind, .parts = parts, .n_parts = n};
    name.id = le_db_identity_id(name.kind, parts, n);
    return write_name(m, &name) &&
           add_label(m, IDENTITIES, id, (label){.id = name.id, .kind = name.kind});
}

static char *unconst(const char *text) {
    return (char *)(uintptr_t)text;
}

static bool read_problem(le__db_importer *m) {
    const char *id, *operation, *key;
    le__db_name name = {.type = LE__NAME_PROBLEM};
    if (!le__db_field_text(&m->f, "id", MAX_NAME, false, &id) ||
        !le__db_field_text(&m->f, "operation", MAX_NAME, false, &operation) ||
        !le__db_field_text(&m->f, "key", MAX_KEY, true, &key) ||
        !le__db_field_number(&m->f, "work", 0, BIG * BIG, &name.work) ||
        !le__db_field_number(&m->f, "bytes", 0, BIG * BIG, &name.bytes) ||
        !operation_known(m, operation))
        return false;
    name.id = le__db_problem_id(operation, key);
    name.texts[0] = unconst(operation);
    name.texts[1] = unconst(key);
    return write_name(m, &name) &&
           add_label(m, PROBLEMS, id, (label){.id = name.id, .operation = operation});
}

static bool read_candidate(le__db_importer *m) {
    const char *id;
    le_db_candidate_key k = {0};
    if (!le__db_field_text(&m->f, "id", MAX_NAME, false, &id) ||
        !le__db_field_text(&m->f, "operation", MAX_NAME, false, &k.operation) ||
        !le__db_field_text(&m->f, "implementation", MAX_NAME, false, &k.implementation) ||
        !le__db_field_text(&m->f, "run_type", MAX_NAME, false, &k.run_type) ||
        !le__db_field_text(&m->f, "params", MAX_KEY, true, &k.params) ||
        !le__db_field_text(&m->f, "source_hash", MAX_NAME, true, &k.source_hash) ||
        !operation_known(m, k.operation) ||
        (k.operation[0] != '@' && !known(m, k.operation, k.implementation)))
        return false;
    const cJSON *device = cJSON_GetObjectItemCaseSensitive(m->f.row, "device");
    if (!cJSON_IsNull(device)) {
        const label *l = find_identity(m, "device", LE_DB_DEVICE);
        if (!l)
            return false;
        k.device = l->id;
    }
    le__db_name name = {
        .id = le__db_candidate_id(&k), .type = LE__NAME_CANDIDATE, .device = k.device};
    const char *texts[] = {k.operation, k.implementation, k.run_type, k.params, k.source_hash};
    for (size_t i = 0; i < 5; i++)
        name.texts[i] = unconst(texts[i]);
    return write_name(m, &name) &&
           add_label(m, CANDIDATES, id, (label){.id = name.id, .operation = k.operation});
}

static bool machine_and_build(le__db_importer *m, int64_t *machine, int64_t *build) {
    const label *a = find_identity(m, "machine", LE_DB_MACHINE);
    const label *b = a ? find_identity(m, "build", LE_DB_BUILD) : NULL;
    if (!b)
        return false;
    *machine = a->id;
    *build = b->id;
    return true;
}

static bool problem_and_candidate(le__db_importer *m, int64_t *problem, int64_t *candidate) {
    const label *p = find_label(m, PROBLEMS, "problem");
    const label *c = p ? find_label(m, CANDIDATES, "candidate") : NULL;
    if (!c)
        return false;
    if (strcmp(p->operation, c->operation) != 0)
        return le__db_field_fail(&m->f, "the candidate is of another operation than the problem");
    *problem = p->id;
    *candidate = c->id;
    return true;
}

static bool read_origin(le__db_importer *m, int64_t *origin) {
    const char *uuid;
    if (!le__db_field_text(&m->f, "origin", 64, false, &uuid))
        return false;
    *origin = le__db_text_id(uuid);
    return check(m, le__db_put_origin(m->c, *origin, uuid));
}

static bool read_moments(le__db_importer *m, const char *name, le_moments *out) {
    le__db_fields f = {.row = cJSON_GetObjectItemCaseSensitive(m->f.row, name)};
    return (le__db_field_names(&f) && le__db_field_int(&f, "n", 0, COUNT_MAX, &out->n) &&
            le__db_field_number(&f, "mean_log_s", -100, 100, &out->mean) &&
            le__db_field_number(&f, "m2_log_s", 0, BIG, &out->m2)) ||
           le__db_field_fail(&m->f, "%s: %.120s", name, f.error);
}

static bool read_stopped(le__db_importer *m, const char *name, le_db_stopped *out) {
    le__db_fields f = {.row = cJSON_GetObjectItemCaseSensitive(m->f.row, name)};
    if (!f.row)
        return true;
    return (le__db_field_names(&f) && le__db_field_int(&f, "n", 1, COUNT_MAX, &out->n) &&
            le__db_field_number(&f, "most_s", 1e-15, BIG, &out->most_s)) ||
           le__db_field_fail(&m->f, "%s: %.120s", name, f.error);
}

static bool read_sketch(le__db_importer *m, le_sketch *s) {
    const cJSON *list = le__db_field_array(&m->f, "sketch", 2 * LE_SKETCH_BINS), *item;
    double v[2 * LE_SKETCH_BINS];
    size_t n = 0;
    if (!list)
        return false;
    cJSON_ArrayForEach(item, list) v[n++] = cJSON_IsNumber(item) ? item->valuedouble : -1e9;
    bool ok = n % 2 == 0;
    for (size_t i = 0; ok && i < n / 2; i++) {
        ok = fabs(v[2 * i]) <= 30000 && v[2 * i + 1] >= 1 && v[2 * i + 1] <= UINT32_MAX &&
             (i == 0 || v[2 * i] > v[2 * i - 2]);
        if (ok) {
            s->bin[i] = (int16_t)v[2 * i];
            s->n[i] = (uint32_t)v[2 * i + 1];
            s->count++;
        }
    }
    return ok || le__db_field_fail(&m->f, "sketch is not a list of ascending bins and counts");
}

static bool read_one_raw(le__db_fields *f, le_db_sample *s) {
    double condition[4];
    int64_t flags;
    if (!le__db_field_names(f) || !le__db_field_date(f, "date_ms", &s->date_ms) ||
        !le__db_field_number(f, "seconds", 1e-15, BIG, &s->seconds) ||
        !le__db_field_number(f, "setup_s", 0, BIG, &s->setup_s) ||
        !le__db_field_number(f, "kernel_s", 0, BIG, &s->kernel_s) ||
        !le__db_field_number(f, "transfer_s", 0, BIG, &s->transfer_s) ||
        !le__db_field_number(f, "cpu_s", 0, BIG, &s->cpu_s) ||
        !le__db_field_int(f, "peak_bytes", 0, COUNT_MAX, &s->peak_bytes) ||
        !le__db_field_number(f, "load", 0, 1e6, &condition[0]) ||
        !le__db_field_number(f, "steal", 0, 1e6, &condition[1]) ||
        !le__db_field_number(f, "throttled", 0, 1e6, &condition[2]) ||
        !le__db_field_number(f, "pressure", 0, 1e6, &condition[3]) ||
        !le__db_field_int(f, "flags", 0, UINT32_MAX, &flags))
        return false;
    s->load = (float)condition[0];
    s->steal = (float)condition[1];
    s->throttled = (float)condition[2];
    s->pressure = (float)condition[3];
    s->flags = (uint32_t)flags;
    return true;
}

static bool read_raw(le__db_importer *m, le__db_sample_row *r) {
    const cJSON *list = le__db_field_array(&m->f, "raw", LE_DB_RAW), *item;
    if (!list)
        return false;
    cJSON_ArrayForEach(item, list) {
        le__db_fields f = {.row = item};
        if (!read_one_raw(&f, &r->raw[r->n_raw]))
            return le__db_field_fail(&m->f, "raw[%d]: %.120s", r->n_raw, f.error);
        r->n_raw++;
    }
    return r->n_raw <= r->seen || le__db_field_fail(&m->f, "raw has more samples than n");
}

static bool read_samples(le__db_importer *m) {
    le__db_sample_row r = {0};
    if (!machine_and_build(m, &r.machine, &r.build) ||
        !problem_and_candidate(m, &r.problem, &r.candidate) ||
        !le__db_field_date(&m->f, "date_ms", &r.last_ms) ||
        !le__db_field_date(&m->f, "first_ms", &r.first_ms) || !read_moments(m, "clean", &r.clean) ||
        !read_moments(m, "contended", &r.contended) || !read_moments(m, "cold", &r.cold) ||
        !read_stopped(m, "stopped", &r.stopped) ||
        !read_stopped(m, "stopped_cold", &r.stopped_cold) ||
        !le__db_field_number_or_none(&m->f, "min_s", 1e-15, BIG, &r.min_s) ||
        !le__db_field_number_or_none(&m->f, "max_s", 1e-15, BIG, &r.max_s) ||
        !le__db_field_number(&m->f, "cpu_s", 0, BIG, &r.cpu_s) ||
        !le__db_field_int(&m->f, "cpu_n", 0, COUNT_MAX, &r.cpu_n) ||
        !le__db_field_number(&m->f, "setup_s", 0, BIG, &r.setup_s) ||
        !le__db_field_int(&m->f, "peak_bytes", 0, COUNT_MAX, &r.peak_bytes) ||
        !read_sketch(m, &r.sketch))
        return false;
    r.seen = r.clean.n + r.contended.n + r.cold.n;
    const char *wrong = le__db_check_samples(&r);
    if (wrong)
        return le__db_field_fail(&m->f, "%s", wrong);
    if (m->options && m->options->add) {
        r.origin = m->c->origin;
        m->stored = true;
        return check(m, le__db_add_samples(m->c, &r, &m->random_state));
    }
    return read_raw(m, &r) && read_origin(m, &r.origin) &&
           check(m, le__db_put_samples(m->c, &r, &m->stored));
}

static bool read_errors(le__db_importer *m, double *out) {
    const cJSON *list = le__db_field_array(&m->f, "errors", LE_DB_ERRORS), *item;
    int n = 0;
    if (!list)
        return false;
    cJSON_ArrayForEach(item, list) {
        bool inf = cJSON_IsString(item) && strcmp(item->valuestring, "inf") == 0;
        if (!inf && !cJSON_IsNull(item) && !(cJSON_IsNumber(item) && item->valuedouble >= 0))
            return le__db_field_fail(&m->f, "errors[%d] is no number, null or \"inf\"", n);
        out[n++] = inf ? (double)INFINITY : cJSON_IsNull(item) ? (double)NAN : item->valuedouble;
    }
    return n == LE_DB_ERRORS ||
           le__db_field_fail(&m->f, "errors has %d numbers, expected %d", n, LE_DB_ERRORS);
}

static bool read_verdict(le__db_importer *m) {
    le_db_verdict v = {0};
    int state = 0;
    const label *candidate;
    if (!machine_and_build(m, &v.machine, &v.build) ||
        !(candidate = find_label(m, CANDIDATES, "candidate")) ||
        !le__db_field_date(&m->f, "date_ms", &v.date_ms) ||
        !le__db_field_text(&m->f, "size_class", LE_DB_SIZE_CLASS - 1, true, &v.size_class) ||
        !le__db_field_word(&m->f, "state", le_db_state_names, &state) ||
        !read_errors(m, v.errors) ||
        !le__db_field_text(&m->f, "reason", MAX_KEY, true, &v.reason) ||
        !le__db_field_int(&m->f, "attempts", 0, COUNT_MAX, &v.attempts))
        return false;
    v.candidate = candidate->id;
    v.state = (le_db_state)state;
    if (m->options && m->options->add) {
        m->stored = true;
        return check(m, le__db_hand_verdict(m->c, &v));
    }
    return check(m, le__db_put_verdict(m->c, &v, &m->stored));
}

static bool read_choice(le__db_importer *m) {
    le_db_choice v = {0};
    if (!machine_and_build(m, &v.machine, &v.build) ||
        !problem_and_candidate(m, &v.problem, &v.candidate) ||
        !le__db_field_date(&m->f, "date_ms", &v.date_ms) ||
        !le__db_field_text(&m->f, "constraint", MAX_NAME, true, &v.constraint) ||
        !le__db_field_text(&m->f, "objective", MAX_NAME, false, &v.objective))
        return false;
    const cJSON *evidence = cJSON_GetObjectItemCaseSensitive(m->f.row, "evidence");
    char *text = evidence && !cJSON_IsNull(evidence) ? le__json_print(evidence, 0) : NULL;
    v.evidence = text ? text : "";
    bool ok = strlen(v.evidence) < LE__MAX_TEXT || le__db_field_fail(&m->f, "evidence is too long");
    ok = ok && le__db_field_clean(&m->f, "evidence", v.evidence) &&
         check(m, le__db_put_choice(m->c, &v, &m->stored));
    cJSON_free(text);
    return ok;
}

static bool read_account(le__db_importer *m) {
    le_db_account a = {0};
    int64_t origin = 0;
    if (!machine_and_build(m, &a.machine, &a.build) ||
        !le__db_field_date(&m->f, "date_ms", &a.date_ms) ||
        !le__db_field_text(&m->f, "operation", MAX_NAME, false, &a.operation) ||
        !le__db_field_number(&m->f, "answered_s", 0, BIG, &a.answered_s) ||
        !le__db_field_number(&m->f, "explored_s", 0, BIG, &a.explored_s) ||
        !le__db_field_number(&m->f, "regret_s", 0, BIG, &a.regret_s) ||
        !le__db_field_int(&m->f, "calls", 0, COUNT_MAX, &a.calls) ||
        !operation_known(m, a.operation))
        return false;
    return read_origin(m, &origin) && check(m, le__db_put_account(m->c, origin, &a, &m->stored));
}

static const struct {
    const char *name;
    bool (*read)(le__db_importer *m);
} sections[] = {
    {"identities", read_identity}, {"problems", read_problem}, {"candidates", read_candidate},
    {"samples", read_samples},     {"verdicts", read_verdict}, {"choices", read_choice},
    {"accounts", read_account},
};

const char *le__db_import_section(size_t i) {
    return i < sizeof sections / sizeof *sections ? sections[i].name : NULL;
}

void le__db_import_row(le__db_importer *m, const char *section, size_t at, int line) {
    char text[320];
    m->result.rows++;
    m->stored = false;
    bool ok = cJSON_IsObject(m->f.row) ? le__db_field_names(&m->f)
                                       : le__db_field_fail(&m->f, "not an object");
    for (size_t i = 0; ok && i < sizeof sections / sizeof *sections; i++)
        if (strcmp(sections[i].name, section) == 0)
            ok = sections[i].read(m);
    if (ok) {
        *(m->stored ? &m->result.stored : &m->result.same) += 1;
    } else if (m->rc == SQLITE_OK) {
        m->result.bad++;
        snprintf(text, sizeof text, "%s[%zu]: %s; skipped", section, at, m->f.error);
        le__db_import_report(m, line, text);
    }
}

void le__db_importer_free(le__db_importer *m) {
    free(m->labels.data);
    for (int i = 0; i < 3; i++)
        free(m->label_at[i].slots);
}
