/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * One decision: the best known, unless a probe is due or exploring is both worth its cost and paid
 * for.
 */
#include <math.h>

#include "core/array.h"
#include "policy/policy_internal.h"

#define Z90           1.6448536269514722
#define Z99           2.3263478740408408
#define CALLS_ONE     300.0 /* to come of a problem, while the family has only this one */
#define CALLS_MANY    30.0  /* ... when problems vary */
#define BRIEF_STAKE   0.05  /* seconds of answers to come: what is brief is called often */
#define LEAST_GAIN    0.05  /* of one answer: less is not worth the trouble */
#define OVERDRAFT     0.3   /* answers */
#define SMALL_CHANGE  0.002 /* seconds that nobody notices */
#define STOP          2.5   /* times the best known: an exploring run has lost by then */
#define STOP_SOON     2.3   /* ... of a time slice: giving up one may double the answer's time, too */
#define SLICE         0.005 /* seconds */
#define OVERSHOOT     1.2   /* what is stopped ends with the items that it has begun */
#define TOO_LIKELY    0.9   /* that it would have to be stopped, of one that cannot be */
#define HIDDEN        0.5   /* of the variance: what a stopped run hides lies beyond, not below */
#define BEATEN        0.2   /* log factor beyond the best within which a stop may have been noise */
#define ESTABLISHED   3.0   /* steady runs that make an incumbent */
#define TIE_SD        0.25
#define BRIEF         5e-4  /* seconds of a run that what came right before it can slow down, */
#define BRIEFEST      1e-4  /* ... for some runs */
#define OFTEN         3.0   /* calls of a problem that more will follow */
#define LASTING       2.0   /* slow runs that were no accident */
#define PATIENCE      200.0 /* times what a second look takes at most, answered for each */
#define MOST_TRIES    16    /* of a second look */
#define NO_DOUBT      4.0   /* standard deviations behind the best */
#define COLD_DOUBT    1.0   /* of these one, at least, of what ran once: it may have compiled */
#define FIRST_RUN_VAR 0.12  /* of what such a run says of slower ones */
#define PRIOR_TRUST   0.5   /* in a database's times: less in those of cold runs and busy machines */
#define TWICE         0.693 /* as long, logarithmic */
#define REUSE_SHARE   0.125
#define REUSE_MAX     1000000.0
#define REUSE_SECONDS 1.0
#define ALARM         0.262 /* as in policy_slow.c: ln 1.3 */

typedef struct option {
    le__belief belief;     /* without slowness */
    double slow;           /* log factor */
    double seconds, usual; /* expected, with and without slowness */
    double over;           /* of these the log factor over the median */
    double score;          /* what the objective minimises, logarithmic */
    double score_var;      /* of what is expected of it: transfers are no part of the belief */
    double noise;          /* variance of one run */
    bool shaky; /* only seen being stopped, or while its resource was slow as it is; after
                   a stop: never seen */
} option;

typedef struct scene {
    le__policy *policy;
    le__family *family;
    le__problem *problem;
    const le__policy_question *q;
    const le__belief *beliefs;
    double least_seen; /* infinite: none ran to its end */
} scene;

static bool only_stopped(const le__cell *cell) {
    return cell && !le__cell_has_run(cell) && cell->cut.n + cell->cut_cold.n > 0.0;
}

/* Only its first run is known: steady ones may be much faster, they are hardly slower. */
static bool ran_once(const le__cell *cell) {
    return cell && cell->cold.n > 0.0 && !(cell->warm.n + cell->loaded.n + cell->cut.n > 0.0);
}

static option look(const scene *s, size_t i) {
    const le__policy_allowed *a = &s->q->allowed[i];
    const le__resource *r = le__resource_of(s->policy, s->family, a->candidate);
    option o = {.belief = s->beliefs[i], .slow = le__slow_now(r, s->q->now)};
    double extra = a->extra_seconds > 0.0 ? a->extra_seconds : 0.0;
    const le__cell *cell = le__cell_find(s->problem, a->candidate);
    o.shaky = s->q->stopped ? !le__cell_has_run(cell)
                            : only_stopped(cell) || (cell && cell->doubt > 0.0 && o.slow > 0.0);
    o.noise = le__run_var(s->family, s->problem, a->candidate);
    o.usual = le__expected_seconds(o.belief) + extra;
    double var = o.belief.var;
    if (ran_once(cell)) {
        o.usual = fmin(o.usual, exp(cell->cold.mean) + extra);
        var = fmin(var, FIRST_RUN_VAR);
    }
    o.over = le__belief_known(o.belief) ? log(o.usual - extra) - o.belief.mean : 0.0;
    o.seconds = (o.usual - extra) * exp(o.slow) + extra;
    o.score =
        log(o.seconds) + le__score_shift(s->q->objective, a, le__cell_memory(cell, a));
    double own = 1.0 - extra / o.seconds;
    o.score_var = var * own * own;
    if (s->q->objective == LE_OBJECTIVE_P99)
        o.score += Z99 * sqrt(fmax(o.noise, le__tail_var(s->family, a->candidate)));
    return o;
}

/* Differences that the evidence cannot tell: the canonical order decides. */
static bool tied(const option *a, const option *b) {
    double sd = sqrt(a->score_var + b->score_var);
    return fabs(a->score - b->score) < fmin(LE__MARGIN, TIE_SD * sd);
}

static size_t least(const scene *s) {
    size_t best = 0;
    option top = look(s, 0);
    for (size_t i = 1; i < s->q->n_allowed; i++) {
        option o = look(s, i);
        if (o.shaky != top.shaky ? top.shaky : o.score < top.score && !tied(&o, &top)) {
            best = i;
            top = o;
        }
    }
    return best;
}

static bool beats(const option *challenger, const option *incumbent) {
    double ahead = incumbent->score - challenger->score;
    double sd = sqrt(challenger->score_var + incumbent->score_var);
    return ahead > LE__MARGIN && le__normal_cdf(ahead / sd) >= LE__CONFIDENCE;
}

/* The best of those that beat it; n_allowed: none does. The best of all may not, for it is hardly
 * known. */
static size_t best_beating(const scene *s, const option *incumbent) {
    size_t best = s->q->n_allowed;
    double score = INFINITY;
    for (size_t i = 0; i < s->q->n_allowed; i++) {
        option o = look(s, i);
        if (o.score < score && (!o.shaky || incumbent->shaky) && beats(&o, incumbent)) {
            best = i;
            score = o.score;
        }
    }
    return best;
}

/* One that answers only because it ran first gives way to any better guess. */
static bool established(const scene *s, int incumbent) {
    const le__cell *cell = le__cell_find(s->problem, incumbent);
    return s->problem->kept || (cell && cell->warm.n + cell->loaded.n >= ESTABLISHED);
}

/* The best known: the incumbent, unless it is slow now or beaten by margin and with confidence.
 * Only the second kind of change is for good. */
static size_t best_known(const scene *s) {
    size_t best = least(s), n = s->q->n_allowed, held = n;
    int incumbent = s->problem->incumbent;
    for (size_t i = 0; i < n; i++)
        if (s->q->allowed[i].candidate == incumbent)
            held = i;
    option challenger = look(s, best);
    if (held < n && held != best) {
        option o = look(s, held);
        if (o.slow > challenger.slow || s->q->objective != LE_OBJECTIVE_TIME)
            return best;
        if (established(s, incumbent) && !beats(&challenger, &o)) {
            best = best_beating(s, &o);
            if (best == n)
                return held;
            challenger = look(s, best);
        }
    }
    bool chosen_freely = (held < n || incumbent < 0) && s->q->objective == LE_OBJECTIVE_TIME;
    if (chosen_freely && !(challenger.slow > 0.0) && held != best) {
        s->problem->incumbent = s->q->allowed[best].candidate;
        s->problem->kept = false;
    }
    return best;
}

/* --------------------------------------------------------------------------- exploring -------- */

/* Seconds of answers to come that what is learnt here may shorten: of this problem and, since one
 * curve serves all, of the others. As much as there was already is to be expected, more at first.
 */
static double stake(const scene *s, double best_seconds) {
    double problems = s->family->problems_met;
    double here = fmax(CALLS_ONE / (problems * problems), CALLS_MANY) + s->problem->calls;
    const le__budget *b = &s->family->budget;
    double others = b->account.answered + b->answered_before - s->problem->answered;
    return fmax(best_seconds * here, BRIEF_STAKE) + fmax(others, 0.0);
}

/* The least mean time that anyone has had on the problem, as slow as its resource is now. */
static double least_seen(const scene *s) {
    double least = INFINITY;
    for (size_t i = 0; i < s->q->n_allowed; i++) {
        const le__policy_allowed *a = &s->q->allowed[i];
        const le__cell *cell = le__cell_find(s->problem, a->candidate);
        if (!le__cell_has_run(cell))
            continue;
        le__log_stats all = cell->warm;
        le__log_stats_add(&all, cell->cold.n, cell->cold.mean, cell->cold.m2);
        le__log_stats_add(&all, cell->loaded.n, cell->loaded.mean, cell->loaded.m2);
        double slow = le__slow_now(le__resource_of(s->policy, s->family, a->candidate), s->q->now);
        least = fmin(least, exp(all.mean + slow) + fmax(a->extra_seconds, 0.0));
    }
    return least;
}

/* What a run may take before it is stopped, where another typically takes so long. Other objectives
 * than time may be served by one that is slow. */
static double line(const scene *s, double typical, size_t i) {
    double extra = fmax(s->q->allowed[i].extra_seconds, 0.0);
    double times = typical < SLICE ? STOP_SOON : STOP;
    bool fast = s->q->objective == LE_OBJECTIVE_TIME || s->q->objective == LE_OBJECTIVE_P99;
    return fast ? fmax(times * typical - extra, typical) : INFINITY;
}

/* ... of an exploring run: a multiple of what the best known should take, or of what has been seen,
 * where what should be is more. */
static double stop_after(const scene *s, const option *best, size_t i) {
    double typical = best->seconds * exp(-best->over);
    return line(s, fmin(typical, s->least_seen), i);
}

/* How likely it is that a run of o takes longer. */
static double exceeds(const option *o, double seconds) {
    double sd = sqrt(o->belief.var + o->noise), mid = o->belief.mean + o->slow;
    return isfinite(seconds) ? le__normal_cdf((mid - log(seconds)) / sd) : 0.0;
}

/* What cannot be stopped does not begin where it would have to be. */
static bool too_long(const scene *s, const option *o, const option *best, size_t i) {
    const le__policy_allowed *a = &s->q->allowed[i];
    double most = stop_after(s, best, i);
    return a->unstoppable && (a->at_least > most || exceeds(o, most) > TOO_LIKELY);
}

/* Seconds that running o costs beyond the best: when it takes longer than `stop`, all until then.
 */
static double run_cost(const option *o, const option *best, double stop) {
    if (!isfinite(stop))
        return fmax(o->seconds - best->seconds, 0.0);
    double seconds = fmin(o->seconds, stop), stopped = exceeds(o, stop);
    double lost = fmax(seconds - best->seconds, 0.0);
    return (1.0 - stopped) * lost + stopped * OVERSHOOT * stop;
}

/* Whether a steady run was stopped so late that another would be stopped as well. */
static bool beaten(const scene *s, const option *best, size_t i) {
    const le__cell *cell = le__cell_find(s->problem, s->q->allowed[i].candidate);
    return cell && cell->cut.n > 0.0 && cell->warm.n + cell->loaded.n <= 0.0 &&
           cell->cut.least > best->belief.mean + BEATEN;
}

/* The share of all time to come that is saved by learning this share of the variance of one that is
 * so far behind. */
static double saved(double behind, double var, double learnt) {
    return 1.0 - exp(-le__expected_gain(behind, sqrt(var * learnt)));
}

/* How much longer o takes than the best, logarithmic; of what the objective minimises. */
static double behind_best(const scene *s, const option *o, const option *best) {
    double behind = log(o->seconds) - o->over - (log(best->seconds) - best->over);
    if (s->q->objective != LE_OBJECTIVE_TIME)
        behind += (o->score - log(o->seconds)) - (best->score - log(best->seconds));
    return behind;
}

/* Seconds that exploring o next is worth beyond what it costs: by one run, or by the cold one and a
 * steady one after it where the first alone tells too little. */
static double worth(const scene *s, const option *o, const option *best, size_t i,
                    double at_stake) {
    int candidate = s->q->allowed[i].candidate;
    const le__member *member = &s->family->members[candidate];
    const le__cell *cell = le__cell_find(s->problem, candidate);
    double hidden = only_stopped(cell) ? HIDDEN : 1.0;
    double behind = behind_best(s, o, best) + LE__MARGIN; /* less would not change the choice */
    /* of one that is ahead, but not surely, because the best known is known less well, further runs
     * tell little: those of the other one do */
    if (behind < 0.0 && o->belief.var < best->belief.var)
        behind = -behind;
    double cost =
        run_cost(o, best, s->q->allowed[i].unstoppable ? INFINITY : stop_after(s, best, i));
    double set_up = member->n_cells == 0 ? member->info.setup_seconds : 0.0;
    double var = o->belief.var;
    double steady = saved(behind, var, hidden * var / (var + o->noise)) * at_stake;
    if (cell && cell->cold.n + cell->warm.n > 0.0)
        return steady - cost - set_up;
    double unsure = o->noise + s->family->cold[member->info.resource].ratio_err;
    double once = saved(behind, var, hidden * var / (var + unsure)) * at_stake;
    return fmax(once - cost, steady - 2.0 * cost) - set_up;
}

/* Whether two run on the same resource. */
static bool together(const scene *s, size_t a, size_t b) {
    const le__member *members = s->family->members;
    return members[s->q->allowed[a].candidate].info.resource ==
           members[s->q->allowed[b].candidate].info.resource;
}

/* One that has never run here is best by a guess, where others have: its run is stopped when it is
 * lost, and is not repeated unseen. */
static bool is_guess(const scene *s, size_t index) {
    return isfinite(s->least_seen) &&
           !le__cell_has_run(le__cell_find(s->problem, s->q->allowed[index].candidate));
}

/* Beside a guess, who has run here waits: the guess is to be seen first. */
static bool waits(const scene *s, size_t best_index, size_t i) {
    return is_guess(s, best_index) &&
           le__cell_has_run(le__cell_find(s->problem, s->q->allowed[i].candidate));
}

/* The most worthwhile candidate to explore now; n_allowed when none is worth its cost or paid for.
 * A first run is always paid for, others while all together owe no more than small change. *debt
 * gets the answering needed before others may run. */
static size_t worthwhile(const scene *s, size_t best_index, const option *best, double *debt) {
    double at_stake = stake(s, best->seconds), top = LEAST_GAIN * best->seconds;
    double owed = le__budget_debt(&s->family->budget, s->policy->options.explore_share);
    /* One run may overdraw the account; a large overdraft would forbid all the cheap ones after it.
     */
    double purse = OVERDRAFT * best->seconds + SMALL_CHANGE - owed;
    size_t found = s->q->n_allowed;
    for (size_t i = 0; i < s->q->n_allowed && !(best->slow > 0.0); i++) {
        option o = look(s, i);
        if (i == best_index || waits(s, best_index, i) ||
            (o.slow > 0.0 && !together(s, i, best_index)) || beaten(s, best, i) ||
            too_long(s, &o, best, i))
            continue;
        bool first = s->family->members[s->q->allowed[i].candidate].n_cells == 0;
        double net = worth(s, &o, best, i, at_stake);
        double longest = s->q->allowed[i].unstoppable ? INFINITY : stop_after(s, best, i);
        double least = fmin(o.seconds, longest) * exp(-o.over);
        if (!(net > top) || (!first && least > purse + fmax(owed, 0.0)))
            continue;
        if (!first && owed > SMALL_CHANGE) {
            *debt = fmin(*debt, owed - SMALL_CHANGE);
            continue;
        }
        top = net;
        found = i;
    }
    return found;
}

/* What answers in turn, and what is kept for decisions, empty the caches of the next run and make a
 * brief one look slow: beside those that answer in turn it would have no chance. So it answers a
 * few calls, the first of which does not count. What is called once or twice is not worth that. */
static int runs_that_count(const scene *s, double best_seconds) {
    if (s->problem->calls < OFTEN)
        return 0;
    return best_seconds < BRIEFEST ? LE__LOOK : best_seconds < BRIEF ? 1 : 0;
}

/* No steady run of it has been seen, nor one that was stopped. */
static bool hardly_known(const le__cell *cell) {
    bool loaded = cell && cell->loaded.n > 0.0 && cell->trust >= PRIOR_TRUST;
    return !cell || !(loaded || cell->warm.n + cell->cut.n > 0.0);
}

/* It once took less than the best does, and twice as long or more in all steady runs: they may have
 * been disturbed, for as long as they lasted. */
static bool was_faster(const le__cell *cell, const option *best) {
    const double least = cell && cell->warm.n > 0.0 ? le__cell_least_first(cell) : INFINITY;
    return least < log(best->seconds) && least < cell->warm.mean - TWICE;
}

static double runs_known(const le__cell *cell) {
    return cell ? cell->warm.n + cell->cold.n + cell->cut.n + cell->cut_cold.n : 0.0;
}

/* Whether a second look has told nothing: starts do not count. */
static bool still_in_doubt(const scene *s, size_t i) {
    const le__problem *p = s->problem;
    return p->second_tries > 0 && p->second_tries < MOST_TRIES &&
           p->second_at == s->q->allowed[i].candidate &&
           runs_known(le__cell_find(p, p->second_at)) <= p->second_had;
}

static size_t look_again(const scene *s, size_t i, bool goes_on) {
    le__problem *p = s->problem;
    p->second_looks++;
    p->second_tries = goes_on ? p->second_tries + 1 : 1;
    p->second_at = s->q->allowed[i].candidate;
    p->second_had = runs_known(le__cell_find(p, p->second_at));
    return i;
}

/* One whose claimed speed or cold run, or steady runs in a bad phase, make it look not worth a run.
 * All may mislead by a lot, and a problem that is called again and again would never find out: once
 * in a while, so seldom that nobody notices, the most likely of those has a look. n_allowed: none, or
 * not yet. */
static size_t second_look(const scene *s, size_t best_index, const option *best) {
    double nearest = NO_DOUBT;
    bool unknown = false; /* the nearest so far; who is known comes after them */
    size_t found = s->q->n_allowed;
    double paid = s->problem->answered / (PATIENCE * (s->problem->second_looks + 1.0));
    for (size_t i = 0; i < s->q->n_allowed && !(best->slow > 0.0); i++) {
        const le__cell *cell = le__cell_find(s->problem, s->q->allowed[i].candidate);
        bool new = hardly_known(cell);
        if (i == best_index || waits(s, best_index, i) || !(new || was_faster(cell, best)))
            continue;
        option o = look(s, i);
        double longest = s->q->allowed[i].unstoppable ? o.seconds : stop_after(s, best, i);
        if (o.slow > 0.0 || too_long(s, &o, best, i))
            continue;
        if (new && still_in_doubt(s, i))
            return look_again(s, i, true);
        if (paid < longest * (1.0 + runs_that_count(s, best->seconds)))
            continue;
        double sd =
            sqrt(fmax(o.belief.var, le__cell_has_run(cell) ? COLD_DOUBT * COLD_DOUBT : 0.0));
        double behind = behind_best(s, &o, best) / sd;
        if (behind < NO_DOUBT && (new != unknown ? new : behind < nearest)) {
            nearest = behind;
            unknown = new;
            found = i;
        }
    }
    return found < s->q->n_allowed ? look_again(s, found, false) : found;
}

/* Whether all of the resource is slow, or only the one that raised the alarm, another one there
 * tells: one of its runs, once the slowness has lasted. */
static bool to_be_doubted(const le__resource *r) {
    return !r->doubted && r->slow_runs >= LASTING;
}

/* A candidate that would be better if its resource were as usual again, when asking is due. Sets
 * the seconds until the next one is due. */
static size_t probe(const scene *s, size_t best_index, const option *best, double *due_in) {
    size_t found = s->q->n_allowed;
    double least_usual = best->seconds;
    for (size_t i = 0; i < s->q->n_allowed; i++) {
        option o = look(s, i);
        const le__resource *r = le__resource_of(s->policy, s->family, s->q->allowed[i].candidate);
        if (!(o.slow > 0.0) || o.usual >= least_usual || i == best_index)
            continue;
        if (together(s, i, best_index)) {
            if (to_be_doubted(r)) {
                found = i;
                least_usual = o.usual;
            }
            continue;
        }
        double loss = o.usual * exp(r->slowness) - best->seconds; /* what was seen, not forgotten */
        double gap = le__slow_probe_gap(best->seconds, loss);
        double left = gap - le__slow_waited(r, s->q->now, s->policy->busy);
        *due_in = fmin(*due_in, fmax(left, 0.0));
        if (left <= 0.0) {
            found = i;
            least_usual = o.usual;
        }
    }
    return found;
}

/* ------------------------------------------------------------------------------ answer -------- */

static void describe(const scene *s, size_t index, le__why why, le__policy_decision *out) {
    option o = look(s, index);
    const le__policy_allowed *a = &s->q->allowed[index];
    double extra = a->extra_seconds > 0.0 ? a->extra_seconds : 0.0;
    double sd = sqrt(fmin(o.belief.var, 100.0) + o.noise), mid = o.belief.mean + o.slow;
    *out = (le__policy_decision){.index = index,
                                 .candidate = a->candidate,
                                 .why = why,
                                 .line_seconds = INFINITY,
                                 .stop_seconds = INFINITY};
    if (!le__belief_known(o.belief)) {
        out->high = out->alarm_seconds = INFINITY;
        return;
    }
    out->seconds = o.seconds;
    out->low = exp(mid - Z90 * sd) + extra;
    out->high = exp(mid + Z90 * sd) + extra;
    out->alarm_seconds = exp(mid + fmax(ALARM, 4.0 * sd)) + extra;
}

static void allow_reuse(const scene *s, double until_explore, double probe_in,
                        le__policy_decision *out) {
    double calls = fmin(s->problem->calls * REUSE_SHARE, REUSE_MAX);
    if (out->seconds > 0.0)
        calls = fmin(calls, fmin(until_explore, probe_in) / out->seconds);
    out->reuse_calls = calls > 0.0 ? (uint64_t)calls : 0;
    out->reuse_until = s->q->now + fmax(REUSE_SECONDS, (double)out->reuse_calls * out->seconds);
}

/* Nothing is known of anyone: the best prior, in canonical order. */
static size_t fastest_prior(const scene *s) {
    size_t best = 0;
    for (size_t i = 1; i < s->q->n_allowed; i++)
        if (le__prior_speed(s->family, &s->q->allowed[i]) >
            le__prior_speed(s->family, &s->q->allowed[best]))
            best = i;
    return best;
}

/* The candidate whose exploring goes on; n_allowed: none. */
static size_t still_looked_at(const scene *s) {
    size_t i = s->problem->looking ? 0 : s->q->n_allowed;
    while (i < s->q->n_allowed && s->q->allowed[i].candidate != s->problem->looked_at)
        i++;
    return i;
}

/* again: a look goes on. */
static void explore(const scene *s, size_t index, const option *best, bool probed, bool again,
                    le__policy_decision *out) {
    le__problem *p = s->problem;
    describe(s, index, probed ? LE__WHY_PROBE : LE__WHY_EXPLORE, out);
    if (!again) {
        p->least_looks = probed ? 0 : runs_that_count(s, best->seconds);
        p->looking = p->least_looks > 0;
        p->looked_at = out->candidate;
        p->look_stopped = false;
        p->looks = 0;
    }
    out->goes_on = p->looking;
    out->warming = p->looking && !again;
    if (probed)
        le__resource_of(s->policy, s->family, out->candidate)->doubted = true;
    s->family->budget.since_explored = s->q->now;
    out->best_seconds = best->seconds;
    out->line_seconds = stop_after(s, best, index);
    /* one that went on to the end just now will again, and is timed as in steady use */
    if (!s->q->allowed[index].unstoppable && (!again || p->look_stopped))
        out->stop_seconds = out->line_seconds;
}

static void decide(const scene *s, le__policy_decision *out) {
    double share = s->policy->options.explore_share, due = INFINITY, debt = INFINITY;
    size_t n = s->q->n_allowed;
    if (!le__belief_known(s->beliefs[0])) {
        describe(s, fastest_prior(s), n == 1 ? LE__WHY_ONLY : LE__WHY_EXPLOIT, out);
        return;
    }
    size_t index = best_known(s);
    option best = look(s, index);
    if (n > 1 && s->q->may_explore && !s->q->stopped && share > 0.0 &&
        !le__budget_pending(&s->family->budget, s->q->now)) {
        size_t probed = probe(s, index, &best, &due), looked = still_looked_at(s);
        size_t tried = looked < n ? looked : worthwhile(s, index, &best, &debt);
        if (tried == n && probed == n)
            tried = second_look(s, index, &best);
        double owed = le__budget_debt(&s->family->budget, share);
        if (probed < n && owed > 0.0)
            debt = fmin(debt, owed);
        bool probes = probed < n && owed <= 0.0;
        if (probes || tried < n) {
            explore(s, probes ? probed : tried, &best, probes, !probes && looked < n, out);
            return;
        }
    }
    describe(s, index, n == 1 ? LE__WHY_ONLY : LE__WHY_EXPLOIT, out);
    out->best_seconds = best.seconds;
    if (is_guess(s, index)) {
        if (!s->q->allowed[index].unstoppable && !s->q->stopped)
            out->stop_seconds = line(s, s->least_seen, index);
        return;
    }
    /* the answer after a run that was stopped: the look goes on, if there still is who is looked at
     */
    out->goes_on = s->problem->look_stopped && still_looked_at(s) < n;
    if (!out->goes_on)
        allow_reuse(s, debt, due, out);
}

static bool valid(le__policy *policy, const le__policy_question *q) {
    le__family *family = le__family_at(policy, q->family);
    if (!le__problem_at(family, q->problem) || q->n_allowed == 0)
        return false;
    for (size_t i = 0; i < q->n_allowed; i++)
        if (q->allowed[i].candidate < 0 || q->allowed[i].candidate >= family->n_members)
            return false;
    return true;
}

le__belief *le__beliefs_of(le__policy *policy, const le__policy_question *q, bool guess) {
    if (!valid(policy, q))
        return NULL;
    le__family *family = le__family_at(policy, q->family);
    const le__problem *problem = le__problem_at(family, q->problem);
    if (q->n_allowed > policy->n_scratch / 2) {
        if (!LE__ARRAY_RESIZE(policy->scratch, 2 * q->n_allowed))
            return NULL;
        policy->n_scratch = 2 * q->n_allowed;
    }
    le__belief *known = policy->scratch, *all = known + q->n_allowed;
    for (size_t i = 0; i < q->n_allowed; i++)
        known[i] = le__believe(family, problem, q->allowed[i].candidate);
    if (!guess)
        return known;
    for (size_t i = 0; i < q->n_allowed; i++)
        all[i] = le__belief_join(known[i], le__kin_suggest(q->allowed, known, q->n_allowed, i));
    le__pool pool = le__pool_of(family, q->allowed, known, q->n_allowed);
    for (size_t i = 0; i < q->n_allowed; i++)
        if (!le__belief_known(all[i]))
            all[i] = le__guess(family, &q->allowed[i], &pool);
    return all;
}

int le__policy_decide(le__policy *policy, const le__policy_question *question,
                      le__policy_decision *out) {
    pthread_mutex_lock(&policy->lock);
    const le__belief *beliefs = le__beliefs_of(policy, question, true);
    if (beliefs) {
        le__family *family = le__family_at(policy, question->family);
        scene s = {.policy = policy,
                   .family = family,
                   .problem = le__problem_at(family, question->problem),
                   .q = question,
                   .beliefs = beliefs};
        s.least_seen = least_seen(&s);
        decide(&s, out);
    }
    pthread_mutex_unlock(&policy->lock);
    return beliefs ? 0 : -1;
}
