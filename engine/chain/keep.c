/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Plans kept for further runs of the same chain on the same shapes, and the engine's state of
 * chains.
 */
#include "chain/state.h"

#include "call/engine.h"
#include "stats.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdlib.h>
#include <string.h>

enum { MAX_KEPT = 256 };

static void free_kept(le__kept_plan *k) {
    free(k->steps);
    free(k->arms);
    free(k->drops);
    free(k);
}

le_status le__chains_open(le__chains **out) {
    *out = calloc(1, sizeof **out);
    if (!*out)
        return le_fail(LE_ERR_MEMORY, "le_open: out of memory");
    pthread_mutex_init(&(*out)->mutex, NULL);
    return LE_OK;
}

void le__chains_in_child(le__chains *c) {
    pthread_mutex_init(&c->mutex, NULL);
    c->idle = NULL; /* another thread may have been at it */
}

void le__chains_close(le__chains *c) {
    if (!c)
        return;
    for (le__kept_plan *k = c->plans, *next; k; k = next) {
        next = k->next;
        free_kept(k);
    }
    for (le__stored_plan *s = c->stored, *next; s; s = next) {
        next = s->next;
        le__stored_plan_free(s);
    }
    for (le_chain *idle = c->idle, *next; idle; idle = next) {
        next = idle->next_idle;
        le_chain_free(&idle);
    }
    pthread_mutex_destroy(&c->mutex);
    free(c);
}

/* --- the key --- */

static uint64_t mix(uint64_t h, uint64_t value) {
    h ^= value;
    return le_stats_random(&h);
}

static uint64_t mix_text(uint64_t h, const char *text) {
    return text ? mix(h, XXH64(text, strlen(text), 1)) : mix(h, 0);
}

static uint64_t hash_want(const le__constraint *w) {
    uint64_t h = mix_text(mix_text(mix_text(0, w->run_type), w->implementation), w->device);
    h = mix(mix(h, w->places), (uint64_t)w->memory_limit);
    return mix(h, (uint64_t)w->mode * 4 + (uint64_t)w->reproducible * 2 + w->keep_on_device);
}

/* --- keeping --- */

static void copy_drops(le__drop **to, int *n_to, const le__drop *from, int n) {
    free(*to);
    *n_to = 0;
    *to = n ? malloc((size_t)n * sizeof **to) : NULL;
    if (!*to) /* without them a limit may be exceeded, nothing else */
        return;
    memcpy(*to, from, (size_t)n * sizeof **to);
    *n_to = n;
}

void le__chain_copy_drops(le_chain *c, const le__drop *drops, int n) {
    copy_drops(&c->drops, &c->n_drops, drops, n);
}

le__kept_plan *le__chain_find_kept(const le_chain *c) {
    le__kept_plan *k = c->engine->chains->plans;
    while (k && (k->hash != c->plan_hash || k->n_steps != c->n_steps))
        k = k->next;
    return k;
}

bool le__chain_is_planned(le_chain *c, uint64_t inputs) {
    if (c->plan_runs_left <= 0 || c->only_look || c->plan_inputs != inputs ||
        c->plan_devices != c->engine->n_devices || c->plan_want != hash_want(&c->want))
        return false;
    c->plan_runs_left--;
    c->plan_runs++;
    return true;
}

le__kept le__chain_take_kept(le_chain *c, uint64_t inputs) {
    le__chains *state = c->engine->chains;
    le__kept kept = LE__KEPT_NONE;
    uint64_t before = c->plan_hash;
    c->plan_inputs = inputs;
    c->plan_want = hash_want(&c->want);
    c->plan_devices = c->engine->n_devices;
    c->plan_hash = mix(le__chain_key(c), (uint64_t)c->want.mode);
    pthread_mutex_lock(&state->mutex);
    le__kept_plan *k = le__chain_find_kept(c);
    if (k) {
        k->runs += !c->only_look + (before == c->plan_hash ? c->plan_runs : 0);
        bool due = k->n_devices != c->engine->n_devices || k->runs >= k->plan_at;
        kept = due && c->want.mode != LE_MODE_FROZEN ? LE__KEPT_DUE : LE__KEPT_GOOD;
        for (int i = 0; i < c->n_steps; i++)
            c->choices[i] = (le__step_choice){.plan = k->steps[i]};
        c->totals = k->totals;
        le__chain_copy_drops(c, k->drops, k->n_drops);
        c->plan_runs_left = c->want.mode == LE_MODE_FROZEN ? INT64_MAX : k->plan_at - k->runs - 1;
    }
    c->plan_runs = 0;
    pthread_mutex_unlock(&state->mutex);
    return kept;
}

static le__kept_plan *new_kept(const le_chain *c) {
    le__kept_plan *k = calloc(1, sizeof *k);
    size_t n = (size_t)c->n_steps + 1;
    if (!k)
        return NULL;
    k->hash = c->plan_hash;
    k->n_steps = c->n_steps;
    k->steps = calloc(n, sizeof *k->steps);
    k->arms = calloc(n, sizeof *k->arms);
    if (k->steps && k->arms)
        return k;
    free_kept(k);
    return NULL;
}

static le__kept_plan *find_or_add(le__chains *state, const le_chain *c) {
    int n = 0;
    le__kept_plan *k = le__chain_find_kept(c), **last = &state->plans;
    if (k)
        return k;
    for (; *last; last = &(*last)->next)
        n++;
    k = new_kept(c);
    if (k && n >= MAX_KEPT) { /* the oldest goes */
        le__kept_plan *oldest = state->plans;
        state->plans = oldest->next;
        free_kept(oldest);
        for (last = &state->plans; *last;)
            last = &(*last)->next;
    }
    *last = k;
    return k;
}

void le__chain_keep(le_chain *c) {
    le__chains *state = c->engine->chains;
    pthread_mutex_lock(&state->mutex);
    le__kept_plan *k = find_or_add(state, c);
    for (int i = 0; k && i < c->n_steps; i++)
        k->steps[i] = c->choices[i].plan;
    if (k) {
        k->totals = c->totals;
        copy_drops(&k->drops, &k->n_drops, c->drops, c->n_drops);
        k->n_devices = c->engine->n_devices;
        k->plan_at = k->runs + 1 + k->runs / 3;
        c->plan_runs_left = k->plan_at - k->runs - 1;
    }
    pthread_mutex_unlock(&state->mutex);
}
