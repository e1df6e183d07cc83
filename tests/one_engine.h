/* SPDX-FileCopyrightText: 2026 The liquid engine developers
 * SPDX-License-Identifier: MIT
 *
 * One engine, with its database in memory, for all tests of a file.
 */
#ifndef LE_TESTS_ONE_ENGINE_H
#define LE_TESTS_ONE_ENGINE_H

#include "liquid_engine/le.h"

static le_engine *engine;

static int open_engine(void **state) {
    (void)state;
    le_options options;
    le_default_options(&options);
    options.db_path = ":memory:";
    return le_open(&engine, &options) != LE_OK;
}

static int close_engine(void **state) {
    (void)state;
    le_close(&engine);
    return 0;
}

#endif
