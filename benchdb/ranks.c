/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The Wilcoxon-Mann-Whitney rank test: does one candidate tend to be faster than another, whatever
 * the distributions look like.
 */
#include "stats.h"

#include <math.h>
#include <stdlib.h>

typedef struct item {
    double x;
    bool of_a;
} item;

static int compare(const void *a, const void *b) {
    double x = ((const item *)a)->x, y = ((const item *)b)->x;
    return (x > y) - (x < y);
}

/* Sum of the ranks of a (mean ranks for ties); *ties becomes the sum of t^3 - t. */
static double rank_sum(const item *v, size_t n, double *ties) {
    double sum = 0;
    *ties = 0;
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && v[j].x == v[i].x;)
            j++;
        double t = (double)(j - i), rank = ((double)i + (double)j + 1) / 2;
        *ties += t * t * t - t;
        for (size_t k = i; k < j; k++)
            sum += v[k].of_a ? rank : 0;
    }
    return sum;
}

/* Number of ways to U, without ties, for all U at once: the Gaussian binomial coefficient by the
 * recurrence over sample sizes (Mann and Whitney 1947). Returns P(U <= u). */
static bool exact_tail(size_t n_a, size_t n_b, double u, double *p) {
    size_t top = n_a * n_b;
    double *ways = calloc(top + 1, sizeof *ways);
    if (!ways)
        return false;
    ways[0] = 1;
    for (size_t i = 1; i <= n_a; i++) {
        for (size_t k = top + 1; k-- > i + n_b;)
            ways[k] -= ways[k - i - n_b];
        for (size_t k = i; k <= top; k++)
            ways[k] += ways[k - i];
    }
    double below = 0, all = 0;
    for (size_t k = 0; k <= top; k++) {
        all += ways[k];
        below += (double)k <= u ? ways[k] : 0;
    }
    free(ways);
    *p = below / all;
    return true;
}

static bool p_values(size_t n_a, size_t n_b, double ties, le_mann_whitney *out) {
    double na = (double)n_a, nb = (double)n_b, n = na + nb, other = na * nb - out->u;
    double smaller = fmin(out->u, other), two;
    if (ties == 0 && n_a * n_b <= 400) {
        if (!exact_tail(n_a, n_b, out->u, &out->p_less) || !exact_tail(n_a, n_b, smaller, &two))
            return false;
        out->p_two = fmin(1, 2 * two);
        return true;
    }
    double sd = sqrt(na * nb / 12 * (n + 1 - ties / (n * (n - 1))));
    if (!(sd > 0))
        return false;
    out->p_less = le_stats_normal_cdf((out->u - na * nb / 2 + 0.5) / sd);
    out->p_two = fmin(1, 2 * le_stats_normal_cdf((smaller - na * nb / 2 + 0.5) / sd));
    return true;
}

bool le_stats_mann_whitney(const double *a, size_t n_a, const double *b, size_t n_b,
                           le_mann_whitney *out) {
    if (n_a == 0 || n_b == 0)
        return false;
    item *v = malloc((n_a + n_b) * sizeof *v);
    if (!v)
        return false;
    for (size_t i = 0; i < n_a; i++)
        v[i] = (item){a[i], true};
    for (size_t i = 0; i < n_b; i++)
        v[n_a + i] = (item){b[i], false};
    qsort(v, n_a + n_b, sizeof *v, compare);
    double ties, sum = rank_sum(v, n_a + n_b, &ties);
    free(v);
    le_mann_whitney result = {.u = sum - (double)n_a * ((double)n_a + 1) / 2};
    if (!p_values(n_a, n_b, ties, &result))
        return false;
    *out = result;
    return true;
}
