/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * A small operation for tests of the engine: result = factor * input + offset, element by element,
 * with a reference and a scalar C implementation. Tests plant further implementations beside them.
 */
#ifndef TOY_H
#define TOY_H

#include "liquid_engine/le_method.h"

enum { TOY_INPUT, TOY_FACTOR, TOY_OFFSET, TOY_MODE, TOY_WEIGHTS, TOY_RESULT };

extern const le_operation toy_operation;
extern const le_implementation toy_reference, toy_c;

/* Items of the call, and the loop in float: what a right implementation does. */
size_t toy_items(const le_call *call);
void toy_range(void *context, size_t begin, size_t end, int worker);
/* Opens an engine with a database in memory (or at db) and the toy operation, its reference and c.
 */
le_engine *toy_open(const char *db, le_mode mode);

#endif
