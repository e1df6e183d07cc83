/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The report for a terminal: choices, all candidates of a problem, commands, losses.
 */
#include "report.h"

#include "explain_text.h"
#include "wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void print_line(FILE *out, int at, int indent, tool_text *line) {
    if (line->text && !line->failed) {
        fprintf(out, "%*s", at, "");
        wrap_print(out, at, indent, line->text);
    }
    tool_text_free(line);
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
    tool_text best = {0}, basis = {0}, next = {0};
    interval(c->candidate, range, sizeof range);
    tool_add(&best, "%s%s%s  %s  (90 %%: %s)%s", tool_begin(out, TOOL_GREEN), c->candidate->text,
             plain, tool_seconds(c->candidate->time, a), range,
             c->stored ? "" : "  fastest measured, not yet chosen");
    tool_add(&basis, "%s%s%s", *c->constraint ? "for " : "", c->constraint,
             *c->constraint ? ", " : "");
    if (strcmp(c->objective, "time") != 0)
        tool_add(&basis, "objective %s, ", c->objective);
    if (c->reference_ratio > 0)
        tool_add(&basis, "%s the reference, ", tool_ratio(c->reference_ratio, a));
    tool_add(&basis, "error %s, %s, %s old", tool_error(c->candidate->errors[0], b),
             report_samples(c->candidate, samples, sizeof samples),
             tool_age(report_age_s(r, c->candidate->last_ms), d));
    if (c->runner_up)
        tool_add(&next, "runner-up %s  %s  %s", c->runner_up->text,
                 tool_seconds(c->runner_up->time, a), tool_ratio(c->runner_up_ratio, b));
    print_line(out, 4, 8, &best);
    print_line(out, 6, 8, &basis);
    print_line(out, 6, 8, &next);
    if (report_under_load(c))
        fprintf(out,
                "      %smeasured under load; le-bench on a quiet machine measures it again%s\n",
                tool_begin(out, TOOL_YELLOW), plain);
    if (*report_remark(c->candidate, remark, sizeof remark)) {
        fprintf(out, "      %s", tool_begin(out, TOOL_YELLOW));
        wrap_print(out, 6, 8, remark);
        fputs(plain, out);
    }
}

void report_text(const report *r, FILE *out) {
    for (size_t i = 0; i < r->n_problems; i++) {
        const report_problem *p = &r->problems[i];
        heading(r, i, out);
        fputs("  ", out);
        wrap_print(out, 2, 4, p->known->key);
        for (size_t k = 0; k < p->n_choices; k++)
            choice_lines(r, &p->choices[k], out);
        if (p->n_choices == 0)
            fprintf(out, "    no candidate can answer\n");
    }
    report_devices(r, out);
}

/* --- why --- */

static bool is_chosen(const report_problem *p, const report_candidate *c) {
    for (size_t i = 0; i < p->n_choices; i++)
        if (p->choices[i].candidate == c)
            return true;
    return false;
}

/* Whether some choice's constraint admits the candidate, as far as can be told. */
static bool may_answer(const report_problem *p, const report_candidate *c) {
    for (size_t i = 0; i < p->n_choices; i++)
        if (report_may_answer(c, p->choices[i].constraint))
            return true;
    return p->n_choices == 0 || isnan(c->time);
}

static void fill_row(const report *r, const report_problem *p, const report_candidate *c,
                     wrap_row *row) {
    char time[TOOL_NUMBER], error[TOOL_NUMBER], age[TOOL_NUMBER], ratio[TOOL_NUMBER], range[64];
    char remark[256];
    *row = (wrap_row){.candidate = c->text, .mark = is_chosen(p, c) ? '*' : ' '};
    if (c->last_ms)
        snprintf(row->cells, sizeof row->cells, "%9s %-16s %8s %4lld %6s",
                 tool_seconds(c->time, time), explain_range(c->low, c->high, range, sizeof range),
                 tool_ratio(c->time / report_base_time(p), ratio), report_count(c),
                 tool_age(report_age_s(r, c->last_ms), age));
    report_remark(c, remark, sizeof remark);
    bool said =
        c->state == LE_DB_FAILED || c->state == LE_DB_QUARANTINED; /* the remark begins so */
    snprintf(row->about, sizeof row->about, "%s%s%s%s%s%s",
             said ? "" : report_state_names[c->state], isnan(c->errors[0]) ? "" : ", error ",
             isnan(c->errors[0]) ? "" : tool_error(c->errors[0], error),
             said || may_answer(p, c) ? "" : "; left out: no choice here allows it",
             *remark && !said ? "; " : "", remark);
}

static void reasons(const report_problem *p, FILE *out) {
    for (size_t i = 0; i < p->n_choices; i++) {
        const report_choice *c = &p->choices[i];
        char ratio[TOOL_NUMBER];
        tool_text line = {0}, evidence = {0};
        tool_add(&line, "%s%s%s: %s%s", *c->constraint ? c->constraint : "any tolerance",
                 strcmp(c->objective, "time") ? ", least " : "",
                 strcmp(c->objective, "time") ? c->objective : "", c->candidate->text,
                 c->stored ? " is the stored choice"
                           : " is the fastest measured; no choice is stored");
        if (c->runner_up)
            tool_add(&line, "; the next, %s, takes %s its time", c->runner_up->text,
                     tool_ratio(c->runner_up_ratio, ratio));
        if (*c->evidence)
            tool_add(&evidence, "evidence: %s", c->evidence);
        print_line(out, 2, 4, &line);
        print_line(out, 4, 4, &evidence);
    }
}

static bool table(const report *r, const report_problem *p, FILE *out) {
    char head[64];
    wrap_row *rows = calloc(p->n_candidates + 1, sizeof *rows);
    if (!rows)
        return false;
    for (size_t k = 0; k < p->n_candidates; k++)
        fill_row(r, p, &p->candidates[k], &rows[k]);
    snprintf(head, sizeof head, "%9s %-16s %8s %4s %6s", "time", "90 % interval", "ratio", "runs",
             "age");
    wrap_candidates(out, head, rows, p->n_candidates);
    free(rows);
    return true;
}

bool report_why(const report *r, FILE *out) {
    bool ok = true;
    for (size_t i = 0; ok && i < r->n_problems; i++) {
        const report_problem *p = &r->problems[i];
        tool_text head = {0};
        tool_add(&head, "%s%s%s  %s", tool_begin(out, TOOL_BOLD), p->known->operation,
                 tool_begin(out, TOOL_PLAIN), p->known->key);
        if (i)
            fputc('\n', out);
        print_line(out, 0, 2, &head);
        reasons(p, out);
        ok = table(r, p, out);
    }
    if (!ok)
        tool_message("out of memory");
    report_devices(r, out);
    return ok;
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

/* "25.0 %"; from twice the whole on its multiple, since exploring may have taken nearly all the
 * time. */
static const char *share(double part, double whole, char *out) {
    if (!(whole > 0))
        snprintf(out, TOOL_NUMBER, "-");
    else if (part < 2 * whole)
        snprintf(out, TOOL_NUMBER, "%.1f %%", 100 * part / whole);
    else
        tool_ratio(part / whole, out);
    return out;
}

void report_regret(const report *r, FILE *out) {
    const le_db_knowledge *k = r->knowledge;
    char a[TOOL_NUMBER], b[TOOL_NUMBER], c[TOOL_NUMBER], d[TOOL_NUMBER], e[TOOL_NUMBER];
    fprintf(out, "%s%-27s %8s %9s %9s %7s %7s %7s%s\n", tool_begin(out, TOOL_BOLD), "operation",
            "calls", "answering", "exploring", "share", "lost", "share",
            tool_begin(out, TOOL_PLAIN));
    for (size_t i = 0; i < k->n_accounts; i++) {
        const le_db_account *x = &k->accounts[i];
        if (!r->all_machines && x->differs & LE_DIFF_HOST)
            continue;
        fprintf(out, "%-27s %8lld %9s %9s %7s %7s %7s\n", x->operation, (long long)x->calls,
                tool_seconds(x->answered_s, a), tool_seconds(x->explored_s, b),
                share(x->explored_s, x->answered_s, c), tool_seconds(x->regret_s, d),
                share(x->regret_s, x->answered_s, e));
    }
    fputs("\nanswering  time of the runs whose results the callers got\n"
          "exploring  time of all other runs, benchmarks too\n"
          "lost       time that answers took beyond the candidate that proved the best\n"
          "share      of, or as a multiple of, the time spent answering\n",
          out);
}
