/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The question that a call asks: made when it is new, and kept up to date with the devices and
 * candidates that there are.
 */
#include "choose/dispatch.h"

#include "call/engine.h"
#include "choose/observe.h"
#include "core/array.h"
#include "trial/discover.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <stdlib.h>
#include <string.h>

static const double discover_after_s =
    2; /* answered by an operation before learning opens OpenCL */

/* --- states --- */

static le_status state_of(le__dispatch *d, le__operation_entry *entry, le__op_state **out) {
    le_status status = LE_OK;
    pthread_mutex_lock(&d->mutex);
    if (entry->id >= d->n_states) {
        size_t n = entry->id + 16u;
        if (LE__ARRAY_RESIZE(d->states, n)) {
            memset(d->states + d->n_states, 0, (n - d->n_states) * sizeof *d->states);
            d->n_states = n;
        }
    }
    le__op_state *s = entry->id < d->n_states ? d->states[entry->id] : NULL;
    if (!s && entry->id < d->n_states && (s = calloc(1, sizeof *s))) {
        le__registry_ask(&d->engine->registry, entry);
        s->entry = entry;
        s->n_devices = -1;
        s->family = le__policy_family(d->policy, entry->id); /* not that of one it replaced */
        pthread_mutex_init(&s->mutex, NULL);
        d->states[entry->id] = s;
    }
    if (!s)
        status = le_fail(LE_ERR_MEMORY, "%s: out of memory", entry->operation->name);
    pthread_mutex_unlock(&d->mutex);
    *out = s;
    return status;
}

/* Arms for the devices known now, and what the database knows of them. Mutex of the state held. */
static le_status refresh(le__dispatch *d, le__op_state *s) {
    le_status status = le__op_state_update(s, d->engine, d->policy, d->store);
    if (status == LE_OK && !s->loaded)
        s->loaded = le__store_load(d->store, s, d->policy);
    else if (status == LE_OK && s->unheard)
        s->unheard = !le__store_load_verdicts(d->store, s);
    return status;
}

/* --- questions --- */

/* By-arm arrays of a question, for the arms that came since; false when out of memory. */
static bool grow(le__question *q, size_t n) {
    return LE__ARRAY_RESIZE(q->left_out, n + 1) && LE__ARRAY_RESIZE(q->moved, n + 1) &&
           LE__ARRAY_RESIZE(q->seen, n + 1);
}

static void ask_arms(le__question *q, const le_call *call) {
    le__op_state *s = q->op;
    if (q->n_arms == s->n_arms || !grow(q, s->n_arms))
        return;
    for (size_t i = q->n_arms; i < s->n_arms; i++) {
        const char *why = NULL;
        q->left_out[i] = le__candidate_applies(&s->arms[i]->candidate, call, &why) ? NULL : why;
        q->moved[i] = -1;
        q->seen[i] = 0;
    }
    q->n_arms = s->n_arms;
}

static bool name_question(le__question *q, const le_call *call) {
    char problem[LE__PROBLEM_TEXT], constraint[256], kind[256];
    le__problem_text(call, problem, sizeof problem);
    le__problem_kind(call, kind, sizeof kind);
    le__constraint_text(call, constraint, sizeof constraint);
    return le__question_set_texts(q, problem, constraint, kind);
}

static le__question *new_question(le__dispatch *d, le_call *call, le__op_state *s) {
    le__question *q = le__questions_new(d->questions);
    if (!q)
        return NULL;
    if (!name_question(q, call)) {
        le__questions_put_away(d->questions, q);
        return NULL;
    }
    const le_operation *op = call->operation;
    q->op = s;
    q->stored = -1;
    q->mode = call->want.mode;
    op->work(call, &q->work);
    for (size_t i = 0; i < op->n_args; i++)
        q->at[i] = call->step ? 1 : le__call_places(call, i);
    q->size_class = le__size_class(q->work.operations);
    le__policy_features f = {.work = q->work.operations, .bytes = q->work.bytes};
    uint64_t key = XXH64(q->problem, strlen(q->problem), 0);
    q->known_to_policy = le__policy_find_problem(d->policy, s->family, key) >= 0;
    q->policy = le__policy_add_problem(d->policy, s->family, key, &f);
    le__policy_hold_problem(d->policy, s->family, q->policy);
    q->db = le__store_problem(d->store, op->name, q->problem, &q->work);
    return q;
}

/* Of a problem that has been dropped, or was not loaded, what the database knows comes back. False:
 * that could not be read. */
static bool recall_problem(le__dispatch *d, le__question *q, uint64_t hash) {
    bool asked = le__store_has_met(d->store, hash);
    bool met = le__store_has_met(d->store, (uint64_t)q->db);
    bool needed = asked || (met && !q->known_to_policy);
    return !needed ||
           le__store_load_problem(d->store, q->op, q->known_to_policy ? NULL : d->policy, q->db);
}

/* What earlier processes knew of the question, once that could be read. Mutex of the state held. */
static void recall(le__dispatch *d, le__question *q, const le_call *call, uint64_t hash) {
    if (!q->op->loaded)
        return;
    q->recalled = recall_problem(d, q, hash);
    if (!q->recalled)
        return;
    const le__stored_choice *stored =
        call->step ? NULL : le__store_choice(q->op, q->db, q->constraint);
    if (stored) {
        le__policy_set_incumbent(d->policy, q->op->family, q->policy, stored->arm->policy);
        q->stored = (int)stored->arm->index;
        q->chosen = stored->chosen;
    }
}

static void put_away(le__dispatch *d, le__question *q) {
    le__policy_release_problem(d->policy, q->op->family, q->policy);
    le__questions_put_away(d->questions, q);
}

static le_status make_question(le__dispatch *d, le_call *call, uint64_t hash, le__question **out) {
    le__op_state *s;
    le_status status = state_of(d, call->entry, &s);
    if (status != LE_OK)
        return status;
    pthread_mutex_lock(&s->mutex);
    status = refresh(d, s);
    le__question *made = status == LE_OK ? new_question(d, call, s) : NULL, *dropped = NULL;
    if (made) {
        recall(d, made, call, hash);
        le__shares_recall(d->shares, d->store, call, made->problem);
    }
    pthread_mutex_unlock(&s->mutex);
    if (!made)
        return status != LE_OK ? status
                               : le_fail(LE_ERR_MEMORY, "%s: out of memory", call->operation->name);
    status = le__questions_add(d->questions, made, hash, out, &dropped);
    if (status != LE_OK || *out != made)
        put_away(d, made);
    if (dropped) {
        le__observe_known(d, dropped);
        put_away(d, dropped);
    }
    return status;
}

le_status le__dispatch_question(le__dispatch *d, le_call *call, le__question **out) {
    uint64_t hash = le__problem_hash(call);
    hash += hash == 0; /* which says that a question was dropped */
    *out = le__questions_find(d->questions, hash);
    return *out ? LE_OK : make_question(d, call, hash, out);
}

/* --- what there is --- */

bool le__has_opencl(const le__operation_entry *e) {
    for (size_t i = 0; i < e->n_implementations; i++)
        if (e->implementations[i]->device == LE_DEVICE_OPENCL)
            return true;
    return false;
}

/* Opening OpenCL takes tenths of a second and tens of MiB: benchmarks do it, calls that ask for it,
 * and learning once the operation has cost a multiple of that. Reproducible calls do at once, where
 * there may be a GPU, since it must not answer in its time only. */
static bool wants_opencl(le__dispatch *d, const le__question *q, const le_call *call) {
    const le_engine *e = d->engine;
    if (e->discovered || !le__has_opencl(call->entry))
        return false;
    if (le__names_opencl(call->want.device) || le__names_opencl(e->options.devices) ||
        q->mode == LE_MODE_MEASURE)
        return true;
    const le__forced forced = le__call_forces(call);
    bool free = !call->step && !call->want.device && !forced.run_type && !forced.implementation;
    if (call->want.reproducible && free)
        return le__machine_may_have_gpu();
    if (!le__engine_may_discover(e, q->mode))
        return false;
    double answered = le__policy_answered(d->policy, q->op->family);
    return answered + le__store_answered(d->store, q->op) > discover_after_s;
}

le_status le__dispatch_prepare(le__dispatch *d, le__question *q, le_call *call) {
    if (wants_opencl(d, q, call))
        le__engine_discover(d->engine);
    pthread_mutex_lock(&q->op->mutex);
    le_status status = refresh(d, q->op);
    if (!q->recalled)
        recall(d, q, call, le__problem_hash(call));
    ask_arms(q, call);
    le__dispatch_settle(d, q, call);
    pthread_mutex_unlock(&q->op->mutex);
    return status;
}
