/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Operations by the names that somebody has typed.
 */
#include "operation.h"

#include "suggest.h"
#include "tool.h"

static const char *nearest(le_engine *engine, const char *name) {
    size_t n;
    const le_operation *const *all = le_engine_operations(engine, &n);
    suggest s = {.wanted = name};
    for (size_t i = 0; i < n; i++)
        suggest_offer(&s, all[i]->name);
    return s.best;
}

const le_operation *tool_operation(le_engine *engine, const char *name) {
    const le_operation *op = le_engine_operation(engine, name);
    const char *near = op ? NULL : nearest(engine, name);
    if (!op)
        tool_message("there is no operation '%s'%s%s%s; 'le-run --list' names them", name,
                     near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    return op;
}
