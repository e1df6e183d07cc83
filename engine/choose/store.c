/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The dispatcher's side of the timings database.
 */
#include "choose/store.h"

#include "benchdb.h"
#include "stats.h"
#include "utf8.h"
#include "core/array.h"
#include "core/clock.h"
#include "core/cpu.h"
#include "call/engine.h"
#include "call/source.h"
#include "choose/marker.h"
#include "choose/question.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { MET_BITS = 1 << 22, MET_WORD = 64 };
/* The operation has no more choices than it has questions, and a few. */
enum { MOST_CHOICES = 2 * LE__QUESTIONS };

struct le__store {
    le_engine *engine;
    _Atomic uint64_t *met; /* bits by hash */
    le_db *db;
    _Atomic int64_t devices[LE__MAX_DEVICES]; /* identities; 0: not announced yet, or the CPU */
    _Atomic double wait_from;                 /* le__now() from which writes are waited for again */
    _Atomic double read_from;                 /* ... what was locked is read again; 0: it was not */
    _Atomic double answered_before[64];       /* by operation id: seconds of earlier processes */
};

/* -------------------------------------------------------------------------- opening ---------- */

static void pass_log(void *cookie, int level, const char *text) {
    le__log_write(cookie, (le_log_level)level, "%s", text);
}

le_status le__store_open(le__store **out, le_engine *engine) {
    le__store *s = calloc(1, sizeof *s);
    if (!s)
        return le_fail(LE_ERR_MEMORY, "le_open: out of memory");
    char isa[64];
    le__cpu_isa_text(engine->isa, isa, sizeof isa);
    le_db_part machine[] = {{"isa", isa}, {"host", engine->options.host}};
    le_db_part build[] = {
        {"compiler", __VERSION__}, {"times", "without transfers"}, {"version", LE_VERSION}};
    le_db_options o = {.path = engine->options.db_path,
                       .site_path = engine->options.site_db_path,
                       .frozen = engine->options.mode == LE_MODE_FROZEN,
                       .machine = machine,
                       .n_machine = engine->options.host ? 2 : 1,
                       .build = build,
                       .n_build = 3,
                       .log = pass_log,
                       .log_cookie = &engine->log};
    s->engine = engine;
    *out = s;
    s->met = calloc(MET_BITS / MET_WORD, sizeof *s->met);
    if (!s->met)
        return le_fail(LE_ERR_MEMORY, "le_open: out of memory");
    s->db = le_db_open(&o);
    return LE_OK;
}

void le__store_rest(le__store *s) {
    le_db_flush(s->db, 1);
}

le_db *le__store_db(le__store *s) {
    return s->db;
}

void le__store_close(le__store *s) {
    if (!s)
        return;
    le_db_close(&s->db);
    free(s->met);
    free(s);
}

/* ---------------------------------------------------------------------------- names ---------- */

int64_t le__store_device(le__store *s, const le__device *d) {
    if (d->kind == LE_DEVICE_CPU)
        return 0;
    int64_t id = atomic_load(&s->devices[d->index]);
    if (!id) { /* whoever announces it at the same time gets the same */
        char units[16];
        snprintf(units, sizeof units, "%u", d->info->compute_units);
        le_db_part parts[] = {{"name", d->name},
                              {"vendor", d->vendor},
                              {"driver", d->driver},
                              {"platform", d->version},
                              {"units", units}};
        id = le_db_device(s->db, parts, sizeof parts / sizeof *parts);
        atomic_store(&s->devices[d->index], id);
    }
    return id;
}

/* "threads=2,schedule=dynamic,tile=8"; of a proof: the tunables alone. */
static void params_text(const le__candidate *c, bool proof, char *out, size_t size) {
    const char *from = strchr(c->text, '[');
    out[0] = '\0';
    if (from && proof && !strncmp(from, "[threads=", 9)) {
        from = strchr(from, ',');
        from = from ? strchr(from + 1, ',') : NULL;
    }
    if (from)
        snprintf(out, size, "%.*s", (int)strcspn(from + 1, "]"), from + 1);
}

int64_t le__store_candidate(le__store *s, const le__candidate *c, bool proof) {
    char params[LE__CANDIDATE_TEXT], hash[96] = "";
    const le_implementation *impl = c->implementation;
    params_text(c, proof, params, sizeof params);
    size_t n = (size_t)snprintf(hash, sizeof hash, "%s", c->source_hash ? c->source_hash : "");
    for (size_t i = 0; impl->sources && impl->sources[i] && n < sizeof hash - 1; i++) {
        char kernel[LE__KERNEL_HASH];
        le__kernel_hash(impl->sources[i], kernel);
        n += (size_t)snprintf(hash + n, sizeof hash - n, "+%.8s", kernel);
    }
    le_db_candidate_key key = {.operation = impl->operation,
                               .implementation = impl->name,
                               .run_type = impl->run_type,
                               .device = le__store_device(s, c->device),
                               .params = params,
                               .source_hash = hash};
    return le_db_candidate(s->db, &key);
}

int64_t le__store_problem(le__store *s, const char *operation, const char *text,
                          const le_work *work) {
    return le_db_problem(s->db, operation, text, work->operations, work->bytes);
}

bool le__store_has_problem(le__store *s, int64_t problem) {
    return le_db_has_problem(s->db, problem);
}

int64_t le__store_question(le__store *s, const le__question *q) {
    return le__store_has_problem(s, q->db)
               ? q->db
               : le__store_problem(s, q->op->entry->operation->name, q->problem, &q->work);
}

/* ------------------------------------------------------------------------- staleness --------- */

enum { FEW = 4 }; /* undisturbed runs */
static const uint32_t slight = LE_DIFF_OS | LE_DIFF_MEMORY | LE_DIFF_HOST | LE_DIFF_BUILD_OTHER;
static const uint32_t middling = LE_DIFF_COMPILER | LE_DIFF_VERSION | LE_DIFF_FLAGS |
                                 LE_DIFF_DRIVER | LE_DIFF_PLATFORM | LE_DIFF_MACHINE_OTHER |
                                 LE_DIFF_DEVICE_OTHER | LE_DIFF_SOURCE;

/* How far statistics are to be believed: 1 as if measured now, less: a prior. */
static double trust(uint32_t differs, bool site) {
    double t = !differs                            ? 1
               : !(differs & ~slight)              ? 0.7
               : !(differs & ~(slight | middling)) ? 0.3
                                                   : 0.1;
    return site ? 0.5 * t : t;
}

/* A verdict stands while code, device and driver are the same; where it was found does not matter.
 */
static const uint32_t verdict_parts = LE_DIFF_SOURCE | LE_DIFF_DRIVER | LE_DIFF_DEVICE_NAME |
                                      LE_DIFF_DEVICE_VENDOR | LE_DIFF_PLATFORM | LE_DIFF_COMPILER |
                                      LE_DIFF_ISA | LE_DIFF_NO_DEVICE;

/* ---------------------------------------------------------------------------- loading -------- */

static le__arm *arm_of(le__store *s, const le__op_state *op, const le_db_known_candidate *k) {
    for (size_t i = 0; i < op->n_arms; i++) {
        le__arm *a = op->arms[i];
        char params[LE__CANDIDATE_TEXT];
        if (a->db == k->id)
            return a;
        params_text(&a->candidate, false, params, sizeof params);
        int64_t device = le__store_device(s, a->candidate.device);
        if (!strcmp(k->implementation, a->candidate.implementation->name) &&
            !strcmp(k->params, params) && (k->device == 0) == (device == 0) &&
            (device == 0 || k->device_here == device))
            return a;
    }
    return NULL;
}

static le__proof *proof_of(const le__op_state *op, int64_t candidate) {
    for (le__proof *p = op->proofs; p; p = p->next)
        if (p->db == candidate)
            return p;
    return NULL;
}

typedef struct known_times { /* what one sum of samples says */
    const le__arm *arm;
    uint64_t problem;
    le__policy_features features;
    le_moments moments;
    le_db_stopped stopped, stopped_cold;
    bool comparable; /* what took "at least so long" there does here, or so much memory */
    double trust;
    double memory_bytes;
    bool contended; /* as in le__policy_stats */
} known_times;

static le__chosen chosen_by(const le_db_choice *choice) {
    const char *evidence = choice->evidence ? choice->evidence : "";
    return strstr(evidence, LE_DB_UNDER_LOAD)  ? LE__CHOSEN_UNDER_LOAD
           : strstr(evidence, LE__BY_LEARNING) ? LE__CHOSEN_BY_LEARNING
                                               : LE__CHOSEN_BY_RACE;
}

/* Of whoever a race on a quiet machine has chosen against, no more is to be known. */
static bool is_contended(const le_db_knowledge *k, const le_db_known_samples *of) {
    bool contended = of->clean.n == 0 && of->contended.n > 0;
    for (size_t i = 0; i < k->n_choices && contended; i++) {
        const le_db_choice *c = &k->choices[i];
        bool raced =
            c->problem == k->problems[of->problem_index].id && chosen_by(c) == LE__CHOSEN_BY_RACE;
        contended = !raced || c->date_ms < of->first_ms;
    }
    return contended;
}

/* Databases of earlier versions have a step of a chain as a problem of its own, without transfers,
 * and the times of single calls on devices with them. */
static bool read_row(le__store *s, const le__op_state *op, const le_db_knowledge *k,
                     const le_db_known_samples *from, known_times *out) {
    static const char step[] = " (step)";
    const le_db_known_candidate *c = &k->candidates[from->candidate_index];
    const le_db_known_problem *p = &k->problems[from->problem_index];
    const le__arm *arm = arm_of(s, op, c);
    size_t length = strlen(p->key), suffix = sizeof step - 1;
    bool is_step = length > suffix && !strcmp(p->key + length - suffix, step);
    bool cpu = c->device == 0, whole = from->differs & LE_DIFF_BUILD_OTHER && !cpu && !is_step;
    if (!arm || whole)
        return false;
    uint32_t differs = from->differs | (arm->db != c->id ? LE_DIFF_SOURCE : 0);
    le_moments warm = from->clean;
    if (warm.n < FEW) /* one run that seemed undisturbed does not outweigh many that were not */
        le_moments_merge(&warm, &from->contended);
    double of_times = warm.n == 0 && from->cold.n == 0 ? 0 : from->clean.n ? 1 : 0.3;
    const double trusted = trust(differs, from->site);
    const bool comparable = trusted >= 0.7;
    *out = (known_times){.arm = arm,
                         .problem = XXH64(p->key, is_step ? length - suffix : length, 0),
                         .features = {.work = p->work, .bytes = p->bytes},
                         .moments = warm.n ? warm : from->cold,
                         .stopped = from->stopped,
                         .stopped_cold = from->stopped_cold,
                         .comparable = comparable,
                         .memory_bytes = comparable ? (double)from->peak_bytes : 0,
                         .trust = trusted * of_times,
                         .contended = is_contended(k, from)};
    return true;
}

static int by_arm_problem_trust(const void *a, const void *b) {
    const known_times *x = a, *y = b;
    if (x->arm != y->arm)
        return x->arm->index < y->arm->index ? -1 : 1;
    if (x->problem != y->problem)
        return x->problem < y->problem ? -1 : 1;
    return (x->trust < y->trust) - (x->trust > y->trust);
}

static void load_stopped(le__policy *policy, int family, int problem, const known_times *row) {
    const le_db_stopped *runs[2] = {&row->stopped, &row->stopped_cold};
    for (int cold = 0; row->comparable && cold < 2; cold++)
        le__policy_load_cut(policy, family, problem, row->arm->policy, cold,
                            (uint32_t)fmin((double)runs[cold]->n, 1e6), runs[cold]->most_s);
}

/* Of an arm on a problem what is trusted most counts, together. */
static void load_samples(le__store *s, const le__op_state *op, le__policy *policy,
                         const le_db_knowledge *k) {
    known_times *rows = calloc(k->n_samples + 1, sizeof *rows);
    size_t n = 0;
    for (size_t i = 0; rows && i < k->n_samples; i++)
        n += read_row(s, op, k, &k->samples[i], &rows[n]);
    if (n)
        qsort(rows, n, sizeof *rows, by_arm_problem_trust);
    for (size_t i = 0, next; i < n; i = next) {
        le_moments m = rows[i].moments;
        bool contended = rows[i].contended;
        double memory_bytes = 0;
        int problem =
            le__policy_add_problem(policy, op->family, rows[i].problem, &rows[i].features);
        for (next = i;
             next < n && rows[next].arm == rows[i].arm && rows[next].problem == rows[i].problem;
             next++) {
            if (next > i && rows[next].trust >= rows[i].trust) {
                le_moments_merge(&m, &rows[next].moments);
                contended = contended && rows[next].contended;
            }
            load_stopped(policy, op->family, problem, &rows[next]);
            memory_bytes = fmax(memory_bytes, rows[next].memory_bytes);
        }
        le__policy_stats stats = {
            .n = m.n > 1000000 ? 1000000 : (uint32_t)m.n,
            .mean_log = m.mean,
            .m2_log = m.m2,
            .memory_bytes = memory_bytes,
            .contended = contended,
        };
        le__policy_load(policy, op->family, problem, rows[i].arm->policy, &stats, rows[i].trust);
    }
    free(rows);
}

/* Whether it takes the place of what is known. What this process has found is not undone by what it
 * had stored before, nor by what was there before it. */
static bool counts(const le__verdict *v, const le_db_verdict *from, bool here) {
    return v->found < LE__FOUND_EARLIER ||
           (here && (v->found == LE__FOUND_EARLIER || from->state > (le_db_state)v->state));
}

/* Of a first run, which has ended or not. A process that ended in one here is not forgotten for
 * what others have found elsewhere. */
static void load_marker(le__verdict *v, const char *text) {
    le__marker m = le__marker_read(text);
    v->ran = v->ran || m == LE__MARKER_NONE;
    v->suspect = v->wary = !v->ran && m == LE__MARKER_DEAD;
    if (v->suspect && v->found < LE__FOUND_EARLIER)
        v->found = LE__FOUND_EARLIER;
}

static void load_verdict(le__op_state *op, const le_db_verdict *from, bool here) {
    le__proof *p = proof_of(op, from->candidate);
    if (!p || from->differs & verdict_parts)
        return;
    const char *bar = strrchr(from->size_class, '|');
    if (!bar)
        return;
    char kind[256];
    snprintf(kind, sizeof kind, "%.*s", (int)(bar - from->size_class), from->size_class);
    le__verdict *v = le__proof_verdict(p, kind, atoi(bar + 1));
    if (!v)
        return;
    if (from->state == (le_db_state)LE__UNPROVEN) {
        load_marker(v, from->reason);
        return;
    }
    if (!counts(v, from, here))
        return;
    v->found = here ? LE__FOUND_EARLIER : LE__FOUND_ELSEWHERE;
    v->state = (le__state)from->state;
    v->ran = true;
    le__utf8_put_line(v->reason, sizeof v->reason, "", from->reason ? from->reason : "");
    le__verdict_read_time(v);
    v->error.max_abs = from->errors[0];
    memcpy(v->error.rtol_at, from->errors + 1, sizeof v->error.rtol_at);
    const le_operation *operation = op->entry->operation;
    v->refused = v->state == LE__FAILED && v->size_class != LE__CLASS_TRIAL &&
                 !le__error_allows(&v->error, operation->atol, operation->rtol);
    if (v->state == LE__QUARANTINED) {
        p->quarantined = true;
        le__utf8_put_line(p->reason, sizeof p->reason, "quarantined: ", v->reason);
    }
}

/* Whatever of it has changed since. */
static bool is_of_this_machine(const le_db_verdict *v) {
    return !(v->differs & LE_DIFF_HOST);
}

static int by_machine_and_date(const void *a, const void *b) {
    const le_db_verdict *x = *(const le_db_verdict *const *)a,
                        *y = *(const le_db_verdict *const *)b;
    if (is_of_this_machine(x) != is_of_this_machine(y))
        return is_of_this_machine(x) ? -1 : 1;
    return (x->date_ms > y->date_ms) - (x->date_ms < y->date_ms);
}

/* Those of this machine first, and of each kind the newest last, which so stands. */
static void load_verdicts(le__op_state *op, const le_db_knowledge *k) {
    const le_db_verdict **rows = calloc(k->n_verdicts + 1, sizeof *rows);
    for (size_t i = 0; rows && i < k->n_verdicts; i++)
        rows[i] = &k->verdicts[i];
    if (rows)
        qsort(rows, k->n_verdicts, sizeof *rows, by_machine_and_date);
    for (size_t i = 0; rows && i < k->n_verdicts; i++)
        load_verdict(op, rows[i], is_of_this_machine(rows[i]));
    free(rows);
}

static void load_accounts(le__store *s, le__op_state *op, le__policy *policy,
                          const le_db_knowledge *k) {
    double answered = 0, explored = 0;
    if (op->accounted)
        return;
    op->accounted = true;
    for (size_t i = 0; i < k->n_accounts; i++)
        if (k->accounts[i].machine == k->machine) {
            answered += k->accounts[i].answered_s;
            explored += k->accounts[i].explored_s;
        }
    if (op->entry->id < 64)
        s->answered_before[op->entry->id] = answered;
    le__policy_load_account(policy, op->family, answered, explored);
}

bool le__store_has_met(le__store *s, uint64_t hash) {
    uint64_t bit = (hash ^ hash >> 32) % MET_BITS, mask = UINT64_C(1) << bit % MET_WORD;
    return atomic_fetch_or_explicit(&s->met[bit / MET_WORD], mask, memory_order_relaxed) & mask;
}

static int by_problem(const void *a, const void *b) {
    const le__stored_choice *x = a, *y = b;
    if (x->problem != y->problem)
        return x->problem < y->problem ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Adds the choices to be believed to those of the operation, in the order of their problems. */
static void load_choices(le__store *s, le__op_state *op, const le_db_knowledge *k) {
    if (!LE__ARRAY_RESIZE(op->choices, op->n_choices + k->n_choices + 1))
        return;
    for (size_t i = 0; i < k->n_choices; i++) {
        const le_db_choice *c = &k->choices[i];
        le__arm *arm = arm_of(s, op, &k->candidates[c->candidate_index]);
        if (!arm)
            continue;
        uint32_t source = arm->db != k->candidates[c->candidate_index].id ? LE_DIFF_SOURCE : 0;
        if (trust(c->differs | source, c->site) < 0.6)
            continue;
        le__stored_choice *to = &op->choices[op->n_choices++];
        to->problem = c->problem;
        to->rank = i;
        to->arm = arm;
        to->chosen = chosen_by(c);
        snprintf(to->constraint, sizeof to->constraint, "%s", c->constraint ? c->constraint : "");
    }
    qsort(op->choices, op->n_choices, sizeof *op->choices, by_problem);
}

static void forget_choices(le__op_state *op, int64_t problem) {
    size_t n = 0;
    for (size_t i = 0; i < op->n_choices; i++)
        if (op->choices[i].problem != problem)
            op->choices[n++] = op->choices[i];
    op->n_choices = n;
}

/* The rows of an operation, or of one problem (0: all); NULL when they could not be read. A
 * database that is locked is waited for once, and looked at again now and then: callers go on
 * without it. */
static le_db_knowledge *read_rows(le__store *s, const char *operation, int64_t problem,
                                  unsigned flags) {
    le_db_knowledge *k = NULL;
    double from = atomic_load(&s->read_from);
    if (from > 0 && le__now() < from)
        return NULL;
    flags |= from > 0 ? LE_DB_LOAD_AT_ONCE : 0u;
    le_db_status status = problem ? le_db_load_problem(s->db, operation, problem, flags, &k)
                                  : le_db_load(s->db, operation, flags, &k);
    atomic_store(&s->read_from, status == LE_DB_BUSY ? le__now() + LE__READ_AGAIN_S : 0);
    if (status == LE_DB_BUSY)
        le_db_knowledge_free(&k);
    return k;
}

bool le__store_load(le__store *s, le__op_state *op, le__policy *policy) {
    for (int i = 1; i < s->engine->n_devices; i++)
        le__store_device(s, &s->engine->devices[i]);
    le_db_knowledge *k = read_rows(s, op->entry->operation->name, 0, LE_DB_LOAD_RECENT);
    if (!k)
        return false;
    for (size_t i = 0; i < k->n_problems; i++)
        le__store_has_met(s, (uint64_t)k->problems[i].id);
    load_samples(s, op, policy, k);
    load_verdicts(op, k);
    load_accounts(s, op, policy, k);
    op->n_choices = 0;
    load_choices(s, op, k);
    le_db_knowledge_free(&k);
    return true;
}

bool le__store_load_verdicts(le__store *s, le__op_state *op) {
    le_db_knowledge *k = read_rows(s, op->entry->operation->name, 0, LE_DB_LOAD_RECENT);
    if (!k)
        return false;
    load_verdicts(op, k);
    le_db_knowledge_free(&k);
    return true;
}

bool le__store_load_problem(le__store *s, le__op_state *op, le__policy *policy, int64_t problem) {
    le_db_knowledge *k = read_rows(s, op->entry->operation->name, problem, 0);
    if (!k)
        return false;
    if (policy)
        load_samples(s, op, policy, k);
    if (op->n_choices > MOST_CHOICES)
        op->n_choices = 0;
    forget_choices(op, problem);
    load_choices(s, op, k);
    le_db_knowledge_free(&k);
    return true;
}

/* Where the choices of a problem begin, or would. */
static size_t place_of(const le__op_state *op, int64_t problem) {
    size_t low = 0, high = op->n_choices;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (op->choices[middle].problem < problem)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

le__stored_choice *le__store_choice(const le__op_state *op, int64_t problem,
                                    const char *constraint) {
    for (size_t i = place_of(op, problem); i < op->n_choices && op->choices[i].problem == problem;
         i++)
        if (!strcmp(op->choices[i].constraint, constraint))
            return &op->choices[i];
    return NULL;
}

static le__stored_choice *add_choice(le__op_state *op, int64_t problem, const char *constraint) {
    if (op->n_choices >= MOST_CHOICES || !LE__ARRAY_RESIZE(op->choices, op->n_choices + 1))
        return NULL;
    le__stored_choice *choices = op->choices;
    size_t at = place_of(op, problem);
    memmove(choices + at + 1, choices + at, (op->n_choices++ - at) * sizeof *choices);
    choices[at] = (le__stored_choice){.problem = problem};
    snprintf(choices[at].constraint, sizeof choices[at].constraint, "%s", constraint);
    return &choices[at];
}

void le__store_note_choice(le__op_state *op, int64_t problem, const char *constraint, le__arm *arm,
                           le__chosen chosen) {
    le__stored_choice *c = le__store_choice(op, problem, constraint);
    if (!c && chosen != LE__CHOSEN_BY_LEARNING)
        c = add_choice(op, problem, constraint);
    if (!c)
        return;
    c->arm = arm;
    c->chosen = chosen;
}

int64_t le__store_note(le__store *s, const char *operation, const char *implementation,
                       const char *params) {
    le_db_candidate_key key = {.operation = operation,
                               .implementation = implementation,
                               .run_type = "staged",
                               .params = params};
    return le_db_candidate(s->db, &key);
}

bool le__store_each_note(le__store *s, const char *operation,
                         void (*fn)(void *cookie, const char *problem, const char *constraint,
                                    const char *evidence),
                         void *cookie) {
    le_db_knowledge *k = read_rows(s, operation, 0, 0);
    if (!k)
        return false;
    for (size_t i = 0; i < k->n_choices; i++) {
        const le_db_choice *c = &k->choices[i];
        if (trust(c->differs, c->site) >= 0.6 && c->evidence)
            fn(cookie, k->problems[c->problem_index].key, c->constraint ? c->constraint : "",
               c->evidence);
    }
    le_db_knowledge_free(&k);
    return true;
}

static double seconds_in(le__store *s, const le_db_knowledge *k, const le__candidate *c,
                         const char *problem) {
    int64_t device = le__store_device(s, c->device);
    for (size_t i = 0; i < k->n_samples; i++) {
        const le_db_known_samples *from = &k->samples[i];
        const le_db_known_candidate *known = &k->candidates[from->candidate_index];
        const le_moments *m = from->clean.n ? &from->clean : &from->contended;
        if (m->n && trust(from->differs, from->site) >= 0.7 &&
            !strcmp(known->implementation, c->implementation->name) &&
            known->device_here == device && !strcmp(k->problems[from->problem_index].key, problem))
            return exp(m->mean);
    }
    return NAN;
}

bool le__store_seconds(le__store *s, const le__candidate *c, char (*problems)[64], int n,
                       double *seconds) {
    le__store_device(s, c->device); /* what is read is compared with it */
    le_db_knowledge *k = read_rows(s, c->implementation->operation, 0, 0);
    for (int i = 0; i < n; i++)
        seconds[i] = k ? seconds_in(s, k, c, problems[i]) : NAN;
    bool read = k != NULL;
    le_db_knowledge_free(&k);
    return read;
}

double le__store_answered(le__store *s, const le__op_state *op) {
    return op->entry->id < 64 ? s->answered_before[op->entry->id] : 0;
}

/* ---------------------------------------------------------------------------- writing -------- */

void le__store_sample(le__store *s, int64_t problem, int64_t candidate, const le__observation *o) {
    double own = le__own_seconds(o->stats->seconds, o->stats->transfer_seconds);
    le_db_sample sample = {.seconds = own,
                           .setup_s = o->stats->setup_seconds,
                           .kernel_s = o->stats->kernel_seconds,
                           .load = o->conditions.load,
                           .steal = o->conditions.steal,
                           .throttled = o->conditions.throttled,
                           .pressure = o->conditions.pressure,
                           .peak_bytes = o->stats->peak_scratch_bytes,
                           .flags = (o->cold ? LE_SAMPLE_COLD : 0u) |
                                    (o->bench ? LE_SAMPLE_BENCH : 0u) |
                                    (o->conditions.known ? LE_SAMPLE_KNOWN_LOAD : 0u)};
    bool disturbed = le__conditions_weight(&o->conditions) < 1;
    if (disturbed)
        sample.flags |= LE_SAMPLE_CONTENDED;
    if (o->cut) /* as the policy takes it */
        sample.flags |= LE_SAMPLE_STOPPED | (disturbed ? LE_SAMPLE_COLD : 0u);
    le_db_add_samples(s->db, problem, candidate, &sample, 1);
}

/* The database keeps moments: two samples at mean -+ deviation, half of the runs each, have the
 * bulk's own. */
void le__store_bulk(le__store *s, int64_t problem, int64_t candidate, const struct le__bulk *b) {
    enum { MOST = 1000 };
    double deviation = b->n > 1 ? sqrt(b->m2_log / (double)b->n) : 0;
    uint32_t n = b->n < MOST ? (uint32_t)b->n : MOST;
    le_db_sample samples[] = {{.seconds = exp(b->mean_log - deviation), .times = n - n / 2},
                              {.seconds = exp(b->mean_log + deviation), .times = n / 2}};
    if (n > 0)
        le_db_add_samples(s->db, problem, candidate, samples, n > 1 ? 2 : 1);
}

void le__store_verdict(le__store *s, const le__proof *p, const le__verdict *v) {
    char size_class[LE_DB_SIZE_CLASS];
    _Static_assert(sizeof v->kind + sizeof "|-2147483648" <= sizeof size_class, "it is cut");
    snprintf(size_class, sizeof size_class, "%s|%d", v->kind, v->size_class);
    le_db_verdict row = {.candidate = p->db,
                         .size_class = size_class,
                         .state = (le_db_state)v->state,
                         .reason = v->reason,
                         .attempts = 1};
    row.errors[0] = v->error.max_abs;
    memcpy(row.errors + 1, v->error.rtol_at, sizeof v->error.rtol_at);
    le_db_add_verdict(s->db, &row);
}

/* Written before the run, so that it is there when the process does not survive that. A database
 * that another process has locked is not waited for. */
void le__store_first_run(le__store *s, const le__proof *p, const le__verdict *v, bool begins) {
    static const double wait_s = 0.5, patience_s = 10;
    le__verdict row = *v;
    row.state = LE__UNPROVEN;
    row.error = (le__error_profile){0};
    row.reason[0] = '\0';
    if (begins)
        le__marker_write(row.reason, sizeof row.reason);
    else if (!v->ran)
        le__marker_write_unseen(row.reason, sizeof row.reason);
    le__store_verdict(s, p, &row);
    double now = le__now();
    if (begins && now >= atomic_load(&s->wait_from) && !le_db_flush(s->db, wait_s) &&
        le__now() - now >= wait_s)
        atomic_store(&s->wait_from, now + patience_s);
}

void le__store_keep_choice(le__store *s, int64_t problem, int64_t candidate, const char *constraint,
                           const char *evidence) {
    le_db_choice row = {
        .problem = problem, .candidate = candidate, .constraint = constraint, .evidence = evidence};
    le_db_add_choice(s->db, &row);
}

void le__store_account(le__store *s, const char *operation, double answered_s, double explored_s,
                       int64_t calls) {
    le_db_account row = {
        .operation = operation, .answered_s = answered_s, .explored_s = explored_s, .calls = calls};
    le_db_add_account(s->db, &row);
}

void le__store_regret(le__store *s, const char *operation, double seconds) {
    le_db_account row = {.operation = operation, .regret_s = seconds};
    le_db_add_account(s->db, &row);
}
