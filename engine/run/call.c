/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Single calls.
 */
#include "choose/dispatch.h"
#include "engine.h"

le_status le_call_run(le_engine *engine, const char *operation, const le_arg *args, size_t n_args) {
    le_call call;
    le_status status = le__engine_bind(&engine, operation, args, n_args, &call);
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
