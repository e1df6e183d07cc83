/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Error profiles.
 */
#include "trial/verify.h"

#include "call/dtype.h"
#include "call/guard.h"

#include <float.h>
#include <math.h>

enum { BLOCK = 1024 };

/* --- differences of a block and magnitudes of its right side --- */

typedef struct block {
    double difference[BLOCK]; /* INFINITY: no tolerance allows it */
    double magnitude[BLOCK];
} block;

static void compare_reals(const le_tensor *a, const le_tensor *b, int64_t at, int64_t n,
                          block *out) {
    double x[BLOCK], y[BLOCK];
    const bool narrow = a->dtype == LE_F32; /* infinite is right where b is beyond its numbers */
    le__tensor_load(a, at, n, x);
    le__tensor_load(b, at, n, y);
    for (int64_t i = 0; i < n; i++) {
        bool beyond = narrow && isinf(x[i]) && x[i] == (double)(float)y[i];
        bool same = x[i] == y[i] || (isnan(x[i]) && isnan(y[i])) || beyond;
        bool finite = isfinite(x[i]) && isfinite(y[i]);
        out->difference[i] = same ? 0 : finite ? fabs(x[i] - y[i]) : INFINITY;
        out->magnitude[i] = fabs(y[i]);
    }
}

static void compare_complex(const le_tensor *a, const le_tensor *b, int64_t at, int64_t n,
                            block *out) {
    for (int64_t i = 0; i < n; i++) {
        double x[2], y[2];
        le_tensor_get_complex(a, at + i, x);
        le_tensor_get_complex(b, at + i, y);
        bool nan = (isnan(x[0]) || isnan(x[1])) && (isnan(y[0]) || isnan(y[1]));
        bool same = nan || (x[0] == y[0] && x[1] == y[1]);
        bool finite = isfinite(x[0]) && isfinite(x[1]) && isfinite(y[0]) && isfinite(y[1]);
        out->difference[i] = same ? 0 : finite ? hypot(x[0] - y[0], x[1] - y[1]) : INFINITY;
        out->magnitude[i] = hypot(y[0], y[1]);
    }
}

/* An integer of up to 64 bits with its sign apart. */
typedef struct integer {
    bool negative;
    uint64_t magnitude;
} integer;

static integer load_integer(const le_tensor *t, int64_t i) {
    int64_t v = le_tensor_get_i64(t, i);
    if (v >= 0 || t->dtype == LE_U64)
        return (integer){false, (uint64_t)v};
    return (integer){true, 0 - (uint64_t)v};
}

static void compare_integers(const le_tensor *a, const le_tensor *b, int64_t at, int64_t n,
                             block *out) {
    for (int64_t i = 0; i < n; i++) {
        const integer x = load_integer(a, at + i), y = load_integer(b, at + i);
        uint64_t low = x.magnitude < y.magnitude ? x.magnitude : y.magnitude;
        uint64_t high = x.magnitude < y.magnitude ? y.magnitude : x.magnitude;
        out->difference[i] =
            x.negative == y.negative ? (double)(high - low) : (double)high + (double)low;
        out->magnitude[i] = (double)y.magnitude;
    }
}

static bool is_kind(const le_tensor *t, le_dtype_kind kind) {
    return le_dtype_kind_of(t->dtype) == kind;
}

static bool is_integer(const le_tensor *t) {
    return is_kind(t, LE_DTYPE_KIND_SIGNED) || is_kind(t, LE_DTYPE_KIND_UNSIGNED);
}

static bool is_long(const le_tensor *t) {
    return is_integer(t) && le_dtype_size(t->dtype) == sizeof(int64_t);
}

static void compare_block(const le_tensor *a, const le_tensor *b, int64_t at, int64_t n,
                          block *out) {
    if (is_kind(a, LE_DTYPE_KIND_COMPLEX) || is_kind(b, LE_DTYPE_KIND_COMPLEX))
        compare_complex(a, b, at, n, out);
    else if (is_integer(a) && is_integer(b) && (is_long(a) || is_long(b)))
        compare_integers(a, b, at, n, out);
    else
        compare_reals(a, b, at, n, out);
}

/* Smaller numbers of the dtype have the fewer digits the smaller they are. */
static double smallest_normal(const le_tensor *t) {
    return t->dtype == LE_F32 || t->dtype == LE_C64    ? (double)FLT_MIN
           : t->dtype == LE_F64 || t->dtype == LE_C128 ? DBL_MIN
                                                       : 0;
}

static double scale_of(le_norm norm, double least, const le_tensor *a, const le_tensor *b) {
    if (norm == LE_NORM_ABS)
        return 1;
    const double scale = fmax(le_tensor_largest(b), isfinite(least) ? least : 0);
    return scale > 0 ? fmax(scale, fmax(smallest_normal(a), smallest_normal(b))) : 1;
}

/* --- profiles --- */

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

static void add_block(le__error_profile *p, const block *c, int64_t n, const double *levels) {
    for (int64_t i = 0; i < n; i++) {
        if (c->difference[i] == INFINITY)
            add_infinite(p);
        else if (c->difference[i] > 0)
            add_element(p, c->difference[i], c->magnitude[i], levels);
    }
}

void le__error_add(le__error_profile *p, le_norm norm, double least, const le_tensor *a,
                   const le_tensor *b) {
    int64_t n = le_tensor_count(b);
    double scale = scale_of(norm, least, a, b), levels[LE__ERROR_LEVELS];
    le__error_profile q = {0};
    block compared;
    for (int k = 0; k < LE__ERROR_LEVELS; k++)
        levels[k] = scale * pow(10, -k);
    for (int64_t at = 0; at < n; at += BLOCK) {
        int64_t m = n - at < BLOCK ? n - at : BLOCK;
        compare_block(a, b, at, m, &compared);
        add_block(&q, &compared, m, levels);
    }
    q.max_abs /= scale;
    le__error_merge(p, &q);
}

static bool is_given(const le_call *call, size_t arg, le_arg_type type) {
    return call->operation->args[arg].type == type && call->args[arg].given;
}

static le_status bring(le_call *call, le_arg_type type) {
    le_status status = LE_OK;
    for (size_t i = 0; status == LE_OK && i < call->operation->n_args; i++)
        if (is_given(call, i, type))
            status = le_tensor_to_host(&call->args[i].tensor);
    return status;
}

le_status le__error_add_output(le__error_profile *p, le_call *trusted, size_t arg,
                               const le_tensor *a) {
    const le_operation *op = trusted->operation;
    const bool asks = op->norm == LE_NORM_MAX && op->least_scale;
    le_status status = asks ? bring(trusted, LE_TYPE_IN) : LE_OK;
    if (status == LE_OK)
        status = bring(trusted, LE_TYPE_OUT);
    if (status == LE_OK)
        le__error_add(p, op->norm, asks ? op->least_scale(trusted, (int)arg) : 0, a,
                      &trusted->args[arg].tensor);
    return status;
}

static void add_distance(le__error_profile *p, double distance) {
    double level = 1;
    if (!(distance >= 0) || distance == INFINITY) {
        add_infinite(p);
        return;
    }
    p->max_abs = fmax(p->max_abs, distance);
    for (int k = 0; k < LE__ERROR_LEVELS; k++, level *= 0.1)
        if (distance > level)
            p->rtol_at[k] = INFINITY;
}

static le_status compare_counts(const le_call *answer, const le_call *trusted, size_t arg) {
    int64_t rows = answer->args[arg].tensor.shape[0], right = trusted->args[arg].tensor.shape[0];
    if (!answer->args[arg].counted || rows == right)
        return LE_OK;
    return le_fail(LE_ERR_WRONG_RESULT, "gives %lld rows of '%s', the trusted answer has %lld",
                   (long long)rows, answer->operation->args[arg].name, (long long)right);
}

le_status le__compare_counts(const le_call *answer, const le_call *trusted) {
    le_status status = LE_OK;
    for (size_t i = 0; status == LE_OK && i < answer->operation->n_args; i++)
        if (!answer->operation->compare && is_given(answer, i, LE_TYPE_OUT))
            status = compare_counts(answer, trusted, i);
    return status;
}

le_status le__error_of_answer(le__error_profile *p, le_call *answer, le_call *trusted) {
    const le_operation *op = answer->operation;
    le_status status = bring(answer, LE_TYPE_OUT);
    if (status == LE_OK)
        status = bring(trusted, LE_TYPE_OUT);
    if (status == LE_OK && op->compare) {
        add_distance(p, op->compare(answer, trusted));
        return LE_OK;
    }
    for (size_t i = 0; status == LE_OK && i < op->n_args; i++) {
        if (!is_given(answer, i, LE_TYPE_OUT))
            continue;
        status = compare_counts(answer, trusted, i);
        if (status == LE_OK)
            status = le__error_add_output(p, trusted, i, &answer->args[i].tensor);
        else
            add_infinite(p);
    }
    return status;
}

le_status le__error_of_guarded(le__error_profile *p, le_call *answer, le_call *trusted) {
    le_status status = le__error_of_answer(p, answer, trusted);
    bool compared = status == LE_OK || status == LE_ERR_WRONG_RESULT;
    le_status strays = compared ? le__guard_check(answer) : LE_OK;
    return strays != LE_OK ? strays : status;
}

void le__error_merge(le__error_profile *p, const le__error_profile *q) {
    p->max_abs = fmax(p->max_abs, q->max_abs);
    for (int k = 0; k < LE__ERROR_LEVELS; k++)
        p->rtol_at[k] = fmax(p->rtol_at[k], q->rtol_at[k]);
}

double le__error_needs(const le__error_profile *p, double atol) {
    if (p->max_abs <= atol)
        return 0;
    double level = 1;
    for (int k = 0; k < LE__ERROR_LEVELS; k++, level *= 0.1)
        if (level <= atol * (1 + 1e-9))
            return p->rtol_at[k];
    /* atol below the finest level, 0 included: the finest level's own slack must be no help */
    return atol == 0 ? 2 * p->rtol_at[LE__ERROR_LEVELS - 1] : INFINITY;
}

bool le__error_allows(const le__error_profile *p, double atol, double rtol) {
    double needs = le__error_needs(p, atol);
    return needs <= rtol && isfinite(needs);
}
