/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The views of le-report that are for terminals.
 */
#ifndef LE_REPORT_VIEWS_H
#define LE_REPORT_VIEWS_H

#include "engine/report/report.h"
#include "tool.h"

void report_text(const report *r, FILE *out);
bool report_why(const report *r, FILE *out); /* false: out of memory, with a message */
void report_commands(const report *r, FILE *out);
void report_regret(const report *r, FILE *out);
void report_csv(const report *r, FILE *out);
/* What the devices' short names in candidates' texts stand for; nothing without OpenCL. */
void report_devices(const report *r, FILE *out);

/* The explanation of each problem of the report, and of the call whose arguments are words as in a
 * problem's text, "name=f32[64,64]" and "name=value" (NULL-ended), where they describe one that is
 * not in the report. false after an error, with a message. */
bool report_why_now(const report *r, const char *operation, char *const *words, FILE *out);

#endif
