/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the engine would say of a call now: predictions, and why candidates are left out.
 */
#include "problem_args.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

le_explanation *le__report_explain(le_engine *engine, const char *operation, const char *text,
                                   char *why, size_t size) {
    problem_args a;
    char what[256];
    le_explanation *e = NULL;
    bool ok = le__problem_args_make(&a, engine, operation, text, PROBLEM_SHAPES, what, sizeof what);
    if (!ok)
        snprintf(why, size, "%s: %s", operation, what);
    else if (le_call_explain(engine, &e, operation, a.args, a.n) != LE_OK)
        snprintf(why, size, "%s", le_error_message());
    le__problem_args_free(&a);
    return e;
}

le_explanation *le__report_explanation(const report *r, const char *operation,
                                       const char *problem) {
    char why[256];
    le_explanation *e = r->engine && operation[0] != '@'
                            ? le__report_explain(r->engine, operation, problem, why, sizeof why)
                            : NULL;
    if (e && strcmp(e->problem, problem) != 0)
        le_explanation_free(&e);
    return e;
}
