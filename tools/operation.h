/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Operations by the names that somebody has typed.
 */
#ifndef LE_TOOLS_OPERATION_H
#define LE_TOOLS_OPERATION_H

#include "liquid_engine/le_method.h"

/* NULL after a message that names the nearest one, if there is any: an error of usage. */
const le_operation *tool_operation(le_engine *engine, const char *name);

#endif
