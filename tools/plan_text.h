/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The plan of a chain for a terminal.
 */
#ifndef LE_PLAN_TEXT_H
#define LE_PLAN_TEXT_H

#include "liquid_engine/le_chain.h"

#include <stdio.h>

/* Totals, why, and a line for each step. */
void plan_print(const le_chain_plan *plan, FILE *out);

#endif
