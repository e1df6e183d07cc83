/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What is kept of a candidate's health, and for whom: verdicts of trials, of answers and of
 * failures.
 */
#include "choose/verdicts.h"

#include "utf8.h"

#include <string.h>

static bool breaks_things(le_status status) {
    return status == LE_ERR_CRASH || status == LE_ERR_TIMEOUT;
}

bool le__verdict_is_of_code(le_status status) {
    return breaks_things(status) || status == LE_ERR_WRONG_RESULT || status == LE_ERR_BUILD;
}

bool le__is_of_memory(le_status status) {
    return status == LE_ERR_MEMORY || status == LE_ERR_DEVICE_MEMORY;
}

/* What le__guard_check says. */
static bool is_stray(le_status status, const char *reason) {
    return status == LE_ERR_WRONG_RESULT && !strncmp(reason, "wrote ", 6);
}

void le__verdict_keep(le__dispatch *d, le__question *q, le__proof *p, int size_class,
                      le__state state, const le__error_profile *error, const char *reason,
                      bool store) {
    le__verdict *v = le__proof_verdict(p, q->kind, size_class);
    bool pardon = v && v->state == LE__QUARANTINED && state == LE__PROVEN;
    if (!v || pardon) /* a run under way when another one broke things proves nothing */
        return;
    v->state = state;
    v->found = LE__FOUND_NOW;
    if (error)
        v->error = *error;
    v->refused = v->refused && state == LE__FAILED;
    v->untold = state == LE__PROVEN && !error;
    le__utf8_put_line(v->reason, sizeof v->reason, "", reason);
    le__verdict_read_time(v);
    if (state == LE__QUARANTINED) {
        p->quarantined = true;
        le__utf8_put_line(p->reason, sizeof p->reason, "quarantined: ", reason);
    }
    if (store && q->mode != LE_MODE_FROZEN)
        le__store_verdict(d->store, p, v);
}

/* What crashes, hangs or writes elsewhere with one set of tunables is not tried with another: each
 * trial would delay somebody for the whole time limit again. Mutex of the operation held. */
static void quarantine(le__dispatch *d, le__question *q, le__proof *p, int size_class,
                       const le__error_profile *error, const char *reason) {
    le__verdict_keep(d, q, p, size_class, LE__QUARANTINED, error, reason, true);
    for (le__proof *other = q->op->proofs; other; other = other->next)
        if (other != p && other->implementation == p->implementation && other->device == p->device)
            le__verdict_keep(d, q, other, size_class, LE__QUARANTINED, NULL, reason, true);
}

void le__verdict_keep_failure(le__dispatch *d, le__question *q, le__proof *p, int size_class,
                              le_status status, const le__error_profile *error,
                              const char *reason) {
    if (breaks_things(status) || is_stray(status, reason))
        quarantine(d, q, p, size_class, error, reason);
    else
        le__verdict_keep(d, q, p, size_class, LE__FAILED, error, reason,
                         le__verdict_is_of_code(status));
    le__questions_forget(d->questions); /* it may be what others go by */
}

static bool is_about(const le__verdict *v, const le__question *q) {
    return !strcmp(v->kind, q->kind) &&
           (v->size_class == LE__CLASS_TRIAL || v->size_class == q->size_class);
}

void le__verdicts_take_back(le__question *q) {
    for (le__proof *p = q->op->proofs; p; p = p->next) {
        bool broke = false, breaks = false; /* things: here, elsewhere */
        p->hung_idle = false;
        for (le__verdict *v = p->verdicts; v; v = v->next) {
            bool quarantined = v->state == LE__QUARANTINED;
            if (!is_about(v, q)) {
                breaks = breaks || quarantined;
            } else if (quarantined || v->state == LE__FAILED) {
                v->state = LE__UNPROVEN;
                v->refused = false;
                v->suspect = v->wary = quarantined;
                v->ran = v->ran && !quarantined;
                broke = broke || quarantined;
            }
        }
        p->quarantined = p->quarantined && (breaks || !broke);
    }
}

void le__verdict_log(const le__dispatch *d, const le__question *q, const le__proof *p,
                     const char *reason) {
    le__log_write(&d->engine->log, LE_LOG_WARNING, "%s: %s on %s is left out: %s",
                  q->op->entry->operation->name, p->implementation->name, p->device->id, reason);
}

/* Tunables seldom change what memory is needed: all variants are left out then, not one after the
 * other. Mutex of the operation held. */
static void leave_out(le__question *q, le__proof *p, bool memory, const char *reason) {
    le__utf8_put_line(p->failure, sizeof p->failure, "", reason);
    for (size_t i = 0; i < q->n_arms; i++) {
        const le__proof *other = q->op->arms[i]->proof;
        bool sibling = other->implementation == p->implementation && other->device == p->device;
        if (!(memory ? sibling && !q->left_out[i] : other == p))
            continue;
        q->left_out[i] = p->failure;
        q->seen[i] |= memory ? LE__SEEN_SHORT : 0;
    }
    if (memory)
        le__pause_begin(&q->lack);
}

void le__verdict_lack_in_trial(le__question *q, le__proof *p, const char *reason) {
    le__pause_begin(&p->lack);
    for (le__proof *other = q->op->proofs; other; other = other->next)
        if (other->implementation == p->implementation && other->device == p->device) {
            other->lack = p->lack;
            le__utf8_put_line(other->failure, sizeof other->failure, "", reason);
        }
}

/* Who is quarantined cannot fare worse, and who was not run for a fault has shown no other one.
 * Mutex of the operation held. */
static bool says_nothing_new(const le__question *q, const le__proof *p, le_status status) {
    return p->quarantined ||
           (!le__verdict_is_of_code(status) && le__proof_fault(p, q->kind, q->size_class));
}

/* Mutex of the operation held. */
static void keep_failure(le__dispatch *d, le__question *q, le__arm *arm, le_status status,
                         const char *reason) {
    le__verdict_log(d, q, arm->proof, reason);
    if (le__verdict_is_of_code(status))
        le__verdict_keep_failure(d, q, arm->proof, q->size_class, status, NULL, reason);
    else if (arm->index < q->n_arms) /* not for this problem, not for ever */
        leave_out(q, arm->proof, le__is_of_memory(status), reason);
}

void le__dispatch_failed(le__dispatch *d, le__question *q, le__arm *arm, le_status status) {
    char reason[160];
    le__utf8_put_line(reason, sizeof reason, "", le_error_message());
    if (status == LE_ERR_DEVICE_LOST && arm->candidate.device->kind != LE_DEVICE_CPU)
        atomic_store(&arm->candidate.device->lost, true);
    pthread_mutex_lock(&q->op->mutex);
    if (!says_nothing_new(q, arm->proof, status))
        keep_failure(d, q, arm, status, reason);
    pthread_mutex_unlock(&q->op->mutex);
}
