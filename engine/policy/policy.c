/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The policy's memory: families, candidates, problems and their cells, and how runs scatter.
 */
#include "policy/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "policy/policy_internal.h"

#define NOISE_PRIOR  0.0025 /* variance of log time between runs: 4 % */
#define NOISE_DOF    2.0
#define TAIL_RUNS    4.0 /* runs before the late ones among them say something */
#define SURPRISE_DOF 8.0

le__policy *le__policy_new(const le__policy_options *options) {
    le__policy *policy = calloc(1, sizeof *policy);
    if (!policy)
        return NULL;
    if (options)
        policy->options = *options;
    if (policy->options.explore_share == 0.0)
        policy->options.explore_share = 1.0;
    if (pthread_mutex_init(&policy->lock, NULL) != 0) {
        free(policy);
        return NULL;
    }
    return policy;
}

static void free_family(le__family *f) {
    for (int i = 0; i < f->n_members; i++)
        le__curve_free(f->members[i].curve);
    for (int i = 0; i < f->n_problems; i++)
        free(f->problems[i].cells);
    free(f->problems);
    free(f->problem_keys);
    free(f->members);
    free(f->cold);
}

void le__policy_free(le__policy **policy) {
    if (!policy || !*policy)
        return;
    le__policy *p = *policy;
    for (int i = 0; i < p->n_families; i++)
        free_family(&p->families[i]);
    free(p->families);
    free(p->resources);
    free(p->scratch);
    pthread_mutex_destroy(&p->lock);
    free(p);
    *policy = NULL;
}

bool le__grow(void *array, int count, int *cap, size_t size) {
    const int wanted = *cap ? *cap * 2 : 2;
    if (count >= *cap && !le__array_resize(array, (size_t)wanted * size))
        return false;
    *cap = count < *cap ? *cap : wanted;
    return true;
}

double le__score_shift(le_objective objective, const le__policy_allowed *a, double memory_bytes) {
    if (objective == LE_OBJECTIVE_CPU_TIME)
        return log(a->cpu_factor > 0.0 ? a->cpu_factor : 1.0);
    /* time decides between those that take the same */
    return objective == LE_OBJECTIVE_MEMORY ? 1e4 * log1p(fmax(memory_bytes, 0.0)) : 0.0;
}

/* ------------------------------------------------------------------------------ look-up ------- */

le__family *le__family_at(le__policy *policy, int family) {
    return family >= 0 && family < policy->n_families ? &policy->families[family] : NULL;
}

le__problem *le__problem_at(le__family *family, int problem) {
    return family && problem >= 0 && problem < family->n_problems ? &family->problems[problem]
                                                                  : NULL;
}

static int cell_place(const le__problem *problem, int candidate) {
    int low = 0, high = problem->n_cells;
    while (low < high) {
        int mid = (low + high) / 2;
        if (problem->cells[mid].candidate < candidate)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

le__cell *le__cell_find(const le__problem *problem, int candidate) {
    int at = cell_place(problem, candidate);
    bool found = at < problem->n_cells && problem->cells[at].candidate == candidate;
    return found ? &problem->cells[at] : NULL;
}

le__cell *le__cell_make(le__family *family, le__problem *problem, int candidate) {
    le__cell *cell = le__cell_find(problem, candidate);
    if (cell)
        return cell;
    if (!LE__GROW(problem->cells, problem->n_cells, problem->cap_cells))
        return NULL;
    int at = cell_place(problem, candidate);
    cell = &problem->cells[at];
    memmove(cell + 1, cell, (size_t)(problem->n_cells - at) * sizeof *cell);
    *cell = (le__cell){.candidate = candidate, .last_seen = -1.0, .in_curve = le__no_belief};
    problem->n_cells++;
    family->members[candidate].n_cells++;
    return cell;
}

le__resource *le__resource_of(le__policy *policy, const le__family *family, int candidate) {
    int resource = family->members[candidate].info.resource;
    return resource < policy->n_resources ? &policy->resources[resource] : NULL;
}

double le__noise_var(const le__family *family, int candidate) {
    double pooled = le__log_stats_var(&family->noise, NOISE_PRIOR, NOISE_DOF);
    return le__log_stats_var(&family->members[candidate].noise, pooled, 2.0 * NOISE_DOF);
}

double le__tail_var(const le__family *family, int candidate) {
    const le__log_stats *tail = &family->members[candidate].tail;
    double noise = le__noise_var(family, candidate);
    return tail->n >= TAIL_RUNS ? fmax(noise, tail->m2 / tail->n) : noise;
}

double le__calibration(const le__family *family, int candidate) {
    const le__log_stats *own = &family->members[candidate].surprise, *all = &family->surprise;
    double pooled = (SURPRISE_DOF + all->n * all->mean) / (SURPRISE_DOF + all->n);
    return (SURPRISE_DOF * pooled + own->n * own->mean) / (SURPRISE_DOF + own->n);
}

double le__run_var(const le__family *family, const le__problem *problem, int candidate) {
    double noise = le__noise_var(family, candidate);
    return le__cell_find(problem, candidate) ? noise : noise * le__calibration(family, candidate);
}

/* --------------------------------------------------------------------------- registration ----- */

static int find_family(const le__policy *policy, uint64_t key) {
    for (int i = 0; i < policy->n_families; i++)
        if (policy->families[i].key == key)
            return i;
    return -1;
}

int le__policy_family(le__policy *policy, uint64_t key) {
    pthread_mutex_lock(&policy->lock);
    int at = find_family(policy, key);
    if (at < 0 && LE__GROW(policy->families, policy->n_families, policy->cap_families)) {
        at = policy->n_families++;
        policy->families[at] =
            (le__family){.key = key, .noise.n = 1.0, .budget.since_explored = -1.0};
    }
    pthread_mutex_unlock(&policy->lock);
    return at;
}

static bool need_resource(le__policy *policy, le__family *family, int resource) {
    if (resource >= policy->n_resources) {
        if (!LE__ARRAY_RESIZE(policy->resources, resource + 1))
            return false;
        for (int i = policy->n_resources; i <= resource; i++)
            policy->resources[i] = (le__resource){.alarm_candidate = -1, .calm_candidate = -1};
        policy->n_resources = resource + 1;
    }
    if (resource >= family->n_cold) {
        if (!LE__ARRAY_RESIZE(family->cold, resource + 1))
            return false;
        for (int i = family->n_cold; i <= resource; i++)
            le__cold_init(&family->cold[i]);
        family->n_cold = resource + 1;
    }
    return true;
}

static int add_member(le__policy *policy, le__family *family, uint64_t key,
                      const le__policy_candidate *info) {
    for (int i = 0; i < family->n_members; i++)
        if (family->members[i].key == key)
            return i;
    if (info->resource < 0 || !need_resource(policy, family, info->resource) ||
        !LE__GROW(family->members, family->n_members, family->cap_members))
        return -1;
    le__member *member = &family->members[family->n_members];
    *member = (le__member){.key = key, .info = *info, .noise.n = 1.0};
    if (!(info->speed > 0.0 && isfinite(info->speed)))
        member->info.speed = 1.0;
    if (!(info->log_sd > 0.0 && isfinite(info->log_sd)))
        member->info.log_sd = 1.0;
    if (!(info->setup_seconds > 0.0 && isfinite(info->setup_seconds)))
        member->info.setup_seconds = 0.0;
    return family->n_members++;
}

int le__policy_add_candidate(le__policy *policy, int family, uint64_t key,
                             const le__policy_candidate *candidate) {
    pthread_mutex_lock(&policy->lock);
    le__family *f = le__family_at(policy, family);
    int at = f ? add_member(policy, f, key, candidate) : -1;
    pthread_mutex_unlock(&policy->lock);
    return at;
}

void le__policy_cancel(le__policy *policy, int family) {
    pthread_mutex_lock(&policy->lock);
    le__family *f = le__family_at(policy, family);
    if (f)
        f->budget.since_explored = -1.0;
    pthread_mutex_unlock(&policy->lock);
}

void le__policy_load_account(le__policy *policy, int family, double answered, double explored) {
    pthread_mutex_lock(&policy->lock);
    le__family *f = le__family_at(policy, family);
    if (f && answered >= 0.0 && explored >= 0.0 && isfinite(answered + explored)) {
        f->budget.answered_before = answered;
        f->budget.explored_before = explored;
    }
    pthread_mutex_unlock(&policy->lock);
}

void le__policy_set_incumbent(le__policy *policy, int family, int problem, int candidate) {
    pthread_mutex_lock(&policy->lock);
    le__family *f = le__family_at(policy, family);
    le__problem *p = le__problem_at(f, problem);
    if (p && candidate >= -1 && candidate < f->n_members) {
        p->incumbent = candidate;
        p->kept = candidate >= 0;
    }
    pthread_mutex_unlock(&policy->lock);
}

int le__policy_incumbent(le__policy *policy, int family, int problem) {
    pthread_mutex_lock(&policy->lock);
    le__problem *p = le__problem_at(le__family_at(policy, family), problem);
    int incumbent = p ? p->incumbent : -1;
    pthread_mutex_unlock(&policy->lock);
    return incumbent;
}
