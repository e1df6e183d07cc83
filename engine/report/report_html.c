/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The report as one HTML page that needs nothing else: per operation a chart of time over size, per
 * problem charts of times and errors and the table of all candidates.
 */
#include "report.h"

#include "colours.h"
#include "escape.h"
#include "report_charts.h"
#include "svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "liquid_engine/le_version.h"

static void css(FILE *out) {
    le__svg_css(out);
    fputs("*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);"
          "font:15px/1.5 system-ui,sans-serif}"
          "main{max-width:1120px;margin:0 auto;padding:24px 20px 60px}"
          "h1{font-size:26px;margin:0 0 4px}h2{font-size:21px;margin:44px 0 6px;padding-top:14px;"
          "border-top:2px solid var(--grid)}h3{font-size:15px;margin:0 0 10px;font-weight:600;"
          "overflow-wrap:anywhere;font-family:ui-monospace,monospace}h4{font-size:14px;margin:18px "
          "0 4px}"
          "p{margin:6px 0}.dim{color:var(--dim)}"
          ".card{background:var(--card);border:1px solid var(--grid);border-radius:8px;"
          "padding:16px 18px;margin:16px 0}"
          ".choice{border-left:4px solid var(--good);padding:2px 0 2px 12px;margin:10px 0}"
          ".choice b{font-size:18px}.choice code{font-size:14px}"
          "code{font-family:ui-monospace,monospace;font-size:13px;overflow-wrap:anywhere}"
          "nav{display:flex;flex-wrap:wrap;column-gap:14px}a{color:var(--s0)}"
          ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:13px;width:100%}"
          "th,td{text-align:left;padding:4px 8px 4px 0;border-bottom:1px solid var(--grid);"
          "white-space:nowrap;vertical-align:top}th{color:var(--dim);font-weight:600}"
          "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}"
          "td.why{white-space:normal;min-width:180px}tr.chosen td{font-weight:700}"
          ".bad{color:var(--bad)}.warn{color:var(--warn)}.good{color:var(--good)}"
          "details{margin-top:12px}summary{cursor:pointer;color:var(--s0)}"
          "@media print{details{display:block}}",
          out);
}

static void escaped(FILE *out, const char *before, const char *text, const char *after) {
    fputs(before, out);
    le__escape(out, text);
    fputs(after, out);
}

/* --- head --- */

static void machine_line(const report *r, FILE *out) {
    static const char *const parts[] = {"cpu_model", "cores", "memory", "os", NULL};
    static const char *const units[] = {"", " cores", " GiB", ""};
    bool first = true;
    fputs("<p class=\"dim\">", out);
    for (int i = 0; r->machine && parts[i]; i++) {
        const char *v = le_db_identity_part(r->machine, parts[i]);
        if (!*v)
            continue;
        fputs(first ? "" : " · ", out);
        le__escape(out, v);
        fputs(strstr(v, "GiB") ? "" : units[i], out);
        first = false;
    }
    if (!r->machine)
        fputs(r->all_machines ? "rows of all machines" : "machine not known", out);
    fputs("</p>\n", out);
}

static void head(const report *r, FILE *out) {
    char date[64] = "";
    time_t now = (time_t)(r->now_ms / 1000);
    struct tm tm;
    if (gmtime_r(&now, &tm))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &tm);
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
          "<meta name=\"color-scheme\" content=\"light dark\">"
          "<title>Liquid engine: what is chosen and why</title>\n<style>",
          out);
    css(out);
    fputs("</style></head>\n<body><main>\n<h1>What is chosen, and why</h1>\n", out);
    machine_line(r, out);
    escaped(out, "<p class=\"dim\"><code>", r->path, "</code>");
    fprintf(out, " · %s · liquid engine " LE_VERSION "</p>\n<nav>", date);
    for (size_t i = 0; i < r->n_problems; i++)
        if (i == 0 ||
            strcmp(r->problems[i].known->operation, r->problems[i - 1].known->operation)) {
            escaped(out, "<a href=\"#", r->problems[i].known->operation, "\">");
            escaped(out, "", r->problems[i].known->operation, "</a>");
        }
    fputs("</nav>\n", out);
    if (r->n_problems == 0)
        fputs(
            "<p>Nothing has been measured yet. <code>le-bench</code> measures ahead of need.</p>\n",
            out);
}

/* --- choices --- */

static void choice(const report *r, const report_choice *c, FILE *out) {
    char a[LE__TEXT], b[LE__TEXT], samples[64];
    fputs("<div class=\"choice\">", out);
    fprintf(out, "<b>%s</b> ", le__seconds_text(c->candidate->time, a));
    escaped(out, "<code>", c->candidate->text, "</code>");
    fputs("<br><span class=\"dim\">", out);
    le__escape(out, *c->constraint ? c->constraint : "any tolerance");
    if (strcmp(c->objective, "time"))
        escaped(out, ", least ", c->objective, "");
    if (!c->stored)
        fputs(" · fastest measured; no choice is stored", out);
    if (le__report_under_load(c))
        fputs(" · measured under load", out);
    if (c->runner_up) {
        escaped(out, " · runner-up <code>", c->runner_up->text, "</code>");
        fprintf(out, " takes %s its time", le__ratio_text(c->runner_up_ratio, a));
    }
    if (!isnan(c->reference_ratio))
        fprintf(out, " · %s the reference's speed", le__ratio_text(c->reference_ratio, a));
    fprintf(out, " · error %s · %s · %s old</span></div>\n",
            le__error_text(c->candidate->errors[0], a),
            le__report_samples(c->candidate, samples, sizeof samples),
            le__age_text(le__report_age_s(r, c->candidate->last_ms), b));
    if (*c->evidence)
        escaped(out, "<p class=\"dim\">evidence <code>", c->evidence, "</code></p>\n");
    char *command = le__report_reproduce(r, c->problem, c->candidate);
    if (command)
        escaped(out, "<p class=\"dim\">time it again: <code>", command, "</code></p>\n");
    free(command);
}

/* --- the table --- */

static bool is_chosen(const report_problem *p, const report_candidate *c) {
    for (size_t i = 0; i < p->n_choices; i++)
        if (p->choices[i].candidate == c)
            return true;
    return false;
}

static void cell(FILE *out, const char *text) {
    escaped(out, "<td class=\"n\">", text, "</td>");
}

static void row(const report *r, const report_problem *p, const report_candidate *c, FILE *out) {
    static const char *const classes[] = {"dim", "good", "bad", "bad"};
    char a[LE__TEXT], b[LE__TEXT], range[64] = "-", remark[256];
    if (!isnan(c->low))
        snprintf(range, sizeof range, "%s – %s", le__seconds_text(c->low, a),
                 le__seconds_text(c->high, b));
    fputs(is_chosen(p, c) ? "<tr class=\"chosen\">" : "<tr>", out);
    escaped(out, "<td><code>", c->text, "</code></td>");
    escaped(out, "<td>", c->known->run_type, "</td>");
    cell(out, le__seconds_text(c->time, a));
    cell(out, range);
    cell(out, le__ratio_text(c->time / le__report_base_time(p), a));
    cell(out, le__error_text(c->errors[0], a));
    cell(out, le__bytes_text((double)c->peak_bytes, a));
    snprintf(a, sizeof a, "%lld", le__report_count(c));
    cell(out, a);
    cell(out, le__age_text(le__report_age_s(r, c->last_ms), a));
    fprintf(out, "<td class=\"why\"><span class=\"%s\">%s</span>", classes[c->state],
            c->state < LE_DB_FAILED ? le_db_state_names[c->state] : "");
    if (*le__report_remark(c, remark, sizeof remark))
        escaped(out, c->state >= LE_DB_FAILED ? "<span class=\"bad\">" : " <span class=\"warn\">",
                remark, "</span>");
    fputs("</td></tr>\n", out);
}

static void table(const report *r, const report_problem *p, FILE *out) {
    fprintf(out,
            "<details><summary>%zu candidate%s</summary><div class=\"wide\"><table><thead><tr>"
            "<th>candidate</th><th>run type</th><th class=\"n\">time</th><th class=\"n\">90 %% "
            "interval</th>"
            "<th class=\"n\">ratio</th><th class=\"n\">error</th><th class=\"n\">memory</th>"
            "<th class=\"n\">samples</th><th "
            "class=\"n\">age</th><th>verdict</th></tr></thead><tbody>\n",
            p->n_candidates, p->n_candidates == 1 ? "" : "s");
    for (size_t i = 0; i < p->n_candidates; i++)
        row(r, p, &p->candidates[i], out);
    fputs("</tbody></table></div></details>\n", out);
}

/* --- what a call would get now --- */

static void now_row(const le_explanation *e, const le_explained_candidate *c, FILE *out) {
    char a[LE__TEXT], b[LE__TEXT], range[64] = "-";
    if (c->low_s > 0)
        snprintf(range, sizeof range, "%s – %s", le__seconds_text(c->low_s, a),
                 le__seconds_text(c->high_s, b));
    fputs(strcmp(e->choice, c->candidate) ? "<tr>" : "<tr class=\"chosen\">", out);
    escaped(out, "<td><code>", c->candidate, "</code></td>");
    cell(out, le__seconds_text(c->predicted_s, a));
    cell(out, range);
    cell(out, le__seconds_text(c->measured_s, a));
    cell(out, le__error_text(c->error_max_abs, a));
    cell(out, le__age_text(c->age_s, a));
    escaped(out, "<td>", c->verdict, "</td>");
    escaped(out, "<td class=\"why\">", c->applicable ? "" : c->left_out, "</td></tr>\n");
}

static void now(const report *r, const report_problem *p, FILE *out) {
    le_explanation *e = le__report_explanation(r, p->known->operation, p->known->key);
    if (!e)
        return;
    fputs("<details><summary>a call now: ", out);
    escaped(out, "<code>", *e->choice ? e->choice : "no candidate is left", "</code>");
    escaped(out, " (", e->why, ")");
    fputs("</summary><div class=\"wide\"><table><thead><tr><th>candidate</th>"
          "<th class=\"n\">predicted</th><th class=\"n\">90 % interval</th>"
          "<th class=\"n\">measured</th><th class=\"n\">error</th><th class=\"n\">age</th>"
          "<th>verdict</th><th>left out</th></tr></thead><tbody>\n",
          out);
    for (size_t i = 0; i < e->n_candidates; i++)
        now_row(e, &e->candidates[i], out);
    fputs("</tbody></table></div></details>\n", out);
    le_explanation_free(&e);
}

static void problem(const report *r, const report_problem *p, FILE *out) {
    fputs("<section class=\"card\">\n", out);
    escaped(out, "<h3>", p->known->key, "</h3>\n");
    for (size_t i = 0; i < p->n_choices; i++)
        choice(r, &p->choices[i], out);
    if (p->n_choices == 0)
        fputs("<p class=\"bad\">No candidate can answer.</p>\n", out);
    le__report_chart_times(r, p, out);
    le__report_chart_errors(r, p, out);
    table(r, p, out);
    now(r, p, out);
    fputs("</section>\n", out);
}

/* --- losses --- */

static void accounts(const report *r, FILE *out) {
    char a[LE__TEXT];
    for (size_t i = 0; i < r->n_accounts; i++) {
        const report_account *x = &r->accounts[i];
        if (i == 0)
            fputs("<h2 id=\"accounts\">Time spent</h2>\n<div class=\"wide\"><table><thead><tr>"
                  "<th>operation</th><th class=\"n\">calls</th><th class=\"n\">answering</th>"
                  "<th class=\"n\">exploring and measuring</th><th class=\"n\">lost to wrong "
                  "choices</th>"
                  "</tr></thead><tbody>\n",
                  out);
        escaped(out, "<tr><td>", x->operation, "</td>");
        fprintf(out, "<td class=\"n\">%lld</td>", (long long)x->calls);
        cell(out, le__seconds_text(x->answered_s, a));
        cell(out, le__seconds_text(x->explored_s, a));
        cell(out, le__seconds_text(x->regret_s, a));
        fputs("</tr>\n", out);
    }
    if (r->n_accounts)
        fputs("</tbody></table></div>\n", out);
}

static void make_colours(const report *r, colours *c) {
    le__colours_make(c, r->engine);
    for (size_t i = 0; i < r->knowledge->n_candidates; i++) {
        const le_db_known_candidate *k = &r->knowledge->candidates[i];
        le__colours_add(c, k->operation, k->implementation, k->run_type);
    }
}

bool le__report_html(const report *plain, FILE *out) {
    colours all; /* 24 KiB */
    report with_colours = *plain, *r = &with_colours;
    make_colours(r, &all);
    r->colours = &all;
    head(r, out);
    for (size_t i = 0; i < r->n_problems; i++) {
        const char *operation = r->problems[i].known->operation;
        if (i == 0 || strcmp(operation, r->problems[i - 1].known->operation)) {
            size_t n = 1;
            while (i + n < r->n_problems && !strcmp(operation, r->problems[i + n].known->operation))
                n++;
            escaped(out, "<h2 id=\"", operation, "\">");
            escaped(out, "", operation, "</h2>\n");
            le__report_chart_sizes(r, &r->problems[i], n, out);
        }
        problem(r, &r->problems[i], out);
    }
    accounts(r, out);
    fputs("</main></body></html>\n", out);
    return true;
}
