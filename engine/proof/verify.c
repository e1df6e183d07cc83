/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Error profiles and guarded outputs.
 */
#include "proof/verify.h"

#include "call/storage.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 1024 };

/* Elements [first, first + n) in row-major order as doubles. */
static void load(const le_tensor *t, int64_t first, int64_t n, double *out) {
    bool dense = le_tensor_is_contiguous(t);
    if (dense && t->dtype == LE_F32) {
        const float *p = (const float *)t->data + first;
        for (int64_t i = 0; i < n; i++)
            out[i] = (double)p[i];
    } else if (dense && t->dtype == LE_F64) {
        memcpy(out, (const double *)t->data + first, (size_t)n * sizeof *out);
    } else {
        for (int64_t i = 0; i < n; i++)
            out[i] = le_tensor_get(t, first + i);
    }
}

static double scale_of(le_norm norm, const le_tensor *b, int64_t n) {
    double scale = 0;
    if (norm == LE_NORM_ABS)
        return 1;
    for (int64_t i = 0; i < n; i++) {
        double v = fabs(le_tensor_get(b, i));
        if (isfinite(v) && v > scale)
            scale = v;
    }
    return scale > 0 ? scale : 1;
}

static void add_infinite(le__error_profile *p) {
    p->max_abs = INFINITY;
    for (int k = 0; k < LE__ERROR_LEVELS; k++)
        p->rtol_at[k] = INFINITY;
}

static void add_element(le__error_profile *p, double difference, double magnitude,
                        const double *levels) {
    if (difference > p->max_abs)
        p->max_abs = difference; /* scaled at the end */
    for (int k = LE__ERROR_LEVELS - 1; k >= 0 && difference > levels[k]; k--) {
        double rest = difference - levels[k];
        if (rest > p->rtol_at[k] * magnitude)
            p->rtol_at[k] = magnitude > 0 ? rest / magnitude : INFINITY;
    }
}

static void add_block(le__error_profile *p, const double *x, const double *y, int64_t n,
                      const double *levels) {
    for (int64_t i = 0; i < n; i++) {
        if (x[i] == y[i] || (isnan(x[i]) && isnan(y[i])))
            continue;
        if (!isfinite(x[i]) || !isfinite(y[i]))
            add_infinite(p);
        else
            add_element(p, fabs(x[i] - y[i]), fabs(y[i]), levels);
    }
}

void le__error_add(le__error_profile *p, le_norm norm, const le_tensor *a, const le_tensor *b) {
    int64_t n = le_tensor_count(b);
    double scale = scale_of(norm, b, n), levels[LE__ERROR_LEVELS], x[BLOCK], y[BLOCK];
    le__error_profile q = {0};
    for (int k = 0; k < LE__ERROR_LEVELS; k++)
        levels[k] = scale * pow(10, -k);
    for (int64_t at = 0; at < n; at += BLOCK) {
        int64_t m = n - at < BLOCK ? n - at : BLOCK;
        load(a, at, m, x);
        load(b, at, m, y);
        add_block(&q, x, y, m, levels);
    }
    q.max_abs /= scale;
    le__error_merge(p, &q);
}

void le__error_merge(le__error_profile *p, const le__error_profile *q) {
    p->max_abs = fmax(p->max_abs, q->max_abs);
    for (int k = 0; k < LE__ERROR_LEVELS; k++)
        p->rtol_at[k] = fmax(p->rtol_at[k], q->rtol_at[k]);
}

bool le__error_allows(const le__error_profile *p, double atol, double rtol) {
    if (p->max_abs <= atol)
        return true;
    double level = 1;
    for (int k = 0; k < LE__ERROR_LEVELS; k++, level *= 0.1)
        if (level <= atol * (1 + 1e-9))
            return p->rtol_at[k] <= rtol;
    /* atol below the finest level, 0 included: the finest level's own slack must be no help */
    return p->max_abs == 0 || (atol == 0 && p->rtol_at[LE__ERROR_LEVELS - 1] <= 0.5 * rtol);
}

/* --- guards --- */

static bool all_equal(const unsigned char *p, size_t n, unsigned char value) {
    for (size_t i = 0; i < n; i++)
        if (p[i] != value)
            return false;
    return true;
}

le_status le__guard_check(const le_call *call) {
    for (size_t i = 0; i < call->operation->n_args; i++) {
        const le__bound_arg *b = &call->args[i];
        if (call->operation->args[i].type != LE_TYPE_OUT || !b->given)
            continue;
        const le_storage *s = b->tensor.storage;
        const unsigned char *p = s->host;
        const char *name = call->operation->args[i].name;
        if (!all_equal(p, LE__GUARD_BYTES, call->poison))
            return le_fail(LE_ERR_WRONG_RESULT, "wrote before its output '%s'", name);
        if (!all_equal(p + s->bytes - LE__GUARD_BYTES, LE__GUARD_BYTES, call->poison))
            return le_fail(LE_ERR_WRONG_RESULT, "wrote behind its output '%s'", name);
    }
    return LE_OK;
}
