/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The charts of the HTML report.
 */
#ifndef LE_REPORT_CHARTS_H
#define LE_REPORT_CHARTS_H

#include "report.h"

/* Time of the fastest candidate of each implementation and device, with intervals. */
void le__report_chart_times(const report *r, const report_problem *p, FILE *out);
/* Their errors against the strictest tolerance that a choice answers. */
void le__report_chart_errors(const report *r, const report_problem *p, FILE *out);
/* Time over work for the n problems of one operation, with the sizes at which the fastest changes.
 * Nothing for fewer than two sizes. Problems that differ in more than size (dtypes, words) are
 * apart: one chart for each kind. */
void le__report_chart_sizes(const report *r, const report_problem *problems, size_t n, FILE *out);

#endif
