/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Dispatch: the known choice without a lock, everything else step by step.
 */
#include "choose/dispatch.h"

#include "core/clock.h"
#include "core/tick.h"
#include "call/engine.h"
#include "choose/refusal.h"
#include "trial/discover.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ATTEMPTS = 256 }; /* of a call; waiting for a trial is none */
static const double waits_s = 1e-3;
/* A run that was to be stopped did not hear of it: it took so many times as long, and so much
 * longer, for a short one may have been kept from the processor. */
static const double deaf_after = 2, deaf_s = 0.02;
static const double race_s = 0.1;   /* of a candidate's runs in a race of short ones */
static const double brief_s = 1e-3; /* a run that what came right before it can slow down */
static const double discover_after_s =
    2; /* answered by an operation before learning opens OpenCL */

/* ------------------------------------------------------------------------------ states ------- */

static le_status state_of(le__dispatch *d, le__operation_entry *entry, le__op_state **out) {
    le_status status = LE_OK;
    pthread_mutex_lock(&d->mutex);
    if (entry->id >= d->n_states) {
        size_t n = entry->id + 16u;
        void *states = realloc(d->states, n * sizeof *d->states);
        if (states) {
            d->states = states;
            memset(d->states + d->n_states, 0, (n - d->n_states) * sizeof *d->states);
            d->n_states = n;
        }
    }
    le__op_state *s = entry->id < d->n_states ? d->states[entry->id] : NULL;
    if (!s && entry->id < d->n_states && (s = calloc(1, sizeof *s))) {
        s->entry = entry;
        s->n_devices = -1;
        s->family =
            le__policy_family(d->policy, XXH64(entry->operation->name,
                                               strlen(entry->operation->name), entry->generation));
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
    if (status == LE_OK && !s->loaded) {
        le__store_load(d->store, s, d->policy);
        s->loaded = true;
    }
    return status;
}

/* --------------------------------------------------------------------------- questions ------- */

/* By-arm arrays of a question, for the arms that came since; false when out of memory. */
static bool grow(le__question *q, size_t n) {
    const char **left_out = realloc(q->left_out, (n + 1) * sizeof *left_out);
    if (left_out)
        q->left_out = left_out;
    float *moved = realloc(q->moved, (n + 1) * sizeof *moved);
    if (moved)
        q->moved = moved;
    unsigned char *seen = realloc(q->seen, (n + 1) * sizeof *seen);
    if (seen)
        q->seen = seen;
    return left_out && moved && seen;
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

/* Of a problem that has been dropped, or was not loaded, what the database knows comes back. */
static void recall(le__dispatch *d, le__question *q, uint64_t hash) {
    bool asked = le__store_has_met(d->store, hash);
    bool met = le__store_has_met(d->store, (uint64_t)q->db);
    if (asked || (met && !q->known_to_policy))
        le__store_load_problem(d->store, q->op, q->known_to_policy ? NULL : d->policy, q->db);
}

static void report_bulk(le__dispatch *d, le__question *q);

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
        recall(d, made, hash);
        le__shares_recall(d->shares, d->store, call, made->problem);
    }
    bool single = made && !call->step;
    const le__stored_choice *stored =
        single ? le__store_choice(s, made->db, made->constraint) : NULL;
    if (stored) {
        le__policy_set_incumbent(d->policy, s->family, made->policy, stored->arm->policy);
        made->stored = (int)stored->arm->index;
        made->stored_under_load = stored->under_load;
    }
    pthread_mutex_unlock(&s->mutex);
    if (!made)
        return status != LE_OK ? status
                               : le_fail(LE_ERR_MEMORY, "%s: out of memory", call->operation->name);
    status = le__questions_add(d->questions, made, hash, out, &dropped);
    if (status != LE_OK || *out != made)
        put_away(d, made);
    if (dropped) {
        report_bulk(d, dropped);
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

/* ---------------------------------------------------------------------------- deciding ------- */

static bool has_opencl(const le__operation_entry *e) {
    for (size_t i = 0; i < e->n_implementations; i++)
        if (e->implementations[i]->device == LE_DEVICE_OPENCL)
            return true;
    return false;
}

/* Opening OpenCL takes tenths of a second and tens of MiB: benchmarks do it, calls that ask for it,
 * and learning once the operation has cost a multiple of that. */
static bool wants_opencl(le__dispatch *d, const le__question *q, const le_call *call) {
    const le_engine *e = d->engine;
    if (e->discovered || !has_opencl(call->entry))
        return false;
    if (le__names_opencl(call->want.device) || le__names_opencl(e->options.devices) ||
        q->mode == LE_MODE_MEASURE)
        return true;
    if (!le__engine_may_discover(e, q->mode))
        return false;
    double answered = le__policy_answered(d->policy, q->op->family);
    return answered + le__store_answered(d->store, q->op) > discover_after_s;
}

static void report_bulk(le__dispatch *d, le__question *q) {
    le__arm *arm = atomic_load(&q->known);
    le__bulk b = le__question_take(q);
    if (!arm || b.n <= 0)
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
    if (q->mode != LE_MODE_FROZEN) {
        le__store_bulk(d->store, q->db, arm->db, &b);
        le__store_account(d->store, q->op->entry->operation->name, b.seconds, 0, b.n);
    }
}

le_status le__dispatch_prepare(le__dispatch *d, le__question *q, le_call *call) {
    if (wants_opencl(d, q, call))
        le__engine_discover(d->engine);
    pthread_mutex_lock(&q->op->mutex);
    le_status status = refresh(d, q->op);
    ask_arms(q, call);
    le__dispatch_settle(d, q, call);
    pthread_mutex_unlock(&q->op->mutex);
    return status;
}

le_status le__dispatch_slate(le__dispatch *d, le__question *q, le_call *call, le__slate *out) {
    le_status status = le__dispatch_prepare(d, q, call);
    *out = (le__slate){.question = q};
    pthread_mutex_lock(&q->op->mutex);
    if (status == LE_OK)
        status = le__slate_make(q, call, out);
    pthread_mutex_unlock(&q->op->mutex);
    return status;
}

le__policy_view *le__dispatch_views(le__dispatch *d, const le__slate *slate, const le_call *call) {
    le__policy_view *views = slate->n ? calloc(slate->n, sizeof *views) : NULL;
    le__policy_question question = le__slate_question(slate, call, false);
    if (views)
        le__policy_explain(d->policy, &question, views);
    return views;
}

/* Where there is nobody but those whose trials are under way, begun by a call that did not wait or
 * was ended, one of them is waited for. Mutex of the operation held. */
static bool bring_one_back(le__question *q, const le_call *call) {
    for (size_t i = 0; q->n_aside > 0 && i < q->n_arms; i++) {
        le__arm *arm = q->op->arms[i];
        if (!le__question_is_aside(q, arm))
            continue;
        le__question_bring_back(q, arm->proof);
        if (!le__arm_objection(q, call, arm))
            return true;
        le__question_set_aside(q, arm->proof);
    }
    return false;
}

static le_status list_slate(le__dispatch *d, le__question *q, le_call *call, le__slate *slate) {
    le_status status = le__dispatch_slate(d, q, call, slate);
    pthread_mutex_lock(&q->op->mutex);
    if (status == LE_OK && !slate->n)
        status = bring_one_back(q, call) ? le__slate_make(q, call, slate) : le__refusal(q, call);
    pthread_mutex_unlock(&q->op->mutex);
    return status;
}

static le_status make_slate(le__dispatch *d, le__question *q, le_call *call, le__slate *slate) {
    le_status status = list_slate(d, q, call, slate);
    if (status != LE_ERR_NO_CANDIDATE || call->step || d->engine->discovered ||
        !has_opencl(call->entry))
        return status;
    le__slate_free(slate);
    le__engine_discover(d->engine);
    return list_slate(d, q, call, slate);
}

static bool same_but_device(const char *a, const char *b) {
    size_t n = strcspn(a, "@");
    return n == strcspn(b, "@") && !strncmp(a, b, n) &&
           !strcmp(a + strcspn(a, "["), b + strcspn(b, "["));
}

/* What a stored choice or plan names goes before what the policy thinks. */
static le__arm *replayed(const le__question *q, const le_call *call, const le__slate *slate) {
    for (size_t i = 0; q->mode == LE_MODE_FROZEN && i < slate->n; i++) {
        le__arm *a = slate->arms[i];
        if (call->want.replayed ? same_but_device(a->candidate.text, call->want.replayed)
                                : (int)a->index == q->stored)
            return a;
    }
    return NULL;
}

le_status le__dispatch_decide(le__dispatch *d, le__question *q, le_call *call, bool answer,
                              le__decision *out) {
    le__slate slate;
    le_status status = make_slate(d, q, call, &slate);
    if (status != LE_OK) {
        le__slate_free(&slate);
        return status;
    }
    bool may_explore = q->mode == LE_MODE_LEARN && !call->only_look && !call->beside && !answer;
    le__policy_question question = le__slate_question(&slate, call, may_explore);
    if (le__policy_decide(d->policy, &question, &out->of) == 0) {
        le__arm *stored = replayed(q, call, &slate);
        out->arm = stored ? stored : slate.arms[out->of.index];
    } else {
        status = le_fail(LE_ERR_INTERNAL, "%s: the policy decided nothing", call->operation->name);
    }
    le__slate_free(&slate);
    return status;
}

/* ---------------------------------------------------------------------------- observing ------ */

typedef struct attempt {
    bool ready;   /* the arm is proven, and no trial of it showed that it is too slow */
    bool shaken;  /* it came right after one of another arm that was stopped */
    double spent; /* seconds beside that run */
} attempt;

typedef struct firsts {
    bool of_arm;       /* the first run of the arm on the question in this process */
    bool of_operation; /* among the first runs of anything of the operation in this process */
} firsts;

/* So many runs at an operation's beginning tell more of threads that start and code that is read
 * than of later ones. */
static int starts(double seconds) {
    return seconds < 1e-3 ? 3 : seconds < 20e-3 ? 1 : 0;
}

/* Keeps what was moved. */
static firsts note_run(le__question *q, const le__arm *arm, const le_call *call) {
    pthread_mutex_lock(&q->op->mutex);
    firsts first = {!(q->seen[arm->index] & LE__SEEN_RUN),
                    q->op->started < starts(call->stats.seconds)};
    le__question_note_moved(q, arm, call);
    q->seen[arm->index] |= LE__SEEN_RUN;
    q->op->started += first.of_operation;
    pthread_mutex_unlock(&q->op->mutex);
    return first;
}

/* The first run that moved something is the time to learn what moving takes: the device is open. */
static void measure_transfers(const le__question *q, const le_call *call) {
    if (call->stats.bytes_to_device + call->stats.bytes_from_device > 0 &&
        (q->mode == LE_MODE_LEARN || q->mode == LE_MODE_MEASURE))
        le__transfer_seconds(call->engine, call->device, true, 1, true);
}

/* Tells the policy, and the database, of one run. Nothing of a run beside others. */
static void observe(le__dispatch *d, le__question *q, const le__decision *of, const le_call *call,
                    const attempt *a) {
    le__arm *arm = of->arm;
    le__why why = of->of.why;
    if (call->beside)
        return;
    const le__run_stats *stats = &call->stats;
    firsts first = note_run(q, arm, call);
    /* what was proven or tried just before has emptied caches, and left pages to be copied */
    bool cold = first.of_arm || a->spent > 0 || of->of.warming,
         explored = why == LE__WHY_EXPLORE || why == LE__WHY_PROBE;
    double own = le__own_seconds(stats->seconds, stats->transfer_seconds);
    double paid = stats->seconds + stats->setup_seconds;
    bool says_nothing =
        first.of_operation || (a->shaken && own < brief_s) || (of->of.warming && !call->stopped);
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
                                .now = le__now()};
    le__policy_observe(d->policy, &sample);
    if (q->mode == LE_MODE_FROZEN)
        return;
    le__observation o = {.stats = stats,
                         .cold = cold || says_nothing,
                         .cut = call->stopped,
                         .conditions = conditions};
    le__store_sample(d->store, q->db, arm->db, &o);
    if (!call->step) /* the whole call's account has it */
        le__store_account(d->store, call->operation->name, explored ? 0 : paid,
                          a->spent + (explored ? paid : 0), !call->stopped);
    measure_transfers(q, call);
}

static void keep_known(le__dispatch *d, le__question *q, const le_call *call,
                       const le__decision *c) {
    if (c->of.why != LE__WHY_EXPLOIT && c->of.why != LE__WHY_ONLY)
        return;
    le__question_keep(q, c->arm, &c->of);
    if (q->mode != LE_MODE_LEARN || call->step ||
        le__policy_incumbent(d->policy, q->op->family, q->policy) != c->arm->policy)
        return;
    pthread_mutex_lock(&q->op->mutex);
    bool changed = q->stored != (int)c->arm->index;
    q->stored = (int)c->arm->index;
    pthread_mutex_unlock(&q->op->mutex);
    if (changed)
        le__store_keep_choice(d->store, q->db, c->arm->db, q->constraint, "{\"by\":\"learn\"}");
}

/* ----------------------------------------------------------------------------- answering ----- */

/* The caller's own mistakes, and what no other candidate would do better. */
static bool is_callers(le_status status) {
    return status == LE_ERR_DATA || status == LE_ERR_ARGUMENT || status == LE_ERR_SHAPE ||
           status == LE_ERR_DTYPE || status == LE_ERR_CANCELLED || status == LE_ERR_UNKNOWN ||
           status == LE_ERR_IO;
}

/* What does not end when it is told to is not tried again where it would have to. */
static void note_deaf(le__question *q, le__arm *arm) {
    pthread_mutex_lock(&q->op->mutex);
    arm->deaf = true;
    pthread_mutex_unlock(&q->op->mutex);
}

/* Whether the trial that has just been made shows that a run, which cannot be stopped, would have
 * to be. */
static bool is_too_slow(le__question *q, const le_call *call, const le__decision *c) {
    pthread_mutex_lock(&q->op->mutex);
    bool slow = c->of.why == LE__WHY_EXPLORE && le__arm_cannot_be_stopped(call, c->arm) &&
                le__arm_takes_at_least(q, c->arm) > c->of.line_seconds;
    pthread_mutex_unlock(&q->op->mutex);
    return slow;
}

/* By the arm that was decided on, if it is proven or proves to be. */
static le_status answer_by(le__dispatch *d, le__question *q, le_call *call, const le__decision *c,
                           attempt *a) {
    *a = (attempt){.ready = false};
    a->ready = le__dispatch_prove(d, q, call, c->arm, &a->spent);
    if (a->ready && a->spent > 0 && is_too_slow(q, call, c)) {
        a->ready = false;
        if (q->mode != LE_MODE_FROZEN && !call->step)
            le__store_account(d->store, call->operation->name, 0, a->spent, 0);
    }
    if (!a->ready)
        return LE_ERR_NO_CANDIDATE;
    bool stops = isfinite(c->of.stop_seconds);
    call->stop_after = stops ? c->of.stop_seconds : 0;
    le_status status = le__dispatch_run_arm(d, q, call, c->arm, false, &a->spent);
    call->stop_after = 0;
    double line = c->of.stop_seconds;
    if (stops && call->stats.seconds > fmax(deaf_after * line, line + deaf_s))
        note_deaf(q, c->arm);
    return status;
}

static le_status answer_slowly(le__dispatch *d, le__question *q, le_call *call, le__answered *out) {
    le_status status = LE_OK;
    le__decision c = {.arm = NULL};
    attempt a = {.ready = false};
    bool stopped = false;
    for (int n = 0; n < MAX_ATTEMPTS; n += a.ready || a.spent < waits_s) {
        report_bulk(d, q);
        if (le__ticker_over(le__ticker_here()))
            return le__ticker_fail(call->operation->name);
        status = le__dispatch_decide(d, q, call, stopped, &c);
        if (status != LE_OK)
            return status;
        status = answer_by(d, q, call, &c, &a);
        a.shaken = stopped;
        if (a.ready && (status == LE_OK || call->stopped))
            observe(d, q, &c, call, &a);
        if (a.ready && status == LE_OK) {
            keep_known(d, q, call, &c);
            if (c.of.goes_on)
                le__question_forget(q);
            *out = (le__answered){c.arm, c.of.why, a.spent, c.of.best_seconds};
            return LE_OK;
        }
        if (a.ready && call->stopped) {
            stopped = true;
            continue;
        }
        if (c.of.why == LE__WHY_EXPLORE || c.of.why == LE__WHY_PROBE)
            le__policy_cancel(d->policy, q->op->family);
        if (a.ready &&
            (is_callers(status) || call->no_room || !le__dispatch_failed(d, q, c.arm, status)))
            return status;
    }
    return a.ready ? status
                   : le_fail(LE_ERR_NO_CANDIDATE,
                             "%s: none of %d attempts gave an answer; the last: "
                             "the trial of %s did not end",
                             call->operation->name, MAX_ATTEMPTS, c.arm->candidate.text);
}

static le_status answer_by_known(le__question *q, le_call *call, le__arm *arm, le__answered *out) {
    le_status status = le__execute(call, &arm->candidate, LE__OUTPUTS_IN_PLACE);
    bool timed = !(call->granted > 0);
    call->granted = 0;
    if (status != LE_OK)
        return status;
    if (!call->beside)
        le__question_count(q, &call->stats, timed);
    *out = (le__answered){arm, LE__WHY_EXPLOIT, 0, 0};
    return LE_OK;
}

static le_status answer(le__dispatch *d, le__question *q, le_call *call, le__answered *out) {
    le__arm *arm = le__question_known(q, &call->granted);
    if (arm) {
        le_status status = answer_by_known(q, call, arm, out);
        if (status == LE_OK || is_callers(status) || call->no_room ||
            !le__dispatch_failed(d, q, arm, status))
            return status;
        le__question_forget(q);
    }
    if (q->mode == LE_MODE_MEASURE && !q->measured && !call->beside)
        le__dispatch_race(d, q, call); /* whatever comes of it, the call is answered */
    return answer_slowly(d, q, call, out);
}

le_status le__dispatch_answer(le__dispatch *d, le_call *call, le__answered *out) {
    le__question *q;
    le_status status = le__dispatch_question(d, call, &q);
    if (status != LE_OK)
        return status;
    status = answer(d, q, call, out);
    if (status == LE_OK)
        le__shares_keep(d->shares, d->store, call, q->problem);
    le__question_release(q);
    return status;
}

/* ------------------------------------------------------------------------- open and close ---- */

static void flush_question(le__question *q, void *context) {
    report_bulk(context, q);
}

static void rest(le_engine *engine) {
    le__store_rest(engine->dispatch->store);
}

le_status le__dispatch_open(le__dispatch **out, le_engine *engine) {
    le__dispatch *d = calloc(1, sizeof *d);
    if (!d)
        return le_fail(LE_ERR_MEMORY, "le_open: out of memory");
    d->engine = engine;
    engine->rest = rest;
    pthread_mutex_init(&d->mutex, NULL);
    pthread_mutex_init(&d->transfer_mutex, NULL);
    *out = d;
    le__policy_options o = {
        .explore_share = engine->options.explore_share > 0 ? engine->options.explore_share : -1,
        .race_seconds = race_s,
        .seed = engine->options.seed};
    d->policy = le__policy_new(&o);
    if (!d->policy)
        return le_fail(LE_ERR_MEMORY, "le_open: out of memory");
    le_status status = le__questions_open(&d->questions);
    if (status == LE_OK)
        status = le__shares_open(&d->shares);
    if (status == LE_OK)
        status = le__monitor_open(&d->monitor);
    return status == LE_OK ? le__store_open(&d->store, engine) : status;
}

/* Which choices were wrong shows when all has been seen. */
static void store_regrets(le__dispatch *d) {
    for (size_t i = 0; d->engine->options.mode != LE_MODE_FROZEN && i < d->n_states; i++) {
        le__policy_account account = {0};
        if (!d->states[i])
            continue;
        le__policy_get_account(d->policy, d->states[i]->family, &account);
        if (account.choice_regret > 0)
            le__store_regret(d->store, d->states[i]->entry->operation->name, account.choice_regret);
    }
}

void le__dispatch_close(le__dispatch *d) {
    if (!d)
        return;
    if (d->questions && d->store) {
        le__questions_each(d->questions, flush_question, d);
        store_regrets(d);
    }
    le__store_close(d->store);
    le__monitor_close(d->monitor);
    le__questions_close(d->questions);
    le__shares_close(d->shares);
    for (size_t i = 0; i < d->n_states; i++)
        le__op_state_free(d->states[i]);
    free(d->states);
    le__policy_free(&d->policy);
    pthread_mutex_destroy(&d->mutex);
    pthread_mutex_destroy(&d->transfer_mutex);
    free(d);
}
