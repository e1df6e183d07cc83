/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What is believed of one candidate on one problem: its own samples, warm, cold and loaded, joined
 * with its curve over the other problems; what its kin tell, and of one never run its siblings.
 */
#include <math.h>

#include "policy/policy_internal.h"

#define FLOOR_SD 0.003     /* no number of samples makes a time surer than this: machines drift */
#define STALE_SD 0.3       /* of loaded statistics that are not trusted at all */
#define SETTLED 0.02       /* a drop from run to run that still counts as level */
#define SETTLED_COLD 0.3   /* the same from the cold run to the first warm one */
#define BEYOND 0.7         /* how far beyond its stop a stopped run would have gone: a factor of 2 */
#define BEYOND_SD 0.7
#define GUESS_DOF 2.0
#define SURE_VAR 1e-4       /* 1 % */
#define KIN_SD 0.1          /* of the logarithms of two that are nearly the same */

static double square(double x) {
    return x * x;
}

/* Runs that still get faster have not shown their level, nor have few that took longer than a cold one
 * or a start: something else had the machine then. */
static double unsettled_var(const le__cell *cell) {
    double drop = 0.0, rise = cell->warm.mean - le__cell_least_first(cell) - SETTLED_COLD;
    if (cell->warm.n > 1.0)
        drop = cell->before - cell->last - SETTLED;
    else if (cell->cold.n > 0.0)
        drop = cell->cold.mean - cell->last - SETTLED_COLD;
    return (drop > 0.0 ? square(0.5 * drop) : 0.0) +
           (rise > 0.0 ? square(0.5 * rise) / cell->warm.n : 0.0);
}

/* A time of which only a least value was seen, beside what else is known of it. */
static le__belief at_least(le__belief known, double least, double var) {
    if (le__belief_known(known) && known.mean > least)
        return known;
    return le__belief_join(known, (le__belief){least + BEYOND, square(BEYOND_SD) + var});
}

le__belief le__cell_belief(const le__family *family, const le__cell *cell) {
    le__belief all = le__no_belief;
    double noise = le__noise_var(family, cell->candidate), floor = square(FLOOR_SD);
    int resource = family->members[cell->candidate].info.resource;
    if (cell->loaded.n > 0.0) {
        double doubt = square((1.0 - cell->trust) * STALE_SD);
        all = (le__belief){cell->loaded.mean, noise / cell->loaded.n + floor + doubt};
    }
    if (cell->warm.n > 0.0) {
        double var = noise / cell->warm.n + floor + unsettled_var(cell);
        all = le__belief_join(all, (le__belief){cell->warm.mean, var});
        if (cell->started && cell->warm.mean > cell->start)
            all = le__belief_join(all, (le__belief){cell->start, square(SETTLED_COLD) + noise});
    }
    if (cell->cold.n > 0.0 && resource < family->n_cold) {
        le__belief b = le__cold_predict(&family->cold[resource], cell->cold.mean);
        b.var += noise / cell->cold.n;
        all = le__belief_join(all, b);
    }
    bool cut_cold = cell->cut_cold.n > 0.0 && cell->cut_cold.least > log(LE__POLICY_FIRST_S);
    if (cut_cold && !(cell->warm.n + cell->cut.n > 0.0) && resource < family->n_cold) {
        le__belief b = le__cold_predict(&family->cold[resource], cell->cut_cold.least);
        all = at_least(all, b.mean, b.var);
    }
    if (cell->cut.n > 0.0)
        all = at_least(all, cell->cut.least, 0.0);
    if (cell->started && !(cell->warm.n > 0.0) && le__belief_known(all))
        all.mean = fmin(all.mean, cell->start);
    all.var += cell->doubt;
    return all;
}

static void pool_rates(le__family *family) {
    double sum = 0.0, weights = 0.0, spread = 2.0, dof = 2.0;
    for (int pass = 0; pass < 2; pass++) {
        double mean = weights > 0.0 ? sum / weights : 0.0;
        for (int i = 0; i < family->n_members; i++) {
            const le__member *m = &family->members[i];
            if (!m->curve || le__curve_count(m->curve) < 1.0)
                continue;
            le__belief b = le__curve_rate(m->curve);
            double w = 1.0 / (1.0 + b.var), rate = b.mean + log(m->info.speed);
            if (pass == 0) {
                sum += w * rate;
                weights += w;
            } else {
                spread += w * square(rate - mean);
                dof += w;
            }
        }
    }
    if (weights > 0.0) {
        family->rate = sum / weights;
        family->rate_sd = sqrt(spread / dof * (1.0 + 1.0 / weights));
    }
}

static void curve_take(le__member *member, const le__problem *problem, le__cell *cell, le__belief b)
{
    if (le__belief_known(cell->in_curve))
        le__curve_add(member->curve, &problem->at, cell->in_curve, -1.0);
    if (le__belief_known(b))
        le__curve_add(member->curve, &problem->at, b, 1.0);
    cell->in_curve = b;
}

void le__belief_changed(le__family *family, const le__problem *problem, le__cell *cell) {
    le__member *member = &family->members[cell->candidate];
    if (member->curve)
        curve_take(member, problem, cell, le__cell_belief(family, cell));
}

void le__belief_dropped(le__family *family, const le__problem *problem, le__cell *cell) {
    le__member *member = &family->members[cell->candidate];
    if (member->curve)
        curve_take(member, problem, cell, le__no_belief);
}

static void build_curve(le__family *family, int candidate) {
    le__member *member = &family->members[candidate];
    member->curve = le__curve_new(family->intensity);
    if (!member->curve)
        return;
    for (int p = 0; p < family->n_problems; p++) {
        le__cell *cell = le__cell_find(&family->problems[p], candidate);
        if (!cell)
            continue;
        le__belief b = le__cell_belief(family, cell);
        if (!(family->rate_sd > 0.0) && le__belief_known(b)) {
            family->rate = b.mean - family->problems[p].at.log_work + log(member->info.speed);
            family->rate_sd = 2.5;
        }
        curve_take(member, &family->problems[p], cell, b);
    }
    if (!(family->rate_sd > 0.0)) { /* nobody has told a time yet */
        le__curve_free(member->curve);
        member->curve = NULL;
    }
}

/* The curve of the candidate with an up-to-date prior; NULL when no other problem can teach. */
static le__curve *curve_of(le__family *family, int candidate, const le__cell *here) {
    le__member *member = &family->members[candidate];
    if (member->n_cells < (here ? 2 : 1))
        return NULL;
    if (!member->curve) {
        build_curve(family, candidate);
        family->pooled = 0.0;
    }
    if (family->evidence > 1.1 * family->pooled) {
        pool_rates(family);
        family->pooled = family->evidence;
    }
    if (member->curve)
        le__curve_set_rate(member->curve, family->rate - log(member->info.speed), family->rate_sd);
    return member->curve;
}

le__belief le__foresee(le__family *family, const le__problem *problem, int candidate) {
    const le__cell *cell = le__cell_find(problem, candidate);
    le__curve *curve = curve_of(family, candidate, cell);
    if (!curve)
        return le__no_belief;
    bool inside = cell && le__belief_known(cell->in_curve);
    le__belief other = le__curve_predict(curve, &problem->at, inside ? &cell->in_curve : NULL);
    other.var *= le__calibration(family, candidate);
    return other;
}

le__belief le__believe(le__family *family, const le__problem *problem, int candidate) {
    const le__cell *cell = le__cell_find(problem, candidate);
    le__belief own = cell ? le__cell_belief(family, cell) : le__no_belief;
    bool sure = own.var < SURE_VAR; /* no curve could add to it */
    return sure ? own : le__belief_join(own, le__foresee(family, problem, candidate));
}

double le__prior_speed(const le__family *family, const le__policy_allowed *allowed) {
    return allowed->speed > 0.0 ? allowed->speed
                                : family->members[allowed->candidate].info.speed;
}

le__pool le__pool_of(const le__family *family, const le__policy_allowed *allowed,
                     const le__belief *beliefs, size_t n) {
    le__pool pool = {0};
    for (size_t i = 0; i < n; i++) {
        if (!le__belief_known(beliefs[i]))
            continue;
        double w = 1.0 / (1.0 + beliefs[i].var);
        double mean = beliefs[i].mean + log(le__prior_speed(family, &allowed[i]));
        double delta = mean - pool.mean;
        pool.weight += w;
        pool.mean += delta * w / pool.weight;
        pool.spread += w * delta * (mean - pool.mean);
    }
    return pool;
}

le__belief le__kin_suggest(const le__policy_allowed *allowed, const le__belief *beliefs, size_t n,
                           size_t index) {
    le__belief all = le__no_belief;
    for (size_t i = 0; i < n; i++)
        if (i != index && allowed[i].kin && allowed[i].kin == allowed[index].kin &&
            le__belief_known(beliefs[i]))
            all = le__belief_join(
                all, (le__belief){beliefs[i].mean, beliefs[i].var + square(KIN_SD)});
    return all;
}

le__belief le__guess(const le__family *family, const le__policy_allowed *allowed,
                     const le__pool *pool) {
    const le__policy_candidate *info = &family->members[allowed->candidate].info;
    if (!(pool->weight > 0.0))
        return le__no_belief;
    double spread = GUESS_DOF * square(info->log_sd) + pool->spread;
    return (le__belief){pool->mean - log(le__prior_speed(family, allowed)),
                        spread / (GUESS_DOF + pool->weight) * (1.0 + 1.0 / pool->weight)};
}
