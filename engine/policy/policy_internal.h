/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the files of the decision policy share; nobody else includes it. All functions here expect
 * the policy's mutex to be held. Times are natural logarithms of seconds unless a name says
 * seconds.
 */
#ifndef LE_ENGINE_POLICY_INTERNAL_H
#define LE_ENGINE_POLICY_INTERNAL_H

#include <math.h>
#include <pthread.h>

#include "policy/policy.h"

/* --------------------------------------------------------------------- policy_stats.c --------- */

typedef struct le__log_stats {
    double n, mean, m2; /* n may be fractional: weights */
} le__log_stats;

/* Adds n samples with this mean and sum of squared deviations (Chan, Golub, LeVeque 1979). */
void le__log_stats_add(le__log_stats *s, double n, double mean, double m2);
/* Forgets down to at most n samples. */
void le__log_stats_cap(le__log_stats *s, double n);
/* Variance shrunk towards prior, which counts as dof degrees of freedom. */
double le__log_stats_var(const le__log_stats *s, double prior, double dof);

typedef struct le__belief {
    double mean, var; /* of a latent log time; var infinite: nothing known */
} le__belief;

extern const le__belief le__no_belief;
bool le__belief_known(le__belief b);
/* Independent evidence: precisions add. */
le__belief le__belief_join(le__belief a, le__belief b);

double le__normal_cdf(double z);
/* E max(0, X) for X ~ N(-behind, sd^2): what learning about one that is `behind` may gain. */
double le__expected_gain(double behind, double sd);
/* exp of the mean of a log-normal, its variance capped so that ignorance stays finite. */
double le__expected_seconds(le__belief b);

/* How a family's cold runs on one resource compare with its warm ones: by a factor (boost clock,
 * caches) or by a constant (set-up in the driver); the one that has predicted better is believed.
 */
typedef struct le__cold_model {
    double n, ratio, ratio_err, extra_seconds, extra_err;
} le__cold_model;

void le__cold_init(le__cold_model *c);
void le__cold_learn(le__cold_model *c, double cold, double warm);
/* Belief about the steady time after one cold run. */
le__belief le__cold_predict(const le__cold_model *c, double cold);

/* --------------------------------------------------------------------- policy_model.c --------- */

/* Where a problem lies, relative to the family's first problem. */
typedef struct le__point {
    double log_work;
    double intensity; /* log bytes per work; 0 where that is not known */
} le__point;

typedef struct le__curve le__curve;

/* intensity: whether points have one. NULL when out of memory. */
le__curve *le__curve_new(bool intensity);
void le__curve_free(le__curve *curve);
/* The rate (log seconds per anchor work) that siblings suggest, and how sure. */
void le__curve_set_rate(le__curve *curve, double rate, double sd);
/* Adds (sign 1) or takes back (sign -1) what is known of one problem. */
void le__curve_add(le__curve *curve, const le__point *at, le__belief value, double sign);
/* The latent time at a point, as if `without` (may be NULL) had not been added at that point. */
le__belief le__curve_predict(le__curve *curve, const le__point *at, const le__belief *without);
/* Log seconds per anchor work, asymptotically, had it the usual overhead. */
le__belief le__curve_rate(le__curve *curve);
double le__curve_count(const le__curve *curve);

/* ---------------------------------------------------------------------- policy_slow.c --------- */

typedef struct le__resource {
    double slowness;                     /* log factor when last seen; 0: as usual */
    double slow_runs;                    /* that slowness is the mean of */
    double seen, seen_busy;              /* `now` and the policy's busy seconds when last seen */
    int alarm_candidate, calm_candidate; /* who raised the alarm, who ended the one before */
    bool doubted;                        /* since the alarm another one there has been asked */
} le__resource;

typedef enum le__slow_event {
    LE__SLOW_NONE,
    LE__SLOW_CALM,
    LE__SLOW_ON,
    LE__SLOW_OWN
} le__slow_event;

/* The log factor believed at `now`. */
double le__slow_now(const le__resource *r, double now);
/* A run took `excess` (log) more than the belief whose standard deviation, noise included, is sd.
 * NONE: nothing remarkable; ON: the resource is slow, the sample says nothing of the candidate;
 * CALM: it has just recovered; OWN: it is this candidate that changed, not the resource. */
le__slow_event le__slow_observe(le__resource *r, int candidate, double excess, double sd,
                                double now, double busy);
/* Busy seconds to let pass between two probes that cost `loss` more than the best answer. */
double le__slow_probe_gap(double best_seconds, double loss);
/* Time that counts towards the gap: busy seconds, and idle ones a little. */
double le__slow_waited(const le__resource *r, double now, double busy);

/* -------------------------------------------------------------------- policy_budget.c --------- */

typedef struct le__budget {
    le__policy_account account; /* without the regret, which is found when it is asked for */
    double looked;          /* of explored: each candidate's first run, which nothing is owed for */
    double answered_before; /* seconds of earlier processes: for answers, */
    double explored_before; /* and for exploring and racing */
    double since_explored;  /* pending exploring run: when it was decided; < 0: none */
} le__budget;

/* Whether an exploring run is under way. */
bool le__budget_pending(const le__budget *b, double now);
/* Seconds of answering still needed before one may start; negative: saved. */
double le__budget_debt(const le__budget *b, double share);
void le__budget_pay(le__budget *b, le__why why, double seconds);
/* An exploring run that was paid for was a candidate's first. */
void le__budget_forgive(le__budget *b, double seconds);

/* ----------------------------------------------------------------------------- policy.c ------- */

typedef struct le__cut {
    double n, least; /* how many; the longest of them: the time is at least this */
} le__cut;

typedef struct le__cell { /* one candidate on one problem */
    int candidate;
    le__log_stats warm, cold, loaded;
    double trust;          /* of loaded */
    bool contended;        /* all of loaded */
    double doubt;          /* variance: all was seen while the resource was slow; 0: not so */
    double last, before;   /* the newest two warm times */
    le__cut cut, cut_cold; /* runs that were stopped, warm and cold */
    bool started;          /* a run that was mostly a start went on to its end, */
    double start;          /* and took so long, the fastest of them, logarithmic */
    int late;              /* runs in a row that were late by its own fault */
    double last_seen;
    double memory_bytes; /* working memory, the most that was seen */
    le__belief in_curve; /* what the candidate's curve holds of it */
} le__cell;

/* The least that a cold run, or one that was mostly a start, has taken; INFINITY: there is none. */
static inline double le__cell_least_first(const le__cell *cell) {
    const double start = cell->started ? cell->start : INFINITY;
    return cell->cold.n > 0.0 ? fmin(start, cell->cold.mean) : start;
}

static inline bool le__cell_has_run(const le__cell *cell) {
    return cell && cell->warm.n + cell->cold.n + cell->loaded.n > 0.0;
}

/* Working memory: as it says, or as was seen. */
static inline double le__cell_memory(const le__cell *cell, const le__policy_allowed *a) {
    return fmax(cell ? cell->memory_bytes : 0.0, a->memory_bytes);
}

enum { LE__LOOK = 3 }; /* runs that count of a look at what is briefest, at least: the last ones' median */

typedef struct le__problem {
    le__point at;
    int held;       /* by how many; only problems that nobody holds are dropped */
    le__cell *cells; /* sorted by candidate */
    int n_cells, cap_cells;
    int incumbent;
    bool kept; /* the incumbent was set from outside: a stored choice, a race's winner */
    double calls;
    double answers, answered; /* runs that answered, and their seconds */
    int second_looks;         /* runs of candidates that did not seem worth one, */
    int second_at;            /* the last of them, */
    int second_tries;         /* of whom so many runs have told nothing; 0: it has told */
    double second_had;        /* runs known of it before */
    bool looking;             /* a look goes on, ... */
    int looked_at;            /* ... at this candidate, */
    bool look_stopped;        /* ... whose newest run was stopped */
    int looks, least_looks;   /* of its runs that count so many are over, and are needed */
    double look[LE__LOOK];    /* what the last of them took, logarithmic */
} le__problem;

typedef struct le__member { /* a candidate in its family */
    uint64_t key;
    le__policy_candidate info;
    le__log_stats noise;    /* scatter of warm runs: mean 0 */
    le__log_stats tail;     /* the same with runs so late that their resource was suspected */
    le__log_stats surprise; /* squared errors of predictions over what was predicted */
    le__curve *curve;       /* NULL until a second problem asks for it */
    int n_cells;            /* problems on which it has been seen */
} le__member;

typedef struct le__family {
    uint64_t key;
    le__member *members;
    le__problem *problems;
    uint64_t *problem_keys; /* apart: every new problem is looked for among all */
    int n_members, cap_members, n_problems, cap_problems, cap_problem_keys;
    int oldest;         /* problem that is dropped next, unless it is held */
    double problems_met; /* dropped ones included */
    double choice_regret; /* of dropped problems */
    bool intensity;       /* the first problem has one: others' count, too */
    double anchor_work, anchor_intensity;
    le__log_stats noise, surprise; /* pooled */
    le__cold_model *cold;          /* by resource */
    int n_cold;
    double rate, rate_sd;    /* for curves: pooled from them; sd 0: not known yet */
    double evidence, pooled; /* samples so far, and when the rate was last pooled */
    double calls;
    le__budget budget;
} le__family;

struct le__policy {
    pthread_mutex_t lock;
    le__policy_options options;
    le__family *families;
    int n_families, cap_families;
    le__resource *resources;
    int n_resources;
    double busy;         /* seconds of all runs */
    le__belief *scratch; /* of a decision: one a candidate */
    size_t n_scratch;
};

#define LE__MARGIN     0.005 /* a challenger must be this much faster than the incumbent, */
#define LE__CONFIDENCE 0.9   /* with this probability */

/* What the objective adds to the log of a candidate's seconds, whatever its times are like; of its
 * working memory what is known. */
double le__score_shift(le_objective objective, const le__policy_allowed *allowed,
                       double memory_bytes);
le__family *le__family_at(le__policy *policy, int family);
le__problem *le__problem_at(le__family *family, int problem);
le__cell *le__cell_find(const le__problem *problem, int candidate);
/* Makes room for one more. */
#define LE__GROW(array, count, cap) le__grow(&(array), count, &(cap), sizeof *(array))
bool le__grow(void *array, int count, int *cap, size_t size);
/* Finds or makes; NULL when out of memory. */
le__cell *le__cell_make(le__family *family, le__problem *problem, int candidate);
/* Variance of a run about the candidate's steady time. */
double le__noise_var(const le__family *family, int candidate);
/* With the late runs, for those who care for the worst ones. */
double le__tail_var(const le__family *family, int candidate);
/* The same on a problem: where there are no samples yet, what predictions have been wrong by
 * counts. */
double le__run_var(const le__family *family, const le__problem *problem, int candidate);
/* Factor by which predictions of the candidate from other problems have been too sure (above 1) or
 * not sure enough, as variance. */
double le__calibration(const le__family *family, int candidate);
/* NULL for a resource never registered. */
le__resource *le__resource_of(le__policy *policy, const le__family *family, int candidate);
/* Beliefs of all allowed candidates in policy->scratch; guesses where guess is set. NULL when out
 * of memory or when the question names something unknown. */
le__belief *le__beliefs_of(le__policy *policy, const le__policy_question *question, bool guess);

/* -------------------------------------------------------------------- policy_belief.c --------- */

/* What the samples of a cell say by themselves. */
le__belief le__cell_belief(const le__family *family, const le__cell *cell);
/* Steady time of a candidate on a problem from its other problems alone; unknown without any. */
le__belief le__foresee(le__family *family, const le__problem *problem, int candidate);
/* Steady time of a candidate on a problem without slowness, from its samples and its curve; unknown
 * when it has neither. */
le__belief le__believe(le__family *family, const le__problem *problem, int candidate);
/* What the others suggest for a candidate without any evidence: their mean and spread on a problem,
 * as if all had speed 1. Their number counts as far as they are known. */
typedef struct le__pool {
    double weight, mean, spread;
} le__pool;
le__pool le__pool_of(const le__family *family, const le__policy_allowed *allowed,
                     const le__belief *beliefs, size_t n);
le__belief le__guess(const le__family *family, const le__policy_allowed *allowed,
                     const le__pool *pool);
/* What the kin of one of them tell of it. */
le__belief le__kin_suggest(const le__policy_allowed *allowed, const le__belief *beliefs, size_t n,
                           size_t index);
/* The speed expected before anything is measured. */
double le__prior_speed(const le__family *family, const le__policy_allowed *allowed);
/* Brings the candidate's curve up to date with a changed cell. */
void le__belief_changed(le__family *family, const le__problem *problem, le__cell *cell);
/* Takes what a cell taught back from the candidate's curve. */
void le__belief_dropped(le__family *family, const le__problem *problem, le__cell *cell);

/* -------------------------------------------------------------------- policy_problem.c -------- */

/* What the answers of a problem have cost more than its best candidate, as known now. */
double le__choice_regret(const le__family *family, const le__problem *problem);

#endif
