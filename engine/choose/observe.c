/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What is told of runs: to the policy, to the question and to the database.
 */
#include "choose/observe.h"

#include "call/engine.h"
#include "core/clock.h"

#include <math.h>

bool le__attempt_waited(const le__attempt *a) {
    static const double waits_s = 1e-3;
    return a->spent >= waits_s;
}

void le__observe_known(le__dispatch *d, le__question *q) {
    le__arm *arm = atomic_load(&q->known);
    le__bulk b = le__question_take(q);
    if (!arm || b.n <= 0 || atomic_load(&q->known) != arm) /* of whom they are is not known */
        return;
    le__policy_sample sample = {.family = q->op->family,
                                .problem = q->policy,
                                .candidate = arm->policy,
                                .why = LE__WHY_EXPLOIT,
                                .n = (uint32_t)b.n,
                                .mean_log = b.mean_log,
                                .m2_log = b.m2_log,
                                .seconds = b.seconds,
                                .weight = 1,
                                .now = le__now()};
    le__policy_observe(d->policy, &sample);
    pthread_mutex_lock(&q->op->mutex);
    le__settling_skip(&q->op->settling, b.n);
    pthread_mutex_unlock(&q->op->mutex);
    if (q->mode != LE_MODE_FROZEN) {
        le__store_bulk(d->store, le__store_question(d->store, q), arm->db, &b);
        le__store_account(d->store, q->op->entry->operation->name, b.seconds, 0, b.n);
    }
}

typedef struct firsts {
    bool of_arm;  /* the first run of the arm on the question in this process */
    bool settled; /* the operation's runs tell of themselves */
} firsts;

/* Keeps what was moved. */
static firsts note_run(le__question *q, const le__arm *arm, const le_call *call, bool tried) {
    pthread_mutex_lock(&q->op->mutex);
    firsts first = {.of_arm = !(q->seen[arm->index] & LE__SEEN_RUN),
                    .settled = le__settling_note(&q->op->settling, call->stats.seconds, tried)};
    le__question_note_moved(q, arm, call);
    q->seen[arm->index] |= LE__SEEN_RUN;
    pthread_mutex_unlock(&q->op->mutex);
    return first;
}

/* The first run that moved something is the time to learn what moving takes: the device is open. */
static void measure_transfers(const le__question *q, const le_call *call) {
    if (call->stats.bytes_to_device + call->stats.bytes_from_device > 0 &&
        (q->mode == LE_MODE_LEARN || q->mode == LE_MODE_MEASURE))
        le__transfer_seconds(call->engine, call->device, true, 1, true);
}

void le__observe_run(le__dispatch *d, le__question *q, const le__decision *of, const le_call *call,
                     const le__attempt *a) {
    le__arm *arm = of->arm;
    le__why why = of->of.why;
    if (call->beside)
        return;
    const le__run_stats *stats = &call->stats;
    firsts first = note_run(q, arm, call, le__attempt_waited(a));
    /* what was proven or tried just before has emptied caches, and left pages to be copied */
    bool cold = first.of_arm || a->spent > 0 || of->of.warming,
         explored = le__why_is_trying(why) || call->stopped;
    double own = le__own_seconds(stats->seconds, stats->transfer_seconds);
    double paid = stats->seconds + stats->setup_seconds;
    bool says_nothing =
        !first.settled || (a->shaken && le__is_brief(own)) || (of->of.warming && !call->stopped);
    le__conditions conditions = le__monitor_read(d->monitor, stats->ended);
    le__policy_sample sample = {.family = q->op->family,
                                .problem = q->policy,
                                .candidate = arm->policy,
                                .why = why,
                                .cold = cold,
                                .cut = call->stopped,
                                .start = says_nothing,
                                .n = 1,
                                .mean_log = log(own),
                                .weight = le__conditions_weight(&conditions),
                                .seconds = paid + a->spent,
                                .memory_bytes = (double)stats->peak_scratch_bytes,
                                .now = le__now()};
    le__policy_observe(d->policy, &sample);
    if (q->mode == LE_MODE_FROZEN)
        return;
    le__observation o = {.stats = stats,
                         .cold = cold || says_nothing,
                         .cut = call->stopped,
                         .conditions = conditions};
    le__store_sample(d->store, le__store_question(d->store, q), arm->db, &o);
    if (!call->step) /* the whole call's account has it */
        le__store_account(d->store, call->operation->name, explored ? 0 : paid,
                          a->spent + (explored ? paid : 0), !call->stopped);
    measure_transfers(q, call);
}

/* Whether the arm is another choice than the one that is stored, perhaps by a call in another mode.
 * Mutex of the operation held. */
static bool is_another(le__question *q, le__arm *arm) {
    const le__stored_choice *stored = le__store_choice(q->op, q->db, q->constraint);
    bool noted = stored && stored->arm == arm;
    bool another = !noted && q->stored != (int)arm->index;
    q->stored = (int)arm->index;
    if (noted)
        q->chosen = stored->chosen;
    if (!another)
        return false;
    q->chosen = LE__CHOSEN_BY_LEARNING;
    le__store_note_choice(q->op, q->db, q->constraint, arm, LE__CHOSEN_BY_LEARNING);
    return true;
}

void le__observe_choice(le__dispatch *d, le__question *q, const le_call *call,
                        const le__decision *c) {
    if (c->of.why != LE__WHY_EXPLOIT && c->of.why != LE__WHY_ONLY)
        return;
    le__policy_decision kept = c->of;
    if (atomic_load(&q->known) != c->arm)
        le__observe_known(d, q); /* what others have run meanwhile is of the one before */
    pthread_mutex_lock(&q->op->mutex);
    bool recalled = q->recalled;
    if (!recalled || q->op->unheard)
        kept.reuse_until = fmin(kept.reuse_until, le__now() + LE__READ_AGAIN_S);
    /* another caller may have found it at fault since it was decided on */
    bool good = !le__arm_objection(q, call, c->arm);
    if (good)
        le__question_keep(q, c->arm, &kept);
    pthread_mutex_unlock(&q->op->mutex);
    if (!good || q->mode != LE_MODE_LEARN || call->step || !recalled ||
        le__policy_incumbent(d->policy, q->op->family, q->policy) != c->arm->policy)
        return;
    pthread_mutex_lock(&q->op->mutex);
    bool another = is_another(q, c->arm);
    pthread_mutex_unlock(&q->op->mutex);
    if (another)
        le__store_keep_choice(d->store, le__store_question(d->store, q), c->arm->db, q->constraint,
                              "{" LE__BY_LEARNING "}");
}
