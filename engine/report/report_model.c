/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Puts the database's rows together: samples of a candidate on a problem, its error, what is chosen
 * and what comes next.
 */
#include "again.h"

#include "numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const uint32_t host_bits = LE_DIFF_HOST;
static const uint32_t stale_bits = LE_DIFF_CPU_MODEL | LE_DIFF_CORES | LE_DIFF_DEVICE_NAME |
                                   LE_DIFF_DEVICE_VENDOR | LE_DIFF_DRIVER;

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

double le__report_age_s(const report *r, int64_t date_ms) {
    return date_ms > 0 ? (double)(r->now_ms - date_ms) * 1e-3 : NAN;
}

bool le__report_tolerance(const char *constraint, double *atol, double *rtol) {
    const char *a = strstr(constraint, "atol="), *b = strstr(constraint, "rtol=");
    *atol = a ? le__number_parse(a + 5, NULL) : 0;
    *rtol = b ? le__number_parse(b + 5, NULL) : 0;
    return a || b;
}

/* Whether an error profile meets atol and rtol (|a-b| <= atol + rtol*|b|); unknown errors do not.
 */
static bool error_allows(const double *errors, double atol, double rtol) {
    if (errors[0] <= atol)
        return true;
    double level = 1;
    for (int k = 0; k + 1 < LE_DB_ERRORS; k++, level *= 0.1)
        if (level <= atol * (1 + 1e-9))
            return errors[1 + k] <= rtol;
    return atol == 0 && errors[LE_DB_ERRORS - 1] <= 0.5 * rtol;
}

/* --- candidates --- */

void le__report_candidate_text(report_candidate *c, const char *device) {
    const char *params = c->known->params;
    snprintf(c->text, sizeof c->text, *params ? "%s@%s[%s]" : "%s@%s", c->known->implementation,
             device, params);
}

static void describe(const le_db_knowledge *k, report_candidate *c) {
    const le_db_identity *device =
        c->known->device ? le_db_find_identity(k, c->known->device) : NULL;
    le__report_candidate_text(c, c->known->device ? "opencl" : "cpu");
    c->device = !c->known->device ? "CPU pool" : device ? le_db_identity_part(device, "name") : "";
    c->reference = !strcmp(c->known->run_type, "reference");
}

/* The tunables of a proof are those of the candidate without threads and schedule. */
static bool params_contain(const char *params, const char *part) {
    while (*part) {
        size_t n = strcspn(part, ",");
        const char *at = params;
        while (*at && !(strcspn(at, ",") == n && !strncmp(at, part, n))) {
            at += strcspn(at, ",");
            at += *at == ',';
        }
        if (!*at && n)
            return false;
        part += n + (part[n] == ',');
    }
    return true;
}

static bool is_proof_of(const le_db_known_candidate *proof, const le_db_known_candidate *c) {
    return proof == c ||
           (!strcmp(proof->operation, c->operation) &&
            !strcmp(proof->implementation, c->implementation) && proof->device == c->device &&
            !strcmp(proof->source_hash, c->source_hash) &&
            params_contain(c->params, proof->params));
}

/* Whether a kind, "volume=f32 outside=error", is that of a problem: its words are the problem's,
 * whose tensors have a shape behind the dtype. */
static bool is_kind_of(const char *kind, size_t length, const char *problem) {
    const char *end = kind + length;
    while (kind < end) {
        size_t n = strcspn(kind, " |");
        bool found = false;
        for (const char *at = problem; *at && !found; at += strcspn(at, " "), at += *at == ' ')
            found = !strncmp(at, kind, n) && strchr(" [(", at[n]);
        if (!found && n)
            return false;
        kind += n + 1;
    }
    return true;
}

/* Classes of work as the engine makes them, a factor of 8 each; -1 is the trial on a small sample.
 */
static bool is_class_of(const char *text, double work) {
    int class = atoi(text), own = work > 1 ? (int)(log2(work) / 3) : 0;
    return class == -1 || class == (own < 31 ? own : 31);
}

static bool concerns(const le_db_verdict *v, const le_db_known_problem *p) {
    const char *bar = strrchr(v->size_class, '|');
    if (v->state == LE_DB_QUARANTINED || !bar)
        return true;
    return is_kind_of(v->size_class, (size_t)(bar - v->size_class), p->key) &&
           is_class_of(bar + 1, p->work);
}

static void add_verdict(report_candidate *c, const le_db_verdict *v) {
    if (v->state > c->state || (v->state == c->state && !*c->reason && v->reason)) {
        c->state = v->state;
        c->reason = v->reason ? v->reason : "";
    }
    if (v->state != LE_DB_PROVEN)
        return;
    for (int i = 0; i < LE_DB_ERRORS; i++)
        if (!isnan(v->errors[i]) && !(c->errors[i] > v->errors[i]))
            c->errors[i] = v->errors[i];
}

static void find_verdicts(const le_db_knowledge *k, const le_db_known_problem *p, bool all,
                          report_candidate *c) {
    for (size_t i = 0; i < k->n_verdicts; i++) {
        const le_db_verdict *v = &k->verdicts[i];
        if ((all || !(v->differs & host_bits)) && concerns(v, p) &&
            is_proof_of(&k->candidates[v->candidate_index], c->known))
            add_verdict(c, v);
    }
}

/* --- samples --- */

typedef struct gathered {
    le_moments clean, contended, cold;
    le_sketch sketch;
    double cpu_s; /* total over cpu_n samples */
    int64_t cpu_n;
} gathered;

static void gather(report_candidate *c, gathered *g, const le_db_known_samples *s) {
    le_moments_merge(&g->clean, &s->clean);
    le_moments_merge(&g->contended, &s->contended);
    le_moments_merge(&g->cold, &s->cold);
    le_sketch_merge(&g->sketch, &s->sketch);
    c->stopped_s = fmax(c->stopped_s, fmax(s->stopped.most_s, s->stopped_cold.most_s));
    c->least = fmin(c->least, s->min_s);
    c->most = fmax(c->most, s->max_s);
    g->cpu_s += s->cpu_n > 0 ? s->cpu_s : 0;
    g->cpu_n += s->cpu_n;
    if (s->setup_s > 0)
        c->setup_s = fmax(c->setup_s, s->setup_s);
    if (s->peak_bytes > c->peak_bytes)
        c->peak_bytes = s->peak_bytes;
    if (s->last_ms > c->last_ms)
        c->last_ms = s->last_ms;
}

/* A sketch knows times to a hundredth or two only; none lies beyond the least and the greatest. */
static double quantile(const report_candidate *c, const gathered *g, double q) {
    return g->clean.n ? fmin(fmax(le_sketch_quantile(&g->sketch, q), c->least), c->most) : NAN;
}

static void summarize(report_candidate *c, const gathered *g) {
    const le_moments *m = g->clean.n ? &g->clean : &g->contended;
    c->cpu_s = g->cpu_n > 0 ? g->cpu_s / (double)g->cpu_n : NAN;
    c->samples = g->clean.n;
    c->contended = g->contended.n;
    c->cold = g->cold.n;
    if (m->n == 0)
        m = &g->cold;
    if (m->n == 0)
        return;
    c->time = exp(m->mean);
    double low, high;
    if (le_moments_interval(m, 0.9, &low, &high)) {
        c->low = exp(low);
        c->high = exp(high);
    }
    c->median = quantile(c, g, 0.5);
    c->p99 = quantile(c, g, 0.99);
    c->cold_time = g->cold.n ? exp(g->cold.mean) : NAN;
}

/* Rows that hold here and now where there are any, else what was measured under other conditions;
 * of all machines: all rows. */
static void measure(const le_db_knowledge *k, bool all, uint32_t problem, uint32_t candidate,
                    report_candidate *c) {
    gathered *g = calloc(1, sizeof *g);
    for (int pass = 0; g && pass < 2 && !c->last_ms; pass++) {
        c->stale = pass == 1;
        for (size_t i = 0; i < k->n_samples; i++) {
            const le_db_known_samples *s = &k->samples[i];
            bool here = all || !(s->differs & host_bits);
            bool fresh = all || !(s->differs & stale_bits);
            if (s->problem_index == problem && s->candidate_index == candidate && here &&
                (pass == 1 || fresh))
                gather(c, g, s);
        }
    }
    if (g)
        summarize(c, g);
    if (!c->last_ms)
        c->stale = false;
    free(g);
}

/* Fastest first; behind all others those that are not shown. */
static int by_time(const void *x, const void *y) {
    const report_candidate *a = x, *b = y;
    if (a->hidden != b->hidden)
        return a->hidden - b->hidden;
    bool no_a = isnan(a->time), no_b = isnan(b->time);
    if (no_a != no_b)
        return no_a - no_b;
    if (!no_a && a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return strcmp(a->text, b->text);
}

static bool matches_device(const report_candidate *c, const char *device) {
    return !device || strcasestr(c->device, device) || strstr(c->text, device);
}

/* The same candidate of an older source is a row of its own in the database: the newest is shown.
 */
static void drop_older_sources(report_problem *p) {
    size_t n = 0;
    for (size_t i = 0; i < p->n_known; i++) {
        report_candidate *c = &p->candidates[i], *twin = NULL;
        for (size_t j = 0; j < n && !twin; j++)
            if (!strcmp(p->candidates[j].text, c->text) &&
                p->candidates[j].known->device == c->known->device)
                twin = &p->candidates[j];
        if (!twin)
            p->candidates[n++] = *c;
        else if (c->last_ms > twin->last_ms)
            *twin = *c;
    }
    p->n_known = n;
}

/* A proof (the code without threads and schedule) is no candidate unless something was measured. */
static bool is_one(const report_candidate *c) {
    return c->last_ms || c->state == LE_DB_FAILED || c->state == LE_DB_QUARANTINED;
}

static bool make_candidates(report_problem *p, const le_db_knowledge *k, const report_filter *f) {
    uint32_t problem = (uint32_t)(p->known - k->problems);
    p->candidates = calloc(k->n_candidates ? k->n_candidates : 1, sizeof *p->candidates);
    for (size_t i = 0; p->candidates && i < k->n_candidates; i++) {
        report_candidate *c = &p->candidates[p->n_known];
        if (strcmp(k->candidates[i].operation, p->known->operation) != 0)
            continue;
        *c = (report_candidate){.known = &k->candidates[i], .reason = ""};
        c->time = c->low = c->high = c->median = c->p99 = NAN;
        c->least = c->most = c->cold_time = c->cpu_s = c->setup_s = NAN;
        for (int e = 0; e < LE_DB_ERRORS; e++)
            c->errors[e] = NAN;
        describe(k, c);
        measure(k, f->all_machines, problem, (uint32_t)i, c);
        find_verdicts(k, p->known, f->all_machines, c);
        c->hidden = !matches_device(c, f->device);
        p->n_known += is_one(c);
    }
    if (!p->candidates)
        return false;
    drop_older_sources(p);
    qsort(p->candidates, p->n_known, sizeof *p->candidates, by_time);
    while (p->n_candidates < p->n_known && !p->candidates[p->n_candidates].hidden)
        p->n_candidates++;
    return true;
}

/* --- choices --- */

/* The value of "name=..." in a constraint; false: there is none. A device's may have spaces. */
static bool asked_for(const char *constraint, const char *name, char *out, size_t size) {
    static const char *const next[] = {" implementation=", " device=", " memory=", " reproducible"};
    const char *at = strstr(constraint, name);
    if (!at)
        return false;
    at += strlen(name);
    size_t n = strlen(at);
    for (size_t i = 0; i < sizeof next / sizeof *next; i++) {
        const char *end = strstr(at, next[i]);
        n = end && (size_t)(end - at) < n ? (size_t)(end - at) : n;
    }
    snprintf(out, size, "%.*s", (int)n, at);
    return true;
}

static bool is_on(const report_candidate *c, const char *device) {
    if (!strcmp(device, "all"))
        return true;
    if (!strcmp(device, "cpu"))
        return !c->known->device;
    if (!strncmp(device, "opencl", 6)) /* the database does not know the numbers */
        return c->known->device != 0;
    return c->known->device && strcasestr(c->device, device);
}

/* "avx2", or a candidate: "avx2@cpu[threads=2]" */
static bool is_implementation(const report_candidate *c, const char *wanted) {
    size_t n = strcspn(wanted, "@[");
    const char *params = strchr(wanted, '[');
    char part[160] = "";
    if (params)
        snprintf(part, sizeof part, "%.*s", (int)strcspn(params + 1, "]"), params + 1);
    return strlen(c->known->implementation) == n && !strncmp(c->known->implementation, wanted, n) &&
           params_contain(c->known->params, part);
}

/* Whether the candidate is what a constraint asks for by name, and within its memory. */
static bool is_asked_for(const report_candidate *c, const char *constraint) {
    char value[160];
    if (asked_for(constraint, " run_type=", value, sizeof value) &&
        strcmp(value, c->known->run_type) != 0)
        return false;
    if (asked_for(constraint, " implementation=", value, sizeof value) &&
        !is_implementation(c, value))
        return false;
    if (asked_for(constraint, " device=", value, sizeof value) && !is_on(c, value))
        return false;
    return !asked_for(constraint, " memory=", value, sizeof value) ||
           (double)c->peak_bytes <= le__number_parse(value, NULL);
}

bool le__report_may_answer(const report_candidate *c, const char *constraint) {
    double atol, rtol;
    if (isnan(c->time) || c->state == LE_DB_FAILED || c->state == LE_DB_QUARANTINED)
        return false;
    if (!is_asked_for(c, constraint))
        return false;
    return !le__report_tolerance(constraint, &atol, &rtol) || c->reference || isnan(c->errors[0]) ||
           error_allows(c->errors, atol, rtol);
}

/* Reproducible calls are always answered by the same code, whatever is measured. */
static bool may_replace(const report_candidate *other, const report_choice *c) {
    const le_db_known_candidate *a = other->known, *b = c->candidate->known;
    bool same_code = !strcmp(a->implementation, b->implementation) && a->device == b->device;
    return le__report_may_answer(other, c->constraint) &&
           (same_code || !strstr(c->constraint, " reproducible"));
}

static void compare(report_choice *c) {
    const report_problem *p = c->problem;
    c->runner_up_ratio = c->reference_ratio = NAN;
    for (size_t i = 0; i < p->n_known; i++) {
        const report_candidate *other = &p->candidates[i];
        if (other == c->candidate || isnan(other->time))
            continue;
        if ((!c->runner_up || other->time < c->runner_up->time) && may_replace(other, c))
            c->runner_up = other;
        if (other->reference && isnan(c->reference_ratio))
            c->reference_ratio = other->time / c->candidate->time;
    }
    if (c->candidate->reference)
        c->reference_ratio = 1;
    if (c->runner_up)
        c->runner_up_ratio = c->runner_up->time / c->candidate->time;
}

static const report_candidate *find_candidate(const report_problem *p, const le_db_knowledge *k,
                                              uint32_t index) {
    const le_db_known_candidate *known = &k->candidates[index];
    for (size_t i = 0; i < p->n_known; i++)
        if (p->candidates[i].known == known)
            return &p->candidates[i];
    return NULL;
}

/* NULL: none may answer. */
static const report_candidate *fastest(const report_problem *p) {
    const report_candidate *best = NULL;
    for (size_t i = 0; i < p->n_known; i++) {
        const report_candidate *c = &p->candidates[i];
        if (le__report_may_answer(c, "") && (!best || c->time < best->time))
            best = c;
    }
    return best;
}

static void add_choice(report_problem *p, const report_choice *choice) {
    for (size_t i = 0; i < p->n_choices; i++) {
        report_choice *old = &p->choices[i];
        if (strcmp(old->constraint, choice->constraint) ||
            strcmp(old->objective, choice->objective))
            continue;
        if (choice->date_ms > old->date_ms)
            *old = *choice; /* of an earlier state of this machine */
        return;
    }
    p->choices[p->n_choices++] = *choice;
}

static const char *text_or(const char *text, const char *other) {
    return text && *text ? text : other;
}

static bool make_choices(report_problem *p, const le_db_knowledge *k, const report_filter *f) {
    uint32_t problem = (uint32_t)(p->known - k->problems);
    p->choices = calloc(k->n_choices + 1, sizeof *p->choices);
    if (!p->choices)
        return false;
    for (size_t i = 0; i < k->n_choices; i++) {
        const le_db_choice *c = &k->choices[i];
        if (c->problem_index != problem || (!f->all_machines && c->differs & host_bits))
            continue;
        report_choice choice = {.problem = p,
                                .constraint = text_or(c->constraint, ""),
                                .objective = text_or(c->objective, "time"),
                                .evidence = text_or(c->evidence, ""),
                                .stored = true,
                                .date_ms = c->date_ms,
                                .candidate = find_candidate(p, k, c->candidate_index)};
        if (choice.candidate)
            add_choice(p, &choice);
    }
    const report_candidate *best = p->n_choices ? NULL : fastest(p);
    if (best)
        add_choice(p, &(report_choice){.problem = p,
                                       .constraint = "",
                                       .objective = "time",
                                       .evidence = "",
                                       .date_ms = best->last_ms,
                                       .candidate = best});
    for (size_t i = 0; i < p->n_choices; i++)
        compare(&p->choices[i]);
    return true;
}

/* --- problems --- */

static bool is_listed(char *const *list, const char *name) {
    if (!list || !*list)
        return true;
    for (; *list; list++)
        if (!strcmp(*list, name))
            return true;
    return false;
}

static bool has_words(char *const *words, const char *text) {
    for (; words && *words; words++)
        if (!strstr(text, *words))
            return false;
    return true;
}

static bool is_wanted_operation(const char *name, const report_filter *f) {
    bool internal = name[0] == '@' && !(f->operations && *f->operations);
    return !internal && is_listed(f->operations, name);
}

static bool is_wanted(const le_db_known_problem *p, const report_filter *f) {
    return is_wanted_operation(p->operation, f) && has_words(f->words, p->key);
}

static int by_operation(const void *x, const void *y) {
    const report_problem *a = x, *b = y;
    int order = strcmp(a->known->operation, b->known->operation);
    if (order)
        return order;
    if (a->known->work != b->known->work)
        return a->known->work < b->known->work ? -1 : 1;
    return strcmp(a->known->key, b->known->key);
}

static void repair_links(report_problem *p) {
    for (size_t i = 0; i < p->n_choices; i++)
        p->choices[i].problem = p;
}

/* The identity that this machine's rows were written under, should it not be the present one. */
static const le_db_identity *this_machine(const le_db_knowledge *k) {
    const le_db_identity *here = le_db_find_identity(k, k->machine);
    for (size_t i = 0; !here && i < k->n_identities; i++)
        if (k->identities[i].kind == LE_DB_MACHINE && !(k->identities[i].differs & host_bits))
            here = &k->identities[i];
    return here;
}

/* The database has one for each machine and build. */
static bool make_accounts(report *r, const le_db_knowledge *k, const report_filter *f) {
    r->accounts = calloc(k->n_accounts + 1, sizeof *r->accounts);
    for (size_t i = 0; r->accounts && i < k->n_accounts; i++) {
        const le_db_account *from = &k->accounts[i];
        size_t at = 0;
        if ((!f->all_machines && from->differs & host_bits) ||
            !is_wanted_operation(from->operation, f))
            continue;
        while (at < r->n_accounts && strcmp(r->accounts[at].operation, from->operation) != 0)
            at++;
        report_account *to = &r->accounts[at];
        r->n_accounts += at == r->n_accounts;
        to->operation = from->operation;
        to->calls += from->calls;
        to->answered_s += from->answered_s;
        to->explored_s += from->explored_s;
        to->regret_s += from->regret_s;
    }
    return r->accounts != NULL;
}

bool le__report_make(report *out, const le_db_knowledge *k, const char *path,
                     const report_filter *f) {
    *out = (report){.knowledge = k, .path = path, .now_ms = f->now_ms ? f->now_ms : now_ms()};
    out->all_machines = f->all_machines;
    out->machine = f->all_machines ? NULL : this_machine(k);
    out->problems = calloc(k->n_problems ? k->n_problems : 1, sizeof *out->problems);
    bool ok = out->problems != NULL && make_accounts(out, k, f);
    for (size_t i = 0; ok && i < k->n_problems; i++) {
        if (!is_wanted(&k->problems[i], f))
            continue;
        report_problem *p = &out->problems[out->n_problems++];
        p->known = &k->problems[i];
        ok = make_candidates(p, k, f) && make_choices(p, k, f);
        if (ok && p->n_candidates == 0) { /* of another machine, or another device */
            free(p->candidates);
            free(p->choices);
            *p = (report_problem){0};
            out->n_problems--;
        }
    }
    if (!ok) {
        le__report_free(out);
        return false;
    }
    qsort(out->problems, out->n_problems, sizeof *out->problems, by_operation);
    for (size_t i = 0; i < out->n_problems; i++)
        repair_links(&out->problems[i]);
    le__report_name_devices(out);
    return true;
}

void le__report_free(report *r) {
    le__again_end(r);
    for (size_t i = 0; i < r->n_problems; i++) {
        free(r->problems[i].candidates);
        free(r->problems[i].choices);
    }
    free(r->problems);
    free(r->accounts);
    *r = (report){0};
}

double le__report_base_time(const report_problem *p) {
    return p->n_choices      ? p->choices[0].candidate->time
           : p->n_candidates ? p->candidates[0].time
                             : NAN;
}

bool le__report_under_load(const report_choice *c) {
    return strstr(c->evidence, LE_DB_UNDER_LOAD) != NULL;
}

const char *le__report_remark(const report_candidate *c, char *buffer, size_t size) {
    char time[LE__TEXT];
    buffer[0] = '\0';
    if (c->state == LE_DB_FAILED || c->state == LE_DB_QUARANTINED)
        snprintf(buffer, size, "%s: %s", le_db_state_names[c->state], c->reason);
    else if (c->stale)
        snprintf(buffer, size, "stale: measured on other hardware or with another driver");
    else if (c->samples == 0 && c->contended)
        snprintf(buffer, size, "measured only while the machine was busy");
    else if (c->samples == 0 && c->cold)
        snprintf(buffer, size, "only its first run was timed");
    else if (c->samples == 0 && c->stopped_s > 0)
        snprintf(buffer, size, "too slow: stopped after %s", le__seconds_text(c->stopped_s, time));
    return buffer;
}

long long le__report_count(const report_candidate *c) {
    return (long long)(c->samples ? c->samples : c->contended ? c->contended : c->cold);
}

static const char *samples_word(long long n) {
    return n == 1 ? "sample" : "samples";
}

const char *le__report_samples(const report_candidate *c, char *buffer, size_t size) {
    long long clean = (long long)c->samples, busy = (long long)c->contended,
              cold = (long long)c->cold;
    if (busy && clean)
        snprintf(buffer, size, "%lld %s and %lld under load", clean, samples_word(clean), busy);
    else if (busy)
        snprintf(buffer, size, "%lld %s under load", busy, samples_word(busy));
    else if (clean == 0 && cold == 0)
        snprintf(buffer, size, "no sample");
    else if (clean == 0)
        snprintf(buffer, size, cold == 1 ? "one first run" : "%lld first runs", cold);
    else
        snprintf(buffer, size, "%lld %s", clean, samples_word(clean));
    return buffer;
}
