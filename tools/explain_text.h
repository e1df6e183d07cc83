/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * What le_explain tells, for a terminal: the candidates of a call and the plan of a chain.
 */
#ifndef LE_EXPLAIN_TEXT_H
#define LE_EXPLAIN_TEXT_H

#include "liquid_engine/le_chain.h"

#include <stdio.h>

/* The choice with the reason for it, without the end of the line; for free(), NULL: out of memory.
 */
char *explain_choice(const le_explanation *e);
/* All candidates, those that may answer first, and the plan of a composite operation. false: out of
 * memory. */
bool explain_candidates(const le_explanation *e, FILE *out);
/* known: some step has been measured, else its times are no predictions and are not shown. */
void explain_plan(const le_chain_plan *plan, bool known, FILE *out);
/* Whether anything has been measured from which the call's time follows. */
bool explain_is_known(const le_explanation *e);

/* "1.20..1.27 ms"; "" where low is not known. Returns out. */
const char *explain_range(double low, double high, char *out, size_t size);

#endif
