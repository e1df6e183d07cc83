/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A race that several processes run together. Machines that are alike differ by some per cent, so
 * that times of different ones are compared by what one candidate, the anchor, takes on both; and
 * the best four are run by all. All find the same choice in the same numbers.
 */
#include "choose/race.h"

#include "call/engine.h"
#include "core/clock.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINALISTS = 4 };
static const double level = 0.005; /* of schedules of the same code: the first is preferred */

typedef struct together {
    const le_bench_team *team;
    le__dispatch *dispatch;
    le__question *question;
    le_call *call;
    le__slate slate;   /* the same on all, but for pointers */
    double *own, *all; /* a number an entry: of this process, of each: [rank][entry] */
    int *provers;
    bool whole; /* no trial was put off or goes on */
} together;

static bool is_true_for_all(const together *t, bool own) {
    return t->team->all(t->team->context, own);
}

static void gather(const together *t) {
    t->team->gather(t->team->context, t->own, t->slate.n * sizeof *t->own, t->all);
}

static double said(const together *t, size_t rank, size_t i) {
    return t->all[rank * t->slate.n + i];
}

/* ------------------------------------------------------------------------------- candidates -- */

static uint64_t key_of(const le__arm *arm) {
    return XXH64(arm->candidate.text, strlen(arm->candidate.text), 0);
}

/* Whether all have the candidate. */
static bool is_common(const le__slate *s, size_t i, const void *context) {
    const together *t = *(const together *const *)context;
    const uint64_t *keys = (const uint64_t *)t->all, key = key_of(s->arms[i]);
    const size_t most = (size_t)keys[0];
    bool everywhere = le__race_is_for(s, i);
    for (int r = 0; everywhere && r < t->team->ranks; r++) {
        const uint64_t *theirs = keys + 1 + (size_t)r * most;
        bool found = false;
        for (size_t k = 0; k < most && !found; k++)
            found = theirs[k] == key;
        everywhere = found;
    }
    return everywhere;
}

/* Room for the numbers of all, as many as one has at *most. False on all without memory. */
static bool make_room(together *t, size_t *most) {
    const size_t ranks = (size_t)t->team->ranks;
    *most = 1;
    uint64_t own = t->slate.n, *counts = calloc(ranks, sizeof *counts);
    if (is_true_for_all(t, counts != NULL)) {
        t->team->gather(t->team->context, &own, sizeof own, counts);
        for (size_t r = 0; r < ranks; r++)
            *most = counts[r] > *most ? (size_t)counts[r] : *most;
        t->own = calloc(*most, sizeof *t->own);
        t->all = calloc(*most * ranks + 1, sizeof *t->all);
        t->provers = calloc(*most, sizeof *t->provers);
    }
    free(counts);
    return is_true_for_all(t, t->own && t->all && t->provers);
}

static void keep_common(together *t, size_t most) {
    const together *context = t;
    uint64_t *own = (uint64_t *)(void *)t->own, *keys = (uint64_t *)(void *)t->all;
    for (size_t i = 0; i < t->slate.n; i++)
        own[i] = key_of(t->slate.arms[i]);
    keys[0] = most;
    t->team->gather(t->team->context, own, most * sizeof *own, keys + 1);
    le__slate_keep(&t->slate, is_common, &context);
}

/* Seconds that are expected of each entry, or while nothing is known of any what goes with them,
 * the same on all: rank 0's belief. */
static void believe_as_root(together *t) {
    le__policy_view *views = le__dispatch_views(t->dispatch, &t->slate, t->call);
    for (size_t i = 0; i < t->slate.n; i++)
        t->own[i] = views && views[i].seconds > 0
                        ? views[i].seconds
                        : 1 / le__arm_speed(&t->slate.arms[i]->candidate, t->call);
    free(views);
    gather(t);
    for (size_t i = 0; i < t->slate.n; i++)
        t->own[i] = said(t, 0, i);
}

/* ----------------------------------------------------------------------------------- proofs -- */

/* Candidates that share a proof are proven by one of the members. */
static void share_out_proofs(together *t) {
    int number = 0;
    for (size_t i = 0; i < t->slate.n; i++) {
        size_t same = 0;
        while (same < i && t->slate.arms[same]->proof != t->slate.arms[i]->proof)
            same++;
        t->provers[i] = same < i ? t->provers[same] : number++ % t->team->ranks;
    }
}

typedef enum proof { PROOF_NONE, PROOF_GIVEN, PROOF_LATER } proof;

static proof prove(together *t, size_t i) {
    le__arm *arm = t->slate.arms[i];
    double spent = 0;
    if (le__dispatch_prove(t->dispatch, t->question, t->call, arm, &spent))
        return PROOF_GIVEN;
    return le__race_is_aside(t->question, arm) ? PROOF_LATER : PROOF_NONE;
}

/* What the trials of all have found, to all. */
static void tell_verdicts(together *t) {
    const le_bench_team *team = t->team;
    const size_t ranks = (size_t)team->ranks;
    char *text = NULL, *own = NULL, *all = NULL;
    size_t size = 0, most = 0;
    le__dispatch_hand_out(t->dispatch, LE_BENCH_VERDICTS, &text, &size);
    uint64_t bytes = size, *sizes = calloc(ranks, sizeof *sizes);
    if (is_true_for_all(t, sizes != NULL)) {
        team->gather(team->context, &bytes, sizeof bytes, sizes);
        for (size_t r = 0; r < ranks; r++)
            most = sizes[r] > most ? (size_t)sizes[r] : most;
        own = calloc(most + 1, 1);
        all = malloc(most * ranks + 1);
    }
    if (is_true_for_all(t, own && all) && most) {
        memcpy(own, text ? text : "", size);
        team->gather(team->context, own, most, all);
        for (size_t r = 0; r < ranks; r++)
            if (r != (size_t)team->rank && sizes[r])
                le__dispatch_hand_in(t->dispatch, LE_BENCH_VERDICTS, all + r * most,
                                     (size_t)sizes[r]);
    }
    free(sizes);
    free(text);
    free(own);
    free(all);
}

static bool is_proven(const le__slate *s, size_t i, const void *context) {
    const together *t = *(const together *const *)context;
    (void)s;
    return t->own[i] == PROOF_GIVEN;
}

/* By those who share_out_proofs or share_out_first says. */
static void prove_all(together *t) {
    const together *context = t;
    for (size_t i = 0; i < t->slate.n; i++)
        t->own[i] = t->provers[i] == t->team->rank ? prove(t, i) : PROOF_NONE;
    gather(t);
    for (size_t i = 0; i < t->slate.n; i++) {
        t->own[i] = t->provers[i] < 0 ? PROOF_NONE : said(t, (size_t)t->provers[i], i);
        t->whole = t->whole && t->own[i] != PROOF_LATER;
    }
    le__slate_keep(&t->slate, is_proven, &context);
    tell_verdicts(t);
}

/* ------------------------------------------------------------------------------------- runs -- */

static bool is_in(const le__slate *s, size_t i, const void *in) {
    (void)s;
    return ((const bool *)in)[i];
}

/* Those who are in race here; their scores are then this process' numbers, NAN of all others. */
static void race(together *t, const bool *in, le__policy_race_result *r) {
    const le__slate *s = &t->slate;
    le__slate some = *s;
    some.arms = calloc(s->n + 1, sizeof *some.arms);
    some.allowed = calloc(s->n + 1, sizeof *some.allowed);
    le__policy_race *race = NULL;
    if (some.arms && some.allowed) {
        memcpy(some.arms, s->arms, s->n * sizeof *s->arms);
        memcpy(some.allowed, s->allowed, s->n * sizeof *s->allowed);
        le__slate_keep(&some, is_in, in);
        le__policy_question question = le__slate_question(&some, t->call, false);
        race = some.n ? le__policy_race_new(t->dispatch->policy, &question) : NULL;
    }
    if (race)
        le__race_run(t->dispatch, t->question, t->call, &some, race);
    for (size_t i = 0, k = 0; i < s->n; i++)
        t->own[i] = race && in[i] ? le__policy_race_score(race, k++) : NAN;
    if (race)
        le__policy_race_end(&race, r);
    free(some.arms);
    free(some.allowed);
}

static size_t choose_anchor(together *t) {
    size_t best = 0;
    believe_as_root(t);
    for (size_t i = 0; i < t->slate.n; i++)
        best = t->own[i] < t->own[best] ? i : best;
    return best;
}

/* What the others have run is not new to this process either. */
static void believe(const together *t, double anchor) {
    static const double stopped_at = 3; /* times the best */
    const le__question *q = t->question;
    le__policy *policy = t->dispatch->policy;
    double best = INFINITY;
    for (size_t i = 0; i < t->slate.n; i++)
        best = fmin(best, t->own[i]);
    for (size_t i = 0; i < t->slate.n && t->call->want.objective == LE_OBJECTIVE_TIME; i++) {
        const int candidate = t->slate.arms[i]->policy;
        const le__policy_stats stats = {.n = 1, .mean_log = anchor + t->own[i]};
        if (i % (size_t)t->team->ranks == (size_t)t->team->rank || isnan(anchor))
            continue;
        if (!isnan(t->own[i]))
            le__policy_load(policy, q->op->family, q->policy, candidate, &stats, 1);
        else if (isfinite(best))
            le__policy_load_cut(policy, q->op->family, q->policy, candidate, false, 1,
                                stopped_at * exp(anchor + best));
    }
}

/* Each runs its share beside the anchor. Scores above the anchor's, of all, are in t->own then. */
static void race_shares(together *t, bool *in, le__policy_race_result *r) {
    const size_t ranks = (size_t)t->team->ranks, anchor = choose_anchor(t);
    for (size_t i = 0; i < t->slate.n; i++)
        in[i] = i == anchor || i % ranks == (size_t)t->team->rank;
    race(t, in, r);
    bool anchored = is_true_for_all(t, !isnan(t->own[anchor]));
    gather(t);
    for (size_t i = 0; i < t->slate.n; i++)
        t->own[i] = said(t, i % ranks, i) - (anchored ? said(t, i % ranks, anchor) : 0);
    if (anchored) {
        t->own[anchor] = 0;
        believe(t, said(t, (size_t)t->team->rank, anchor));
    }
}

static size_t least(const together *t, const bool *taken) {
    size_t best = t->slate.n;
    for (size_t i = 0; i < t->slate.n; i++)
        if (!taken[i] && !isnan(t->own[i]) && (best == t->slate.n || t->own[i] < t->own[best]))
            best = i;
    return best;
}

static void take_finalists(const together *t, bool *in) {
    memset(in, 0, t->slate.n * sizeof *in);
    for (int k = 0; k < FINALISTS; k++) {
        const size_t next = least(t, in);
        if (next < t->slate.n)
            in[next] = true;
    }
}

/* Means over all, of those who have run everywhere. */
static void pool(together *t) {
    gather(t);
    for (size_t i = 0; i < t->slate.n; i++) {
        double sum = 0;
        for (int r = 0; r < t->team->ranks; r++)
            sum += said(t, (size_t)r, i);
        t->own[i] = sum / t->team->ranks;
    }
}

static size_t choose(const together *t, bool *none) {
    memset(none, 0, t->slate.n * sizeof *none);
    const size_t best = least(t, none);
    for (size_t i = 0; i < best && best < t->slate.n; i++)
        if (t->own[i] < t->own[best] + level && t->slate.allowed[best].kin &&
            t->slate.allowed[i].kin == t->slate.allowed[best].kin)
            return i;
    return best;
}

static void keep(together *t, size_t choice, le__policy_race_result *r) {
    le__question *q = t->question;
    const bool in_time = is_true_for_all(t, !le__race_is_late(t->dispatch));
    r->storable = is_true_for_all(t, r->storable);
    r->index = choice;
    r->candidate = t->slate.arms[choice]->policy;
    r->seconds = exp(t->own[choice]);
    if (!in_time)
        return;
    le__race_keep(t->dispatch, q, &t->slate, t->whole, r);
    atomic_store(&q->measured, t->whole);
    le__question_forget(q);
}

static le_status race_all(together *t) {
    le__policy_race_result r = {0};
    bool *in = calloc(t->slate.n + 1, sizeof *in);
    if (t->slate.n == 0) {
        free(in);
        return le_fail(LE_ERR_NO_CANDIDATE, "%s: no candidate that all have passes its trial",
                       t->call->operation->name);
    }
    if (!is_true_for_all(t, in != NULL)) {
        free(in);
        return le_fail(LE_ERR_MEMORY, "%s: out of memory", t->call->operation->name);
    }
    memset(t->own, 0, t->slate.n * sizeof *t->own);
    if (t->slate.n > FINALISTS)
        race_shares(t, in, &r);
    take_finalists(t, in);
    race(t, in, &r);
    pool(t);
    const size_t choice = choose(t, in);
    if (choice < t->slate.n)
        keep(t, choice, &r);
    free(in);
    return LE_OK;
}

/* ------------------------------------------------------------------------- before the first -- */

static bool is_plain(const together *t, size_t i) {
    return !strcmp(t->slate.arms[i]->candidate.implementation->run_type, "c");
}

/* The second is to be plain C: what is compared with it has to wait for its trial. */
static bool is_before(const together *t, size_t number, size_t a, size_t b) {
    if (number == 1 && is_plain(t, a) != is_plain(t, b))
        return is_plain(t, a);
    return t->own[a] < t->own[b];
}

/* Who would be asked first is proven by the members, each another one, and plain C, with which the
 * first answer is compared. */
static void share_out_first(together *t) {
    const size_t most = (size_t)t->team->ranks;
    believe_as_root(t);
    for (size_t i = 0; i < t->slate.n; i++)
        t->provers[i] = -1;
    for (size_t number = 0; number < most; number++) {
        size_t best = t->slate.n;
        for (size_t i = 0; i < t->slate.n; i++)
            if (t->provers[i] < 0 && (best == t->slate.n || is_before(t, number, i, best)))
                best = i;
        for (size_t i = 0; i < t->slate.n && best < t->slate.n; i++)
            if (t->slate.arms[i]->proof == t->slate.arms[best]->proof)
                t->provers[i] = (int)number;
    }
}

/* ------------------------------------------------------------------------------------- calls -- */

le_status le__dispatch_together(le__dispatch *d, le__question *q, le_call *call,
                                const le_bench_team *team, bool race) {
    together t = {.team = team, .dispatch = d, .question = q, .call = call, .whole = true};
    const char *name = call->operation->name;
    const double start = le__now();
    size_t most;
    pthread_mutex_lock(&q->race);
    le_status status = race ? le__race_prepare(d, q, call) : LE_OK;
    if (status == LE_OK)
        status = le__dispatch_slate(d, q, call, &t.slate);
    if (!is_true_for_all(&t, status == LE_OK)) {
        if (status == LE_OK)
            status = le_fail(LE_ERR_CANCELLED, "%s: not all can race", name);
    } else if (!make_room(&t, &most)) {
        status = le_fail(LE_ERR_MEMORY, "%s: out of memory", name);
    } else {
        keep_common(&t, most);
        (race ? share_out_proofs : share_out_first)(&t);
        prove_all(&t);
        if (race)
            status = race_all(&t);
    }
    le__store_account(d->store, name, 0, le__now() - start, 0);
    pthread_mutex_unlock(&q->race);
    le__slate_free(&t.slate);
    free(t.own);
    free(t.all);
    free(t.provers);
    return status;
}
