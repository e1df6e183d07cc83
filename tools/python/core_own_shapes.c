/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Shapes of own operations: symbols that the inputs of a call bind. What else tells their problems
 * apart.
 */
#include "core_own.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static void bind_scalars(const own_operation *o, const le_call *call, binding *b) {
    for (int s = 0; s < o->n_symbols; s++) {
        b->known[s] = o->symbol_args[s] >= 0;
        if (b->known[s])
            b->value[s] = le_call_i64(call, o->symbol_args[s]);
    }
}

int64_t core_own_extent(const extent *e, const binding *b) {
    const int64_t symbol = e->symbol < 0 ? 0 : b->value[e->symbol];
    int64_t made;
    const bool beyond = __builtin_mul_overflow(e->factor, symbol, &made) ||
                        __builtin_add_overflow(made, e->offset, &made);
    return !beyond ? made : symbol < 0 ? INT64_MIN : INT64_MAX;
}

static bool unify(const extent *e, int64_t is, binding *b) {
    int64_t product;
    if (e->symbol >= 0 && !b->known[e->symbol] &&
        !__builtin_sub_overflow(is, e->offset, &product) && product % e->factor == 0) {
        b->known[e->symbol] = true;
        b->value[e->symbol] = product / e->factor;
    }
    return (e->symbol < 0 || b->known[e->symbol]) && core_own_extent(e, b) == is;
}

static le_status bind_inputs(const own_operation *o, const le_call *call, binding *b) {
    for (size_t i = 0; i < o->operation.n_args; i++) {
        if (o->args[i].type != LE_TYPE_IN || !le_call_given(call, (int)i))
            continue;
        const le_tensor *t = le_call_in(call, (int)i);
        for (int d = 0; d < t->ndim; d++) {
            const extent *e = &o->extents[i][d];
            if (unify(e, t->shape[d], b))
                continue;
            if (e->symbol >= 0 && b->known[e->symbol])
                return le_fail(LE_ERR_SHAPE, "%s: axis %d of '%s' %s is %lld, expected %lld",
                               o->operation.name, d, o->args[i].name, o->args[i].shape,
                               (long long)t->shape[d], (long long)core_own_extent(e, b));
            return le_fail(LE_ERR_SHAPE, "%s: axis %d of '%s' is %lld, which does not fit %s",
                           o->operation.name, d, o->args[i].name, (long long)t->shape[d],
                           o->args[i].shape);
        }
    }
    return LE_OK;
}

le_status core_own_bind(const own_operation *o, const le_call *call, binding *b) {
    *b = (binding){0};
    bind_scalars(o, call, b);
    return bind_inputs(o, call, b);
}

le_status core_own_check(le_call *call) {
    const own_operation *o = le_call_user_operation(call);
    binding b;
    le_status status = core_own_bind(o, call, &b);
    for (size_t i = 0; status == LE_OK && i < o->operation.n_args; i++) {
        int64_t shape[LE_MAX_DIMS];
        if (o->args[i].type != LE_TYPE_OUT || !le_call_given(call, (int)i))
            continue;
        for (int d = 0; d < o->args[i].max_ndim; d++) {
            shape[d] = core_own_extent(&o->extents[i][d], &b);
            if (shape[d] < 0 || shape[d] == INT64_MAX)
                return le_fail(LE_ERR_SHAPE, "%s: axis %d of '%s' %s would be %s%lld",
                               o->operation.name, d, o->args[i].name, o->args[i].shape,
                               shape[d] < 0 ? "" : "beyond ", (long long)shape[d]);
        }
        status = le_call_set_out(call, (int)i, o->dtypes[i], o->args[i].max_ndim, shape);
    }
    return status;
}

const le_tensor *core_own_tensor(const le_call *call, const own_operation *o, int i) {
    return o->args[i].type == LE_TYPE_IN    ? le_call_in(call, i)
           : o->args[i].type == LE_TYPE_OUT ? le_call_out(call, i)
                                            : NULL;
}

void core_own_work(const le_call *call, le_work *out) {
    const own_operation *o = le_call_user_operation(call);
    out->operations = 1;
    out->bytes = 1;
    for (size_t i = 0; i < o->operation.n_args; i++) {
        const le_tensor *t = le_call_given(call, (int)i) ? core_own_tensor(call, o, (int)i) : NULL;
        double n = t ? (double)le_tensor_count(t) : 0;
        out->operations += n;
        out->bytes += n * (double)le_dtype_size(t ? t->dtype : LE_U8);
    }
}

static bool is_beyond_float(le_dtype dtype) {
    const le_dtype_kind kind = le_dtype_kind_of(dtype);
    const size_t most = kind == LE_DTYPE_KIND_FLOAT ? 4 : kind == LE_DTYPE_KIND_COMPLEX ? 8 : 2;
    return le_dtype_size(dtype) > most;
}

static bool is_held(double number, bool exactly) {
    const double held = (double)(float)number;
    const double most = exactly ? 0 : FLT_EPSILON / 2 * fabs(number);
    return isnan(number) || held == number || fabs(held - number) <= most;
}

bool core_own_exceeds_float(const le_call *call) {
    const own_operation *o = le_call_user_operation(call);
    bool exactly = false, exceeds = false;
    for (size_t i = 0; i < o->operation.n_args; i++)
        exactly |= o->args[i].type == LE_TYPE_OUT && is_beyond_float(o->dtypes[i]);
    for (size_t i = 0; i < o->operation.n_args; i++)
        exceeds |= o->args[i].type == LE_TYPE_F64 && !is_held(le_call_f64(call, (int)i), exactly);
    return exceeds;
}

void core_own_key(const le_call *call, char *buffer, size_t size) {
    if (core_own_exceeds_float(call))
        snprintf(buffer, size, "beyond float");
}
