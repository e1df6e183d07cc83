/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Moments, order statistics, Student's t and the reservoir: see stats.h. The quantile sketch is in
 * sketch.c.
 */
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMALL 256

void le_moments_add(le_moments *m, double x) {
    m->n++;
    double d = x - m->mean;
    m->mean += d / (double)m->n;
    m->m2 += d * (x - m->mean);
}

void le_moments_merge(le_moments *m, const le_moments *other) {
    if (other->n <= 0)
        return;
    if (m->n <= 0) {
        *m = *other;
        return;
    }
    double na = (double)m->n, nb = (double)other->n, d = other->mean - m->mean;
    m->m2 += other->m2 + d * d * na * nb / (na + nb);
    m->mean += d * nb / (na + nb);
    m->n += other->n;
}

double le_moments_variance(const le_moments *m) {
    return m->n < 2 ? (double)NAN : m->m2 / (double)(m->n - 1);
}

bool le_moments_interval(const le_moments *m, double confidence, double *low, double *high) {
    *low = -(double)INFINITY;
    *high = (double)INFINITY;
    if (m->n < 2)
        return false;
    double t = le_stats_t_quantile(0.5 + confidence / 2, (double)(m->n - 1));
    double half = t * sqrt(le_moments_variance(m) / (double)m->n);
    *low = m->mean - half;
    *high = m->mean + half;
    return true;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double sorted_quantile(const double *x, size_t n, double q) {
    double at = q * (double)(n - 1);
    size_t i = (size_t)at;
    if (i + 1 >= n)
        return x[n - 1];
    return x[i] + (at - (double)i) * (x[i + 1] - x[i]);
}

double le_stats_quantile(const double *x, size_t n, double q) {
    double small[SMALL], *v = small;
    if (n == 0 || !(q >= 0 && q <= 1))
        return (double)NAN;
    if (n > SMALL && !(v = malloc(n * sizeof *v)))
        return (double)NAN;
    memcpy(v, x, n * sizeof *v);
    qsort(v, n, sizeof *v, compare);
    double result = sorted_quantile(v, n, q);
    if (v != small)
        free(v);
    return result;
}

double le_stats_median(const double *x, size_t n) {
    return le_stats_quantile(x, n, 0.5);
}

/* Continued fraction of the incomplete beta function (Numerical Recipes 6.4, modified Lentz). */
static double beta_fraction(double x, double a, double b) {
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double h = d;
    for (int m = 1; m <= 500; m++) {
        double e = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        for (int half = 0; half < 2; half++) {
            d = 1 + e * d;
            c = 1 + e / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            h *= d * c;
            e = half == 0 ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)) : e;
        }
        if (fabs(d * c - 1) < 1e-15)
            break;
    }
    return h;
}

/* lgamma writes the global signgam; the arguments here are positive, lgamma_r needs no global. */
static double log_gamma(double x) {
    int sign;
    return lgamma_r(x, &sign);
}

static double incomplete_beta(double x, double a, double b) {
    if (x <= 0)
        return 0;
    if (x >= 1)
        return 1;
    double front = exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double le_stats_t_cdf(double t, double df) {
    double tail = 0.5 * incomplete_beta(df / (df + t * t), df / 2, 0.5);
    return t > 0 ? 1 - tail : tail;
}

double le_stats_t_quantile(double p, double df) {
    if (!(p > 0 && p < 1) || !(df > 0))
        return (double)NAN;
    if (p > 0.5)
        return -le_stats_t_quantile(1 - p, df);
    double a = -1, b = 0;
    while (a > -1e300 && le_stats_t_cdf(a, df) > p)
        a *= 2;
    for (int i = 0; i < 80; i++) {
        double c = (a + b) / 2;
        if (le_stats_t_cdf(c, df) < p)
            a = c;
        else
            b = c;
    }
    return (a + b) / 2;
}

uint64_t le_stats_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int le_reservoir_slot(uint64_t *state, int64_t seen, int capacity) {
    if (seen < capacity)
        return (int)seen;
    uint64_t at = le_stats_random(state) % ((uint64_t)seen + 1);
    return at < (uint64_t)capacity ? (int)at : -1;
}
