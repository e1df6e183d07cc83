/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The decision policy: which candidate answers a call, and when measuring another one pays. It
 * knows numbers only: families (an operation on this machine), candidates, problems, resources. It
 * does no I/O and has no clock: `now` is in seconds on any clock that does not go backwards, so
 * that recorded traces can be replayed through the very same code.
 *
 * How it thinks
 *   Times are logarithms of seconds. What is known of a candidate on a problem is a normal belief
 *   (mean, variance) made of its own samples there and of a model of its time over the work of all
 *   problems (policy_model.c). A cold (first) run is kept apart and counts as much as cold runs
 * have been seen to say (policy_stats.c). A resource that became slower multiplies all its
 * candidates, of all families (policy_slow.c). Exploring costs time: it is done when the expected
 * gain over the calls to come is larger, and only while the family has explored no longer than it
 * has answered (policy_budget.c, policy_decide.c). A race measures before answering
 * (policy_race.c).
 *
 * Threads: every function may be called from any thread; one mutex inside. A race belongs to one
 * thread at a time. Ids are small integers from 0, valid as long as the policy; those of problems
 * while somebody holds them, or no other problem is added.
 * Errors:  functions that make something return -1 or NULL when out of memory or given nonsense;
 * observing something unknown or not finite does nothing.
 */
#ifndef LE_ENGINE_POLICY_H
#define LE_ENGINE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "liquid_engine/le.h"

typedef struct le__policy le__policy;

/* Seconds that a first run may take for what came before it alone: workers that sleep, pages and code
 * that are not there. */
#define LE__POLICY_FIRST_S 0.0015

/* Zero means the default. */
typedef struct le__policy_options {
    double explore_share; /* exploring time / answering time, at every moment, plus one run; 1.0.
                             Negative: never explore */
    double race_seconds; /* where a run takes less than 20 ms: for the runs of each candidate,
                            instead of a number of them, until the expected regret is below 0.3 %;
                            0: count runs always */
    uint64_t seed;       /* of the order of runs in such a race */
} le__policy_options;

/* NULL when out of memory. options may be NULL. */
le__policy *le__policy_new(const le__policy_options *options);
void le__policy_free(le__policy **policy);

/* ------------------------------------------------------------------ what there is to decide -- */

/* Each finds by key or makes; idempotent. The key of a problem or a candidate is a hash that is
 * stable across runs. */

/* An operation; its time budget for exploring is its own. */
int le__policy_family(le__policy *policy, uint64_t key);

typedef struct le__policy_candidate {
    int resource;         /* 0 CPU pool, 1.. other devices; slowness is shared by all on one */
    double speed;         /* prior: relative to the family's other candidates; 0 unknown = 1 */
    double log_sd;        /* of the prior speed, in natural log; 0: 1.0 (a factor of e) */
    double setup_seconds; /* what exploring it the first time costs beside its run */
} le__policy_candidate;

int le__policy_add_candidate(le__policy *policy, int family, uint64_t key,
                             const le__policy_candidate *candidate);

typedef struct le__policy_features {
    double work;  /* operations, > 0; 0 is taken as 1 */
    double bytes; /* 0: not known */
} le__policy_features;

/* Problems that are known and not held are dropped, the oldest first, when a family has
 * LE__POLICY_PROBLEMS: their ids go to others, what they taught about sizes is forgotten, and they
 * may be loaded again. */
enum { LE__POLICY_PROBLEMS = 4096 };
int le__policy_add_problem(le__policy *policy, int family, uint64_t key,
                           const le__policy_features *features);
/* The id of a known problem, or -1. */
int le__policy_find_problem(le__policy *policy, int family, uint64_t key);
/* Keeps a problem until it has been released as often as it was held. */
void le__policy_hold_problem(le__policy *policy, int family, int problem);
void le__policy_release_problem(le__policy *policy, int family, int problem);

/* ------------------------------------------------------------------------------- deciding ---- */

typedef enum le__why {
    LE__WHY_EXPLOIT = 0, /* the best known */
    LE__WHY_EXPLORE,     /* to learn its time */
    LE__WHY_PROBE,       /* to see whether a slow resource has recovered */
    LE__WHY_ONLY,        /* there is no other */
    LE__WHY_MEASURE      /* a run of a race */
} le__why;

const char *le__why_text(le__why why); /* "exploit", ... */

/* One that is not known to be the best. */
static inline bool le__why_is_trying(le__why why) {
    return why == LE__WHY_EXPLORE || why == LE__WHY_PROBE;
}

/* A candidate that may answer the call. The order of the array is the canonical order: it breaks
 * ties, so it should be stable (order of the descriptors). */
typedef struct le__policy_allowed {
    int candidate;
    double speed;         /* prior on this problem; 0: that of le__policy_candidate */
    double extra_seconds; /* added to its time: transfers that its samples do not contain */
    double memory_bytes;  /* peak working memory, for LE_OBJECTIVE_MEMORY: what it says of itself,
                             which counts as far as no run has been seen to take more */
    double cpu_factor;    /* CPU seconds a second (threads used), for LE_OBJECTIVE_CPU_TIME; 0: 1 */
    bool unstoppable;     /* so it is not explored where it would lose beyond doubt */
    double at_least;      /* seconds of a run, as was seen where no time is measured; 0: unknown */
    uint64_t kin;         /* the same for candidates that are nearly the same, so that a race does
                             not choose between them by chance; 0: none */
} le__policy_allowed;

typedef struct le__policy_question {
    int family, problem;
    const le__policy_allowed *allowed;
    size_t n_allowed;
    le_objective objective;
    bool may_explore; /* false in modes that must not: no explore, no probe */
    bool stopped;     /* a run for this call just was: nothing is explored, and who has run here
                         answers, if anyone has */
    bool keep_known;  /* races only: what is known well does not run again */
    double now;
} le__policy_question;

typedef struct le__policy_decision {
    size_t index; /* into allowed */
    int candidate;
    le__why why;
    double seconds;      /* predicted, slowness included, extra_seconds included */
    double low, high;    /* 90 % interval of one run */
    double best_seconds; /* predicted for the best known, where that is another; 0: unknown */
    double line_seconds; /* of an exploring run: to be stopped beyond it, or not to begin at all */
    bool warming;        /* this run tells little: it is reported as a start */
    bool goes_on;        /* the next call of the problem is to be decided on, too: mostly the same
                            candidate answers again */
    double stop_seconds; /* a run that can be stopped should be when it has taken this long, be
                            observed as cut, and the call be decided again, as stopped; the run
                            that then answers is not. INFINITY: let it run */
    /* The engine may repeat an exploit decision for the same problem and question without asking,
     * for reuse_calls further calls and until `now` reaches reuse_until, as long as no run takes
     * longer than alarm_seconds; it reports these runs in bulk. Run counts are 0 for explore/probe.
     */
    uint64_t reuse_calls;
    double reuse_until;
    double alarm_seconds;
} le__policy_decision;

/* 0, or -1 when nothing is allowed. An explore or probe decision must be followed by
 * le__policy_observe with its why, or by le__policy_cancel when the run did not happen or failed.
 */
int le__policy_decide(le__policy *policy, const le__policy_question *question,
                      le__policy_decision *out);
void le__policy_cancel(le__policy *policy, int family);

/* ------------------------------------------------------------------------------ observing ---- */

/* One run, or n runs of the same kind. */
typedef struct le__policy_sample {
    int family, problem, candidate;
    le__why why; /* of the decision that led to it: says which account pays */
    bool cold;   /* first run of the candidate on the problem in this process */
    bool cut;    /* stopped: its time is at least this */
    bool start;  /* what it took is mostly the start of threads and the like: it pays, no more */
    uint32_t n;  /* runs; 0 is taken as 1 */
    double mean_log; /* mean of ln(seconds) */
    double m2_log;   /* sum of squared deviations from it; 0 for one run */
    double seconds;  /* sum of the runs, set-up included, for the budget; 0: n*exp(mean_log) */
    double weight;   /* 1 clean ... 0 worthless (load, throttling, steal); 0 is taken as 1 */
    double memory_bytes; /* peak working memory; 0: not known */
    double now;
} le__policy_sample;

void le__policy_observe(le__policy *policy, const le__policy_sample *sample);

/* Statistics from a database. trust 1: same machine, build and driver; below: something changed,
 * the numbers become a prior that about 3 new runs confirm or replace. Replaces what was loaded
 * before for this candidate and problem. Does not touch the budget. */
typedef struct le__policy_stats {
    uint32_t n;
    double mean_log, m2_log;
    double memory_bytes; /* as of a sample */
    bool contended; /* all were taken while others used the machine, after the choice was made */
} le__policy_stats;
void le__policy_load(le__policy *policy, int family, int problem, int candidate,
                     const le__policy_stats *stats, double trust);
/* A stored choice: the incumbent that a challenger must beat by margin and confidence. -1: none. */
void le__policy_set_incumbent(le__policy *policy, int family, int problem, int candidate);
/* -1 when the problem has none yet. */
int le__policy_incumbent(le__policy *policy, int family, int problem);

/* --------------------------------------------------------------------------------- racing ---- */

/* Measures a problem before answering: the candidates run in interleaved rounds; what cannot win
 * any more drops out; the race ends when the expected regret of the choice is small. What the size
 * model or earlier samples already rule out is not run at all. */
typedef struct le__policy_race le__policy_race;

typedef struct le__policy_race_result {
    size_t index;   /* into allowed */
    int candidate;  /* the choice */
    double seconds; /* its time */
    double expected_regret;
    uint32_t runs;
    bool storable; /* false: too much of the evidence was measured under contention */
} le__policy_race_result;

/* NULL when out of memory or nothing is allowed. The question's array is copied. */
le__policy_race *le__policy_race_new(le__policy *policy, const le__policy_question *question);
/* The next candidate to run (its index into allowed, and whether this is its first run in the race,
 * which is a cold one), or false when the race is decided. The last one left wins without running.
 */
bool le__policy_race_next(le__policy_race *race, size_t *index, bool *cold);
/* Whether short runs are as many as fit into some seconds; false: each run counts, to confirm what
 * is known. */
bool le__policy_race_counts_seconds(const le__policy_race *race);
/* Seconds after which the run of race_next's candidate may be stopped: it has lost by then. */
double le__policy_race_stop(const le__policy_race *race, size_t index);
/* It was stopped after `seconds`. */
void le__policy_race_cut(le__policy_race *race, size_t index, double seconds, double paid,
                         double weight, double now);
/* One run of race_next's candidate. seconds includes set-up only in `paid`. Without a positive
 * finite time, here and above, the candidate is out. */
void le__policy_race_observe(le__policy_race *race, size_t index, double seconds, double paid,
                             double weight, double now);
/* What is added to its times has been seen by now: extra_seconds anew. */
void le__policy_race_set_extra(le__policy_race *race, size_t index, double seconds);
/* A run of it, which is to be observed, took so much working memory. */
void le__policy_race_took_memory(le__policy_race *race, size_t index, double bytes);
/* The candidate failed: it leaves the race. */
void le__policy_race_drop(le__policy_race *race, size_t index);
/* What the race is about: log seconds, and what the objective adds, as its runs say or what was
 * known before; NAN: neither. */
double le__policy_race_score(const le__policy_race *race, size_t index);
/* Sets the incumbent (when storable, or when there was none) and frees the race. out may be NULL.
 * false when no candidate is left. */
bool le__policy_race_end(le__policy_race **race, le__policy_race_result *out);

/* --------------------------------------------------------------------------------- seeing ---- */

typedef struct le__policy_view {
    int candidate;
    double seconds, low, high; /* predicted now, as le__policy_decision */
    double measured;           /* geometric mean of its samples on the problem; 0: none */
    double measured_sd;        /* standard deviation of their logarithm; 0: fewer than 2 */
    double samples;            /* of this process and loaded, weighted */
    double last_seen;          /* `now` of the last one; -1: never in this process */
    bool contended;            /* of what was loaded, as there */
    double slowness;           /* factor of its resource */
} le__policy_view;

/* One row for each allowed candidate, in the order of the question. */
void le__policy_explain(le__policy *policy, const le__policy_question *question,
                        le__policy_view *rows);

/* Seconds, over the life of the policy. */
typedef struct le__policy_account {
    double answered;       /* exploit and only */
    double explored;       /* explore and probe */
    double measured;       /* races */
    double choice_regret;  /* estimated loss: answers minus what the best known now would take */
} le__policy_account;
/* Looks at every problem for the regret. */
void le__policy_get_account(le__policy *policy, int family, le__policy_account *out);
/* The account's first number alone. */
double le__policy_answered(le__policy *policy, int family);
/* Runs that were stopped in earlier processes, the longest after `seconds`. */
void le__policy_load_cut(le__policy *policy, int family, int problem, int candidate, bool cold,
                         uint32_t n, double seconds);
/* Seconds of earlier processes: what they answered pays for exploring in this one, and is expected
 * to come again. Not in le__policy_get_account. Replaces what was loaded before. */
void le__policy_load_account(le__policy *policy, int family, double answered, double explored);

/* Slowness factor of a resource at `now`; 1: as usual. */
double le__policy_slowness(le__policy *policy, int resource, double now);

#endif
