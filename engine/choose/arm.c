/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Arms and proofs of an operation.
 */
#include "choose/arm.h"

#include "benchdb.h"
#include "call/engine.h"
#include "choose/store.h"
#include "core/array.h"
#include "core/clock.h"
#include "numbers.h"

#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- verdicts --- */

le__verdict *le__proof_find(const le__proof *p, const char *kind, int size_class) {
    for (le__verdict *v = p->verdicts; v; v = v->next)
        if (v->size_class == size_class && !strcmp(v->kind, kind))
            return v;
    return NULL;
}

enum { MOST_VERDICTS = 512 };

/* Kinds may be as many as an operation's keys: the oldest verdict makes room, and is proven again,
 * or loaded, when it is asked for. What quarantines a proof outlives its verdict. */
static le__verdict *take_oldest(le__proof *p) {
    le__verdict **last = &p->verdicts;
    int n = 1;
    for (; *last && (*last)->next; n++)
        last = &(*last)->next;
    if (!*last || n < MOST_VERDICTS)
        return NULL;
    le__verdict *v = *last;
    *last = NULL;
    memset(v, 0, sizeof *v);
    return v;
}

le__verdict *le__proof_verdict(le__proof *p, const char *kind, int size_class) {
    le__verdict *v = le__proof_find(p, kind, size_class);
    if (v)
        return v;
    v = take_oldest(p);
    if (!v)
        v = calloc(1, sizeof *v);
    if (!v)
        return NULL;
    snprintf(v->kind, sizeof v->kind, "%s", kind);
    v->size_class = size_class;
    v->next = p->verdicts;
    p->verdicts = v;
    return v;
}

static const char *fault(const le__verdict *v) {
    if (!v || v->state == LE__UNPROVEN || v->state == LE__PROVEN)
        return NULL;
    return v->reason[0] ? v->reason : le_db_state_names[v->state];
}

static const char *lack(const le__verdict *v, double atol, double rtol) {
    bool known = v && (v->state == LE__PROVEN || (v->state == LE__UNPROVEN && v->refused));
    return known && !le__error_allows(&v->error, atol, rtol) ? "its error is above the tolerance"
                                                             : NULL;
}

static bool is_near_enough(const le__verdict *v, double atol, double rtol) {
    return v && v->state == LE__FAILED && v->refused && isfinite(v->error.max_abs) &&
           le__error_allows(&v->error, atol, rtol);
}

/* Whatever the size. */
static const char *fault_at_all(const le__proof *p, const le__verdict *trial) {
    return p->quarantined ? p->reason : fault(trial);
}

const char *le__proof_fault(const le__proof *p, const char *kind, int size_class) {
    const char *why = fault_at_all(p, le__proof_find(p, kind, LE__CLASS_TRIAL));
    return why ? why : fault(le__proof_find(p, kind, size_class));
}

const char *le__proof_objection(const le__proof *p, const char *kind, int size_class, double atol,
                                double rtol) {
    const le__verdict *trial = le__proof_find(p, kind, LE__CLASS_TRIAL);
    const le__verdict *here = le__proof_find(p, kind, size_class);
    const char *why = fault_at_all(p, trial);
    if (!why && !is_near_enough(here, atol, rtol))
        why = fault(here);
    if (!why)
        why = lack(trial, atol, rtol);
    return why ? why : lack(here, atol, rtol);
}

void le__proof_give_leave(le__proof *p, const char *kind, int size_class) {
    le__verdict *v = le__proof_find(p, kind, size_class);
    if (v && v->state == LE__FAILED && v->refused)
        v->state = LE__UNPROVEN;
}

void le__pause_begin(le__pause *p) {
    static const double least_s = 1, most_s = 60;
    p->seconds = fmin(fmax(2 * p->seconds, least_s), most_s);
    p->until = le__now() + p->seconds;
}

bool le__proof_rests(const le__proof *p) {
    return le__now() < p->lack.until;
}

/* --- arms --- */

static le__proof *find_proof(le__op_state *s, const le__candidate *c) {
    for (le__proof *p = s->proofs; p; p = p->next)
        if (p->implementation == c->implementation && p->device == c->device &&
            !memcmp(p->params, c->params, sizeof p->params))
            return p;
    le__proof *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->implementation = c->implementation;
    p->device = c->device;
    memcpy(p->params, c->params, sizeof p->params);
    p->next = s->proofs;
    s->proofs = p;
    return p;
}

/* A reference is written to be right: beside the scalar C implementation it is slow, also where its
 * author did not say so. */
static double claimed_speed(const le_implementation *impl) {
    static const double of_reference = 0.1;
    bool reference = impl->flags & LE_IMPL_REFERENCE;
    if (reference && !(impl->speed > 0 && impl->speed < 1))
        return of_reference;
    return impl->speed > 0 ? impl->speed : 1;
}

/* A first guess before anything is measured. Threads seldom scale fully; an OpenCL device that is
 * the CPU itself seldom beats native code; a GPU is as fast as its author says, after a set-up. */
le__policy_candidate le__arm_prior(const le__candidate *c) {
    double speed = claimed_speed(c->implementation);
    le__policy_candidate p = {.resource = c->device->index, .log_sd = 0.7};
    if (c->device->kind == LE_DEVICE_OPENCL) {
        p.setup_seconds = 0.3;
        p.log_sd = c->device->cpu_type ? 0.5 : 1.5;
        p.speed = c->device->cpu_type ? 0.25 * (speed < 4 ? speed : 4) : speed;
        return p;
    }
    static const double schedule_factor[] = {1, 0.97, 0.99, 1};
    p.speed = speed * (c->threads > 1 ? 0.9 * c->threads : 1) * schedule_factor[c->schedule];
    p.resource = 0;
    p.setup_seconds = 2e-4; /* its trial takes longer, once on this machine */
    return p;
}

double le__arm_speed(const le__candidate *c, const le_call *call) {
    const le_implementation *impl = c->implementation;
    double speed = le__arm_prior(c).speed, here = impl->speed_of ? impl->speed_of(call) : 0;
    return here > 0 && isfinite(here) ? speed * here / claimed_speed(impl) : speed;
}

/* The lesser of two, of which either may be 0: unknown. */
static double least_known(double a, double b) {
    return a > 0 && b > 0 ? fmin(a, b) : fmax(a, b);
}

double le__rate_seconds(const le__rate *rate, double work, double claimed) {
    if (rate->last > 0)
        return least_known(rate->last, rate->before > 0 ? rate->before : rate->most) * work;
    return rate->most > 0 ? fmin(rate->most * work, claimed) : claimed;
}

void le__rate_note_compared(le__rate *rate, double seconds, double work) {
    if (!(seconds > 0 && work > 0))
        return;
    rate->before = rate->last;
    rate->last = seconds / work;
}

void le__rate_note_trial(le__rate *rate, double seconds, double work) {
    if (seconds > 0 && work > 0)
        rate->most = least_known(rate->most, seconds / work);
}

static le__arm *find_arm(const le__op_state *s, uint64_t id) {
    for (size_t i = 0; i < s->n_arms; i++)
        if (s->arms[i]->candidate.id == id)
            return s->arms[i];
    return NULL;
}

static bool add_arm(le__op_state *s, const le__candidate *c, le__policy *policy,
                    struct le__store *store) {
    if (!LE__ARRAY_RESIZE(s->arms, s->n_arms + 1))
        return false;
    le__arm *a = calloc(1, sizeof *a);
    if (!a)
        return false;
    a->candidate = *c;
    a->proof = find_proof(s, c);
    a->index = (uint32_t)s->n_arms;
    le__policy_candidate prior = le__arm_prior(c);
    a->policy = le__policy_add_candidate(policy, s->family, c->id, &prior);
    if (!a->proof || a->policy < 0) {
        free(a);
        return false;
    }
    a->db = le__store_candidate(store, c, false);
    if (!a->proof->db)
        a->proof->db = le__store_candidate(store, c, true);
    s->arms[s->n_arms++] = a;
    return true;
}

le_status le__op_state_update(le__op_state *s, le_engine *engine, le__policy *policy,
                              struct le__store *store) {
    if (s->n_devices == engine->n_devices && s->n_implementations == s->entry->n_implementations)
        return LE_OK;
    le__candidate *list;
    size_t n;
    int n_devices = engine->n_devices;
    le_status status = le__candidates_make(engine, s->entry, &list, &n);
    if (status != LE_OK)
        return status;
    bool ok = true;
    for (size_t i = 0; ok && i < n; i++)
        if (!find_arm(s, list[i].id))
            ok = add_arm(s, &list[i], policy, store);
    free(list);
    if (!ok)
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", s->entry->operation->name);
    s->n_devices = n_devices;
    s->n_implementations = s->entry->n_implementations;
    s->loaded = s->unheard = false;
    return LE_OK;
}

void le__op_state_free(le__op_state *s) {
    if (!s)
        return;
    for (size_t i = 0; i < s->n_arms; i++)
        free(s->arms[i]);
    for (le__proof *p = s->proofs, *next; p; p = next) {
        next = p->next;
        for (le__verdict *v = p->verdicts, *n; v; v = n) {
            n = v->next;
            free(v);
        }
        free(p);
    }
    free(s->arms);
    free(s->choices);
    pthread_mutex_destroy(&s->mutex);
    free(s);
}

static const char took[] = "took ", operations[] = " s for operations: ";
static const char warned[] = "; a process ended during a larger run";

void le__verdict_time_text(char *out, size_t size, double run_s, double work, bool wary) {
    out[0] = '\0';
    if (run_s > 0)
        le__number_print(out, size, "%s%.9g%s%.9g%s", took, run_s, operations, work,
                         wary ? warned : "");
}

void le__verdict_read_time(le__verdict *v) {
    char *end;
    v->run_s = v->work = 0;
    v->wary = v->suspect;
    if (strncmp(v->reason, took, sizeof took - 1) != 0)
        return;
    double run_s = le__number_parse(v->reason + sizeof took - 1, &end);
    if (strncmp(end, operations, sizeof operations - 1) != 0)
        return;
    v->run_s = run_s;
    v->work = le__number_parse(end + sizeof operations - 1, &end);
    v->wary = !strcmp(end, warned);
}
