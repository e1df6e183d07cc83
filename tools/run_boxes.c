/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Calls of le-run whose volume does not fit the memory limit.
 */
#include "run.h"

#include "liquid_engine/le_boxes.h"
#include "liquid_engine/le_method.h"
#include "tool.h"

#include <string.h>

/* The call with its inputs as places. */
static size_t call_of(const run_options *o, run_args *a, le_arg *args) {
    le_arg options[RUN_OPTIONS_MAX];
    size_t n = run_args_call(a, options, run_options_call(o, options), args);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; args[k].kind == LE_KIND_IN && i < a->operation->n_args; i++)
            if (!strcmp(args[k].name, a->operation->args[i].name))
                args[k] = LE_STR(args[k].name, a->args[i].text);
    return n;
}

/* What cannot be opened so is told by the way that calls usually go. */
bool run_boxes_wanted(le_engine *engine, const run_options *o, run_args *a) {
    le_arg args[LE_MAX_ARGS + RUN_OPTIONS_MAX];
    le_boxes_call *call = NULL;
    if (!a->operation->bricks || o->explain)
        return false;
    size_t n = call_of(o, a, args);
    bool wanted = le_boxes_open(engine, a->operation->name, args, n, &call) == LE_OK &&
                  !le_boxes_tell(call)->fits;
    le_boxes_close(&call);
    return wanted;
}

le_status run_boxes(le_engine *engine, const run_options *o, run_args *a) {
    le_arg args[LE_MAX_ARGS + RUN_OPTIONS_MAX];
    char time[LE__TEXT];
    int64_t boxes = 0;
    size_t n = call_of(o, a, args);
    run_progress("running", a->operation->name);
    double start = tool_clock();
    le_status status = le_boxes_run(engine, a->operation->name, args, n, &boxes);
    if (status == LE_OK && o->verbose)
        tool_message("%s: %lld boxes in %s", a->operation->name, (long long)boxes,
                     le__seconds_text(tool_clock() - start, time));
    return status;
}
