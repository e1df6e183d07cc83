/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The report for a terminal: choices, all candidates of a problem, commands, losses.
 */
#include "report_views.h"

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
    char low[LE__TEXT], high[LE__TEXT];
    if (isnan(c->low))
        snprintf(out, size, "-");
    else
        snprintf(out, size, "%s .. %s", le__seconds_text(c->low, low),
                 le__seconds_text(c->high, high));
}

static void choice_lines(const report *r, const report_choice *c, FILE *out) {
    char a[LE__TEXT], b[LE__TEXT], d[LE__TEXT], range[64], remark[256], samples[64];
    const char *plain = tool_begin(out, TOOL_PLAIN);
    tool_text best = {0}, basis = {0}, next = {0};
    interval(c->candidate, range, sizeof range);
    tool_add(&best, "%s%s%s  %s  (90 %%: %s)%s", tool_begin(out, TOOL_GREEN), c->candidate->text,
             plain, le__seconds_text(c->candidate->time, a), range,
             c->stored ? "" : "  fastest measured, not yet chosen");
    tool_add(&basis, "%s%s%s", *c->constraint ? "for " : "", c->constraint,
             *c->constraint ? ", " : "");
    if (strcmp(c->objective, "time") != 0)
        tool_add(&basis, "objective %s, ", c->objective);
    if (c->reference_ratio > 0)
        tool_add(&basis, "%s the reference, ", le__ratio_text(c->reference_ratio, a));
    tool_add(&basis, "error %s, %s, %s old", le__error_text(c->candidate->errors[0], b),
             le__report_samples(c->candidate, samples, sizeof samples),
             le__age_text(le__report_age_s(r, c->candidate->last_ms), d));
    if (c->runner_up)
        tool_add(&next, "runner-up %s  %s  %s", c->runner_up->text,
                 le__seconds_text(c->runner_up->time, a), le__ratio_text(c->runner_up_ratio, b));
    print_line(out, 4, 8, &best);
    print_line(out, 6, 8, &basis);
    print_line(out, 6, 8, &next);
    if (le__report_under_load(c))
        fprintf(out,
                "      %smeasured under load; le-bench on a quiet machine measures it again%s\n",
                tool_begin(out, TOOL_YELLOW), plain);
    if (*le__report_remark(c->candidate, remark, sizeof remark)) {
        fprintf(out, "      %s", tool_begin(out, TOOL_YELLOW));
        wrap_print(out, 6, 8, remark);
        fputs(plain, out);
    }
}

static void elsewhere(const report_choice *c, FILE *out) {
    tool_text line = {0};
    tool_add(&line, "%s%s%sthe choice is on another device: %s", *c->constraint ? "for " : "",
             c->constraint, *c->constraint ? ", " : "", c->candidate->text);
    print_line(out, 4, 8, &line);
}

void report_text(const report *r, FILE *out) {
    for (size_t i = 0; i < r->n_problems; i++) {
        const report_problem *p = &r->problems[i];
        heading(r, i, out);
        fputs("  ", out);
        wrap_print(out, 2, 4, p->known->key);
        for (size_t k = 0; k < p->n_choices; k++)
            if (p->choices[k].candidate->hidden)
                elsewhere(&p->choices[k], out);
            else
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
        if (le__report_may_answer(c, p->choices[i].constraint))
            return true;
    return p->n_choices == 0 || isnan(c->time);
}

static void fill_row(const report *r, const report_problem *p, const report_candidate *c,
                     wrap_row *row) {
    char time[LE__TEXT], error[LE__TEXT], age[LE__TEXT], ratio[LE__TEXT], range[64];
    char remark[256];
    *row = (wrap_row){.candidate = c->text, .mark = is_chosen(p, c) ? '*' : ' '};
    if (c->last_ms)
        snprintf(row->cells, sizeof row->cells, "%9s %-16s %8s %4lld %6s",
                 le__seconds_text(c->time, time),
                 explain_range(c->low, c->high, range, sizeof range),
                 le__ratio_text(c->time / le__report_base_time(p), ratio), le__report_count(c),
                 le__age_text(le__report_age_s(r, c->last_ms), age));
    le__report_remark(c, remark, sizeof remark);
    bool said =
        c->state == LE_DB_FAILED || c->state == LE_DB_QUARANTINED; /* the remark begins so */
    snprintf(row->about, sizeof row->about, "%s%s%s%s%s%s", said ? "" : le_db_state_names[c->state],
             isnan(c->errors[0]) ? "" : ", error ",
             isnan(c->errors[0]) ? "" : le__error_text(c->errors[0], error),
             said || may_answer(p, c) ? "" : "; left out: no choice here allows it",
             *remark && !said ? "; " : "", remark);
}

static void reasons(const report_problem *p, FILE *out) {
    for (size_t i = 0; i < p->n_choices; i++) {
        const report_choice *c = &p->choices[i];
        char ratio[LE__TEXT];
        tool_text line = {0}, evidence = {0};
        tool_add(&line, "%s%s%s: %s%s", *c->constraint ? c->constraint : "any tolerance",
                 strcmp(c->objective, "time") ? ", least " : "",
                 strcmp(c->objective, "time") ? c->objective : "", c->candidate->text,
                 c->stored ? " is the stored choice"
                           : " is the fastest measured; no choice is stored");
        if (c->runner_up)
            tool_add(&line, "; the next, %s, takes %s its time", c->runner_up->text,
                     le__ratio_text(c->runner_up_ratio, ratio));
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

/* Several constraints may have one choice. */
static bool is_first(const report_problem *p, size_t choice) {
    for (size_t i = 0; i < choice; i++)
        if (p->choices[i].candidate == p->choices[choice].candidate)
            return false;
    return true;
}

void report_commands(const report *r, FILE *out) {
    size_t left_out = 0;
    for (size_t i = 0; i < r->n_problems; i++)
        for (size_t k = 0; k < r->problems[i].n_choices; k++) {
            const report_candidate *c = r->problems[i].choices[k].candidate;
            if (c->hidden || !is_first(&r->problems[i], k))
                continue;
            char *command = le__report_reproduce(r, &r->problems[i], c);
            if (command)
                fprintf(out, "%s\n", command);
            left_out += !command;
            free(command);
        }
    if (left_out)
        tool_message(
            "%zu left out: le-bench cannot make the call from its problem's text, or has no such "
            "candidate here",
            left_out);
}

/* "25.0 %"; from twice the whole on its multiple, since exploring may have taken nearly all the
 * time. */
static const char *share(double part, double whole, char *out) {
    if (!(whole > 0))
        snprintf(out, LE__TEXT, "-");
    else if (part < 2 * whole)
        snprintf(out, LE__TEXT, "%.1f %%", 100 * part / whole);
    else
        le__ratio_text(part / whole, out);
    return out;
}

void report_regret(const report *r, FILE *out) {
    char a[LE__TEXT], b[LE__TEXT], c[LE__TEXT], d[LE__TEXT], e[LE__TEXT];
    fprintf(out, "%s%-27s %8s %9s %9s %7s %7s %7s%s\n", tool_begin(out, TOOL_BOLD), "operation",
            "calls", "answering", "exploring", "share", "lost", "share",
            tool_begin(out, TOOL_PLAIN));
    for (size_t i = 0; i < r->n_accounts; i++) {
        const report_account *x = &r->accounts[i];
        fprintf(out, "%-27s %8lld %9s %9s %7s %7s %7s\n", x->operation, (long long)x->calls,
                le__seconds_text(x->answered_s, a), le__seconds_text(x->explored_s, b),
                share(x->explored_s, x->answered_s, c), le__seconds_text(x->regret_s, d),
                share(x->regret_s, x->answered_s, e));
    }
    fputs("\nanswering  time of the runs whose results the callers got\n"
          "exploring  time of all other runs, benchmarks too\n"
          "lost       time that answers took beyond the candidate that proved the best\n"
          "share      of, or as a multiple of, the time spent answering\n",
          out);
}
