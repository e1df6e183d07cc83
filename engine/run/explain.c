/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The evidence of a choice, as a structure and as JSON.
 */
#include "choose/dispatch.h"

#include "benchdb.h"
#include "chain/chain.h"
#include "call/named.h"
#include "choose/observe.h"
#include "core/clock.h"
#include "engine.h"
#include "numbers.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One allocation: the explanation, its rows, and texts that may change meanwhile. */
typedef struct whole {
    le_explanation e;
    char problem[LE__PROBLEM_TEXT];
    struct {
        char text[LE__CANDIDATE_TEXT];
        char left_out[200];
    } * texts;
} whole;

static void fill_error(le_explained_candidate *row, const le__question *q, const le__arm *a) {
    const le__verdict *trial = le__proof_find(a->proof, q->kind, LE__CLASS_TRIAL);
    const le__verdict *here = le__proof_find(a->proof, q->kind, q->size_class);
    const le__verdict *v = here && here->state != LE__UNPROVEN ? here : trial;
    bool untold = v && v->state == LE__PROVEN && v->untold;
    bool reference = a->candidate.implementation->flags & LE_IMPL_REFERENCE;
    bool known = v && v->state == LE__PROVEN && !untold;
    row->error_max_abs = reference ? 0 : known ? v->error.max_abs : NAN;
    row->verdict = le_db_state_names[reference               ? LE__PROVEN
                                     : a->proof->quarantined ? LE__QUARANTINED
                                     : v && !untold          ? v->state
                                                             : LE__UNPROVEN];
}

static void fill_row(le_explained_candidate *row, const le__question *q, const le_call *call,
                     const le__arm *a, char *text, char *left_out, size_t size) {
    const char *why = le__arm_objection(q, call, a);
    memcpy(text, a->candidate.text, LE__CANDIDATE_TEXT);
    snprintf(left_out, size, "%s", why ? why : "");
    *row = (le_explained_candidate){.candidate = text,
                                    .implementation = a->candidate.implementation->name,
                                    .run_type = a->candidate.implementation->run_type,
                                    .device = a->candidate.device->id,
                                    .applicable = !why,
                                    .left_out = left_out,
                                    .predicted_s = NAN,
                                    .low_s = NAN,
                                    .high_s = NAN,
                                    .measured_s = NAN,
                                    .age_s = NAN};
    fill_error(row, q, a);
}

static void fill_times(le_explained_candidate *row, const le__policy_view *v, double transfers,
                       double now) {
    if (v->seconds > 0) { /* else nobody has seen it, nor one like it */
        row->predicted_s = v->seconds;
        row->low_s = v->low;
        row->high_s = v->high;
    }
    bool measured = v->measured > 0;
    row->measured_s = measured ? v->measured + transfers : NAN;
    row->samples = measured ? (int64_t)fmax(1, v->samples + 0.5) : 0;
    row->age_s = v->last_seen >= 0 ? now - v->last_seen : NAN;
}

static int by_applicable_then_time(const void *a, const void *b) {
    const le_explained_candidate *x = a, *y = b;
    if (x->applicable != y->applicable)
        return x->applicable ? -1 : 1;
    if (isnan(x->predicted_s) || isnan(y->predicted_s))
        return !!isnan(x->predicted_s) - !!isnan(y->predicted_s);
    double d = x->predicted_s - y->predicted_s;
    return d < 0 ? -1 : d > 0;
}

static const char *why_chosen(const le__question *q, const le_explained_candidate *best) {
    if (q->mode == LE_MODE_FROZEN)
        return "frozen";
    return best->samples > 0 ? "measured" : "predicted";
}

/* What may answer, but is not among those that the policy is asked about. */
static void leave_out_rest(le_explained_candidate *rows, whole *w, const le__slate *slate) {
    for (size_t i = 0, k = 0; i < slate->question->n_arms; i++) {
        if (k < slate->n && slate->arms[k]->index == i) {
            k++;
        } else if (rows[i].applicable) {
            rows[i].applicable = false;
            snprintf(w->texts[i].left_out, sizeof w->texts[i].left_out,
                     "another implementation answers reproducible calls");
        }
    }
}

/* What the policy would think of every arm, whether it may answer or not. */
static le_status fill_views(le__dispatch *d, const le__question *q, const le_call *call,
                            le_explained_candidate *rows) {
    double now = le__now();
    le__policy_allowed *all = calloc(q->n_arms + 1, sizeof *all);
    le__slate everybody = {.question = q, .allowed = all, .n = all ? q->n_arms : 0};
    for (size_t i = 0; i < everybody.n; i++)
        all[i] =
            (le__policy_allowed){.candidate = q->op->arms[i]->policy,
                                 .kin = le__arm_kin(q->op->arms[i]),
                                 .extra_seconds = le__transfers_expected(q, call, q->op->arms[i])};
    le__policy_view *views = le__dispatch_views(d, &everybody, call);
    for (size_t i = 0; views && i < q->n_arms; i++)
        fill_times(&rows[i], &views[i], all[i].extra_seconds, now);
    bool ok = views || q->n_arms == 0;
    free(all);
    free(views);
    return ok ? LE_OK : le_fail(LE_ERR_MEMORY, "le_explain: out of memory");
}

/* Mutex of the operation held. */
static le_status fill(le__dispatch *d, le__question *q, le_call *call, whole *w,
                      le_explained_candidate *rows) {
    le__slate slate = {0};
    for (size_t i = 0; i < q->n_arms; i++)
        fill_row(&rows[i], q, call, q->op->arms[i], w->texts[i].text, w->texts[i].left_out,
                 sizeof w->texts[i].left_out);
    le_status status = fill_views(d, q, call, rows);
    if (status == LE_OK)
        status = le__slate_make(q, call, &slate);
    if (status != LE_OK)
        return status;
    leave_out_rest(rows, w, &slate);
    /* the choice itself, by the policy's own rules (incumbent, margin, objective) */
    le__policy_question question = le__slate_question(&slate, call, false);
    le__policy_decision decision;
    const char *choice = "";
    if (slate.n && le__policy_decide(d->policy, &question, &decision) == 0)
        choice = w->texts[slate.arms[decision.index]->index].text;
    if (q->mode == LE_MODE_FROZEN && q->stored >= 0)
        choice = w->texts[q->stored].text;
    w->e.choice = choice;
    w->e.why = "";
    for (size_t i = 0; i < q->n_arms; i++)
        if (rows[i].candidate == choice)
            w->e.why = slate.n == 1 ? "only" : why_chosen(q, &rows[i]);
    le__slate_free(&slate);
    qsort(rows, q->n_arms, sizeof *rows, by_applicable_then_time);
    return LE_OK;
}

static le_status explain_question(le__dispatch *d, le__question *q, le_call *call,
                                  le_explanation **out) {
    le_status status = LE_OK;
    pthread_mutex_lock(&q->op->mutex);
    whole *w = calloc(1, sizeof *w);
    le_explained_candidate *rows = w ? calloc(q->n_arms + 1, sizeof *rows) : NULL;
    if (rows)
        w->texts = calloc(q->n_arms + 1, sizeof *w->texts);
    if (!w || !rows || !w->texts) {
        free(rows);
        free(w);
        status = le_fail(LE_ERR_MEMORY, "le_explain: out of memory");
    } else {
        snprintf(w->problem, sizeof w->problem, "%s", q->problem);
        w->e = (le_explanation){.operation = call->operation->name,
                                .problem = w->problem,
                                .atol = call->want.atol,
                                .rtol = call->want.rtol,
                                .n_candidates = q->n_arms,
                                .candidates = rows,
                                .candidate_size = sizeof *rows};
        *out = &w->e;
        status = fill(d, q, call, w, rows);
        if (status != LE_OK)
            le_explanation_free(out);
    }
    pthread_mutex_unlock(&q->op->mutex);
    return status;
}

static le_status explain(le__dispatch *d, le_call *call, le_explanation **out) {
    le__question *q;
    le_status status = le__dispatch_question(d, call, &q);
    if (status != LE_OK)
        return status;
    status = le__dispatch_prepare(d, q, call);
    if (status == LE_OK)
        status = le__named_check_call(call);
    if (status == LE_OK)
        le__observe_known(d, q);
    if (status == LE_OK)
        status = explain_question(d, q, call, out);
    le__question_release(q);
    return status;
}

le_status le_call_explain(le_engine *engine, le_explanation **out, const char *operation,
                          const le_arg *args, size_t n_args) {
    if (!out)
        return le_fail(LE_ERR_ARGUMENT, "le_explain: out is NULL");
    *out = NULL;
    le_call call;
    le_status status = le__engine_bind(&engine, operation, args, n_args, &call);
    if (status != LE_OK)
        return status;
    le__engine_discover(engine);
    status = explain(engine->dispatch, &call, out);
    le_chain_plan *plan = NULL;
    if (status == LE_OK && call.operation->expand && le__chain_explain_call(&call, &plan) == LE_OK)
        (*out)->plan = plan;
    le__call_unbind(&call);
    return status;
}

static cJSON *row_json(const le_explained_candidate *c) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddStringToObject(o, "candidate", c->candidate);
    cJSON_AddStringToObject(o, "implementation", c->implementation);
    cJSON_AddStringToObject(o, "run_type", c->run_type);
    cJSON_AddStringToObject(o, "device", c->device);
    cJSON_AddBoolToObject(o, "applicable", c->applicable);
    cJSON_AddStringToObject(o, "left_out", c->left_out);
    le__json_add_number(o, "predicted_s", c->predicted_s);
    le__json_add_number(o, "low_s", c->low_s);
    le__json_add_number(o, "high_s", c->high_s);
    le__json_add_number(o, "measured_s", c->measured_s);
    cJSON_AddNumberToObject(o, "samples", (double)c->samples);
    le__json_add_number(o, "error_max_abs", c->error_max_abs);
    cJSON_AddStringToObject(o, "verdict", c->verdict);
    le__json_add_number(o, "age_s", c->age_s);
    return o;
}

char *le_explanation_json(const le_explanation *e) {
    cJSON *o = cJSON_CreateObject();
    cJSON_AddNumberToObject(o, "schema", 1);
    cJSON_AddStringToObject(o, "operation", e->operation);
    cJSON_AddStringToObject(o, "problem", e->problem);
    cJSON_AddStringToObject(o, "choice", e->choice);
    cJSON_AddStringToObject(o, "why", e->why);
    cJSON_AddNumberToObject(o, "atol", e->atol);
    cJSON_AddNumberToObject(o, "rtol", e->rtol);
    cJSON *rows = cJSON_AddArrayToObject(o, "candidates");
    for (size_t i = 0; i < e->n_candidates; i++)
        cJSON_AddItemToArray(rows, row_json(&e->candidates[i]));
    if (e->plan)
        le__json_add(o, "plan", le__chain_plan_object(e->plan));
    char *text = le__json_print(o, 1);
    cJSON_Delete(o);
    return text;
}

void le_explanation_free(le_explanation **explanation) {
    if (!explanation || !*explanation)
        return;
    whole *w = (whole *)(void *)*explanation; /* e is its first member */
    le_chain_plan_free(&(le_chain_plan *){(le_chain_plan *)(uintptr_t)w->e.plan});
    free((void *)(uintptr_t)w->e.candidates);
    free(w->texts);
    free(w);
    *explanation = NULL;
}
