/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Showing what the policy knows: beliefs, accounts, slowness.
 */
#include <math.h>

#include "policy/policy_internal.h"

#define Z90 1.6448536269514722

const char *le__why_text(le__why why) {
    static const char *const texts[] = {"exploit", "explore", "probe", "only", "measure"};
    return texts[why];
}

static void view(le__policy *policy, le__family *family, const le__problem *problem,
                 const le__policy_allowed *a, le__belief b, double now, le__policy_view *row) {
    const le__cell *cell = le__cell_find(problem, a->candidate);
    double slow = le__slow_now(le__resource_of(policy, family, a->candidate), now);
    double extra = a->extra_seconds > 0.0 ? a->extra_seconds : 0.0;
    *row = (le__policy_view){.candidate = a->candidate, .last_seen = -1.0, .slowness = exp(slow)};
    if (le__belief_known(b)) {
        double sd = sqrt(b.var + le__run_var(family, problem, a->candidate));
        row->seconds = le__expected_seconds(b) * row->slowness + extra;
        row->low = exp(b.mean + slow - Z90 * sd) + extra;
        row->high = exp(b.mean + slow + Z90 * sd) + extra;
    }
    if (!cell)
        return;
    le__log_stats all = cell->loaded;
    le__log_stats_add(&all, cell->warm.n, cell->warm.mean, cell->warm.m2);
    if (!(all.n > 0.0))
        all = cell->cold;
    row->samples = all.n;
    row->measured = all.n > 0.0 ? exp(all.mean) : 0.0;
    row->measured_sd = all.n > 1.0 ? sqrt(all.m2 / (all.n - 1.0)) : 0.0;
    row->last_seen = cell->last_seen;
    row->contended = cell->contended;
}

void le__policy_explain(le__policy *policy, const le__policy_question *q, le__policy_view *rows) {
    pthread_mutex_lock(&policy->lock);
    const le__belief *beliefs = le__beliefs_of(policy, q, true);
    if (beliefs) {
        le__family *family = le__family_at(policy, q->family);
        const le__problem *problem = le__problem_at(family, q->problem);
        for (size_t i = 0; i < q->n_allowed; i++)
            view(policy, family, problem, &q->allowed[i], beliefs[i], q->now, &rows[i]);
    }
    pthread_mutex_unlock(&policy->lock);
}

double le__policy_answered(le__policy *policy, int family) {
    pthread_mutex_lock(&policy->lock);
    const le__family *f = le__family_at(policy, family);
    double seconds = f ? f->budget.account.answered : 0.0;
    pthread_mutex_unlock(&policy->lock);
    return seconds;
}

void le__policy_get_account(le__policy *policy, int family, le__policy_account *out) {
    pthread_mutex_lock(&policy->lock);
    le__family *f = le__family_at(policy, family);
    *out = (le__policy_account){0};
    if (f) {
        *out = f->budget.account;
        out->choice_regret = f->choice_regret;
        for (int i = 0; i < f->n_problems; i++)
            out->choice_regret += le__choice_regret(f, &f->problems[i]);
    }
    pthread_mutex_unlock(&policy->lock);
}

double le__policy_slowness(le__policy *policy, int resource, double now) {
    pthread_mutex_lock(&policy->lock);
    double slow = resource >= 0 && resource < policy->n_resources
                      ? le__slow_now(&policy->resources[resource], now)
                      : 0.0;
    pthread_mutex_unlock(&policy->lock);
    return exp(slow);
}
