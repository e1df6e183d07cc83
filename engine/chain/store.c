/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The plan of a chain as a choice in the database, under the operation LE_DB_CHAIN. Its problem is
 * the chain with its shapes, its candidate tells where the steps run, and its evidence has every
 * step's candidate and device (by identity: "opencl:0" may be another one tomorrow) with the times
 * that were expected.
 */
#include "chain/state.h"

#include "benchdb.h"
#include "core/text.h"
#include "choose/dispatch.h"
#include "call/engine.h"

#include "trial/discover.h"
#include "trial/trial_server.h"
#include "numbers.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- names --- */

/* The same in every process. Dynamic steps count as they were built: whatever rows are expected of
 * them, their plan is one. */
static uint64_t hash_steps(const le_chain *c) {
    uint64_t h = (uint64_t)c->n_steps;
    for (int i = 0; i < c->n_steps; i++) {
        const le__chain_step *s = c->steps[i];
        char problem[LE__PROBLEM_TEXT], constraint[256];
        const char *name = s->entry->operation->name;
        le__problem_text(&s->call, problem, sizeof problem);
        le__constraint_text(&s->call, constraint, sizeof constraint);
        h = XXH64(name, strlen(name), h);
        h = s->dynamic ? XXH64(&s->built, sizeof s->built, h) : XXH64(problem, strlen(problem), h);
        h = XXH64(constraint, strlen(constraint), h);
        h = XXH64(s->values, s->entry->operation->n_args * sizeof s->values[0], h);
    }
    for (int i = 0; i < c->n_values; i++) {
        int32_t v[2] = {c->values[i].root, c->values[i].output};
        h = XXH64(v, sizeof v, h);
    }
    return h;
}

/* "seven: 3 steps, x=f32[1000] #0123456789abcdef" */
static void problem_text(const le_chain *c, char out[LE__PROBLEM_TEXT]) {
    le__text t = le__text_in(out, LE__PROBLEM_TEXT);
    le__text_add(&t, "%.100s: %d steps", c->name, c->n_steps);
    for (int i = 0; i < c->n_values && t.n < t.size / 2; i++) {
        char shape[256];
        if (c->values[i].role != LE__VALUE_INPUT || c->values[i].root != i)
            continue;
        le_tensor_describe(&c->values[i].shape, shape, sizeof shape);
        le__text_add(&t, ", %.64s=%s", c->values[i].name ? c->values[i].name : "", shape);
    }
    le__text_add(&t, " #%016" PRIx64, hash_steps(c));
}

static void constraint_text(const le_chain *c, char out[LE__PROBLEM_TEXT]) {
    le__text t = le__text_in(out, LE__PROBLEM_TEXT);
    le__constraint_add(&t, &c->want, c->engine);
    if (c->plan_inputs)
        le__text_add(&t, "inputs=%" PRIx64 " ", c->plan_inputs);
    le__text_trim(&t);
}

static uint64_t key_of(const char *problem, const char *constraint) {
    return XXH64(constraint, strlen(constraint), XXH64(problem, strlen(problem), 0));
}

uint64_t le__chain_key(const le_chain *c) {
    char problem[LE__PROBLEM_TEXT], constraint[LE__PROBLEM_TEXT];
    problem_text(c, problem);
    constraint_text(c, constraint);
    return key_of(problem, constraint);
}

/* "cpu*2+opencl:0*1 #01234567": where the steps run, and a hash of what runs them */
static void params_text(const le_chain *c, const le__kept_plan *k, char out[LE__PROBLEM_TEXT]) {
    uint64_t h = 0;
    le__text t = le__text_in(out, LE__PROBLEM_TEXT);
    for (int i = 0, n; i < c->n_steps; i += n) {
        const le__device *d = c->choices[i].plan.device;
        for (n = 1; i + n < c->n_steps && c->choices[i + n].plan.device == d;)
            n++;
        if (t.n < t.size / 2)
            le__text_add(&t, "%s%s*%d", i ? "+" : "", d->id, n);
    }
    for (int i = 0; i < c->n_steps; i++)
        h = XXH64(k->arms[i]->candidate.text, strlen(k->arms[i]->candidate.text), h);
    le__text_add(&t, " #%08x", (unsigned)(h >> 32));
}

/* --- evidence --- */

static void add_device(cJSON *to, const le_engine *e, const le__device *d) {
    char id[24];
    snprintf(id, sizeof id, "%" PRId64, le__store_device(e->dispatch->store, d));
    cJSON_AddStringToObject(to, "device", id); /* more than a double holds */
}

static char *write_evidence(const le_chain *c, const le__kept_plan *k) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "by", c->want.mode == LE_MODE_MEASURE ? "measure" : "learn");
    le__json_add_number(root, "predicted_s", c->totals.predicted_s);
    le__json_add_number(root, "cpu_s", c->totals.cpu_s);
    le__json_add_number(root, "device_s", c->totals.device_s);
    le__json_add_number(root, "peak_bytes", (double)c->totals.peak_bytes);
    cJSON *steps = cJSON_AddArrayToObject(root, "steps");
    for (int i = 0; i < c->n_steps; i++) {
        const le__planned *p = &c->choices[i].plan;
        cJSON *step = cJSON_CreateObject();
        cJSON_AddStringToObject(step, "run", k->arms[i]->candidate.text);
        add_device(step, c->engine, p->device);
        le__json_add_number(step, "predicted_s", p->predicted_s);
        le__json_add_number(step, "transfer_s", p->transfer_s);
        le__json_add_number(step, "bytes", (double)p->bytes_moved);
        cJSON_AddItemToArray(steps, step);
    }
    cJSON *drops = cJSON_AddArrayToObject(root, "drops");
    for (int i = 0; i < c->n_drops; i++) {
        cJSON *drop = cJSON_CreateObject();
        le__json_add_number(drop, "step", c->drops[i].step);
        le__json_add_number(drop, "value", c->drops[i].value);
        add_device(drop, c->engine, &c->engine->devices[c->drops[i].device]);
        cJSON_AddItemToArray(drops, drop);
    }
    char *out = le__json_print(root, 0);
    cJSON_Delete(root);
    return out;
}

static le__device *find_device(le_engine *e, const char *id) {
    int64_t wanted = strtoll(id, NULL, 10);
    for (int i = 0; i < e->n_devices; i++)
        if (le__store_device(e->dispatch->store, &e->devices[i]) == wanted)
            return &e->devices[i];
    return NULL;
}

/* The device of a row, for which OpenCL may have to be opened. */
static le__device *device_of(le_engine *e, const cJSON *row) {
    le__device *d = find_device(e, le__json_text(row, "device"));
    if (d || e->discovered)
        return d;
    le__engine_discover(e);
    return find_device(e, le__json_text(row, "device"));
}

static bool read_step(const le_chain *c, const cJSON *row, le__planned *out) {
    *out = (le__planned){.device = device_of(c->engine, row),
                         .predicted_s = le__json_number(row, "predicted_s"),
                         .transfer_s = le__json_number(row, "transfer_s"),
                         .bytes_moved = (int64_t)fmax(le__json_number(row, "bytes"), 0)};
    if (c->want.mode == LE_MODE_FROZEN)
        snprintf(out->frozen, sizeof out->frozen, "%s", le__json_text(row, "run"));
    return out->device && le__device_wanted(out->device, &c->want) &&
           !atomic_load(&out->device->lost);
}

static bool read_drops(le_chain *c, const cJSON *list) {
    int n = 0;
    const cJSON *row;
    le__drop *drops = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *drops);
    bool ok = drops != NULL;
    cJSON_ArrayForEach(row, list) {
        const le__device *d = device_of(c->engine, row);
        double step = le__json_number(row, "step"), value = le__json_number(row, "value");
        ok = ok && d && step >= 0 && step < c->n_steps && value >= 0 && value < c->n_values;
        if (ok)
            drops[n++] = (le__drop){(int)step, (int)value, d->index};
    }
    if (ok)
        le__chain_copy_drops(c, drops, n);
    free(drops);
    return ok;
}

static bool read_evidence(le_chain *c, const char *evidence) {
    cJSON *root = le__json_parse(evidence, strlen(evidence) + 1, NULL);
    const cJSON *steps = cJSON_GetObjectItemCaseSensitive(root, "steps"), *row;
    bool ok = cJSON_GetArraySize(steps) == c->n_steps;
    int i = 0;
    cJSON_ArrayForEach(row, steps) {
        ok = ok && read_step(c, row, &c->choices[i].plan);
        if (!ok)
            break;
        c->choices[i++].arm = NULL;
    }
    ok = ok && read_drops(c, cJSON_GetObjectItemCaseSensitive(root, "drops"));
    c->totals =
        (le__chain_totals){.predicted_s = le__json_number(root, "predicted_s"),
                           .cpu_s = le__json_number(root, "cpu_s"),
                           .device_s = le__json_number(root, "device_s"),
                           .peak_bytes = (int64_t)fmax(le__json_number(root, "peak_bytes"), 0),
                           .why = "frozen"};
    cJSON_Delete(root);
    return ok;
}

/* --- the stored ones; the mutex of the engine's chains is held --- */

enum { MAX_STORED = 1024 };

void le__stored_plan_free(le__stored_plan *p) {
    free(p->evidence);
    free(p);
}

static le__stored_plan *find_stored(const le__chains *s, uint64_t key) {
    le__stored_plan *p = s->stored;
    while (p && p->key != key)
        p = p->next;
    return p;
}

/* The oldest ones: what they say is in the database, and is planned anew in this process. */
static void drop_surplus(le__chains *s) {
    le__stored_plan **last = &s->stored;
    for (int n = 0; *last && n < MAX_STORED; n++)
        last = &(*last)->next;
    for (le__stored_plan *p = *last, *next; p; p = next) {
        next = p->next;
        le__stored_plan_free(p);
    }
    *last = NULL;
}

static void set_stored(void *chains, const char *problem, const char *constraint,
                       const char *evidence) {
    le__chains *s = chains;
    uint64_t key = key_of(problem, constraint);
    le__stored_plan *p = find_stored(s, key);
    char *copy = strdup(evidence);
    if (copy && !p && (p = calloc(1, sizeof *p))) {
        *p = (le__stored_plan){.key = key, .next = s->stored};
        s->stored = p;
        drop_surplus(s);
    }
    if (!copy || !p) {
        free(copy);
        return;
    }
    free(p->evidence);
    p->evidence = copy;
}

bool le__chain_recall(le_chain *c) {
    le__chains *s = c->engine->chains;
    uint64_t key = le__chain_key(c);
    pthread_mutex_lock(&s->mutex);
    if (!s->loaded)
        s->loaded = le__store_each_note(c->engine->dispatch->store, LE_DB_CHAIN, set_stored, s);
    const le__stored_plan *p = find_stored(s, key);
    char *evidence = p ? strdup(p->evidence) : NULL;
    pthread_mutex_unlock(&s->mutex);
    bool found = evidence && read_evidence(c, evidence);
    free(evidence);
    return found;
}

static int64_t announce(const le_chain *c, const char *problem) {
    const le_work work = le__chain_work(c);
    return le__store_problem(c->engine->dispatch->store, LE_DB_CHAIN, problem, &work);
}

static void store(const le_chain *c, le__kept_plan *k) {
    le__store *s = c->engine->dispatch->store;
    char problem[LE__PROBLEM_TEXT], constraint[LE__PROBLEM_TEXT], params[LE__PROBLEM_TEXT];
    char *evidence = write_evidence(c, k);
    if (!evidence)
        return;
    problem_text(c, problem);
    constraint_text(c, constraint);
    params_text(c, k, params);
    k->problem = announce(c, problem);
    k->candidate = le__store_note(s, LE_DB_CHAIN, "plan", params);
    le__store_keep_choice(s, k->problem, k->candidate, constraint, evidence);
    set_stored(c->engine->chains, problem, constraint, evidence);
    free(evidence);
}

static bool as_planned(const le_chain *c) {
    for (int i = 0; i < c->n_steps; i++)
        if (!c->choices[i].arm || c->choices[i].arm->candidate.device != c->choices[i].plan.device)
            return false;
    return true;
}

static bool explored(const le_chain *c) {
    bool any = false;
    for (int i = 0; i < c->n_steps; i++)
        any = any || le__why_is_trying(c->choices[i].why);
    return any;
}

static bool is_stored(const le_chain *c) {
    return find_stored(c->engine->chains, le__chain_key(c));
}

/* Whether what ran is to be stored. What is only tried changes nothing that is stored. */
static bool is_new(const le_chain *c, le__kept_plan *k) {
    bool differs = false;
    for (int i = 0; i < c->n_steps; i++)
        differs = differs || k->arms[i] != c->choices[i].arm;
    if (!differs || (explored(c) && is_stored(c)))
        return false;
    for (int i = 0; i < c->n_steps; i++)
        k->arms[i] = c->choices[i].arm;
    return true;
}

static void remember(const le_chain *c, le__kept_plan *k, double ended) {
    char problem[LE__PROBLEM_TEXT];
    bool first = !k->candidate, stores = is_new(c, k);
    if (stores)
        store(c, k);
    else if (explored(c))
        return;
    if (k->problem && !le__store_has_problem(c->engine->dispatch->store, k->problem)) {
        problem_text(c, problem);
        k->problem = announce(c, problem);
    }
    le__run_stats stats = {.seconds = c->report.seconds - c->aside, .ended = ended};
    le__observation o = {.stats = &stats,
                         .cold = first || explored(c), /* kept apart */
                         .conditions = le__monitor_read(c->engine->dispatch->monitor, ended)};
    le__store_sample(c->engine->dispatch->store, k->problem, k->candidate, &o);
}

void le__chain_remember(le_chain *c, double ended) {
    le__chains *s = c->engine->chains;
    if (c->want.mode == LE_MODE_FROZEN || le__trial_is_child() || !as_planned(c))
        return;
    pthread_mutex_lock(&s->mutex);
    le__kept_plan *k = le__chain_find_kept(c);
    if (k)
        remember(c, k, ended);
    pthread_mutex_unlock(&s->mutex);
}
