/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The report as CSV (RFC 4180 with LF): one line a candidate and problem.
 */
#include "report_views.h"

#include <math.h>
#include <string.h>

static void field(const char *text, FILE *out) {
    if (text[strcspn(text, ",\"\n\r")] == '\0') {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void number(double v, FILE *out) {
    fputc(',', out);
    if (isfinite(v))
        fprintf(out, "%.9g", v);
}

static bool is_chosen(const report_problem *p, const report_candidate *c) {
    for (size_t i = 0; i < p->n_choices; i++)
        if (p->choices[i].candidate == c)
            return true;
    return false;
}

static void line(const report *r, const report_problem *p, const report_candidate *c, FILE *out) {
    field(p->known->operation, out);
    fputc(',', out);
    field(p->known->key, out);
    number(p->known->work, out);
    fputc(',', out);
    field(c->text, out);
    fputc(',', out);
    field(c->known->run_type, out);
    fputc(',', out);
    field(c->device, out);
    fprintf(out, ",%d", is_chosen(p, c));
    number(c->time, out);
    number(c->low, out);
    number(c->high, out);
    number(c->median, out);
    number(c->least, out);
    number(c->most, out);
    fprintf(out, ",%lld,%lld", (long long)c->samples, (long long)c->contended);
    number(c->errors[0], out);
    fprintf(out, ",%s,", le_db_state_names[c->state]);
    field(c->reason, out);
    number(le__report_age_s(r, c->last_ms), out);
    fputc('\n', out);
}

void report_csv(const report *r, FILE *out) {
    fputs("operation,problem,work,candidate,run_type,device,chosen,time_s,low_s,high_s,median_s,"
          "min_s,"
          "max_s,samples,contended,error_max_abs,verdict,reason,age_s\n",
          out);
    for (size_t i = 0; i < r->n_problems; i++)
        for (size_t k = 0; k < r->problems[i].n_candidates; k++)
            line(r, &r->problems[i], &r->problems[i].candidates[k], out);
}
