/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the runs of a race say: seconds in steady use, how sure that is, who leads, what is left to
 * be gained.
 */
#include <math.h>
#include <stdlib.h>

#include "policy/policy_race.h"

#define PARTS              4      /* of a race, whose means tell of noise that comes in waves */
#define NOISE_PRIOR        0.0004 /* variance of one run's log time before there are repeats: 2 % */
#define NOISE_DOF          1.0
#define DRIFT_SD           0.001
#define LEVEL              0.02 /* runs this far above the fastest are warm-up or disturbed */
#define WIDE               5.0 /* noise deviations from the fastest run of a level to its slowest */
#define WARM_UP            4   /* runs within which a drop is no noise */
#define SETTLED            0.01
#define SETTLED_COLD       0.15
#define QUARTILES          1.349 /* deviations between the quartiles of normal values */
#define MANY               32    /* runs from which their median says how they scatter */
#define MEDIAN_TO_VARIANCE 2.198 /* of half a squared difference of normal values: 1 / 0.6745^2 */
#define CHOSEN             1.3   /* deviations: the choice is the one whose luck was best */

/* The runs near the fastest: what is left when warm-up and disturbances are taken away. */
static le__log_stats level_of(const le__race_entry *e, double width) {
    le__log_stats s = {0};
    double limit = le__race_fastest(e) + width;
    for (int i = 0; i < e->n; i++)
        if (e->runs[i] <= limit)
            le__log_stats_add(&s, e->weights[i], e->runs[i], 0.0);
    return s;
}

/* Half the square of this difference of neighbouring runs; -1: it was warm-up. */
static double scatter_of(const le__race_entry *e, int k) {
    double d = e->runs[k] - e->runs[k - 1];
    return d < -LEVEL && k < WARM_UP ? -1.0 : 0.5 * d * d;
}

bool le__policy_race_counts_seconds(const le__policy_race *race) {
    return race->race_seconds > 0.0 && race->max_runs > CONFIRMING;
}

int le__race_ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Variance of one run. Differences of neighbouring runs scatter by twice as much; forgotten is
 * warm-up. Of many the median tells: where a core is taken away now and then, a few differences are
 * ten times the others, and say nothing of these. */
static double find_noise(const le__policy_race *race) {
    double sum = NOISE_PRIOR * NOISE_DOF, dof = NOISE_DOF;
    size_t n = 0;
    double *all = le__policy_race_counts_seconds(race) && race->total >= MANY
                      ? calloc(race->total, sizeof *all)
                      : NULL;
    for (size_t i = 0; i < race->n; i++) {
        const le__race_entry *e = &race->entries[i];
        for (int k = 1; k < e->n && !e->given; k++) {
            double d = scatter_of(e, k);
            if (d < 0.0)
                continue;
            sum += d;
            dof += 1.0;
            if (all && n < race->total)
                all[n++] = d;
        }
    }
    double var = sum / dof;
    if (n >= MANY) {
        qsort(all, n, sizeof *all, le__race_ascending);
        var = fmin(var, fmax(all[n / 2] * MEDIAN_TO_VARIANCE, NOISE_PRIOR / MANY));
    }
    free(all);
    return var;
}

/* With few runs each one counts; with many another one changes little. */
void le__race_update_noise(le__policy_race *race) {
    if (le__policy_race_counts_seconds(race) && 8 * (race->total - race->noise_at) < race->noise_at)
        return;
    race->noise = find_noise(race);
    race->noise_at = race->total;
}

/* By how much the newest run is below the one before; later below all before, since one that comes
 * after a disturbed one is no end of a warm-up. */
double le__race_falling(const le__race_entry *e) {
    if (e->n < 2)
        return e->n && e->has_cold ? fmax(e->cold - e->runs[0] - SETTLED_COLD, 0.0) : 0.0;
    double least = e->runs[e->n - 2];
    for (int i = 0; i < e->n - 2 && e->n > WARM_UP; i++)
        least = fmin(least, e->runs[i]);
    return fmax(least - e->runs[e->n - 1] - SETTLED, 0.0);
}

/* A single warm run that is slower than its cold run lets expect may have been disturbed. */
static double surprise(const le__policy_race *race, const le__race_entry *e) {
    return e->n == 1 && e->has_cold ? fmax(e->runs[0] - (e->cold - race->usual_drop), 0.0) : 0.0;
}

/* Mean of the half in the middle, and the variance of one run by how wide that half is: where times
 * have two levels, as with a core that sleeps now and then, both count. */
static le__log_stats middle_of(const le__race_entry *e) {
    int quarter = e->n / 4;
    le__log_stats s = {0};
    for (int i = quarter; i < e->n - quarter; i++)
        le__log_stats_add(&s, 1.0, e->sorted[i], 0.0);
    double width = (e->sorted[e->n - 1 - quarter] - e->sorted[quarter]) / QUARTILES;
    return (le__log_stats){.n = e->weight, .mean = s.mean, .m2 = width * width};
}

le__race_estimate le__race_estimate_of(const le__policy_race *race, const le__race_entry *e) {
    le__log_stats s;
    double var = race->noise;
    if (le__policy_race_counts_seconds(race) && e->n >= SHORT_RUNS && !e->given) {
        s = middle_of(e);
        var = fmax(var, s.m2);
    } else {
        s = level_of(e, fmax(LEVEL, WIDE * sqrt(race->noise)));
    }
    double drop = 0.5 * fmax(le__race_falling(e), surprise(race, e));
    var = var / fmax(s.n, 1e-3) + DRIFT_SD * DRIFT_SD + drop * drop;
    double extra = e->allowed.extra_seconds > 0.0 ? e->allowed.extra_seconds : 0.0;
    return (le__race_estimate){log(exp(s.mean) + extra), sqrt(var)};
}

double le__race_score_shift(const le__policy_race *race, const le__race_entry *e) {
    return le__score_shift(race->objective, &e->allowed, e->allowed.memory_bytes);
}

le__race_estimate le__race_score_of(const le__policy_race *race, const le__race_entry *e) {
    le__race_estimate s = le__race_estimate_of(race, e);
    s.mean += le__race_score_shift(race, e);
    if (race->objective == LE_OBJECTIVE_P99 && e->n > 1) {
        double worst = e->runs[0];
        for (int i = 1; i < e->n; i++)
            worst = fmax(worst, e->runs[i]);
        s.mean = fmax(s.mean, worst);
    }
    return s;
}

size_t le__race_leader(const le__policy_race *race) {
    size_t best = race->n;
    double least = INFINITY;
    for (size_t i = 0; i < race->n; i++) {
        const le__race_entry *e = &race->entries[i];
        if (e->out || e->n == 0)
            continue;
        double score = le__race_score_of(race, e).mean;
        if (score < least) {
            least = score;
            best = i;
        }
    }
    return best;
}

/* Deviation of the mean difference of two that run in turns, by its means over parts of the race:
 * of noise in waves neighbouring runs have the same, and a hundred of them may be worth four. 0
 * where there are too few. */
static double scatter(const le__race_entry *a, const le__race_entry *b) {
    int n = (a->n < b->n ? a->n : b->n) / PARTS;
    double mean[PARTS] = {0}, all = 0.0, var = 0.0;
    if (n < 2 || a->given || b->given)
        return 0.0;
    for (int k = 0; k < n * PARTS; k++)
        mean[k / n] += (a->runs[a->n - 1 - k] - b->runs[b->n - 1 - k]) / n;
    for (int k = 0; k < PARTS; k++)
        all += mean[k] / PARTS;
    for (int k = 0; k < PARTS; k++)
        var += (mean[k] - all) * (mean[k] - all) / (PARTS - 1);
    return sqrt(var / PARTS);
}

/* ... and as it is if all runs are independent, whichever is more. */
double le__race_gap_error(const le__race_entry *a, le__race_estimate o, const le__race_entry *b,
                          le__race_estimate lead) {
    return fmax(hypot(o.se, lead.se), scatter(a, b));
}

double le__race_left_regret(const le__policy_race *race, size_t choice) {
    double sum = 0.0;
    const le__race_entry *c = &race->entries[choice];
    if (c->n == 0)
        return 0.0;
    le__race_estimate b = le__race_score_of(race, c);
    for (size_t i = 0; i < race->n; i++) {
        const le__race_entry *e = &race->entries[i];
        if (i == choice || e->n == 0)
            continue;
        le__race_estimate o = le__race_score_of(race, e);
        sum += le__expected_gain(o.mean - b.mean, CHOSEN * le__race_gap_error(e, o, c, b));
    }
    return sum;
}
