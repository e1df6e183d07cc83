/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * Options of an engine: what the caller gave, then the environment, then defaults.
 */
#ifndef LE_OPTIONS_H
#define LE_OPTIONS_H

#include "core/error.h"
#include "liquid_engine/le_bench.h"

/* Fills *out with owned texts. given may be NULL. */
le_status le__options_resolve(le_options *out, const le_options *given);
void le__options_free(le_options *o);
bool le__mode_from_name(const char *name, le_mode *out);
const char *le__mode_name(le_mode mode);

/* One row an environment variable; ended by NULLs. */
extern const le_env_row le__env_table[];

#endif
