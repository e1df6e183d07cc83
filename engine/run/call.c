/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Single calls.
 */
#include "choose/dispatch.h"
#include "engine.h"

le_status le_call_run(le_engine *engine, const char *operation, const le_arg *args, size_t n_args) {
    le_status opened = le__engine_or_default(&engine);
    if (opened != LE_OK)
        return opened;
    le__operation_entry *entry = operation ? le__registry_find(&engine->registry, operation) : NULL;
    if (!entry) {
        const char *near = operation ? le__registry_nearest(&engine->registry, operation) : NULL;
        return le_fail(LE_ERR_UNKNOWN, "there is no operation '%s'%s%s%s",
                       operation ? operation : "(null)", near ? " (did you mean '" : "",
                       near ? near : "", near ? "'?)" : "");
    }
    le_call call;
    le_status status = le__call_bind(&call, engine, entry, args, n_args);
    if (status != LE_OK)
        return status;
    le__answered answered;
    status = le__dispatch_answer(engine->dispatch, &call, &answered);
    if (status == LE_OK) {
        le__last_run_set(&call, &answered);
        status = le__call_commit(&call);
    }
    le__call_unbind(&call);
    return status;
}
