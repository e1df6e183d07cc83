/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What the engine would say of a call now: predictions, and why candidates are left out.
 */
#ifndef LE_REPORT_WHY_H
#define LE_REPORT_WHY_H

#include <stdbool.h>
#include <stdio.h>

/* Explains a call of the operation whose arguments are words as in a problem's text,
 * "name=f32[64,64]" and "name=value" (NULL-ended), when they describe one; else does nothing. Runs
 * and writes nothing. false after an error, with a message. */
bool report_why_now(const char *db, const char *operation, char *const *words, FILE *out);

#endif
