/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What a sample changes: what is known of its candidate and of its resource, how far predictions are
 * trusted, the accounts.
 */
#include <math.h>

#include "policy/policy_internal.h"

#define NOISE_MEMORY 200.0
#define CELL_MEMORY 64.0
#define LEVEL_DROP 0.02
#define SURPRISE_KNOWN 1.0 /* variance above which a prediction was a guess */
#define SURPRISE_MAX 25.0
#define SURPRISE_MEMORY 100.0
#define CHANGED 2          /* late runs in a row that are no accident: another time from now on */
#define COLD_PAIRS 3.0     /* of a cold and a warm run, by which other cold runs may be judged */
#define FASTER 0.1         /* log factor by which a look's last run was faster than its median */
#define LONGEST_LOOK 12    /* runs that count */
#define SLOW_WEIGHT 0.25   /* of a first sample that was taken while its resource was slow */

static void learn_warm(le__family *family, le__cell *cell, double n, double mean, double m2) {
    le__member *member = &family->members[cell->candidate];
    le__log_stats *warm = &cell->warm;
    double sd = sqrt(le__noise_var(family, cell->candidate));
    if (warm->n > 0.0) {
        double off = mean - warm->mean, seen = fmax(fmin(off, 3.0 * sd), -3.0 * sd);
        double m2_seen = seen * seen * n * warm->n / (n + warm->n);
        le__log_stats_add(&member->noise, 1.0, 0.0, m2_seen);
        le__log_stats_add(&family->noise, 1.0, 0.0, m2_seen);
        /* Warm-up was not over: the runs before say little. */
        if (off < -fmax(3.0 * sd, LEVEL_DROP))
            le__log_stats_cap(warm, 0.5);
    }
    if (n > 1.0) {
        le__log_stats_add(&member->noise, n - 1.0, 0.0, m2);
        le__log_stats_add(&family->noise, n - 1.0, 0.0, m2);
    }
    le__log_stats_cap(&member->noise, NOISE_MEMORY);
    le__log_stats_cap(&family->noise, NOISE_MEMORY);
    le__log_stats_add(warm, n, mean, m2);
    le__log_stats_cap(warm, CELL_MEMORY);
    cell->before = cell->last;
    cell->last = mean;
}

static void learn(le__family *family, le__cell *cell, const le__policy_sample *s, double n,
                  double mean) {
    if (s->cold) {
        le__log_stats_add(&cell->cold, n, mean, s->m2_log);
        le__log_stats_cap(&cell->cold, CELL_MEMORY);
        return;
    }
    double had = cell->warm.n;
    learn_warm(family, cell, n, mean, s->m2_log);
    bool pair = (had < 1.0 && cell->warm.n >= 1.0) || (had < 3.0 && cell->warm.n >= 3.0);
    if (pair && cell->cold.n > 0.0) {
        int resource = family->members[cell->candidate].info.resource;
        le__cold_learn(&family->cold[resource], cell->cold.mean, cell->warm.mean);
    }
}

static void longer(le__cut *cut, double n, double least) {
    cut->least = cut->n > 0.0 ? fmax(cut->least, least) : least;
    cut->n += n;
}

/* Where steady runs are known, a stopped one counts as one that took until then. One that was stopped
 * while others used the machine says no more than a cold one. */
static void learn_cut(le__family *family, le__cell *cell, const le__policy_sample *s, double n) {
    bool disturbed = s->weight > 0.0 && s->weight < 1.0;
    if (s->cold || disturbed)
        longer(&cell->cut_cold, n, s->mean_log);
    else if (cell->warm.n > 0.0)
        learn_warm(family, cell, n, s->mean_log, 0.0);
    else
        longer(&cell->cut, n, s->mean_log);
}

/* A prediction from other problems meets its first steady run. */
static void be_surprised(le__family *family, const le__problem *problem, const le__policy_sample *s)
{
    const le__cell *cell = le__cell_find(problem, s->candidate);
    if (s->cold || s->cut || (cell && cell->warm.n + cell->loaded.n > 0.0))
        return;
    le__belief b = le__foresee(family, problem, s->candidate);
    double used = le__calibration(family, s->candidate), error = s->mean_log - b.mean;
    if (!(b.var < SURPRISE_KNOWN * used))
        return;
    double raw = b.var / used + le__noise_var(family, s->candidate);
    double square = fmin(error * error / raw, SURPRISE_MAX);
    le__log_stats_add(&family->members[s->candidate].surprise, 1.0, square, 0.0);
    le__log_stats_cap(&family->members[s->candidate].surprise, SURPRISE_MEMORY);
    le__log_stats_add(&family->surprise, 1.0, square, 0.0);
    le__log_stats_cap(&family->surprise, SURPRISE_MEMORY);
}

static bool knows_cold_runs(const le__family *family, int candidate) {
    return family->cold[family->members[candidate].info.resource].n >= COLD_PAIRS;
}

/* What the sample says of its resource; *excess gets the log factor that is not the candidate's. A
 * prediction that fails is the prediction's fault, from other problems and from cold runs of which too
 * few have been followed by warm ones: only what was seen here raises an alarm, while anything that is
 * known may end it. */
static le__slow_event judge(le__policy *policy, le__family *family, const le__problem *problem,
                            const le__policy_sample *s, double *excess) {
    le__resource *r = le__resource_of(policy, family, s->candidate);
    const le__cell *cell = le__cell_find(problem, s->candidate);
    double slow = le__slow_now(r, s->now), mean = s->mean_log;
    le__belief b = le__no_belief;
    if (slow > 0.0) /* what was only seen since then says nothing of how slow it is */
        b = cell && cell->doubt > 0.0 ? le__foresee(family, problem, s->candidate)
                                      : le__believe(family, problem, s->candidate);
    else if (cell && (cell->warm.n + cell->loaded.n > 0.0 || knows_cold_runs(family, s->candidate)))
        b = le__cell_belief(family, cell);
    *excess = slow;
    if (!(slow > 0.0))
        be_surprised(family, problem, s);
    if (!le__belief_known(b))
        return slow > 0.0 ? LE__SLOW_ON : LE__SLOW_NONE;
    double var = b.var + le__run_var(family, problem, s->candidate);
    if (s->cold) {
        const le__cold_model *c = &family->cold[family->members[s->candidate].info.resource];
        mean -= c->ratio;
        var += c->ratio_err;
    }
    double over = mean - b.mean;
    if (s->cut) /* it would have taken longer: that is no recovery */
        over = fmax(over, slow);
    le__slow_event event =
        le__slow_observe(r, s->candidate, over, sqrt(var), s->now, policy->busy);
    if (!s->cold && !(slow > 0.0) && s->n <= 1) {
        le__log_stats *tail = &family->members[s->candidate].tail;
        le__log_stats_add(tail, 1.0, 0.0, (mean - b.mean) * (mean - b.mean));
        le__log_stats_cap(tail, NOISE_MEMORY);
    }
    if (event == LE__SLOW_ON)
        *excess = le__slow_now(r, s->now);
    return event;
}

static void pay(le__policy *policy, le__family *family, le__problem *problem,
                const le__policy_sample *s, double n) {
    double seconds = s->seconds > 0.0 ? s->seconds : n * exp(s->mean_log);
    le__why why = s->cut ? LE__WHY_EXPLORE : s->why; /* what was stopped answered nobody */
    policy->busy += seconds;
    family->calls += n;
    problem->calls += s->cut ? 0.0 : n; /* another run answers */
    if (why == LE__WHY_EXPLOIT || why == LE__WHY_ONLY) {
        problem->answers += n;
        problem->answered += n * exp(s->mean_log); /* without set-up and proofs: no choice's fault */
    }
    le__budget_pay(&family->budget, why, seconds);
    if (why == LE__WHY_EXPLORE && family->members[s->candidate].n_cells == 0)
        le__budget_forgive(&family->budget, seconds);
}

static bool sane(const le__family *family, const le__policy_sample *s) {
    return s->candidate >= 0 && s->candidate < family->n_members && isfinite(s->mean_log) &&
           fabs(s->mean_log) < 100.0 && s->m2_log >= 0.0 && isfinite(s->m2_log) &&
           !isnan(s->now) && !isnan(s->seconds) && !isinf(s->seconds);
}

static double middle_of(double a, double b, double c) {
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* Of a look at what is briefest the median of its last runs counts: one late run among three would
 * hide a candidate for long. While they become faster the look goes on: cores that slept during a
 * trial take a few runs to be there. So it does after a first run that was stopped for what had come
 * before it. False: the look goes on. */
static bool ends_look(le__problem *problem, le__policy_sample *s) {
    if (!problem->looking || s->why != LE__WHY_EXPLORE || s->candidate != problem->looked_at)
        return true;
    bool another_chance = s->cut && s->cold && !problem->look_stopped;
    problem->look_stopped = s->cut;
    if (another_chance)
        return true;
    problem->looking = !s->cut && problem->least_looks == LE__LOOK;
    if (!problem->looking)
        return true;
    double *at = problem->look;
    at[problem->looks++ % LE__LOOK] = s->mean_log;
    if (problem->looks < LE__LOOK)
        return false;
    double middle = middle_of(at[0], at[1], at[2]);
    problem->looking = s->mean_log < middle - FASTER && problem->looks < LONGEST_LOOK;
    s->mean_log = middle;
    return !problem->looking;
}

static void take(le__policy *policy, le__family *family, le__problem *problem,
                 const le__policy_sample *s, double n) {
    double weight = s->weight > 0.0 && s->weight < 1.0 ? s->weight : 1.0, excess = 0.0;
    le__slow_event event = judge(policy, family, problem, s, &excess);
    le__cell *cell = le__cell_make(family, problem, s->candidate);
    if (!cell)
        return;
    cell->last_seen = s->now;
    cell->memory_bytes = fmax(cell->memory_bytes, s->memory_bytes);
    double mean = s->mean_log;
    if (event == LE__SLOW_ON) {
        if (s->cut || cell->warm.n + cell->cold.n + cell->loaded.n > 0.0)
            return;
        mean -= excess;
        weight *= SLOW_WEIGHT;
        cell->doubt = excess * excess;
    }
    cell->late = event == LE__SLOW_OWN ? cell->late + 1 : 0;
    if (event != LE__SLOW_ON && (cell->late >= CHANGED || cell->doubt > 0.0)) {
        cell->warm = cell->cold = cell->loaded = (le__log_stats){0};
        cell->cut = cell->cut_cold = (le__cut){0};
        cell->started = false;
        cell->doubt = 0.0;
    }
    if (s->cut)
        learn_cut(family, cell, s, n * weight);
    else
        learn(family, cell, s, n * weight, mean);
    family->evidence += weight;
    le__belief_changed(family, problem, cell);
}

/* A start takes longer than a steady run: nothing is known by it but that. */
static void take_start(le__family *family, le__problem *problem, const le__policy_sample *s) {
    le__cell *cell = s->cut ? NULL : le__cell_make(family, problem, s->candidate);
    if (!cell || (cell->started && cell->start <= s->mean_log))
        return;
    cell->started = true;
    cell->start = s->mean_log;
    le__belief_changed(family, problem, cell);
}

static void observe(le__policy *policy, le__policy_sample s) {
    le__family *family = le__family_at(policy, s.family);
    le__problem *problem = le__problem_at(family, s.problem);
    if (!problem || !sane(family, &s))
        return;
    double n = s.n ? (double)s.n : 1.0;
    pay(policy, family, problem, &s, n);
    if (s.start)
        take_start(family, problem, &s);
    else if (ends_look(problem, &s))
        take(policy, family, problem, &s, n);
}

void le__policy_observe(le__policy *policy, const le__policy_sample *sample) {
    pthread_mutex_lock(&policy->lock);
    observe(policy, *sample);
    pthread_mutex_unlock(&policy->lock);
}

static void load(le__family *family, le__problem *problem, int candidate,
                 const le__policy_stats *stats, double trust) {
    le__cell *cell = le__cell_make(family, problem, candidate);
    if (!cell)
        return;
    cell->loaded = (le__log_stats){stats->n, stats->mean_log, stats->m2_log};
    cell->trust = fmax(0.0, fmin(trust, 1.0));
    cell->contended = stats->contended;
    cell->memory_bytes = fmax(cell->memory_bytes, stats->memory_bytes);
    if (stats->n > 1) {
        double n = fmin(stats->n - 1.0, 8.0), m2 = stats->m2_log * n / (stats->n - 1.0);
        le__log_stats_add(&family->members[candidate].noise, n, 0.0, m2);
        le__log_stats_add(&family->noise, n, 0.0, m2);
    }
    family->evidence += 1.0;
    le__belief_changed(family, problem, cell);
}

void le__policy_load_cut(le__policy *policy, int family, int problem, int candidate, bool cold,
                         uint32_t n, double seconds) {
    pthread_mutex_lock(&policy->lock);
    le__family *f = le__family_at(policy, family);
    le__problem *p = le__problem_at(f, problem);
    bool known = p && candidate >= 0 && candidate < f->n_members && n > 0 && seconds > 0.0;
    le__cell *cell = known ? le__cell_make(f, p, candidate) : NULL;
    if (cell) {
        longer(cold ? &cell->cut_cold : &cell->cut, n, log(seconds));
        le__belief_changed(f, p, cell);
    }
    pthread_mutex_unlock(&policy->lock);
}

void le__policy_load(le__policy *policy, int family, int problem, int candidate,
                     const le__policy_stats *stats, double trust) {
    pthread_mutex_lock(&policy->lock);
    le__family *f = le__family_at(policy, family);
    le__problem *p = le__problem_at(f, problem);
    if (p && candidate >= 0 && candidate < f->n_members && stats->n > 0 &&
        isfinite(stats->mean_log) && fabs(stats->mean_log) < 100.0 && stats->m2_log >= 0.0 &&
        isfinite(stats->m2_log))
        load(f, p, candidate, stats, trust);
    pthread_mutex_unlock(&policy->lock);
}
