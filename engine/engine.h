/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * The life of engines: the one that calls without an engine share.
 */
#ifndef LE_ENGINE_H
#define LE_ENGINE_H

#include "call/engine.h"
#include "trial/discover.h"

/* The default engine, opened when needed; NULL with an error text when that fails. */
le_status le__engine_or_default(le_engine **engine);
/* The same, and its operation of this name. */
le_status le__engine_operation(le_engine **engine, const char *name, le__operation_entry **out);
/* The same, and a call of it, for le__call_unbind when LE_OK. */
le_status le__engine_bind(le_engine **engine, const char *operation, const le_arg *args,
                          size_t n_args, le_call *out);

#endif
