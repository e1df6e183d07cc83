/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What le-run prints: summaries of tensors without a file, and the evidence of a choice.
 */
#include "run.h"

#include "plan_text.h"
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRINT_ALL_MAX = 16 };

static void print_values(const le_tensor *t, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        printf("%s%.9g", i ? ", " : "  ", le_tensor_get(t, i));
    putchar('\n');
}

void run_summary(const char *name, const le_tensor *t) {
    char what[128];
    int64_t n = le_tensor_count(t), nans = 0;
    double low = INFINITY, high = -INFINITY, sum = 0;
    le_tensor_describe(t, what, sizeof what);
    printf("%s: %s", name, what);
    for (int64_t i = 0; i < n; i++) {
        double v = le_tensor_get(t, i);
        if (isnan(v)) {
            nans++;
            continue;
        }
        low = fmin(low, v);
        high = fmax(high, v);
        sum += v;
    }
    if (n > nans)
        printf("  min %.6g  mean %.6g  max %.6g", low, sum / (double)(n - nans), high);
    if (nans)
        printf("  NaN %lld", (long long)nans);
    putchar('\n');
    if (n > 0 && n <= PRINT_ALL_MAX)
        print_values(t, n);
}

static void print_candidate(const le_explained_candidate *c, bool chosen) {
    char predicted[TOOL_NUMBER], low[TOOL_NUMBER], high[TOOL_NUMBER], measured[TOOL_NUMBER];
    char error[TOOL_NUMBER], age[TOOL_NUMBER];
    printf("%c %-44s %9s %9s..%-9s %9s %7lld %9s %8s  %s%s%s\n", chosen ? '*' : ' ', c->candidate,
           tool_seconds(c->predicted_s, predicted), tool_seconds(c->low_s, low),
           tool_seconds(c->high_s, high), tool_seconds(c->measured_s, measured),
           (long long)c->samples, tool_error(c->error_max_abs, error), tool_age(c->age_s, age),
           c->verdict ? c->verdict : "",
           c->applicable ? "" : ": left out: ", c->applicable || !c->left_out ? "" : c->left_out);
}

bool run_print_explanation(const le_explanation *e, bool json) {
    if (json) {
        char *text = le_explanation_json(e);
        if (!text)
            return false;
        puts(text);
        free(text);
        return true;
    }
    printf("operation  %s\nproblem    %s\nchoice     %s (%s)\ntolerance  atol %g, rtol %g\n\n",
           e->operation, e->problem, *e->choice ? e->choice : "none", e->why, e->atol, e->rtol);
    printf("  %-44s %9s %9s..%-9s %9s %7s %9s %8s  %s\n", "candidate", "predicted", "low", "high",
           "measured", "samples", "error", "age", "verdict");
    for (size_t i = 0; i < e->n_candidates; i++)
        print_candidate(&e->candidates[i], strcmp(e->candidates[i].candidate, e->choice) == 0);
    if (e->plan) {
        puts("");
        plan_print(e->plan, stdout);
    }
    return true;
}
