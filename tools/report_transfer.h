/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * le-report export, import and merge.
 */
#ifndef LE_REPORT_TRANSFER_H
#define LE_REPORT_TRANSFER_H

#include "liquid_engine/le.h"

#include <stdbool.h>

/* Whether the words (NULL-ended) begin with one of the three commands. */
bool report_is_transfer(char *const *words);
/* Does it; returns the exit status. */
int report_transfer(le_engine *engine, char *const *words, bool keep_unknown);

#endif
