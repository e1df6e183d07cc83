/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The candidates of a call and the plan of a chain for a terminal.
 */
#include "explain_text.h"

#include "tool.h"
#include "wrap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *explain_range(double low, double high, char *out, size_t size) {
    char a[LE__TEXT], b[LE__TEXT];
    *out = '\0';
    if (!(low > 0) || !(high > 0))
        return out;
    le__seconds_text(low, a);
    le__seconds_text(high, b);
    char *unit = strchr(a, ' '), *other = strchr(b, ' ');
    if (unit && other && !strcmp(unit, other))
        *unit = '\0';
    snprintf(out, size, "%s..%s", a, b);
    return out;
}

static const le_explained_candidate *chosen(const le_explanation *e) {
    for (size_t i = 0; i < e->n_candidates; i++)
        if (*e->choice && !strcmp(e->candidates[i].candidate, e->choice))
            return &e->candidates[i];
    return NULL;
}

char *explain_choice(const le_explanation *e) {
    tool_text t = {0};
    const le_explained_candidate *c = chosen(e);
    tool_add(&t, "%s", *e->choice ? e->choice : "no candidate is left");
    if (*e->why)
        tool_add(&t, " (%s%s)", e->why,
                 c && !(c->predicted_s > 0)
                     ? " by its author's guess: nothing has been measured yet"
                     : "");
    return t.text;
}

bool explain_is_known(const le_explanation *e) {
    for (size_t i = 0; i < e->n_candidates; i++)
        if (e->candidates[i].predicted_s > 0)
            return true;
    return false;
}

static void fill_row(const le_explanation *e, const le_explained_candidate *c, wrap_row *row) {
    char time[LE__TEXT], measured[LE__TEXT], error[LE__TEXT], age[LE__TEXT], range[64];
    *row =
        (wrap_row){.candidate = c->candidate, .mark = strcmp(c->candidate, e->choice) ? ' ' : '*'};
    if (c->predicted_s > 0 || c->samples > 0)
        snprintf(row->cells, sizeof row->cells, "%9s %-16s %8s %4lld %6s",
                 le__seconds_text(c->predicted_s, time),
                 explain_range(c->low_s, c->high_s, range, sizeof range),
                 le__seconds_text(c->measured_s, measured), (long long)c->samples,
                 le__age_text(c->age_s, age));
    snprintf(row->about, sizeof row->about, "%s%s%s%s%s%s", c->verdict,
             isnan(c->error_max_abs) ? "" : ", error ",
             isnan(c->error_max_abs) ? "" : le__error_text(c->error_max_abs, error),
             c->applicable ? "" : "; left out: ", c->applicable || !c->left_out ? "" : c->left_out,
             c->applicable && isnan(c->predicted_s) ? "; nothing measured yet" : "");
}

bool explain_candidates(const le_explanation *e, FILE *out) {
    wrap_row *rows = calloc(e->n_candidates + 1, sizeof *rows);
    char head[64];
    if (!rows)
        return false;
    for (size_t i = 0; i < e->n_candidates; i++)
        fill_row(e, &e->candidates[i], &rows[i]);
    snprintf(head, sizeof head, "%9s %-16s %8s %4s %6s", "predicted", "90 % interval", "measured",
             "runs", "age");
    wrap_candidates(out, head, rows, e->n_candidates);
    free(rows);
    return true;
}

void explain_plan(const le_chain_plan *p, bool known, FILE *out) {
    char predicted[LE__TEXT], cpu[LE__TEXT], device[LE__TEXT], bytes[LE__TEXT];
    tool_text line = {0};
    fprintf(out, "chain      %s (%s)\npredicted  ", p->chain, p->why);
    if (!known)
        tool_add(&line, "nothing has been measured yet");
    else
        tool_add(&line, "%s; on the CPU alone %s; on one device alone %s",
                 le__seconds_text(p->predicted_s, predicted), le__seconds_text(p->cpu_s, cpu),
                 le__seconds_text(p->device_s, device));
    wrap_print(out, 11, 11, line.failed ? "" : line.text);
    tool_text_free(&line);
    fprintf(out, "peak       %s\n\n", le__bytes_text((double)p->peak_bytes, bytes));
    fprintf(out, "%4s  %-44s %9s %9s %9s\n", "step", "operation", "predicted", "transfer", "moved");
    for (size_t i = 0; i < p->n_steps; i++) {
        const le_planned_step *s = &p->steps[i];
        fprintf(out, "%4zu  %-44s %9s %9s %9s\n      ", i, s->operation,
                le__seconds_text(known ? s->predicted_s : NAN, predicted),
                le__seconds_text(s->transfer_s, cpu),
                le__bytes_text((double)s->bytes_moved, bytes));
        wrap_print(out, 6, 6, s->candidate);
    }
}
