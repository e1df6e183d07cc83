/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Two answers to one call.
 */
#include "choose/compare.h"

#include "call/dtype.h"
#include "call/engine.h"
#include "choose/arm.h"
#include "core/clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static size_t make_args(const le__comparison *c, le__second_answer *a, bool may_widen) {
    const le_call *call = c->call;
    const le_arg *from = c->sampled ? c->sample.args : call->user_args;
    size_t given = c->sampled ? c->sample.n : call->n_user_args, n = 0;
    for (size_t i = 0; i < given; i++)
        if (from[i].kind != LE_KIND_OUT && from[i].kind != LE_KIND_OPTION)
            a->args[n++] = from[i];
    for (size_t i = 0; i < call->operation->n_args && n < LE_MAX_ARGS; i++) {
        const le_arg_desc *desc = &call->operation->args[i];
        if (desc->type != LE_TYPE_OUT || !call->args[i].given)
            continue;
        le_dtype asked = call->args[i].tensor.dtype;
        a->outputs[i] =
            (le_tensor){.dtype = may_widen ? le__dtype_of_reference(desc, asked) : asked};
        a->args[n++] =
            (le_arg){.name = desc->name, .kind = LE_KIND_OUT, .value.out = &a->outputs[i]};
    }
    /* who approximates does so within the tolerance of the call */
    return n + le__tolerance_options(&call->want, a->args + n);
}

/* Seconds that the trusted candidate may take for the whole, by what the arm took. */
static double predicted(const le__comparison *c) {
    return le__rate_seconds(&c->rate, le__call_operations(c->call),
                            c->call->stats.seconds * le__arm_speed(c->arm, c->call) /
                                le__arm_speed(c->by, c->call));
}

/* A smaller case stands for a whole that takes longer. The caller is not kept waiting for the
 * reference much longer than for the answer. */
static double limit(const le__comparison *c) {
    double most = c->call->engine->options.trial_limit_s;
    double wait_s = fmax(2 * c->call->stats.seconds, most / 20);
    return c->by_reference ? fmax(fmin(most, wait_s), c->most_s) : most;
}

static bool takes_too_long(const le__comparison *c, const le_call *other) {
    return c->by_reference && !c->thorough &&
           predicted(c) * le__call_operations(other) / le__call_operations(c->call) > limit(c);
}

bool le__is_refusal(le_status status) {
    return status == LE_ERR_DATA || status == LE_ERR_ARGUMENT || status == LE_ERR_SHAPE ||
           status == LE_ERR_DTYPE;
}

/* To be ended with le__call_unbind when it succeeds. */
static le_status answer_by(le__comparison *c, const le__candidate *who, le__second_answer *a) {
    const char *why = "";
    size_t n = make_args(c, a, who == c->by && c->by_reference);
    le_status status = le__call_bind(&a->call, c->call->engine, c->call->entry, a->args, n);
    if (status != LE_OK)
        return status;
    if (who == c->arm && !le__candidate_can(who, &a->call, &why))
        status = le_fail(LE_ERR_UNSUPPORTED, "the smaller call is not for it: %s", why);
    else if (who == c->by && takes_too_long(c, &a->call))
        status = le_fail(LE_ERR_TIMEOUT, "the reference would take too long");
    else {
        status = le__execute(&a->call, who, LE__OUTPUTS_FRESH);
        /* of a sample, which is not the caller's, it tells nothing of his call */
        c->refused = who == c->by && !c->sampled && le__is_refusal(status);
    }
    if (status != LE_OK)
        le__call_unbind(&a->call);
    return status;
}

/* The sample's outputs are rows of the whole ones. */
static le_status compare_rows(le__comparison *c, le_call *judged) {
    const le_operation *op = c->call->operation;
    for (size_t i = 0; i < op->n_args; i++) {
        le__bound_arg *b = &judged->args[i];
        if (op->args[i].type != LE_TYPE_OUT || !b->given)
            continue;
        le_status status = le_tensor_to_host(&b->tensor);
        if (status != LE_OK)
            return status;
        le_tensor rows = b->tensor;
        rows.shape[0] = c->trusted.call.args[i].tensor.shape[0];
        rows.data =
            (char *)rows.data + c->first * rows.strides[0] * (int64_t)le_dtype_size(rows.dtype);
        status = le__error_add_output(&c->error, &c->trusted.call, i, &rows);
        if (status != LE_OK)
            return status;
    }
    return LE_OK;
}

static le_status compare_outputs(le__comparison *c, le_call *judged) {
    if (c->sampled && judged == c->call)
        return compare_rows(c, judged);
    le_status status = le__error_of_answer(&c->error, judged, &c->trusted.call);
    if (status != LE_ERR_WRONG_RESULT)
        return status;
    snprintf(c->counts, sizeof c->counts, "%.150s", le_error_message());
    return LE_OK;
}

static void take_sample(le__comparison *c) {
    const le_operation *op = c->call->operation;
    uint64_t random = (uint64_t)(le__now() * 1e6);
    c->sampled = false;
    if (!op->part)
        return;
    memset(&c->sample, 0, sizeof c->sample);
    c->sample.user = op->user;
    c->sampled =
        op->part(c->call, random, &c->sample, &c->first) == LE_OK && c->sample.status == LE_OK;
    bool apart = op->compare || c->call->counted; /* what their rows belong to is not known */
    if (c->sampled && ((c->first >= 0 && !apart) || (c->first < 0 && predicted(c) > limit(c))))
        return;
    le__case_free(&c->sample);
    c->sampled = false;
}

static le_status compare_sample(le__comparison *c) {
    if (!c->sampled || c->first >= 0)
        return compare_outputs(c, c->call);
    le_status status = answer_by(c, c->arm, &c->own);
    if (status != LE_OK)
        return status;
    status = compare_outputs(c, &c->own.call);
    le__call_unbind(&c->own.call);
    return status;
}

le_status le__compare(le__comparison *c) {
    memset(&c->error, 0, sizeof c->error);
    c->counts[0] = '\0';
    c->refused = false;
    c->seconds = 0;
    take_sample(c);
    le_status status = answer_by(c, c->by, &c->trusted);
    if (status == LE_OK) {
        c->seconds = c->trusted.call.stats.seconds;
        c->work = le__call_operations(&c->trusted.call);
        status = compare_sample(c);
        le__call_unbind(&c->trusted.call);
    }
    if (c->sampled)
        le__case_free(&c->sample);
    return status;
}

bool le__reference_takes(le_call *call, const le__candidate *reference) {
    le__comparison c = {.call = call, .by = reference, .by_reference = true, .thorough = true};
    if (answer_by(&c, reference, &c.trusted) != LE_OK)
        return false;
    le__call_unbind(&c.trusted.call);
    return true;
}
