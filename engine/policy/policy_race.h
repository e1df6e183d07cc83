/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A race under way, and what its runs say so far (policy_race_estimate.c).
 */
#ifndef LE_POLICY_RACE_H
#define LE_POLICY_RACE_H

#include "policy/policy_internal.h"

#define SHORT_RUNS 10 /* warm runs of each, at least */
#define CONFIRMING 2  /* warm runs, beside the cold one, that confirm or replace a prior */

typedef struct le__race_entry {
    le__policy_allowed allowed;
    le__belief known;        /* before the race */
    double cold, *runs;      /* log seconds */
    double *sorted;          /* the same, ascending */
    double *weights, weight; /* and their sum */
    double spent;            /* seconds of its warm runs */
    int n, room, cuts;       /* warm runs, place for them, those that were stopped */
    bool has_cold, out;
    bool stale; /* known by samples from before something changed, and only by them */
    bool given; /* known well: its times stand, it does not run */
    bool met;   /* it has run on the problem before */
} le__race_entry;

typedef struct le__race_estimate {
    double mean, se;
} le__race_estimate;

struct le__policy_race {
    le__policy *policy;
    int family, problem, incumbent, max_runs;
    le_objective objective;
    le__race_entry *entries;
    size_t n;
    uint32_t total, clean;
    bool doubted;           /* what is stale has neither been confirmed nor refuted yet */
    double race_seconds;    /* for the runs of each where they are short; 0: count runs */
    size_t *round, n_round; /* who is still to run in this round, last first */
    uint64_t random;
    double noise;      /* variance of the log of one run, */
    uint32_t noise_at; /* found after so many runs */
    double usual_drop; /* median over the entries of log cold minus log first warm run */
    double *drops;     /* room for it */
};

/* Log seconds of the fastest warm run; there is one. */
static inline double le__race_fastest(const le__race_entry *e) {
    return e->sorted[0];
}

/* qsort's comparison of doubles. */
int le__race_ascending(const void *a, const void *b);
/* After a run: race->noise. */
void le__race_update_noise(le__policy_race *race);
/* By how much the newest run is below the one before, beyond what is level; 0: it is not. */
double le__race_falling(const le__race_entry *e);
/* Log seconds of a run in steady use. */
le__race_estimate le__race_estimate_of(const le__policy_race *race, const le__race_entry *e);
/* What the objective adds to the log of the seconds, */
double le__race_score_shift(const le__policy_race *race, const le__race_entry *e);
/* and the sum: what the race is about. */
le__race_estimate le__race_score_of(const le__policy_race *race, const le__race_entry *e);
/* Index of the best measured entry; n when there is none. */
size_t le__race_leader(const le__policy_race *race);
/* Deviation of the difference of two scores. */
double le__race_gap_error(const le__race_entry *a, le__race_estimate o, const le__race_entry *b,
                          le__race_estimate lead);
/* What is expected to be lost by this choice: a share of its time. */
double le__race_left_regret(const le__policy_race *race, size_t choice);

#endif
