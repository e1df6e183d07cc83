/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Mode measure: a race between all candidates before the call is answered. The race is the
 * policy's; here are the runs.
 */
#include "choose/race.h"

#include "core/clock.h"
#include "core/os.h"
#include "core/tick.h"
#include "call/engine.h"
#include "benchdb.h"
#include "numbers.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

bool le__race_is_late(const le__dispatch *d) {
    double until = d->engine->race_until;
    return (until > 0 && le__now() > until) || le__ticker_over(le__ticker_here());
}

bool le__race_is_aside(le__question *q, const le__arm *arm) {
    pthread_mutex_lock(&q->op->mutex);
    bool aside = le__question_is_aside(q, arm);
    pthread_mutex_unlock(&q->op->mutex);
    return aside;
}

static bool nobody_aside(le__question *q) {
    pthread_mutex_lock(&q->op->mutex);
    bool nobody = q->n_aside == 0;
    pthread_mutex_unlock(&q->op->mutex);
    return nobody;
}

static bool is_reference(const le__arm *arm) {
    return arm->candidate.implementation->flags & LE_IMPL_REFERENCE;
}

bool le__race_is_for(const le__slate *slate, size_t i) {
    return !is_reference(slate->arms[i]) || slate->n == 1;
}

typedef struct line_up {
    le__dispatch *dispatch;
    le__question *question;
    le_call *call;
    size_t proven;
    bool whole; /* no trial was put off or goes on */
} line_up;

/* Who is proven, or proves to be. */
static bool takes_part(const le__slate *slate, size_t i, const void *context) {
    line_up *l = *(line_up *const *)context;
    le__arm *arm = slate->arms[i];
    double spent = 0;
    bool late = le__ticker_over(le__ticker_here()) || (l->proven && le__race_is_late(l->dispatch));
    if (late || !le__race_is_for(slate, i))
        return false;
    bool proven = le__dispatch_prove(l->dispatch, l->question, l->call, arm, &spent);
    l->proven += proven;
    l->whole = l->whole && (proven || !le__race_is_aside(l->question, arm));
    return proven;
}

/* Tunables and schedules change a time by less than this: when one variant of an implementation is
 * that much slower than the best so far, its other variants need no run. Short runs are ruled by
 * what a first one costs, and need to be further behind, by more than that. */
static const double hopeless_factor = 4, hopeless_short = 10, short_s = 0.02;

static const double turn_s = 0.4e-3; /* of brief runs, in each round */
enum { MOST_OF_A_TURN = 25 };

typedef struct progress {
    double best;
    double *first; /* seconds of first runs, by entry of the slate; 0: not run */
    double *last;  /* of the newest ones */
} progress;

static bool is_hopeless(const le__slate *f, const progress *p, size_t i) {
    if (p->first[i] > 0 || p->best <= 0)
        return false;
    const le__candidate *c = &f->arms[i]->candidate;
    double fastest = INFINITY;
    for (size_t k = 0; k < f->n; k++) {
        const le__candidate *other = &f->arms[k]->candidate;
        if (p->first[k] > 0 && other->implementation == c->implementation &&
            other->device == c->device)
            fastest = fmin(fastest, p->first[k] * other->threads / c->threads);
    }
    double factor = p->best < short_s ? hopeless_short : hopeless_factor;
    return isfinite(fastest) && fastest > fmax(factor * p->best, LE__POLICY_FIRST_S);
}

/* Another entry's run, or another thread's, may have shown that it must not run again. */
static bool is_left_out(le__question *q, const le_call *call, const le__arm *arm) {
    pthread_mutex_lock(&q->op->mutex);
    bool out = le__arm_objection(q, call, arm);
    pthread_mutex_unlock(&q->op->mutex);
    return out;
}

static le__conditions keep_sample(le__dispatch *d, le__question *q, const le_call *call,
                                  const le__arm *arm, bool cold) {
    le__conditions conditions = le__monitor_read(d->monitor, call->stats.ended);
    le__observation o = {.stats = &call->stats,
                         .cold = cold,
                         .bench = true,
                         .cut = call->stopped,
                         .conditions = conditions};
    le__store_sample(d->store, le__store_question(d->store, q), arm->db, &o);
    return conditions;
}

static le_status run_one(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                         double stop_seconds, double *spent) {
    call->stop_after = isfinite(stop_seconds) ? stop_seconds : 0;
    le_status status = le__dispatch_run_arm(d, q, call, arm, true, spent);
    call->stop_after = 0;
    return status;
}

static int by_seconds(const void *x, const void *y) {
    double a = ((const le__run_stats *)x)->seconds, b = ((const le__run_stats *)y)->seconds;
    return (a > b) - (a < b);
}

/* As in steady use: one that is known to be brief runs once more before, and then for some time, of
 * which the middle run counts: until cores hold the data that are theirs, and workers sleep that
 * have nothing to do. once: a single one counts. None of these runs looks whether it is to end,
 * which costs a microsecond. */
static le_status run_steadily(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                              double last, bool once, double stop_seconds, double *spent) {
    le__run_stats turn[MOST_OF_A_TURN];
    if (!(last > 0 && le__is_brief(last)))
        return run_one(d, q, call, arm, stop_seconds, spent);
    int n = once ? 1 : (int)fmin(fmax(turn_s / last, 1), MOST_OF_A_TURN);
    le_status status = run_one(d, q, call, arm, INFINITY, spent);
    for (int i = 0; i < n && status == LE_OK; i++) {
        *spent += call->stats.seconds;
        status = run_one(d, q, call, arm, INFINITY, spent);
        turn[i] = call->stats;
    }
    if (status == LE_OK) {
        double ended = call->stats.ended;
        qsort(turn, (size_t)n, sizeof *turn, by_seconds);
        call->stats = turn[n / 2];
        call->stats.ended = ended;
    }
    return status;
}

/* Longer ones take their share of the cores, as all do. */
static const double longest_wait = 0.1;
enum { FIRST_RUNS = 3 };

/* A first run may leave a candidate out. One that waited for a core for most of its time says
 * nothing of it, and is made again. */
static le_status run_first(le__dispatch *d, le__question *q, le_call *call, le__arm *arm,
                           double stop_seconds, double *spent) {
    for (int run = 1;; run++) {
        double before = le__os_waited();
        le_status status = run_one(d, q, call, arm, stop_seconds, spent);
        double seconds = call->stats.seconds;
        bool over = status == LE_OK || call->stopped;
        if (!over || run == FIRST_RUNS || seconds < LE__POLICY_FIRST_S || seconds > longest_wait ||
            !le__os_mostly_waited(before, seconds))
            return status;
        *spent += seconds;
    }
}

bool le__race_run(le__dispatch *d, le__question *q, le_call *call, const le__slate *f,
                  le__policy_race *race) {
    size_t i;
    progress p = {.first = calloc(2 * f->n + 1, sizeof *p.first)};
    bool cold, sound = p.first != NULL;
    p.last = p.first + f->n;
    while (p.first && !call->no_room && !le__race_is_late(d) &&
           le__policy_race_next(race, &i, &cold)) {
        double spent = 0;
        if (is_hopeless(f, &p, i) || is_left_out(q, call, f->arms[i])) {
            le__policy_race_drop(race, i);
            continue;
        }
        double stop = le__policy_race_stop(race, i);
        le_status status = cold ? run_first(d, q, call, f->arms[i], stop, &spent)
                                : run_steadily(d, q, call, f->arms[i], p.last[i],
                                               !le__policy_race_counts_seconds(race), stop, &spent);
        le__policy_race_took_memory(race, i, (double)call->stats.peak_scratch_bytes);
        if (status != LE_OK && call->stopped) {
            le__conditions conditions = keep_sample(d, q, call, f->arms[i], cold);
            le__policy_race_cut(race, i, call->stats.seconds, call->stats.seconds + spent,
                                le__conditions_weight(&conditions), le__now());
            continue;
        }
        sound = !call->no_room && (!le__is_callers(status) || status == LE_ERR_CANCELLED);
        if (le__is_callers(status) || call->no_room)
            break;
        if (status != LE_OK) {
            le__policy_race_drop(race, i);
            le__dispatch_failed(d, q, f->arms[i], status);
            continue;
        }
        double seconds = call->stats.seconds;
        p.last[i] = seconds;
        if (cold) {
            p.first[i] = seconds;
            p.best = p.best > 0 ? fmin(p.best, seconds) : seconds;
        }
        le__conditions conditions = keep_sample(d, q, call, f->arms[i], cold);
        le__policy_race_observe(race, i, le__own_seconds(seconds, call->stats.transfer_seconds),
                                seconds + call->stats.setup_seconds + spent,
                                le__conditions_weight(&conditions), le__now());
        pthread_mutex_lock(&q->op->mutex);
        le__question_note_moved(q, f->arms[i], call);
        if (!call->inputs_moved)
            le__policy_race_set_extra(race, i, q->moved[f->arms[i]->index]);
        pthread_mutex_unlock(&q->op->mutex);
    }
    free(p.first);
    return sound;
}

/* A winner among those who could be tried in time is good for later processes; in this one the race
 * is run again, with all. One that was found while others used the machine is better than none: it
 * answers here, and later processes begin with it, and measure anew. */
void le__race_keep(le__dispatch *d, le__question *q, const le__slate *f, bool whole,
                   const le__policy_race_result *r) {
    char evidence[192];
    le__arm *arm = f->arms[r->index];
    le__number_print(evidence, sizeof evidence,
                     "{\"by\":\"race\",\"seconds\":%.9g,\"expected_regret\":%.3g,\"runs\":%u%s}",
                     r->seconds, r->expected_regret, r->runs,
                     r->storable ? "" : "," LE_DB_UNDER_LOAD);
    const le__chosen chosen = r->storable ? LE__CHOSEN_BY_RACE : LE__CHOSEN_UNDER_LOAD;
    pthread_mutex_lock(&q->op->mutex);
    if (whole || q->stored >= 0) {
        q->stored = (int)arm->index;
        q->chosen = chosen;
    }
    le__store_note_choice(q->op, q->db, q->constraint, arm, chosen);
    pthread_mutex_unlock(&q->op->mutex);
    le__policy_set_incumbent(d->policy, q->op->family, q->policy, arm->policy);
    le__store_keep_choice(d->store, le__store_question(d->store, q), arm->db, q->constraint,
                          evidence);
}

/* By what is known of its variants: none has run here, or since the choice was made only while
 * others used the machine, and the best of them may beat it. */
static bool is_new(const le__slate *f, const le__policy_view *views, size_t i, double to_beat) {
    const le__candidate *own = &f->arms[i]->candidate;
    double low = INFINITY;
    for (size_t k = 0; k < f->n; k++) {
        const le__candidate *other = &f->arms[k]->candidate;
        if (other->implementation != own->implementation || other->device != own->device)
            continue;
        bool measured = views[k].samples > 0 && !views[k].contended;
        if (measured || views[k].last_seen >= 0) /* stopped runs are no samples */
            return false;
        low = fmin(low, views[k].low);
    }
    return low < to_beat;
}

bool le__dispatch_has_newcomers(le__dispatch *d, le__question *q, le_call *call) {
    le__slate f;
    if (le__dispatch_slate(d, q, call, &f) != LE_OK)
        return false;
    le__policy_view *views = le__dispatch_views(d, &f, call);
    double to_beat = INFINITY;
    bool found = false;
    for (size_t i = 0; views && i < f.n; i++)
        if ((int)f.arms[i]->index == q->stored && views[i].high > 0)
            to_beat = views[i].high;
    for (size_t i = 0; views && i < f.n && !found; i++)
        found = !is_reference(f.arms[i]) && is_new(&f, views, i, to_beat);
    free(views);
    le__slate_free(&f);
    return found;
}

/* A step is raced when nothing is known of it: its chain asks again in every process. */
static bool is_worth_it(le__dispatch *d, le__question *q, le_call *call, const le__slate *f) {
    if (!call->step)
        return true;
    le__policy_view *views = le__dispatch_views(d, f, call);
    bool known = f->n < 2;
    for (size_t i = 0; views && i < f->n; i++)
        known = known || views[i].samples > 0;
    free(views);
    q->measured = known;
    return !known;
}

/* What moving takes is to be known before it is added to times. */
static void measure_transfers(le__question *q, const le_call *call) {
    uint32_t devices = 0;
    pthread_mutex_lock(&q->op->mutex);
    for (size_t i = 0; i < q->n_arms; i++)
        if (!q->left_out[i])
            devices |= UINT32_C(1) << q->op->arms[i]->candidate.device->index;
    pthread_mutex_unlock(&q->op->mutex);
    for (int i = 0; i < LE__MAX_DEVICES; i++)
        if (devices >> i & 1)
            le__transfer_seconds(call->engine, &call->engine->devices[i], true, 1, true);
}

le_status le__race_prepare(le__dispatch *d, le__question *q, le_call *call) {
    le_status status = le__dispatch_prepare(d, q, call);
    if (status == LE_OK)
        measure_transfers(q, call);
    return status;
}

/* Whether anybody ran. */
static bool measure(le__dispatch *d, le__question *q, le_call *call) {
    double start = le__now();
    bool ran = false;
    bool beside = le__question_is_decided(q);
    if (beside && !le__dispatch_has_newcomers(d, q, call)) {
        q->measured = nobody_aside(q);
        return false;
    }
    le__slate f;
    if (le__race_prepare(d, q, call) != LE_OK || le__dispatch_slate(d, q, call, &f) != LE_OK)
        return false;
    line_up l = {.dispatch = d, .question = q, .call = call, .whole = true}, *context = &l;
    if (is_worth_it(d, q, call, &f)) {
        le__slate_keep(&f, takes_part, &context);
        le__policy_question question = le__slate_question(&f, call, false);
        question.keep_known = beside;
        le__policy_race *race = f.n ? le__policy_race_new(d->policy, &question) : NULL;
        le__policy_race_result r = {0};
        if (race) {
            bool sound = le__race_run(d, q, call, &f, race);
            bool whole = sound && !le__race_is_late(d);
            bool news = le__policy_race_end(&race, &r) && (r.runs > 0 || !beside);
            /* who wins while others use the machine, against what was measured before, is ahead */
            bool wins = news && (!beside || (int)f.arms[r.index]->index != q->stored);
            if (sound && news && (r.storable ? whole : wins) && !call->step)
                le__race_keep(d, q, &f, l.whole, &r);
            q->measured = whole && l.whole && nobody_aside(q);
            ran = r.runs > 0;
        }
        le__store_account(d->store, call->operation->name, 0, le__now() - start, 0);
    }
    le__slate_free(&f);
    return ran;
}

/* Who has a tick is heard while another thread's race goes on. False: the call is over. */
static bool take_turn(le__question *q) {
    le__ticker *t = le__ticker_here();
    while (t && pthread_mutex_trylock(&q->race) != 0) {
        if (!le__ticker_look(t, NAN))
            return false;
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    if (!t)
        pthread_mutex_lock(&q->race);
    return true;
}

bool le__dispatch_race(le__dispatch *d, le__question *q, le_call *call) {
    if (!take_turn(q))
        return false;
    bool ran = !q->measured && measure(d, q, call);
    pthread_mutex_unlock(&q->race);
    return ran;
}
