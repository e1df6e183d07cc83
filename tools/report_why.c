/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The engine's own view of a call: predictions, and the reason why each candidate is left out.
 */
#include "report_why.h"

#include "plan_text.h"
#include "problem_args.h"
#include "tool.h"

#include <math.h>
#include <string.h>

static void print_candidate(const le_explained_candidate *c, const char *choice, int width,
                            FILE *out) {
    char time[TOOL_NUMBER], low[TOOL_NUMBER], high[TOOL_NUMBER], measured[TOOL_NUMBER];
    char error[TOOL_NUMBER], age[TOOL_NUMBER], range[64] = "-";
    if (c->low_s > 0)
        snprintf(range, sizeof range, "%s .. %s", tool_seconds(c->low_s, low),
                 tool_seconds(c->high_s, high));
    fprintf(out, "  %s %-*s %9s  %-22s %9s %8s %7s  %s%s%s\n",
            strcmp(choice, c->candidate) ? " " : "*", width, c->candidate,
            tool_seconds(c->predicted_s, time), range, tool_seconds(c->measured_s, measured),
            tool_error(c->error_max_abs, error), tool_age(c->age_s, age), c->verdict,
            c->applicable ? "" : "; left out: ", c->applicable ? "" : c->left_out);
}

static void print_explanation(const le_explanation *e, FILE *out) {
    int width = 9;
    for (size_t i = 0; i < e->n_candidates; i++)
        if ((int)strlen(e->candidates[i].candidate) > width)
            width = (int)strlen(e->candidates[i].candidate);
    fprintf(out, "\n%sa call now%s  %s  %s\n  atol=%g rtol=%g: %s (%s)\n",
            tool_begin(out, TOOL_BOLD), tool_begin(out, TOOL_PLAIN), e->operation, e->problem,
            e->atol, e->rtol, *e->choice ? e->choice : "no candidate is left", e->why);
    fprintf(out, "%s    %-*s %9s  %-22s %9s %8s %7s  %s%s\n", tool_begin(out, TOOL_DIM), width,
            "candidate", "predicted", "90 % interval", "measured", "error", "age", "verdict",
            tool_begin(out, TOOL_PLAIN));
    for (size_t i = 0; i < e->n_candidates; i++)
        print_candidate(&e->candidates[i], e->choice, width, out);
    if (e->plan) {
        fputs("\nas a chain of its steps (staged_planned):\n", out);
        plan_print(e->plan, out);
    }
}

static bool describes_call(char *const *words) {
    for (; *words; words++)
        if (strchr(*words, '[') && strchr(*words, '='))
            return true;
    return false;
}

static le_explanation *explain(le_engine *engine, const char *operation, const char *text,
                               bool aloud) {
    problem_args a;
    char why[256];
    le_explanation *e = NULL;
    bool ok = problem_args_make(&a, engine, operation, text, PROBLEM_SHAPES, why, sizeof why);
    if (ok && le_call_explain(engine, &e, operation, a.args, a.n) != LE_OK && aloud)
        tool_message("%s", le_error_message());
    if (!ok && aloud)
        tool_message("%s: %s", operation, why);
    problem_args_free(&a);
    return e;
}

le_explanation *report_explanation(const report *r, const char *operation, const char *problem) {
    le_explanation *e =
        r->engine && operation[0] != '@' ? explain(r->engine, operation, problem, false) : NULL;
    if (e && strcmp(e->problem, problem) != 0)
        le_explanation_free(&e);
    return e;
}

le_engine *report_engine(const char *db) {
    le_options options;
    le_engine *engine = NULL;
    le_default_options(&options);
    options.db_path = db;
    options.mode = LE_MODE_FROZEN;
    if (le_open(&engine, &options) != LE_OK)
        tool_message("%s", le_error_message());
    return engine;
}

static bool in_report(const report *r, const char *problem) {
    for (size_t i = 0; i < r->n_problems; i++)
        if (strcmp(r->problems[i].known->key, problem) == 0)
            return true;
    return false;
}

static bool explain_words(const report *r, const char *operation, char *const *words, FILE *out) {
    tool_text text = {0};
    for (; *words; words++)
        tool_add(&text, "%s ", *words);
    le_explanation *e = text.failed ? NULL : explain(r->engine, operation, text.text, true);
    bool ok = e != NULL;
    if (e && !in_report(r, e->problem))
        print_explanation(e, out);
    le_explanation_free(&e);
    tool_text_free(&text);
    return ok;
}

bool report_why_now(const report *r, const char *operation, char *const *words, FILE *out) {
    if (!r->engine)
        return false;
    for (size_t i = 0; i < r->n_problems; i++) {
        le_explanation *e = report_explanation(r, operation, r->problems[i].known->key);
        if (e)
            print_explanation(e, out);
        le_explanation_free(&e);
    }
    return !describes_call(words) || explain_words(r, operation, words, out);
}
