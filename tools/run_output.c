/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What le-run prints: summaries of tensors without a file, and the evidence of a choice.
 */
#include "run.h"

#include "explain_text.h"
#include "wrap.h"

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

static void print_field(const char *name, const char *text) {
    printf("%-10s ", name);
    wrap_print(stdout, 11, 11, text);
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
    char *choice = explain_choice(e);
    if (!choice)
        return false;
    print_field("operation", e->operation);
    print_field("problem", e->problem);
    print_field("choice", choice);
    printf("tolerance  atol %g, rtol %g\n\n", e->atol, e->rtol);
    free(choice);
    if (!explain_candidates(e, stdout))
        return false;
    if (e->plan) {
        puts("");
        explain_plan(e->plan, explain_is_known(e), stdout);
    }
    wrap_glossary(stdout);
    return true;
}
