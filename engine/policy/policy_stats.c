/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Statistics of log times: running moments, normal beliefs, and what a cold run says of warm ones.
 */
#include <math.h>

#include "policy/policy_internal.h"

#define COLD_SD 0.35      /* before any pair of a cold and a warm run has been seen */
#define COLD_VAR_UNPAIRED 1.0 /* of what one says until then: who compiles, or reads tables, may take long */
#define COLD_SD_MIN 0.02
#define COLD_MEMORY 12.0  /* pairs */
#define COLD_EXTRA_S 3e-4 /* code that is read, threads that wake: a brief run's first one is mostly that */
#define VAR_CAP 4.0       /* of a belief, when its expected seconds are wanted */

const le__belief le__no_belief = {0.0, INFINITY};

void le__log_stats_add(le__log_stats *s, double n, double mean, double m2) {
    if (!(n > 0.0))
        return;
    double total = s->n + n, delta = mean - s->mean;
    s->m2 += m2 + delta * delta * s->n * n / total;
    s->mean += delta * n / total;
    s->n = total;
}

void le__log_stats_cap(le__log_stats *s, double n) {
    if (s->n <= n)
        return;
    s->m2 *= n / s->n;
    s->n = n;
}

double le__log_stats_var(const le__log_stats *s, double prior, double dof) {
    double own = s->n > 1.0 ? s->n - 1.0 : 0.0;
    return (prior * dof + (own > 0.0 ? s->m2 : 0.0)) / (dof + own);
}

bool le__belief_known(le__belief b) {
    return isfinite(b.var);
}

le__belief le__belief_join(le__belief a, le__belief b) {
    if (!le__belief_known(a))
        return b;
    if (!le__belief_known(b))
        return a;
    double var = a.var * b.var / (a.var + b.var);
    return (le__belief){(a.mean * b.var + b.mean * a.var) / (a.var + b.var), var};
}

double le__normal_cdf(double z) {
    return 0.5 * erfc(-z * 0.70710678118654752);
}

double le__expected_gain(double behind, double sd) {
    if (!(sd > 0.0))
        return behind < 0.0 ? -behind : 0.0;
    double z = behind / sd;
    double gain = sd * (0.39894228040143268 * exp(-0.5 * z * z) - z * le__normal_cdf(-z));
    return gain > 0.0 ? gain : 0.0;
}

double le__expected_seconds(le__belief b) {
    return exp(b.mean + 0.5 * fmin(b.var, VAR_CAP));
}

void le__cold_init(le__cold_model *c) {
    *c = (le__cold_model){.ratio_err = COLD_SD * COLD_SD,
                          .extra_seconds = COLD_EXTRA_S,
                          .extra_err = COLD_SD * COLD_SD};
}

static double after_extra(const le__cold_model *c, double cold) {
    double seconds = exp(cold), rest = seconds - c->extra_seconds;
    return log(fmax(rest, seconds / 8.0));
}

void le__cold_learn(le__cold_model *c, double cold, double warm) {
    double by_ratio = cold - c->ratio - warm, by_extra = after_extra(c, cold) - warm;
    double n = c->n < COLD_MEMORY ? c->n : COLD_MEMORY;
    /* The first pair sets the means; from then on the errors of prediction are counted. */
    if (n > 0.0) {
        c->ratio_err += (by_ratio * by_ratio - c->ratio_err) / (n + 1.0);
        c->extra_err += (by_extra * by_extra - c->extra_err) / (n + 1.0);
    }
    c->ratio += by_ratio / (n + 1.0);
    c->extra_seconds += (exp(cold) - exp(warm) - c->extra_seconds) / (n + 1.0);
    c->n += 1.0;
}

le__belief le__cold_predict(const le__cold_model *c, double cold) {
    bool ratio = c->ratio_err < c->extra_err;
    double err = c->n > 0.0 ? (ratio ? c->ratio_err : c->extra_err) : COLD_VAR_UNPAIRED;
    double mean = ratio ? cold - c->ratio : after_extra(c, cold);
    return (le__belief){mean, err + COLD_SD_MIN * COLD_SD_MIN};
}
