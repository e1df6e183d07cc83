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

static bool explain(le_engine *engine, const char *operation, const char *text, FILE *out) {
    problem_args a;
    char why[256];
    le_explanation *e = NULL;
    bool ok = problem_args_make(&a, engine, operation, text, PROBLEM_SHAPES, why, sizeof why);
    if (!ok)
        tool_message("%s: %s", operation, why);
    if (ok && le_call_explain(engine, &e, operation, a.args, a.n) != LE_OK) {
        tool_message("%s", le_error_message());
        ok = false;
    }
    if (ok)
        print_explanation(e, out);
    le_explanation_free(&e);
    problem_args_free(&a);
    return ok;
}

bool report_why_now(const char *db, const char *operation, char *const *words, FILE *out) {
    if (!describes_call(words))
        return true;
    le_options options;
    le_engine *engine;
    le_default_options(&options);
    options.db_path = db;
    options.mode = LE_MODE_FROZEN;
    if (le_open(&engine, &options) != LE_OK) {
        tool_message("%s", le_error_message());
        return false;
    }
    tool_text text = {0};
    for (; *words; words++)
        tool_add(&text, "%s ", *words);
    bool ok = !text.failed && explain(engine, operation, text.text, out);
    tool_text_free(&text);
    le_close(&engine);
    return ok;
}
