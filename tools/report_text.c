/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The report for a terminal: choices, all candidates of a problem, commands, losses.
 */
#include "report.h"

#include <math.h>
#include <string.h>

/* Widest texts of the columns of one table. */
typedef struct widths {
    int candidate;
} widths;

static int length(const char *s) {
    return (int)strlen(s);
}

static void heading(const report *r, size_t i, FILE *out) {
    if (i == 0 || strcmp(r->problems[i].known->operation, r->problems[i - 1].known->operation))
        fprintf(out, "%s%s%s%s\n", i ? "\n" : "", tool_begin(out, TOOL_BOLD),
                r->problems[i].known->operation, tool_begin(out, TOOL_PLAIN));
}

static void interval(const report_candidate *c, char *out, size_t size) {
    char low[TOOL_NUMBER], high[TOOL_NUMBER];
    if (isnan(c->low))
        snprintf(out, size, "-");
    else
        snprintf(out, size, "%s .. %s", tool_seconds(c->low, low), tool_seconds(c->high, high));
}

static void choice_lines(const report *r, const report_choice *c, FILE *out) {
    char a[TOOL_NUMBER], b[TOOL_NUMBER], d[TOOL_NUMBER], range[64], remark[256], samples[64];
    const char *plain = tool_begin(out, TOOL_PLAIN);
    interval(c->candidate, range, sizeof range);
    fprintf(out, "    %s%s%s", tool_begin(out, TOOL_GREEN), c->candidate->text, plain);
    fprintf(out, "  %s  (90 %%: %s)%s\n", tool_seconds(c->candidate->time, a), range,
            c->stored ? "" : "  fastest measured, not yet chosen");
    fprintf(out, "      %s%s%s", *c->constraint ? "for " : "", c->constraint,
            *c->constraint ? ", " : "");
    if (strcmp(c->objective, "time") != 0)
        fprintf(out, "objective %s, ", c->objective);
    if (c->reference_ratio > 0)
        fprintf(out, "%s the reference, ", tool_ratio(c->reference_ratio, a));
    fprintf(out, "error %s, %s, %s old\n", tool_error(c->candidate->errors[0], b),
            report_samples(c->candidate, samples, sizeof samples),
            tool_age(report_age_s(r, c->candidate->last_ms), d));
    if (c->runner_up)
        fprintf(out, "      runner-up %s  %s  %s\n", c->runner_up->text,
                tool_seconds(c->runner_up->time, a), tool_ratio(c->runner_up_ratio, b));
    if (*report_remark(c->candidate, remark, sizeof remark))
        fprintf(out, "      %s%s%s\n", tool_begin(out, TOOL_YELLOW), remark, plain);
}

void report_text(const report *r, FILE *out) {
    for (size_t i = 0; i < r->n_problems; i++) {
        const report_problem *p = &r->problems[i];
        heading(r, i, out);
        fprintf(out, "  %s\n", p->known->key);
        for (size_t k = 0; k < p->n_choices; k++)
            choice_lines(r, &p->choices[k], out);
        if (p->n_choices == 0)
            fprintf(out, "    no candidate can answer\n");
    }
}

/* --- why --- */

static widths measure(const report_problem *p) {
    widths w = {9};
    for (size_t i = 0; i < p->n_candidates; i++)
        if (length(p->candidates[i].text) > w.candidate)
            w.candidate = length(p->candidates[i].text);
    return w;
}

static const char *mark(const report_problem *p, const report_candidate *c) {
    for (size_t i = 0; i < p->n_choices; i++)
        if (p->choices[i].candidate == c)
            return "*";
    return " ";
}

static void candidate_line(const report *r, const report_problem *p, const report_candidate *c,
                           widths w, FILE *out) {
    char time[TOOL_NUMBER], error[TOOL_NUMBER], age[TOOL_NUMBER], ratio[TOOL_NUMBER], range[64];
    char remark[256];
    interval(c, range, sizeof range);
    fprintf(out, "  %s %-*s %9s  %-22s %7s %8s %7lld %7s  %s%s%s\n", mark(p, c), w.candidate,
            c->text, tool_seconds(c->time, time), range,
            tool_ratio(c->time / report_base_time(p), ratio), tool_error(c->errors[0], error),
            report_count(c), tool_age(report_age_s(r, c->last_ms), age),
            report_state_names[c->state], *report_remark(c, remark, sizeof remark) ? "; " : "",
            remark);
}

static void reasons(const report_problem *p, FILE *out) {
    for (size_t i = 0; i < p->n_choices; i++) {
        const report_choice *c = &p->choices[i];
        char ratio[TOOL_NUMBER];
        fprintf(out, "  %s%s%s: %s%s", *c->constraint ? c->constraint : "any tolerance",
                strcmp(c->objective, "time") ? ", least " : "",
                strcmp(c->objective, "time") ? c->objective : "", c->candidate->text,
                c->stored ? " is the stored choice"
                          : " is the fastest measured; no choice is stored");
        if (c->runner_up)
            fprintf(out, "; the next, %s, takes %s its time", c->runner_up->text,
                    tool_ratio(c->runner_up_ratio, ratio));
        fprintf(out, "\n");
        if (*c->evidence)
            fprintf(out, "    evidence: %s\n", c->evidence);
    }
}

void report_why(const report *r, FILE *out) {
    for (size_t i = 0; i < r->n_problems; i++) {
        const report_problem *p = &r->problems[i];
        widths w = measure(p);
        fprintf(out, "%s%s%s%s  %s\n", i ? "\n" : "", tool_begin(out, TOOL_BOLD),
                p->known->operation, tool_begin(out, TOOL_PLAIN), p->known->key);
        reasons(p, out);
        fprintf(out, "%s    %-*s %9s  %-22s %7s %8s %7s %7s  %s%s\n", tool_begin(out, TOOL_DIM),
                w.candidate, "candidate", "time", "90 % interval", "ratio", "error", "samples",
                "age", "verdict", tool_begin(out, TOOL_PLAIN));
        for (size_t k = 0; k < p->n_candidates; k++)
            candidate_line(r, p, &p->candidates[k], w, out);
    }
}

/* --- commands, losses --- */

void report_commands(const report *r, FILE *out) {
    for (size_t i = 0; i < r->n_problems; i++)
        for (size_t k = 0; k < r->problems[i].n_choices; k++) {
            tool_text t = {0};
            report_reproduce(&t, &r->problems[i], r->problems[i].choices[k].candidate);
            if (!t.failed)
                fprintf(out, "%s\n", t.text);
            tool_text_free(&t);
        }
}

static double share(double part, double whole) {
    return whole > 0 ? 100 * part / whole : 0;
}

void report_regret(const report *r, FILE *out) {
    const le_db_knowledge *k = r->knowledge;
    char a[TOOL_NUMBER], b[TOOL_NUMBER], c[TOOL_NUMBER];
    fprintf(out, "%s%-24s %10s %12s %12s %8s %12s %8s%s\n", tool_begin(out, TOOL_BOLD), "operation",
            "calls", "answering", "exploring", "share", "lost", "share",
            tool_begin(out, TOOL_PLAIN));
    for (size_t i = 0; i < k->n_accounts; i++) {
        const le_db_account *x = &k->accounts[i];
        if (!r->all_machines && x->differs & LE_DIFF_HOST)
            continue;
        fprintf(out, "%-24s %10lld %12s %12s %6.1f %% %12s %6.1f %%\n", x->operation,
                (long long)x->calls, tool_seconds(x->answered_s, a), tool_seconds(x->explored_s, b),
                share(x->explored_s, x->answered_s), tool_seconds(x->regret_s, c),
                share(x->regret_s, x->answered_s));
    }
}
