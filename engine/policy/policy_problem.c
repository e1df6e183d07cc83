/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The problems of a family: found by key, made, held while somebody asks about them, and dropped
 * when there are too many.
 */
#include <math.h>
#include <stdlib.h>

#include "policy/policy_internal.h"

static double positive(double x) {
    return x > 0.0 && isfinite(x) ? x : 1.0;
}

/* The first problem is the origin; without bytes of it nobody's count. */
static void place(le__family *family, const le__policy_features *f, le__point *at) {
    double work = positive(f->work);
    double ratio = f->bytes > 0.0 ? positive(f->bytes) / work : 0.0;
    if (family->n_problems == 0) {
        family->anchor_work = log(work);
        family->intensity = ratio > 0.0;
        family->anchor_intensity = family->intensity ? log(positive(ratio)) : 0.0;
    }
    bool used = family->intensity && ratio > 0.0;
    at->log_work = log(work) - family->anchor_work;
    at->intensity = used ? log(positive(ratio)) - family->anchor_intensity : 0.0;
}

static int find(const le__family *family, uint64_t key) {
    for (int i = 0; i < family->n_problems; i++)
        if (family->problem_keys[i] == key)
            return i;
    return -1;
}

double le__choice_regret(const le__family *family, const le__problem *problem) {
    double best = INFINITY;
    for (int i = 0; i < problem->n_cells; i++) {
        le__belief b = le__cell_belief(family, &problem->cells[i]);
        if (le__belief_known(b))
            best = fmin(best, le__expected_seconds(b));
    }
    double lost = problem->answered - problem->answers * best;
    return isfinite(best) && lost > 0.0 ? lost : 0.0;
}

static void drop(le__family *family, le__problem *problem) {
    family->choice_regret += le__choice_regret(family, problem);
    for (int i = 0; i < problem->n_cells; i++) {
        le__belief_dropped(family, problem, &problem->cells[i]);
        family->members[problem->cells[i].candidate].n_cells--;
    }
    free(problem->cells);
}

/* The place of the oldest problem that nobody holds, which is dropped; -1: all are held. */
static int place_of_dropped(le__family *family) {
    for (int i = 0; i < family->n_problems; i++) {
        int at = family->oldest;
        family->oldest = (at + 1) % family->n_problems;
        if (family->problems[at].held)
            continue;
        drop(family, &family->problems[at]);
        return at;
    }
    return -1;
}

static bool make_room(le__family *family) {
    return LE__GROW(family->problems, family->n_problems, family->cap_problems) &&
           LE__GROW(family->problem_keys, family->n_problems, family->cap_problem_keys);
}

static int add(le__family *family, uint64_t key, const le__policy_features *features) {
    int at = family->n_problems >= LE__POLICY_PROBLEMS ? place_of_dropped(family) : -1;
    bool more = at < 0;
    if (more && !make_room(family))
        return -1;
    at = more ? family->n_problems : at;
    family->problem_keys[at] = key;
    family->problems[at] = (le__problem){.incumbent = -1};
    place(family, features, &family->problems[at].at);
    family->n_problems += more;
    family->problems_met += 1.0;
    return at;
}

int le__policy_add_problem(le__policy *policy, int family, uint64_t key,
                           const le__policy_features *features) {
    pthread_mutex_lock(&policy->lock);
    le__family *f = le__family_at(policy, family);
    int at = f ? find(f, key) : -1;
    if (f && at < 0)
        at = add(f, key, features);
    pthread_mutex_unlock(&policy->lock);
    return at;
}

int le__policy_find_problem(le__policy *policy, int family, uint64_t key) {
    pthread_mutex_lock(&policy->lock);
    const le__family *f = le__family_at(policy, family);
    int at = f ? find(f, key) : -1;
    pthread_mutex_unlock(&policy->lock);
    return at;
}

static void hold(le__policy *policy, int family, int problem, int more) {
    pthread_mutex_lock(&policy->lock);
    le__problem *p = le__problem_at(le__family_at(policy, family), problem);
    if (p)
        p->held += more;
    pthread_mutex_unlock(&policy->lock);
}

void le__policy_hold_problem(le__policy *policy, int family, int problem) {
    hold(policy, family, problem, 1);
}

void le__policy_release_problem(le__policy *policy, int family, int problem) {
    hold(policy, family, problem, -1);
}
