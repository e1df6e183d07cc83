/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * An engine's timings database, for what reads or writes all of it.
 */
#ifndef LE_RUN_DATABASE_H
#define LE_RUN_DATABASE_H

#include "liquid_engine/le.h"

struct le_db;

/* Finds the default engine when *engine is NULL, and writes what its calls have added. */
le_status le__engine_database(le_engine **engine, struct le_db **out);

#endif
