/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The engine's own view of a call: predictions, and the reason why each candidate is left out.
 */
#include "report_views.h"

#include "explain_text.h"
#include "wrap.h"

#include <stdlib.h>
#include <string.h>

static bool print_explanation(const le_explanation *e, FILE *out) {
    tool_text head = {0};
    char *choice = explain_choice(e);
    tool_add(&head, "%sa call now%s  %s  %s", tool_begin(out, TOOL_BOLD),
             tool_begin(out, TOOL_PLAIN), e->operation, e->problem);
    bool ok = choice && !head.failed;
    if (ok) {
        fputc('\n', out);
        wrap_print(out, 0, 2, head.text);
        int column = fprintf(out, "  atol=%g rtol=%g: ", e->atol, e->rtol);
        wrap_print(out, column, 4, choice);
        ok = explain_candidates(e, out);
    }
    if (ok && e->plan) {
        fputs("\nas a chain of its steps (staged_planned):\n", out);
        explain_plan(e->plan, explain_is_known(e), out);
    }
    if (!ok)
        tool_message("out of memory");
    tool_text_free(&head);
    free(choice);
    return ok;
}

static bool describes_call(char *const *words) {
    for (; *words; words++)
        if (strchr(*words, '[') && strchr(*words, '='))
            return true;
    return false;
}

static bool in_report(const report *r, const char *problem) {
    for (size_t i = 0; i < r->n_problems; i++)
        if (strcmp(r->problems[i].known->key, problem) == 0)
            return true;
    return false;
}

/* What is neither an argument nor a part of a stored problem would be passed over. */
static bool knows_words(const report *r, const char *operation, char *const *words) {
    const le_operation *op = le_engine_operation(r->engine, operation);
    for (; op && r->n_problems == 0 && *words; words++)
        for (const char *at = *words; *at; at += strcspn(at, " "), at += strspn(at, " ")) {
            const size_t n = strcspn(at, "=# ");
            bool known = at[n] != '=' && at[n] != '#';
            for (size_t i = 0; i < op->n_args && !known; i++)
                known = strlen(op->args[i].name) == n && !strncmp(op->args[i].name, at, n);
            if (!known) {
                tool_message("%s has no argument '%.*s'; le-run %s --help shows them", operation,
                             (int)n, at, operation);
                return false;
            }
        }
    return true;
}

static bool explain_words(const report *r, const char *operation, char *const *words, FILE *out) {
    tool_text text = {0};
    char why[512] = "out of memory";
    for (; *words; words++)
        tool_add(&text, "%s ", *words);
    le_explanation *e =
        text.failed ? NULL : le__report_explain(r->engine, operation, text.text, why, sizeof why);
    bool ok = e != NULL;
    if (!ok)
        tool_message("%s", why);
    if (e && !in_report(r, e->problem))
        ok = print_explanation(e, out);
    le_explanation_free(&e);
    tool_text_free(&text);
    return ok;
}

bool report_why_now(const report *r, const char *operation, char *const *words, FILE *out) {
    if (!r->engine)
        return false;
    bool ok = true;
    for (size_t i = 0; i < r->n_problems; i++) {
        le_explanation *e = le__report_explanation(r, operation, r->problems[i].known->key);
        ok = (!e || print_explanation(e, out)) && ok;
        le_explanation_free(&e);
    }
    if (!describes_call(words))
        return ok;
    return knows_words(r, operation, words) && explain_words(r, operation, words, out) && ok;
}
