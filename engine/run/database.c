/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The timings database behind an engine.
 */
#include "run/database.h"

#include "benchdb.h"
#include "choose/dispatch.h"
#include "engine.h"

static const double flush_s = 5;

le_status le__engine_database(le_engine **engine, le_db **out) {
    le_status status = le__engine_or_default(engine);
    if (status != LE_OK)
        return status;
    *out = le__store_db((*engine)->dispatch->store);
    if (!*out)
        return le_fail(LE_ERR_MEMORY, "the engine has no timings database");
    le_db_flush(*out, flush_s);
    return LE_OK;
}
