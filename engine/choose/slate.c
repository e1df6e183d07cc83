/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Who may answer a call, and what the policy has to know of them beside their times.
 */
#include "choose/slate.h"

#include "call/engine.h"
#include "choose/transfer.h"
#include "core/clock.h"
#include "trial/discover.h"

#include <stdlib.h>
#include <string.h>

/* --- one arm --- */

bool le__arm_is_liked(const le__constraint *want, const le__arm *arm) {
    const char *run_type = want->liked_run_type, *name = want->liked_implementation;
    return (!run_type || !strcmp(run_type, arm->candidate.implementation->run_type)) &&
           (!name || le__candidate_is_named(&arm->candidate, name));
}

const char *le__arm_objection(const le__question *q, const le_call *call, const le__arm *arm) {
    const le_implementation *impl = arm->candidate.implementation;
    if (q->left_out[arm->index])
        return q->left_out[arm->index];
    if (atomic_load(&arm->candidate.device->lost))
        return "the device was lost";
    const char *why =
        le__proof_objection(arm->proof, q->kind, q->size_class, call->want.atol, call->want.rtol);
    if (why)
        return why;
    const le__verdict *v = le__proof_find(arm->proof, q->kind, LE__CLASS_TRIAL);
    bool proven = v && v->state == LE__PROVEN;
    if (!proven && le__proof_rests(arm->proof))
        return arm->proof->failure;
    if (!proven && impl->flags & LE_IMPL_LOSSY && q->mode != LE_MODE_MEASURE &&
        !call->want.implementation &&
        !(call->want.liked_implementation &&
          le__arm_is_liked(&call->want, arm))) /* only benchmarks pay for finding out */
        return "lossy, and its error is not known yet";
    return NULL;
}

/* Trials may delay a call by one time limit. Past half of it only what is proven, plain C or the
 * reference is let in; a quarter more is there for plain C, then nothing unproven is. */
static const double cautious_at = 0.5, wary_at = 1.2;

int le__caution(const le_call *call) {
    double limit_s = call->engine->options.trial_limit_s;
    return call->waited > wary_at * limit_s ? 2 : call->waited > cautious_at * limit_s ? 1 : 0;
}

bool le__is_safe(const le__question *q, const le__arm *arm, int caution) {
    const le__verdict *v = le__proof_find(arm->proof, q->kind, LE__CLASS_TRIAL);
    const le_implementation *impl = arm->candidate.implementation;
    return caution == 0 || (v && v->state == LE__PROVEN) || impl->flags & LE_IMPL_REFERENCE ||
           (caution == 1 && !strcmp(impl->run_type, "c"));
}

/* --- narrowing --- */

void le__slate_keep(le__slate *s, le__slate_test keep, const void *context) {
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (keep(s, i, context)) {
            s->arms[n] = s->arms[i];
            s->allowed[n++] = s->allowed[i];
        }
    s->n = n;
}

/* The same, unless nobody would be left. */
static void prefer(le__slate *s, le__slate_test keep, const void *context) {
    for (size_t i = 0; i < s->n; i++)
        if (keep(s, i, context)) {
            le__slate_keep(s, keep, context);
            return;
        }
}

static bool is_liked(const le__slate *s, size_t i, const void *want) {
    return le__arm_is_liked(want, s->arms[i]);
}

static bool is_safe(const le__slate *s, size_t i, const void *caution) {
    return le__is_safe(s->question, s->arms[i], *(const int *)caution);
}

static bool has_proof(const le__slate *s, size_t i, const void *proof) {
    return s->arms[i]->proof == proof;
}

static double claim(const le__arm *a, const le_call *call) {
    const le__device *d = a->candidate.device;
    bool late = d->kind == LE_DEVICE_OPENCL && (d->cpu_type || !le__machine_may_have_gpu());
    double speed = le__arm_speed(&a->candidate, call);
    if (late) /* the device may be there or not, by what others have asked for */
        return -1 / speed;
    return a->candidate.implementation->flags & LE_IMPL_LOSSY
               ? 0 /* whether it is allowed hangs on what has been measured */
               : speed;
}

/* One implementation, that of the highest claimed speed, so that nothing measured changes the bits.
 */
static void keep_same_bits(le__slate *s, const le_call *call) {
    size_t best = 0;
    for (size_t i = 1; i < s->n; i++)
        if (claim(s->arms[i], call) > claim(s->arms[best], call))
            best = i;
    if (s->n)
        le__slate_keep(s, has_proof, s->arms[best]->proof);
}

/* --- the whole --- */

uint64_t le__arm_kin(const le__arm *a) {
    return ((uint64_t)(uintptr_t)a->proof << 13) + (uint64_t)a->candidate.threads;
}

/* What is larger than the sample of the trial takes no less than that did, unless the child was
 * slowed down: half of it is sure. */
double le__arm_takes_at_least(const le__question *q, const le__arm *a) {
    const le__verdict *v = le__proof_find(a->proof, q->kind, LE__CLASS_TRIAL);
    return v && v->state == LE__PROVEN && v->work <= q->work.operations ? 0.5 * v->run_s : 0;
}

bool le__arm_cannot_be_stopped(const le_call *call, const le__arm *a) {
    return call->step || a->deaf || !le__can_be_stopped(&a->candidate);
}

static le__policy_allowed describe(const le__question *q, const le_call *call, const le__arm *a) {
    const le__candidate *c = &a->candidate;
    bool cpu = c->device->kind == LE_DEVICE_CPU;
    return (le__policy_allowed){.candidate = a->policy,
                                .speed = le__arm_speed(c, call),
                                .extra_seconds =
                                    call->step ? 0 : le__transfers_expected(q, call, a),
                                .memory_bytes = (double)le__candidate_memory(c, call),
                                .cpu_factor = cpu ? c->threads : 0.1,
                                .unstoppable = le__arm_cannot_be_stopped(call, a),
                                .at_least = le__arm_takes_at_least(q, a),
                                .kin = le__arm_kin(a)};
}

le_status le__slate_make(const le__question *q, const le_call *call, le__slate *out) {
    size_t room = q->n_arms + 1;
    *out = (le__slate){.question = q,
                       .arms = calloc(room, sizeof *out->arms),
                       .allowed = calloc(room, sizeof *out->allowed)};
    if (!out->arms || !out->allowed) {
        le__slate_free(out);
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", call->operation->name);
    }
    for (size_t i = 0; i < q->n_arms; i++) {
        le__arm *a = q->op->arms[i];
        if (le__arm_objection(q, call, a))
            continue;
        out->allowed[out->n] = describe(q, call, a);
        out->arms[out->n++] = a;
    }
    prefer(out, is_liked, &call->want);
    if (call->want.reproducible)
        keep_same_bits(out, call);
    for (int level = call->want.reproducible ? 0 : le__caution(call); level > 0; level--) {
        size_t before = out->n;
        prefer(out, is_safe, &level);
        if (out->n < before)
            break;
    }
    return LE_OK;
}

void le__slate_free(le__slate *s) {
    free(s->arms);
    free(s->allowed);
    *s = (le__slate){0};
}

le__policy_question le__slate_question(const le__slate *s, const le_call *call, bool may_explore) {
    return (le__policy_question){.family = s->question->op->family,
                                 .problem = s->question->policy,
                                 .allowed = s->allowed,
                                 .n_allowed = s->n,
                                 .objective = call->want.objective,
                                 .may_explore = may_explore,
                                 .now = le__now()};
}

le__policy_view le__question_expects(le__policy *policy, const le__question *q,
                                     const le__arm *arm) {
    le__policy_allowed allowed = {.candidate = arm->policy};
    le__policy_view view = {0};
    le__policy_question question = {.family = q->op->family,
                                    .problem = q->policy,
                                    .allowed = &allowed,
                                    .n_allowed = 1,
                                    .now = le__now()};
    le__policy_explain(policy, &question, &view);
    return view;
}
