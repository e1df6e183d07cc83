/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the engine would say of a call now: predictions, and why candidates are left out.
 */
#ifndef LE_REPORT_WHY_H
#define LE_REPORT_WHY_H

#include "report.h"

#include "liquid_engine/le.h"

/* An engine that measures and writes nothing, for r->engine; NULL after a message. */
le_engine *report_engine(const char *db);
/* What a call of this problem's text would get now; NULL when the text does not describe one, or
 * another call (some problems depend on data). To be freed with le_explanation_free. */
le_explanation *report_explanation(const report *r, const char *operation, const char *problem);

/* The explanation of each problem of the report, and of the call whose arguments are words as in a
 * problem's text, "name=f32[64,64]" and "name=value" (NULL-ended), where they describe one that is
 * not in the report. false after an error, with a message. */
bool report_why_now(const report *r, const char *operation, char *const *words, FILE *out);

#endif
