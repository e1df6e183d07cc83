/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Time over size. A candidate's time is overhead + rate * work^e: flat for small problems, a power
 * of work near 1 for large ones. With c the (unknown) work at which both parts are equal,
 *
 *     log t = s + log(c^e + w^e)   ~   s + g_c(w) + (e - 1) * dg_c/de + q z
 *
 * is linear in s, e and the q of z, the bytes per work. So the model is a mixture over a grid of c
 * of Bayesian linear regressions: exact, without iterations or local minima, and its predictive
 * variance knows when it does not know (one sample says little about other sizes; two sizes say
 * much). The scale of the noise is learnt (normal-gamma), so that a curve that fits badly has wide
 * intervals. Priors: overhead about 20 microseconds within a factor of 12; s as the siblings
 * suggest, less for a larger overhead; e near 1.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy_internal.h"

#define DIM   3
#define TRI (DIM * (DIM + 1) / 2)
#define NODES 57

#define NODE_FIRST (-18.420680744)  /* ln 1e-8: of c relative to the anchor's work */
#define NODE_STEP 0.57564627325     /* ln 10 / 4 */
#define OVERHEAD_MEAN (-10.8197783) /* ln 20 us */
#define OVERHEAD_SD 2.5
#define TRADE 0.6                   /* log rate per log overhead: what costs more to start (threads, a
                                       device) is there because it is faster */
#define EXPONENT_SD 0.08
#define FEATURE_SD 0.3
#define MISFIT 0.04                 /* of the curve, at any one problem */
#define SCALE_DOF 8.0
#define IGNORED 14.0                 /* log weight below the likeliest */

typedef struct node {
    double a[TRI], b[DIM], yy;      /* weighted sums of x x', x y, y y */
} node;

typedef struct posterior {
    double chol[TRI], mean[DIM], scale, log_weight;
} posterior;

struct le__curve {
    int dim; /* 3 with bytes per work, else 2 */
    double count;
    double rate, rate_sd;
    bool stale;
    node nodes[NODES];
    posterior post[NODES];
    int likely[NODES], n_likely; /* nodes whose weight matters */
};

le__curve *le__curve_new(bool intensity) {
    le__curve *curve = calloc(1, sizeof *curve);
    if (curve) {
        curve->dim = intensity ? DIM : DIM - 1;
        curve->rate_sd = 3.0;
        curve->stale = true;
    }
    return curve;
}

void le__curve_free(le__curve *curve) {
    free(curve);
}

void le__curve_set_rate(le__curve *curve, double rate, double sd) {
    if (fabs(curve->rate - rate) < 0.05 && fabs(curve->rate_sd - sd) < 0.05 * sd)
        return;
    curve->rate = rate;
    curve->rate_sd = sd;
    curve->stale = true;
}

double le__curve_count(const le__curve *curve) {
    return curve->count;
}

static int tri(int i, int j) {
    return i * (i + 1) / 2 + j;
}

/* The regressors of one node at a point; returns the offset g. */
static double regressors(int k, const le__point *at, double x[DIM]) {
    double c = NODE_FIRST + NODE_STEP * k, w = at->log_work;
    double hi = fmax(c, w), lo = fmin(c, w), e = exp(lo - hi);
    x[0] = 1.0;
    x[1] = (hi + lo * e) / (1.0 + e);
    x[2] = at->intensity;
    return hi + log1p(e);
}

static void node_add(node *n, int dim, const double x[DIM], double y, double weight) {
    for (int i = 0; i < dim; i++) {
        for (int j = 0; j <= i; j++)
            n->a[tri(i, j)] += weight * x[i] * x[j];
        n->b[i] += weight * x[i] * y;
    }
    n->yy += weight * y * y;
}

void le__curve_add(le__curve *curve, const le__point *at, le__belief value, double sign) {
    double x[DIM], weight = sign / (value.var + MISFIT * MISFIT);
    for (int k = 0; k < NODES; k++) {
        double offset = regressors(k, at, x);
        node_add(&curve->nodes[k], curve->dim, x, value.mean - offset, weight);
    }
    curve->count += sign;
    curve->stale = true;
}

/* Adds the priors to the sums; returns the log of what they lose by disagreeing. */
static double add_priors(const le__curve *curve, int k, node *n) {
    double c = NODE_FIRST + NODE_STEP * k;
    double pa = 1.0 / (OVERHEAD_SD * OVERHEAD_SD), ma = OVERHEAD_MEAN - c;
    double sb = curve->rate_sd / (1.0 + TRADE), pb = 1.0 / (sb * sb);
    double mb = (curve->rate + TRADE * ma) / (1.0 + TRADE);
    double p = pa + pb, m = (pa * ma + pb * mb) / p;
    n->a[0] += p;
    n->b[0] += p * m;
    n->yy += p * m * m;
    n->a[tri(1, 1)] += 1.0 / (EXPONENT_SD * EXPONENT_SD);
    n->a[tri(2, 2)] += 1.0 / (FEATURE_SD * FEATURE_SD);
    return -0.5 * (ma - mb) * (ma - mb) / (1.0 / pa + 1.0 / pb);
}

/* Cholesky factor in place of a; returns the log determinant of a. */
static double factor(double *a, int dim) {
    double log_det = 0.0;
    for (int i = 0; i < dim; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = a[tri(i, j)];
            for (int m = 0; m < j; m++)
                sum -= a[tri(i, m)] * a[tri(j, m)];
            if (i == j)
                a[tri(i, i)] = sqrt(fmax(sum, 1e-12));
            else
                a[tri(i, j)] = sum / a[tri(j, j)];
        }
        log_det += 2.0 * log(a[tri(i, i)]);
    }
    return log_det;
}

/* v = L^-1 v */
static void forward(const double *chol, int dim, double *v) {
    for (int i = 0; i < dim; i++) {
        for (int j = 0; j < i; j++)
            v[i] -= chol[tri(i, j)] * v[j];
        v[i] /= chol[tri(i, i)];
    }
}

/* v = L'^-1 v */
static void backward(const double *chol, int dim, double *v) {
    for (int i = dim - 1; i >= 0; i--) {
        for (int j = i + 1; j < dim; j++)
            v[i] -= chol[tri(j, i)] * v[j];
        v[i] /= chol[tri(i, i)];
    }
}

static void solve(const le__curve *curve, int k, const node *sums, double count, posterior *out) {
    node n = *sums;
    double prior = add_priors(curve, k, &n);
    memcpy(out->chol, n.a, sizeof out->chol);
    double log_det = factor(out->chol, curve->dim), fit = 0.0;
    memcpy(out->mean, n.b, sizeof out->mean);
    forward(out->chol, curve->dim, out->mean);
    for (int i = 0; i < curve->dim; i++)
        fit += out->mean[i] * out->mean[i];
    backward(out->chol, curve->dim, out->mean);
    double rest = fmax(n.yy - fit, 0.0), dof = SCALE_DOF + count;
    out->scale = (SCALE_DOF + rest) / dof;
    out->log_weight = prior - 0.5 * log_det - 0.5 * dof * log(SCALE_DOF + rest);
}

static void refresh(le__curve *curve) {
    if (!curve->stale)
        return;
    for (int k = 0; k < NODES; k++)
        solve(curve, k, &curve->nodes[k], curve->count, &curve->post[k]);
    double top = -INFINITY;
    for (int k = 0; k < NODES; k++)
        top = fmax(top, curve->post[k].log_weight);
    curve->n_likely = 0;
    for (int k = 0; k < NODES; k++)
        if (curve->post[k].log_weight > top - IGNORED)
            curve->likely[curve->n_likely++] = k;
    curve->stale = false;
}

static void node_predict(const le__curve *curve, const posterior *p, const double x[DIM],
                         double offset, le__belief *out) {
    double v[DIM], mean = offset, var = 0.0;
    memcpy(v, x, sizeof v);
    for (int i = 0; i < curve->dim; i++)
        mean += x[i] * p->mean[i];
    forward(p->chol, curve->dim, v);
    for (int i = 0; i < curve->dim; i++)
        var += v[i] * v[i];
    *out = (le__belief){mean, p->scale * (var + MISFIT * MISFIT)};
}

/* Mean and variance of the mixture. */
static le__belief mix(const le__belief *parts, const double *log_weights, int n) {
    double top = -INFINITY, sum = 0.0, mean = 0.0, square = 0.0;
    for (int k = 0; k < n; k++)
        top = fmax(top, log_weights[k]);
    for (int k = 0; k < n; k++) {
        double w = exp(log_weights[k] - top);
        sum += w;
        mean += w * parts[k].mean;
    }
    mean /= sum;
    for (int k = 0; k < n; k++) {
        double w = exp(log_weights[k] - top) / sum, d = parts[k].mean - mean;
        square += w * (parts[k].var + d * d);
    }
    return (le__belief){mean, square};
}

le__belief le__curve_predict(le__curve *curve, const le__point *at, const le__belief *without) {
    le__belief parts[NODES];
    double weights[NODES], x[DIM] = {0};
    refresh(curve);
    for (int i = 0; i < curve->n_likely; i++) {
        int k = curve->likely[i];
        double offset = regressors(k, at, x);
        posterior less;
        const posterior *p = &curve->post[k];
        if (without) {
            node n = curve->nodes[k];
            node_add(&n, curve->dim, x, without->mean - offset,
                     -1.0 / (without->var + MISFIT * MISFIT));
            solve(curve, k, &n, curve->count - 1.0, &less);
            p = &less;
        }
        node_predict(curve, p, x, offset, &parts[i]);
        weights[i] = p->log_weight;
    }
    return mix(parts, weights, curve->n_likely);
}

le__belief le__curve_rate(le__curve *curve) {
    le__belief parts[NODES];
    double weights[NODES];
    refresh(curve);
    for (int k = 0; k < NODES; k++) {
        const posterior *p = &curve->post[k];
        double v[DIM] = {1.0}, var = 0.0, c = NODE_FIRST + NODE_STEP * k;
        forward(p->chol, curve->dim, v);
        for (int i = 0; i < curve->dim; i++)
            var += v[i] * v[i];
        double at_mean = p->mean[0] - TRADE * (OVERHEAD_MEAN - c - p->mean[0]);
        parts[k] = (le__belief){at_mean, p->scale * var * (1.0 + TRADE) * (1.0 + TRADE)};
        weights[k] = p->log_weight;
    }
    return mix(parts, weights, NODES);
}
