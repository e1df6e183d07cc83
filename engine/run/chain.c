/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Chains of an engine, or of the default one.
 */
#include "chain/chain.h"

#include "engine.h"

le_status le_chain_new(le_chain **out, le_engine *engine, const char *name) {
    *out = NULL;
    le_status opened = le__engine_or_default(&engine);
    return opened == LE_OK ? le__chain_new(out, engine, name) : opened;
}

le_status le_chain_from_json(le_chain **out, le_engine *engine, const char *text,
                             const le_arg *args, size_t n_args) {
    *out = NULL;
    le_status opened = le__engine_or_default(&engine);
    return opened == LE_OK ? le__chain_from_json(out, engine, text, args, n_args) : opened;
}

le_status le_chain_register_json(le_engine *engine, const char *text, char *name, size_t size) {
    le_status opened = le__engine_or_default(&engine);
    return opened == LE_OK ? le__chain_register_json(engine, text, name, size) : opened;
}

le_status le_chain_run_args(le_chain *c, const le_arg *args, size_t n_args) {
    le_status opened = le__engine_or_default(&c->engine);
    return opened == LE_OK ? le__chain_run(c, args, n_args) : opened;
}

le_status le_chain_explain(le_chain *c, le_chain_plan **out, const le_arg *options,
                           size_t n_options) {
    *out = NULL;
    le_status opened = le__engine_or_default(&c->engine);
    return opened == LE_OK ? le__chain_explain(c, out, options, n_options) : opened;
}
