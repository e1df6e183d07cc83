/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Files that le-run makes of an operation's inputs and outputs, beside the outputs themselves. They
 * are asked for as NAME=FILE like these, where the operation has no argument of that name.
 */
#ifndef LE_TOOLS_RUN_EXTRA_H
#define LE_TOOLS_RUN_EXTRA_H

#include "liquid_engine/le_method.h"

typedef enum run_extra { RUN_PICTURE, RUN_REGIONS, RUN_EXTRAS } run_extra;

const char *run_extra_name(run_extra e);
/* What it is, in one line, and what file is expected. */
const char *run_extra_doc(run_extra e);
/* Whether the operation has what it is made of. */
bool run_extra_offered(const le_operation *op, run_extra e);
bool run_extra_is_file(run_extra e, const char *file);
/* The output that has to be there for it; -1: none but the given ones. given: by argument. */
int run_extra_needs(const le_operation *op, run_extra e, const bool *given);

#endif
